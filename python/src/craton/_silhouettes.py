"""Silhouettes by other distances than the Euclidean one, which C++ has.

Each needs the sum of the distances from every row to the rows of every cluster. By the cosine it is
n_a - u . sum_a of unit rows, and along the axes it comes from sorted columns: neither meets all
pairs of rows, which a matrix of distances has met already.
"""

import numpy as np

from ._errors import InputError

# Names of scikit-learn's and SciPy's for the same.
_SAME = {"l2": "euclidean", "cityblock": "manhattan", "l1": "manhattan"}


def metric_of(metric):
    """Its name here."""
    known = ("euclidean", "manhattan", "cosine", "precomputed")
    name = _SAME.get(metric, metric) if isinstance(metric, str) else metric
    if not isinstance(name, str) or name not in known:
        raise InputError(
            f"metric = {metric!r} is not allowed\n  Give one of {known}; for another one,"
            " metric='precomputed' and the distances of all pairs of rows as X."
        )
    return name


def silhouettes(sums, codes):
    """From sums[i, a], the distances of row i to the rows of cluster a, of which it may be one."""
    n, clusters = sums.shape
    sizes = np.bincount(codes, minlength=clusters)
    if not 2 <= clusters <= n - 1:
        raise InputError(
            f"Number of labels is {clusters}. Valid values are 2 to n_samples - 1 (inclusive)",
            "too-few-rows",
        )
    rows = np.arange(n)
    own = sums[rows, codes] / np.maximum(sizes[codes] - 1, 1)
    others = sums / sizes
    others[rows, codes] = np.inf
    other = others.min(axis=1)
    most = np.maximum(own, other)
    values = np.divide(other - own, most, out=np.zeros(n), where=most > 0)
    return np.where(sizes[codes] == 1, 0.0, values)


def cosine_sums(X, codes, clusters):
    """Of 1 - the cosine; rows of zeros are at 1 from all but themselves."""
    X = X.astype(np.float64, copy=False)
    lengths = np.sqrt(np.asarray((X.multiply(X) if hasattr(X, "multiply") else X * X).sum(axis=1)))
    lengths = lengths.reshape(-1)
    scale = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    units = X.multiply(scale[:, None]).tocsr() if hasattr(X, "multiply") else X * scale[:, None]
    members = np.zeros((clusters, len(codes)))
    members[codes, np.arange(len(codes))] = 1
    sums = np.asarray(np.bincount(codes, minlength=clusters) - units @ (members @ units).T)
    sums[np.arange(len(codes)), codes] -= lengths == 0  # none from itself
    return np.maximum(sums, 0)


def manhattan_sums(X, codes, clusters):
    """Of |x - y| summed over columns: with s_1 <= ... <= s_m the values of a cluster, r of them
    below x, these are x (2 r - m) + sum of all - 2 sum of those r."""
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64, copy=False)
    sums = np.zeros((len(X), clusters))
    for column in (X - X.mean(axis=0)).T:
        for a in range(clusters):
            values = np.sort(column[codes == a])
            below = np.searchsorted(values, column)
            total = np.concatenate([[0.0], np.cumsum(values)])
            sums[:, a] += column * (2 * below - len(values)) + total[-1] - 2 * total[below]
    return np.maximum(sums, 0)


def given_sums(distances, codes, clusters):
    """Of the matrix of all distances."""
    n = len(codes)
    if distances.shape != (n, n):
        raise InputError(
            f"the distances have the shape {distances.shape}, for {n} labels\n  Give one for each"
            " pair of rows.",
            "bad-shape",
        )
    eps = np.finfo(distances.dtype if distances.dtype.kind == "f" else np.float64).eps
    if np.abs(distances.diagonal()).max(initial=0) > 100 * eps:
        raise InputError(
            "The precomputed distance matrix contains non-zero elements on the diagonal. Use"
            " np.fill_diagonal(X, 0)."
        )
    members = np.zeros((n, clusters))
    members[np.arange(n), codes] = 1
    return np.asarray(distances @ members)


SUMS = {"cosine": cosine_sums, "manhattan": manhattan_sums, "precomputed": given_sums}
