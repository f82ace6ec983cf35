"""Spherical k-means (Dhillon and Modha, 2001) in plain NumPy, from a given start.

    python3 tests/reference/spherical_kmeans.py          a small table, step by step

python/tests/test_spherical.py compares craton with this.
"""
import numpy as np


def unit(rows):
    return rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))


def spherical_kmeans(X, start, weights=None, max_iter=300):
    """Centres, labels, J = sum of w (1 - cos) and the number of updates, until no label changes."""
    X, centres = unit(np.asarray(X, float)), unit(np.asarray(start, float))
    w = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    labels = (X @ centres.T).argmax(axis=1)
    for iteration in range(max_iter + 1):
        J = (w * (1 - (X * centres[labels]).sum(axis=1))).sum()
        if iteration == max_iter:
            break
        sums = np.array([(w * (labels == c)) @ X for c in range(len(centres))])
        moved = unit(sums)
        after = (X @ moved.T).argmax(axis=1)
        centres, before, labels = moved, labels, after
        if (before == after).all():
            J = (w * (1 - (X * centres[labels]).sum(axis=1))).sum()
            return centres, labels, J, iteration + 1
    return centres, labels, J, max_iter


if __name__ == "__main__":
    random = np.random.RandomState(0)
    table = random.randn(60, 3) + 2 * np.eye(3)[np.arange(60) % 3]
    for steps in range(6):
        print(steps, spherical_kmeans(table, table[:3], max_iter=steps)[2])
