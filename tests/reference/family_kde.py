#!/usr/bin/env python3
"""Numbers of craton/families/kde_test.cc by SciPy's gaussian_kde: prints them.

    .venv/bin/python tests/reference/family_kde.py
"""
import numpy
from scipy.stats import gaussian_kde

eruptions = numpy.array([3.6, 1.8, 3.333, 2.283, 4.533, 2.883, 4.7, 3.6, 1.95, 4.35,
                         1.833, 3.917, 4.2, 1.75, 4.7, 2.167, 1.75, 4.8, 1.6, 4.25])
counts = 1 + numpy.arange(20) % 3
at = [2.0, 3.1, 5.0, 9.0]


def told(name, values, bandwidth):
    """SciPy's factor is in units of the standard deviation, divided by n - 1."""
    estimate = gaussian_kde(values, bandwidth if isinstance(bandwidth, str) else bandwidth / values.std(ddof=1))
    print(name, "bandwidth", repr(float(numpy.sqrt(estimate.covariance[0, 0]))))
    print("  log density", [float(v) for v in estimate.logpdf(at)])
    print("  cdf", [float(estimate.integrate_box_1d(-numpy.inf, v)) for v in at])


told("once", eruptions, "scott")
told("once", eruptions, 0.25)
told("counts", numpy.repeat(eruptions, counts), "silverman")
# Rows left out: the density of each by the others.
for i in (0, 9, 18):
    others = numpy.delete(eruptions, i)
    print("without row", i, float(gaussian_kde(others, 0.25 / others.std(ddof=1)).logpdf(eruptions[i])[0]))
