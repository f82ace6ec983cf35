"""What the metrics are given, as arrays that the library knows."""

import warnings

import numpy as np

from ._errors import InputError, InputTypeError, also_of_sklearn
from ._labels import classes_and_codes, read_labels
from ._values import refuse_complex


class UndefinedMetricWarning(UserWarning):
    """A metric is not defined for these rows, and has the value that stands for that."""


def warn_undefined(text):
    warnings.warn(text, also_of_sklearn(UndefinedMetricWarning), stacklevel=4)


def one_of(name, value, choices):
    if value not in choices:
        raise InputError(f"{name} = {value!r} is not allowed\n  Give one of {choices}.")
    return choices.index(value)


def check_lengths(**arrays):
    """Each as long as the others, those that are None aside, and not empty."""
    lengths = {name: len(a) for name, a in arrays.items() if a is not None}
    if len(set(lengths.values())) > 1:
        raise InputError(
            "Found input variables with inconsistent numbers of samples:"
            f" {list(lengths.values())}\n  These are {', '.join(lengths)}.",
            "bad-shape",
        )
    if 0 in lengths.values():
        raise InputError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is"
            " required: there are no rows to measure",
            "no-rows",
        )


def labels_of(name, y):
    """A 1-d array of labels; objects are text, unless they are numbers or flags."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] > 1:
        raise InputError(
            f"{name} has {labels.shape[1]} columns\n  Give one label for each row.", "bad-shape"
        )
    if labels.dtype.kind == "O":
        labels = np.array(labels.tolist())
    return read_labels(labels, None, name, name)


def _check_kinds(y_true, y_pred):
    """That not one of both is of labels, the other of scores: the commonest mistake."""
    both = np.asarray(y_true), np.asarray(y_pred)
    scores = [
        y.dtype.kind == "f" and y.ndim == 1 and bool((np.isfinite(y) & (y != np.floor(y))).any())
        for y in both
    ]
    if scores[0] == scores[1]:
        return
    labels = "binary" if len(np.unique(both[scores.index(False)])) <= 2 else "multiclass"
    kinds = ["continuous" if score else labels for score in scores]
    raise InputError(
        f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets\n  Labels"
        " are classes, whole numbers or text; metrics of scores take continuous numbers.",
        "bad-target",
    )


def codes_of_both(y_true, y_pred, sample_weight=None):
    """The classes of both, ascending, and the codes of each."""
    _check_kinds(y_true, y_pred)
    a, b = labels_of("y_true", y_true), labels_of("y_pred", y_pred)
    check_lengths(y_true=a, y_pred=b, sample_weight=sample_weight)
    if (a.dtype.kind in "US") != (b.dtype.kind in "US"):
        raise InputError(
            "Mix of label input types (string and number): y_true and y_pred mix numbers and text\n"
            "  Give labels of one kind.",
            "bad-target",
        )
    classes, codes = classes_and_codes(np.concatenate([a, b]))
    codes = np.ascontiguousarray(codes, np.int32)
    return classes, codes[: len(a)], codes[len(a) :]


def weights_of(sample_weight, rows):
    if sample_weight is None:
        return None
    refuse_complex("sample_weight", sample_weight)
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise InputError(
            f"sample_weight has the shape {weights.shape}, but there are {rows} rows\n"
            "  Give one weight for each row.",
            "bad-weight",
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all() and (weights > 0).any()):
        raise InputError(
            "sample_weight has a negative or infinite weight, a NaN, or nothing above 0\n"
            "  Weights count rows: 0 leaves a row out, 2 counts it twice.",
            "bad-weight",
        )
    return weights


def numbers_of(name, y, ndim=(1,)):
    """A contiguous array of finite doubles; a column counts as 1-d where that is asked for."""
    refuse_complex(name, y)
    try:
        values = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} holds something that is no number", "not-a-number") from None
    if ndim == (1,) and values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0].copy()
    if values.ndim not in ndim:
        raise InputError(f"{name} has the shape {values.shape}\n  Give one for each row.", "bad-shape")
    if not np.isfinite(values).all():
        raise InputError(f"{name} contains NaN or infinity", "not-finite")
    return values


def codes_among(labels, classes, name="y_true"):
    """The place of each label among the sorted classes."""
    at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    unknown = classes[at] != labels
    if unknown.any():
        raise InputError(
            f"{name} contains {np.unique(labels[unknown]).tolist()}, which labels does not have",
            "bad-target",
        )
    return at.astype(np.int32)


def positive_label(pos_label, classes, numbers_too=False):
    """Which of at most two classes is the positive one: 1, unless the caller says so."""
    if pos_label is not None:
        return pos_label
    if classes.dtype.kind == "S":
        raise InputTypeError(
            "Support for labels represented as bytes is not supported\n  Give text, or pos_label."
        )
    if classes.dtype.kind != "U" and set(classes.tolist()) <= {0, 1} or set(classes.tolist()) <= {-1, 1}:
        return 1
    if numbers_too and classes.dtype.kind not in "US":
        return classes[-1]
    raise InputError(
        f"y_true takes value in {{{', '.join(map(repr, classes.tolist()))}}} and pos_label is not"
        " specified: either make y_true take value in {0, 1} or {-1, 1} or pass pos_label"
        " explicitly.",
        "bad-target",
    )
