#!/usr/bin/env python3
"""Bandwidths of seven columns by R and KDEpy, for python/tests/test_bandwidths.py:

    tools/setup --bench && apt-get install r-base-core
    .venv/bin/python tests/reference/bandwidths.py > tests/reference/bandwidths.csv

KDEpy 1.1.12 solves the equation of Botev, Grotowski and Kroese in units of its grid, which is twice as long as the
data or longer, and then multiplies by the length of the data (its issue 201): `isj` is with that of the grid. Its grid
is at least 12 units longer than the data, too; here it is twice as long, whatever the units.
"""
import pathlib
import subprocess
import sys

import numpy
from KDEpy import bw_selection
from KDEpy.binning import linear_binning
from KDEpy.utils import autogrid
from scipy.fft import dct

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
from bandwidth_columns import columns  # noqa: E402


def improved(x, bins):
    grid = autogrid(x.reshape(-1, 1), boundary_abs=0, boundary_rel=0.5, num_points=bins).ravel()
    shares = linear_binning(x.reshape(-1, 1), grid)
    n = len(numpy.unique(x))  # as improved_sheather_jones() counts
    squares = numpy.arange(1, bins) ** 2.0
    solved = bw_selection._root(bw_selection._fixed_point, n, args=(n, squares, dct(shares)[1:] ** 2))
    return float(numpy.sqrt(solved) * (grid[-1] - grid[0]))


print("column,rule,bins,bandwidth")
told = "".join(f"{name},{','.join(repr(float(v)) for v in x)}\n" for name, x in columns().items())
script = here / "bandwidths.R"
print(subprocess.run(["Rscript", script], input=told, stdout=subprocess.PIPE, text=True, check=True).stdout, end="")
for name, x in columns().items():
    for bins in (1024, 16384):  # it takes the first
        print(f"{name},isj,{bins},{improved(x, bins)!r}")
