"""Exceptions and warnings."""

import errno
import re
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


# The words of the C++ messages, which are those of the shell, as they are written in Python.
_WORDS = (
    (r"--folds (\d+)", r"n_splits=\1"),
    ("fewer --folds", "a smaller n_splits"),
    ("--split plain", "KFold"),
    ("--split stratified", "StratifiedKFold"),
    ("a --time that tells", "times that tell"),
    (r"Leave --repeats out\.", "Give folds that hold each row out once."),
    (r"--metric A,B,\.\.\.", "scoring."),
    ("--target COLUMN", "y"),
    (r"Name the column that has them with --target\.", "Give them as y."),
    (r"Name another column with --target", "Give another y"),
    ("name another column with --target", "give another y"),
    ("--random N", "n_iter=N"),
    (", which --positive names", ", which positive names"),
    (r"--positive (\S+)", r"positive=\1"),
    (r" \(--missing skip\)", ""),
    ("on one or two of the columns: --features a,b", "on one or two of the columns"),
    ("--family gaussian", "family='gaussian'"),
    (r"--schema '.*' if", "a column of the other kind if"),
    (r"'craton fit MODEL --help' has", "get_params() of that model has"),
    (r"The options are listed by 'craton models'\.", "get_params() lists the options."),
    ("'craton describe'", "describe()"),
    (r"'craton models \S+' lists its options", "get_params() lists its options"),
)


def in_python_words(message):
    for shell, here in _WORDS:
        message = re.sub(shell, here, message)
    what, line, advice = message.partition("\n  ")  # names of the user are in the first part
    return what + line + re.sub(r"--([a-z]+)(?:-([a-z]+))?", _parameter, advice)


def _parameter(flag):
    return "_".join(filter(None, flag.groups()))


def from_core(message, code, kind, file, line, row, column):
    """The exception for an InputError of the C++ library, which calls this."""
    by_kind = {_MODEL_FILE: ModelFileError, _IO: FileError}.get(kind, InputError)
    made = _BY_CODE.get(code, by_kind)
    return made(in_python_words(message), code, Place(file, line, row, column))


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
