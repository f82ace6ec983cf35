"""Exceptions and warnings."""

import errno
import sys
from typing import NamedTuple, Optional, Union


class Place(NamedTuple):
    """Where an error is; what is not known is None."""

    file: Optional[str] = None
    line: Optional[int] = None  # of the file, from 1
    row: Optional[int] = None  # of the table, from 0
    column: Union[str, int, None] = None  # its name; or its index, from 0, where there are no names


def printable(text):
    """The text with everything spelt out that a terminal would obey; lines stay lines."""
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )


class InputError(ValueError):
    """What was given cannot be used: the text says what, where, and what to do.

    Attributes
    ----------
    code : str
        A stable name of the kind of error, such as ``'not-finite'``.
    place : Place
        File, line, row and column, as far as they are known.
    """

    _by_index = None  # the message for a table without names of columns, where it differs

    def __init__(self, message, code="bad-option", place=Place()):
        super().__init__(printable(message))
        self.code = code
        self.place = place

    def __str__(self):  # OSError, a base of some, has its own
        return self.args[0]

    def __reduce__(self):
        return type(self), (self.args[0], self.code, self.place)


class InputTypeError(InputError, TypeError):
    """An argument of a type that is not taken."""


class DecodeError(InputError, UnicodeDecodeError):
    """Bytes that are no text in the encoding they should be in."""

    def __init__(self, message, code, place, cause=("utf-8", b"", 0, 0, "")):
        UnicodeDecodeError.__init__(self, *cause)
        self.args = (printable(message),)
        self.code = code
        self.place = place


class ModelFileError(InputError):
    """A model file that is damaged, newer than this version, or not a model file."""


class FileError(InputError, OSError):
    """A file that cannot be read or written."""

    def __init__(self, message, code, place):
        super().__init__(message, code, place)
        self.filename = place.file


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist."""

    def __init__(self, message, code, place):
        super().__init__(message, code, place)
        self.errno = errno.ENOENT


class OutOfMemoryError(InputError, MemoryError):
    """The work needs more memory than there is."""


_MODEL_FILE = 3  # ErrorKind of base/error.h
_IO = 5
_BY_CODE = {"no-such-file": MissingFileError, "out-of-memory": OutOfMemoryError}


def from_core(message, by_index, code, kind, file, line, row, column):
    """The exception for an InputError of the C++ library, which calls this.

    `by_index` is the message with columns called by their index, from 0.
    """
    by_kind = {_MODEL_FILE: ModelFileError, _IO: FileError}.get(kind, InputError)
    error = _BY_CODE.get(code, by_kind)(message, code, Place(file, line, row, column))
    if by_index != message:
        error._by_index = by_index
    return error


class NotFittedError(ValueError, AttributeError):
    """The estimator has learned nothing yet: call fit first."""


class FitWarning(UserWarning):
    """Something to know about a fit that went on all the same."""


class ConvergenceWarning(FitWarning):
    """A fit stopped at max_iter."""


def also_of_sklearn(kind):
    """`kind`, which is scikit-learn's class of that name too when that library is loaded."""
    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is None:
        return kind
    if kind not in _of_both:
        bases = (kind, getattr(exceptions, kind.__name__))
        # Unpickled where scikit-learn may not be loaded: as the class of ours.
        body = {"__doc__": kind.__doc__, "__module__": kind.__module__}
        body["__reduce__"] = lambda self: (kind, self.args)
        _of_both[kind] = type(kind.__name__, bases, body)
    return _of_both[kind]


_of_both = {}
