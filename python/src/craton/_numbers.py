"""Models that learn from a number of each row, and predict one."""

import numpy as np

from . import _craton
from ._errors import InputError, InputTypeError, Place
from ._labels import name_of, vector_of
from ._table import columns_by_index, read_weights
from ._values import refuse_complex


def read_numbers(y, rows, owner):
    """y as doubles, one for each row."""
    values = vector_of(y, rows, owner, stacklevel=5)
    refuse_complex("Complex data not supported: y", values)
    if values.dtype.kind not in "fiub":
        values = _converted(values, owner)
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        what = "NaN" if np.isnan(numbers[row]) else "infinity or a value too large for float64"
        raise InputError(
            f"Input y contains {what}: row {row}\n  Remove such rows.", "bad-target", Place(row=row)
        )
    return numbers


def _converted(values, owner):
    """Objects, such as decimals, as doubles; words are refused with what to take instead."""
    for row, value in enumerate(values.tolist()):
        if isinstance(value, (str, bytes)):
            models = [m["python_name"] for m in _craton.models() if m["abilities"]["labels"]]
            raise InputError(
                f"{owner} learns from numbers, and y holds words, such as {value!r}\n  Models of"
                f" classes are: {', '.join(models)}.",
                "bad-target",
                Place(row=row),
            )
        if value is None:
            raise InputError(
                f"Input y contains NaN: row {row}\n  Remove such rows.",
                "bad-target",
                Place(row=row),
            )
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(f"{error}\n  y must hold numbers.", "bad-target") from None


class Regresses:
    """Learns from a number of each row."""

    _estimator_type = "regressor"

    def fit(self, X, y=None, sample_weight=None):
        """Learn from the rows of X and their numbers.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
            Numbers; C-contiguous float32 and float64 arrays are not copied. Estimators that take
            sparse rows take SciPy's matrices and arrays too, best as CSR.
        y : array of shape (n_samples,)
            Numbers. The name of a series is kept: the shell looks for that column.
        sample_weight : array of shape (n_samples,), default=None
            A row of weight 2 counts as the same row twice; weight 0 leaves it out.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _read_target(self, y, rows):
        return None, (name_of(y), True, [])

    def _read_numbers(self, y, rows):
        return read_numbers(y, rows, type(self).__name__)

    def __sklearn_tags__(self):
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.regressor_tags = RegressorTags()
        return tags

    def predict(self, X):
        """The number of each row."""
        number = self._of_row("predict_number_row", X)
        if number is not None:
            return np.array((number,))
        table = self._read(X)
        out = np.empty(table.rows.shape[0])
        with columns_by_index(table):
            self._model.predict_numbers(table.rows, out, self._threads())
        return out

    def score(self, X, y, sample_weight=None):
        """R^2: the share of the variance of y that is explained, at most 1."""
        from ._number_metrics import r2_score

        return r2_score(y, self.predict(X), sample_weight=sample_weight)


class LearnsNumbers:
    def partial_fit(self, X, y, sample_weight=None):
        """Learn on from more rows and their numbers; the result is that of one fit on all of them.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, sample_weight)
        table = self._read(X)
        rows = table.rows.shape[0]
        numbers = self._read_numbers(y, rows)
        weights = read_weights(sample_weight, rows)
        values, n_jobs = self._values() | table.options, self._threads()
        with columns_by_index(table):
            return self._adopt(
                self._model.partial_fit(table.rows, values, weights, n_jobs, numbers=numbers)
            )
