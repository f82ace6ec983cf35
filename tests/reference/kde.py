#!/usr/bin/env python3
"""Densities of craton/density/kde_test.cc by scikit-learn and SciPy: prints them.

    .venv/bin/python tests/reference/kde.py
"""
import pathlib

import numpy
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity

eruptions = numpy.array([3.6, 1.8, 3.333, 2.283, 4.533, 2.883, 4.7, 3.6, 1.95, 4.35,
                         1.833, 3.917, 4.2, 1.75, 4.7, 2.167, 1.75, 4.8, 1.6, 4.25])
at_one, at_two = [[2.0], [3.1], [5.0]], [[2.0, 3.0], [3.1, 3.1], [5.0, 4.0]]
for kernel in ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"):
    one = KernelDensity(bandwidth=0.4, kernel=kernel).fit(eruptions.reshape(-1, 1))
    two = KernelDensity(bandwidth=1.5, kernel=kernel).fit(eruptions.reshape(-1, 2))
    print(kernel, [float(v) for v in one.score_samples(at_one)], [float(v) for v in two.score_samples(at_two)])
for rule in ("scott", "silverman"):
    one = gaussian_kde(eruptions, rule)
    print(rule, float(numpy.sqrt(one.covariance[0, 0])), [float(v) for v in one.logpdf([2.0, 3.1, 5.0])])
    weighted = gaussian_kde(numpy.repeat(eruptions, numpy.arange(20) % 3), rule)
    print(rule, "by weights 0, 1, 2, 0, ...", float(numpy.sqrt(weighted.covariance[0, 0])))
# The cosine kernel of scikit-learn is not normalised where the number of columns is even: in two, the
# integral of u cos(pi u / 2) is 2 / pi - 4 / pi^2, and it takes 2 / pi.
print("cosine in two columns: add", float(numpy.log((2 / numpy.pi) / (2 / numpy.pi - 4 / numpy.pi**2))))


def normal_reference(x, factor):
    """R's bw.nrd0 (0.9) and bw.nrd (1.06), as its documentation has them."""
    high, low = numpy.percentile(x, [75, 25])
    return float(factor * min(x.std(ddof=1), (high - low) / 1.34) * len(x) ** -0.2)


for factor in (0.9, 1.06):
    repeated = numpy.repeat(eruptions, numpy.arange(20) % 3)
    print("nrd", factor, normal_reference(eruptions, factor), normal_reference(repeated, factor))


# Rules for one column, by sums over all pairs: R's bw.SJ (which bins), and cross-validation.
def psi(x, g, order):
    s, n = ((x[:, None] - x) / g) ** 2, len(x)
    polynomial = s**2 - 6 * s + 3 if order == 4 else s**3 - 15 * s**2 + 45 * s - 15
    return (numpy.exp(-s / 2) * polynomial).sum() / (n * (n - 1) * g ** (order + 1) * numpy.sqrt(2 * numpy.pi))


def sheather_jones(x):
    n, (high, low) = len(x), numpy.percentile(x, [75, 25])
    scale = min(x.std(ddof=1), (high - low) / 1.349)
    curvature, pilot = psi(x, 1.24 * scale * n ** (-1 / 7), 4), -psi(x, 1.23 * scale * n ** (-1 / 9), 6)
    constant, widest = 1 / (2 * numpy.sqrt(numpy.pi) * n), 1.144 * scale * n**-0.2
    ratio = 1.357 * (curvature / pilot) ** (1 / 7)
    solved = brentq(lambda h: (constant / psi(x, ratio * h ** (5 / 7), 4)) ** 0.2 - h, widest / 10, widest, xtol=1e-14)
    return float(solved), float((constant / psi(x, (2.394 / (n * pilot)) ** (1 / 7), 4)) ** 0.2)


def squares(x, h):
    n, s = len(x), (x[:, None] - x) ** 2 / h**2
    left_out = numpy.exp(-s / 2).sum() - n
    return (numpy.exp(-s / 4).sum() / (n**2 * numpy.sqrt(2)) - 2 * left_out / (n * (n - 1))) / (h * numpy.sqrt(2 * numpy.pi))


def likelihood(x, h):
    s = (x[:, None] - x) ** 2 / h**2
    return -numpy.log((numpy.exp(-s / 2).sum(axis=1) - 1) / ((len(x) - 1) * h * numpy.sqrt(2 * numpy.pi))).mean()


def best(criterion, x):
    grid = numpy.geomspace(x.std() / 200, x.std() * 2, 400)
    i = 1 + numpy.argmin([criterion(x, h) for h in grid[1:-1]])
    found = minimize_scalar(lambda log: criterion(x, numpy.exp(log)), bracket=numpy.log(grid[i - 1 : i + 2]), tol=1e-12)
    return float(numpy.exp(found.x)), float(found.fun)


# Velocities of 82 galaxies in 1000 km/s (Roeder 1990, as R's MASS has them).
galaxies = numpy.loadtxt(pathlib.Path(__file__).with_name("galaxies.csv"), skiprows=1)
print("galaxies: sj-ste, sj-dpi", sheather_jones(galaxies))
print("lscv", best(squares, galaxies), "likelihood", best(likelihood, galaxies))
