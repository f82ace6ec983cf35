"""craton.select and the command give the same numbers, of the same rows and seed."""

import csv
import json
import pathlib
import subprocess

import numpy as np
import pytest

import craton
from craton import select

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
DATA = ROOT / "examples" / "data"


def run(*arguments):
    done = subprocess.run([CRATON, *arguments, "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read(name):
    """The columns of numbers, and the last column."""
    table = np.genfromtxt(DATA / name, delimiter=",", skip_header=1, dtype=str)
    return table[:, :-1].astype(float), table[:, -1]


def check(ours, shell):
    """A CrossValidation, and what the command printed of a model."""
    for name, values in ours.values.items():
        assert values.tolist() == [fold[name] for fold in shell["folds"]]
        assert ours.mean[name] == shell["metrics"][name]["mean"]
        assert ours.error[name] == shell["metrics"][name]["error"]
    assert ours.train_rows.tolist() == [fold["train_rows"] for fold in shell["folds"]]
    assert ours.test_rows.tolist() == [fold["test_rows"] for fold in shell["folds"]]
    assert ours.converged.tolist() == [fold["converged"] for fold in shell["folds"]]


SPLITS = {
    (): None,
    ("--folds", "3", "--seed", "7"): select.StratifiedKFold(3, random_state=7),
    ("--split", "plain", "--seed", "2"): select.KFold(5, random_state=2),
    ("--repeats", "2", "--folds", "4"): select.RepeatedStratifiedKFold(n_splits=4, n_repeats=2),
    ("--split", "time", "--folds", "4"): select.TimeSeriesSplit(4),
}


@pytest.mark.parametrize("words", SPLITS)
def test_cv_of_classes(words):
    X, y = read("letters.csv")
    metrics = ["accuracy", "log-loss", "f1", "roc-auc", "brier"]
    shell = run("cv", "multinomial-nb", DATA / "letters.csv", "--target", "kind", "--metric", ",".join(metrics), *words)
    ours = select.cross_validate(craton.MultinomialNB(), X, y, cv=SPLITS[words], scoring=metrics)
    check(ours, shell["best"])


def test_cv_of_densities_and_clusters():
    X = np.genfromtxt(DATA / "islands.csv", delimiter=",", skip_header=1)
    shell = run("cv", "gmm", DATA / "islands.csv", "--n-components", "4", "--seed", "3")
    ours = select.cross_validate(craton.GaussianMixture(4, random_state=3), X, cv=select.KFold(5, random_state=3))
    check(ours, shell["best"])
    shell = run("cv", "kmeans", DATA / "islands.csv", "--n-clusters", "4", "--metric", "silhouette")
    check(select.cross_validate(craton.KMeans(4), X, scoring="silhouette"), shell["best"])


@pytest.fixture
def grouped(tmp_path):
    """Numbers, labels, and groups whose names sort in another way than their first rows."""
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=200)
    X = rng.normal(size=(200, 2)) + y[:, None]
    groups = rng.permutation(30)[rng.integers(30, size=200)]
    with open(tmp_path / "rows.csv", "w") as file:
        file.write("a,b,who,kind\n")
        for x, group, label in zip(X.tolist(), groups, y):
            file.write(f"{x[0]!r},{x[1]!r},{group},{'no yes'.split()[label]}\n")
    return tmp_path / "rows.csv", X, np.array(["no", "yes"])[y], groups


def test_cv_by_groups(grouped):
    path, X, y, groups = grouped
    for words, cv in (((), None), (("--split", "stratified"), select.StratifiedGroupKFold(5))):
        shell = run("cv", "gaussian-nb", path, "--target", "kind", "--groups", "who", *words)
        check(select.cross_validate(craton.GaussianNB(), X, y, groups=groups, cv=cv), shell["best"])


def test_the_positive_label_and_the_predictions(grouped, tmp_path):
    path, X, y, _ = grouped
    words = ["--target", "kind", "--features", "a,b", "--metric", "recall,average-precision", "--positive", "no"]
    shell = run("cv", "gaussian-nb", path, *words, "-o", tmp_path / "out.csv")
    ours = select.cross_validate(
        craton.GaussianNB(), X, y, scoring=["recall", "average_precision"], positive="no", return_predictions=True
    )
    check(ours, shell["best"])
    with open(tmp_path / "out.csv") as file:
        rows = list(csv.DictReader(file))
    kept = ours.predictions
    assert [int(row["row"]) for row in rows] == kept.rows.tolist()
    assert [int(row["fold"]) - 1 for row in rows] == kept.fold.tolist()
    assert [row["truth"] for row in rows] == y.tolist()
    assert [row["label"] for row in rows] == kept.labels.tolist()
    assert [[float(row["p_no"]), float(row["p_yes"])] for row in rows] == kept.proba.tolist()


def test_compare(grouped):
    path, X, y, _ = grouped
    words = ["--target", "kind", "--features", "a,b", "--metric", "log-loss,accuracy"]
    shell = run("compare", "gaussian-nb", "linear-discriminant", "gaussian-nb:var_smoothing=10", path, *words)
    models = [craton.GaussianNB(), craton.LinearDiscriminantAnalysis(), craton.GaussianNB(var_smoothing=10)]
    ours = select.compare(models, X, y, scoring=["log-loss", "accuracy"])
    for i, of_model in enumerate(shell["models"]):
        check(ours.results[i], of_model)
        for name, less in of_model["less_best"].items():
            assert ours.difference[name][i] == less["mean"]
            assert ours.difference_error[name][i] == less["error"]


def test_search():
    X, y = read("letters.csv")
    words = ["cv", "multinomial-nb", DATA / "letters.csv", "--target", "kind", "--metric", "log-loss"]
    for grid, given, draws in (
        (["alpha=0.1,1,10", "fit_prior=true,false"], {"alpha": [0.1, 1, 10], "fit_prior": [True, False]}, None),
        (["alpha=0.01..10:log"], {"alpha": "0.01..10:log"}, 4),
    ):
        typed = [word for axis in grid for word in ("--grid", axis)]
        shell = run(*words, *typed, *([] if draws is None else ["--random", str(draws), "--seed", "5"]))
        ours = select.search(
            craton.MultinomialNB(),
            X,
            y,
            given,
            n_iter=draws,
            random_state=5,
            scoring="log-loss",
            cv=select.StratifiedKFold(5, random_state=0 if draws is None else 5),
        )
        assert len(ours.results) == len(shell["candidates"])
        for result, candidate in zip(ours.results, shell["candidates"]):
            check(result, candidate)
        assert ours.best_params == shell["best"]["options"]


SWEEPS = {
    "gmm": (
        "islands.csv",
        ["--n-components", "1..5", "--covariance-type", "full,diag"],
        lambda X: select.sweep(
            craton.GaussianMixture(), X, n_components=range(1, 6), covariance_type=["full", "diag"]
        ),
    ),
    "gmm by ICL, with a seed and starts": (
        "islands.csv",
        ["--n-components", "2,4", "--criterion", "icl", "--seed", "3", "--n-init", "2"],
        lambda X: select.sweep(
            craton.GaussianMixture(random_state=3), X, n_components=[4, 2], criterion="icl", n_init=2
        ),
    ),
    "gmm on held-out rows": (
        "islands.csv",
        ["--n-components", "3..4", "--criterion", "held-out"],
        lambda X: select.sweep(craton.GaussianMixture(), X, n_components="3..4", criterion="held_out"),
    ),
    "kmeans": (
        "islands.csv",
        ["--n-clusters", "2..6"],
        lambda X: select.sweep(craton.KMeans(), X, n_clusters=range(2, 7)),
    ),
    "kmeans by the gap": (
        "islands.csv",
        ["--n-clusters", "1..5", "--criterion", "gap"],
        lambda X: select.sweep(craton.KMeans(), X, n_clusters=range(1, 6), criterion="gap"),
    ),
}


def check_sweep(ours, shell):
    """A Sweep, and what the command printed."""
    assert ours.criterion == shell["criterion"]
    for name in shell["candidates"][0]:
        figures = [candidate[name] for candidate in shell["candidates"]]
        if figures[0] is None or isinstance(figures[0], float):
            np.testing.assert_array_equal(ours.table[name], np.array(figures, dtype=float))
        else:
            assert ours.table[name].tolist() == figures
    assert ours.best_estimator.digest_ == shell["best"]["digest"]
    assert ours.why.partition(";")[0] == shell["why"].partition(";")[0]
    for name, value in ours.best_params.items():
        assert shell["best"]["options"][name] == value


@pytest.mark.parametrize("name", SWEEPS)
def test_sweep(name):
    file, words, of = SWEEPS[name]
    X = np.genfromtxt(DATA / file, delimiter=",", skip_header=1)
    check_sweep(of(X), run("select", name.split()[0], DATA / file, *words))


def test_sweep_of_classes_and_weights(tmp_path, grouped):
    path, X, y, groups = grouped
    words = ["--target", "kind", "--weights", "who", "--covariance-type", "full,diag"]
    shell = run("select", "quadratic-discriminant", path, *words)
    ours = select.sweep(
        craton.QuadraticDiscriminantAnalysis(),
        X,
        y,
        sample_weight=groups,
        covariance_type=["full", "diag"],
    )
    check_sweep(ours, shell)
    assert "cross_validate measures their labels" in ours.why
    assert ours.best_estimator.predict(X).tolist() == (
        craton.QuadraticDiscriminantAnalysis(**ours.best_params)
        .fit(X, y, sample_weight=groups)
        .predict(X)
        .tolist()
    )
