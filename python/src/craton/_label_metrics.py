"""Metrics of predicted labels."""

import numpy as np

from ._craton import metrics as _core
from ._errors import InputError
from ._metric_values import codes_of_both, one_of, warn_undefined, weights_of
from ._multilabel import chosen_columns, is_multilabel, read_both, totals_of


def _totals(y_true, y_pred, sample_weight):
    classes, truth, predicted = codes_of_both(y_true, y_pred, sample_weight)
    weights = weights_of(sample_weight, len(truth))
    return _core.ClassTotals(truth, predicted, len(classes), weights)


def accuracy_score(y_true, y_pred, *, normalize=True, sample_weight=None):
    """The share of rows whose label was predicted; their weight, if not normalize."""
    if is_multilabel(y_true) or is_multilabel(y_pred):  # all labels of a row
        truth, predicted, _ = read_both(y_true, y_pred, sample_weight)
        y_true, y_pred = np.ones(len(truth), np.int32), (truth == predicted).all(axis=1)
    totals = _totals(y_true, y_pred, sample_weight)
    share = totals.accuracy()
    return share if normalize else float(share * totals.truth.sum())


def balanced_accuracy_score(y_true, y_pred, *, sample_weight=None, adjusted=False):
    """The mean of the shares of each class; adjusted: chance is 0."""
    totals = _totals(y_true, y_pred, sample_weight)
    score = totals.balanced_accuracy()
    if not adjusted:
        return score
    chance = 1 / np.count_nonzero(totals.truth)
    return float((score - chance) / (1 - chance)) if chance < 1 else float("nan")


def matthews_corrcoef(y_true, y_pred, *, sample_weight=None):
    """The correlation of two labellings: 1 for the same, 0 for what chance gives."""
    return _totals(y_true, y_pred, sample_weight).matthews()


def confusion_matrix(y_true, y_pred, *, labels=None, sample_weight=None, normalize=None):
    """How many rows of each class (rows) were given each label (columns)."""
    one_of("normalize", normalize, (None, "true", "pred", "all"))
    present, truth, predicted = codes_of_both(y_true, y_pred, sample_weight)
    classes, codes = _with_labels(present, labels)
    if labels is not None:
        count = len(np.asarray(labels))
        if not np.isin(np.unique(codes[truth]), np.arange(count)).any():
            raise InputError("no row of y_true has one of the labels", "bad-target")
        codes = np.where(codes < count, codes, -1).astype(np.int32)
        classes = classes[:count]
    weights = weights_of(sample_weight, len(truth))
    matrix = _core.confusion_matrix(codes[truth], codes[predicted], len(classes), weights)
    if normalize is None:
        counts = sample_weight is None or np.asarray(sample_weight).dtype.kind in "iub"
        return _as_counts(matrix) if counts else matrix
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    total = matrix.sum(axis=axis, keepdims=True)
    return np.divide(matrix, total, out=np.zeros_like(matrix), where=total > 0)


def precision_recall_fscore_support(
    y_true,
    y_pred,
    *,
    beta=1.0,
    labels=None,
    pos_label=1,
    average=None,
    warn_for=("precision", "recall", "f-score"),
    sample_weight=None,
    zero_division="warn",
):
    """Precision, recall, F and support, of each class or averaged.

    y_true and y_pred may be matrices of 0 and 1, with a column for each label; then average may be
    'samples' too, the mean over rows.
    """
    one_of("average", average, (None, "binary", "micro", "macro", "weighted", "samples"))
    nan = isinstance(zero_division, float) and np.isnan(zero_division)
    if not nan:
        one_of("zero_division", zero_division, ("warn", 0, 1))
    if not beta >= 0:
        raise InputError(f"beta = {beta} is not allowed\n  Give a number from 0.")
    if is_multilabel(y_true) or is_multilabel(y_pred):
        totals = _totals_of_columns(y_true, y_pred, sample_weight, labels, average)
    else:
        totals = _totals_of_labels(y_true, y_pred, sample_weight, labels, average, pos_label)
    if average == "micro":
        totals = totals.pooled()
    support = totals.truth
    scores = totals.scores(float(beta), 0.0 if zero_division == "warn" else float(zero_division))
    if zero_division == "warn":
        _warn_zero_division(totals, warn_for)
    if average is None:
        counts = sample_weight is None or np.asarray(sample_weight).dtype.kind in "iub"
        return (*scores, _as_counts(support) if counts else support)
    by = {"weighted": support, "samples": sample_weight}.get(average)
    by = None if by is None else np.ascontiguousarray(by, np.float64)
    return (*(_core.mean_of(values, by) for values in scores), None)


def _as_counts(totals):
    """Sums of whole weights as whole numbers; the greatest there is for what is beyond."""
    beyond = totals >= 2.0**63
    counts = np.where(beyond, 0, totals).astype(np.int64)
    counts[beyond] = np.iinfo(np.int64).max
    return counts


def _totals_of_labels(y_true, y_pred, sample_weight, labels, average, pos_label):
    present, truth, predicted = codes_of_both(y_true, y_pred, sample_weight)
    if average == "samples":
        raise InputError(
            "average='samples' is for matrices of 0 and 1\n  Give average='micro', 'macro' or"
            " 'weighted', or None for each class.",
        )
    if average == "binary":
        labels = [_binary_label(present, pos_label)]
    classes, codes = _with_labels(present, labels)
    weights = weights_of(sample_weight, len(truth))
    totals = _core.ClassTotals(codes[truth], codes[predicted], len(classes), weights)
    return totals if labels is None else totals.first(len(labels))


def _totals_of_columns(y_true, y_pred, sample_weight, labels, average):
    if average == "binary":
        raise InputError(
            "Target is multilabel-indicator but average='binary'\n  Give average='micro', 'macro',"
            " 'weighted' or 'samples', or None for each class.",
        )
    truth, predicted, weights = read_both(y_true, y_pred, sample_weight)
    if labels is not None:
        columns = chosen_columns(truth.shape[1], labels)
        truth, predicted = truth[:, columns], predicted[:, columns]
    return totals_of(truth, predicted, weights, by_row=average == "samples")


def _binary_label(present, pos_label):
    if len(present) > 2:
        raise InputError(
            "Target is multiclass but average='binary'\n  Give average='micro', 'macro' or"
            " 'weighted', or None for each class.",
        )
    if len(present) == 2 and pos_label not in present.tolist():
        raise InputError(
            f"pos_label={pos_label!r} is not a valid label. It should be one of {present}",
            "bad-target",
        )
    return pos_label


def _with_labels(present, labels):
    """The labels, then those present beside them; and the place there of each present one."""
    if labels is None:
        return present, np.arange(len(present), dtype=np.int32)
    given = np.asarray(labels)
    if given.dtype.kind == "O":
        given = np.array(given.tolist())
    if given.ndim != 1 or len(given) == 0:
        raise InputError("labels should have one label at least", "bad-shape")
    if (given.dtype.kind in "US") != (present.dtype.kind in "US"):  # none of them is present
        return np.arange(len(given) + len(present)), len(given) + np.arange(len(present), dtype=np.int32)
    classes = np.concatenate([given, np.setdiff1d(present, given)])
    order = np.argsort(classes, kind="stable")
    return classes, order[np.searchsorted(classes[order], present)].astype(np.int32)


def _warn_zero_division(totals, warn_for):
    for name, empty, what in (
        ("precision", totals.predicted == 0, "no predicted rows"),
        ("recall", totals.truth == 0, "no rows"),
        ("f-score", (totals.truth == 0) & (totals.predicted == 0), "neither"),
    ):
        if name in warn_for and empty.any():
            warn_undefined(
                f"{name} is ill-defined and set to 0.0 for labels with {what}. Use zero_division to"
                " control this."
            )


def fbeta_score(
    y_true,
    y_pred,
    *,
    beta,
    labels=None,
    pos_label=1,
    average="binary",
    sample_weight=None,
    zero_division="warn",
):
    """The weighted harmonic mean of precision and recall: beta times as much weight on recall."""
    return precision_recall_fscore_support(
        y_true,
        y_pred,
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("f-score",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[2]


def f1_score(
    y_true,
    y_pred,
    *,
    labels=None,
    pos_label=1,
    average="binary",
    sample_weight=None,
    zero_division="warn",
):
    """The harmonic mean of precision and recall."""
    return fbeta_score(
        y_true,
        y_pred,
        beta=1,
        labels=labels,
        pos_label=pos_label,
        average=average,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )


def precision_score(
    y_true,
    y_pred,
    *,
    labels=None,
    pos_label=1,
    average="binary",
    sample_weight=None,
    zero_division="warn",
):
    """Of the rows that were given a label, the share that have it."""
    return precision_recall_fscore_support(
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("precision",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[0]


def recall_score(
    y_true,
    y_pred,
    *,
    labels=None,
    pos_label=1,
    average="binary",
    sample_weight=None,
    zero_division="warn",
):
    """Of the rows that have a label, the share that were given it."""
    return precision_recall_fscore_support(
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("recall",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[1]
