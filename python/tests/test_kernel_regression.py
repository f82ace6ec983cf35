"""Kernel regression, against sums in NumPy, and what is special in Python."""
import numpy as np
import pytest

import craton


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    x = random.uniform(0, 6, size=(300, 2))
    return x, np.sin(x[:, 0]) + 0.2 * random.normal(size=300)


def kernel(u, name):
    if name == "gaussian":
        return np.exp(-(u**2) / 2)
    inside = np.clip(1 - u**2, 0, None)
    return inside**2 if name == "biweight" else (u < 1).astype(float)


@pytest.mark.parametrize("name", ["gaussian", "biweight", "tophat"])
def test_means_are_sums_over_rows(rows, name):
    x, y = rows
    weights = np.random.default_rng(1).integers(0, 4, size=300)
    at = x[:40] * 0.9 + 0.1
    distance = np.sqrt(((at[:, None] - x) ** 2).sum(axis=2)) / 1.1
    k = kernel(distance, name) * weights
    model = craton.KernelRegression(bandwidth=1.1, kernel=name).fit(x, y, sample_weight=weights)
    expected = (k @ y) / k.sum(axis=1)
    np.testing.assert_allclose(model.predict(at), expected, rtol=1e-7, atol=1e-8)
    bounds = model.diagnose(at)["number_error"]
    assert (np.abs(model.predict(at) - expected) <= bounds + 1e-14).all()


def test_lines_are_weighted_least_squares(rows):
    x, y = rows
    model = craton.KernelRegression(bandwidth=0.8, degree=1).fit(x, y)
    for at in x[:10] + 0.05:
        root = np.sqrt(kernel(np.sqrt(((at - x) ** 2).sum(axis=1)) / 0.8, "gaussian"))
        design = np.column_stack([np.ones(300), x - at]) * root[:, None]
        expected = np.linalg.lstsq(design, y * root, rcond=None)[0][0]
        assert model.predict([at])[0] == pytest.approx(expected, rel=1e-9)


def test_a_bandwidth_is_found_and_a_search_may_choose_another(rows):
    x, y = rows
    model = craton.KernelRegression().fit(x, y)
    assert model.bandwidth_[0] < 1 < model.bandwidth_[1]
    assert model.score(x, y) > 0.85
    wide = craton.KernelRegression(bandwidth="scott").fit(x, y)
    assert model.report_.objective > wide.report_.objective


def test_rows_nobody_is_near_are_told(rows):
    x, y = rows
    model = craton.KernelRegression(bandwidth=0.5, kernel="epanechnikov").fit(x, y)
    table = model.diagnose([[3, 3], [40, 40]])
    assert list(table["outside"]) == [0, 1]
    nearest = np.argmin(((x - 40) ** 2).sum(axis=1))
    assert model.predict([[40, 40]])[0] == pytest.approx(y[nearest])
