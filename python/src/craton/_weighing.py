"""Counts of terms, weighed: TF-IDF and BM25."""

import warnings

import numpy as np

from . import _craton
from ._errors import FitWarning, InputError
from ._parameters import ColumnNames
from ._sparse_output import in_container, sparse_rows
from ._table import SparseRows, names_of, read_table
from ._vectorizing import LearnsTerms, Options


class WeighsTerms(LearnsTerms):
    """With weights of terms by the documents of fit."""

    @property
    def idf_(self):
        """The weight of each term by the documents that have it."""
        self._fitted()
        if "_step" in self.__dict__:
            idf = self._step.idf
        else:
            idf = _craton.TermWeights(self._text_options(), *self._weighing).idf
        return _some(idf).astype(self._type(), copy=False)

    def _type(self):
        return np.dtype(self.dtype if self.dtype in _FLOATS else np.float64)

    def _warn(self):
        super()._warn()
        if self.dtype not in _FLOATS:
            warnings.warn(
                f"Only float64 and float32 are dtypes of weights: {self.dtype} becomes float64",
                FitWarning,
                stacklevel=4,
            )


_FLOATS = (np.float64, np.float32)


def _some(idf):
    if idf is None or len(idf) == 0:
        raise AttributeError("there is no idf_: terms were not weighed by documents")
    return idf


class WeighsCounts(ColumnNames, Options):
    """Rows of counts in, rows of weights out."""

    def fit(self, X, y=None):
        """Learn how many rows have each column.

        Parameters
        ----------
        X : sparse rows or array of shape (n_documents, n_terms)
            Counts.
        y : ignored

        Returns
        -------
        self
        """
        self._names = names_of(X)
        if self._names is not None:
            self._names = np.array(self._names, dtype=object)
        table = self._table(X)
        data, indices, indptr = _entries(table.rows)
        df = np.bincount(indices, minlength=table.rows.shape[1]).astype(np.int64)
        self._learned = (df, len(indptr) - 1, float(data.sum()))
        self._weights()  # says what is wrong with the options
        return self

    def fit_transform(self, X, y=None):
        """Fit, then transform."""
        return self.fit(X).transform(X)

    def transform(self, X, copy=True):
        """The weights of rows of counts, as ``scipy.sparse.csr_matrix``.

        Parameters
        ----------
        X : sparse rows or array of shape (n_documents, n_terms)
        copy : ignored
            X is never changed.
        """
        self._fitted()
        self._check_names(names_of(X))
        table = self._table(X)
        if table.rows.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {table.rows.shape[1]} features, but {type(self).__name__} is expecting"
                f" {self.n_features_in_} features as input",
                "wrong-columns",
            )
        data, indices, indptr = _entries(table.rows)
        weighed = np.array(data, np.float64)
        self._weights().weigh(indptr.astype(np.int64), indices, weighed, self._threads())
        weighed = weighed.astype(table.rows.dtype, copy=False)
        return in_container(
            self, sparse_rows(weighed, indices, indptr, table.rows.shape), table.index
        )

    def get_feature_names_out(self, input_features=None):
        """Names of the columns: those that were given, or x0, x1, ..."""
        self._fitted()
        names = self._names
        if input_features is not None:
            if names is not None and list(input_features) != list(names):
                raise InputError("input_features is not equal to feature_names_in_", "wrong-columns")
            if len(input_features) != self.n_features_in_:
                raise InputError(
                    "input_features should have length equal to number of features"
                    f" ({self.n_features_in_}), got {len(input_features)}",
                    "wrong-columns",
                )
            names = input_features
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in_)]
        return np.array(names, dtype=object)

    def _table(self, X):
        table = read_table(X, type(self).__name__, sparse=True, n_jobs=self.n_jobs)
        values = table.rows if isinstance(table.rows, np.ndarray) else table.rows.data
        if not np.isfinite(values).all():
            what = "NaN" if np.isnan(values).any() else "infinity"
            raise InputError(f"Input X contains {what}.\n  Counts are numbers.", "not-finite")
        return table

    def _weights(self):
        return _craton.TermWeights(self._values(), *self._learned)

    def __sklearn_is_fitted__(self):
        return "_learned" in self.__dict__

    def _fitted(self):
        if "_learned" not in self.__dict__:
            raise self._not_fitted()

    @property
    def idf_(self):
        """The weight of each column by the rows that have it."""
        self._fitted()
        return _some(self._weights().idf)

    @property
    def n_features_in_(self):
        """Number of columns in fit."""
        self._fitted()
        return len(self._learned[0])

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(["float64", "float32"]),
            input_tags=InputTags(sparse=True),
        )


def _entries(rows):
    """(data, indices, indptr) of sparse rows, or of the values of an array that are not 0."""
    if isinstance(rows, SparseRows):
        return rows.data, rows.indices, rows.indptr
    places, indices = np.nonzero(rows)
    indptr = np.zeros(len(rows) + 1, np.int32)
    np.cumsum(np.bincount(places, minlength=len(rows)), out=indptr[1:])
    return rows[places, indices], indices.astype(np.int32), indptr
