"""A number of components or clusters to choose: what ``craton select`` does."""

import warnings

import numpy as np

from ._craton import select as _core
from ._errors import ConvergenceWarning, FitWarning, InputError, InputTypeError, also_of_sklearn
from ._measured import table
from ._measuring import _check
from ._pictures import Picture
from ._table import columns_by_index, read_weights
from ._text_pipeline import TextPipeline
from ._values import plain


class Sweep:
    """Settings of a model that were fitted to the same rows, and the one that was chosen.

    Attributes
    ----------
    criterion : str
        What was chosen by.
    table : dict of str: ndarray
        The settings, and figures of each, by name; a frame can be made of it.
    best : int
        The place of the one chosen.
    best_params : dict
    best_estimator : estimator
        The one chosen, fitted to all rows.
    why : str
        Why it was chosen, and what to think of it.
    left_out : list of str
        Settings that there are too few rows for.
    """

    def __init__(self, estimator, result, params):
        self.criterion = result["criterion"]
        self.table = {name: np.array(values) for name, values in result["columns"].items()}
        self.best = result["best"]
        self.best_params = params
        self.best_estimator = estimator
        self.why = result["why"]
        self.left_out = list(result["impossible"])
        self._name = result["name"]
        self._lines = result["table"]
        self._picture = result["picture"]

    def plot(self):
        """The criterion over what was chosen, as a Picture."""
        return Picture(self._picture)

    def _repr_svg_(self):
        return self._picture

    def __repr__(self):
        header, rows = self._lines
        return f"{table([header, *rows])}\n\nbest: {self._name}: {self.why}"


def sweep(estimator, X, y=None, *, criterion=None, n_init=None, sample_weight=None, **space):
    """Fit a range of settings of a model to the same rows, and choose one.

    Mixtures are compared by a criterion of their likelihood: the lowest "bic" (the default), "aic"
    or "icl", or "held-out", the likelihood of rows held out in 5 folds. Clusters by how well they
    are parted: "silhouette" (the default), "calinski-harabasz", "davies-bouldin" or "gap". Of
    discriminant analyses, how far the covariances of classes are pooled is chosen.

    Parameters
    ----------
    estimator : estimator of craton
        It is not fitted, and stays as it is. Options that are not varied are its own.
    X : array, frame, Arrow table, sparse rows or list of lists, of shape (n_samples, n_features)
    y : array of shape (n_samples,), default=None
        Labels, for estimators that learn from labels.
    criterion : str, default=None
    n_init : int, default=None
        Starts of each fit. None: the estimator's, or 5 where that is the default, as a single poor
        start would spoil the comparison.
    sample_weight : array of shape (n_samples,), default=None
    **space
        What to vary: n_components, n_clusters or pooling, as numbers, a range or text ("1..8"), and
        covariance_type or family, as a value or several. Where nothing is given: 1..8 components,
        2..10 clusters, pooling 0 and 1, of the estimator's own type or family.

    Returns
    -------
    Sweep
        With the chosen estimator, fitted, a table of all, and why it was chosen.
    """
    _check(estimator)
    if isinstance(estimator, TextPipeline):
        raise InputTypeError(
            "sweep() takes a model, and no pipeline\n  Use search(), or give sweep() the model and the"
            " rows of the vectoriser."
        )
    swept, kind = _core.swept(estimator._model_name)
    for name in space:
        if name not in (swept, kind):
            known = " and ".join(filter(None, (swept, kind)))
            raise InputTypeError(
                f"sweep() does not vary {name!r} of {type(estimator).__name__}\n"
                f"  It varies {known}; set other options in the estimator, or use search()."
            )
    starts = _starts(estimator, n_init)
    model = type(estimator)(**{**estimator.get_params(), **starts})
    kinds = _kinds_of(kind, space[kind]) if space.get(kind) is not None else []
    if kind and not kinds:
        kinds = [plain(kind, getattr(estimator, kind))]
    options = model._only_values()
    for name in (swept, kind):
        options.pop(name, None)
    rows = model._table(X, weights=sample_weight)
    count = rows.rows.shape[0]
    labels, target = model._read_target(y, count)
    weights = model._with_class_weight(read_weights(sample_weight, count), labels)
    with columns_by_index(rows):
        result = _core.choose(
            model._model_name,
            rows.rows,
            options,
            weights,
            rows.names,
            model._threads(),
            labels,
            target,
            rows.levels,
            _values_of(model, swept, space.get(swept)),
            kinds,
            "" if criterion is None else str(criterion).replace("_", "-"),
        )
        params = {
            name: result["columns"][name][result["best"]] for name in (swept, kind) if name
        }
        model.set_params(**params)
        model._adopt(result["model"])
        model._after_fit(rows)
    chosen = Sweep(model, result, params | starts)
    _warn(chosen)
    return chosen


def _starts(estimator, n_init):
    if "n_init" not in estimator._options:
        if n_init is not None:
            raise InputError(f"{type(estimator).__name__} has no n_init")
        return {}
    if n_init is not None:
        return {"n_init": n_init}
    own = estimator.n_init
    return {"n_init": _core.sweep_starts if own == estimator._defaults()["n_init"] else own}


def _values_of(model, name, given):
    """Numbers to try; none: the usual ones."""
    if given is None:
        return []
    if isinstance(given, str):
        return _core.parse_swept(model._model_name, given)
    try:
        numbers = np.atleast_1d(np.array(list(given) if np.ndim(given) else given, dtype=float))
    except (TypeError, ValueError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1 or not numbers.size:
        raise InputTypeError(
            f"{name} = {given!r} names no numbers\n  Give a list, a range, or text such as '1..8'."
        )
    return numbers.tolist()


def _kinds_of(name, given):
    several = [given] if isinstance(given, (str, dict)) else list(given)
    return [plain(name, value) for value in several]


def _warn(chosen):
    if chosen.left_out:
        warnings.warn(
            "there are too few rows, or too few that differ, for some fits"
            f" ({', '.join(chosen.left_out[:8])})",
            FitWarning,
            stacklevel=3,
        )
    converged = chosen.table["converged"]
    if not converged.all():
        warnings.warn(
            f"{np.count_nonzero(~converged)} of {len(converged)} fits did not converge: give a"
            " larger max_iter.",
            also_of_sklearn(ConvergenceWarning),
            stacklevel=3,
        )
