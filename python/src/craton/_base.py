"""What every estimator shares. The classes themselves are in _models.py, made from the registry.

scikit-learn's protocol is followed without importing it: parameters are stored by ``__init__`` as
they are given and looked at by ``fit`` only; what is learned ends in an underscore.
"""

import inspect
import warnings

import numpy as np

from . import _craton
from ._compatibility import narrator, read_words
from ._errors import (
    ConvergenceWarning,
    FitWarning,
    InputError,
    NotFittedError,
    also_of_sklearn,
    printable,
)
from ._report import Report, frozen
from ._table import Categories, columns_by_index, names_of, read_table, read_weights
from ._values import path_text, plain, threads


class Estimator:
    """Parameters, fitting, saving. A subclass names its model and its options."""

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

    # ---- parameters

    @classmethod
    def _parameter_names(cls):
        return sorted(cls._defaults())

    def get_params(self, deep=True):
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params):
        """Change parameters by name; returns self."""
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise InputError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are:"
                    f" {known!r}.",
                    "unknown-name",
                )
            setattr(self, name, value)
        return self

    @classmethod
    def _defaults(cls):
        parameters = inspect.signature(cls.__init__).parameters.values()
        return {part.name: part.default for part in parameters if part.name != "self"}

    def _repr_html_(self):
        from ._html import page  # for notebooks only

        return page(self)

    def __repr__(self):
        changed = []
        for name, default in self._defaults().items():
            value = getattr(self, name, default)
            if repr(value) != repr(default):
                text = f"array{value.shape}" if isinstance(value, np.ndarray) else repr(value)
                changed.append(f"{name}={text}")
        return f"{type(self).__name__}({', '.join(changed)})"

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
        values, n_jobs, start = self._values() | changed, self._threads(), self._start()
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
                )
            )
            self._after_fit(table)
        self._warn()
        return self

    def _table(self, X, known=None, weights=None):
        categories = None
        if self._takes_categories:
            categories = Categories(
                known, self._only_categories, weights, self._one_vocabulary, self._makes_terms
            )
        owner = type(self).__name__
        return read_table(X, owner, self._takes_sparse, categories, self.n_jobs)

    def _values(self):
        """The options of the model, as the library knows values."""
        values = {name: plain(name, getattr(self, name)) for name in self._options}
        if "random_state" in values:
            values["random_state"] = _seed(self.random_state)
        read_words(self._words, values)
        for name, keyword in self._keywords.items():
            keyword.read(getattr(self, name), values, name)
        return values

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

    def _after_fit(self, table):
        """For what is learned about the rows themselves."""

    def _adopt(self, model):
        self.__dict__.pop("_labels", None)
        self._model = model
        self._learned = {}  # what was asked for
        self._report = Report(**model.report())
        self._names = np.array(model.names, dtype=object) if model.named else None
        self._columns = model.columns
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
        if table.rows.shape[1] != self._columns:
            raise InputError(
                f"X has {table.rows.shape[1]} features, but {type(self).__name__} is expecting"
                f" {self._columns} features as input",
                "wrong-columns",
            )
        return table

    def _check_names(self, names):
        name = type(self).__name__
        if (names is None) != (self._names is None):
            warnings.warn(
                f"X has feature names, but {name} was fitted without feature names"
                if self._names is None
                else f"X does not have valid feature names, but {name} was fitted with feature"
                " names",
                UserWarning,
                stacklevel=4,
            )
        elif names is not None and names != list(self._names):
            message = "The feature names should match those that were passed during fit.\n"
            message += _listed("unseen at fit time", set(names) - set(self._names))
            missing = set(self._names) - set(names)
            message += _listed("seen at fit time, yet now missing", missing)
            if set(names) == set(self._names):
                message += "Feature names must be in the same order as they were in fit.\n"
            raise InputError(message, "wrong-columns")

    @property
    def n_features_in_(self):
        """Number of columns in fit."""
        self._fitted()
        return self._columns

    @property
    def feature_names_in_(self):
        """Names of the columns in fit, when they had names."""
        self._fitted()
        if self._names is None:
            raise AttributeError("the model was fitted without feature names")
        return self._names

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


def _listed(what, names, most=5):
    if not names:
        return ""
    lines = [f"- {name}\n" for name in sorted(names)]
    return f"Feature names {what}:\n" + "".join(lines[:most]) + ("- ...\n" * (len(lines) > most))


def _seed(random_state):
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    return plain("random_state", random_state)
