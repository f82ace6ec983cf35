"""Whether classes are separated, by linear programming, beside what craton says.

    PYTHONPATH=build/release/python python3 tests/reference/separation.py --tables FOLDER

looks at breast cancer and at adult, with its categories coded by hand (exit code 1 if the verdicts
differ); python/tests/test_logistic.py at random tables.
A direction d of separation (Albert and Anderson 1984) has x.(d_y - d_k) >= 0 for every row x of
class y and every other class k, not all 0: the greatest sum of those, each at most 1, is above 0.
"""
import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.optimize import linprog


def constraints(X, y, classes):
    """A row for each x.(d_y - d_k), d_0 = 0, with an intercept."""
    design = np.c_[np.asarray(X, float), np.ones(len(X))]
    q = design.shape[1]
    lines = []
    for row, label in zip(design, y):
        for other in range(classes):
            if other == label:
                continue
            line = np.zeros((classes - 1, q))
            if label > 0:
                line[label - 1] += row
            if other > 0:
                line[other - 1] -= row
            lines.append(line.ravel())
    return np.array(lines)


def separated(X, y, classes):
    """'complete', 'partial' or None."""
    lines = constraints(X, y, classes)
    lines /= np.abs(lines).max()
    one = np.ones(len(lines))
    free = [(None, None)] * lines.shape[1]
    some = linprog(-lines.sum(axis=0), np.r_[lines, -lines], np.r_[one, 0 * one], bounds=free)
    assert some.status == 0, some.message
    if -some.fun < 1e-7:
        return None
    # The least of them, of directions in a box: above 0 if all can be.
    least = np.r_[np.zeros(lines.shape[1]), -1.0]
    box = [(-1, 1)] * lines.shape[1] + [(None, 1)]
    all_of_them = linprog(least, np.c_[-lines, one], 0 * one, bounds=box)
    assert all_of_them.status == 0, all_of_them.message
    return "complete" if -all_of_them.fun > 1e-8 else "partial"


NAMES = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex"
    " capital-gain capital-loss hours-per-week native-country"
).split()


def breast_cancer():
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    return bunch.data, bunch.target.to_numpy()


def adult(folder):
    import pandas

    with open(Path(folder) / "adult-train.csv", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) > 10]
    rows = [[cell.strip() for cell in row] for row in rows]
    columns, labels = [], []
    for j, name in enumerate(NAMES):
        values = [row[j] for row in rows]
        try:
            columns.append([float(v) for v in values])
            labels.append(name)
        except ValueError:
            for level in sorted(set(values))[1:]:
                columns.append([float(v == level) for v in values])
                labels.append(f"{name} = {level}")
    X = pandas.DataFrame(np.array(columns).T, columns=labels)
    return X, np.array([int(row[-1] == ">50K") for row in rows])


def beside(name, X, y):
    import craton

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = craton.LogisticRegression(penalty="none").fit(X, y)
    print(name, X.shape)
    for note in model.report_.notes:
        print(" ", note.code + ":", note.text)
    print(model.tables().get("separation"))
    # Means and deviations leave the verdict, and the program its digits.
    verdict = separated((X - X.mean()) / X.std(), y, 2)
    print("by linear programming:", verdict)
    direction = model.separation_[0]
    sides = ((X - model.centre_) @ direction[:-1] + direction[-1]) * (2 * y - 1)
    far = sides.abs().max()
    said = "complete" if sides.min() > 0 else "partial" if sides.min() > -1e-6 * far else None
    parted = (sides > 1e-6 * far).sum()
    print(f"by the direction: {said}, {parted} of {len(y)} rows parted; least {sides.min() / far:.1e}\n")
    return verdict == said


if __name__ == "__main__":
    same = [beside("breast cancer", *breast_cancer()), beside("adult", *adult(sys.argv[-1]))]
    sys.exit(not all(same))
