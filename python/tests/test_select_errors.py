"""What craton.select refuses, and how results read."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.linear_model import LogisticRegression

import craton
from craton import select

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=40)
X = RNG.normal(size=(40, 4)) + Y[:, None]
FEW = np.r_[np.zeros(37, int), 1, 1, 1]
NB = craton.GaussianNB()
REFUSED = {
    "one class in a fold": (
        lambda: select.cross_validate(NB, X, FEW, cv=select.TimeSeriesSplit(4), scoring="roc-auc"),
        "fold 1 of 4, gaussian-nb: roc-auc is not defined.*\n  Give StratifiedKFold or a smaller n_splits",
        "too-few-rows",
    ),
    "in a fold of another's": (
        lambda: select.cross_validate(NB, X, FEW, cv=theirs.KFold(4), scoring="roc-auc"),
        "fold 1 of 4, gaussian-nb: roc-auc is not defined",
        "too-few-rows",
    ),
    "k above the smallest class": (
        lambda: select.cross_validate(NB, X, FEW),
        "the class '1' has 3 rows, fewer than the 5 folds\n  Give n_splits=3, or KFold to let",
        "too-few-rows",
    ),
    "more folds than groups": (
        lambda: list(select.StratifiedGroupKFold(3).split(X, Y, Y)),
        "there are 2 groups, too few for 3 folds\n  Give n_splits=2 or less",
        "too-few-rows",
    ),
    "an unknown metric": (
        lambda: select.cross_validate(NB, X, Y, scoring="acuracy"),
        "there is no metric 'acuracy'\n  did you mean 'accuracy'",
        "unknown-name",
    ),
    "a metric that does not fit": (
        lambda: select.cross_validate(NB, X, Y, scoring="silhouette"),
        "silhouette does not fit: gaussian-nb learns given classes",
        "not-able",
    ),
    "a metric without labels": (
        lambda: select.cross_validate(craton.KMeans(2), X, scoring="ari"),
        "ari compares with true labels, and none are given\n  Give y",
        "bad-option",
    ),
    "no labels": (lambda: select.cross_validate(NB, X), "requires y to be passed", "bad-target"),
    "an unknown option": (
        lambda: select.search(NB, X, Y, {"var_smothing": [1]}),
        "gaussian-nb has no option 'var_smothing'\n  did you mean 'var_smoothing'",
        "unknown-name",
    ),
    "a value that is not allowed": (
        lambda: select.search(NB, X, Y, {"var_smoothing": [1, -1]}),
        "var_smoothing = -1 is not allowed",
        "bad-option",
    ),
    "an option of the model": (
        lambda: select.cross_validate(craton.KMeans(0), X),
        "^n_clusters = 0 is not allowed",
        "bad-option",
    ),
    "a range without end": (
        lambda: select.search(NB, X, Y, {"var_smoothing": "0.1..1"}),
        "no end of values\n.*or n_iter=N to draw",
        "bad-option",
    ),
    "an empty space": (lambda: select.search(NB, X, Y, {}), "space has no options", "bad-option"),
    "an option without values": (
        lambda: select.search(NB, X, Y, {"var_smoothing": []}),
        "var_smoothing has no values",
        "bad-option",
    ),
    "a value that is no list": (lambda: select.search(NB, X, Y, {"var_smoothing": 1}), "Give a list", "bad-option"),
    "an unknown label": (
        lambda: select.cross_validate(NB, X, np.where(Y, "yes", "no"), positive="yess"),
        "there is no label 'yess', which positive names\n  did you mean 'yes'",
        "unknown-name",
    ),
    "a positive label of clusters": (
        lambda: select.cross_validate(craton.KMeans(2), X, positive="yes"),
        "positive=yes needs labels\n  Give y",
        "bad-option",
    ),
    "rows held out twice": (
        lambda: select.cross_validate(NB, X, Y, cv=select.RepeatedKFold(n_splits=2), return_predictions=True),
        "held out several times.*\n  Give folds that hold each row out once",
        "bad-option",
    ),
    "predictions of a density": (
        lambda: select.cross_validate(craton.Density(), X, return_predictions=True),
        "density predicts no labels",
        "not-able",
    ),
    "no metric for all": (
        lambda: select.compare([craton.KMeans(2), craton.Density()], X),
        "no metric is usual for all of these models\n  Give scoring",
        "bad-option",
    ),
    "another's estimator": (
        lambda: select.cross_validate(LogisticRegression(), X, Y),
        "LogisticRegression is no estimator of craton",
        "bad-option",
    ),
    "a function": (lambda: select.cross_validate(NB, X, Y, scoring=len), "scoring = ", "bad-option"),
    "something else for cv": (lambda: select.cross_validate(NB, X, Y, cv=1.5), "cv = 1.5", "bad-option"),
    "one fold": (lambda: select.cross_validate(NB, X, Y, cv=1), "n_splits = 1 is not allowed", "bad-option"),
    "no folds": (lambda: select.cross_validate(NB, X, Y, cv=[]), "cv has no folds", "no-rows"),
    "a row on both sides": (
        lambda: select.cross_validate(NB, X, Y, cv=[([0, 1, 2, 3], [3, 4])]),
        "has a row twice",
        "bad-option",
    ),
    "a fold that tests nothing": (
        lambda: select.cross_validate(NB, X, Y, cv=[(np.arange(40), [])]),
        "fold 1 of 1, gaussian-nb: no row that is held out has a label",
        "too-few-rows",
    ),
    "groups that are missing": (
        lambda: select.cross_validate(NB, X, Y, cv=select.GroupKFold(2)),
        "GroupKFold needs groups",
        "bad-target",
    ),
    "too few groups": (lambda: list(select.GroupKFold(2).split(X, Y, [1, 2])), "groups has the shape", "bad-shape"),
    "a negative seed": (lambda: list(select.KFold(2, random_state=-1).split(X)), "random_state = -1", "bad-option"),
    "no rows": (lambda: list(select.KFold(2).split(None)), "no rows to split", "no-rows"),
    "times of other rows": (
        lambda: list(select.TimeSeriesSplit(2, times=[1, 2]).split(X)),
        "times has the shape",
        "bad-shape",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused_with_what_to_write(what):
    call, message, code = REFUSED[what]
    with pytest.raises(craton.InputError, match=message) as refused:
        call()
    assert refused.value.code == code
    assert "--" not in str(refused.value)  # that is for the shell


def test_results_read_well():
    result = select.cross_validate(NB, X, Y)
    lines = repr(result).split("\n")
    assert lines[0] == "GaussianNB(): 5 folds"
    assert [line.split()[0] for line in lines[1:]] == ["accuracy", "log-loss"]
    assert lines[1].endswith("higher is better") and "±" in lines[1]
