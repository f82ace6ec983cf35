"""Pictures of fits, as SVG: those that ``craton plot`` and ``craton fit --plot`` draw."""

import numbers

import numpy as np

from . import _craton
from ._abilities import Classifies
from ._base import Estimator
from ._errors import InputError, InputTypeError
from ._labels import codes_of, read_labels
from ._numbers import Regresses
from ._table import columns_by_index, read_weights
from ._text_pipeline import TextPipeline
from ._values import path_text, whole_number

_MOST_UPDATES = 10**6  # as at the shell


class Picture:
    """A picture that notebooks show by themselves.

    Attributes
    ----------
    svg : str
        The picture as text, for a web page or a file.
    """

    def __init__(self, svg):
        self.svg = svg

    def save(self, path):
        """Write an SVG file; rsvg-convert and browsers make others of it."""
        if not path_text(path).endswith(".svg"):
            raise InputError(
                f"pictures are SVG, and {path_text(path)!r} would be none\n"
                "  Give a name that ends in .svg; rsvg-convert and browsers make others of it."
            )
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<Picture: {len(self.svg)} characters of SVG; save(path) writes them>"


def plot(estimator, X=None, y=None, *, columns=None, sample_weight=None, title=None, picture="fit"):
    """Draw rows and what a fitted model says of them: as ``craton plot`` does.

    ``estimator.plot(X, ...)`` is the same.

    Two columns are drawn as points, coloured by label, with the ellipses of Gaussians and the
    centres of clusters, over a ground that shows how probable each label is; a table of one column
    as bars or a histogram with the density. Of a model that predicts numbers: the line of what it predicts along one column, or of
    more columns the numbers above what is predicted.

    Parameters
    ----------
    estimator : estimator of craton
        A fitted one; or a pipeline of texts, whose pictures show no rows, and "fit" the words.
    X : array, frame, Arrow table, sparse rows or list of lists, of shape (n_samples, n_features)
        None: for pictures of the model alone, which are "coefficients", "path" and "words".
    y : array of shape (n_samples,), default=None
        The true labels, or numbers, for estimators that learn from them.
    columns : pair of names or of numbers, default=None
        What to draw across and up. None: those that tell most about the labels.
    sample_weight : array of shape (n_samples,), default=None
    title : str, default=None
        None: what was found.
    picture : str, default="fit"
        ``"fit"``. Of rows: ``"columns"`` (what is predicted along each), ``"profiles"`` and
        ``"pairs"`` of groups, ``"confusion"``, ``"roc"``, ``"precision-recall"``, ``"lift"``,
        ``"calibration"``, ``"uncertainty"``, ``"silhouette"``, ``"predicted"``, ``"residuals"``,
        ``"leverage"`` (with Cook's distance), ``"density"`` and ``"bandwidths"``, of estimators that
        have them: another name is refused with those that there are. Of the model alone:
        ``"coefficients"`` (with their intervals), ``"path"`` (of RidgeCV, as alpha grows) and
        ``"words"`` (of texts, those that speak most for each class or cluster).

    Returns
    -------
    Picture
    """
    texts = isinstance(estimator, TextPipeline)
    model = _check(estimator[-1] if texts else estimator)._fitted()
    text = "" if title is None else str(title)
    if X is None or texts:
        alone = "words" if texts and picture == "fit" else str(picture)
        return Picture(model.plot_alone(text, alone))
    table = estimator._read(X)
    rows = table.rows.shape[0]
    codes = None
    targets = estimator._read_numbers(y, rows) if isinstance(estimator, Regresses) else None
    if isinstance(estimator, Classifies):
        labels = read_labels(y, rows, type(estimator).__name__)
        codes = np.ascontiguousarray(codes_of(labels, estimator.classes_), np.int32)
    with columns_by_index(table):
        svg = model.plot(
            _dense(table.rows),
            read_weights(sample_weight, rows),
            codes,
            targets,
            estimator._threads(),
            _pair(columns, model.names, model.named),
            text,
            str(picture),
        )
    return Picture(svg)


def plot_traces(estimator):
    """Draw the objective of a fit, pass by pass, of every start that was made.

    The one that was kept stands out. Estimators of model files have no traces.

    Parameters
    ----------
    estimator : estimator of craton
        A fitted one.

    Returns
    -------
    Picture
    """
    return Picture(_check(estimator)._fitted().plot_traces())


def plot_stages(estimator, X, y=None, *, updates=(0, 1, 2, 5, 20), columns=None, sample_weight=None):
    """Draw a fit as it goes: after so many updates, side by side, and the objective on the way.

    Parameters
    ----------
    estimator : estimator of craton
        It is not fitted, and stays as it is; one start of it is drawn.
    X, columns, sample_weight
        As in plot.
    y : array of shape (n_samples,), default=None
        Labels, for estimators that learn from some.
    updates : sequence of int, default=(0, 1, 2, 5, 20)
        When to draw it. Nothing follows the update after which the fit converged.

    Returns
    -------
    Picture
    """
    model = type(_check(estimator))(**estimator.get_params())
    table = model._table(X, weights=sample_weight)
    rows = table.rows.shape[0]
    labels, target = model._read_target(y, rows)
    weights = model._with_class_weight(read_weights(sample_weight, rows), labels)
    counts = {whole_number("updates", count, 0, _MOST_UPDATES) for count in updates}
    names = table.names or [str(j + 1) for j in range(table.rows.shape[1])]
    with columns_by_index(table):
        svg = _craton.plot_stages(
            model._model_name,
            _dense(table.rows),
            model._values(),
            weights,
            table.names,
            model._threads(),
            labels,
            target,
            table.levels,
            sorted(counts),
            _pair(columns, names, table.names is not None),
        )
    return Picture(svg)


def _check(estimator):
    if isinstance(estimator, Estimator):
        return estimator
    raise InputTypeError(
        f"{type(estimator).__name__} is no estimator of craton\n  Give one that is fitted, such as"
        " craton.GaussianMixture(4).fit(X)."
    )


def _dense(rows):
    return rows.toarray() if hasattr(rows, "toarray") else rows


def _pair(columns, names, named):
    """The places of the columns to draw; -1: to be chosen."""
    if columns is None:
        return -1, -1
    given = list(columns) if not isinstance(columns, str) else [columns]
    if len(given) != 2:
        raise InputError(f"columns = {columns!r} names {len(given)}, but a picture has two")
    return tuple(_place(column, names, named) for column in given)


def _place(column, names, named):
    if isinstance(column, str) and named and column in names:
        return list(names).index(column)
    if isinstance(column, numbers.Integral) and not isinstance(column, (bool, np.bool_)):
        return whole_number("columns", column, 0, len(names) - 1)
    known = ", ".join(map(str, names)) if named else f"numbers from 0 to {len(names) - 1}"
    raise InputError(
        f"columns names {column!r}, which is not among the columns fitted\n  They are: {known}.",
        "unknown-name",
    )
