#!/usr/bin/env python3
"""craton's linear and logistic regressions beside statsmodels and R: python3 linear_parity.py TABLES

TABLES has longley.csv, birthwt.csv and adult-train.csv; breast cancer is scikit-learn's. Rscript
with the package sandwich is asked if it is there. For each set and quantity, the greatest relative
difference of craton from both, and of all three from the same formulas in long double, on columns
taken about their means: "craton", "statsmodels", "R" say how many digits are whose. Differences
above 1e-8 end in exit code 1, but for those with a program that has fewer than 8 digits itself.
"""
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

import craton
import numpy as np
import statsmodels.api as sm
from sklearn.datasets import load_breast_cancer
from statsmodels.tools.sm_exceptions import ConvergenceWarning

NEAR = 1e-8
ROBUST = ("HC0", "HC1", "HC2", "HC3")
Wide = np.longdouble


# ---- the sets: a name, the kind of regression, X, y, weights or None


def read(path, **options):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, skipinitialspace=True, **options))


def numbers(rows, columns):
    return np.array([[float(row[c]) for c in columns] for row in rows])


ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex"
    " capital-gain capital-loss hours-per-week native-country income"
).split()


def sets(folder):
    folder = pathlib.Path(folder)
    rows = read(folder / "longley.csv")
    columns = ["GNP.deflator", "GNP", "Unemployed", "Armed.Forces", "Population", "Year"]
    yield "longley", "linear", numbers(rows, columns), numbers(rows, ["Employed"])[:, 0], None

    rows = read(folder / "birthwt.csv")
    X = numbers(rows, ["age", "lwt", "smoke", "ptl", "ht", "ui", "ftv"])
    race = numbers(rows, ["race"])[:, 0]
    X = np.c_[X, race == 2, race == 3]
    weights = 1.0 + np.arange(len(X)) % 3
    for given in (None, weights):
        name = "birthwt" if given is None else "birthwt, weighted"
        yield name, "linear", X, numbers(rows, ["bwt"])[:, 0], given
        yield name, "logistic", X, numbers(rows, ["low"])[:, 0], given

    rows = [row for row in read(folder / "adult-train.csv", fieldnames=ADULT) if row["income"]]
    columns = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    X = numbers(rows, columns)
    yield "adult's numbers", "linear", X[:, :-1], X[:, -1], None
    income = np.array([float(row["income"] == ">50K") for row in rows])
    yield "adult's numbers", "logistic", X, income, None

    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", "linear", X[:, [1, 4, 8, 9, 14]], X[:, 0], None
    yield "breast cancer", "logistic", X[:, [1, 4, 8, 9, 14]], y.astype(float), None


# ---- each gives quantities as arrays, the intercept first


def by_craton(kind, X, y, weights):
    found = {}
    if kind == "linear":
        make, options, robust = craton.LinearRegression, {"weight_kind": "precision"}, ROBUST
        if "errors" not in make().get_params():
            robust = ()
    else:
        make, options, robust = craton.LogisticRegression, {"penalty": "none"}, ("HC0",)
    model = make(**options).fit(X, y, sample_weight=weights)
    table, fit = model.tables()["coefficients"], model.tables()["fit"]
    found["coefficients"], found["errors"] = table["coefficient"], table["error"]
    found["log-likelihood"] = [dict(zip(fit["statistic"], fit["value"]))["log-likelihood"]]
    for name in robust:
        options["errors"] = "robust" if kind == "logistic" else name.lower()
        again = make(**options).fit(X, y, sample_weight=weights)
        found[name] = again.tables()["coefficients"]["error"]
    return found


def by_statsmodels(kind, X, y, weights):
    design = sm.add_constant(X)
    if kind == "linear":
        fit = sm.WLS(y, design, 1.0 if weights is None else weights).fit(method="qr")
        found = {name: getattr(fit, name + "_se") for name in ROBUST}
    elif weights is None:
        how = {"method": "newton", "maxiter": 200, "tol": 1e-15, "disp": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # steps of 1e-15 never come: 200 are made
            fit = sm.Logit(y, design).fit(**how)
            found = {"HC0": sm.Logit(y, design).fit(cov_type="HC0", **how).bse}
    else:
        model = sm.GLM(y, design, sm.families.Binomial(), freq_weights=weights)
        fit, found = model.fit(tol=1e-15, maxiter=200), {}
    return {"coefficients": fit.params, "errors": fit.bse, "log-likelihood": [fit.llf], **found}


def by_r(kind, X, y, weights):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        names = ["y", "w", *(f"x{j}" for j in range(1, X.shape[1] + 1))]
        weights = np.ones(len(y)) if weights is None else weights
        np.savetxt(path, np.c_[y, weights, X], "%.17g", ",", header=",".join(names), comments="")
        script = pathlib.Path(__file__).with_suffix(".R")
        said = subprocess.run(["Rscript", script, path, kind], stdout=subprocess.PIPE, check=True, text=True)
    lines = [line.split() for line in said.stdout.splitlines()]
    return {name: np.array(values, float) for name, *values in lines}


def inverse(a):
    """Of a positive definite matrix, by elimination."""
    n = len(a)
    m = np.c_[a, np.eye(n, dtype=Wide)]
    for k in range(n):
        m[k] /= m[k, k]
        others = np.arange(n) != k
        m[others] -= np.outer(m[others, k], m[k])
    return m[:, n:]


def by_formula(kind, X, y, weights):
    y, w = y.astype(Wide), np.ones(len(y), Wide) if weights is None else weights.astype(Wide)
    mean, scale = X.astype(Wide).mean(axis=0), X.std(axis=0).astype(Wide)
    z = np.c_[np.ones(len(X), Wide), (X.astype(Wide) - mean) / scale]
    n, p = z.shape
    back = np.diag(np.r_[Wide(1), 1 / scale])  # from those of z to those of X
    back[0, 1:] = -mean / scale
    if kind == "linear":
        root = np.sqrt(w)
        z, y = z * root[:, None], y * root
        v = inverse(z.T @ z)
        b = v @ (z.T @ y)
        b += v @ (z.T @ (y - z @ b))
        e = y - z @ b
        rss = np.sum(e * e)
        h = np.sum((z @ v) * z, axis=1)
        shares = {"HC0": 1, "HC1": n / Wide(n - p), "HC2": 1 / (1 - h), "HC3": 1 / (1 - h) ** 2}
        filling = {name: e * e * share for name, share in shares.items()}
        covariance = v * rss / (n - p)
        pi = 4 * np.arctan(Wide(1))
        log_likelihood = -n * (np.log(2 * pi * rss / n) + 1) / 2 + np.sum(np.log(w)) / 2
    else:
        b = np.zeros(p, Wide)
        for _ in range(30):
            mu = 1 / (1 + np.exp(-(z @ b)))
            v = inverse((z * (w * mu * (1 - mu))[:, None]).T @ z)
            b += v @ (z.T @ (w * (y - mu)))
        covariance = v
        signed = (2 * y - 1) * (z @ b)
        log_likelihood = -np.sum(w * np.log1p(np.exp(-signed)))
        filling = {"HC0": w * (y - mu) ** 2}  # of so many copies: theirs would have w^2

    def errors(v):
        return np.sqrt(np.diag(back @ v @ back.T))

    found = {name: errors(v @ ((z * f[:, None]).T @ z) @ v) for name, f in filling.items()}
    found.update({"coefficients": back @ b, "errors": errors(covariance)})
    return {**found, "log-likelihood": [log_likelihood]}


# ---- differences


def gap(a, b):
    a, b = np.asarray(a, Wide), np.asarray(b, Wide)
    return float(np.max(np.abs(a - b) / np.abs(b)))


def main(folder):
    others = {"statsmodels": by_statsmodels}
    if shutil.which("Rscript"):
        others["R"] = by_r
    else:
        print("no Rscript: R is left out")
    if "errors" not in craton.LinearRegression().get_params():
        print("LinearRegression has no option errors: its HC0 to HC3 are left out")
    heads = ["set", "regression", "quantity", *(f"craton-{o}" for o in others), "craton", *others]
    widths = [18, 9, 14] + [18] * len(others) + [11] * (1 + len(others))
    print(" ".join(f"{head:<{width}}" for head, width in zip(heads, widths)).rstrip())
    failed = False
    for name, kind, *data in sets(folder):
        ours, right = by_craton(kind, *data), by_formula(kind, *data)
        theirs = {other: how(kind, *data) for other, how in others.items()}
        for quantity, values in ours.items():
            apart = {o: gap(values, t[quantity]) for o, t in theirs.items() if quantity in t}
            own = {o: gap(t[quantity], right[quantity]) for o, t in theirs.items() if quantity in t}
            mine = gap(values, right[quantity])
            bad = mine > NEAR or any(apart[o] > NEAR and own[o] <= NEAR for o in apart)
            failed |= bad
            cells = [name, kind, quantity]
            cells += [f"{apart[o]:.1e}" if o in apart else "" for o in others]
            cells += [f"{mine:.1e}", *(f"{own[o]:.1e}" if o in own else "" for o in others)]
            line = " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths))
            print(line.rstrip() + ("  FAILED" if bad else ""))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
