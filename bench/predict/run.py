"""A single row: what a service asks of a model for every request.

    make bench-predict                            from C++, and from Python beside scikit-learn
    .venv/bin/python bench/predict/run.py --help

From C++ it is the CPU time of a call on one row, and the allocations of it, which are to be none.
From Python it is the CPU time of a call with an array of one row of doubles, craton's and
scikit-learn's class of the same name in turns, fitted on the same rows. A round times both; a ratio
divides two times of the same round; printed are the median, the least and the greatest. Before,
every answer for a row by itself must be the one for that row in a table. The goal is a ratio of 10.

The figures go to bench/results/predict.json and predict.md (--output FOLDER).
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import sklearn
from sklearn import cluster, discriminant_analysis, mixture, naive_bayes

import craton

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bench/bench_predict"
GOAL = 10

# Module of scikit-learn, class, options, calls.
CASES = [
    (cluster, "KMeans", dict(n_clusters=8, n_init=1), ["predict"]),
    (cluster, "MiniBatchKMeans", dict(n_clusters=8, n_init=1), ["predict"]),
    (mixture, "GaussianMixture", dict(n_components=4),
     ["predict", "predict_proba", "score_samples"]),
    (naive_bayes, "GaussianNB", {}, ["predict", "predict_proba"]),
    (naive_bayes, "MultinomialNB", {}, ["predict", "predict_proba"]),
    (naive_bayes, "BernoulliNB", {}, ["predict"]),
    (naive_bayes, "ComplementNB", {}, ["predict"]),
    (discriminant_analysis, "LinearDiscriminantAnalysis", {}, ["predict", "predict_proba"]),
    (discriminant_analysis, "QuadraticDiscriminantAnalysis", {}, ["predict", "predict_proba"]),
]


def rows(columns=16):
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 4, size=1000)
    return np.round(8 + 2 * labels[:, None] + generator.normal(size=(1000, columns)), 3), labels


def seconds(call, row, times):
    start = time.process_time()
    for _ in range(times):
        call(row)
    return (time.process_time() - start) / times


def check(call, x, name):
    """A row by itself has the answer that it has in a table."""
    answers = call(x[:50])
    for i in range(50):
        alone = call(x[i : i + 1])[0]
        assert np.allclose(alone, answers[i], rtol=1e-9) if alone.dtype.kind == "f" else (
            alone == answers[i]), name


def compare(module, name, options, call, rounds, times):
    x, y = rows()
    both = {}
    for who, owner in (("craton", craton), ("sklearn", module)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = getattr(owner, name)(**options, **seed(name)).fit(x, y)
        both[who] = getattr(fitted, call)
        check(both[who], x, f"{who} {name}.{call}")
    row, runs = np.ascontiguousarray(x[:1]), {"craton": [], "sklearn": []}
    for who in both:
        seconds(both[who], row, 20)
    for _ in range(rounds):
        runs["craton"].append(seconds(both["craton"], row, 10 * times))
        runs["sklearn"].append(seconds(both["sklearn"], row, times))
    ratios = [s / c for s, c in zip(runs["sklearn"], runs["craton"])]
    return dict(model=name, call=call,
                craton_us=1e6 * statistics.median(runs["craton"]),
                sklearn_us=1e6 * statistics.median(runs["sklearn"]),
                ratio=statistics.median(ratios), least=min(ratios), greatest=max(ratios))


def seed(name):
    return {"random_state": 0} if "K" in name or "Mixture" in name else {}


def conditions():
    cpu = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line]
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT,
                            capture_output=True, text=True).stdout.strip()
    now = datetime.datetime.now(datetime.timezone.utc)
    return dict(date=now.isoformat(timespec="seconds"), cpu=cpu[0] if cpu else "?", cores=os.cpu_count(),
                load=round(os.getloadavg()[0], 1), commit=commit or "?", python=sys.version.split()[0],
                numpy=np.__version__, sklearn=sklearn.__version__, craton=craton.__version__)


def report(result):
    c = result["conditions"]
    lines = [
        "# A single row: craton in C++, and in Python beside scikit-learn",
        "",
        f"{c['date']}, {c['cpu']}, {c['cores']} cores, load {c['load']} at the start, commit {c['commit']}.",
        f"Python {c['python']}, NumPy {c['numpy']}, scikit-learn {c['sklearn']}, craton {c['craton']}.",
        "Written by bench/predict/run.py, which says how it is measured.",
        "",
        "## From C++",
        "",
        "| model | columns | classes | call | CPU ns a row | allocations a row |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for r in result["cpp"]:
        lines.append(f"| {r['model']} | {r['columns']} | {r['classes']} | {r['call']} | {r['ns']:.0f}"
                     f" | {r['allocations']:g} |")
    lines += [
        "",
        "## From Python, 16 columns",
        "",
        "| model | call | scikit-learn µs | craton µs | scikit-learn / craton | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for r in result["python"]:
        lines.append(f"| {r['model']} | {r['call']} | {r['sklearn_us']:.1f} | {r['craton_us']:.2f} |"
                     f" {r['ratio']:.1f}× ({r['least']:.1f} to {r['greatest']:.1f}) |"
                     f" {'faster' if r['ratio'] >= GOAL else 'MISSED'} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=200, help="of scikit-learn in a round")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results")
    options = parser.parse_args()
    result = dict(conditions=conditions(), rounds=options.rounds)
    printed = subprocess.run([PROGRAM, str(options.rounds)], check=True, capture_output=True, text=True)
    result["cpp"] = [json.loads(line) for line in printed.stdout.splitlines()]
    result["python"] = [compare(*case[:3], call, options.rounds, options.calls)
                        for case in CASES for call in case[3]]
    options.output.mkdir(exist_ok=True)
    (options.output / "predict.json").write_text(json.dumps(result, indent=1) + "\n")
    (options.output / "predict.md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
