#!/usr/bin/env python3
"""NIST's sets for linear regression against craton: python nist_linear.py FOLDER [PACKAGE_PATH]

FOLDER has files as https://www.itl.nist.gov/div898/strd gives them (Longley.dat, Norris.dat, ...). For each, the digits in which
coefficients, their errors and the residual standard deviation agree with the certified ones: the least of -log10 of the relative
error, 15 being all that are certified. A third column has those of numpy's lstsq of the columns as they are.
"""
import pathlib
import re
import sys

import numpy as np

if len(sys.argv) > 2:
    sys.path.insert(0, sys.argv[2])
import craton

DEGREE = {"Norris": 1, "Pontius": 2, "NoInt1": 1, "NoInt2": 1, "Filip": 10, **{f"Wampler{k}": 5 for k in range(1, 6)}}


def digits(found, exact):
    found, exact = np.atleast_1d(found).astype(float), np.atleast_1d(exact).astype(float)
    gap = np.abs(found - exact) / np.where(exact == 0, 1, np.abs(exact))
    return float(np.min(np.where(gap == 0, 15, np.minimum(15, -np.log10(np.maximum(gap, 1e-300))))))


def certified(text):
    rows = re.findall(r"^\s+B\d+\s+(\S+)\s+(\S+)\s*$", text, re.M)
    deviation = re.search(r"Standard Deviation\s+([\d.E+-]+)\s", text[text.index("Residual") :]).group(1)
    return np.array([[float(v) for v in row] for row in rows]), float(deviation)


for path in sorted(pathlib.Path(sys.argv[1]).glob("*.dat")):
    text = path.read_text()
    if "Linear Least Squares" not in text:
        continue
    name = path.stem
    answers, deviation = certified(text)
    first, last = map(int, re.search(r"Data\s+\(lines\s+(\d+)\s+to\s+(\d+)\)", text).groups())
    table = np.array([[float(v) for v in line.split()] for line in text.splitlines()[first - 1 : last]])
    y, x = table[:, 0], table[:, 1:]
    if name in DEGREE:
        x = np.column_stack([x[:, 0] ** k for k in range(1, DEGREE[name] + 1)])
    intercept = len(answers) == x.shape[1] + 1
    said = []
    for precise in [False, True]:
        model = craton.LinearRegression(fit_intercept=intercept, precise=precise).fit(x, y)
        b = np.concatenate([[model.intercept_], model.coef_] if intercept else [model.coef_])
        degrees = len(y) - len(answers)
        table_of_terms = model.tables_["coefficients"] if hasattr(model, "tables_") else None
        rss = np.sum((y - model.predict(x)) ** 2)
        said.append(f"{digits(b, answers[:, 0]):4.1f}" + ("" if table_of_terms is None else f" errors {digits(table_of_terms['error'], answers[:, 1]):4.1f}"))
    z = np.column_stack([np.ones(len(y)), x]) if intercept else x
    qr = np.linalg.lstsq(z, y, rcond=0)[0]
    print(f"{name:10} {said[0]}   precise {said[1]}   lstsq {digits(qr, answers[:, 0]):4.1f}")
