"""What each column says to a fitted model; the engine is in C++."""

import numpy as np

from ._abilities import Classifies
from ._craton import select as _core
from ._errors import InputTypeError
from ._folds import seed_of
from ._labels import codes_of, read_labels
from ._measured import shown, table
from ._measuring import _MOST_DRAWS, _check, _engine, _label_name, _names_of
from ._numbers import Regresses
from ._table import columns_by_index, read_weights
from ._text_pipeline import TextPipeline
from ._values import whole_number


class PermutationImportance:
    """How much worse a metric is when a column is shuffled among the rows.

    Attributes
    ----------
    metric : str
    baseline : float
        The metric of the rows as they are.
    feature_names : list of str
    importances : ndarray of shape (n_features, n_repeats)
        Positive: the metric is worse without what the column says.
    importances_mean, importances_std : ndarray of shape (n_features,)
        Over the repeats.
    """

    def __init__(self, metric, baseline, feature_names, importances):
        self.metric, self.baseline = metric, baseline
        self.feature_names, self.importances = list(feature_names), importances
        self.importances_mean = importances.mean(axis=1)
        self.importances_std = importances.std(axis=1)

    def __repr__(self):
        order = np.argsort(-self.importances_mean, kind="stable")
        lines = [
            (self.feature_names[j], shown(self.importances_mean[j], self.importances_std[j]))
            for j in order
        ]
        return f"{self.metric} {self.baseline:.6g}; worse without\n{table(lines)}"


def permutation_importance(
    estimator,
    X,
    y=None,
    *,
    scoring=None,
    n_repeats=5,
    random_state=None,
    sample_weight=None,
    positive=None,
):
    """How much worse a fitted model is on rows when one of their columns is shuffled.

    Give rows that it has not learned from: what it knows by heart flatters columns. Columns that say
    the same thing share their importance: shuffled alone, neither is missed.

    Parameters
    ----------
    estimator : estimator of craton
        A fitted one, or a pipeline of texts.
    X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        Of a pipeline, texts: these are one column.
    y : array of shape (n_samples,), default=None
        The true labels, or numbers.
    scoring : str, default=None
        The name of a metric (docs/choosing.md). None: accuracy, r2 or log-likelihood.
    n_repeats : int, default=5
        How often each column is shuffled.
    random_state : int, RandomState or Generator, default=None
        Of the shuffles; None is the seed 0.
    sample_weight : array of shape (n_samples,), default=None
    positive : label, default=None
        Whose precision, recall, ... to give, as in cross_validate.

    Returns
    -------
    PermutationImportance
    """
    _check(estimator)
    if scoring is not None and not isinstance(scoring, str):
        raise InputTypeError(f"scoring = {scoring!r} is not allowed\n  Give the name of one metric.")
    repeats = whole_number("n_repeats", n_repeats, 1, _MOST_DRAWS)
    texts = isinstance(estimator, TextPipeline)
    model = _engine(estimator)
    fitted = model._fitted()
    read = estimator._table(X) if texts else model._read(X)
    rows = read.rows.shape[0]
    codes = numbers = None
    if isinstance(model, Regresses):
        numbers = model._read_numbers(y, rows)
    elif isinstance(model, Classifies):
        labels = read_labels(y, rows, type(model).__name__)
        codes = np.ascontiguousarray(codes_of(labels, model.classes_), np.int32)
    labelled = codes is not None or numbers is not None
    metric = _core.choose_metrics(_names_of(scoring), [model._model_name], labelled)[0][0]
    with columns_by_index(read):
        found = _core.importance(
            fitted,
            read.rows,
            read_weights(sample_weight, rows),
            codes,
            numbers,
            model._threads(),
            metric,
            None if positive is None else _label_name(positive),
            repeats,
            seed_of(random_state),
        )
    names, baseline, drops = found
    return PermutationImportance(metric, baseline, names, drops)
