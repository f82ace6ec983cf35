"""Figures of docs/kde.md: densities at an end of a column, by reflection and by lines.

    PYTHONPATH=build/release/python python tests/reference/kde_ends.py

A million rows of exp(-x), its quantiles at equal steps; the density at 0, which is 1, is about the
mean over samples. Beside it for lines what the formula says of that density itself, by SciPy.
"""
import numpy as np
from scipy.integrate import quad

import craton

rows = -np.log((np.arange(1_000_000) + 0.5) / 1_000_000).reshape(-1, 1)


def by_formula(h):
    """At 0: of u = -y / h, moments over u < 0 and the mean by the density exp(-y)."""
    bell = lambda u: np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
    a = [quad(lambda u: u**order * bell(u), -40, 0)[0] for order in range(3)]
    plain = quad(lambda u: bell(u) * np.exp(h * u), -40, 0)[0]
    mean = quad(lambda u: u * bell(u) * np.exp(h * u), -40, 0)[0] / plain
    ratio = a[0] * (a[2] - a[1] * mean) / (a[0] * a[2] - a[1] ** 2)
    return plain / a[0] * np.exp(ratio - 1)


for h in (0.2, 0.1, 0.05):
    told = []
    for support in ("1=0..", "1=0.. linear"):
        model = craton.KernelDensity(bandwidth=h, support=support).fit(rows)
        told.append(float(np.exp(model.score_samples([[0.0]]))[0]))
    scale = told[1] / by_formula(h)  # the integral is made one
    print(f"h {h}: reflected {told[0]:.3f}, linear {told[1]:.3f}; integral {1 / scale:.5f}")
