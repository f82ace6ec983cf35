#!/usr/bin/env python3
"""Naive Bayes with kernels beside scikit-learn's KernelDensity of each class and column, and beside Gaussians.

    PYTHONPATH=build/release/python .venv/bin/python tests/reference/kernel_columns.py FILE...

Of each table of numbers, whose last column is the label: how far log p(label | row) is from that of scikit-learn's
densities, and the accuracy in five times ten folds. docs/kde.md has what it printed for banknote_authentication.csv
and phoneme.csv, which are UCI's (their columns have no names).
"""
import sys

import craton
import numpy
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.neighbors import KernelDensity

RULES, NUMBERS = ["scott", "sj-ste", "sj-dpi", "isj"], [0.03, 0.1, 0.3, 1]
FOLDS = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=0)


def parity(X, y):
    joint = []
    for label in numpy.unique(y):
        of_class = X[y == label]
        log_p = numpy.full(len(X), numpy.log(len(of_class) / len(X)))
        for j in range(X.shape[1]):
            h = float(numpy.sqrt(gaussian_kde(of_class[:, j]).covariance[0, 0]))
            log_p += KernelDensity(bandwidth=h).fit(of_class[:, [j]]).score_samples(X[:, [j]])
        joint.append(log_p)
    joint = numpy.column_stack(joint)
    ours = craton.NaiveBayes(family="kde").fit(X, y).predict_log_proba(X)
    return numpy.abs(ours - (joint - logsumexp(joint, axis=1, keepdims=True))).max()


for path in sys.argv[1:]:
    table = numpy.genfromtxt(path, delimiter=",")
    X, y = table[:, :-1], table[:, -1].astype(int)
    print(path.split("/")[-1], f"{X.shape}, log p(label | row) is within {parity(X, y):.1e} of scikit-learn's")
    models = {f"kde, {h}": craton.NaiveBayes(family="kde", bandwidth=h) for h in RULES + NUMBERS}
    models |= {family: craton.NaiveBayes(family=family) for family in ("gaussian", "auto", "mdl")}
    models["all columns together"] = craton.GenerativeClassifier(density="kde")
    for name, model in models.items():
        found = cross_val_score(model, X, y, cv=FOLDS)
        print(f"  {name}: {100 * found.mean():.2f} ({100 * found.std():.2f})", flush=True)
