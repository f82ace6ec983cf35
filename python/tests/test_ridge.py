"""Ridge and RidgeCV beside scikit-learn, Bayes' formula, and refits without a row by NumPy."""

import craton
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import datasets, linear_model


# ---- scikit-learn


def wide():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 90)) + 3
    return X, X[:, :5] @ np.arange(1.0, 6) + random.normal(size=40)


TABLES = {"diabetes": lambda: datasets.load_diabetes(return_X_y=True, scaled=False), "wide": wide}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", TABLES)
def test_coefficients_are_those_of_scikit_learn_dense_and_sparse(name, alpha, weighted):
    X, y = TABLES[name]()
    weights = 0.5 + np.arange(len(y)) % 3 if weighted else None
    theirs = linear_model.Ridge(alpha=alpha, solver="svd").fit(X, y, weights)
    for rows in (X, csr_matrix(X)):
        ours = craton.Ridge(alpha=alpha).fit(rows, y, weights)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)
        np.testing.assert_allclose(ours.predict(rows), theirs.predict(X), rtol=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_paths_are_those_of_scikit_learn(name):
    X, y = TABLES[name]()
    alphas = np.logspace(-3, 4, 15)
    theirs = linear_model.RidgeCV(alphas, store_cv_results=True, gcv_mode="svd").fit(X, y)
    ours = craton.RidgeCV(alphas=alphas).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.leave_one_out_, theirs.cv_results_.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)


# ---- Bayes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(40, 3), (12, 30)])
def test_ridge_with_alpha_lambda_times_sigma_squared_is_the_mode_of_the_posterior(shape, weighted):
    random = np.random.default_rng(5)
    X, y = random.normal(size=shape) + 1, random.normal(size=shape[0])
    w = random.integers(1, 4, shape[0]).astype(float) if weighted else np.ones(shape[0])
    precision, noise = 3.0, 0.25  # lambda, sigma^2
    # y ~ N(X b, noise / w), b ~ N(0, 1 / precision): minus the log of both is least
    curvature = (X * w[:, None]).T @ X / noise + precision * np.eye(shape[1])
    mode = np.linalg.solve(curvature, X.T @ (w * y) / noise)
    model = craton.Ridge(alpha=precision * noise, fit_intercept=False).fit(X, y, w)
    np.testing.assert_allclose(model.coef_, mode, rtol=1e-9, atol=1e-13)
    # A prior with a mean and a covariance; the intercept has a flat one.
    mean, root = random.normal(size=shape[1]), random.normal(size=(shape[1], shape[1]))
    covariance = root @ root.T + np.eye(shape[1])
    Z = np.c_[X, np.ones(len(X))]
    prior = np.zeros((shape[1] + 1, shape[1] + 1))
    prior[:-1, :-1] = np.linalg.inv(covariance)
    curvature = (Z * w[:, None]).T @ Z / noise + prior
    mode = np.linalg.solve(curvature, Z.T @ (w * y) / noise + prior @ np.r_[mean, 0])
    model = craton.Ridge(alpha=noise, prior_mean=mean, prior_covariance=covariance).fit(X, y, w)
    np.testing.assert_allclose(np.r_[model.coef_, model.intercept_], mode, rtol=1e-8, atol=1e-11)


# ---- rows left out


def shortest(X, y, weights, alpha, intercept):
    """(b, a) of ridge regression; of alpha 0 those of least length where many fit as well."""
    root = np.sqrt(weights)
    mean_x, mean_y = np.zeros(X.shape[1]), 0.0
    if intercept:
        mean_x, mean_y = np.average(X, axis=0, weights=weights), np.average(y, weights=weights)
    A, c = root[:, None] * (X - mean_x), root * (y - mean_y)
    A[np.abs(A) < 1e-13 * np.abs(X).max(initial=0)] = 0  # what is left of rows that are the same
    A = np.r_[A, np.sqrt(alpha) * np.eye(X.shape[1])]
    b = np.linalg.lstsq(A, np.r_[c, np.zeros(X.shape[1])], rcond=1e-11)[0]
    return b, mean_y - mean_x @ b


def left_out(X, y, weights, alpha, intercept):
    """The mean square, by weight, of residuals of fits without the row and its copies."""
    rows = np.c_[X, y]
    squares = 0.0
    for i in range(len(y)):
        others = (rows != rows[i]).any(axis=1)
        if not others.any() and intercept:
            return np.inf
        b, a = shortest(X[others], y[others], weights[others], alpha, intercept)
        squares += weights[i] * (y[i] - X[i] @ b - a) ** 2
    return squares / weights.sum()


def random_problems():
    random = np.random.default_rng(18)
    for number in range(200):
        p, n = random.integers(1, 13), random.integers(4, 19)
        X, y = random.normal(size=(n, p)), random.normal(size=n)
        whole = number % 2 == 0
        if whole:  # a few values, so that some rows are the same
            X, y = random.integers(0, 3, (n, p)).astype(float), random.integers(0, 3, n).astype(float)
            again = random.integers(0, n, n // 3)
            X[: len(again)], y[: len(again)] = X[again], y[again]
        weights = np.ones(n)
        if number % 3 == 0:
            weights = random.integers(1, 4, n).astype(float)
        elif number % 3 == 1:
            weights = random.uniform(0.2, 2, n)
        yield X, y, weights, bool(number % 4)


@pytest.mark.filterwarnings("ignore::craton.FitWarning")
def test_leaving_rows_out_is_refitting_without_them_on_200_problems():
    alphas = [0.0, 1e-3, 1.0, 30.0]
    seen = {"copies": 0, "wide": 0, "weighted": 0, "no intercept": 0}
    for number, (X, y, weights, intercept) in enumerate(random_problems()):
        seen["copies"] += len(np.unique(np.c_[X, y], axis=0)) < len(X)
        seen["wide"] += X.shape[1] > len(X)
        seen["weighted"] += weights.max() > weights.min()
        seen["no intercept"] += not intercept
        model = craton.RidgeCV(alphas=alphas, fit_intercept=intercept).fit(X, y, weights)
        ours = model.leave_one_out_
        theirs = [left_out(X, y, weights, alpha, intercept) for alpha in alphas]
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-12, err_msg=f"problem {number}")
        assert model.alpha_ == alphas[int(np.argmin(theirs))]
    assert min(seen.values()) > 30, seen
