"""Arguments as the library knows values. What cannot be one is refused by name."""

import numbers
import os

import numpy as np

from ._errors import InputError, InputTypeError

MOST_THREADS = 1024  # as at the shell


def whole_number(name, value, low, high):
    """`value` as an int; TypeError for what is no whole number, InputError outside the range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise InputTypeError(
            f"{name} = {value!r} is not allowed\n  Give a whole number, from {low} to {high}."
        )
    if not low <= value <= high:
        raise InputError(
            f"{name} = {value} is not allowed\n  Give a whole number, from {low} to {high}."
        )
    return int(value)


def finite_number(name, value):
    """`value` as a float; InputError for what is no finite number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} = {value!r} is not allowed\n  Give a number.")
    if not np.isfinite(value):
        raise InputError(f"{name} = {value!r} is not allowed\n  Give a finite number.")
    return float(value)


def threads(n_jobs):
    """n_jobs as the library wants it: 0 for all cores."""
    if n_jobs is None or (isinstance(n_jobs, numbers.Integral) and n_jobs == -1):
        return 0
    if isinstance(n_jobs, numbers.Integral) and n_jobs < 0:  # joblib's rule: -2 is all but one
        return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))
    if isinstance(n_jobs, numbers.Integral) and 1 <= n_jobs <= MOST_THREADS:
        return int(n_jobs)
    raise InputError(
        f"n_jobs = {n_jobs!r} is not allowed\n  Give a number of threads, from 1 to"
        f" {MOST_THREADS}, or None for all cores."
    )


def path_text(path):
    """A path as text that every system call takes; names of files may be any bytes."""
    text = os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"the path {text!r} is not text in UTF-8\n  Give the file a name without such"
            " characters."
        ) from None
    return text


def is_text(name):
    """Whether a name can be kept in a file."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in name


def refuse_complex(name, values):
    """NumPy would drop their imaginary parts with a warning."""
    if np.asarray(values).dtype.kind == "c":
        raise InputError(f"{name} holds complex numbers\n  Give real ones.", "unsupported-data")


def plain(name, value):
    """A parameter as None, bool, int, float, str or array of doubles."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, dict):  # what each column is, by name, or by index where there are none
        return ",".join(f"{_column_name(column)}={what}" for column, what in value.items())
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value) if -(2**63) <= value < 2**63 else float(min(max(value, -1e300), 1e300))
    if isinstance(value, numbers.Real):
        return float(value)
    try:
        refuse_complex(name, value)
        array = np.array(value, dtype=np.float64, order="C")
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError):
        return repr(value)  # it is refused by name and with what is allowed
    return array if array.size > 0 and array.ndim > 0 else repr(value)


def _column_name(column):
    return column + 1 if isinstance(column, numbers.Integral) else column
