"""What estimators and vectorisers share of scikit-learn's protocol: parameters, which are those of
``__init__`` under their names, and the names of columns."""

import inspect
import warnings

import numpy as np

from ._errors import InputError


class Parameters:
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

    def __repr__(self):
        changed = []
        for name, default in self._defaults().items():
            value = getattr(self, name, default)
            if repr(value) != repr(default):
                text = f"array{value.shape}" if isinstance(value, np.ndarray) else repr(value)
                changed.append(f"{name}={text}")
        return f"{type(self).__name__}({', '.join(changed)})"


class ColumnNames:
    """`_names`: of the columns in fit, or None."""

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
    def feature_names_in_(self):
        """Names of the columns in fit, when they had names."""
        self._fitted()
        if self._names is None:
            raise AttributeError("the model was fitted without feature names")
        return self._names


def _listed(what, names, most=5):
    if not names:
        return ""
    lines = [f"- {name}\n" for name in sorted(names)]
    return f"Feature names {what}:\n" + "".join(lines[:most]) + ("- ...\n" * (len(lines) > most))
