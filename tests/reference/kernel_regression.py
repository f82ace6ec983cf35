"""Numbers of density/kernel_regression_test.cc, from statsmodels 0.15 (KernelReg).

    python tests/reference/kernel_regression.py

Its gaussian kernel is craton's; its epanechnikov has other bounds of support, so that kernel is
checked by a sum over rows in plain Python.
"""
import math

import numpy as np
from statsmodels.nonparametric.kernel_regression import KernelReg

waiting = [79, 54, 74, 62, 85, 55, 88, 85, 51, 85, 54, 84, 78, 47, 83, 52, 62, 84, 52, 79]
eruptions = [
    3.6, 1.8, 3.333, 2.283, 4.533, 2.883, 4.7, 3.6, 1.95, 4.35,
    1.833, 3.917, 4.2, 1.75, 4.7, 2.167, 1.75, 4.8, 1.6, 4.25,
]  # fmt: skip


def by_hand(x, at, y, h, degree, kernel):
    """Least squares with the weights of the kernel, in plain floats."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    weights = np.array([kernel(abs(at - a) / h) for a in x])
    design = np.stack([np.ones(len(x)), x - at], axis=1)[:, : degree + 1]
    root = np.sqrt(weights)[:, None]
    return np.linalg.lstsq(design * root, y * root[:, 0], rcond=None)[0][0]


def main():
    y, one = np.array(waiting, float), np.array(eruptions)
    for kind, degree in (("lc", 0), ("ll", 1)):
        model = KernelReg(y, one, "c", reg_type=kind, bw=[0.4])
        print(kind, "0.4 at 2, 3.1, 5:", model.fit([2, 3.1, 5])[0].tolist())
        two = np.stack([one[:-1], y[:-1]], axis=1)
        model = KernelReg(y[1:], two, "cc", reg_type=kind, bw=[0.5, 8.0])
        at = np.array([[2, 60], [4, 80], [3.1, 70]])
        print(kind, "0.5, 8 of two columns:", model.fit(at)[0].tolist())
        epanechnikov = [by_hand(eruptions, at, waiting, 0.9, degree, lambda u: max(0, 1 - u * u))
                        for at in (2, 3.1, 5)]
        print("epanechnikov 0.9, by hand:", [float(v) for v in epanechnikov])
        model = KernelReg(y, one, "c", reg_type=kind, bw="cv_ls")
        h = float(model.bw[0])
        estimate = {"lc": model._est_loc_constant, "ll": model._est_loc_linear}[kind]
        criterion = float(np.squeeze(model.cv_loo(np.array([h]), estimate)))
        print(kind, "cv_ls:", repr(h), "criterion:", repr(criterion))



main()
