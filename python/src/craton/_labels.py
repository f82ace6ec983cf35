"""Labels of rows: what the caller calls them, and the codes 0, 1, ... that the library knows."""

import warnings

import numpy as np

from . import _craton
from ._errors import InputError, also_of_sklearn
from ._values import is_text


class DataConversionWarning(UserWarning):
    """Data were given in a shape that is not the one asked for, and were taken all the same."""


def vector_of(y, rows, owner, stacklevel):
    """y as a 1-d array of anything; `rows`: how many there should be, None for any."""
    if y is None:
        raise InputError(
            f"{owner} requires y to be passed, but the target y is None.", "bad-target"
        )
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of"
            " y to (n_samples, ), for example using ravel().",
            also_of_sklearn(DataConversionWarning),
            stacklevel=stacklevel,
        )
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if rows is not None and len(labels) != rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: [{rows}, {len(labels)}]"
        )
    return labels


def read_labels(y, rows, owner, name="y"):
    """The same of numbers or text."""
    labels = vector_of(y, rows, owner, stacklevel=5)
    if labels.dtype.kind in "fc":
        _check_numbers(labels, name)
    elif labels.dtype.kind == "O" and any(label is None or label != label for label in labels):
        raise InputError(f"Input {name} contains NaN.", "bad-target")
    return labels


def read_some_labels(y, rows, owner):
    """The labels of the rows that have one, and which rows do.

    A row without a label has None or NaN, or -1 among numbers, as in sklearn.semi_supervised.
    """
    values = np.asarray(y)
    if values.ndim != 1 or len(values) != rows:
        read_labels(y, rows, owner)  # says what is wrong
        values = values.ravel()
    if values.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in values], dtype=bool)
    elif values.dtype.kind in "if":
        missing = np.isnan(values) | (values == -1)
    else:
        missing = np.zeros(len(values), dtype=bool)
    known = values[~missing]
    labels = read_labels(np.array(known.tolist()) if known.dtype.kind == "O" else known, None, owner)
    if len(np.unique(labels)) < 2:
        raise InputError(
            "y has fewer than two classes beside the rows without a label, which are those of"
            " None, NaN or -1 where unlabelled='em'",
            "bad-target",
        )
    return labels, ~missing


def _is_missing(value):
    return value is None or value != value or (not isinstance(value, str) and value == -1)


def _check_numbers(labels, name):
    too_large = "infinity or a value too large"
    for bad, what in ((np.isnan(labels), "NaN"), (np.isinf(labels), too_large)):
        if bad.any():
            raise InputError(f"Input {name} contains {what}.", "bad-target")
    broken = labels[labels != np.floor(labels)]
    if len(broken) > 0:
        raise InputError(
            f"Unknown label type: continuous, such as {broken[0]}. Labels are classes: whole numbers"
            f" or text.\n  Models of numbers are: {_models_of_numbers()}.",
            "bad-target",
        )


def _models_of_numbers():
    names = [model["python_name"] for model in _craton.models() if model["abilities"]["numbers"]]
    return ", ".join(names)


def classes_and_codes(labels):
    """The classes, ascending, and the place of each label among them."""
    if labels.dtype.kind in "iu" and labels.size > 0:
        low, high = int(labels.min()), int(labels.max())
        if high - low < 2 * len(labels) and abs(low) < 2**62:  # marking is faster than sorting
            there = np.zeros(high - low + 1, dtype=bool)
            for part in _parts(labels):
                there[labels[part].astype(np.intp) - low] = True
            classes = (np.flatnonzero(there) + low).astype(labels.dtype)
            places, codes = np.cumsum(there, dtype=np.int32) - 1, np.empty(len(labels), np.int32)
            for part in _parts(labels):
                codes[part] = places[labels[part].astype(np.intp) - low]
            return classes, codes
    classes = np.unique(labels)
    return classes, codes_of(labels, classes)


def _parts(labels, size=1 << 16):
    """Slices whose numbers stay in the cache: what is made of them takes no memory."""
    return (slice(first, first + size) for first in range(0, len(labels), size))


def codes_of(labels, classes):
    """The place of each label among the sorted classes."""
    codes = np.searchsorted(classes, labels)
    codes = np.minimum(codes, len(classes) - 1)
    unknown = classes[codes] != labels
    if unknown.any():
        raise InputError(
            f"The target label(s) {np.unique(labels[unknown])} in y do not exist in the initial"
            f" classes {classes}",
            "bad-target",
        )
    return codes.astype(np.int32)


def target_of(classes, y=None):
    """(name, whether they are numbers, names) of the classes, as model files keep them.

    The name is that of y: at the shell, the column to look for.
    """
    name = name_of(y)
    if classes.dtype.kind in "iuf":
        return name, True, [f"{label:.17g}" for label in classes.tolist()]
    return name, False, [str(label) for label in classes.tolist()]


def name_of(y):
    """That of a series, or of the column of a frame with one."""
    name = getattr(y, "name", None)
    if len(getattr(y, "columns", ())) == 1:
        name = y.columns[0]
    return str(name) if name and isinstance(name, str) and is_text(name) else "target"


def classes_of(target):
    """And back."""
    _, numbers, names = target
    if not numbers:
        return np.array(names)
    values = np.array([float(name) for name in names])
    whole = (values == np.floor(values)).all() and np.abs(values).max() < 2**53
    return values.astype(np.int64) if whole else values
