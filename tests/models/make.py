#!/usr/bin/env python3
"""Adds model files of this version to tests/models/VERSION, with what they must answer.

    PYTHONPATH=build/release/python .venv/bin/python tests/models/make.py

Run when there is a new model, or a variant of one below, and commit what it adds. A file that is
there is never written again: that it loads for ever, with the same digest and the same answers, is
what it is for. Models that no line names get a file of their defaults.
"""
import json
import pathlib

import numpy

from craton import _craton

FOLDER = pathlib.Path(__file__).parent / _craton.version()

# name: model, options, names of the columns
MODELS = {
    "kmeans": ("kmeans", {"n_clusters": 3}, ["a", "b"]),
    "kmeans-one-column": ("kmeans", {"n_clusters": 2, "n_init": 3, "random_state": 7}, ["x"]),
    "kmeans-many-columns": ("kmeans", {"n_clusters": 2, "init": "random"}, None),
    "kmeans-given-start": ("kmeans", {"n_clusters": 2, "init": numpy.array([[0.0, 1], [5, 5]])}, ["a", "b"]),
    "kmeans-odd-names": ("kmeans", {"n_clusters": 2}, ["Größe, cm", "名前 \"q\"\\\t", ""]),
    "kmeans-cosine": ("kmeans", {"n_clusters": 2, "metric": "cosine"}, ["a", "b"]),
    "minibatch-kmeans": ("minibatch-kmeans", {"n_clusters": 3, "batch_size": 8}, ["a", "b"]),
    "gmm-full": ("gmm", {"n_components": 2}, ["a", "b"]),
    "gmm-diag": ("gmm", {"n_components": 3, "covariance_type": "diag", "tol": 1e-6}, ["a", "b"]),
    "gmm-one-column": ("gmm", {"n_components": 2, "reg_covar": 0.25}, ["x"]),
    "gmm-odd-names": ("gmm", {"n_components": 1, "max_iter": 0}, ["Größe, cm", "名前 \"q\"\\\t", ""]),
    "gmm-many-columns": ("gmm", {"n_components": 1}, None),
    "gmm-given-start": ("gmm", {"n_components": 2, "means_init": numpy.array([[0.0, 1], [5, 5]]),
                                "weights_init": numpy.array([0.25, 0.75])}, ["a", "b"]),
    "mixture": ("mixture", {"n_components": 2}, ["a", "b"]),
    "density": ("density", {}, ["a", "b"]),
    "density-laplace": ("density", {"family": "laplace"}, ["x"]),
    "generative-gmm": ("generative", {"density": "gmm", "settings": "n_components=2"}, ["a", "b"]),
    "generative-mixture": ("generative", {"settings": "family=gaussian"}, ["x"]),
    "generative-scaled": ("generative", {"density": "density", "settings": "family=gaussian",
                                         "scale": "standard"}, ["a", "b"]),
    "linear": ("linear", {}, ["a", "b"]),
    "linear-scaled": ("linear", {"fit_intercept": False, "scale": "max_abs"}, ["x"]),
    "kde-tophat": ("kde", {"kernel": "tophat", "bandwidth": 2.0}, ["x"]),
    "kde-matrix": ("kde", {"bandwidth_matrix": "covariance", "effective_n": "kish"}, ["a", "b"]),
    "kde-adaptive": ("kde", {"adaptive": True}, ["a", "b"]),
    "kde-support": ("kde", {"support": "a=-16.., b=-16..16 periodic"}, ["a", "b"]),
    "kde-linear": ("kde", {"support": "x=-16.. linear"}, ["x"]),
    "density-kde": ("density", {"family": "kde"}, ["a", "b"]),
    "kernel-regression-line": ("kernel-regression", {"degree": 1, "bandwidth": 1.5}, ["a", "b"]),
    "logistic-firth": ("logistic", {"penalty": "firth"}, ["a", "b"]),
    "ridge-robust": ("ridge", {"alpha": 0.5, "errors": "hc3"}, ["a", "b"]),
}


def rows(count, columns, seed):
    """Two overlapping groups; multiples of 1/64, which JSON and doubles hold exactly."""
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(count, columns)) + 4.0 * random.integers(0, 2, size=(count, 1))
    return numpy.round(x * 64) / 64


def answers(model, x):
    """What the model says of each row, by the name of the ability."""
    able = next(m["abilities"] for m in _craton.models() if m["name"] == model.name)
    result = {}
    if able["predict"]:
        labels = numpy.empty(len(x), numpy.int32)
        model.predict(x, labels, 1)
        result["predict"] = labels.tolist()
    for ability, columns in (("predict_log_proba", model.classes), ("score_samples", 1),
                             ("predict_numbers", 1), ("transform", model.outputs)):
        if able[ability]:
            out = numpy.empty((len(x), columns))
            getattr(model, ability)(x, out, 1)
            result[ability] = out.ravel().tolist()
    return result


def main():
    FOLDER.mkdir(exist_ok=True)
    file = FOLDER / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    there = {entry["file"] for entry in manifest}
    named = {kind for kind, *_ in MODELS.values()}
    others = {m["name"]: (m["name"], {}, ["a", "b"]) for m in _craton.models() if m["name"] not in named}
    for seed, (name, (kind, options, names)) in enumerate((MODELS | others).items()):
        if f"{name}.craton" in there:
            continue
        columns = len(names) if names else 24
        x = rows(40, columns, seed)
        if name in others:
            x = numpy.round(x) + 12  # whole and positive: counts and words, too
        weights = rows(40, 1, seed + 100).ravel() ** 2 if "odd" in name else None
        labels, numbers = [None, None], None
        able = next(m["abilities"] for m in _craton.models() if m["name"] == kind)
        if able["numbers"]:
            labels, numbers = [None, ("number", True, [])], rows(40, 1, seed + 300).ravel()
        if able["labels"]:
            labels = [numpy.arange(40, dtype=numpy.int32) % 3, ("group", False, ["p", "q", "Größe"])]
        model = _craton.fit(kind, x, options, weights, names, 1, None, None, *labels,
                            None, numbers)
        model.save(str(FOLDER / f"{name}.craton"))
        x = x[3:37:11]  # of the rows fitted: no density is 0 there
        manifest.append({"file": f"{name}.craton", "model": kind, "digest": model.digest(),
                         "columns": model.names, "rows": x.tolist(), "answers": answers(model, x)})
    text = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in manifest)
    file.write_text(f"[\n{text}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
