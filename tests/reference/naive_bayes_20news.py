#!/usr/bin/env python3
"""The table of docs/naive-bayes.md: log-loss on 20 newsgroups, by date, before and after calibration.

    PYTHONPATH=build/release/python .venv/bin/python tests/reference/naive_bayes_20news.py 20news-bydate.tar.xz

The figures before calibration are scikit-learn's too, which is checked.
"""
import sys
import tarfile

import craton
import numpy as np
import sklearn.naive_bayes
from sklearn.feature_extraction.text import CountVectorizer

CASES = [("MultinomialNB", 1), ("MultinomialNB", 0.01), ("BernoulliNB", 0.01), ("ComplementNB", 1)]


def read(path):
    texts, labels = {"train": [], "test": []}, {"train": [], "test": []}
    with tarfile.open(path) as archive:
        for member in filter(tarfile.TarInfo.isfile, archive):
            part = "train" if "train" in member.name else "test"
            texts[part].append(archive.extractfile(member).read().decode("latin-1"))
            labels[part].append(member.name.split("/")[-2])
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts["train"]).astype(float)
    Z = vectorizer.transform(texts["test"]).astype(float)
    return X, np.array(labels["train"]), Z, np.array(labels["test"])


def log_loss(model, Z, z):
    return -model.predict_log_proba(Z)[np.arange(len(z)), np.searchsorted(model.classes_, z)].mean()


def main():
    X, y, Z, z = read(sys.argv[1])
    for name, alpha in CASES:
        plain = getattr(craton, name)(alpha=alpha).fit(X, y)
        theirs = getattr(sklearn.naive_bayes, name)(alpha=alpha).fit(X, y)
        honest = getattr(craton, name)(alpha=alpha, calibrate="leave-one-out").fit(X, y)
        assert abs(log_loss(plain, Z, z) - log_loss(theirs, Z, z)) < 1e-9
        assert (plain.predict(Z) == honest.predict(Z)).all()
        print(
            f"{name:14} alpha {alpha:<5} accuracy {(plain.predict(Z) == z).mean():.4f}"
            f"  log-loss {log_loss(plain, Z, z):.4f}  calibrated {log_loss(honest, Z, z):.4f}"
        )


main()
