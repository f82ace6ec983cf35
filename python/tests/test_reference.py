"""The same numbers as scikit-learn, from the same starts."""

import warnings

import craton
import numpy as np
import pytest
import sklearn.cluster
import sklearn.mixture
from sklearn.datasets import load_digits, load_iris, make_blobs

ITERATIONS = 20
CLOSE = dict(rtol=1e-9, atol=0)


def blobs():
    return make_blobs(100_000, n_features=16, centers=8, cluster_std=4, random_state=5)[0]


TABLES = {
    "iris": (lambda: load_iris().data, 3),
    "digits": (lambda: load_digits().data, 10),
    "blobs": (blobs, 8),
}


@pytest.fixture(scope="module", params=TABLES)
def table(request):
    make, k = TABLES[request.param]
    X = make()
    return request.param, X, X[np.random.RandomState(3).choice(len(X), k, replace=False)]


@pytest.mark.parametrize("tol", [0, 1e-4])
def test_kmeans_has_the_same_labels_and_inertia(table, tol):
    _, X, start = table
    options = dict(n_clusters=len(start), init=start, tol=tol, n_init=1)
    theirs = sklearn.cluster.KMeans(**options).fit(X)
    ours = craton.KMeans(**options).fit(X)
    assert ours.report_.converged
    assert (ours.labels_ == theirs.labels_).all()
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, **CLOSE)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.transform(X[:100]), theirs.transform(X[:100]), rtol=1e-9)
    np.testing.assert_allclose(ours.score(X), theirs.score(X), **CLOSE)


def mixtures(X, start, covariance_type, reg_covar, max_iter):
    """Ours and theirs from the same weights, means and precisions."""
    k, d = start.shape
    precision = 1 / X.var(axis=0)
    precisions = np.tile(precision, (k, 1))
    if covariance_type == "full":
        precisions = np.tile(np.diag(precision), (k, 1, 1))
    options = dict(
        n_components=k,
        covariance_type=covariance_type,
        tol=0,
        reg_covar=reg_covar,
        max_iter=max_iter,
        weights_init=np.arange(1, k + 1) / (k * (k + 1) / 2),
        means_init=start,
        precisions_init=precisions,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=sklearn.exceptions.ConvergenceWarning)
        warnings.filterwarnings("ignore", category=craton.FitWarning)
        theirs = sklearn.mixture.GaussianMixture(**options).fit(X)
        ours = craton.GaussianMixture(covariance_floor=0, **options).fit(X)
    return ours, theirs


@pytest.mark.parametrize("reg_covar", [0, 1e-6])
@pytest.mark.parametrize("covariance_type", ["full", "diag"])
@pytest.mark.parametrize("table", ["iris", "blobs"], indirect=True)
def test_mixtures_have_the_same_likelihood_after_each_iteration(table, covariance_type, reg_covar):
    _, X, start = table
    ours, theirs = mixtures(X, start, covariance_type, reg_covar, ITERATIONS)
    assert len(theirs.lower_bounds_) == ITERATIONS
    np.testing.assert_allclose(ours.report_.trace[:ITERATIONS], theirs.lower_bounds_, **CLOSE)
    for name in ("weights_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_mixtures_answer_the_same(covariance_type):
    X = load_iris().data
    ours, theirs = mixtures(X, X[[0, 60, 120]], covariance_type, 1e-6, ITERATIONS)
    new = X + 0.1
    assert (ours.predict(new) == theirs.predict(new)).all()
    for method in ("predict_proba", "score_samples", "score", "aic", "bic"):
        expected = getattr(theirs, method)(new)
        np.testing.assert_allclose(getattr(ours, method)(new), expected, rtol=1e-8, atol=1e-12)
    for name in ("precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-8)
    assert ours.n_iter_ == theirs.n_iter_


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_samples_have_the_moments_of_the_model(covariance_type):
    X = load_iris().data
    model = craton.GaussianMixture(n_components=3, covariance_type=covariance_type).fit(X)
    n = 200_000
    drawn, component = model.sample(n, random_state=1)
    for c in range(3):
        rows = drawn[component == c]
        covariance = model.covariances_[c]
        covariance = covariance if covariance_type == "full" else np.diag(covariance)
        deviation = np.sqrt(np.diag(covariance))
        weight = model.weights_[c]
        # Five standard errors of each moment.
        assert abs(len(rows) / n - weight) < 5 * np.sqrt(weight * (1 - weight) / n)
        error = 5 / np.sqrt(len(rows))
        assert (abs(rows.mean(axis=0) - model.means_[c]) < error * deviation).all()
        limit = error * np.sqrt(2) * np.outer(deviation, deviation)
        assert (abs(np.cov(rows.T) - covariance) < limit).all()
