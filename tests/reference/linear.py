"""Least squares by NumPy, for craton/linear/linear_regression_test.cc: prints what it expects."""

import numpy as np

X = np.array([[1, 2], [2, 1], [3, 5], [4, 3], [5, 8], [7, 6]], float)
y = np.array([2.5, 3, 7.5, 6.5, 12, 13])

for name, design in (("with", np.column_stack([X, np.ones(len(X))])), ("without", X)):
    coef, rest, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    print(f"{name} intercept", *(f"{c:.18g}" for c in coef), f"{-rest[0] / len(y):.18g}")
