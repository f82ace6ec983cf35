"""Sparse rows in the container that was asked for."""

import sys

from ._craton import SparseRows
from ._errors import InputError


def sparse_rows(data, indices, indptr, shape):
    """SciPy's matrix of rows in order; without SciPy, rows that craton's estimators take."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return SparseRows(indptr, indices, data.astype("f8", copy=False), shape, 1)
    rows = csr_matrix((data, indices, indptr), shape=shape, copy=False)
    rows.has_canonical_format = True
    return rows


def in_container(estimator, rows, index=None):
    """`rows`, or a frame of sparse columns, as ``set_output`` says."""
    sklearn = sys.modules.get("sklearn")
    default = sklearn.get_config()["transform_output"] if sklearn else "default"
    kind = getattr(estimator, "_sklearn_output_config", {}).get("transform", default)
    if kind == "default":
        return rows
    if kind == "pandas":
        import pandas

        names = getattr(estimator, "get_feature_names_out", lambda: None)()  # of hashed terms: none
        return pandas.DataFrame.sparse.from_spmatrix(rows, columns=names, index=index)
    raise InputError(
        f"sparse rows do not go into {kind!r}\n  Give set_output(transform='default') or 'pandas'."
    )
