"""The strangest rows of a table, and why."""

from . import _craton, _models
from ._result_table import ResultTable
from ._table import columns_by_index
from ._values import threads, whole_number


class Outliers:
    """The strange rows of a table, as ``craton.outliers`` finds them.

    Attributes
    ----------
    strangest : ResultTable
        The strangest rows first, and because of which columns.
    rows : ResultTable
        What is said of every row, in their order: see ``score_rows``.
    model : estimator
        Fitted to the rows without the strangest.
    description : str
        Which model that is, and how many rows are strange.
    notes : list of str
        What was left out, or looked at in part.
    """

    def __init__(self, strangest, rows, model, description, notes):
        self.strangest = strangest
        self.rows = rows
        self.model = model
        self.description = description
        self.notes = notes

    def __repr__(self):
        return "\n".join([self.description, *self.notes, repr(self.strangest)])

    def _repr_html_(self):
        from ._html import styled, table  # for notebooks only

        return styled(table(self.strangest))


def outliers(X, *, n=10, n_jobs=None):
    """The strangest rows of a table, and the columns that make them strange, as ``Outliers``.

    Rows are held against a mixture that they did not bend: the strangest are left out, and the
    rest is fitted again. Its number of components is chosen by BIC, and a component of a few rows
    counts as strange, too. docs/outliers.md says how.

    Parameters
    ----------
    X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        Columns of numbers, or of words. Missing values are filled in with the median.
    n : int, default=10
        Rows in ``strangest``.
    n_jobs : int, default=None
        Threads; None and -1 stand for all cores.
    """
    n = whole_number("n", n, 1, 2**40)
    table = _models.Mixture(n_jobs=n_jobs)._table(X)
    with columns_by_index(table):
        model, strangest, rows, description, notes = _craton.outliers(
            table.rows, table.names, table.levels, n, threads(n_jobs)
        )
    estimator = getattr(_models, model.python_name)(**model.options())._adopt(model)
    return Outliers(
        ResultTable(*strangest), ResultTable(*rows), estimator, "\n".join(description), notes
    )
