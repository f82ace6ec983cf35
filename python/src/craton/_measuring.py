"""Models measured on rows that they have not learned from; the engine is in C++."""

import itertools
import warnings

import numpy as np

from ._abilities import Classifies, Regresses, SomeLabels
from ._base import Estimator
from ._craton import select as _core
from ._errors import ConvergenceWarning, FitWarning, InputError, InputTypeError, also_of_sklearn
from ._folds import Labels, read_cv, seed_of
from ._labels import classes_and_codes, read_labels, target_of
from ._measured import Comparison, CrossValidation, Predictions, Search
from ._table import columns_by_index, read_weights, without_words
from ._text_pipeline import TextPipeline
from ._values import plain, whole_number

_MOST_DRAWS = 10**6  # as at the shell


def cross_validate(
    estimator,
    X,
    y=None,
    *,
    groups=None,
    scoring=None,
    cv=None,
    sample_weight=None,
    positive=None,
    return_predictions=False,
    n_shuffles=None,
):
    """Measure a model on rows that it has not learned from.

    Parameters
    ----------
    estimator : estimator of craton
        It is not fitted, and stays as it is. Its n_jobs says how many threads run.
    X : array, frame, Arrow table, sparse rows or list of lists, of shape (n_samples, n_features)
        Texts, for a pipeline of texts: every fold learns its own words.
    y : array of shape (n_samples,), default=None
        The true labels, or numbers. Models that find clusters do not learn from them.
    groups : array of shape (n_samples,), default=None
        Rows of one group stay together.
    scoring : str or list of str, default=None
        Names of metrics (docs/choosing.md); the first decides what is best. None: accuracy and
        log-loss for classes, r2 and mae for numbers, else log-likelihood, else
        simplified-silhouette.
    cv : int, splitter or iterable of pairs, default=None
        How many folds (None: 5), stratified by y where there are labels, by groups where these are
        given; a splitter of craton.select or of scikit-learn; or pairs (train, test) of rows.
    sample_weight : array of shape (n_samples,), default=None
        Counts in the fits, and in all metrics but those of clusters.
    positive : label, default=None
        Whose precision, recall, f1, ROC AUC, average precision and Brier score to give. None: the
        second of two, the mean over more.
    return_predictions : bool, default=False
        Whether to keep what each row was given in the fold that held it out.
    n_shuffles : int, default=None
        How often each column is shuffled among the rows held out, for its permutation importance.
        None: not at all.

    Returns
    -------
    CrossValidation
    """
    shuffles = None if n_shuffles is None else whole_number("n_shuffles", n_shuffles, 1, _MOST_DRAWS)
    job = _Job([estimator], y, groups, scoring, cv, sample_weight, positive, X)
    result = job.run(estimator, keep=return_predictions, shuffles=shuffles)
    _warn_unconverged([result])
    return result


def compare(
    estimators, X, y=None, *, groups=None, scoring=None, cv=None, sample_weight=None, positive=None
):
    """Measure several models on the same folds of the same rows.

    Parameters
    ----------
    estimators : list of estimators, or dict of name: estimator
    X, y, groups, scoring, cv, sample_weight, positive
        As in cross_validate. Of a frame each model has the columns that it takes: a warning names
        those of words that are left out for models of numbers.

    Returns
    -------
    Comparison
        With the differences to the best, fold by fold, and their errors: a difference of less than
        two errors is no reason to prefer one. A model that cannot take the rows is in `failed`,
        with the reason; when none can, the reason of the first is raised.
    """
    named = dict(estimators) if hasattr(estimators, "items") else {}
    models = list(named.values() if named else estimators)
    names = list(named) if named else [repr(model) for model in models]
    if not models:
        raise InputError("there are no estimators to compare\n  Give one at least.")
    job = _Job(models, y, groups, scoring, cv, sample_weight, positive, X, without_words=True)
    measured, failed = [], dict(job.failed)
    for i, model in enumerate(models):
        if i in failed:
            continue
        try:
            measured.append((names[i], job.run(model)))
        except InputError as error:
            failed[i] = error
    if not measured:
        raise failed[min(failed)]
    names_measured, results = zip(*measured)
    _warn_left_out(job.left_out, models)
    _warn_unconverged(results)
    return Comparison(names_measured, results, {names[i]: failed[i] for i in sorted(failed)})


def search(
    estimator,
    X,
    y=None,
    space=None,
    *,
    n_iter=None,
    random_state=None,
    groups=None,
    scoring=None,
    cv=None,
    sample_weight=None,
    positive=None,
):
    """Try options of a model on the same folds.

    Parameters
    ----------
    estimator : estimator of craton
    X, y
        As in cross_validate.
    space : dict of option: values
        Of a pipeline the options are called step__option; those of the vectoriser take lists.
        Values are a list, or text: "1..8" for every whole number, and, to draw from, "0.01..10" or
        "0.01..10:log", evenly by logarithm.
    n_iter : int, default=None
        How many points to draw. None: every combination, the last option fastest.
    random_state : int, RandomState or Generator, default=None
        Of the draws; None is the seed 0.
    groups, scoring, cv, sample_weight, positive
        As in cross_validate.

    Returns
    -------
    Search
        The best of many looks better than it is: prefer the simplest point within an error of it.
    """
    if not space:
        raise InputError("space has no options to try\n  Give some, such as {'alpha': [0.1, 1]}.")
    _check(estimator)
    draws = 0 if n_iter is None else whole_number("n_iter", n_iter, 1, _MOST_DRAWS)
    space = {str(name): given for name, given in space.items()}
    points = _points(estimator, space, draws, seed_of(random_state))
    job = _Job([estimator], y, groups, scoring, cv, sample_weight, positive, X)
    tried, results, left_out = [], [], []
    for point in points:
        try:
            results.append(job.run(estimator, point))
            tried.append(point)
        except InputError as error:
            if error.code != "too-few-rows" or (point is points[-1] and not results):
                raise
            left_out.append(point)
    if left_out:
        warnings.warn(
            f"there are too few rows in a fold for {len(left_out)} of {len(points)} points",
            FitWarning,
            stacklevel=2,
        )
    _warn_unconverged(results)
    return Search(tried, results, left_out)


class _Job:
    """Rows, labels, folds and metrics, read once."""

    def __init__(
        self, models, y, groups, scoring, cv, sample_weight, positive, X, without_words=False
    ):
        for model in models:
            _check(model)
        self.X, self.sample_weight = X, sample_weight
        self.without_words, self.left_out = without_words, []
        self.table = self.reader = None
        self.failed = {}
        tables = [self._attempt(i, self._read, model) for i, model in enumerate(models)]
        models = self._going_on(models)
        rows = next(table for table in tables if table is not None).rows.shape[0]
        models = [_engine(model) for model in models]
        self.weights = read_weights(sample_weight, rows)
        self.labels = self.numbers = None
        if isinstance(models[0], Regresses):
            self.target, self.classes = models[0]._read_target(y, rows)[1], None
            self.numbers = models[0]._read_numbers(y, rows)
        else:
            codes, self.target, self.classes = _read_target(models, y, rows)
            self.labels = None if codes is None else Labels(codes, self.target[2])
        labelled = self.labels is not None or self.numbers is not None
        names = [model._model_name for model in models]
        wanted = _names_of(scoring)
        if wanted and len(names) > 1:
            places = [i for i in range(len(tables)) if i not in self.failed]
            for i, name in zip(places, names):
                self._attempt(i, _core.choose_metrics, wanted, [name], labelled)
            names = self._going_on(names, places)
        self.metrics = _core.choose_metrics(wanted, names, labelled)
        self.splits = read_cv(cv, X, y, groups, self.labels, rows)
        self.positive = None if positive is None else _label_name(positive)

    def _attempt(self, i, work, *arguments):
        """What a model does; None: it cannot, and is out."""
        try:
            return work(*arguments)
        except InputError as error:
            self.failed[i] = error
            return None

    def _going_on(self, models, places=None):
        """Those that are not out: of one alone that is, the reason is raised."""
        places = range(len(models)) if places is None else places
        left = [model for i, model in zip(places, models) if i not in self.failed]
        if not left:
            raise self.failed[min(self.failed)]
        return left

    def _read(self, model):
        """X as the model takes it: once, for models that take it alike."""
        if isinstance(model, TextPipeline):
            return model._table(self.X)
        how = (
            model._takes_sparse,
            model._takes_categories,
            model._only_categories,
            model._one_vocabulary,
        )
        if self.table is None or self.reader != how:
            self.table, self.reader = self._table(model), how
        return self.table

    def _table(self, model):
        try:
            return model._table(self.X, weights=self.sample_weight)
        except InputError as error:
            X, names = without_words(self.X) if self.without_words else (self.X, [])
            if error.code != "not-a-number" or model._takes_categories or not names:
                raise
            if len(names) == self.X.shape[1]:  # nothing would be left
                raise
        self.left_out = names
        return model._table(X, weights=self.sample_weight)

    def run(self, estimator, point=None, keep=False, shuffles=None):
        measured = _with(estimator, point or {})
        model, table = _engine(measured), self._read(measured)
        with columns_by_index(table):
            result = _core.cross_validate(
                model._model_name,
                table.rows,
                model._only_values() | table.options,
                self.weights,
                table.names,
                model._threads(),
                None if self.labels is None else self.labels.codes,
                self.target,
                table.levels,
                [tuple(split) for split in self.splits],
                [name for name, *_ in self.metrics],
                self.positive,
                bool(keep),
                self.numbers,
                shuffles,
            )
        kept = self._predictions(result) if keep else None
        return CrossValidation(measured, self.metrics, result, kept)

    def _predictions(self, result):
        rows = np.flatnonzero(result["fold"] >= 0)
        if result["numbers"] is not None:
            return Predictions(rows, result["fold"][rows], result["numbers"][rows], None, None)
        labels = result["labels"][rows]
        proba = result["proba"]
        if result["learned_labels"]:
            classes = self.classes
            labels = classes[labels]
        else:
            classes = np.arange(proba.shape[1] if proba is not None else labels.max() + 1)
        proba = None if proba is None else proba[rows]
        return Predictions(rows, result["fold"][rows], labels, proba, classes)


def _engine(estimator):
    """The model that is measured: of a pipeline, its last step."""
    return estimator._parts()[1] if isinstance(estimator, TextPipeline) else estimator


def _with(estimator, point):
    """A new estimator, with these parameters."""
    if not isinstance(estimator, TextPipeline):
        return type(estimator)(**{**estimator.get_params(), **point})
    return estimator._copy().set_params(**point)


def _points(estimator, space, draws, seed):
    """Points of a space. Of a pipeline, the parameters of the vectoriser are Python's, and lists."""
    if not isinstance(estimator, TextPipeline):
        values = {name: _values_of(name, given) for name, given in space.items()}
        return _core.points(estimator._model_name, values, draws, seed)
    prefix = f"{estimator.steps[1][0]}__"
    of_model = {
        name.removeprefix(prefix): _values_of(name, given)
        for name, given in space.items()
        if name.startswith(prefix)
    }
    of_words = {name: given for name, given in space.items() if not name.startswith(prefix)}
    for name, given in of_words.items():
        if name not in estimator.get_params():
            _with(estimator, {name: None})  # says what there is
        if isinstance(given, str) or not np.iterable(given):
            raise InputTypeError(f"{name} = {given!r} names no values\n  Give a list.")
    points = _core.points(_engine(estimator)._model_name, of_model, draws, seed) if of_model else [{}]
    points = [{prefix + name: value for name, value in point.items()} for point in points]
    if not draws:
        chosen = itertools.product(*of_words.values())
        return [dict(zip(of_words, words)) | point for words in chosen for point in points]
    points = points * (1 if of_model else draws)
    random, choices = np.random.default_rng(seed), {n: list(v) for n, v in of_words.items()}
    return [
        {n: values[random.integers(len(values))] for n, values in choices.items()} | point
        for point in points
    ]


def _check(estimator):
    if isinstance(estimator, (Estimator, TextPipeline)):
        return
    kind = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    raise InputTypeError(
        f"{kind} is no estimator of craton\n  Give one, such as craton.GaussianNB(); "
        "sklearn.model_selection takes any, and the splitters of craton.select as cv."
    )


def _read_target(models, y, rows):
    """Codes, what they stand for, and the classes: as the first that learns from labels reads y."""
    for model in models:
        if y is not None and isinstance(model, (Classifies, SomeLabels)):
            reader = type(model)(**model.get_params())
            codes, target = reader._read_target(y, rows)
            return np.ascontiguousarray(codes, np.int32), target, reader._classes
    if y is None:
        for model in models:
            type(model)(**model.get_params())._read_target(None, rows)  # some need labels
        return None, None, None
    classes, codes = classes_and_codes(read_labels(y, rows, type(models[0]).__name__))
    return np.ascontiguousarray(codes, np.int32), target_of(classes, y), classes


def _names_of(scoring):
    if scoring is None:
        return []
    names = [scoring] if isinstance(scoring, str) or callable(scoring) else list(scoring)
    if not all(isinstance(name, str) for name in names):
        raise InputTypeError(
            f"scoring = {scoring!r} is not allowed\n  Give names of metrics, such as 'accuracy'; "
            "functions go into sklearn.model_selection.cross_validate."
        )
    return names


def _label_name(label):
    return target_of(np.array([label]))[2][0]


def _values_of(name, given):
    if isinstance(given, str):
        return given
    try:
        return [plain(name, value) for value in given]
    except TypeError:
        raise InputTypeError(
            f"{name} = {given!r} names no values\n  Give a list, or text such as '0.1,1,10'."
        ) from None


def _warn_left_out(columns, models):
    if columns:
        kinds = dict.fromkeys(type(m).__name__ for m in models if not _engine(m)._takes_categories)
        names = ", ".join(repr(name) for name in columns)
        warnings.warn(
            f"left out for {', '.join(kinds)}: the column{'s' * (len(columns) > 1)} of words {names}",
            FitWarning,
            stacklevel=3,
        )


def _warn_unconverged(results):
    converged = np.concatenate([result.converged for result in results])
    if not converged.all():
        warnings.warn(
            f"{np.count_nonzero(~converged)} of {len(converged)} fits did not converge: give a"
            " larger max_iter.",
            also_of_sklearn(ConvergenceWarning),
            stacklevel=3,
        )
