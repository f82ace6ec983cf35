"""Documents from elsewhere: lists, arrays, series, Arrow's columns and files become one column of
texts. Lists are copied once; columns of Arrow are read where they lie."""

import numbers
import os
import sys

import numpy as np

from ._craton import TextColumn
from ._errors import DecodeError, InputError, InputTypeError, Place
from ._values import is_text, threads

INPUTS = ("content", "filename", "file")


class Texts:
    """A column of texts on its way to a model: what ``TextPipeline`` hands to its model as X.

    index: of a pandas series. options: what to count in them.
    """

    def __init__(self, column, index=None, options=None):
        self.column = column
        self.index = index
        self.options = options or {}

    def __len__(self):
        return len(self.column)


def read_documents(documents, reader, change=None):
    """Texts of documents, as `reader` says (its input, encoding and decode_error).

    change: what is done to each text first.
    """
    series, name, index = _series_of(documents)
    plain = reader.input == "content" and change is None
    column = _from_arrow(series, name) if plain else None
    if column is None:
        column = _from_strings(_read_all(_list_of(series), reader), name, reader, change)
    return Texts(column, index)


def list_documents(documents, reader):
    """A list of documents, and the index of a series, for functions of Python: what is no text is
    theirs to judge."""
    series, _, index = _series_of(documents)
    texts = [
        decoded(text, row, reader) if isinstance(text, bytes) or is_missing(text) else text
        for row, text in enumerate(_read_all(_list_of(series), reader))
    ]
    return texts, index


def _series_of(documents):
    """The one column of a frame or array, its name, and the index of its rows."""
    if isinstance(documents, (str, bytes)):
        raise InputError(
            "Iterable over raw text documents expected, string object received.\n"
            "  Give a list of texts: of one text, [text].",
            "unsupported-data",
        )
    name = index = None
    pandas, polars, arrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    frames = [(pandas, "DataFrame"), (polars, "DataFrame"), (arrow, "Table"), (arrow, "RecordBatch")]
    if any(isinstance(documents, getattr(module, kind, ())) for module, kind in frames):
        columns = getattr(documents, "column_names", None) or list(documents.columns)
        if len(columns) != 1:
            raise InputError(
                f"documents are one column of text, and the table has {len(columns)}\n  Give one of"
                " them, such as frame['body'].",
                "wrong-columns",
            )
        index = getattr(documents, "index", None)
        name, documents = columns[0], documents[columns[0]]
    elif isinstance(documents, np.ndarray) and documents.ndim == 2 and documents.shape[1] == 1:
        documents = documents[:, 0]
    if pandas is not None and isinstance(documents, pandas.Series):
        name, index = documents.name, documents.index
    elif polars is not None and isinstance(documents, polars.Series):
        name = documents.name
    good = isinstance(name, str) and name and is_text(name)
    return documents, str(name) if good else "text", index


def _from_arrow(series, name):
    """A column in Arrow's memory; None: it does not lie there, or holds no strings."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None and type(series).__module__.startswith("polars"):
        try:
            import pyarrow
        except ImportError:
            return None
    if pyarrow is None:
        return None
    if not isinstance(series, (pyarrow.Array, pyarrow.ChunkedArray)):
        if hasattr(series, "to_arrow"):  # polars
            series = series.to_arrow()
        elif "pyarrow" in str(getattr(series, "dtype", "")):  # pandas
            series = series.array.__arrow_array__()
        else:
            return None
    kind = series.type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    if pyarrow.types.is_null(kind) and len(series) > 0:
        raise _missing(0, None)
    if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
        if str(kind) != "string_view":
            return None
    if isinstance(series, pyarrow.ChunkedArray):
        if series.num_chunks == 1:
            series = series.chunk(0)
        else:
            series = pyarrow.concat_arrays(series.cast(pyarrow.large_string()).chunks or [
                pyarrow.array([], pyarrow.large_string())
            ])
    if not (pyarrow.types.is_string(series.type) or pyarrow.types.is_large_string(series.type)):
        series = series.cast(pyarrow.large_string())
    if series.null_count:
        raise _missing(series.is_null().to_pylist().index(True), None)
    _, offsets, held = series.buffers()
    wide = np.int64 if pyarrow.types.is_large_string(series.type) else np.int32
    ends = np.zeros(1, wide) if offsets is None else np.frombuffer(offsets, wide)
    text = np.zeros(0, np.uint8) if held is None else np.frombuffer(held, np.uint8)
    if len(series) == 0:
        ends = np.zeros(1, np.int64)
    return TextColumn.of_arrow(text, ends, series.offset if len(series) else 0, len(series), name)


def _list_of(documents):
    for method in ("to_pylist", "tolist", "to_list"):  # Arrow, NumPy and pandas, polars
        if hasattr(documents, method):
            documents = getattr(documents, method)()
    if isinstance(documents, (list, tuple)):
        return documents
    try:
        return list(documents)
    except TypeError:
        raise InputTypeError(
            f"documents are a list of texts, and this is {type(documents).__name__}\n  Give a list"
            " of strings, a series or an array of them.",
            "unsupported-data",
        ) from None


def _read_all(documents, reader):
    """What the documents hold, where they are files."""
    if reader.input == "content":
        return documents
    if reader.input == "file":
        return [document.read() for document in documents]
    read = []
    for row, path in enumerate(documents):
        try:
            with open(os.fspath(path), "rb") as file:
                read.append(file.read())
        except TypeError:
            raise InputError(
                f"document {row} is {path!r}, and no path of a file\n  Give paths, or texts with"
                " input='content'.",
                "unsupported-data",
                Place(row=row),
            ) from None
    return read


def _from_strings(texts, name, reader, change):
    if change is not None:
        texts = [change(decoded(text, row, reader)) for row, text in enumerate(texts)]
    column = TextColumn.of_strings(texts, name, threads(reader.n_jobs))
    if not isinstance(column, TextColumn):  # the row of the first that is no string
        texts = [decoded(text, row, reader) for row, text in enumerate(texts)]
        column = TextColumn.of_strings(texts, name, threads(reader.n_jobs))
    return column


def decoded(text, row, reader):
    """A document as a string."""
    if isinstance(text, str):
        return text
    if isinstance(text, (bytes, bytearray, memoryview)):
        try:
            return bytes(text).decode(reader.encoding, reader.decode_error)
        except UnicodeDecodeError as error:
            raise DecodeError(
                f"document {row} is not {reader.encoding} text: byte {error.start} of it is"
                f" 0x{error.object[error.start]:02x}\n  Give its encoding, such as"
                " encoding='latin-1', or decode_error='replace'.",
                "bad-file",
                Place(row=row),
                error.args,
            ) from None
    raise _missing(row, text)


def is_missing(value):
    if isinstance(value, numbers.Real):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _missing(row, value):
    if is_missing(value):
        what = "is missing (np.nan is an invalid document, expected byte or unicode string.)"
        advice = "Leave it out, or give '' for an empty text."
    else:
        what = f"is {type(value).__name__}, and no text"
        advice = "Give strings."
    return InputError(f"document {row} {what}\n  {advice}", "unsupported-data", Place(row=row))
