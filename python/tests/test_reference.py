"""The same numbers as scikit-learn, from the same starts."""

import warnings

import craton
import numpy as np
import pytest
import scipy.sparse
import sklearn.cluster
import sklearn.metrics
import sklearn.mixture
from sklearn.datasets import load_digits, load_iris, make_blobs

ITERATIONS = 20
CLOSE = dict(rtol=1e-9, atol=0)


def blobs(rows=100_000):
    return make_blobs(rows, n_features=16, centers=8, cluster_std=4, random_state=5)[0]


TABLES = {
    "iris": (lambda: load_iris().data, 3),
    "digits": (lambda: load_digits().data, 10),
    "blobs": (blobs, 8),
    "fewer blobs": (lambda: blobs(10_000), 8),
}
LARGE = pytest.param("blobs", marks=pytest.mark.slow)  # scikit-learn takes a minute and a half


@pytest.fixture(scope="module", params=TABLES)
def table(request):
    make, k = TABLES[request.param]
    X = make()
    return request.param, X, X[np.random.RandomState(3).choice(len(X), k, replace=False)]


FORMS = {
    "double": np.asarray,
    "float": lambda X: X.astype(np.float32),
    "sparse double": scipy.sparse.csr_array,
    "sparse float": lambda X: scipy.sparse.csr_matrix(X.astype(np.float32)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tol", [0, 1e-4])
def test_kmeans_has_the_same_labels_and_inertia(table, tol, form):
    """Ours of any form, theirs of the same values in double."""
    _, X, start = table
    given = FORMS[form](X)
    X = (given.toarray() if scipy.sparse.issparse(given) else given).astype(np.float64)
    options = dict(n_clusters=len(start), init=start, tol=tol, n_init=1)
    theirs = sklearn.cluster.KMeans(**options).fit(X)
    ours = craton.KMeans(**options).fit(given)
    assert ours.report_.converged
    assert (ours.labels_ == theirs.labels_).all()
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, **CLOSE)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.transform(X[:100]), theirs.transform(X[:100]), rtol=1e-9)
    np.testing.assert_allclose(ours.score(given), theirs.score(X), **CLOSE)
    assert (ours.predict(given) == theirs.labels_).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kmeans_finds_what_expanded_squares_lose(dtype):
    """Two groups at +-3000, each of two groups 1 apart."""
    random = np.random.RandomState(0)
    group = np.arange(4000) % 4
    X = np.where(group < 2, 3000, -3000)[:, None] + np.where(group % 2, 0.5, -0.5)[:, None]
    X = (X + 0.1 * random.randn(4000, 2)).astype(dtype)
    model = craton.KMeans(4).fit(X)
    assert sklearn.metrics.adjusted_rand_score(group, model.labels_) == 1
    assert model.n_iter_ <= 3
    in_double = craton.KMeans(4).fit(X.astype(np.float64))
    assert (model.labels_ == in_double.labels_).all()
    assert model.digest_ == in_double.digest_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kmeans_inertia_keeps_its_digits(dtype):
    """The sum of squares of data with an offset, as differences give it in double."""
    X = (np.random.RandomState(1).randn(3000, 3) * 1e-3 + 1e3).astype(dtype)
    model = craton.KMeans(3).fit(X)
    differences = X.astype(np.float64) - model.cluster_centers_[model.labels_]
    np.testing.assert_allclose(model.inertia_, (differences**2).sum(), rtol=1e-12)


def test_kmeans_ends_on_fewer_distinct_rows_than_clusters():
    """scikit-learn relocates empty clusters without end in such tables (its issue 28055)."""
    X = np.repeat([[0.0, 0], [1, 0], [5, 5]], 7, axis=0)
    with pytest.warns(craton.FitWarning, match="have no rows"):
        model = craton.KMeans(6, max_iter=1000).fit(X)
    assert model.report_.converged
    assert model.inertia_ == 0
    assert (model.predict(X) == model.labels_).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kmeans_labels_and_centres_belong_together(dtype):
    """Even after an empty cluster moved (scikit-learn's issue 34074)."""
    X = np.random.RandomState(2).randn(500, 2).astype(dtype)
    start = np.array([[0, 0], [1, 1], [100, 100], [-100, 100]], dtype=np.float64)
    model = craton.KMeans(4, init=start).fit(X)
    assert len(set(model.labels_)) == 4
    assert (model.predict(X) == model.labels_).all()
    means = [X[model.labels_ == c].mean(axis=0, dtype=np.float64) for c in range(4)]
    np.testing.assert_allclose(model.cluster_centers_, means, rtol=1e-9, atol=1e-9)


def test_kmeans_is_the_same_with_and_without_bounds(table):
    _, X, start = table
    for rows in (X, X.astype(np.float32), scipy.sparse.csr_array(X)):
        digests = {
            craton.KMeans(len(start), init=start, tol=0, algorithm=algorithm).fit(rows).digest_
            for algorithm in ("auto", "lloyd", "hamerly")
        }
        assert len(digests) == 1


TYPES = ["full", "tied", "diag", "spherical"]


def mixtures(X, start, covariance_type, reg_covar, max_iter):
    """Ours and theirs from the same weights, means and precisions."""
    k, d = start.shape
    precision = 1 / X.var(axis=0, dtype=np.float64)
    precisions = {
        "full": np.tile(np.diag(precision), (k, 1, 1)),
        "tied": np.diag(precision),
        "diag": np.tile(precision, (k, 1)),
        "spherical": np.full(k, precision.mean()),
    }[covariance_type]
    options = dict(
        n_components=k,
        covariance_type=covariance_type,
        tol=0,
        reg_covar=reg_covar,
        max_iter=max_iter,
        weights_init=(np.arange(1, k + 1) / (k * (k + 1) / 2)).astype(X.dtype),
        means_init=start,
        precisions_init=precisions.astype(X.dtype),
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=sklearn.exceptions.ConvergenceWarning)
        warnings.filterwarnings("ignore", category=craton.FitWarning)
        theirs = sklearn.mixture.GaussianMixture(**options).fit(X)
        ours = craton.GaussianMixture(covariance_floor=0, **options).fit(X)
    return ours, theirs


@pytest.mark.parametrize("reg_covar", [0, 1e-6])
@pytest.mark.parametrize("covariance_type", TYPES)
@pytest.mark.parametrize("table", ["iris", "fewer blobs", LARGE], indirect=True)
def test_mixtures_have_the_same_likelihood_after_each_iteration(table, covariance_type, reg_covar):
    _, X, start = table
    ours, theirs = mixtures(X, start, covariance_type, reg_covar, ITERATIONS)
    assert len(theirs.lower_bounds_) == ITERATIONS
    np.testing.assert_allclose(ours.report_.trace[:ITERATIONS], theirs.lower_bounds_, **CLOSE)
    for name in ("weights_", "means_", "covariances_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-9)


# scikit-learn computes in float where the data are; we do not, so this is about its rounding.
@pytest.mark.parametrize("covariance_type", TYPES)
def test_mixtures_of_float_data_are_near(covariance_type):
    X = (load_iris().data - load_iris().data.mean(axis=0)).astype(np.float32)
    ours, theirs = mixtures(X, X[[0, 60, 120]], covariance_type, 1e-6, ITERATIONS)
    np.testing.assert_allclose(ours.report_.trace[:ITERATIONS], theirs.lower_bounds_, rtol=2e-4)
    again, _ = mixtures(X.astype(np.float64), X[[0, 60, 120]], covariance_type, 1e-6, ITERATIONS)
    np.testing.assert_allclose(ours.report_.trace, again.report_.trace, rtol=1e-6)


@pytest.mark.parametrize("covariance_type", TYPES)
def test_mixtures_answer_the_same(covariance_type):
    X = load_iris().data
    ours, theirs = mixtures(X, X[[0, 60, 120]], covariance_type, 1e-6, ITERATIONS)
    new = X + 0.1
    assert (ours.predict(new) == theirs.predict(new)).all()
    for method in ("predict_proba", "score_samples", "score", "aic", "bic"):
        expected = getattr(theirs, method)(new)
        np.testing.assert_allclose(getattr(ours, method)(new), expected, rtol=1e-8, atol=1e-12)
    for name in ("precisions_", "precisions_cholesky_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-8)
    assert ours.n_iter_ == theirs.n_iter_


# ICL by its definition, from scikit-learn's own posteriors.
def test_icl_is_bic_and_twice_the_entropy():
    X = load_iris().data
    ours, theirs = mixtures(X, X[[0, 60, 120]], "full", 1e-6, ITERATIONS)
    p = theirs.predict_proba(X)
    entropy = -(p * np.log(np.maximum(p, 1e-300))).sum()
    np.testing.assert_allclose(ours.icl(X), theirs.bic(X) + 2 * entropy, rtol=1e-7)
    steps = ours.report_.half_steps
    assert steps.shape == (2 * ITERATIONS + 1, 2)
    np.testing.assert_allclose(steps[::2].sum(axis=1), ours.report_.trace, rtol=1e-12)
    np.testing.assert_allclose(steps[-1, 1] * len(X), entropy, rtol=1e-6)


# Adding a constant loses scikit-learn digits or raises; halves of 1/64 survive it here.
@pytest.mark.parametrize("covariance_type", TYPES)
@pytest.mark.parametrize("offset", [1e7, 1e8])
def test_an_offset_costs_no_digits(covariance_type, offset):
    X = np.round(load_iris().data * 64) / 64
    start = X[[0, 60, 120]]
    options = dict(n_components=3, covariance_type=covariance_type, max_iter=5, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near = craton.GaussianMixture(means_init=start, **options).fit(X)
        far = craton.GaussianMixture(means_init=start + offset, **options).fit(X + offset)
    np.testing.assert_allclose(far.report_.trace, near.report_.trace, rtol=1e-6)


@pytest.mark.parametrize("covariance_type", TYPES)
def test_samples_have_the_moments_of_the_model(covariance_type):
    X = load_iris().data
    model = craton.GaussianMixture(n_components=3, covariance_type=covariance_type).fit(X)
    n = 200_000
    drawn, component = model.sample(n, random_state=1)
    for c in range(3):
        rows = drawn[component == c]
        covariance = model.covariances_ if covariance_type == "tied" else model.covariances_[c]
        if covariance_type == "spherical":
            covariance = np.full(4, covariance)
        covariance = np.diag(covariance) if covariance.ndim == 1 else covariance
        deviation = np.sqrt(np.diag(covariance))
        weight = model.weights_[c]
        # Five standard errors of each moment.
        assert abs(len(rows) / n - weight) < 5 * np.sqrt(weight * (1 - weight) / n)
        error = 5 / np.sqrt(len(rows))
        assert (abs(rows.mean(axis=0) - model.means_[c]) < error * deviation).all()
        limit = error * np.sqrt(2) * np.outer(deviation, deviation)
        assert (abs(np.cov(rows.T) - covariance) < limit).all()
