"""The benchmarks run, judge and report: tiny tables, and nothing about who is faster."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import harness  # noqa: E402
import quality  # noqa: E402
import report  # noqa: E402

LIBRARIES = dict(sklearn="sklearn", sklearn_elkan="sklearn", sklearnex="sklearnex", faiss="faiss",
                 mlpack="mlpack")
INSTALLED = [who for who, name in LIBRARIES.items() if importlib.util.find_spec(name)]


def bench(script, *arguments):
    done = subprocess.run([sys.executable, BENCH / script, *arguments], capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(folder, suite, rivals, *more):
    printed = bench("run.py", suite, "--quick", "--rounds", "2", "--rivals",
                    ",".join(map(str, rivals)), "--output", folder, *more)
    return printed, json.loads((folder / f"{suite}.json").read_text())


@pytest.mark.slow
def test_mixtures_agree(tmp_path):
    _, result = run(tmp_path, "mixtures", ["numpy_em"])
    for case in result["cases"]:
        for who, entry in case["contestants"].items():
            assert entry["status"] == "counted", (who, entry["why"])


@pytest.mark.parametrize("suite", ["kmeans", "gmm", "nb", "classes", "text", "kde"])
@pytest.mark.parametrize("rivals", [["sklearn"], INSTALLED], ids=["sklearn", "all installed"])
@pytest.mark.slow
def test_all_contestants_answer_and_agree(tmp_path, suite, rivals):
    _, result = run(tmp_path, suite, rivals)
    assert {"date", "commit", "cpu", "cores", "load"} <= result["conditions"].keys()
    assert result["versions"].keys() == {"craton"} | {
        who for case in result["cases"] for who in case["contestants"]}
    compared = 0
    for case in result["cases"]:
        for who, entry in case["contestants"].items():
            assert entry["status"] in ("counted", "unsupported", "not asked"), (who, entry["why"])
            if entry["status"] == "counted":
                assert len(entry["runs"]) == 2
                for field in ("wall", "cpu", "quality", "peak_mb", "above_load_mb"):
                    assert isinstance(entry[field], float), field
                compared += who != "craton" and {"ratio", "cpu_ratio"} <= entry.keys()
        ours, theirs = case["contestants"]["craton"], case["contestants"].get("sklearn", {})
        assert bool(case.get("work")) == (suite in ("kmeans", "gmm") and bool(case["iterations"]))
        if ours["status"] == "counted" == theirs.get("status"):
            how = "rel" if case["relative"] else "abs"
            assert theirs["quality"] == pytest.approx(ours["quality"], **{how: case["tolerance"]})
    assert compared >= 3
    text = (tmp_path / f"{suite}.md").read_text()
    assert all(case["name"] in text for case in result["cases"] if len(case["contestants"]) > 1)


HONEST = """
from rivals import sklearn
from rivals.sklearn import threads, version
"""
LIARS = {
    "wrong_labels": HONEST + """
def kmeans(x, k, **options):
    result = sklearn.kmeans(x, k, **options)
    return result | dict(labels=(result["labels"] + 1) % k)
""",
    "fewer_iterations": HONEST + """
def kmeans(x, k, max_iter, **options):
    return sklearn.kmeans(x, k, max_iter=1, **options) | dict(iterations=max_iter)
""",
    "honest_about_fewer": HONEST + """
def kmeans(x, k, max_iter, **options):
    return sklearn.kmeans(x, k, max_iter=1, **options)
""",
    "broken": """
version = threads = lambda *_: None
def kmeans(x, k, **options):
    raise ValueError("out of ideas")
""",
    "dies": """
import os
version = threads = lambda *_: None
def kmeans(x, k, **options):
    os._exit(3)
""",
    "absent": """
import no_such_library
""",
}


@pytest.mark.slow
def test_wrong_results_and_failures_are_marked_and_said(tmp_path):
    rivals = []
    for name, text in LIARS.items():
        rivals.append(tmp_path / f"{name}.py")
        rivals[-1].write_text(text)
    printed, result = run(tmp_path, "kmeans", ["sklearn", *rivals], "--only", "float32")
    (case,) = result["cases"]
    found = {who: (entry["status"], entry["why"]) for who, entry in case["contestants"].items()}
    assert found["craton"] == found["sklearn"] == ("counted", None)
    for who, status, why in [
        ("wrong_labels", "marked", "labels are not the nearest centres'"),
        ("fewer_iterations", "marked", "the bench finds"),
        ("honest_about_fewer", "marked", "made 1 iterations, not 3"),
        ("broken", "failed", "ValueError: out of ideas"),
        ("dies", "failed", "its process ended with code 3"),
        ("absent", "failed", "cannot be imported: No module named 'no_such_library'"),
    ]:
        assert found[who][0] == status and why in found[who][1], (who, found[who])
        assert "ratio" not in case["contestants"][who]
        assert why in printed and why in (tmp_path / "kmeans.md").read_text()


def test_a_rival_of_another_quality_is_marked_as_better_or_worse():
    def play(*qualities):
        case = harness.Case("", "", None, "", {}, None, -1, 0.01)
        found = {who: harness.Contestant(runs=[dict(quality=q)])
                 for who, q in zip(("craton", "near", "less", "more"), qualities)}
        harness.compare_quality(case, found, None)
        return {who: contestant.why for who, contestant in found.items()}
    assert play(100.0, 100.5, 90.0, 110.0) == dict(
        craton=None, near=None, less="better than craton: 90, 100",
        more="worse than craton: 110, 100")


def test_real_data_that_is_missing_is_said(tmp_path):
    done = bench("run.py", "kmeans", "--only", "MNIST 60000x784", "--output", tmp_path)
    assert "skipped, needs mnist/" in done and "give --data FOLDER" in done


def test_a_loss_is_printed_as_a_loss():
    lost = dict(median=0.8, min=0.7, max=1.1, rounds=3)
    won = dict(median=2.0, min=1.5, max=2.5, rounds=3)
    mixed = dict(median=1.2, min=0.9, max=2.5, rounds=3)
    assert [report.verdict(r) for r in (lost, won, mixed)] == [
        "**LOSS**", "faster", "faster, not in every round"]
    assert report.spread(lost) == "0.80× (0.70 to 1.10)"


class Stopwatch:
    """A worker whose fit of i updates takes a + b i seconds, and whose product takes one."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def ask(self, request):
        if request["task"] == "product":
            return dict(work=1000, wall=1.0, cpu=2.0)
        updates = request["options"]["max_iter"]
        assert request["options"]["algorithm"] == "lloyd"
        return dict(wall=self.a + self.b * updates, cpu=2 * (self.a + self.b * updates))


class StoppedHall:
    def __init__(self, worker):
        self.machine, self.workers = worker, dict(craton=worker)

    def request(self, case, arrays, **options):
        return dict(task=case.task, options=options)


def test_the_share_is_the_work_of_an_iteration_over_its_time_and_the_machines_rate():
    case = harness.Case("", "", None, "kmeans", {}, None, -1, 0.01, iterations=4, work=300,
                        plain=dict(algorithm="lloyd"))
    found = harness.share_of_peak(StoppedHall(Stopwatch(7, 0.5)), case, {})
    assert found == dict(share=pytest.approx(0.6), cpu_share=pytest.approx(0.6), peak=1000)
    assert harness.share_of_peak(StoppedHall(Stopwatch(7, -0.5)), case, {}) == {}
    ours = dict(share=dict(median=0.6, min=0.5, max=0.7, rounds=3), peak=dict(median=2e9))
    assert report.share(ours) == "0.60 (0.50 to 0.70) of 2 GFlop/s"
    assert report.share({}) == "–"


def test_the_bench_finds_what_scikit_learn_finds():
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.mixture import GaussianMixture
    x = np.random.default_rng(0).normal(size=(500, 4)) + 1e3
    fit = KMeans(4, init=x[:4], n_init=1, max_iter=3, tol=0).fit(x)
    assert quality.lloyd(x, x[:4], 3) == pytest.approx(fit.inertia_, rel=1e-9)
    for kind, precisions in dict(full=np.array([np.eye(4)] * 4), tied=np.eye(4),
                                 diag=np.ones((4, 4)), spherical=np.ones(4)).items():
        with pytest.warns(UserWarning, match="converge"):
            fit = GaussianMixture(4, covariance_type=kind, max_iter=3, tol=0, means_init=x[:4],
                                  weights_init=np.full(4, 0.25), precisions_init=precisions).fit(x)
        found = quality.em(x, kind, np.full(4, 0.25), x[:4], precisions, 1e-6, 3)
        assert found == pytest.approx(fit.score(x), rel=1e-7), kind


def test_wrong_naive_bayes_is_found():
    import numpy as np
    import scipy.sparse
    from sklearn import naive_bayes
    r = np.random.default_rng(0)
    x, y = r.poisson(1.0, size=(90, 6)).astype(float), np.arange(90) % 3
    for name in ("GaussianNB", "MultinomialNB", "BernoulliNB", "ComplementNB"):
        rows = x if name == "GaussianNB" else scipy.sparse.csr_matrix(x)
        model = getattr(naive_bayes, name)().fit(rows[:60], y[:60])
        names = ("theta", "var") if name == "GaussianNB" else ("feature_log_prob",)
        learned = {n: getattr(model, n + "_") for n in names}
        for result in (learned, dict(labels=model.predict(rows[60:])),
                       dict(log_proba=model.predict_log_proba(rows[60:]))):
            def judge(result):
                return quality.judge_nb(rows, result, 1e-9, lambda: y, name, 60)[1]
            assert judge(result) is None, name
            for key, value in result.items():
                wrong = (value + 1) % 3 if key == "labels" else value * (1 + 1e-6)
                assert judge(result | {key: wrong}), (name, key)


@pytest.mark.slow
def test_scaling_is_measured_and_drawn(tmp_path):
    build = pathlib.Path(__file__).resolve().parents[2] / "build/release"
    subprocess.run(["cmake", "--build", build, "--target", "draw_scaling"], check=True)
    bench("scaling.py", "--quick", "--rounds", "1", "--output", tmp_path)
    result = json.loads((tmp_path / "scaling.json").read_text())
    assert [point["n"] for point in result["rows"]] == [1000, 10000]
    assert [point["k"] for point in result["clusters"]] == [4, 8]
    xml.etree.ElementTree.parse(tmp_path / "scaling.svg")


@pytest.mark.slow
def test_single_rows_are_measured(tmp_path):
    root = BENCH.parent
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "bench_predict"],
                   cwd=root, check=True, capture_output=True)
    bench("predict/run.py", "--rounds", "2", "--calls", "3", "--output", tmp_path)
    result = json.loads((tmp_path / "predict.json").read_text())
    assert {"kmeans", "gmm"} <= {entry["model"] for entry in result["cpp"]}
    for entry in result["cpp"]:
        assert entry["allocations"] == 0 and entry["ns"] > 0
    for entry in result["python"]:
        assert entry["craton_us"] > 0 and entry["sklearn_us"] > 0
    assert "allocations a row" in (tmp_path / "predict.md").read_text()


def test_texts_are_judged_by_the_matrix_itself():
    rival = importlib.import_module("rivals.sklearn")
    judged = []
    for case in importlib.import_module("suites.text").cases(None, True):
        texts = case.table.make()
        arrays = case.arrays(texts)
        result = getattr(rival, case.task)(texts, **case.options, **arrays)
        result = result() if callable(result) else result
        result = {name: np.array(value) for name, value in result.items()}
        quality_of = case.judge(texts, result, case.tolerance)
        assert quality_of[1] is None
        if case.reference:
            assert quality_of[0] == case.reference(texts, arrays)
        changed = "data" if "data" in result else "labels"
        result[changed][0] = (result[changed][0] + 1) % 3
        judged.append((case.judge(texts, result, case.tolerance), quality_of))
    assert all(wrong != right for wrong, right in judged) and len(judged) == 5


def test_densities_are_judged_by_the_sums_themselves():
    from sklearn.neighbors import KernelDensity
    kde = importlib.import_module("suites.kde")
    h = kde.silverman(1000, 2)
    x, queries = kde.normal(1000, 2, 0), kde.normal(1000, 2, 1)
    model = KernelDensity(bandwidth=h).fit(x, sample_weight=kde.weights(1000))
    assert kde.expected(1000, 2, True) == pytest.approx(model.score_samples(queries[:kde.CHECKED]),
                                                        rel=1e-9)
    right = dict(log_density=kde.expected(1000, 2, False), bound=1e-6)
    assert kde.judge(x, right, kde.ANY) == (16, None)
    for off, complaint in ((1e-7, None), (2e-6, "it is off by 2e-06, and promised 1e-06")):
        wrong = right | dict(log_density=right["log_density"] + np.log1p(off))
        digits, told = kde.judge(x, wrong, kde.ANY)
        assert digits == pytest.approx(-np.log10(off), rel=1e-3) and told == complaint
    nothing = right | dict(log_density=np.full(kde.CHECKED, np.nan))
    assert kde.judge(x, nothing, kde.ANY)[1] is not None


def test_bandwidths_are_judged_by_what_is_best_of_the_rows_that_were_used():
    import scipy.integrate
    import scipy.stats
    kde = importlib.import_module("suites.kde")
    x = kde.normal(60, 1, 0)

    def left_out(i, h):
        return scipy.stats.norm.pdf(x[i, 0], np.delete(x[:, 0], i), h).mean()

    def density(at, h):
        return scipy.stats.norm.pdf(at, x[:, 0], h).mean()

    means = [np.mean([f(left_out(i, 0.3)) for i in range(60)]) for f in (float, np.log)]
    square = scipy.integrate.quad(lambda at: density(at, 0.3) ** 2, -8, 8, limit=500)[0]
    assert kde.criterion(x, "lscv", 0.3) == pytest.approx(square - 2 * means[0], rel=1e-6)
    assert kde.criterion(x, "likelihood", 0.3) == pytest.approx(-means[1])
    rows = kde.normal(500, 1, 0)
    best = min(np.geomspace(0.05, 1, 200), key=lambda h: kde.criterion(rows[:400], "likelihood", h))
    for factor, fine in ((1, True), (1.1, False), (0.6, False)):
        result = dict(bandwidth=factor * best, rows=400)
        complaint = kde.judge_bandwidth(rows, result, np.inf, "likelihood")[1]
        assert (complaint is None) == fine


def test_work_on_a_sample_counts_as_often_as_it_would_be_done():
    from rivals import scaled
    import time
    found, (wall, cpu) = scaled(5, lambda: time.sleep(0.05) or 7)
    assert found == 7 and 0.2 <= wall < 2 and cpu < 0.2
