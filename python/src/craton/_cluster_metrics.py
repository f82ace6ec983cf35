"""Metrics of clusters, with the true classes and without."""

import numpy as np

from ._craton import metrics as _core
from ._errors import InputError
from ._metric_values import numbers_of, one_of
from ._silhouettes import SUMS, metric_of, silhouettes
from ._table import read_table
from ._values import threads

_MEANS = ("min", "geometric", "arithmetic", "max")


def _codes(name, labels):
    values = np.asarray(labels)
    if values.ndim != 1:
        raise InputError(f"{name} must be 1D: shape is {values.shape}", "bad-shape")
    if values.dtype.kind == "O":
        if any(label is None or label != label for label in values):
            raise InputError(f"{name} contains NaN", "bad-target")
        values = np.array(values.tolist())
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError(f"{name} contains NaN or infinity", "bad-target")
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _table_of(labels_true, labels_pred):
    truth, predicted = _codes("labels_true", labels_true), _codes("labels_pred", labels_pred)
    if len(truth) != len(predicted):
        raise InputError(
            "Found input variables with inconsistent numbers of samples:"
            f" {[len(truth), len(predicted)]}\n  These are labels_true and labels_pred.",
            "bad-shape",
        )
    return _core.Contingency(truth, predicted)


def contingency_matrix(labels_true, labels_pred, *, eps=None, sparse=False, dtype=np.int64):
    """How many rows of each class (rows) are in each cluster (columns).

    eps is added to every cell, which makes them floats; sparse gives SciPy's CSR matrix.
    """
    if eps is not None and sparse:
        raise InputError("Cannot set 'eps' when sparse=True\n  Leave one of them out.")
    matrix = _table_of(labels_true, labels_pred).matrix()
    if eps is not None:
        return matrix + eps
    if not sparse:
        return matrix.astype(dtype, copy=False)
    from scipy.sparse import csr_matrix

    return csr_matrix(matrix.astype(dtype, copy=False))


def pair_confusion_matrix(labels_true, labels_pred):
    """Ordered pairs of rows: put apart or together by the classes (rows) and clusters (columns)."""
    return np.array(_table_of(labels_true, labels_pred).pairs()).reshape(2, 2)


def rand_score(labels_true, labels_pred):
    """The share of pairs of rows that both put together, or both apart."""
    return _table_of(labels_true, labels_pred).rand()


def adjusted_rand_score(labels_true, labels_pred):
    """The same, with chance taken away: 1 for the same clusters, about 0 for random ones."""
    return _table_of(labels_true, labels_pred).adjusted_rand()


def fowlkes_mallows_score(labels_true, labels_pred):
    """The geometric mean of precision and recall of pairs put together."""
    return _table_of(labels_true, labels_pred).fowlkes_mallows()


def mutual_info_score(labels_true, labels_pred, *, contingency=None):
    """What one labelling says about the other, in nats; of a contingency matrix, if one is given."""
    if contingency is None:
        return _table_of(labels_true, labels_pred).mutual_information()
    cells = contingency.toarray() if hasattr(contingency, "toarray") else contingency
    shares = numbers_of("contingency", cells, (2,))
    shares = shares / shares.sum()
    expected = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)
    there = shares > 0
    return max(0.0, float(np.sum(shares[there] * np.log(shares[there] / expected[there]))))


def normalized_mutual_info_score(labels_true, labels_pred, *, average_method="arithmetic"):
    """Mutual information over a mean of the entropies."""
    mean = one_of("average_method", average_method, _MEANS)
    return _table_of(labels_true, labels_pred).normalised(mean)


def adjusted_mutual_info_score(labels_true, labels_pred, *, average_method="arithmetic"):
    """The same, with chance taken away."""
    mean = one_of("average_method", average_method, _MEANS)
    return _table_of(labels_true, labels_pred).adjusted(mean)


def homogeneity_completeness_v_measure(labels_true, labels_pred, *, beta=1.0):
    """Are clusters of one class; are classes in one cluster; the harmonic mean of both."""
    return _table_of(labels_true, labels_pred).v_measure(float(beta))


def homogeneity_score(labels_true, labels_pred):
    """1 when each cluster has rows of one class only."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[0]


def completeness_score(labels_true, labels_pred):
    """1 when all rows of a class are in one cluster."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[1]


def v_measure_score(labels_true, labels_pred, *, beta=1.0):
    """The weighted harmonic mean of homogeneity and completeness."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta)[2]


# ---- without the true classes


def _clustered(X, labels, sparse=True):
    rows = read_table(X, "metrics", sparse).rows
    if not np.isfinite(rows.data if hasattr(rows, "indptr") else rows).all():
        raise InputError("X contains NaN or infinity", "not-finite")
    codes = _codes("labels", labels)
    if len(codes) != rows.shape[0]:
        raise InputError(f"X has {rows.shape[0]} rows, labels {len(codes)}", "bad-shape")
    return rows, codes, int(codes.max(initial=-1)) + 1


def silhouette_samples(X, labels, *, metric="euclidean", n_jobs=None):
    """Of each row, how much nearer its own cluster is than the next, in [-1, 1].

    metric: 'euclidean', 'manhattan', 'cosine', or 'precomputed': X has the distances of all pairs.
    """
    name = metric_of(metric)
    rows, codes, clusters = _clustered(X, labels)
    if name == "euclidean":
        return _core.silhouettes(rows, codes, clusters, False, threads(n_jobs))
    return silhouettes(SUMS[name](_scipy_rows(rows), codes, clusters), codes)


def _scipy_rows(rows):
    """Rows as NumPy or SciPy compute with them."""
    if not hasattr(rows, "indptr"):
        return rows
    from scipy.sparse import csr_array

    return csr_array((rows.data, rows.indices, rows.indptr), rows.shape)


def silhouette_score(
    X, labels, *, metric="euclidean", sample_size=None, random_state=None, n_jobs=None
):
    """The mean of silhouette_samples: the distances of all pairs of rows, or of a sample."""
    if sample_size is not None:
        if not isinstance(random_state, np.random.RandomState):
            random_state = np.random.RandomState(random_state or 0)
        chosen = random_state.permutation(np.shape(X)[0])[:sample_size]
        rows = _scipy_rows(read_table(X, "metrics", True).rows)
        X, labels = rows[chosen], np.asarray(labels)[chosen]
        X = X[:, chosen] if metric == "precomputed" else X
    return float(np.mean(silhouette_samples(X, labels, metric=metric, n_jobs=n_jobs)))


def simplified_silhouette_samples(X, labels, *, n_jobs=None):
    """Silhouettes by distances to the means of clusters: fast, and another number."""
    return _core.silhouettes(*_clustered(X, labels), True, threads(n_jobs))


def simplified_silhouette_score(X, labels, *, n_jobs=None):
    """The mean of simplified_silhouette_samples."""
    return float(np.mean(simplified_silhouette_samples(X, labels, n_jobs=n_jobs)))


def calinski_harabasz_score(X, labels):
    """The variance between clusters over that within them."""
    return _core.calinski_harabasz(*_clustered(X, labels))


def davies_bouldin_score(X, labels):
    """How near each cluster's nearest one is, for their widths: less is better."""
    return _core.davies_bouldin(*_clustered(X, labels))
