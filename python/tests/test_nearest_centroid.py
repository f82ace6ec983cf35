"""NearestCentroid beside scikit-learn's."""

import craton
import numpy as np
import pytest
from sklearn import datasets, neighbors

TABLES = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_")  # columns of digits that are constant
@pytest.mark.parametrize("threshold", [None, 0.3, 2.0, 30.0])
@pytest.mark.parametrize("name", TABLES)
def test_centroids_and_labels_are_those_of_scikit_learn(name, threshold):
    X, y = TABLES[name](return_X_y=True)
    theirs = neighbors.NearestCentroid(shrink_threshold=threshold).fit(X, y)
    ours = craton.NearestCentroid(shrink_threshold=threshold or 0).fit(X, y)
    assert np.allclose(ours.centroids_, theirs.centroids_, rtol=1e-11, atol=1e-11)
    differ = ours.predict(X) != theirs.predict(X)  # but where two centroids are as near
    squares = ((X[differ, None] - ours.centroids_) ** 2).sum(axis=2)
    least = np.sort(squares, axis=1)[:, :2]
    assert np.allclose(least[:, 0], least[:, 1], rtol=1e-9)


def test_weights_are_repeats():
    X, y = datasets.load_iris(return_X_y=True)
    weights = np.arange(len(X)) % 3
    repeated = craton.NearestCentroid(shrink_threshold=0.5).fit(X.repeat(weights, 0), y.repeat(weights))
    weighted = craton.NearestCentroid(shrink_threshold=0.5).fit(X, y, sample_weight=weights)
    assert np.allclose(weighted.centroids_, repeated.centroids_, rtol=1e-12)


def test_rows_learned_later_and_unlearned():
    X, y = datasets.load_wine(return_X_y=True)
    whole = craton.NearestCentroid(shrink_threshold=1).fit(X, y)
    parts = craton.NearestCentroid(shrink_threshold=1)
    parts.partial_fit(X[::2], y[::2], classes=[0, 1, 2]).partial_fit(X[1::2], y[1::2])
    assert np.allclose(parts.centroids_, whole.centroids_, rtol=1e-12)
    fewer = craton.NearestCentroid(shrink_threshold=1).fit(X[::2], y[::2])
    assert np.allclose(parts.unlearn(X[1::2], y[1::2]).centroids_, fewer.centroids_, rtol=1e-9)


def test_sparse_rows():
    sparse = pytest.importorskip("scipy.sparse")
    X, y = datasets.load_digits(return_X_y=True)
    dense = craton.NearestCentroid().fit(X, y)
    thin = craton.NearestCentroid().fit(sparse.csr_matrix(X), y)
    assert np.allclose(thin.centroids_, dense.centroids_, rtol=1e-12)
    assert (thin.predict(sparse.csr_matrix(X)) == dense.predict(X)).all()
