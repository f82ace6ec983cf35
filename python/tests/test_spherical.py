"""metric="cosine" against the plain NumPy of tests/reference/spherical_kmeans.py."""

import importlib.util
from pathlib import Path

import craton
import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_digits

FILE = Path(__file__).resolve().parents[2] / "tests/reference/spherical_kmeans.py"
SPEC = importlib.util.spec_from_file_location("spherical_kmeans", FILE)
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)


def mixed(rows):
    random = np.random.RandomState(4)
    X = random.randn(rows, 12) + 2 * np.eye(12)[random.randint(5, size=rows)]
    return X * np.exp(random.randn(rows, 1))


TABLES = {"digits": (lambda: load_digits().data, 10), "mixed": (lambda: mixed(5000), 6)}
FORMS = {
    "double": np.asarray,
    "float": lambda X: X.astype(np.float32),
    "sparse": scipy.sparse.csr_array,
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TABLES)
def test_the_same_centres_labels_and_objective(name, form, weighted):
    make, k = TABLES[name]
    given = FORMS[form](make())
    X = (given.toarray() if scipy.sparse.issparse(given) else given).astype(np.float64)
    start = X[np.random.RandomState(1).choice(len(X), k, replace=False)]
    weights = np.arange(len(X)) % 3 + 0.5 if weighted else None
    centres, labels, J, iterations = reference.spherical_kmeans(X, start, weights)
    options = dict(init=start, metric="cosine", tol=0)
    model = craton.KMeans(k, **options).fit(given, sample_weight=weights)
    assert model.report_.converged
    assert model.report_.iterations == iterations
    assert (model.labels_ == labels).all()
    np.testing.assert_allclose(model.inertia_, J, rtol=1e-11)
    np.testing.assert_allclose(model.cluster_centers_, centres, rtol=0, atol=1e-12)
    cosines = reference.unit(X[:50]) @ centres.T
    exact = 1e-12 if given.dtype == np.float64 else 1e-7
    np.testing.assert_allclose(model.transform(given[:50]), 1 - cosines, rtol=0, atol=exact)


@pytest.mark.filterwarnings("ignore:KMeans did not converge")
def test_every_step_is_that_of_the_reference():
    X = mixed(800)
    for steps in range(1, 6):
        centres, _, _, _ = reference.spherical_kmeans(X, X[:5], max_iter=steps)
        model = craton.KMeans(5, init=X[:5], metric="cosine", tol=0, max_iter=steps).fit(X)
        np.testing.assert_allclose(model.cluster_centers_, centres, rtol=0, atol=1e-13)


def test_a_row_of_zeros_is_refused_by_number():
    X = mixed(20)
    X[7] = 0
    with pytest.raises(ValueError, match="row 7.*zeros|zeros.*row 7") as error:
        craton.KMeans(2, metric="cosine").fit(X)
    assert error.value.code == "zero-row"
