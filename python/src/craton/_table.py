"""Tables from elsewhere: NumPy, pandas, polars, Arrow and lists become rows of float or double.

A C-contiguous float32 or float64 array is used as it is; anything else is converted once. The words
of the messages are scikit-learn's where its checks of estimators look for them.
"""

import contextlib
import decimal
import sys
from typing import Any, NamedTuple, Optional

import numpy as np

from ._craton import SparseRows, TextColumn
from ._errors import InputError, InputTypeError, Place
from ._refused import no_numbers
from ._values import is_text, threads


class Table(NamedTuple):
    # n x d, float32 or float64: an array with contiguous rows, or SparseRows; or texts: n x 0
    rows: Any
    names: Optional[list]  # of the columns, when the table has any
    index: Any  # of a pandas frame
    levels: Optional[list] = None  # of each column: what its codes stand for, None for numbers
    options: Any = {}  # of texts: what to count in them


def read_table(X, owner, sparse=False, categories=None, n_jobs=None):
    """X as a Table; `owner` names the estimator in messages and says if it takes sparse rows.

    categories: None when the estimator takes numbers only; else Categories.
    """
    names = index = None
    columns = _frame_columns(X)
    if columns is None and _are_texts(X):
        raise _texts_refused(owner, sparse)
    if categories is not None and columns is None:
        X = _object_array(X)
    if sparse and isinstance(X, SparseRows):
        rows = X
    elif sparse and _is(X, "scipy.sparse", "spmatrix", "sparray"):
        rows = _sparse_rows(X, threads(n_jobs))
    elif columns is None and categories is not None and X.dtype.kind in "OUS" and X.ndim == 2:
        rows = _rows_of(list(enumerate(X.T)), len(X), categories)
    elif columns is None:
        rows = _numbers(X, owner)
    else:
        rows = _frame_rows(X, columns, owner, categories)
        names = names_of(X)
        index = X.index if _is(X, "pandas", "DataFrame") else None
    for size, what in zip(rows.shape, ("sample(s)", "feature(s)")):
        if size == 0:
            raise InputError(
                f"Found array with 0 {what} (shape={rows.shape}) while a minimum of 1 is required"
                f" by {owner}.",
                "no-rows" if what == "sample(s)" else "bad-shape",
            )
    if categories is not None and categories.everything:
        rows = categories.recode(rows)
    rows = rows if isinstance(rows, SparseRows) else _contiguous(rows)
    return Table(rows, names, index, categories and categories.found(rows.shape[1]))


def _are_texts(X):
    """Documents instead of rows: a list, array or series of strings."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], str)
    if len(getattr(X, "shape", ())) != 1 or not len(X):
        return False
    first = X.iloc[0] if hasattr(X, "iloc") else X[0]
    return isinstance(first, str)


def _texts_refused(owner, sparse):
    if sparse:
        advice = f"craton.make_pipeline(craton.CountVectorizer(), craton.{owner}()) takes texts."
    else:
        advice = "craton.CountVectorizer counts their words."
    return InputError(
        f"X holds texts, and {owner} takes rows of numbers\n  {advice}", "not-a-number"
    )


def _sparse_rows(X, n_threads):
    X = X.tocsr()
    values = _to_float(X.data, "X")
    try:
        return _compressed(X, values, n_threads)
    except ValueError:  # columns that are repeated, or do not ascend
        X = X.copy()
        X.sum_duplicates()
        return _compressed(X, _to_float(X.data, "X"), n_threads)


def _compressed(X, values, n_threads):
    indices = X.indices.astype(np.int32, copy=False)
    return SparseRows(X.indptr, indices, np.ascontiguousarray(values), X.shape, n_threads)


def some_rows(rows, first, last):
    """Rows of SparseRows, or texts, that follow each other."""
    if isinstance(rows, TextColumn):
        return rows.part(first, last)
    offsets = rows.indptr[first : last + 1]
    entries = slice(offsets[0], offsets[-1])
    shape = (last - first, rows.shape[1])
    return SparseRows(offsets - offsets[0], rows.indices[entries], rows.data[entries], shape, 1)


def read_weights(sample_weight, rows):
    """One weight a row as doubles, or None when all are equal."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.ndim == 0:
        weights = np.full(rows, weights)
    if weights.ndim != 1:
        raise InputError("Sample weights must be 1D array or scalar", "bad-weight")
    if weights.shape[0] != rows:
        raise InputError(
            f"sample_weight.shape == {weights.shape}, expected {(rows,)}!", "bad-weight"
        )
    weights = np.ascontiguousarray(_to_float(weights, "sample_weight"), dtype=np.float64)
    if not weights.any():
        raise InputError(
            "Sample weights must contain at least one non-zero number.", "bad-weight"
        )
    return weights


def _is(X, module, *names):
    # If X is a pandas frame, then pandas is loaded: nothing is imported to find out.
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(X, getattr(loaded, n, ())) for n in names)


def names_of(X):
    """The names of the columns of a frame, when they have any."""
    if _is(X, "pandas", "DataFrame") or _is(X, "polars", "DataFrame"):
        return _checked_names(X.columns)
    if _is(X, "pyarrow", "Table", "RecordBatch"):
        return _checked_names(X.schema.names)
    return None


def without_words(X):
    """A frame without its columns of words, and what these are called."""
    columns = _frame_columns(X) or []
    words = [_holds_words(*column) for column in columns]
    left_out = [name for (name, _), out in zip(columns, words) if out]
    if not left_out:
        return X, []
    kept = [j for j, out in enumerate(words) if not out]
    if _is(X, "pandas", "DataFrame"):
        return X.iloc[:, kept], left_out
    return X.select([columns[j][0] for j in kept]), left_out


def _holds_words(name, column):
    try:
        _column_values(name, column)
    except InputError as error:
        return not isinstance(error, InputTypeError)
    return False


def _frame_columns(X):
    """Pairs of name and column of a frame; None for anything else."""
    if _is(X, "pandas", "DataFrame"):
        return [(name, X.iloc[:, j]) for j, name in enumerate(X.columns)]
    if _is(X, "polars", "DataFrame"):
        return list(zip(X.columns, X.get_columns()))
    if _is(X, "pyarrow", "Table", "RecordBatch"):
        return list(zip(X.schema.names, X.columns))
    return None


def _frame_rows(X, columns, owner, categories):
    known = categories is not None and categories.known is not None
    if not known and _is(X, "pandas", "DataFrame") and X.dtypes.nunique() == 1:
        if isinstance(X.dtypes.iloc[0], np.dtype) and X.dtypes.iloc[0].kind in "fiub":
            return _numbers(X.to_numpy(), owner)  # often a view
    return _rows_of(columns, len(X), categories)


def _rows_of(columns, count, categories):
    if categories is None:
        parts = [_column_values(name, column) for name, column in columns]
    else:
        parts = [categories.read(j, *column) for j, column in enumerate(columns)]
    dtype = np.float32 if {part.dtype for part in parts} == {np.dtype("f4")} else np.float64
    rows = np.empty((count, len(parts)), dtype)
    for j, part in enumerate(parts):
        rows[:, j] = part
    return rows


class Categories:
    """Columns of words become codes: the places of the words among the sorted levels.

    known: the levels of each column in fit; a word that is none of them is missing, as None is, or
    has a code behind them (others), for models that ask.
    everything: columns of numbers that are no codes 0, 1, ... too: each value is a level.
    weights: of the rows, when they are known: words of rows of weight 0 are no levels.
    together: columns are all codes, or all words.
    """

    def __init__(
        self, known=None, everything=False, weights=None, together=False, others=False
    ):
        self.known = known
        self.everything = everything
        self._together = together
        self._others = others
        self._weights = weights
        self._levels = {}

    def found(self, columns):
        return [self._levels.get(j) for j in range(columns)] if self._levels else None

    def read(self, j, name, column):
        if self.known is None and not _is_category(column):
            try:
                return _column_values(name, column)
            except InputError:
                pass
        elif self.known is not None and (j >= len(self.known) or self.known[j] is None):
            return _column_values(name, column)
        try:
            words = [_word(value) for value in _values_of(column)]
        except (TypeError, ValueError):
            raise no_numbers(name, column, words=True) from None
        return self._codes(j, words)

    def recode(self, rows):
        codes = [_is_codes(column) for column in rows.T]
        if self._together and (self._levels or not all(codes)):
            codes = [False] * len(codes)
        for j, is_codes in enumerate(codes):
            column = rows[:, j]
            if j in self._levels or np.isinf(column).any():
                continue
            if is_codes if self.known is None else self.known[j : j + 1] in ([], [None]):
                continue
            words = [_word(value) for value in column.tolist()]
            rows = rows.copy() if not self._levels else rows
            rows[:, j] = self._codes(j, words)
        return rows

    def _codes(self, j, words):
        levels = self.known[j] if self.known else self._seen(words)
        if self.known and self._others:
            levels = levels + sorted(set(words).difference(levels, [None]))
        self._levels[j] = levels
        place = {level: code for code, level in enumerate(levels)}
        return np.array([place.get(word, np.nan) for word in words], dtype=np.float64)

    def _seen(self, words):
        weights = np.asarray(1 if self._weights is None else self._weights)
        counts = weights != 0 if weights.shape == (len(words),) else np.ones(len(words), bool)
        return sorted({word for word, count in zip(words, counts) if count and word is not None})


def _is_codes(column):
    seen = column[~np.isnan(column)]
    return (seen >= 0).all() and (seen == np.floor(seen)).all()


def _is_category(column):
    dtype = str(getattr(column, "dtype", None) or getattr(column, "type", "")).lower()
    return dtype.startswith(("category", "categorical", "enum", "dictionary"))


def _values_of(column):
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def _word(value):
    if isinstance(value, str):
        return str(value)
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    if isinstance(value, (int, float, np.integer, np.floating, decimal.Decimal)):
        return repr(float(value)).removesuffix(".0")
    raise TypeError


def _object_array(X):
    """X as an array; of lists with words among numbers, one of objects."""
    if hasattr(X, "dtype") or _is(X, "scipy.sparse", "spmatrix", "sparray"):
        return X
    rows = np.asarray(X)
    return np.asarray(X, dtype=object) if rows.dtype.kind in "US" else rows


def _column_values(name, column):
    try:
        if isinstance(column, np.ndarray):
            return column.astype(np.float64)
        if _is(column, "pandas", "Series") and not isinstance(column.dtype, np.dtype):
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        if _is(column, "pyarrow", "Array"):
            values = column.to_numpy(zero_copy_only=False)
        else:
            values = column.to_numpy()  # what is missing becomes NaN
        if values.dtype.kind not in "fiubO" or values.ndim != 1:
            raise TypeError
        return values.astype(np.float64) if values.dtype.kind == "O" else values
    except (TypeError, ValueError, OverflowError):
        raise no_numbers(name, column) from None


def _checked_names(names):
    """The names when all are text, None when none is; scikit-learn's rule."""
    names = list(names)
    kinds = {type(name) for name in names}
    if not any(issubclass(kind, str) for kind in kinds):
        return None
    if all(issubclass(kind, str) for kind in kinds):
        several = [] if len(set(names)) == len(names) else names
        return [_checked_name(str(name), several) for name in names]
    raise InputTypeError(
        "Feature names are only supported if all input features have string names, but your input"
        f" has {sorted(kind.__qualname__ for kind in kinds)} as feature name / column name types."
        " Convert them all to strings: X.columns = X.columns.astype(str).",
        "unsupported-data",
    )


def _checked_name(name, several):
    if several and several.count(name) > 1:
        raise InputError(
            f"two columns are called {name!r}\n  Rename one of them.",
            "duplicate-name",
            Place(column=name),
        )
    if not is_text(name):
        raise InputError(
            f"the name of column {name!r} holds a character that no text has\n  Rename it.",
            "bad-shape",
        )
    return name


@contextlib.contextmanager
def columns_by_index(table):
    """Errors about a table without names say "column 0", as its user would write, not '1'."""
    try:
        yield
    except InputError as error:
        if error.code == "unseen-level" and table.levels is not None:
            raise _with_level(error, table) from None
        if table.names is not None or error._by_index is None:
            raise
        place, column = error.place, error.place.column
        if column is not None and column.isdecimal():
            place = place._replace(column=int(column) - 1)
        raise type(error)(error._by_index, error.code, place) from None


def _with_level(error, table):
    """The error with the word that a code of this table stands for."""
    place, by_index = error.place, table.names is None
    if by_index and not place.column.isdecimal():  # the name that it had in fit
        return error
    column = int(place.column) - 1 if by_index else table.names.index(place.column)
    code = int(table.rows[place.row, column])
    text = (error._by_index or str(error)) if by_index else str(error)
    text = text.replace(f"level '{code}'", f"level '{table.levels[column][code]}'", 1)
    return type(error)(text, error.code, place._replace(column=column) if by_index else place)


def _numbers(X, owner):
    """A two-dimensional array of float32 or float64 from anything NumPy can read."""
    if _is(X, "scipy.sparse", "spmatrix", "sparray"):
        raise InputTypeError(
            f"Sparse data was passed, but {owner} takes dense rows. "
            "Use '.toarray()' to convert to a dense numpy array.",
            "unsupported-data",
        )
    if isinstance(X, np.ma.MaskedArray):
        X = X.astype(np.float64).filled(np.nan)
    try:
        rows = np.asarray(X)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"{error}\n  Give rows of the same length.", "bad-shape") from None
    rows = _to_float(rows, "X")
    if rows.ndim == 2:
        return rows
    if rows.ndim > 2:
        raise InputError(f"Found array with dim {rows.ndim}. {owner} expected 2.", "bad-shape")
    raise InputError(
        f"Expected 2D array, got {('scalar', '1D')[rows.ndim]} array instead:\narray={rows}.\n"
        "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or"
        " array.reshape(1, -1) if it contains a single sample.",
        "bad-shape",
    )


def _to_float(values, what):
    kind = values.dtype.kind
    if kind == "c":
        raise InputError(f"Complex data not supported\n{values}\n", "unsupported-data")
    if kind in "USmM":
        raise InputError(
            f"{what} holds {values.dtype}, not numbers\n  Convert it to numeric values explicitly.",
            "not-a-number",
        )
    if kind == "f" and values.dtype.itemsize in (4, 8):
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        for j, column in enumerate(values.T if values.ndim == 2 else ()):
            _column_values(j, column)  # says what is wrong, and where
        raise InputError(f"{error}\n  {what} must hold numbers.", "not-a-number") from None


def _contiguous(rows):
    """`rows` itself when each row lies in one piece, aligned, one after another."""
    step, inner = rows.strides
    size = rows.dtype.itemsize
    if rows.flags.c_contiguous and rows.flags.aligned:
        return rows
    if inner == size and step % size == 0 and step >= size * rows.shape[1] and rows.flags.aligned:
        return rows
    return np.array(rows, order="C")
