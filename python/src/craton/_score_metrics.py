"""Metrics of scores and probabilities of labels."""

import warnings

import numpy as np

from ._craton import metrics as _core
from ._errors import InputError
from ._labels import classes_and_codes
from ._metric_values import (
    check_lengths,
    codes_among,
    labels_of,
    numbers_of,
    one_of,
    positive_label,
    warn_undefined,
    weights_of,
)
from ._multilabel import average_columns, is_multilabel, read_indicators

_AVERAGES = ("micro", "macro", "weighted", None)


def log_loss(y_true, y_proba, *, normalize=True, sample_weight=None, labels=None):
    """Minus the mean log probability of the true labels; their sum, if not normalize.

    Probabilities are kept eps away from 0 and 1, that of their type.
    """
    truth, p, weights = _multiclass(y_true, y_proba, sample_weight, labels)
    dtype = np.asarray(y_proba).dtype
    eps = float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)
    loss = _core.log_loss(truth, p, weights, eps)
    total = len(truth) if weights is None else weights.sum()
    return loss if normalize else float(loss * total)


def brier_score_loss(
    y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None, scale_by_half="auto"
):
    """The mean squared difference of probabilities and what came true.

    scale_by_half: for two classes the sum over both is halved ("auto"), always or never.
    """
    values = np.asarray(y_proba)
    if values.ndim == 1 or values.shape[1] == 1:
        truth, p, weights = _binary(y_true, y_proba, sample_weight, pos_label)
        p = np.column_stack([1 - p, p])
    else:
        truth, p, weights = _multiclass(y_true, y_proba, sample_weight, labels)
    half = p.shape[1] < 3 if scale_by_half == "auto" else scale_by_half
    return _core.brier(truth, p, weights) * (0.5 if half else 1.0)


def calibration_curve(y_true, y_prob, *, pos_label=None, n_bins=5, strategy="uniform"):
    """In bins of the predicted probability, the share of positive rows and the mean prediction."""
    uniform = one_of("strategy", strategy, ("quantile", "uniform")) == 1
    if not n_bins >= 1:
        raise InputError(f"n_bins = {n_bins} is not allowed\n  Give a whole number from 1.")
    truth, p, _ = _binary(y_true, y_prob, None, pos_label, strict=True)
    return _core.calibration_curve(truth, p, int(n_bins), uniform)


def _check_probabilities(p):
    if p.size and (p.max() > 1 or p.min() < 0):
        raise InputError(
            f"the probabilities lie between {p.min()} and {p.max()}\n  Give numbers from 0 to 1.",
            "bad-option",
        )


def _binary(y_true, y_prob, sample_weight, pos_label, strict=False):
    labels, p = labels_of("y_true", y_true), numbers_of("y_prob", y_prob)
    check_lengths(y_true=labels, y_prob=p, sample_weight=sample_weight)
    _check_probabilities(p)
    classes = np.unique(labels)
    if len(classes) > 2:
        raise InputError(
            f"y_true has {len(classes)} classes, but y_prob has one column\n  Give a column for"
            " each class.",
            "bad-target",
        )
    truth = labels == positive_label(pos_label, classes, numbers_too=not strict)
    return truth.astype(np.int32), p, weights_of(sample_weight, len(p))


def _multiclass(y_true, y_proba, sample_weight, labels):
    given, p = labels_of("y_true", y_true), numbers_of("y_proba", y_proba, (1, 2))
    check_lengths(y_true=given, y_proba=p, sample_weight=sample_weight)
    _check_probabilities(p)
    classes = np.unique(given if labels is None else labels_of("labels", labels))
    if len(classes) == 1:
        raise InputError(
            f"y_true contains only one label ({classes[0]})\n  Give all of them as labels.",
            "bad-target",
        )
    p = p[:, None] if p.ndim == 1 else p
    p = np.column_stack([1 - p, p]) if p.shape[1] == 1 else p
    if len(classes) != p.shape[1]:
        raise InputError(
            f"there are {len(classes)} classes, but probabilities of {p.shape[1]}\n  Give all"
            " classes as labels.",
            "bad-shape",
        )
    close = np.sqrt(np.finfo(np.float64).eps)
    if np.asarray(y_proba).dtype == np.float32:
        close = np.sqrt(np.finfo(np.float32).eps)
    if not np.allclose(p.sum(axis=1), 1, rtol=close):
        warnings.warn("The probabilities of a row do not sum to one.", UserWarning, stacklevel=3)
    return codes_among(given, classes), p, weights_of(sample_weight, len(p))


# ---- rankings


def _positives(y_true, y_score, pos_label, sample_weight):
    labels, score = labels_of("y_true", y_true), numbers_of("y_score", y_score)
    check_lengths(y_true=labels, y_score=score, sample_weight=sample_weight)
    classes = np.unique(labels)
    if len(classes) > 2 and pos_label is None:
        raise InputError(
            f"y_true has {len(classes)} classes\n  Give pos_label, the one to tell from the rest.",
            "bad-target",
        )
    truth = labels == positive_label(pos_label, classes)
    return truth.astype(np.int32), score, weights_of(sample_weight, len(score))


def roc_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=True):
    """False and true positive rates at each threshold, from above."""
    rows = _positives(y_true, y_score, pos_label, sample_weight)
    false, true, thresholds = _core.ranking(*rows, bool(drop_intermediate))
    thresholds = np.r_[np.inf, thresholds]
    rates = []
    for counts, what in ((false, "negative"), (true, "positive")):
        if counts[-1] <= 0:
            warn_undefined(f"No {what} samples in y_true: the rate is not defined.")
            rates.append(np.full(len(thresholds), np.nan))
        else:
            rates.append(np.r_[0.0, counts] / counts[-1])
    return (*rates, thresholds)


def precision_recall_curve(
    y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=False
):
    """Precision and recall at each threshold, from below; then 1 and 0."""
    rows = _positives(y_true, y_score, pos_label, sample_weight)
    false, true, thresholds = _core.ranking(*rows, False)
    if drop_intermediate and len(true) > 2:
        steps = np.diff(true) != 0
        kept = np.r_[True, steps[:-1] | steps[1:], True]
        false, true, thresholds = false[kept], true[kept], thresholds[kept]
    precision = true / (true + false)
    if true[-1] == 0:
        warnings.warn("No positive class found in y_true: recall is set to one.", stacklevel=2)
        recall = np.ones(len(true))
    else:
        recall = true / true[-1]
    return np.r_[precision[::-1], 1.0], np.r_[recall[::-1], 0.0], thresholds[::-1].copy()


def roc_auc_score(
    y_true,
    y_score,
    *,
    average="macro",
    sample_weight=None,
    max_fpr=None,
    multi_class="raise",
    labels=None,
):
    """The probability that a positive row has a higher score than another; ties count half.

    Of many classes: each against the rest ("ovr"), or all pairs ("ovo").
    """
    one_of("multi_class", multi_class, ("raise", "ovr", "ovo"))
    if is_multilabel(y_true):
        return _by_columns(_column_auc(max_fpr), y_true, y_score, sample_weight, average)
    one_of("average", average, (*_AVERAGES, "samples"))
    given, score = labels_of("y_true", y_true), numbers_of("y_score", y_score, (1, 2))
    check_lengths(y_true=given, y_score=score, sample_weight=sample_weight)
    weights = weights_of(sample_weight, len(given))
    classes, codes = classes_and_codes(given)
    if len(classes) <= 2 and (score.ndim == 1 or score.shape[1] == 1):  # nothing to average
        return _binary_auc(codes, score.reshape(-1), weights, max_fpr, len(classes))
    averaging = one_of("average", average, _AVERAGES)
    if max_fpr not in (None, 1):
        raise InputError(f"max_fpr = {max_fpr} is for two classes")
    if multi_class == "raise":
        raise InputError("multi_class is not given\n  Give 'ovr' or 'ovo': y_score has a column for each class.")
    if labels is not None:
        classes = labels_of("labels", labels)
        if (classes[1:] <= classes[:-1]).any():
            raise InputError("labels should be ascending, each once")
        codes = codes_among(given, classes)
    _check_scores(score, classes)
    codes = np.ascontiguousarray(codes, np.int32)
    if multi_class == "ovo":
        if weights is not None:
            raise InputError("sample_weight is not taken with multi_class='ovo'")
        if average not in ("macro", "weighted"):
            raise InputError(f"average = {average!r} is not taken with multi_class='ovo'")
        return _core.roc_auc_ovo(codes, score, average == "weighted")
    result = _core.roc_auc_ovr(codes, score, weights, None if average is None else averaging)
    if np.isnan(result).any():
        warn_undefined("A class has no rows: its ROC AUC is not defined.")
    return result


def _by_columns(measure, y_true, y_score, sample_weight, average):
    """Of a matrix of 0 and 1 with a column for each label."""
    one_of("average", average, (*_AVERAGES, "samples"))
    truth, score = read_indicators("y_true", y_true), numbers_of("y_score", y_score, (2,))
    check_lengths(y_true=truth, y_score=score, sample_weight=sample_weight)
    if truth.shape != score.shape:
        raise InputError(
            f"y_true has {truth.shape[1]} columns, y_score {score.shape[1]}", "bad-shape"
        )
    weights = weights_of(sample_weight, len(truth))
    return average_columns(measure, truth, score, weights, average)


def _column_auc(max_fpr):
    def measure(truth, score, weights):
        codes = truth.astype(np.int32)
        return _binary_auc(codes, score, weights, max_fpr, len(np.unique(codes)))

    return measure


def _column_precision(truth, score, weights):
    if not truth.any():
        warnings.warn("No positive class found in y_true: recall is set to one.", stacklevel=4)
    return _core.average_precision(truth.astype(np.int32), np.ascontiguousarray(score), weights)


def _check_scores(score, classes):
    if score.ndim != 2 or score.shape[1] != len(classes):
        raise InputError(
            f"y_score has the shape {score.shape}, but there are {len(classes)} classes\n  Give a"
            " column for each class, and all of them as labels.",
            "bad-shape",
        )
    if not np.allclose(1, score.sum(axis=1)):
        raise InputError("the scores of a row should be probabilities and sum up to 1.0")


def _binary_auc(codes, score, weights, max_fpr, classes):
    if classes < 2:
        warn_undefined("Only one class is present in y_true: ROC AUC is not defined.")
        return float("nan")
    positive = np.ascontiguousarray(codes, np.int32)
    if max_fpr is None or max_fpr == 1:
        return _core.roc_auc(positive, np.ascontiguousarray(score), weights)
    if not 0 < max_fpr <= 1:
        raise InputError(f"max_fpr = {max_fpr} is not allowed\n  Give a number above 0, at most 1.")
    x, y, _ = roc_curve(positive, score, sample_weight=weights)
    stop = np.searchsorted(x, max_fpr, "right")
    y = np.r_[y[:stop], np.interp(max_fpr, x[stop - 1 : stop + 1], y[stop - 1 : stop + 1])]
    x = np.r_[x[:stop], max_fpr]
    area = float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
    low, high = 0.5 * max_fpr**2, max_fpr  # of chance, and the most there is
    return 0.5 * (1 + (area - low) / (high - low))


def average_precision_score(
    y_true, y_score, *, average="macro", pos_label=1, sample_weight=None
):
    """The mean of the precisions at each threshold, weighted by the gain in recall."""
    if is_multilabel(y_true):
        if pos_label != 1:
            raise InputError("pos_label is for one column of two labels\n  Leave it out.")
        return _by_columns(_column_precision, y_true, y_score, sample_weight, average)
    one_of("average", average, (*_AVERAGES, "samples"))
    given, score = labels_of("y_true", y_true), numbers_of("y_score", y_score, (1, 2))
    check_lengths(y_true=given, y_score=score, sample_weight=sample_weight)
    weights = weights_of(sample_weight, len(given))
    classes, codes = classes_and_codes(given)
    if len(classes) > 2:
        averaging = one_of("average", average, _AVERAGES)
        if pos_label != 1:
            raise InputError("pos_label is for two classes\n  Leave it out.")
        if score.shape != (len(given), len(classes)):
            raise InputError(
                f"y_score has the shape {score.shape}, but there are {len(classes)} classes\n"
                "  Give a column for each class.",
                "bad-shape",
            )
        averaging = None if average is None else averaging
        codes = np.ascontiguousarray(codes, np.int32)
        return _core.average_precision_ovr(codes, score, weights, averaging)
    if len(classes) == 2 and pos_label not in classes.tolist():
        raise InputError(
            f"pos_label={pos_label!r} is not a valid label. It should be one of {classes}",
            "bad-target",
        )
    positive = (given == pos_label).astype(np.int32)
    if not positive.any():
        warnings.warn("No positive class found in y_true: recall is set to one.", stacklevel=2)
    return _core.average_precision(positive, numbers_of("y_score", score), weights)
