"""What columns say for a component, or a label, by the chain rule: each given those before it."""

import craton
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal


def rows(n=300):
    random = np.random.default_rng(3)
    labels = random.integers(3, size=n)
    X = random.normal(size=(n, 3)) @ np.array([[1, 0.8, 0], [0, 1, 0.5], [0, 0, 1]])
    return X + 2.0 * labels[:, None] * [1, 0, -1], labels


def covariance(model, c):
    """That of one component, as a matrix."""
    given = model.covariances_ if model.covariance_type == "tied" else model.covariances_[c]
    return given if np.ndim(given) == 2 else np.diag(np.broadcast_to(given, 3))


def joint(model, x, c, first):
    """log p of the first columns of a row and of the component, by SciPy."""
    if first == 0:
        return np.log(model.weights_[c])
    gauss = multivariate_normal(model.means_[c, :first], covariance(model, c)[:first, :first])
    return np.log(model.weights_[c]) + gauss.logpdf(x[:first])


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_columns_of_a_gaussian_mixture(kind):
    X, _ = rows()
    model = craton.GaussianMixture(3, covariance_type=kind).fit(X)
    why = model.explain(X[:20])
    np.testing.assert_array_equal(why.label, model.predict(X[:20]))
    for i, x in enumerate(X[:20]):
        a, b = why.label[i], why.other[i]
        steps = [joint(model, x, a, j) - joint(model, x, b, j) for j in range(4)]
        np.testing.assert_allclose(why.prior[i], steps[0], atol=1e-12)
        np.testing.assert_allclose(why.log_odds[i], np.diff(steps), rtol=1e-8, atol=1e-8)
    assert (model.explain(X[:5], other=1).other == 1).all()
    with pytest.raises(ValueError, match="no label number 3"):
        model.explain(X[:5], other=3)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_labels_by_gaussian_mixtures(kind):
    X, labels = rows()
    settings = {"n_components": 2, "covariance_type": kind}
    model = craton.GenerativeClassifier(density="gmm", settings=settings).fit(X, labels)
    why = model.explain(X[:20])
    log_p = model.predict_log_proba(X[:20])
    odds = log_p[np.arange(20), why.label] - log_p[np.arange(20), why.other]
    np.testing.assert_allclose(why.prior + why.log_odds.sum(1), odds, rtol=1e-9, atol=1e-9)
    parts = [
        craton.GaussianMixture(2, covariance_type=kind).fit(X[labels == c]) for c in range(3)
    ]
    for i in range(5):  # the densities of the classes are mixtures of their rows
        for j in range(4):
            says = [
                logsumexp([joint(parts[c], X[i], k, j) for k in range(2)])
                for c in (why.label[i], why.other[i])
            ]
            np.testing.assert_allclose(
                why.log_odds[i, :j].sum(), says[0] - says[1], rtol=1e-6, atol=1e-6
            )


def test_columns_of_a_mixture_of_families():
    X, _ = rows()
    model = craton.Mixture(3, family="gaussian").fit(X)
    why = model.explain(X[:20])
    log_p = model.predict_log_proba(X[:20])
    odds = log_p[np.arange(20), why.label] - log_p[np.arange(20), why.other]
    np.testing.assert_allclose(why.prior + why.log_odds.sum(1), odds, rtol=1e-9, atol=1e-9)
