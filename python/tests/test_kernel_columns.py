"""The family kde: naive Bayes and densities of columns with a kernel about each value."""

import craton
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.datasets import load_iris
from sklearn.neighbors import KernelDensity


def joint_of_scikit_learn(X, y, at, bandwidth):
    """log p(row, class), by a kernel density estimate of each class and column."""
    joint = []
    for label in np.unique(y):
        of_class = X[y == label]
        log_p = np.full(len(at), np.log(len(of_class) / len(X)))
        for j in range(X.shape[1]):
            h = bandwidth or float(np.sqrt(gaussian_kde(of_class[:, j]).covariance[0, 0]))
            estimate = KernelDensity(bandwidth=h).fit(of_class[:, j : j + 1])
            log_p += estimate.score_samples(at[:, j : j + 1])
        joint.append(log_p)
    return np.column_stack(joint)


@pytest.mark.parametrize("bandwidth", [0.3, None])
def test_a_classifier_is_scikit_learns_kernel_densities_by_class_and_column(bandwidth):
    X, y = load_iris(return_X_y=True)
    at = X + 0.05
    joint = joint_of_scikit_learn(X, y, at, bandwidth)
    model = craton.NaiveBayes(family="kde", bandwidth=bandwidth or "scott").fit(X, y)
    np.testing.assert_allclose(
        model.predict_log_proba(at), joint - logsumexp(joint, axis=1, keepdims=True), rtol=0, atol=1e-8
    )
    np.testing.assert_array_equal(model.predict(at), joint.argmax(axis=1))


def test_a_density_of_columns_is_the_sum_of_scipys():
    X = np.random.default_rng(3).gamma(2, 3, size=(400, 2))
    model = craton.Density(family="kde").fit(X)
    at = X[:50] * 1.3
    expected = sum(gaussian_kde(X[:, j]).logpdf(at[:, j]) for j in range(2))
    np.testing.assert_allclose(model.score_samples(at), expected, rtol=1e-9, atol=1e-9)
    assert model.families_ == ["kde", "kde"]
    told = model.estimates_[0]
    assert told["bandwidth"] == pytest.approx(np.sqrt(gaussian_kde(X[:, 0]).covariance[0, 0]))
    assert told["values"] == sorted(X[:, 0].tolist()) and told["weights"] == [1] * 400


def test_kernels_of_classes_are_told(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = craton.NaiveBayes(family={0: "kde", 1: "gaussian"}, bandwidth="sj-ste").fit(X[:, :2], y)
    assert model.families_ == ["kde", "gaussian"]
    kernels, gaussians = model.estimates_
    assert gaussians.shape == (3, 2)
    for label, (bandwidth, values, weights) in enumerate(kernels):
        assert 0.05 < bandwidth < 1
        expected, counts = np.unique(X[y == label, 0], return_counts=True)
        np.testing.assert_array_equal(values, expected)
        np.testing.assert_array_equal(weights, counts)
    model.save(tmp_path / "m.craton")
    loaded = craton.load(tmp_path / "m.craton")
    np.testing.assert_array_equal(loaded.predict_proba(X[:, :2]), model.predict_proba(X[:, :2]))


def test_such_a_density_has_no_information_criterion():
    model = craton.Density(family="kde").fit([[1.0], [2.0], [4.0]])
    with pytest.raises(ValueError, match="no AIC and no BIC"):
        model.bic([[1.0], [2.0]])


@pytest.mark.parametrize("bandwidth", [0, -1, float("nan"), float("inf"), "scot"])
def test_bandwidths_that_are_none_are_refused(bandwidth):
    with pytest.raises((ValueError, TypeError), match="bandwidth"):
        craton.Density(family="kde", bandwidth=bandwidth).fit([[1.0], [2.0], [4.0]])


def test_mixtures_refuse_kernels_and_say_what_to_take():
    with pytest.raises(ValueError, match="not allowed in a mixture(.|\n)*KernelDensity"):
        craton.Mixture(n_components=2, family="kde").fit([[1.0], [2.0], [4.0]])
