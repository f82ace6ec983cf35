"""Errors, intervals and influence of linear models, against formulas written out in NumPy."""

import numpy as np
import pytest
from scipy import stats

import craton


def problem(seed=0, rows=60, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)) * [1, 10, 0.1] + [0, 100, -5]
    y = X @ [2.0, -0.3, 5.0] + 4 + noise * rng.normal(size=rows) * (1 + np.abs(X[:, 0]))
    return X, y


def least_squares(X, y, w=None):
    Z = np.column_stack([np.ones(len(X)), X])
    w = np.ones(len(y)) if w is None else w
    inverse = np.linalg.inv(Z.T @ (Z * w[:, None]))
    b = inverse @ Z.T @ (w * y)
    e = y - Z @ b
    h = np.einsum("ij,jk,ik->i", Z, inverse, Z)
    return Z, inverse, b, e, h


@pytest.mark.parametrize("kind", ["hc0", "hc1", "hc2", "hc3"])
def test_robust_errors(kind):
    X, y = problem()
    Z, inverse, b, e, h = least_squares(X, y)
    n, p = Z.shape
    c = {"hc0": 1, "hc1": n / (n - p), "hc2": 1 / (1 - h), "hc3": 1 / (1 - h) ** 2}[kind]
    v = inverse @ Z.T @ (Z * (e**2 * c)[:, None]) @ inverse
    model = craton.LinearRegression(errors=kind).fit(X, y)
    table = model.tables()["coefficients"]
    np.testing.assert_allclose(table["coefficient"], b, rtol=1e-9)
    np.testing.assert_allclose(table["error"], np.sqrt(np.diag(v)), rtol=1e-8)
    wide = stats.t.ppf(0.975, n - p)
    np.testing.assert_allclose(table["to"], b + wide * np.sqrt(np.diag(v)), rtol=1e-8)
    assert kind.upper() in table.title
    f = b[1:] @ np.linalg.solve(v[1:, 1:], b[1:]) / 3
    fit = dict(zip(model.tables()["fit"]["statistic"], model.tables()["fit"]["value"]))
    assert fit["F (Wald)"] == pytest.approx(f, rel=1e-8)
    assert fit["p of F"] == pytest.approx(stats.f.sf(f, 3, n - p), rel=1e-7)
    of_mean = np.sqrt(np.einsum("ij,jk,ik->i", Z, v, Z))
    rows = model.predict_intervals(X)
    np.testing.assert_allclose(rows["mean_high"], Z @ b + wide * of_mean, rtol=1e-8)


def test_robust_errors_of_scaled_columns_are_those_of_the_rows():
    X, y = problem(1)
    plain = craton.LinearRegression(errors="hc3").fit(X, y).tables()["coefficients"]
    scaled = craton.LinearRegression(errors="hc3", scale="standard").fit(X, y)
    for column in ("coefficient", "error", "t", "p", "from 95%", "to"):
        np.testing.assert_allclose(scaled.tables()["coefficients"][column], plain[column], rtol=1e-8)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_of_numbers(level):
    X, y = problem(2)
    Z, inverse, b, e, _ = least_squares(X, y)
    n, p = Z.shape
    sigma2 = e @ e / (n - p)
    new = np.column_stack([np.ones(5), X[:5] * 1.7])
    h = np.einsum("ij,jk,ik->i", new, inverse, new)
    wide = stats.t.ppf((1 + level) / 2, n - p)
    rows = craton.LinearRegression().fit(X, y).predict_intervals(X[:5] * 1.7, level=level)
    np.testing.assert_allclose(rows["prediction"], new @ b, rtol=1e-9)
    np.testing.assert_allclose(rows["low"], new @ b - wide * np.sqrt(sigma2 * (1 + h)), rtol=1e-8)
    np.testing.assert_allclose(rows["mean_high"], new @ b + wide * np.sqrt(sigma2 * h), rtol=1e-8)


def test_intervals_of_probabilities():
    X, y = problem(3, rows=200, noise=6)
    labels = np.where(y > np.median(y), "high", "low")
    model = craton.LogisticRegression(penalty="none").fit(X, labels)
    Z = np.column_stack([np.ones(len(X)), X])
    b = np.concatenate([model.intercept_, model.coef_[0]])  # of "low", the second class
    p = 1 / (1 + np.exp(-Z @ b))
    v = np.linalg.inv(Z.T @ (Z * (p * (1 - p))[:, None]))
    rows = model.predict_intervals(X, level=0.9)
    sign = np.where(rows["label"] == "low", 1, -1)
    logit = sign * (Z @ b)
    wide = stats.norm.ppf(0.95) * np.sqrt(np.einsum("ij,jk,ik->i", Z, v, Z))
    np.testing.assert_allclose(rows["probability"], 1 / (1 + np.exp(-logit)), rtol=1e-7)
    np.testing.assert_allclose(rows["low"], 1 / (1 + np.exp(wide - logit)), rtol=1e-6)
    np.testing.assert_allclose(rows["high"], 1 / (1 + np.exp(-wide - logit)), rtol=1e-6)


def test_intervals_of_many_classes_follow_the_derivatives_of_the_logit():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    labels = np.argmax(X @ rng.normal(size=(2, 3)) + rng.gumbel(size=(300, 3)), axis=1)
    model = craton.LogisticRegression(penalty="none").fit(X, labels)
    Z = np.column_stack([X, np.ones(300)])
    contrasts = np.column_stack([model.coef_, model.intercept_])
    contrasts = contrasts[1:] - contrasts[0]

    def probabilities(theta, z):
        eta = np.concatenate([[0], theta.reshape(2, 3) @ z])
        return np.exp(eta - eta.max()) / np.exp(eta - eta.max()).sum()

    information = np.zeros((6, 6))
    for z in Z:
        p = probabilities(contrasts.ravel(), z)[1:]
        information += np.kron(np.diag(p) - np.outer(p, p), np.outer(z, z))
    v = np.linalg.inv(information)
    rows = model.predict_intervals(X[:20], level=0.95)
    for i in range(20):
        c = int(rows["label"][i])

        def logit(theta, i=i, c=c):
            p = probabilities(theta, Z[i])[c]
            return np.log(p / (1 - p))

        at = contrasts.ravel()
        steps = 1e-5 * np.eye(6)
        gradient = np.array([(logit(at + s) - logit(at - s)) / 2e-5 for s in steps])
        wide = stats.norm.ppf(0.975) * np.sqrt(gradient @ v @ gradient)
        assert rows["high"][i] == pytest.approx(1 / (1 + np.exp(-logit(at) - wide)), rel=1e-5)


def test_residuals_and_cooks_distance():
    X, y = problem(5)
    Z, _, b, e, h = least_squares(X, y)
    n, p = Z.shape
    sigma2 = e @ e / (n - p)
    rows = craton.LinearRegression().fit(X, y).diagnose(X, y)
    np.testing.assert_allclose(rows["residual"], e, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(rows["leverage"], h, rtol=1e-8)
    np.testing.assert_allclose(
        rows["cooks_distance"], e**2 * h / (p * sigma2 * (1 - h) ** 2), rtol=1e-6
    )
    assert "residual" not in craton.LinearRegression().fit(X, y).diagnose(X)


def test_what_cannot_be_told_is_said():
    X, y = problem(6)
    model = craton.LinearRegression().fit(X, y)
    for level in (0, 1, -1, 95, float("nan")):
        with pytest.raises(craton.InputError, match="not between 0 and 1"):
            model.predict_intervals(X, level=level)
    with pytest.raises(craton.InputError, match="leave nothing to tell the noise by"):
        craton.LinearRegression().fit(X[:4], y[:4]).predict_intervals(X)
    robust = craton.LinearRegression(errors="hc1").fit(X, y)
    with pytest.raises(craton.InputError, match="needs the residuals of all rows"):
        robust.partial_fit(X, y)
    with pytest.raises(craton.InputError, match="robust errors of 3 coefficients"):
        craton.Ridge(errors="hc0", penalise_intercept=True).fit(X, y)
    with pytest.raises(craton.InputError, match="covariance of the coefficients is not known"):
        craton.LogisticRegression(errors="none").fit(X, y > np.median(y)).predict_intervals(X)


def test_summary_prints_the_tables():
    X, y = problem(7)
    text = str(craton.LinearRegression(errors="hc2").fit(X, y).summary())
    for word in ("linear", "coefficients", "(intercept)", "HC2", "R2", "AIC"):
        assert word in text


@pytest.mark.parametrize("picture", ["fit", "coefficients", "path", "residuals", "leverage"])
def test_pictures(picture):
    X, y = problem(8)
    svg = craton.plot(craton.RidgeCV(alphas=[0.1, 1, 10]).fit(X, y), X, y, picture=picture).svg
    assert svg.startswith("<svg") and "nan" not in svg.lower().replace("nanosecond", "")


def test_a_picture_of_the_model_alone_needs_no_rows():
    X, y = problem(8)
    model = craton.RidgeCV(alphas=[0.1, 1, 10]).fit(X, y)
    assert craton.plot(model, picture="path").svg == craton.plot(model, X, y, picture="path").svg
    with pytest.raises(craton.InputError, match="'fit' shows rows\n.*Give X, or .*coefficients, path"):
        craton.plot(model)


def test_a_picture_that_there_is_not_names_those_that_there_are():
    X, y = problem(9)
    with pytest.raises(craton.InputError, match="no picture 'path' of linear.*\n.*leverage"):
        craton.plot(craton.LinearRegression().fit(X, y), X, y, picture="path")
    with pytest.raises(craton.InputError, match="no picture 'roc'"):
        craton.plot(craton.LinearRegression().fit(X, y), X, y, picture="roc")
