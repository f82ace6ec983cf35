"""Tables from elsewhere: NumPy, pandas, polars, Arrow and lists become rows of float or double.

A C-contiguous float32 or float64 array is used as it is; anything else is converted once. The words
of the messages are scikit-learn's where its checks of estimators look for them.
"""

import contextlib
import sys
from typing import Any, NamedTuple, Optional

import numpy as np

from ._errors import InputError, InputTypeError, Place


class SparseRows(NamedTuple):
    """Compressed rows: columns ascend within a row, none is repeated."""

    indptr: np.ndarray  # int64
    indices: np.ndarray  # int32
    data: np.ndarray  # float32 or float64
    shape: tuple

    @property
    def dtype(self):
        return self.data.dtype


class Table(NamedTuple):
    rows: Any  # n x d, float32 or float64: an array with contiguous rows, or SparseRows
    names: Optional[list]  # of the columns, when the table has any
    index: Any  # of a pandas frame


def read_table(X, owner, sparse=False):
    """X as a Table; `owner` names the estimator in messages and says if it takes sparse rows."""
    names = index = None
    columns = _frame_columns(X)
    if sparse and _is(X, "scipy.sparse", "spmatrix", "sparray"):
        rows = _sparse_rows(X)
    elif columns is None:
        rows = _numbers(X, owner)
    else:
        rows = _frame_rows(X, columns, owner)
        names = _checked_names([name for name, _ in columns])
        index = X.index if _is(X, "pandas", "DataFrame") else None
    for size, what in zip(rows.shape, ("sample(s)", "feature(s)")):
        if size == 0:
            raise InputError(
                f"Found array with 0 {what} (shape={rows.shape}) while a minimum of 1 is required"
                f" by {owner}.",
                "no-rows" if what == "sample(s)" else "bad-shape",
            )
    return Table(rows if isinstance(rows, SparseRows) else _contiguous(rows), names, index)


def _sparse_rows(X):
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return SparseRows(
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        np.ascontiguousarray(_to_float(X.data, "X")),
        X.shape,
    )


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


def _frame_columns(X):
    """Pairs of name and column of a frame; None for anything else."""
    if _is(X, "pandas", "DataFrame"):
        return [(name, X.iloc[:, j]) for j, name in enumerate(X.columns)]
    if _is(X, "polars", "DataFrame"):
        return list(zip(X.columns, X.get_columns()))
    if _is(X, "pyarrow", "Table", "RecordBatch"):
        return list(zip(X.schema.names, X.columns))
    return None


def _frame_rows(X, columns, owner):
    if _is(X, "pandas", "DataFrame") and X.dtypes.nunique() == 1:
        if isinstance(X.dtypes.iloc[0], np.dtype) and X.dtypes.iloc[0].kind in "fiub":
            return _numbers(X.to_numpy(), owner)  # often a view
    parts = [_column_values(name, column) for name, column in columns]
    dtype = np.float32 if {part.dtype for part in parts} == {np.dtype("f4")} else np.float64
    rows = np.empty((len(X), len(parts)), dtype)
    for j, part in enumerate(parts):
        rows[:, j] = part
    return rows


def _column_values(name, column):
    try:
        if _is(column, "pandas", "Series") and not isinstance(column.dtype, np.dtype):
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        if _is(column, "pyarrow", "Array"):
            values = column.to_numpy(zero_copy_only=False)
        else:
            values = column.to_numpy()  # what is missing becomes NaN
        if values.dtype.kind not in "fiubO":
            raise TypeError
        return values.astype(np.float64) if values.dtype.kind == "O" else values
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"column '{name}' holds {getattr(column, 'dtype', None) or column.type}, not numbers\n"
            "  Leave the column out, or convert it to numbers.",
            "not-a-number",
            Place(column=str(name)),
        ) from None


def _checked_names(names):
    """The names when all are text, None when none is; scikit-learn's rule."""
    names = list(names)
    kinds = {type(name) for name in names}
    if not any(issubclass(kind, str) for kind in kinds):
        return None
    if all(issubclass(kind, str) for kind in kinds):
        return [_checked_name(str(name), names) for name in names]
    raise InputTypeError(
        "Feature names are only supported if all input features have string names, but your input"
        f" has {sorted(kind.__qualname__ for kind in kinds)} as feature name / column name types."
        " Convert them all to strings: X.columns = X.columns.astype(str).",
        "unsupported-data",
    )


def _checked_name(name, names):
    if names.count(name) > 1:
        raise InputError(
            f"two columns are called {name!r}\n  Rename one of them.",
            "duplicate-name",
            Place(column=name),
        )
    if "\0" in name or not _is_unicode(name):
        raise InputError(
            f"the name of column {name!r} holds a character that no text has\n  Rename it.",
            "bad-shape",
        )
    return name


def _is_unicode(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextlib.contextmanager
def columns_by_index(table):
    """Errors about a table without names say "column 0", as its user would write, not '1'."""
    try:
        yield
    except InputError as error:
        column = error.place.column
        if table.names is not None or column is None or not column.isdecimal():
            raise
        index = int(column) - 1
        message = error.args[0].replace(f"column '{column}'", f"column {index}")
        raise type(error)(message, error.code, error.place._replace(column=index)) from None


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
    except (ValueError, OverflowError) as error:
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
