"""Metrics of clusters equal scikit-learn's, on 200 random tables each and on the edges."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics
from metric_cases import CASES, compare, every, label_pairs, names_of, same, theirs
from scipy.spatial.distance import cdist

from craton import metrics

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
