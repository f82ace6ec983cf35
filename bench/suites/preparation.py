"""Filling in and scaling before Gaussian naive Bayes, beside a pipeline of steps: fit and predict."""
import functools

import numpy as np

import tables
from harness import Case

SAME = 1e-9  # of what is learned
# What stands in for missing values, and what columns are scaled by.
STEPS = (("none", "standard"), ("none", "robust"), ("none", "min_max"), ("mean", "standard"),
         ("median", "robust"))


@functools.lru_cache(2)
def rows(n, d, holes):
    r = np.random.default_rng(0)
    labels = r.integers(3, size=n).astype(np.int32)
    x = (r.normal(size=(n, d)) + labels[:, None]) * 10.0 ** r.integers(-3, 4, d)
    x[r.random(x.shape) < 0.05 * holes] = np.nan
    return x, labels


def prepared(x, fill, scale):
    """What is right, in NumPy."""
    if fill != "none":
        stands_in = np.nanmean(x, 0) if fill == "mean" else np.nanmedian(x, 0)
        x = np.where(np.isnan(x), stands_in, x)
    if scale == "standard":
        return (x - x.mean(0)) / x.std(0)
    if scale == "min_max":
        return (x - x.min(0)) / np.ptp(x, 0)
    low, middle, high = np.quantile(x, (0.25, 0.5, 0.75), axis=0)
    return (x - middle) / (high - low)


@functools.lru_cache(16)
def expected(n, d, fill, scale):
    x, labels = rows(n, d, fill != "none")
    y = prepared(x, fill, scale)
    theta = np.stack([y[labels == c].mean(0) for c in range(3)])
    var = np.stack([y[labels == c].var(0) for c in range(3)])
    scores = [np.log((labels == c).mean()) - 0.5 * np.log(var[c]).sum()
              - 0.5 * ((y - theta[c]) ** 2 / var[c]).sum(1) for c in range(3)]
    return theta, np.stack(scores, 1)


def judge(_, result, tolerance, n, d, fill, scale):
    theta, scores = expected(n, d, fill, scale)
    if "theta" in result:
        gap = np.abs(result["theta"] - theta).max()
        return float(theta.mean()), None if gap <= tolerance else f"theta is off by {gap:.3g}"
    chosen = scores[np.arange(n), result["labels"]]
    if (scores.max(1) - chosen > 1e-6 * np.maximum(1, np.abs(scores).max(1))).any():
        return 0.0, "labels are not the most probable"
    return float((result["labels"] == scores.argmax(1)).mean()), None


def cases(data, quick):
    n, d = (900, 5) if quick else (1_000_000, 20)

    def case(fill, scale, what):
        holes = fill != "none"
        name = f"fill {fill}, scale {scale}, {n}x{d} float64"
        table = tables.Table(f"{n}x{d} float64{', 5 % missing' * holes}",
                             lambda: rows(n, d, holes)[0])
        right = functools.partial(judge, n=n, d=d, fill=fill, scale=scale)
        return Case(name, what, table, f"prepared_{what}", dict(fill=fill, scale=scale, max_iter=1),
                    right, 1, SAME, arrays=lambda x: dict(labels=rows(n, d, holes)[1]),
                    rivals=("sklearn",))

    return [case(fill, scale, what) for fill, scale in STEPS for what in ("fit", "predict")]
