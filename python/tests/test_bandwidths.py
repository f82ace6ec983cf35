"""Bandwidths by rules beside those of R and KDEpy, of seven columns: tests/reference/bandwidths.py found theirs."""
import csv
import pathlib
import sys
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

import craton

REFERENCE = pathlib.Path(__file__).resolve().parents[2] / "tests/reference"
RULES = ["scott", "silverman", "nrd0", "nrd", "sj-ste", "sj-dpi", "isj", "lscv", "likelihood"]


@pytest.fixture(scope="module")
def columns():
    sys.path.insert(0, str(REFERENCE))
    try:
        from bandwidth_columns import columns
    finally:
        sys.path.pop(0)
    return columns()


@pytest.fixture(scope="module")
def theirs():
    with open(REFERENCE / "bandwidths.csv") as file:
        return list(csv.DictReader(file))


def bandwidth(x, rule, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", craton.FitWarning)  # of several optima
        model = craton.KernelDensity(bandwidth=rule).fit(x.reshape(-1, 1), sample_weight=weights)
    return float(model.bandwidth_[0])


# nrd0 and nrd are formulas. R's Sheather and Jones are of bins: of 1000, and of 20000 with a finer search.
@pytest.mark.parametrize(
    "rule, bins, tolerance",
    [
        ("nrd0", "", 1e-12),
        ("nrd", "", 1e-12),
        ("sj-ste", "1000", 1e-2),
        ("sj-ste", "20000", 5e-4),
        ("sj-dpi", "1000", 1e-2),
        ("sj-dpi", "20000", 2e-4),
        ("isj", "1024", 2.5e-3),
        ("isj", "16384", 1.5e-3),
    ],
)
def test_rules_are_rs_and_kdepys(columns, theirs, rule, bins, tolerance):
    found = [row for row in theirs if (row["rule"], row["bins"]) == (rule, bins)]
    assert len(found) == len(columns) == 7
    for row in found:
        ours = bandwidth(columns[row["column"]], rule)
        assert ours == pytest.approx(float(row["bandwidth"]), rel=tolerance), row["column"]


def criterion(x, h, pairs):
    """The estimate of the integrated squared error, up to what it is for every h: the second mean is over `pairs`."""
    squares, n = (x[:, None] - x) ** 2 / h**2, len(x)
    others = np.exp(-squares / 2).sum() - n
    return (np.exp(-squares / 4).sum() / (n**2 * np.sqrt(2)) - 2 * others / pairs) / (h * np.sqrt(2 * np.pi))


# R's bw.ucv has n^2 pairs of rows and other rows, where there are n (n - 1). Beside that it is ours.
def test_cross_validation_is_rs_or_nearer_to_the_criterion(columns, theirs):
    within = []
    for row in theirs:
        if row["rule"] != "lscv":
            continue
        x, of_r = columns[row["column"]], float(row["bandwidth"])
        n, ours = len(x), bandwidth(x, "lscv")
        within.append(abs(ours / of_r - 1) <= 0.01)
        assert criterion(x, ours, n * (n - 1)) <= criterion(x, of_r, n * (n - 1)), row["column"]
        if row["bins"] == "20000":
            around = (of_r * 0.98, of_r * 1.02)
            best = minimize_scalar(lambda h: criterion(x, h, n**2), bounds=around, options={"xatol": 1e-9})
            assert of_r == pytest.approx(best.x, rel=1e-3), row["column"]
            best = minimize_scalar(lambda h: criterion(x, h, n * (n - 1)), bounds=(ours * 0.98, ours * 1.02))
            assert ours == pytest.approx(best.x, rel=1e-4), row["column"]
    assert len(within) == 14 and sum(within) >= 10  # not of galaxies and proline


@pytest.mark.parametrize("rule", RULES)
def test_weights_are_repeats(columns, rule):
    for name, x in columns.items():
        counts = 1 + np.arange(len(x)) % 3
        assert bandwidth(x, rule, counts) == bandwidth(np.repeat(x, counts), rule), name


@pytest.mark.parametrize("rule", RULES)
def test_bandwidths_have_the_units_of_the_data(columns, rule):
    for name, x in columns.items():
        assert bandwidth(2**-20 * x - 2**-3, rule) == pytest.approx(2**-20 * bandwidth(x, rule), rel=1e-6), name


def left_out(x, weights, h, rule):
    """What lscv minimises and likelihood maximises, by sums over all pairs; a row gives up one copy, or all of it."""
    n, copies = weights.sum(), np.minimum(weights, 1)
    log_kernels = -((x[:, None] - x) ** 2) / h**2 / 2
    others = weights - np.diag(copies)
    log_left = logsumexp(log_kernels, b=others, axis=1) - np.log((n - copies) * h * np.sqrt(2 * np.pi))
    if rule == "likelihood":
        return weights @ log_left / n
    square = weights @ np.exp(log_kernels / 2) @ weights / (n**2 * h * np.sqrt(4 * np.pi))
    return square - 2 * weights @ np.exp(log_left) / n


# The last row of the second one lies so far from the others that no kernel reaches it: logarithms do.
@pytest.mark.parametrize(
    "x",
    [[1, 1.2, 1.3, 5, 5.1, 5.3, 9, 9.2, 9.3], [0, 0.1, 0.3, 10, 10.1, 10.4, 20, 20.2, 20.5, 50], [1, 2, 3, 11, 12, 13]],
)
@pytest.mark.parametrize("weights", ["none", "whole", "fractions"])
@pytest.mark.parametrize("rule", ["lscv", "likelihood"])
def test_all_local_optima_are_told(x, weights, rule):
    x = np.array(x, float)
    counts = {"none": np.ones(len(x)), "whole": 1 + np.arange(len(x)) % 2, "fractions": 0.5 + np.arange(len(x)) % 2}
    weights = counts[weights]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", craton.FitWarning)
        model = craton.KernelDensity(bandwidth=rule).fit(x.reshape(-1, 1), sample_weight=weights)
    sign = -1 if rule == "likelihood" else 1
    mean = np.average(x, weights=weights)
    deviation = np.sqrt(weights @ (x - mean) ** 2 / (weights.sum() - 1))
    widest = 2.2 * deviation * weights.sum() ** -0.2  # the search ends at 3 of them, or of quartiles
    grid = np.geomspace(widest / 200, widest, 2000)
    at = np.array([sign * left_out(x, weights, h, rule) for h in grid])
    valleys = np.flatnonzero((at[1:-1] < at[:-2]) & (at[1:-1] < at[2:])) + 1
    best = valleys[np.argsort(at[valleys])]
    told = model.bandwidth_optima_
    told = told[(told[:, 0] > grid[0]) & (told[:, 0] < widest)]
    np.testing.assert_allclose(told[:, 0], grid[best], rtol=5e-3)
    np.testing.assert_allclose(told[:, 1], [left_out(x, weights, h, rule) for h in told[:, 0]], rtol=1e-9)
    table = model.tables()["optima"]
    assert model.bandwidth_[0] == model.bandwidth_optima_[0, 0] == table["deviation"][0]
    assert craton.KernelDensity(bandwidth="isj").fit(x.reshape(-1, 1)).bandwidth_optima_ is None
