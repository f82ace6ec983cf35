"""Targets of several labels for each row: matrices of 0 and 1, a column for each label."""

import numpy as np

from ._craton import metrics as _core
from ._errors import InputError
from ._metric_values import check_lengths, weights_of


def is_multilabel(y):
    """Whether y has columns of its own: sparse, or an array of two dimensions, two columns or more."""
    return hasattr(y, "indptr") or (np.ndim(y) == 2 and np.shape(y)[1] > 1)


def read_indicators(name, y):
    """y as an array of bool."""
    values = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if values.ndim != 2 or values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        raise InputError(
            f"{name} has several columns, but not of 0 and 1 alone\n  Give one label for each row,"
            " or a column of 0 and 1 for each label.",
            "bad-target",
        )
    return values.astype(bool)


def read_both(y_true, y_pred, sample_weight):
    """Both as arrays of bool of one shape, and the weights."""
    if not (is_multilabel(y_true) and is_multilabel(y_pred)):
        raise InputError(
            "one of y_true and y_pred has several columns, the other one label for each row\n"
            "  Give both alike.",
            "bad-target",
        )
    truth, predicted = read_indicators("y_true", y_true), read_indicators("y_pred", y_pred)
    check_lengths(y_true=truth, y_pred=predicted, sample_weight=sample_weight)
    if truth.shape != predicted.shape:
        raise InputError(
            f"y_true has {truth.shape[1]} columns, y_pred {predicted.shape[1]}", "bad-shape"
        )
    return truth, predicted, weights_of(sample_weight, len(truth))


def totals_of(truth, predicted, weights, by_row=False):
    """ClassTotals of the labels, or of the rows.

    A cell where both are 1 is a row of the class that was found; one of 1 alone is a row that has,
    or was given, a class beyond the last.
    """
    row, label = np.nonzero(truth | predicted)
    classes = truth.shape[0 if by_row else 1]
    of = (row if by_row else label).astype(np.int32)
    a = np.where(truth[row, label], of, classes).astype(np.int32)
    b = np.where(predicted[row, label], of, classes).astype(np.int32)
    each = None if weights is None or by_row else weights[row]
    return _core.ClassTotals(a, b, classes + 1, each).first(classes)


def chosen_columns(columns, labels):
    """Which columns `labels` names."""
    given = np.asarray(labels)
    if given.dtype.kind not in "iu" or given.size == 0:
        raise InputError("labels should be numbers of columns", "bad-target")
    if given.max() >= columns or given.min() < 0:
        raise InputError(
            f"All labels must be in [0, n labels) for multilabel targets. Got {given.min()} to"
            f" {given.max()} for {columns} columns",
            "bad-target",
        )
    return given


def average_columns(measure, truth, score, weights, average):
    """measure(truth, score, weights) of columns, rows or all cells, as `average` says."""
    if average == "micro":
        each = None if weights is None else np.repeat(weights, truth.shape[1])
        return measure(truth.ravel(), score.ravel(), each)
    if average == "samples":
        values = [measure(t, s, None) for t, s in zip(truth, score)]
        return float(np.average(values, weights=weights))
    values = np.array([measure(t, s, weights) for t, s in zip(truth.T, score.T)])
    if average is None:
        return values
    if average == "macro":
        return float(values.mean())
    by = truth.sum(axis=0) if weights is None else weights @ truth
    return float(_core.mean_of(values, by.astype(np.float64)))
