"""Logistic and multinomial regressions by statsmodels, for python/tests/test_logistic.py:

    pip install statsmodels
    python3 tests/reference/logistic.py > tests/reference/logistic.csv
    python3 tests/reference/logistic.py --tables FOLDER    # beside craton, on R's birthwt too

Each line has a case, a quantity and its numbers: coefficients with the intercept first, class after
class for multinomial ones. Newton's method is run until nothing changes.
"""
import csv
import sys
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from sklearn.datasets import load_breast_cancer, load_wine


def binary(X, y):
    design = sm.add_constant(X)
    fits = [
        sm.Logit(y, design).fit(method="newton", maxiter=200, tol=1e-15, disp=0, cov_type=kind)
        for kind in ("nonrobust", "HC0")
    ]
    plain, robust = fits
    return {
        "coefficients": plain.params,
        "errors": plain.bse,
        "robust": robust.bse,
        "z": plain.tvalues,
        "p": plain.pvalues,
        "interval": np.ravel(plain.conf_int()),
        "likelihood": [plain.llf, plain.llnull, plain.aic, plain.bic, plain.llr, plain.llr_pvalue],
    }


def multinomial(X, y):
    fit = sm.MNLogit(y, sm.add_constant(X)).fit(method="newton", maxiter=200, tol=1e-15, disp=0)
    return {
        "coefficients": np.ravel(fit.params.T),
        "errors": np.ravel(fit.bse.T),
        "likelihood": [fit.llf, fit.llnull, fit.aic, fit.bic, fit.llr, fit.llr_pvalue],
    }


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def cases():
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", binary, X[:, [1, 4, 8, 9, 14]], y
    X, y = load_wine(return_X_y=True)
    yield "wine", multinomial, X[:, [1, 2, 4]], y


def birthwt(folder):
    with open(Path(folder) / "birthwt.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ["age", "lwt", "smoke", "ptl", "ht", "ui", "ftv"]
    X = np.array([[float(row[c]) for c in columns] for row in rows])
    race = np.array([int(row["race"]) for row in rows])
    X = np.c_[X, race == 2, race == 3]
    return "birthwt", binary, X, np.array([int(row["low"]) for row in rows])


def compare(name, how, X, y):
    import craton

    expected = how(X, y)
    model = craton.LogisticRegression(penalty="none").fit(X, y)
    table = model.tables()["coefficients"]
    worst = {}
    for quantity, column in (("coefficients", "coefficient"), ("errors", "error")):
        ours, theirs = np.asarray(table[column]), np.asarray(expected[quantity])
        worst[quantity] = np.abs(ours / theirs - 1).max()
    worst["log-likelihood"] = abs(model.likelihood_[0] / expected["likelihood"][0] - 1)
    print(name, {key: f"{value:.1e}" for key, value in worst.items()})


if __name__ == "__main__":
    if "--tables" in sys.argv:
        for case in (*cases(), birthwt(sys.argv[-1])):
            compare(*case)
    else:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        for name, how, X, y in cases():
            for quantity, values in how(X, y).items():
                writer.writerow([name, quantity, *(repr(float(v)) for v in values)])
