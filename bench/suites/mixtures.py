"""Mixtures of counts and of yes and no: EM iterations from the same start."""
import functools

import numpy as np

import quality
import tables
from harness import Case

SAME = 1e-6  # of the mean log-likelihood after as many updates from the same start


def draw(family, n, d, k):
    r = np.random.default_rng(0)
    theta = r.uniform(0.1, 0.9, size=(k, d)) * (20 if family == "poisson" else 1)
    mean = theta[r.integers(k, size=n)]
    return (r.poisson(mean) if family == "poisson" else r.binomial(1, mean)).astype(float)


def start(x, k):
    """Groups of rows, at random: each has something of its own all the same."""
    return dict(groups=np.random.default_rng(1).integers(k, size=len(x)))


def iterations(family, n, d, k, m, whole=False):
    """The time of one of m; or of all, and what comes before, where one is too short to tell."""
    table = tables.Table(f"{family} {n}x{d}", functools.partial(draw, family, n, d, k))
    updates = m if whole else 1 + m
    return Case(
        f"{family}, {n:,} x {d}, k={k}" + f", {m} iterations" * whole,
        ("whole runs" if whole else "one EM iteration") + ", from the same start", table, "mixture",
        dict(k=k, family=family, max_iter=updates),
        functools.partial(quality.judge_mixture, family), 1, SAME, iterations=0 if whole else m,
        arrays=lambda x: start(x, k),
        reference=lambda x, given: quality.mixture_em(x, family, given["groups"], updates),
        rivals=("numpy_em", "pomegranate"))


def cases(data, quick):
    if quick:
        return [iterations(family, 2000, 4, 3, 2) for family in ("poisson", "bernoulli")]
    return [
        iterations("poisson", 200_000, 8, 8, 10),
        iterations("poisson", 200_000, 1, 3, 50, whole=True),
        iterations("bernoulli", 200_000, 32, 8, 10),
        iterations("bernoulli", 100_000, 64, 16, 5),
    ]
