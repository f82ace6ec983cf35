"""Random cases for metrics, and how they are held against scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn.calibration
import sklearn.metrics

import craton
from craton import metrics

CASES = 200
CLOSE = dict(rtol=1e-12, atol=1e-12)
theirs = lambda name: getattr(sklearn.metrics, name, None) or getattr(sklearn.calibration, name)  # noqa: E731


def names_of(rng, labels):
    """The labels as they are, or as text, other numbers, flags or floats."""
    kind = rng.integers(5)
    if kind == 1:
        return np.array(["c", "a", "ü", "bb", "d", "e", "f"])[labels]
    if kind == 2:
        return np.array(["c", "a", "b", "x", "y", "z", "w"], dtype=object)[labels]
    if kind == 3:
        return labels * 10 - 20
    if kind == 4:
        return labels.astype(float)
    return labels


def label_pairs(rng):
    """Truth and predictions: perfect ones, one class, classes that only one side has."""
    n, k = rng.integers(1, 60), rng.integers(1, 7)
    truth = rng.integers(k, size=n)
    predicted = np.where(rng.random(n) < rng.random(), truth, rng.integers(k, size=n))
    kind = rng.integers(8)
    if kind == 0:
        predicted = truth
    elif kind == 1:
        predicted = np.minimum(predicted + 1, 6)
    elif kind == 2:
        truth = np.full(n, truth[0])
    elif kind == 3:
        predicted = np.full(n, predicted[0])
    both = names_of(rng, np.concatenate([truth, predicted]))
    return both[:n], both[n:]


def weights_or_none(rng, n):
    """None, whole numbers with zeros among them, or any."""
    kind = rng.integers(3)
    if kind == 0:
        return None
    weights = rng.integers(0, 4, n) if kind == 1 else rng.random(n)
    weights[rng.integers(n)] = 1
    return weights


def same(ours, expected):
    if isinstance(expected, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(expected)
        for a, b in zip(ours, expected):
            same(a, b)
    elif expected is None:
        assert ours is None
    else:
        assert np.shape(ours) == np.shape(expected)
        np.testing.assert_allclose(ours, expected, **CLOSE)


def compare(name, *args, **kwargs):
    """The same numbers, or both refuse with a ValueError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = theirs(name)(*args, **kwargs)
        except ValueError:
            with pytest.raises(craton.InputError):
                getattr(metrics, name)(*args, **kwargs)
            return
        ours = getattr(metrics, name)(*args, **kwargs)
    same(ours, expected)
    if isinstance(expected, float):
        assert type(ours) is float


def every(name, seed):
    return np.random.default_rng([seed, *name.encode()])


def whole_weights(rng, n):
    """For metrics that divide by what may be 0 but for rounding."""
    return None if rng.integers(2) else np.r_[rng.integers(0, 4, n - 1), 1]
