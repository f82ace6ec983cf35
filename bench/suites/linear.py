"""Least squares (squares.py), and logistic and softmax regression to one bound of the gradient, recomputed here.

Every contestant is asked for max_j |d objective / d coef_j| / rows <= GRADIENT (COARSE of MNIST,
where a fit takes minutes), its own tol set to what reaches it; who misses the bound by more than a
rounding is marked. The best of scikit-learn's
solvers is the one with the least ratio.
"""
import functools

import numpy as np

import tables
from harness import Case
from suites import squares

GRADIENT, COARSE = 1e-5, 1e-4
SAME = 1e-6  # of the objective, a row


@functools.lru_cache(1)
def gaussian(n, d):
    """Correlated columns and a label that a tenth of them say something of."""
    r = np.random.default_rng(0)
    mix = np.eye(d) + 0.3 * r.normal(size=(d, d)) / np.sqrt(d)
    beta = np.where(np.arange(d) % 10 == 0, 1.0, 0.1) * r.normal(size=d)
    x = np.empty((n, d))
    labels = np.empty(n, np.int32)
    for first in range(0, n, 1 << 15):
        rows = r.normal(size=(min(1 << 15, n - first), d)) @ mix
        x[first : first + len(rows)] = rows
        labels[first : first + len(rows)] = r.random(len(rows)) < 1 / (1 + np.exp(-rows @ beta))
    return x, labels


@functools.lru_cache(1)
def mnist(folder):
    file = tables._file(folder, "mnist/train-labels-idx1-ubyte")
    labels = np.frombuffer(file.read_bytes(), np.uint8, offset=8).astype(np.int32)
    return tables._images(folder) / 255.0, labels


@functools.lru_cache(1)
def a9a(folder):
    from sklearn.datasets import load_svmlight_file
    x, y = load_svmlight_file(str(tables._file(folder, "libsvm/a9a")), n_features=123)
    x.sort_indices()
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
    return x, (y > 0).astype(np.int32)


def judge(x, result, tolerance, labels, C, bound):
    """The objective a row, and whether its gradient is as small as asked."""
    y, coef, intercept = labels(), np.asarray(result["coef"]), np.asarray(result["intercept"])
    n, binary = x.shape[0], len(coef) == 1
    gradient, sums, loss = np.zeros_like(coef), np.zeros(len(coef)), 0.0
    for first in range(0, n, 1 << 14):
        rows = x[first : first + (1 << 14)]
        of = y[first : first + rows.shape[0]]
        scores = np.asarray(rows @ coef.T) + intercept
        if binary:
            scores = np.c_[np.zeros(len(scores)), scores[:, 0]]
        top = scores.max(axis=1, keepdims=True)
        p = np.exp(scores - top)
        total = p.sum(axis=1, keepdims=True)
        at = np.arange(len(of))
        loss -= (scores[at, of] - top[:, 0] - np.log(total[:, 0])).sum()
        p /= total
        p[at, of] -= 1
        residual = p[:, 1:] if binary else p
        gradient += np.asarray((rows.T @ residual).T)
        sums += residual.sum(axis=0)
    gradient = (gradient + coef / C) / n
    worst = max(np.abs(gradient).max(), np.abs(sums).max() / n if result["fitted_intercept"] else 0)
    complaint = None if worst <= 1.5 * bound else f"its gradient is {worst:.2g}"
    return -(loss + (coef**2).sum() / (2 * C)) / n, complaint


def cases_of(name, make, C, intercept, solvers, bound=GRADIENT):
    table = tables.Table(f"{name} of classes", lambda: make()[0])  # not the one of squares.py
    for solver in solvers:
        yield Case(
            f"{name}, beside {solver}", "logistic", table, "logistic",
            dict(C=C, intercept=intercept, tol=bound, solver=solver, max_iter=5000),
            functools.partial(judge, labels=lambda: make()[1], C=C, bound=bound), 1,
            SAME * bound / GRADIENT,
            arrays=lambda x: dict(labels=make()[1]), relative=False, rivals=("sklearn", "sklearnex"))


def judge_table(x, result, tolerance, labels):
    """Digits of the errors that are right, where the gradient of the likelihood is 0."""
    y, coef = labels(), np.r_[np.ravel(result["intercept"]), np.ravel(result["coef"])]
    gradient, information = np.zeros(len(coef)), np.zeros((len(coef), len(coef)))
    for first in range(0, len(x), 1 << 14):
        rows = np.c_[np.ones(len(x[first : first + (1 << 14)])), x[first : first + (1 << 14)]]
        p = 1 / (1 + np.exp(-rows @ coef))
        gradient += rows.T @ (p - y[first : first + len(rows)])
        information += rows.T @ (rows * (p * (1 - p))[:, None])
    worst = np.abs(gradient).max() / len(x)
    off = squares.far(result["errors"], np.sqrt(np.diag(np.linalg.inv(information)))[1:])
    complaint = f"its gradient is {worst:.2g}" if worst > 1e-8 else f"off by {off:.2g}"
    return -np.log10(max(off, 1e-16)), None if max(worst, off) <= 1e-8 else complaint


def table_case(n, d):
    return Case(
        f"the whole table, {n}x{d}", "logistic", tables.Table(f"{n}x{d} of classes", lambda: gaussian(n, d)[0]),
        "logistic_table", dict(max_iter=100), functools.partial(judge_table, labels=lambda: gaussian(n, d)[1]),
        1, 6.0, arrays=lambda x: dict(labels=gaussian(n, d)[1]), relative=False, rivals=("statsmodels",))


def cases(data, quick):
    n = 20_000 if quick else 1_000_000
    found = squares.cases(data, quick)
    found += list(cases_of(f"{n}x100", lambda: gaussian(n, 100), 1.0, True,
                          ("lbfgs", "newton-cholesky")))
    found.append(table_case(n, 20))
    if data:
        found += cases_of("MNIST", lambda: mnist(data), 1.0, True, ("lbfgs",), COARSE)
        # liblinear penalises an intercept, and has one thread: ask with --threads 1
        found += cases_of("a9a (CSR, no intercept)", lambda: a9a(data), 1.0, False,
                          ("liblinear", "newton-cholesky"))
    return found
