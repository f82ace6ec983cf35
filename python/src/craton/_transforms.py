"""New columns for rows, in the container that was asked for."""

import sys

import numpy as np

from ._errors import InputError
from ._table import columns_by_index


class Transforms:
    def transform(self, X):
        """New columns for each row."""
        table = self._read(X)
        out = np.empty((table.rows.shape[0], self._model.outputs))
        with columns_by_index(table):
            self._model.transform(table.rows, out, self._threads())
        return self._in_container(out.astype(table.rows.dtype, copy=False), table.index)

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit, then transform."""
        return self.fit(X, y, sample_weight=sample_weight).transform(X)

    def get_feature_names_out(self, input_features=None):
        """Names of the columns that transform gives."""
        self._fitted()
        if input_features is not None:
            if self._names is not None and list(input_features) != list(self._names):
                raise InputError(
                    "input_features is not equal to feature_names_in_", "wrong-columns"
                )
            if len(input_features) != self._columns:
                raise InputError(
                    "input_features should have length equal to number of features"
                    f" ({self._columns}), got {len(input_features)}",
                    "wrong-columns",
                )
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{j}" for j in range(self._model.outputs)], dtype=object)

    def set_output(self, *, transform=None):
        """Choose what transform gives: "default" (NumPy), "pandas" or "polars"."""
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _in_container(self, values, index):
        sklearn = sys.modules.get("sklearn")
        default = sklearn.get_config()["transform_output"] if sklearn else "default"
        kind = getattr(self, "_sklearn_output_config", {}).get("transform", default)
        if kind == "default":
            return values
        if kind == "pandas":
            import pandas

            return pandas.DataFrame(values, columns=self.get_feature_names_out(), index=index)
        if kind == "polars":
            import polars

            return polars.DataFrame(values, schema=list(self.get_feature_names_out()))
        raise InputError(f"output config must be 'default', 'pandas' or 'polars', got {kind!r}")
