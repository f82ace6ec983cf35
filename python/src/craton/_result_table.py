"""Results as tables: what a model learned, and what it says of each row."""

from collections.abc import Mapping

import numpy as np

from ._report import frozen


class ResultTable(Mapping):
    """A table of results: an array for each column, by name.

    It prints itself as ``craton describe`` does, with the digits that a person needs; the arrays
    have all of them.

    Attributes
    ----------
    name : str
        By which ``tables()`` has it, and ``craton describe --table`` at the shell.
    title : str
        For people.
    units : dict
        Of the columns that have one.
    """

    def __init__(self, name, title, columns, text, cells):
        self.name = name
        self.title = title
        self.units = {column: unit for column, unit, _ in columns if unit}
        self._columns = {column: _array(values) for column, _, values in columns}
        self._text = text
        self._cells = cells  # of the first rows, as text, the header first

    def __getitem__(self, column):
        return self._columns[column]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    __eq__ = object.__eq__  # arrays do not compare to one truth
    __hash__ = object.__hash__

    @property
    def n_rows(self):
        """The number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_frame(self):
        """A pandas frame; one of polars where there is no pandas."""
        try:
            import pandas

            return pandas.DataFrame(dict(self))
        except ImportError:
            pass
        try:
            import polars
        except ImportError:
            raise ImportError("to_frame() needs pandas or polars") from None
        return polars.DataFrame({name: values.tolist() for name, values in self.items()})

    def __repr__(self):
        return self._text.rstrip("\n")

    def _repr_html_(self):
        from ._html import styled, table  # for notebooks only

        return styled(table(self))


def _array(values):
    return frozen(np.array(values, dtype=object) if isinstance(values, list) else values)
