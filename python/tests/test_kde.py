"""Kernel density estimates, against scikit-learn and SciPy, and what is special in Python."""
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity as Theirs

import craton

KERNELS = ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    return random.normal(size=(300, 3)) + 3 * random.integers(0, 2, size=(300, 1))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("columns", [1, 3])
def test_densities_are_scikit_learns(rows, kernel, columns):
    rows, weights = rows[:, :columns], np.random.default_rng(1).uniform(1, 3, size=300)
    at = rows + 0.1  # in the tails scikit-learn's own are off by what its bounds left over
    for sample_weight in (None, weights):
        ours = craton.KernelDensity(bandwidth=0.7, kernel=kernel).fit(rows, sample_weight=sample_weight)
        theirs = Theirs(bandwidth=0.7, kernel=kernel).fit(rows, sample_weight=sample_weight)
        np.testing.assert_allclose(ours.score_samples(at), theirs.score_samples(at), rtol=1e-9, atol=1e-9)


def test_tails_are_right(rows):
    at = rows * 3
    squares = ((at[:, None] - rows) ** 2).sum(axis=2) / 0.49
    expected = logsumexp(-squares / 2, axis=1) - np.log(300 * (2 * np.pi) ** 1.5 * 0.7**3)
    ours = craton.KernelDensity(bandwidth=0.7).fit(rows)
    np.testing.assert_allclose(ours.score_samples(at), expected, rtol=1e-12)
    outside = (squares >= 1).all(axis=1)
    ours = craton.KernelDensity(bandwidth=0.7, kernel="epanechnikov").fit(rows)
    np.testing.assert_array_equal(np.isinf(ours.score_samples(at)), outside)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_are_scipys_column_by_column(rows, rule):
    ours = craton.KernelDensity(bandwidth=rule).fit(rows)
    np.testing.assert_allclose(
        ours.bandwidth_, np.sqrt(np.diag(gaussian_kde(rows.T, rule).covariance)), rtol=1e-12
    )
    one = craton.KernelDensity(bandwidth=rule).fit(rows[:, :1])
    np.testing.assert_allclose(
        one.score_samples(rows[:, :1]), gaussian_kde(rows[:, 0], rule).logpdf(rows[:, 0]), rtol=1e-8
    )


def test_samples_are_rows_alone_and_repeat(rows):
    model = craton.KernelDensity(kernel="triweight").fit(rows)
    drawn = model.sample(5, random_state=3)
    assert drawn.shape == (5, 3)
    np.testing.assert_array_equal(drawn, model.sample(5, random_state=3))
    assert np.isfinite(model.score_samples(drawn)).all()


def test_score_is_a_mean_and_errors_are_told(rows):
    model = craton.KernelDensity().fit(rows)
    table = model.diagnose(rows)
    assert model.score(rows) == pytest.approx(model.score_samples(rows).mean())
    assert (table["density_error"] < 1e-8).all()
    np.testing.assert_array_equal(table["log_density"], model.score_samples(rows))


def test_keywords_of_scikit_learn_that_mean_nothing_here_are_taken_or_refused(rows):
    craton.KernelDensity(algorithm="kd_tree", leaf_size=20, atol=0, breadth_first=False).fit(rows)
    for wrong in ({"metric": "manhattan"}, {"atol": 1e-3}, {"bandwidth": 0}, {"kernel": "round"}):
        with pytest.raises(craton.InputError, match=next(iter(wrong))):
            craton.KernelDensity(**wrong).fit(rows)


def test_a_classifier_over_kernels(rows):
    labels = (rows.sum(axis=1) > 4.5).astype(int)
    model = craton.GenerativeClassifier(density="kde", settings="kernel=logistic").fit(rows, labels)
    assert model.score(rows, labels) > 0.9
