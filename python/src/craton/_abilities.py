"""What estimators can do, one class an ability; _models.py puts them together."""

import numpy as np

from ._base import _seed
from ._compatibility import read_class_weight
from ._errors import InputError, InputTypeError, OutOfMemoryError
from ._explain import Bounds, Explains, Linear, LinearNumbers  # noqa: F401
from ._labels import (
    classes_and_codes,
    classes_of,
    codes_of,
    read_labels,
    read_some_labels,
    target_of,
)
from ._numbers import LearnsNumbers, Regresses  # noqa: F401
from ._result_table import ResultTable
from ._some_labels import SomeLabels  # noqa: F401
from ._table import columns_by_index, read_weights
from ._transforms import Transforms  # noqa: F401
from ._values import finite_number, whole_number

_MOST_ROWS = 2**40  # as at the shell


class Iterates:
    @property
    def n_iter_(self):
        """Updates of the model: ``report_.iterations``, but at least 1, as scikit-learn wants."""
        return max(1, self.report_.iterations)


class TakesSparse:
    _takes_sparse = True


class TakesCategories:
    """Columns of words are categories."""

    _takes_categories = True


class MakesTerms:
    """Columns of words become columns of numbers, one for each level but one."""

    _makes_terms = True

    @property
    def terms_(self):
        """What the model is linear in, by name: 'age', 'age^2', 'sex=male', 'sex=male:age'."""
        return self._fitted().terms


class TakesMissing:
    """NaN and None are missing values."""

    _takes_missing = True


class Predicts:
    def predict(self, X):
        """The label of each row: 0, 1, ..."""
        label = self._of_row("predict_row", X)
        if label is not None:
            return np.array((label,), np.int32)
        return self._predict(self._read(X))

    def _predict(self, table):
        labels = np.empty(table.rows.shape[0], dtype=np.int32)
        with columns_by_index(table):
            self._model.predict(table.rows, labels, self._threads())
        return labels

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, then the label of each row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)


class Classifies:
    """Learns from labelled rows."""

    _estimator_type = "classifier"
    _positive_only = False

    def fit(self, X, y=None, sample_weight=None):
        """Learn from the rows of X and their labels.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
            Numbers; C-contiguous float32 and float64 arrays are not copied. Estimators that take
            sparse rows take SciPy's matrices and arrays too, best as CSR.
        y : array of shape (n_samples,)
            Labels: numbers or text. Where ``unlabelled`` is "em", None, NaN and the number -1
            stand for no label. The name of a series is kept: the shell looks for that column.
        sample_weight : array of shape (n_samples,), default=None
            A row of weight 2 counts as the same row twice; weight 0 leaves it out.

        Returns
        -------
        self
        """
        self._known = None
        return self._fit(X, y, sample_weight)

    def _read_target(self, y, rows):
        if y is not None and getattr(self, "unlabelled", "skip") == "em":
            labels, seen = read_some_labels(y, rows, type(self).__name__)
        else:
            labels, seen = read_labels(y, rows, type(self).__name__), slice(None)
        known = self.__dict__.pop("_known", None)
        if known is None:
            self._classes, of_seen = classes_and_codes(labels)
        else:
            self._classes, of_seen = known, codes_of(labels, known)
        codes = np.full(rows, -1, dtype=np.int32)
        codes[seen] = of_seen
        return codes, target_of(self._classes, y)

    def _class_weight(self):
        return getattr(self, "class_weight", None)

    def _with_class_weight(self, weights, codes):
        return read_class_weight(self._class_weight(), self._classes, codes, weights)

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.positive_only = self._positive_only
        tags.classifier_tags = ClassifierTags(poor_score=True)
        return tags

    @property
    def classes_(self):
        """The labels, ascending."""
        model = self._fitted()
        if "_classes" not in self.__dict__:  # from a file
            self._classes = classes_of(model.target)
        return self._classes

    def predict(self, X):
        """The most probable label of each row."""
        label = self._of_row("predict_row", X)
        if label is not None:
            return self.classes_[label : label + 1].copy()
        table = self._read(X)
        labels = np.empty(table.rows.shape[0], dtype=np.int32)
        with columns_by_index(table):
            self._model.predict(table.rows, labels, self._threads())
        return self._as_labels(labels)

    def _as_labels(self, codes):
        return self.classes_[codes]

    def score(self, X, y, sample_weight=None):
        """The share of rows whose label is predicted."""
        right = self.predict(X) == read_labels(y, None, type(self).__name__)
        return float(np.average(right, weights=sample_weight))


class LearnsLabels:
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn on from more labelled rows; the result is that of one fit on all of them.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array, default=None
            All labels that there will be: needed in the first call.
        sample_weight : array of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if not self.__sklearn_is_fitted__():
            if classes is None:
                raise InputError("classes must be passed on the first call to partial_fit.")
            self._known = np.unique(read_labels(classes, None, type(self).__name__))
            return self._fit(X, y, sample_weight)
        if classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise InputError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was:"
                f" {self.classes_!r}"
            )
        return self._go_on(self._model.partial_fit, X, y, sample_weight)

    def unlearn(self, X, y, sample_weight=None):
        """Forget rows that it has learned from: as if they had not been there. Returns self."""
        return self._go_on(self._fitted().unlearn, X, y, sample_weight)

    def _go_on(self, how, X, y, sample_weight):
        table = self._read(X)
        rows = table.rows.shape[0]
        labels = codes_of(read_labels(y, rows, type(self).__name__), self.classes_)
        if isinstance(self._class_weight(), str):
            raise InputError(
                f"class_weight = {self._class_weight()!r} is not taken by partial_fit, which does not"
                " know what rows are to come\n  Give a dict, or sample_weight."
            )
        weights = self._with_class_weight(read_weights(sample_weight, rows), labels)
        values = self._values() | table.options
        with columns_by_index(table):
            return self._adopt(how(table.rows, values, weights, self._threads(), labels))


class Clusters(Predicts):
    """Labels rows, without a density."""

    _estimator_type = "clusterer"

    def _after_fit(self, table):
        if getattr(self, "compute_labels", True):
            known = self._model.take_labels()
            self._labels = self._predict(table) if known is None else known

    @property
    def labels_(self):
        """The label of each row given to fit."""
        self._fitted()
        if "_labels" not in self.__dict__:
            raise AttributeError("labels_ were not computed, or are of a model file: use predict(X)")
        return self._labels

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, then ``labels_``."""
        return self.fit(X, sample_weight=sample_weight).labels_


class Probabilities:
    def predict_log_proba(self, X):
        """log p(label | row), one column for each label."""
        if type(X) is np.ndarray and len(X.shape) == 2 and X.shape[0] == 1:
            out = np.empty((1, self._fitted().classes))
            if self._of_row("predict_log_proba_row", X, out):
                return out
        table = self._read(X)
        out = np.empty((table.rows.shape[0], self._model.classes))
        with columns_by_index(table):
            self._model.predict_log_proba(table.rows, out, self._threads())
        return out

    def predict_proba(self, X):
        """p(label | row), one column for each label; a row sums to 1."""
        return np.exp(self.predict_log_proba(X))


class Diagnoses:
    def diagnose(self, X, y=None):
        """How well each row fits, as a ``ResultTable``: a row for each of X.

        Its columns are, of those that the model can give, ``label``, ``probability`` (of the label,
        given the row), ``prediction`` (the number), ``log_density`` (log p(row)) and others, such
        as the ``distance`` of clusters, or the ``leverage`` of linear models.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            The numbers of the rows, for models that predict them: adds the ``residual`` and, of
            the rows that were fitted, ``cooks_distance``. Of no use to other models.
        """
        table = self._read(X)
        numbers = None
        if y is not None and hasattr(self, "_read_numbers"):
            numbers = self._read_numbers(y, table.rows.shape[0])
        with columns_by_index(table):
            made, codes = self._model.diagnose(table.rows, self._threads(), numbers)
        return ResultTable(*_with_labels(made, codes, self._as_labels))

    def score_rows(self, X, y=None):
        """How strange each row is, and why, as a ``ResultTable``: a row for each of X.

        Of densities its columns are ``row``, ``log_density``, its ``rank`` (1: the strangest),
        ``tail_probability`` (how probable it is that a row of the model is as strange),
        ``label`` and its ``probability``, and ``because``: of strange rows, the columns that make
        them so, with what would suit the rest of the row. ``gain`` is by how much the log density
        grows with that in the first of them. Models without a density go by the ``distance`` from
        the centre, or by the ``residual``, which asks for y.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            The numbers of the rows, for models that predict them. Of no use to other models.
        """
        table = self._read(X)
        numbers = None
        if y is not None and hasattr(self, "_read_numbers"):
            numbers = self._read_numbers(y, table.rows.shape[0])
        with columns_by_index(table):
            made, codes = self._model.score_rows(table.rows, self._threads(), numbers)
        return ResultTable(*_with_labels(made, codes, self._as_labels))


class Profiles:
    def profile(self, X):
        """What the groups are that the model puts rows into, as a dict of ``ResultTable`` by name.

        ``groups`` has their sizes, and names by what is loudest in them; ``differences`` what sets
        each apart from the rest, in standard deviations, with errors; ``means``, with standard
        deviations and shares of words, and ``medians``, in the units of the rows; ``typical`` the
        most typical rows. All of it is counted from the rows X and their labels.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        """
        table = self._read(X)
        with columns_by_index(table):
            made = self._model.profile(table.rows, self._threads())
        return {name: ResultTable(name, *rest) for name, *rest in made}


class Intervals:
    def predict_intervals(self, X, level=0.95):
        """Predictions, and between what they lie with probability ``level``, as a ``ResultTable``.

        Of numbers: ``prediction``; ``low`` and ``high`` of one more such row; ``mean_low`` and
        ``mean_high`` of the mean of many such rows. Of labels: ``label``, ``probability``, and
        ``low`` and ``high`` of that. Of densities: ``log_density``, and ``low`` and ``high`` of
        the logarithm of what it estimates, smoothed as it is.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        level : float, default=0.95
            Between 0 and 1.
        """
        table = self._read(X)
        with columns_by_index(table):
            made, codes = self._model.intervals(table.rows, float(level), self._threads())
        return ResultTable(*_with_labels(made, codes, self._as_labels))


class Distribution:
    """Of one column."""

    def cdf(self, x):
        """The probability of at most each of these values, in the shape of x."""
        return self._of_numbers("cdf", x)

    def quantile(self, p):
        """The least value of which ``cdf`` is p, for each p between 0 and 1, in the shape of p."""
        return self._of_numbers("quantile", p)

    def _of_numbers(self, method, values):
        values = np.asarray(values, dtype=np.float64)
        found = getattr(self._fitted(), method)(values.ravel().tolist(), self._threads())
        return found.reshape(values.shape)[()]


def _with_labels(made, codes, as_labels):
    """The labels of a table as predict gives them."""
    name, title, columns, *shown = made
    if codes is not None:
        columns = [
            (column, unit, as_labels(codes.astype(np.int32)) if column == "label" else values)
            for column, unit, values in columns
        ]
    return name, title, columns, *shown


class Scores:
    def score(self, X, y=None, sample_weight=None):
        """One number for a table; higher is better."""
        table = self._read(X)
        weights = read_weights(sample_weight, table.rows.shape[0])
        with columns_by_index(table):
            return self._model.score(table.rows, weights, self._threads())


class RowDensity:
    def score_samples(self, X):
        """log p(row) of each row."""
        log_density = self._of_row("score_row", X)
        if log_density is not None:
            return np.array((log_density,))
        table = self._read(X)
        out = np.empty(table.rows.shape[0])
        with columns_by_index(table):
            self._model.score_samples(table.rows, out, self._threads())
        return out


class Density(Scores, RowDensity):
    """Is a density p(row)."""

    _estimator_type = "density_estimator"


class InformationCriteria:
    def aic(self, X):
        """Akaike's information criterion on X; lower is better."""
        return self._deviance(X) + 2 * self._model.free_parameters

    def bic(self, X):
        """The Bayesian information criterion on X; lower is better."""
        return self._deviance(X) + self._model.free_parameters * np.log(len(X))

    def _deviance(self, X):
        return -2 * self.score(X) * len(X)


class CompletedLikelihood:
    def icl(self, X):
        """The integrated completed likelihood criterion on X: BIC plus twice the entropy of the
        rows' labels, so components that overlap cost more; lower is better."""
        table = self._read(X)
        with columns_by_index(table):
            entropy = self._model.entropy(table.rows, self._threads())
        return self.bic(X) + 2 * entropy * len(X)


class WarmStarts:
    def _start(self):
        if not isinstance(self.warm_start, (bool, np.bool_)):
            raise InputError(
                f"warm_start = {self.warm_start!r} is not allowed\n  Give True or False."
            )
        return self.__dict__.get("_model") if self.warm_start else None


class Learns:
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn on from more rows, each seen once; the first call is ``fit``.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, sample_weight=sample_weight)
        table = self._read(X)
        weights = read_weights(sample_weight, table.rows.shape[0])
        values, n_jobs = self._values() | table.options, self._threads()
        with columns_by_index(table):
            self._adopt(self._model.partial_fit(table.rows, values, weights, n_jobs))
            self._after_fit(table)
        return self


class Merges:
    def merge(self, other):
        """Take in what another estimator of the same kind and columns learned from other rows.

        Rows that both have seen count twice. Returns self.
        """
        model = self._fitted()
        if type(other) is not type(self):
            raise InputTypeError(
                f"a {type(other).__name__} cannot be merged into a {type(self).__name__}"
            )
        return self._adopt(model.merge(other._fitted()))


class Parts:
    """Says what some of its columns are, by themselves or given others."""

    def marginal(self, columns):
        """The density of these columns by themselves, as an estimator of the same kind.

        Parameters
        ----------
        columns : list of int or str
            Their numbers, from 0, or names.
        """
        return self._part(self._fitted().marginal([self._column(c) for c in columns]))

    def condition(self, given=None, **named):
        """The density of the other columns at given values of some, as an estimator of the same kind.

        Parameters
        ----------
        given : dict, default=None
            A value of each column, by its number, from 0, or its name.
        **named : float
            The same by name: ``model.condition(age=40)``.
        """
        values = {**(given or {}), **named}
        columns = [self._column(c) for c in values]
        numbers = [finite_number("given", v) for v in values.values()]
        return self._part(self._fitted().condition(columns, numbers))

    def _column(self, column):
        names = self._fitted().names
        if isinstance(column, str):
            if column not in names:
                raise InputError(f"there is no column {column!r}\n  There are {', '.join(names)}.")
            return names.index(column)
        return whole_number("column", column, 0, len(names) - 1)

    def _part(self, model):
        return type(self)(**model.options())._adopt(model)


class Samples:
    def sample(self, n_samples=1, random_state=None):
        """Draw rows from the model.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState, Generator or None, default=None
            None: the estimator's own, so that two calls give the same rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)
            The component, or the class, that each row came from.
        """
        model = self._fitted()
        rows = whole_number("n_samples", n_samples, 1, _MOST_ROWS)
        own = getattr(self, "random_state", None)
        seed = _seed(own if random_state is None else random_state)
        try:
            x, labels = model.sample(rows, whole_number("random_state", seed, 0, 2**63 - 1))
            return x, self._as_labels(labels)
        except MemoryError:
            raise OutOfMemoryError(
                f"{rows} rows of {self._columns} columns do not fit into memory\n"
                "  Give fewer rows.",
                "out-of-memory",
            ) from None
