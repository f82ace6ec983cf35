"""Metrics of predicted numbers."""

import numpy as np

from ._craton import metrics as _core
from ._errors import InputError
from ._metric_values import check_lengths, numbers_of, warn_undefined, weights_of


def _columns(y_true, y_pred, sample_weight):
    """Pairs of columns, one for each output, and the weights."""
    truth, predicted = numbers_of("y_true", y_true, (1, 2)), numbers_of("y_pred", y_pred, (1, 2))
    check_lengths(y_true=truth, y_pred=predicted, sample_weight=sample_weight)
    truth, predicted = (y.reshape(len(y), -1).T for y in (truth, predicted))
    if len(truth) != len(predicted):
        raise InputError(
            f"y_true has {len(truth)} outputs, y_pred {len(predicted)}\n  Give as many.", "bad-shape"
        )
    pairs = [(np.ascontiguousarray(a), np.ascontiguousarray(b)) for a, b in zip(truth, predicted)]
    return pairs, weights_of(sample_weight, truth.shape[1])


def _average(values, multioutput):
    values = np.array(values)
    if isinstance(multioutput, str):
        if multioutput == "raw_values":
            return values
        if multioutput == "uniform_average":
            return float(values.mean())
        raise InputError(
            f"multioutput = {multioutput!r} is not allowed\n  Give 'raw_values', 'uniform_average' or"
            " a weight for each output."
        )
    return float(np.average(values, weights=multioutput))


def mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The mean of the squared errors."""
    pairs, weights = _columns(y_true, y_pred, sample_weight)
    return _average([_core.mean_squared_error(*p, weights) for p in pairs], multioutput)


def root_mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The root of the mean of the squared errors, of each output."""
    errors = mean_squared_error(
        y_true, y_pred, sample_weight=sample_weight, multioutput="raw_values"
    )
    return _average(np.sqrt(errors), multioutput)


def mean_absolute_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The mean of the absolute errors."""
    pairs, weights = _columns(y_true, y_pred, sample_weight)
    return _average([_core.mean_absolute_error(*p, weights) for p in pairs], multioutput)


def median_absolute_error(y_true, y_pred, *, multioutput="uniform_average", sample_weight=None):
    """The median of the absolute errors, which some large ones do not change."""
    pairs, weights = _columns(y_true, y_pred, sample_weight)
    return _average([_core.median_absolute_error(*p, weights) for p in pairs], multioutput)


def mean_pinball_loss(
    y_true, y_pred, *, sample_weight=None, alpha=0.5, multioutput="uniform_average"
):
    """The loss whose best prediction is the alpha quantile."""
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha = {alpha} is not allowed\n  Give a number from 0 to 1.")
    pairs, weights = _columns(y_true, y_pred, sample_weight)
    losses = [_core.mean_pinball_loss(*p, weights, float(alpha)) for p in pairs]
    return _average(losses, multioutput)


def r2_score(
    y_true, y_pred, *, sample_weight=None, multioutput="uniform_average", force_finite=True
):
    """The share of the variance that the predictions explain."""
    pairs, weights = _columns(y_true, y_pred, sample_weight)
    if len(pairs[0][0]) < 2:
        warn_undefined("R^2 is not defined with fewer than two samples.")
        return float("nan")
    scores, errors, squares = np.array([_core.explained(*p, weights) for p in pairs]).T
    if not force_finite:
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = 1 - errors / squares
    if isinstance(multioutput, str) and multioutput == "variance_weighted":
        multioutput = squares if squares.any() else "uniform_average"
    return _average(scores, "uniform_average" if multioutput is None else multioutput)
