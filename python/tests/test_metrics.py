"""Every metric equals scikit-learn's, on 200 random tables each and on the edges."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.calibration
import sklearn.metrics
from scipy.spatial.distance import cdist

import craton
from craton import metrics

CASES = 200
CLOSE = dict(rtol=1e-12, atol=1e-12)
theirs = lambda name: getattr(sklearn.metrics, name, None) or getattr(sklearn.calibration, name)  # noqa: E731


def names_of(rng, labels):
    """The labels as they are, or as text, other numbers, flags or floats."""
    kind = rng.integers(5)
    if kind == 1:
        return np.array(["c", "a", "ü", "bb", "d", "e", "f"])[labels]
    if kind == 2:
        return np.array(["c", "a", "b", "x", "y", "z", "w"], dtype=object)[labels]
    if kind == 3:
        return labels * 10 - 20
    if kind == 4:
        return labels.astype(float)
    return labels


def label_pairs(rng):
    """Truth and predictions: perfect ones, one class, classes that only one side has."""
    n, k = rng.integers(1, 60), rng.integers(1, 7)
    truth = rng.integers(k, size=n)
    predicted = np.where(rng.random(n) < rng.random(), truth, rng.integers(k, size=n))
    kind = rng.integers(8)
    if kind == 0:
        predicted = truth
    elif kind == 1:
        predicted = np.minimum(predicted + 1, 6)
    elif kind == 2:
        truth = np.full(n, truth[0])
    elif kind == 3:
        predicted = np.full(n, predicted[0])
    both = names_of(rng, np.concatenate([truth, predicted]))
    return both[:n], both[n:]


def weights_or_none(rng, n):
    """None, whole numbers with zeros among them, or any."""
    kind = rng.integers(3)
    if kind == 0:
        return None
    weights = rng.integers(0, 4, n) if kind == 1 else rng.random(n)
    weights[rng.integers(n)] = 1
    return weights


def same(ours, expected):
    if isinstance(expected, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(expected)
        for a, b in zip(ours, expected):
            same(a, b)
    elif expected is None:
        assert ours is None
    else:
        assert np.shape(ours) == np.shape(expected)
        np.testing.assert_allclose(ours, expected, **CLOSE)


def compare(name, *args, **kwargs):
    """The same numbers, or both refuse with a ValueError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = theirs(name)(*args, **kwargs)
        except ValueError:
            with pytest.raises(craton.InputError):
                getattr(metrics, name)(*args, **kwargs)
            return
        ours = getattr(metrics, name)(*args, **kwargs)
    same(ours, expected)
    if isinstance(expected, float):
        assert type(ours) is float


def every(name, seed):
    return np.random.default_rng([seed, *name.encode()])


# ---- labels


def whole_weights(rng, n):
    """For metrics that divide by what may be 0 but for rounding."""
    return None if rng.integers(2) else np.r_[rng.integers(0, 4, n - 1), 1]


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


# ---- clusters


AGREEMENT = [
    "rand_score",
    "adjusted_rand_score",
    "pair_confusion_matrix",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "adjusted_mutual_info_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
    "fowlkes_mallows_score",
]


@pytest.mark.parametrize("name", AGREEMENT)
def test_agreement_of_clusters(name):
    compared = 0
    for seed in range(2 * CASES):
        rng = every(name, seed)
        truth, predicted = label_pairs(rng)
        options = {}
        if name.endswith("mutual_info_score") and name != "mutual_info_score":
            options["average_method"] = ["min", "max", "geometric", "arithmetic"][rng.integers(4)]
        if "v_measure" in name:
            options["beta"] = float(rng.choice([0.5, 1.0, 3.0]))
        if ill_conditioned(name, truth, predicted):
            continue
        compare(name, truth, predicted, **options)
        compared += 1
    assert compared >= CASES


def ill_conditioned(name, truth, predicted):
    """AMI is 0 / 0 where chance alone explains all: there only rounding tells the two apart."""
    if name != "adjusted_mutual_info_score":
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

        table = contingency_matrix(truth, predicted, sparse=True)
        chance = expected_mutual_information(table, len(truth))
        most = [sklearn.metrics.mutual_info_score(y, y) for y in (truth, predicted)]
    return min(most) - chance < 1e-3 * max(most) or min(most) == 0 < max(most)


def test_labels_of_no_rows_and_of_many():
    for name in AGREEMENT:
        if name not in ("rand_score", "pair_confusion_matrix", "mutual_info_score"):
            compare(name, [], [])
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(700, size=100_000), rng.integers(3, size=100_000)
    for name in AGREEMENT:
        ours = getattr(metrics, name)(truth, predicted)
        np.testing.assert_allclose(ours, theirs(name)(truth, predicted), rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(
        metrics.contingency_matrix(truth, predicted),
        sklearn.metrics.cluster.contingency_matrix(truth, predicted),
    )


def clusters(rng, whole=False):
    n, d, k = rng.integers(4, 60), rng.integers(1, 6), rng.integers(2, 5)
    labels = np.r_[0, 0, 1, rng.integers(k, size=n - 3)]
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(k, d))[labels]
    if whole:
        X = np.round(X)
    return X, names_of(rng, labels)


def test_silhouettes():
    for seed in range(CASES):
        rng = every("silhouette", seed)
        X, labels = clusters(rng, whole=True)  # scikit-learn's distances are exact then
        compare("silhouette_samples", X, labels)
        compare("silhouette_score", X, labels)
        X, labels = clusters(rng)
        expected = sklearn.metrics.silhouette_samples(cdist(X, X), labels, metric="precomputed")
        same(metrics.silhouette_samples(X, labels), expected)
        same(metrics.silhouette_samples(X, labels, n_jobs=1), metrics.silhouette_samples(X, labels))
    sample = dict(sample_size=20, random_state=3)
    same(metrics.silhouette_score(X, labels, **sample), sklearn.metrics.silhouette_score(X, labels, **sample))


def test_silhouettes_of_sparse_rows_and_single_precision():
    rng = np.random.default_rng(1)
    X = rng.poisson(0.5, size=(3000, 7)).astype(float)
    labels = rng.integers(5, size=3000)
    dense = metrics.silhouette_samples(X, labels)
    same(metrics.silhouette_samples(scipy.sparse.csr_array(X), labels), dense)
    same(metrics.silhouette_samples(X.astype(np.float32), labels), dense)
    same(dense, sklearn.metrics.silhouette_samples(X, labels))
    threads = [metrics.silhouette_samples(X, labels, n_jobs=n).tobytes() for n in (1, 2, 3, 7)]
    assert len(set(threads)) == 1


def test_simplified_silhouettes():
    for seed in range(CASES):
        X, labels = clusters(every("simplified", seed))
        names, codes = np.unique(labels, return_inverse=True)
        centres = np.array([X[codes == c].mean(axis=0) for c in range(len(names))])
        distances = cdist(X, centres)
        own = distances[np.arange(len(X)), codes]
        distances[np.arange(len(X)), codes] = np.inf
        other = distances.min(axis=1)
        expected = np.where(np.bincount(codes)[codes] > 1, (other - own) / np.maximum(own, other), 0)
        same(metrics.simplified_silhouette_samples(X, labels), expected)
        same(metrics.simplified_silhouette_score(X, labels), expected.mean())


@pytest.mark.parametrize("name", ["calinski_harabasz_score", "davies_bouldin_score"])
def test_clusters_without_truth(name, monkeypatch):
    X, labels = clusters(every(name, 0))
    plain = theirs(name)(X, labels)
    # Its distances come from |x|^2 - 2 x.y + |y|^2, which of a row from itself is not 0.
    of_pairs = lambda A, B=None: cdist(A, A if B is None else B)  # noqa: E731
    monkeypatch.setattr(sklearn.metrics.cluster._unsupervised, "pairwise_distances", of_pairs)
    np.testing.assert_allclose(plain, theirs(name)(X, labels), rtol=1e-6)
    for seed in range(CASES):
        compare(name, *clusters(every(name, seed), whole=seed % 2 == 0))
    X = np.repeat([[0.0, 1.0], [2.0, 2.0]], 5, axis=0)
    compare(name, X, np.repeat([0, 1], 5))  # no spread within
    compare(name, X + 1e6, np.tile([0, 1], 5))


# ---- what cannot be


@pytest.mark.parametrize(
    "call, code, text",
    [
        (lambda m: m.accuracy_score([0, 1], [0]), "bad-shape", "y_true 2, y_pred 1"),
        (lambda m: m.accuracy_score([], []), "no-rows", "no rows"),
        (lambda m: m.accuracy_score([0, 1], ["a", "b"]), "bad-target", "mix numbers and text"),
        (lambda m: m.accuracy_score([0.5, 1], [0, 1]), "bad-target", "continuous"),
        (lambda m: m.accuracy_score([[0, 1], [1, 1]], [0, 1]), "bad-shape", "one label for each row"),
        (lambda m: m.accuracy_score([0, 1], [0, 1], sample_weight=[-1, 1]), "bad-weight", "negative"),
        (lambda m: m.accuracy_score([0, 1], [0, 1], sample_weight=[0, 0]), "bad-weight", "nothing above 0"),
        (lambda m: m.f1_score([0, 1, 2], [0, 1, 2]), "bad-option", "average='micro'"),
        (lambda m: m.f1_score(["a", "b"], ["a", "b"]), "bad-target", r"Give one of \['a', 'b'\]"),
        (lambda m: m.f1_score([0, 1], [0, 1], average="mean"), "bad-option", "'weighted'"),
        (lambda m: m.log_loss([0, 0], [0.1, 0.2]), "bad-target", "only one label"),
        (lambda m: m.log_loss([0, 1], [0.1, 1.2]), "bad-option", "numbers from 0 to 1"),
        (lambda m: m.log_loss([0, 1, 2], [0.1, 0.2, 0.3]), "bad-shape", "there are 3 classes"),
        (lambda m: m.roc_auc_score([0, 1, 2], [0.1, 0.2, 0.3], multi_class="ovr"), "bad-shape", "a column for"),
        (lambda m: m.roc_auc_score([0, 1, 2], np.eye(3)), "bad-option", "Give 'ovr' or 'ovo'"),
        (lambda m: m.roc_auc_score([0, 1], [0.1, np.nan]), "not-finite", "NaN"),
        (lambda m: m.roc_curve(["a", "b"], [0.1, 0.2]), "bad-target", "Give pos_label"),
        (lambda m: m.mean_squared_error([1, 2], ["x", "y"]), "not-a-number", "no number"),
        (lambda m: m.silhouette_score(np.eye(3), [0, 0, 0]), "too-few-rows", "3 rows are in 1 cluster"),
        (lambda m: m.silhouette_score(np.eye(3), [0, 1, 2]), "too-few-rows", "in 3 clusters"),
        (lambda m: m.silhouette_score(np.eye(3), [0, 1, 1], metric="l1"), "bad-option", "'euclidean'"),
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
    import inspect

    own = {"simplified_silhouette_score", "simplified_silhouette_samples", "UndefinedMetricWarning"}
    extra = {"n_jobs"}
    for name in set(metrics.__all__) - own - {"contingency_matrix"}:
        ours = inspect.signature(getattr(metrics, name)).parameters
        known = inspect.signature(theirs(name)).parameters
        for parameter in set(ours) - extra:
            assert parameter in known, (name, parameter)
            assert ours[parameter].default == known[parameter].default or name == "log_loss"
