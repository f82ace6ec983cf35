"""Kernel density estimates of standard normal rows with Silverman's bandwidth, which is best for them."""
import functools

import numpy as np

import tables
from harness import Case

CHECKED = 100  # queries that are summed here, too
TIMED = 1000  # queries of rivals that take their time
ROWS = 2000  # of rivals whose time grows with the square of rows
BLOCK = 1 << 16  # rows at a time
ANY = 99.0  # digits that the errors of two sides may differ by: each has its own bound


def silverman(n, d):
    return (4 / ((d + 2) * n)) ** (1 / (d + 4))


@functools.lru_cache(4)
def normal(n, d, seed):
    return np.random.default_rng(seed).normal(size=(n, d))


# ---- what is right, by the formulas


def log_densities(x, queries, h, weights=None):
    """By all rows, from the differences; added in extended precision."""
    w = np.ones(len(x)) if weights is None else weights
    columns = [np.ascontiguousarray(column) for column in x.T]
    found = []
    for query in queries:
        sum_, total = np.longdouble(0), np.longdouble(0)
        for first in range(0, len(x), BLOCK):
            part = slice(first, first + BLOCK)
            square = sum(((column[part] - q) / h) ** 2 for column, q in zip(columns, query))
            sum_ += (w[part] * np.exp(-square / 2)).sum()
            total += w[part].sum()
        found.append(np.log(sum_ / total) - x.shape[1] * np.log(h * np.sqrt(2 * np.pi)))
    return np.array(found, float)


@functools.lru_cache(4)
def expected(n, d, weighted):
    """Of the queries that are checked."""
    return log_densities(normal(n, d, 0), normal(n, d, 1)[:CHECKED], silverman(n, d),
                         weights(n) if weighted else None)


def judge(x, result, tolerance):
    """The digits that are right, and at least those that are promised."""
    exact = expected(*x.shape, "weighted" in result)
    given = np.asarray(result["log_density"], float)[: len(exact)]
    off = np.abs(np.expm1(given - exact[: len(given)]))
    off = float(np.nan_to_num(off, nan=np.inf).max())
    bound = float(result["bound"])
    complaint = f"it is off by {off:.1g}, and promised {bound:.1g}" if off > bound else None
    return -np.log10(max(off, 1e-16)), complaint


def judge_grid(x, result, tolerance, grid, h):
    """Beside the highest density: between that and 0 in the tails curves are drawn."""
    some = slice(None, None, max(1, len(grid) // CHECKED))
    exact = np.exp(log_densities(x, grid[some], h))
    given = np.nan_to_num(np.exp(np.asarray(result["log_density"], float)))[some]
    off = float(np.abs(given - exact).max() / exact.max())
    return -np.log10(max(off, 1e-16)), None


def criterion(x, rule, h):
    """Of rows left out one by one; less is better."""
    n, own, crossed = len(x), 0.0, np.zeros(len(x))
    for first in range(0, n, 256):
        square = ((x[first : first + 256] - x.T) / h) ** 2
        k = np.exp(-square / 2)
        crossed[first : first + 256] = k.sum(1) - 1
        if rule == "lscv":
            own += np.sqrt(k).sum()  # exp(-u^2 / 4)
    left_out = crossed / ((n - 1) * h * np.sqrt(2 * np.pi))
    if rule == "likelihood":
        with np.errstate(divide="ignore"):
            return -np.log(left_out).mean()
    return own / (n * n * h * 2 * np.sqrt(np.pi)) - 2 * left_out.mean()


def judge_bandwidth(x, result, tolerance, rule):
    """No better bandwidth is near, nor far, of the rows that were used."""
    rows, h = x[: int(result["rows"])], float(result["bandwidth"])
    found = criterion(rows, rule, h)
    for other in (0.5, 0.8, 0.97, 1.03, 1.25, 2):
        better = criterion(rows, rule, other * h)
        if better < found:
            return -found, f"{other * h:.4g} is better than {h:.4g}: {better:.9g}, {found:.9g}"
    return -found, None


# ---- the cases


def weights(n):
    return np.random.default_rng(2).uniform(0.5, 2, size=n)


def table(n, d):
    return tables.Table(f"{n}x{d} normal", lambda: normal(n, d, 0))


def densities(n, d, rtol, timed, *rivals):
    return Case(
        f"{n} of {n}x{d} at {rtol:g}; rivals: {timed}, scaled", "fit and densities", table(n, d), "kde",
        dict(bandwidth=silverman(n, d), rtol=rtol, max_iter=timed), judge, 1, ANY,
        arrays=lambda x: dict(queries=normal(n, d, 1)), relative=False, rivals=rivals, errors=True)


def weighted(n, d, rtol):
    return Case(
        f"{n} of {n}x{d} at {rtol:g}", "weights: with / without", table(n, d), "kde_weights",
        dict(bandwidth=silverman(n, d), rtol=rtol, max_iter=1), judge, 1, ANY,
        arrays=lambda x: dict(queries=normal(n, d, 1), weights=weights(n)), relative=False,
        rivals=("craton_weighted",), errors=True, race=False)


def grids(n, points):
    x, h = normal(n, 1, 0), silverman(n, 1)
    grid = np.linspace(x.min() - 3 * h, x.max() + 3 * h, points)[:, None]
    for task, name in (("kde_grid", "fit and grid"), ("kde_ready", "grid of a model that is there")):
        yield Case(
            f"{points} of {n}x1", name, table(n, 1), task, dict(bandwidth=h, rtol=1e-8, max_iter=1),
            functools.partial(judge_grid, grid=grid, h=h), 1, ANY,
            arrays=lambda x: dict(queries=grid), relative=False, rivals=("kdepy",), errors=True)


def bandwidths(n, rows):
    for rule in ("lscv", "likelihood"):
        yield Case(
            f"{rule} of {n}x1; rivals: of {rows}, scaled by the square", "bandwidths", table(n, 1),
            "kde_bandwidth", dict(rule=rule, max_iter=rows),
            functools.partial(judge_bandwidth, rule=rule), 1, np.inf, relative=False,
            rivals=("statsmodels",))


def cases(data, quick):
    many, some, few = (2000, 1000, 600) if quick else (1_000_000, 100_000, 10_000)
    timed, rows = (50, 200) if quick else (TIMED, ROWS)
    return [
        densities(many, 1, 1e-8, timed, "sklearn", "kdepy"),
        weighted(many, 1, 1e-8),
        *grids(many, 64 if quick else 1024),
        densities(many, 2, 1e-6, timed, "sklearn"),
        weighted(many, 2, 1e-6),
        *(densities(some, d, 1e-2, timed, "sklearn") for d in (3, 4, 5, 6)),
        *bandwidths(few, rows),
    ]
