"""Columns that are no numbers: what they hold, in which row, and what to do about it."""

import datetime
import numbers

import numpy as np

from ._errors import InputError, InputTypeError, Place

_ADVICE = {
    "words": "Leave the column out, or convert it to numbers; NaiveBayes and Mixture take words.",
    "dates": "Leave the column out, or give numbers for it, such as the year, or days since a date.",
    "durations": "Leave the column out, or give numbers for it, such as seconds.",
    "lists": "Give each of their values a column of its own.",
}


def no_numbers(name, column, words=False):
    """The error for a column that cannot be read; `words`: they are taken too."""
    taken = "words or numbers" if words else "numbers"
    title = f"column '{name}'" if isinstance(name, str) else f"column {name}"
    place = Place(column=int(name) if isinstance(name, numbers.Integral) else str(name))
    for row, value in enumerate(column.to_pylist() if hasattr(column, "to_pylist") else column):
        if _is_number(value) or (words and isinstance(value, str)):
            continue
        kind = _kind_of(value)
        message = f"{title} holds {kind}, not {taken}: {_shown(value)} in row {row} (counted from 0)"
        return (InputError if kind == "words" else InputTypeError)(
            f"{message}\n  {_ADVICE.get(kind, 'Leave the column out.')}",
            "not-a-number",
            place._replace(row=row),
        )
    held = getattr(column, "dtype", None) or column.type
    message = f"{title} holds {held}, not {taken}\n  {_ADVICE['words'].partition(';')[0]}."
    return InputError(message, "not-a-number", place)


def _is_number(value):
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True  # missing
    if isinstance(value, (np.timedelta64, np.datetime64)):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not hasattr(value, "__len__") or isinstance(value, str)


def _kind_of(value):
    if isinstance(value, str):
        return "words"
    if isinstance(value, (datetime.date, np.datetime64)):  # a datetime is a date
        return "dates"
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return "durations"
    if hasattr(value, "__len__") and not isinstance(value, (bytes, dict)):
        return "lists"
    if isinstance(value, numbers.Number):
        return "numbers too large"
    kind = type(value).__name__  # in scikit-learn's words
    return f"{kind} (argument must be a string or a number, not {kind!r})"


def _shown(value, most=40):
    text = repr(value) if isinstance(value, str) else str(value)
    if _kind_of(value) == "lists":
        text = str(list(value))
    return text if len(text) <= most else text[:most] + "..."
