"""Least squares: coefficients, the path of ridge regression with leave-one-out, and the whole table.

What is found is compared with the solution of the bench's own QR decomposition (of the rows less
their means), relative to the length of the coefficients; leave-one-out errors with those of the
hat matrix in NumPy; tables by the errors of their coefficients.
"""
import functools

import numpy as np

import tables
from harness import Case

SAME = 1e-8


@functools.lru_cache(1)
def gaussian(n, d):
    """Correlated columns, and a number that depends on all of them."""
    r = np.random.default_rng(1)
    mix = np.eye(d) + 0.3 * r.normal(size=(d, d)) / np.sqrt(d)
    x, y, beta = np.empty((n, d)), np.empty(n), r.normal(size=d)
    for first in range(0, n, 1 << 15):
        rows = r.normal(size=(min(1 << 15, n - first), d)) @ mix + 3
        x[first : first + len(rows)] = rows
        y[first : first + len(rows)] = rows @ beta + 2 * r.normal(size=len(rows))
    return x, y


@functools.lru_cache(4)
def truth(n, d):
    """Coefficients, intercept and errors by a QR decomposition."""
    x, y = gaussian(n, d)
    q, r = np.linalg.qr(x - x.mean(axis=0))
    coef = np.linalg.solve(r, q.T @ (y - y.mean()))
    intercept = y.mean() - x.mean(axis=0) @ coef
    residual = y - x @ coef - intercept
    inverse = np.linalg.inv(r)
    return coef, intercept, np.sqrt((inverse**2).sum(axis=1) * (residual**2).sum() / (n - d - 1))


def far(found, true):
    return float(np.linalg.norm(np.ravel(found) - true) / np.linalg.norm(true))


def judge(x, result, tolerance):
    """Digits of the coefficients that are right, and of their errors where they are given."""
    coef, intercept, errors = truth(*x.shape)
    off = max(far(result["coef"], coef), far([result["intercept"]], intercept))
    if "errors" in result:
        off = max(off, far(result["errors"], errors))
    return -np.log10(max(off, 1e-16)), None if off <= SAME else f"off by {off:.2g}"


def judge_path(x, result, tolerance):
    """Minus the least mean squared leave-one-out error, of the alpha that was chosen, recomputed."""
    y = gaussian(*x.shape)[1]
    xc, yc = x - x.mean(axis=0), y - y.mean()
    u, s, _ = np.linalg.svd(xc, full_matrices=False)
    shrink = s**2 / (s**2 + result["alpha"])
    hat = (u**2 * shrink).sum(axis=1) + 1 / len(x)
    error = np.mean(((yc - u @ (shrink * (u.T @ yc))) / (1 - hat)) ** 2)
    off = abs(result["error"] - error) / error
    return -float(error), None if off <= 1e-6 else f"its error is {result['error']}, not {error}"


def cases(data, quick):
    n = 20_000 if quick else 1_000_000

    def case(name, rows, cols, what, rivals, judged=judge, same=6.0, **arrays):
        table = tables.Table(f"{rows}x{cols}", lambda: gaussian(rows, cols)[0])
        return Case(f"{name}, {rows}x{cols}", "least squares", table, what, dict(max_iter=1), judged, 1, same,
                    arrays=lambda x: dict(targets=gaussian(rows, cols)[1], **arrays), relative=False,
                    rivals=rivals)

    return [
        case("least squares", n, 100, "squares", ("sklearn", "sklearnex")),
        case("100 alphas, leave-one-out", n // 10, 100, "ridge_path", ("sklearn",), judge_path, 1e-3,
             alphas=np.logspace(-4, 6, 100)),
        case("the whole table", n, 20, "squares_table", ("statsmodels",)),
    ]
