#!/usr/bin/env python3
"""craton's penalised regressions beside scikit-learn's: python3 penalised_parity.py [MNIST]

MNIST is the folder of the IDX files; without it, that set is left out. What both minimise is
computed anew from their coefficients, in long double where the table is small,

    ridge     sum w (y - x.b - a)^2 + alpha sum b^2
    logistic  sum w loss + sum beta^2 / (2 C)

and printed are the excess of craton's over scikit-learn's, relative (below 0: craton's is less), the
greatest entry of either's gradient, and the greatest differences of coefficients (over the largest
of them) and of what is predicted: numbers over the largest, or probabilities. Exit code 1 if the
excess is above 1e-10, a difference above 1e-8 (ridge) or 1e-6 (logistic), or another alpha chosen.
"""
import gzip
import pathlib
import sys

import craton
import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import logsumexp
from sklearn import datasets, linear_model
from sklearn.preprocessing import StandardScaler

EXCESS, NEAR = 1e-10, {"ridge": 1e-8, "logistic": 1e-6}
failed = False


def say(name, what, excess, gradients, coefficients, predictions):
    global failed
    near = NEAR[what.split(",")[0].split()[0]]
    bad = excess > EXCESS or coefficients > near or predictions > near
    failed |= bad
    ours, theirs = gradients
    print(
        f"{name:22} {what:30} {excess:+9.1e} {ours:13.1e} {theirs:13.1e} {coefficients:13.1e}"
        f" {predictions:12.1e}{'  FAILED' if bad else ''}",
        flush=True,
    )


def apart(a, b):
    return float(np.abs(a - b).max() / np.abs(b).max())


# ---- ridge


def ridge_objective(model, X, y, weights, alpha):
    """With its gradient, the intercept's last."""
    wide = np.longdouble
    b, X = model.coef_.astype(wide), X.astype(wide)
    e = y.astype(wide) - X @ b - model.intercept_
    gradient = np.r_[-2 * (X.T @ (weights * e)) + 2 * alpha * b, -2 * np.sum(weights * e)]
    return np.sum(weights * e * e) + alpha * np.sum(b * b), float(np.abs(gradient).max())


def wide_table():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 200)) + 3
    return X, X[:, :5] @ np.arange(1.0, 6) + random.normal(size=60)


def ridges():
    tables = {
        "diabetes": datasets.load_diabetes(return_X_y=True, scaled=False),
        "breast cancer": datasets.load_breast_cancer(return_X_y=True),
        "60 x 200": wide_table(),
    }
    for name, (X, y) in tables.items():
        y = y.astype(float)
        weights = 0.5 + np.arange(len(y)) % 3
        for alpha in (1e-3, 1.0, 1e3):
            for given in (None, weights):
                w = np.ones(len(y)) if given is None else given
                theirs = linear_model.Ridge(alpha=alpha, solver="svd").fit(X, y, given)
                right, slope = ridge_objective(theirs, X, y, w, alpha)
                for kind in ("", ", sparse"):
                    rows = csr_matrix(X) if kind else X
                    ours = craton.Ridge(alpha=alpha).fit(rows, y, given)
                    found, own = ridge_objective(ours, X, y, w, alpha)
                    say(
                        name,
                        f"ridge {alpha:g}{'' if given is None else ', weighted'}{kind}",
                        float(found / right - 1),
                        (own, slope),
                        apart(ours.coef_, theirs.coef_),
                        apart(ours.predict(rows), theirs.predict(X)),
                    )


def ridge_paths():
    """Rows of these tables differ from each other: leaving one out is leaving all its copies out."""
    global failed
    alphas = np.logspace(-3, 4, 15)
    tables = {
        "diabetes": datasets.load_diabetes(return_X_y=True, scaled=False),
        "breast cancer": datasets.load_breast_cancer(return_X_y=True),
        "60 x 200": wide_table(),
    }
    print("\nridge-cv: alphas chosen, and differences of the errors of rows left out, all alphas")
    for name, (X, y) in tables.items():
        assert len(np.unique(np.c_[X, y], axis=0)) == len(X)
        theirs = linear_model.RidgeCV(alphas, store_cv_results=True, gcv_mode="svd").fit(X, y.astype(float))
        ours = craton.RidgeCV(alphas=alphas).fit(X, y.astype(float))
        errors = apart(ours.leave_one_out_, theirs.cv_results_.mean(axis=0))
        coefficients = apart(ours.coef_, theirs.coef_)
        bad = ours.alpha_ != theirs.alpha_ or max(errors, coefficients) > NEAR["ridge"]
        failed |= bad
        print(
            f"{name:22} {ours.alpha_:.6g} and {theirs.alpha_:.6g}, errors {errors:.1e},"
            f" coefficients {coefficients:.1e}{'  FAILED' if bad else ''}"
        )


# ---- logistic


def logistic_objective(model, X, y, C):
    """With its gradient over the coefficients and intercepts of every class."""
    wide = np.longdouble if X.size < 1e6 else float
    X, beta, c = X.astype(wide), model.coef_.astype(wide), model.intercept_.astype(wide)
    scores = X @ beta.T + c
    if len(beta) == 1:
        scores = np.c_[np.zeros(len(X), wide), scores]
    logs = scores - logsumexp(scores, axis=1, keepdims=True)
    rest = np.exp(logs)
    rest[np.arange(len(y)), y] -= 1
    if len(beta) == 1:
        rest = rest[:, 1:]
    gradient = np.c_[rest.T @ X + beta / C, rest.sum(axis=0)]
    loss = -np.sum(logs[np.arange(len(y)), y])
    return loss + np.sum(beta * beta) / (2 * C), float(np.abs(gradient).max())


def logistic(name, X, y, C, theirs):
    ours = craton.LogisticRegression(C=C, max_iter=5000, errors="none").fit(X, y)
    theirs = theirs.set_params(C=C).fit(X, y)
    found, own = logistic_objective(ours, X, y, C)
    right, slope = logistic_objective(theirs, X, y, C)
    say(
        name,
        f"logistic C = {C:g}",
        float(found / right - 1),
        (own, slope),
        apart(ours.coef_, theirs.coef_),
        float(np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max()),
    )


def logistics():
    newton = linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=50)
    for name in ("breast_cancer", "iris", "wine", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        for C in (1e-2, 1.0, 1e2):
            logistic(name, X, y, C, newton)


def read_mnist(folder):
    folder = pathlib.Path(folder)
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(16 + 784 * 10_000), np.uint8, offset=16)
    labels = np.frombuffer((folder / "train-labels-idx1-ubyte").read_bytes(), np.uint8, 10_000, 8)
    return pixels.reshape(-1, 784) / 255.0, labels.astype(int)


if __name__ == "__main__":
    gradients = f"{'|gradient|':>13} {'of scikit':>13}"
    print(f"{'table':22} {'model':30} {'excess':>9} {gradients} {'coefficients':>13} {'predictions':>12}")
    ridges()
    logistics()
    if len(sys.argv) > 1:
        X, y = read_mnist(sys.argv[1])
        # lbfgs ends where its objective has no digits left, at gradients of 1e-4
        newton = linear_model.LogisticRegression(solver="newton-cg", tol=1e-11, max_iter=1000)
        for C in (1e-2, 1.0):
            logistic("MNIST, 10 000 rows", X, y, C, newton)
    ridge_paths()
    sys.exit(failed)
