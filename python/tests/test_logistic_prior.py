"""Logistic regression with a Gaussian prior of any mean and covariance, against SciPy's minimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

import craton


def table(classes, rows=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)) * [1, 5, 0.2] + [0, 50, 1]
    scores = ((X - [0, 50, 1]) / [1, 5, 0.2]) @ rng.normal(size=(3, classes))
    return X, np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)


def best(X, y, m, P, classes):
    """Contrasts against the first class, then intercepts, of the least penalised loss."""
    d = X.shape[1]
    centre = X.mean(axis=0)

    def objective(theta):
        g, b = theta[: (classes - 1) * d].reshape(-1, d), theta[(classes - 1) * d :]
        scores = np.column_stack([np.zeros(len(X)), (X - centre) @ g.T + b])
        top = scores.max(axis=1)
        loss = (top + np.log(np.exp(scores - top[:, None]).sum(axis=1))).sum()
        loss -= scores[np.arange(len(y)), y].sum()
        gap = g - m
        if classes > 2:  # coefficients that sum to 0 over the classes
            gap = np.vstack([np.zeros(d), gap])
            gap = gap - gap.mean(axis=0)
        return loss + 0.5 * np.einsum("ri,ij,rj->", gap, P, gap)

    start = np.zeros((classes - 1) * (d + 1))
    found = minimize(objective, start, method="BFGS", options=dict(gtol=1e-9, maxiter=3000))
    return found.x[: (classes - 1) * d].reshape(-1, d), objective, found.x


COVARIANCE = np.array([[2.0, 0.3, 0.1], [0.3, 0.5, -0.2], [0.1, -0.2, 1.0]])


@pytest.mark.parametrize("alpha", [0.5, 20.0])
@pytest.mark.parametrize("covariance", [None, COVARIANCE])
def test_two_classes(alpha, covariance):
    X, y = table(2)
    m = np.array([1.0, -0.5, 2.0])
    P = alpha * (np.eye(3) if covariance is None else np.linalg.inv(covariance))
    model = craton.LogisticRegression(
        alpha=alpha, prior_mean=m, prior_covariance=covariance
    ).fit(X, y)
    expected, _, _ = best(X, y, m, P, 2)
    np.testing.assert_allclose(model.coef_, expected, atol=2e-5)


def test_many_classes():
    X, y = table(3, seed=1)
    means = np.array([[1.0, 0.2, 0], [0, -0.3, 2], [-1, 0, 0]])
    P = 3 * np.linalg.inv(COVARIANCE)
    model = craton.LogisticRegression(
        alpha=3, prior_mean=means, prior_covariance=COVARIANCE
    ).fit(X, y)
    expected, _, _ = best(X, y, means[1:] - means[0], P, 3)
    np.testing.assert_allclose(model.coef_[1:] - model.coef_[0], expected, atol=5e-5)


def test_a_strong_prior_is_what_is_found_and_a_weak_one_is_not_seen():
    X, y = table(2, seed=2)
    m = [0.7, -0.1, 3.0]
    strong = craton.LogisticRegression(alpha=1e9, prior_mean=m).fit(X, y)
    np.testing.assert_allclose(strong.coef_[0], m, atol=1e-5)
    weak = craton.LogisticRegression(alpha=1e-12, prior_mean=m).fit(X, y)
    none = craton.LogisticRegression(penalty="none").fit(X, y)
    np.testing.assert_allclose(weak.coef_, none.coef_, rtol=1e-7)


def test_a_prior_of_independent_columns_is_feature_alpha():
    X, y = table(3, seed=3)
    by_covariance = craton.LogisticRegression(alpha=2, prior_covariance=np.diag([1, 0.5, 4])).fit(X, y)
    by_alpha = craton.LogisticRegression(feature_alpha=[2, 4, 0.5]).fit(X, y)
    np.testing.assert_allclose(by_covariance.coef_, by_alpha.coef_, rtol=1e-9)


def test_the_posterior_of_one_half_is_the_prior_of_the_other(tmp_path):
    """Laplace's posterior, as the next prior, moves towards what all rows say."""
    X, y = table(2, rows=4000, seed=4)
    first = craton.LogisticRegression(penalty="none", fit_intercept=False).fit(X[:2000], y[:2000])
    p = 1 / (1 + np.exp(-X[:2000] @ first.coef_[0]))
    information = X[:2000].T @ (X[:2000] * (p * (1 - p))[:, None])
    both = craton.LogisticRegression(
        alpha=1, fit_intercept=False, prior_mean=first.coef_[0],
        prior_covariance=np.linalg.inv(information),
    ).fit(X[2000:], y[2000:])
    whole = craton.LogisticRegression(penalty="none", fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(both.coef_, whole.coef_, rtol=0.05)
    both.save(tmp_path / "both.craton")
    again = craton.load(tmp_path / "both.craton")
    assert again.digest_ == both.digest_
    assert "coef - m" in str(again.tables()["objective"])


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(prior_mean=[1.0, 2.0]), "has 2 values for 3 columns and 2 classes"),
        (dict(prior_mean=[1.0, np.inf, 0]), "not finite|must be finite|inf"),
        (dict(prior_covariance=np.eye(2)), "has 4 values for 3 columns"),
        (dict(prior_covariance=np.diag([1.0, 0, 1])), "not positive definite"),
        (dict(prior_covariance=np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 1]])), "not symmetric"),
        (dict(prior_covariance=np.eye(3), feature_alpha=[1, 1, 1]), "both say how sure"),
        (dict(prior_mean=[1.0, 1, 1], penalty="firth"), "of a Gaussian prior"),
    ],
)
def test_priors_that_make_no_sense(options, words):
    X, y = table(2)
    with pytest.raises(craton.InputError, match=words):
        craton.LogisticRegression(**options).fit(X, y)


def test_a_constant_column_has_no_prior_of_its_own():
    X, y = table(2)
    X[:, 1] = 7
    with pytest.raises(craton.InputError, match="same in every row"):
        craton.LogisticRegression(prior_mean=[0, 1, 0]).fit(X, y)
    craton.LogisticRegression(prior_mean=[1, 0, 0]).fit(X, y)
