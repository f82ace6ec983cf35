#!/usr/bin/env python3
"""Classifiers of texts from Python: the accuracies that scikit-learn reaches on 20 newsgroups and the SMS
collection, to four digits, with F1 and log loss (text_accuracies.py: one digest from Python, CSV and folder).

    PYTHONPATH=build/release/python text_pipelines.py FOLDER [news] [sms]

FOLDER has 20news-bydate.tar.xz and SMSSpamCollection. Figures: scikit-learn 1.2.1, and
again the one that is installed, which must give the same.
"""
import sys
import tarfile

import craton
import numpy as np
from sklearn import feature_extraction, naive_bayes, pipeline
from sklearn.metrics import accuracy_score, f1_score, log_loss, matthews_corrcoef
from sklearn.model_selection import StratifiedKFold, cross_val_predict

# (vectoriser, model, its options, accuracy, macro F1, log-loss)
NEWS = [
    ("CountVectorizer", "MultinomialNB", {"alpha": 1}, 0.7728, 0.7451, 13.66),
    ("CountVectorizer", "MultinomialNB", {"alpha": 0.01}, 0.8039, 0.7852, 18.85),
    ("TfidfVectorizer", "MultinomialNB", {"alpha": 1}, 0.7739, 0.7558, 1.32),
    ("TfidfVectorizer", "MultinomialNB", {"alpha": 0.01}, 0.8352, 0.8291, 0.592),
    ("CountVectorizer", "ComplementNB", {"alpha": 1}, 0.8267, 0.8140, None),
    ("CountVectorizer", "ComplementNB", {"alpha": 0.1}, 0.8182, 0.8072, None),
    ("TfidfVectorizer", "ComplementNB", {"alpha": 1}, 0.8364, 0.8246, None),
    ("TfidfVectorizer", "ComplementNB", {"alpha": 0.1}, 0.8314, 0.8230, None),
    ("TfidfVectorizer", "ComplementNB", {"alpha": 0.1, "norm": True}, 0.8281, 0.8191, None),
    ("CountVectorizer", "BernoulliNB", {"alpha": 1}, 0.6308, 0.5955, None),
    ("CountVectorizer", "BernoulliNB", {"alpha": 0.01}, 0.7521, 0.7421, None),
]
# (vectoriser, model, its options, accuracy, (recall of spam and share of ham taken for it, means over folds,
# and Matthews' correlation))
SMS = [
    ("CountVectorizer", "MultinomialNB", {"alpha": 1}, 0.9864, (0.9278, 0.0046, 0.940)),
    ("CountVectorizer", "BernoulliNB", {"alpha": 0.01}, 0.9891, (0.9211, 0.0004, 0.952)),
    ("CountVectorizer", "ComplementNB", {"alpha": 1}, 0.9808, None),
    ("TfidfVectorizer", "MultinomialNB", {"alpha": 1}, 0.9618, None),
    ("TfidfVectorizer", "MultinomialNB", {"alpha": 0.1}, 0.9858, None),
]


def newsgroups(folder, part):
    """Texts and groups, by path."""
    found = {}
    with tarfile.open(f"{folder}/20news-bydate.tar.xz") as archive:
        for member in archive:
            if member.isfile() and f"-{part}/" in member.name:
                found[member.name] = archive.extractfile(member).read()
    paths = sorted(found)
    return [found[p].decode("latin-1") for p in paths], [p.split("/")[-2] for p in paths]


def messages(folder):
    with open(f"{folder}/SMSSpamCollection", encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t", 1) for line in file]
    return [text for _, text in pairs], [label for label, _ in pairs]


def both(vectorizer, model, options):
    """craton's pipeline and scikit-learn's."""
    theirs = getattr(feature_extraction.text, vectorizer)(), getattr(naive_bayes, model)(**options)
    ours = getattr(craton, vectorizer)(), getattr(craton, model)(**options)
    return craton.make_pipeline(*ours), pipeline.make_pipeline(*theirs)


def to(digits, value):
    return f"{value:.{digits}f}"


def check_news(folder):
    train, labels = newsgroups(folder, "train")
    test, truth = newsgroups(folder, "test")
    for vectorizer, model, options, accuracy, f1, loss in NEWS:
        ours, theirs = both(vectorizer, model, options)
        found = ours.fit(train, labels).predict(test)
        expected = theirs.fit(train, labels).predict(test)
        assert to(4, accuracy_score(truth, found)) == to(4, accuracy), accuracy_score(truth, found)
        assert to(4, f1_score(truth, found, average="macro")) == to(4, f1)
        assert np.mean(found == expected) > 0.9999
        if loss is not None:
            log_p = ours.predict_log_proba(test)
            places = np.searchsorted(ours.classes_, truth)
            own = -np.mean(log_p[np.arange(len(test)), places])
            assert abs(own - loss) < 0.006 * max(1, loss / 10), own
        print(f"news: {vectorizer}, {model} {options}: accuracy {accuracy}, macro F1 {f1}", flush=True)


def check_messages(folder):
    texts, labels = messages(folder)
    labels = np.array(labels)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for vectorizer, model, options, accuracy, more in SMS:
        ours, theirs = both(vectorizer, model, options)
        found = cross_val_predict(ours, texts, labels, cv=folds)
        assert np.array_equal(found, cross_val_predict(theirs, texts, labels, cv=folds))
        assert to(4, accuracy_score(labels, found)) == to(4, accuracy), accuracy_score(labels, found)
        measured = craton.select.cross_validate(ours, texts, labels, cv=folds, scoring="accuracy")
        assert abs(measured.mean["accuracy"] - accuracy_score(labels, found)) < 1e-4
        if more is not None:
            parts = [(labels[rows], found[rows]) for _, rows in folds.split(texts, labels)]
            recall = np.mean([np.mean(own[y == "spam"] == "spam") for y, own in parts])
            mistaken = np.mean([np.mean(own[y == "ham"] == "spam") for y, own in parts])
            figures = recall, mistaken, matthews_corrcoef(labels, found)
            digits = (4, 4, 3)
            assert [to(d, v) for d, v in zip(digits, figures)] == [to(d, v) for d, v in zip(digits, more)], figures
        print(f"sms: {vectorizer}, {model} {options}: accuracy {accuracy}", flush=True)


def main():
    folder, *wanted = sys.argv[1:]
    checks = {"news": check_news, "sms": check_messages}
    for name in wanted or checks:
        checks[name](folder)
    print("all the same")


main()
