"""Reports, as ``craton report`` writes them: one self-contained page."""

import html
import numbers as abstract

import numpy as np

from . import _craton, _models
from ._abilities import Classifies
from ._errors import InputError
from ._labels import codes_of, read_labels
from ._numbers import Regresses
from ._table import columns_by_index, read_weights
from ._values import path_text, threads


class Page:
    """A page that notebooks show, and browsers without a network.

    Attributes
    ----------
    html : str
        All of it.
    model : estimator or None
        Of a table: the model that was chosen.
    notes : list of str
        On columns that were left out, and the like.
    """

    def __init__(self, html, model=None, notes=()):
        self.html = html
        self.model = model
        self.notes = list(notes)

    def save(self, path):
        """Write an HTML file."""
        if not path_text(path).endswith((".html", ".htm")):
            raise InputError(
                f"pages are HTML, and {path_text(path)!r} would be none\n"
                "  Give a name that ends in .html."
            )
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self):
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="800" style="border:0"></iframe>'

    def __repr__(self):
        return f"<Page: {len(self.html)} characters of HTML; save(path) writes them>"


def of_model(estimator, X, y, sample_weight):
    model = estimator._fitted()
    table = estimator._read(X)
    rows = table.rows.shape[0]
    codes = targets = None
    if y is not None and isinstance(estimator, Regresses):
        targets = estimator._read_numbers(y, rows)
    elif y is not None and isinstance(estimator, Classifies):
        labels = read_labels(y, rows, type(estimator).__name__)
        codes = np.ascontiguousarray(codes_of(labels, estimator.classes_), np.int32)
    with columns_by_index(table):
        page = model.report(
            table.rows, read_weights(sample_weight, rows), codes, targets, estimator._threads()
        )
    return Page(page)


def report(X, *, target=None, models=(), n_jobs=None):
    """A page on a table, to hand on, as ``craton report`` writes it: a ``Page``.

    What is in the table; which model tells the target best, of all that can, on rows held out; its
    pictures and its mistakes; rows to check. Without a target: the groups that its rows fall into.
    docs/reports.md says what is on it.

    Parameters
    ----------
    X : array, frame, Arrow table or list of lists, of shape (n_samples, n_columns)
        Columns of numbers, or of words; the target is one of them.
    target : str or int, default=None
        The name of a column, or its number, counted from 0.
    models : list of str, default=()
        The names of those to compare, such as ``"nb"``. None: all that suit.
    n_jobs : int, default=None
        Threads; None and -1 stand for all cores.
    """
    table = _models.Mixture(n_jobs=n_jobs)._table(X)
    names = [str(j + 1) for j in range(table.rows.shape[1])] if table.names is None else table.names
    if isinstance(target, abstract.Integral) and not 0 <= target < len(names):
        raise InputError(f"target = {target} is no column: there are {len(names)}")
    name = "" if target is None else names[target] if isinstance(target, abstract.Integral) else str(target)
    with columns_by_index(table):
        page, model, notes = _craton.report(
            table.rows, table.names, table.levels, name, [str(m) for m in models], threads(n_jobs)
        )
    estimator = getattr(_models, model.python_name)(**model.options())._adopt(model)
    return Page(page, estimator, notes)
