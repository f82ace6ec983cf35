"""Every metric equals scikit-learn's, on 200 random tables each and on the edges."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
import sklearn.exceptions
import sklearn.metrics
from metric_cases import CASES, compare, every, label_pairs, names_of, theirs, weights_or_none, whole_weights

import craton
from craton import metrics


# ---- labels


@pytest.mark.parametrize("name", ["accuracy_score", "balanced_accuracy_score", "matthews_corrcoef", "confusion_matrix"])
def test_metrics_of_labels(name):
    for seed in range(CASES):
        rng = every(name, seed)
        truth, predicted = label_pairs(rng)
        degenerate = len(np.unique(truth)) == 1 or len(np.unique(predicted)) == 1
        weigh = whole_weights if name == "matthews_corrcoef" and degenerate else weights_or_none
        options = dict(sample_weight=weigh(rng, len(truth)))
        if name == "accuracy_score":
            options["normalize"] = bool(rng.integers(2))
        if name == "balanced_accuracy_score" and len(np.unique(truth)) > 1:
            options["adjusted"] = bool(rng.integers(2))
        if name == "confusion_matrix":
            options["normalize"] = [None, "true", "pred", "all"][rng.integers(4)]
            if rng.integers(2):
                options["labels"] = rng.permutation(np.unique(truth))[: rng.integers(1, 4)]
        compare(name, truth, predicted, **options)


@pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score", "fbeta_score", "precision_recall_fscore_support"])
def test_precision_recall_and_f(name):
    for seed in range(CASES):
        rng = every(name, seed)
        truth, predicted = label_pairs(rng)
        options = dict(
            sample_weight=weights_or_none(rng, len(truth)),
            average=["binary", "macro", "micro", "weighted", None][rng.integers(5)],
            zero_division=[0, 1, np.nan, "warn"][rng.integers(4)],
        )
        if name in ("fbeta_score", "precision_recall_fscore_support"):
            options["beta"] = [0.5, 2.0, 0.0, np.inf][rng.integers(4)]
        if options["average"] == "binary":
            options["pos_label"] = np.unique(truth)[-1]
        elif rng.integers(2):
            options["labels"] = rng.permutation(np.unique(np.r_[truth, predicted]))[: rng.integers(1, 4)]
        compare(name, truth, predicted, **options)


# ---- probabilities and scores


def probabilities(rng, n, k, dtype=np.float64):
    """Rows that sum to one, some of them with zeros and ones, some tied."""
    p = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])), size=n)
    if rng.integers(3) == 0:
        p = np.round(p * 4) + 1e-300
        p /= p.sum(axis=1, keepdims=True)
    if rng.integers(3) == 0:
        p[rng.integers(n)] = np.eye(k)[rng.integers(k)]
    return p.astype(dtype)


def test_log_loss_and_brier():
    for name in ("log_loss", "brier_score_loss"):
        for seed in range(CASES):
            rng = every(name, seed)
            n, k = rng.integers(1, 50), rng.integers(2, 7)
            codes = rng.integers(k, size=n)
            labels = names_of(rng, np.concatenate([np.arange(k), codes]))
            options = dict(sample_weight=weights_or_none(rng, n), labels=labels[:k])
            if rng.integers(2):
                options["labels"] = None  # an error when a class has no rows
            if name == "log_loss":
                options["normalize"] = bool(rng.integers(2))
            else:
                options["scale_by_half"] = ["auto", True, False][rng.integers(3)]
            p = probabilities(rng, n, k)
            if k == 2 and rng.integers(2):
                p = p[:, 1]
                if name == "brier_score_loss":
                    options["pos_label"] = labels[rng.integers(2)]
            if options["labels"] is not None:
                order = np.argsort(options["labels"])
                options["labels"] = options["labels"][order]
            compare(name, labels[k:], p, **options)


def test_log_loss_of_single_precision_is_clipped_by_its_epsilon():
    p = np.array([[1, 0], [0, 1], [1, 0]], np.float32)
    ours = metrics.log_loss([0, 1, 1], p)
    np.testing.assert_allclose(ours, sklearn.metrics.log_loss([0, 1, 1], p), rtol=1e-6)
    np.testing.assert_allclose(ours, -np.log(np.finfo(np.float32).eps) / 3, rtol=1e-6)


def test_calibration_curve():
    for seed in range(CASES):
        rng = every("calibration_curve", seed)
        n = rng.integers(1, 80)
        p = np.round(rng.random(n), int(rng.integers(1, 4))) if rng.integers(2) else rng.random(n)
        truth = (rng.random(n) < p).astype(int)
        pos = 1
        if rng.integers(2):
            truth, pos = np.array(["no", "yes"])[truth], "yes"
        options = dict(n_bins=int(rng.integers(1, 9)), strategy=["uniform", "quantile"][rng.integers(2)])
        compare("calibration_curve", truth, p, pos_label=pos, **options)


def scores(rng, n):
    return rng.integers(0, 5, n).astype(float) if rng.integers(2) else rng.normal(size=n)


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve"])
def test_binary_rankings(name):
    for seed in range(CASES):
        rng = every(name, seed)
        n = rng.integers(1, 60)
        score, truth = scores(rng, n), rng.integers(2, size=n)
        if rng.integers(5) == 0:
            truth = (score > 0).astype(int)  # perfect, or one class only
        options = dict(sample_weight=weights_or_none(rng, n))
        if name == "roc_auc_score":
            truth = names_of(rng, truth)
            options["max_fpr"] = [None, 0.3, 1.0][rng.integers(3)]
        else:
            truth = truth if rng.integers(2) else np.array(["no", "yes"])[truth]
            options["pos_label"] = 1 if truth.dtype.kind == "i" else "yes"
        if name.endswith("curve"):
            options["drop_intermediate"] = bool(rng.integers(2)) and options["sample_weight"] is None
        if name == "roc_auc_score" and options["sample_weight"] is not None:
            kept = options["sample_weight"] > 0  # its curve is of those; one class of them is NaN
            if len(np.unique(truth[kept])) < 2 <= len(np.unique(truth)):
                continue
        compare(name, truth, score, **options)


def test_rankings_of_many_classes():
    for seed in range(CASES):
        rng = every("ovr", seed)
        k = rng.integers(3, 6)
        truth = np.concatenate([np.arange(k), rng.integers(k, size=rng.integers(1, 40))])
        p = probabilities(rng, len(truth), k)
        labels = names_of(rng, truth)
        weights = weights_or_none(rng, len(truth))
        if weights is not None:
            weights = weights + 0.5
        average = ["macro", "weighted", "micro", None][rng.integers(4)]
        compare("roc_auc_score", labels, p, multi_class="ovr", average=average, sample_weight=weights)
        pairs = ["macro", "weighted"][rng.integers(2)]
        compare("roc_auc_score", labels, p, multi_class="ovo", average=pairs)
        compare("average_precision_score", labels, p, average=average, sample_weight=weights)


def test_classes_without_rows_are_named_by_labels():
    p = probabilities(np.random.default_rng(0), 6, 4)
    truth = [0, 1, 2, 0, 1, 2]
    for options in (dict(multi_class="ovo"), dict(multi_class="ovr", average="weighted"), dict(multi_class="ovr")):
        compare("roc_auc_score", truth, p, labels=[0, 1, 2, 3], **options)
    compare("roc_auc_score", truth, p, multi_class="ovr")  # refused


# ---- numbers


@pytest.mark.parametrize(
    "name", ["mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "median_absolute_error", "mean_pinball_loss", "r2_score"]
)
def test_metrics_of_numbers(name):
    for seed in range(CASES):
        rng = every(name, seed)
        n, outputs = rng.integers(1, 60), rng.integers(1, 4)
        shape = (n, outputs) if outputs > 1 else n
        truth = rng.integers(0, 4, shape).astype(float) if rng.integers(2) else rng.normal(size=shape) * 100
        predicted = truth + rng.integers(-1, 2, shape) * rng.choice([0, 1, 0.5])
        constant = rng.integers(4) == 0
        if constant:
            truth = np.full(shape, 2.0)
        options = dict(sample_weight=(whole_weights if constant else weights_or_none)(rng, n))
        options["multioutput"] = ["uniform_average", "raw_values", rng.random(outputs)][rng.integers(3)]
        if outputs == 1:
            options["multioutput"] = "uniform_average"
        if name == "mean_pinball_loss":
            options["alpha"] = rng.choice([0.1, 0.5, 0.9])
        if name == "r2_score":
            options["force_finite"] = bool(rng.integers(2))
            options["multioutput"] = ["uniform_average", "raw_values", "variance_weighted"][rng.integers(3)]
        compare(name, truth, predicted, **options)


# ---- what cannot be


@pytest.mark.parametrize(
    "call, code, text",
    [
        (lambda m: m.accuracy_score([0, 1], [0]), "bad-shape", "y_true, y_pred"),
        (lambda m: m.accuracy_score([], []), "no-rows", "no rows"),
        (lambda m: m.accuracy_score([0, 1], ["a", "b"]), "bad-target", "mix numbers and text"),
        (lambda m: m.accuracy_score([0.5, 1], [0, 1]), "bad-target", "continuous"),
        (lambda m: m.accuracy_score([[0, 1], [1, 1]], [0, 1]), "bad-target", "one label for each row"),
        (lambda m: m.accuracy_score([0, 1], [0, 1], sample_weight=[-1, 1]), "bad-weight", "negative"),
        (lambda m: m.accuracy_score([0, 1], [0, 1], sample_weight=[0, 0]), "bad-weight", "nothing above 0"),
        (lambda m: m.f1_score([0, 1, 2], [0, 1, 2]), "bad-option", "average='micro'"),
        (lambda m: m.f1_score(["a", "b"], ["a", "b"]), "bad-target", "should be one of"),
        (lambda m: m.f1_score([0, 1], [0, 1], average="mean"), "bad-option", "'weighted'"),
        (lambda m: m.log_loss([0, 0], [0.1, 0.2]), "bad-target", "only one label"),
        (lambda m: m.log_loss([0, 1], [0.1, 1.2]), "bad-option", "numbers from 0 to 1"),
        (lambda m: m.log_loss([0, 1, 2], [0.1, 0.2, 0.3]), "bad-shape", "there are 3 classes"),
        (lambda m: m.roc_auc_score([0, 1, 2], [0.1, 0.2, 0.3], multi_class="ovr"), "bad-shape", "a column for"),
        (lambda m: m.roc_auc_score([0, 1, 2], np.eye(3)), "bad-option", "Give 'ovr' or 'ovo'"),
        (lambda m: m.roc_auc_score([0, 1], [0.1, np.nan]), "not-finite", "NaN"),
        (lambda m: m.roc_curve(["a", "b"], [0.1, 0.2]), "bad-target", "pass pos_label"),
        (lambda m: m.mean_squared_error([1, 2], ["x", "y"]), "not-a-number", "no number"),
        (lambda m: m.silhouette_score(np.eye(3), [0, 0, 0]), "too-few-rows", "3 rows are in 1 cluster"),
        (lambda m: m.silhouette_score(np.eye(3), [0, 1, 2]), "too-few-rows", "in 3 clusters"),
        (lambda m: m.silhouette_score(np.eye(3), [0, 1, 1], metric="jaccard"), "bad-option", "'euclidean'"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, code, text):
    with pytest.raises(craton.InputError, match=text) as error:
        call(metrics)
    assert error.value.code == code


def test_undefined_metrics_warn_as_both_libraries_do():
    for kind in (metrics.UndefinedMetricWarning, sklearn.exceptions.UndefinedMetricWarning):
        with pytest.warns(kind, match="ill-defined"):
            metrics.precision_score([1, 0], [0, 0])
        with pytest.warns(kind, match="Only one class"):
            assert np.isnan(metrics.roc_auc_score([1, 1], [0.1, 0.2]))


def test_importing_the_metrics_needs_numpy_only():
    code = "import sys, craton.metrics as m; m.f1_score([1, 0], [1, 0]); print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    assert not loaded & {"sklearn", "scipy", "pandas", "joblib"}


def test_the_names_and_parameters_are_those_of_scikit_learn():
    own = {"simplified_silhouette_score", "simplified_silhouette_samples", "UndefinedMetricWarning"}
    extra = {"n_jobs"}
    for name in set(metrics.__all__) - own - {"contingency_matrix"}:
        ours = inspect.signature(getattr(metrics, name)).parameters
        known = inspect.signature(theirs(name)).parameters
        for parameter in set(ours) - extra:
            assert parameter in known, (name, parameter)
            assert ours[parameter].default == known[parameter].default or name == "log_loss"
