"""Gaussian mixtures: the time of an EM iteration for every shape of covariance, and whole fits."""
import functools

import numpy as np

import quality
import tables
from harness import Case

SAME = 1e-6  # of the mean log-likelihood after as many updates from the same start
STARTS = 0.1  # nats a row, from a start of each one's own: the median over seeds
REG_COVAR = 1e-6  # for all: scikit-learn's default


def work(n, d, k, covariance_type):
    """Additions and multiplications of the products of an EM iteration, as few as the formulas need.

    E: |L'(x - mu)|^2 with a triangular L, or terms x, x^2 times parameters; M: responsibilities times
    the terms, symmetric where they are. exp, log and sums over components are not counted.
    """
    triangle = d * (d + 1) // 2
    terms = {"full": k * (2 * triangle + 2 * d), "tied": triangle + 2 * k * d,
             "diag": k * 4 * d, "spherical": k * 2 * d}[covariance_type]
    return 2 * n * terms


def start(x, k, covariance_type):
    d = x.shape[1]
    precisions = {
        "full": np.repeat(np.eye(d)[None], k, 0), "tied": np.eye(d),
        "diag": np.ones((k, d)), "spherical": np.ones(k)}[covariance_type]
    return dict(weights_init=np.full(k, 1 / k), means_init=tables.rows_of(x, k),
                precisions_init=precisions)


def case(name, kind, table, k, covariance_type, tolerance, max_iter, tol, **more):
    options = dict(k=k, covariance_type=covariance_type, max_iter=max_iter, tol=tol,
                   reg_covar=REG_COVAR)
    judge = functools.partial(quality.judge_gmm, covariance_type)
    return Case(name, kind, table, "gmm", options, judge, 1, tolerance,
                rivals=("sklearn", "mlpack"), **more)


def iteration(n, d, table, k, covariance_type, m):
    return case(
        f"{table.name}, k={k}, {covariance_type}", "one EM iteration, from the same start", table,
        k, covariance_type, SAME, 1 + m, 0.0, iterations=m, work=work(n, d, k, covariance_type),
        arrays=lambda x: start(x, k, covariance_type),
        reference=lambda x, given: quality.em(
            x, covariance_type, given["weights_init"], given["means_init"],
            given["precisions_init"], REG_COVAR, 1 + m))


def whole(table, k, covariance_type):
    return case(
        f"{table.name}, k={k}, {covariance_type}",
        "whole fit with its start (n_init=1, tol=1e-3), a seed a round", table, k, covariance_type,
        STARTS, 200, 1e-3, seeds=True, relative=False)


def cases(data, quick):
    types = ("full", "tied", "diag", "spherical")
    if quick:
        two = tables.groups(3000, 3, "float64")
        return [*(iteration(3000, 3, two, 4, t, 2) for t in types), whole(two, 2, "full")]
    shapes = [(1_000_000, 8, 8), (200_000, 16, 16), (100_000, 64, 8)]
    letters = tables.mnist_components(data, "float64")
    phoneme = tables.numbers(data, "phoneme", range(5), "5404x5")
    abalone = tables.numbers(data, "abalone", range(1, 8), "4177x7")
    return [
        *(iteration(n, d, table, k, t, 3) for n, d, k in shapes
          for table in [tables.blobs(n, d, k, "float64")] for t in types),
        *(whole(table, k, t) for table, k in ((letters, 10), (phoneme, 5), (abalone, 3))
          for t in ("full", "diag")),
    ]
