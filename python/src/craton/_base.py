"""What every estimator shares. The classes themselves are in _models.py, made from the registry.

scikit-learn's protocol is followed without importing it: parameters are stored by ``__init__`` as
they are given and looked at by ``fit`` only; what is learned ends in an underscore.
"""

import functools
import warnings

import numpy as np

from . import _craton
from ._compatibility import narrator, read_words
from ._documents import Texts
from ._errors import (
    ConvergenceWarning,
    FitWarning,
    InputError,
    NotFittedError,
    also_of_sklearn,
    printable,
)
from ._parameters import ColumnNames, Parameters
from ._report import Report, frozen
from ._table import Categories, Table, columns_by_index, names_of, read_table, read_weights
from ._values import path_text, plain, threads


class Estimator(ColumnNames, Parameters):
    """Fitting and saving. A subclass names its model and its options."""

    _model_name = ""  # in the registry
    _options = ()
    _keywords = {}  # of scikit-learn, and
    _words = {}  # its values of options: _compatibility.py
    _estimator_type = None  # scikit-learn's word
    _takes_sparse = False
    _takes_categories = False
    _only_categories = False
    _makes_terms = False
    _one_vocabulary = False
    _takes_missing = False

    def _repr_html_(self):
        from ._html import page  # for notebooks only

        return page(self)

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        transforms = hasattr(self, "transform")
        return Tags(
            estimator_type=self._estimator_type,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(["float64", "float32"]) if transforms else None,
            input_tags=InputTags(
                sparse=self._takes_sparse,
                string=self._takes_categories,
                categorical=self._takes_categories,
                allow_nan=self._takes_missing or self.fill not in (None, "none"),
            ),
        )

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    # ---- fitting

    def fit(self, X, y=None, sample_weight=None, *, callback=None):
        """Learn from the rows of X.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
            Numbers; C-contiguous float32 and float64 arrays are not copied. Estimators that take
            sparse rows take SciPy's matrices and arrays too, best as CSR.
        y : ignored
        sample_weight : array of shape (n_samples,), default=None
            A row of weight 2 counts as the same row twice; weight 0 leaves it out.
        callback : callable, default=None
            Called as ``callback(iteration, objective)`` after every pass over the data. What it
            raises stops the fit.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, callback)

    def _fit(self, X, y, sample_weight, callback=None, **changed):
        """`changed`: options that differ from the parameters."""
        table = self._table(X, weights=sample_weight)
        weights = read_weights(sample_weight, table.rows.shape[0])
        values = self._values() | changed | table.options
        n_jobs, start = self._threads(), self._start()
        labels, target = self._read_target(y, table.rows.shape[0])
        numbers = self._read_numbers(y, table.rows.shape[0])
        weights = self._with_class_weight(weights, labels)
        if callback is None and getattr(self, "verbose", 0):
            callback = narrator(type(self).__name__, getattr(self, "verbose_interval", 1))
        if target is not None and target[0] in (table.names or ()):
            target = ("target", *target[1:])  # a column cannot be both
        with columns_by_index(table):
            self._adopt(
                _craton.fit(
                    self._model_name,
                    table.rows,
                    values,
                    weights,
                    table.names,
                    n_jobs,
                    callback,
                    start,
                    labels,
                    target,
                    table.levels,
                    numbers,
                    self._function(),
                )
            )
            self._after_fit(table)
        self._warn()
        return self

    def _table(self, X, known=None, weights=None):
        if isinstance(X, Texts):
            self._check_reads_texts()
            return Table(X.column, None, X.index, options=X.options)
        categories = None
        if self._takes_categories:
            categories = Categories(
                known, self._only_categories, weights, self._one_vocabulary, self._makes_terms
            )
        owner = type(self).__name__
        return read_table(X, owner, self._takes_sparse, categories, self.n_jobs)

    def _check_reads_texts(self):
        if type(self).__name__ not in _of_texts():
            raise InputError(
                f"{type(self).__name__} does not take the counts of words\n  Models that do:"
                f" {', '.join(_of_texts())}.",
                "unsupported-data",
            )

    def _values(self):
        """The options of the model, as the library knows values."""
        values = {name: plain(name, getattr(self, name)) for name in self._options}
        if "random_state" in values:
            values["random_state"] = _seed(self.random_state)
        read_words(self._words, values)
        for name, keyword in self._keywords.items():
            keyword.read(getattr(self, name), values, name)
        return values

    def _only_values(self):
        """The same, of an estimator that is made again by them alone."""
        if self._function() is not None:
            raise InputError(
                f"{type(self).__name__} has a function beside its options, and is fitted again by"
                " these alone\n  Use scikit-learn's searches, which call fit.",
                "not-able",
            )
        return self._values()

    def _read_target(self, y, rows):
        """The label of each row, and what labels stand for; of those that learn from labels."""
        return None, None

    def _read_numbers(self, y, rows):
        """The number of each row; of those that learn from numbers."""
        return None

    def _with_class_weight(self, weights, codes):
        """The weights of the rows, as those that learn from labels change them."""
        return weights

    def _as_labels(self, codes):
        """What components or classes are called."""
        return codes

    def _start(self):
        """The model that fit starts from; None: a start of its own."""
        return None

    def _function(self):
        """What is given beside the options, as they are plain data; None: nothing is."""
        return None

    def _after_fit(self, table):
        """For what is learned about the rows themselves."""

    def _adopt(self, model):
        self.__dict__.pop("_labels", None)
        self._model = model
        self._learned = {}  # what was asked for
        self._report = Report(**model.report())
        self._names = np.array(model.names, dtype=object) if model.named else None
        self._columns = model.columns
        self._reads_texts = bool(model.text_names)
        return self

    def _warn(self):
        level = 3  # the caller of fit
        for note in self._report.notes:
            if note.warns:
                warnings.warn(printable(note.text), FitWarning, stacklevel=level)
        told = any(note.code == "separated" for note in self._report.notes)  # what ended it
        if not self._report.converged and not told:
            other = "larger tol" if "tol" in self._options else "smaller max_no_improvement"
            warnings.warn(
                f"{type(self).__name__} did not converge in max_iter = {self.max_iter} iterations:"
                f" give more, or a {other}.",
                also_of_sklearn(ConvergenceWarning),
                stacklevel=level,
            )

    def _threads(self):
        return threads(self.n_jobs)

    # ---- using what was learned

    def _fitted(self):
        if "_model" not in self.__dict__:
            raise also_of_sklearn(NotFittedError)(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with"
                " appropriate arguments before using this estimator."
            )
        return self._model

    def _parameter(self, name):
        model = self._fitted()
        if name not in self._learned:
            self._learned[name] = frozen(model.parameter(name))
        return self._learned[name]

    def _of_row(self, call, X, *more):
        """What the short way gives when X is one row of doubles; None: read it like any table."""
        if type(X) is not np.ndarray or "_model" not in self.__dict__:
            return None
        answer = getattr(self._model, call)(X, *more)
        if answer is not None and self._names is not None:
            self._check_names(None)
        return answer

    def _read(self, X):
        """New rows, checked against those of fit."""
        model = self._fitted()
        self._check_names(names_of(X))  # values in the wrong columns look like wrong values
        table = self._table(X, model.levels if self._takes_categories else None)
        if self._reads_texts != isinstance(X, Texts):
            said = ("rows of numbers", "texts")
            raise InputError(
                f"this {type(self).__name__} was fitted on {said[self._reads_texts]}, and is given"
                f" {said[not self._reads_texts]}\n  Ask the pipeline that it was fitted in for what"
                " it says of texts.",
                "wrong-columns",
            )
        if table.rows.shape[1] != self._columns:
            raise InputError(
                f"X has {table.rows.shape[1]} features, but {type(self).__name__} is expecting"
                f" {self._columns} features as input",
                "wrong-columns",
            )
        return table

    @property
    def n_features_in_(self):
        """Number of columns in fit."""
        return self._fitted().told_columns

    @property
    def report_(self):
        """How the fit went: iterations, converged, objective, trace, notes."""
        self._fitted()
        return self._report

    @property
    def preparation_(self):
        """What fill, scale and unit_rows do to rows: arrays by name; none where nothing is done.

        ``fill`` stands in for missing values, ``centre`` is subtracted, ``scale`` divides. What
        the model learned is said of rows so prepared; samples and densities are of rows as given.
        """
        steps = self._fitted().preparation()
        return {name: frozen(values) for name, values in steps.items()}

    @property
    def digest_(self):
        """32 hexadecimal digits over what was learned and the options that change it."""
        return self._fitted().digest()

    def describe(self):
        """What was learned, as text: that of ``craton describe`` at the shell."""
        from ._describe import describe  # for people only

        return describe(self._fitted(), self._report)

    def plot(self, X=None, y=None, *, columns=None, sample_weight=None, title=None, picture="fit"):
        """Draw rows and what was learned, as ``craton.plot`` does; notebooks show it."""
        from ._pictures import plot  # for people only

        return plot(
            self, X, y, columns=columns, sample_weight=sample_weight, title=title, picture=picture
        )

    def report(self, X, y=None, *, sample_weight=None):
        """A page on the model and these rows, to hand on: a ``Page``. ``y``: what is true of them."""
        from ._reports import of_model  # for people only

        return of_model(self, X, y, sample_weight)

    def summary(self):
        """The tables of what was learned, as text; of linear models: coefficients with errors and
        tests, and how well they fit, as R and statsmodels print them."""
        from ._describe import summary  # for people only

        return summary(self._fitted())

    def tables(self):
        """What was learned, as a dict of ``ResultTable`` by name: ``tables()["centres"]``."""
        from ._result_table import ResultTable

        made = [ResultTable(*table) for table in self._fitted().tables(more=True)]
        return {table.name: table for table in made}

    # ---- keeping

    def save(self, path):
        """Write a model file: any part of craton reads it, and ``craton.load`` gives it back."""
        self._fitted().save(path_text(path))

    def __getstate__(self):
        state = {"parameters": self.get_params()}
        if self.__sklearn_is_fitted__():
            state["model"] = self._model.to_bytes()
        for name in ("_labels", "_classes", "_sklearn_output_config"):
            if name in self.__dict__:
                state[name] = self.__dict__[name]
        return state

    def __setstate__(self, state):
        for name, value in {**self._defaults(), **state["parameters"]}.items():
            setattr(self, name, value)
        if "model" in state:
            self._adopt(_craton.Model.from_bytes(state["model"]))
        for name in ("_labels", "_classes", "_sklearn_output_config"):
            if name in state:
                setattr(self, name, state[name])


@functools.cache
def _of_texts():
    """The names of the classes that take texts."""
    return [m["python_name"] for m in _craton.models() if m["abilities"]["texts"]]


def _seed(random_state):
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    return plain("random_state", random_state)
