"""Messages speak Python: the flags of the shell are no parameters here."""

import re

import craton
import numpy as np
import pandas
import pytest
from craton import select

X = np.random.default_rng(0).normal(size=(40, 3)).round(3)
Y = np.arange(40) % 2
HOLE = np.where(np.arange(120).reshape(40, 3) == 10, np.nan, X)

ERRORS = {
    "a missing value": lambda model: model.fit(HOLE, Y),
    "an infinite value": lambda model: model.fit(np.nan_to_num(HOLE, nan=np.inf), Y),
    "a missing value in a fold": lambda model: select.cross_validate(model, HOLE, Y),
    "one class": lambda model: select.cross_validate(model, X, 0 * Y, scoring="roc-auc"),
    "an unknown metric": lambda model: select.cross_validate(model, X, Y, scoring="speed"),
    "no labels": lambda model: select.cross_validate(model, X, scoring="accuracy"),
    "an unknown option": lambda model: select.search(model, X, Y, {"speed": [1]}),
    "a wrong value": lambda model: model.set_params(fill="up").fit(X, Y),
    "too few rows": lambda model: select.cross_validate(model, X[:3], Y[:3], cv=4),
    "an unknown label": lambda model: select.cross_validate(model, X, Y, positive="q"),
    "too many features": lambda model: model.fit(X, Y).boundaries(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", ERRORS)
def test_no_message_has_a_flag(what):
    messages = []
    for name in craton._models.__all__:
        try:
            ERRORS[what](getattr(craton, name)())
        except craton.InputError as error:
            messages.append(str(error))
        except AttributeError:  # it has no such method
            pass
    assert messages
    assert not [message for message in messages if re.search("--[a-z]|craton [a-z]", message)]


SAID = {
    "times that do not differ": (
        lambda: list(select.TimeSeriesSplit(3, times=0 * Y).split(X)),
        "Give a smaller n_splits, or times that tell rows apart.",
    ),
    "an unknown option": (
        lambda: select.search(craton.GaussianNB(), X, Y, {"speed": [1]}),
        "get_params() lists its options.",
    ),
    "settings of a density": (
        lambda: craton.GenerativeClassifier(settings="speed=1").fit(X, Y),
        "Write name=value, with spaces between; get_params() of that model has the names.",
    ),
    "boundaries in space": (
        lambda: craton.QuadraticDiscriminantAnalysis().fit(X, Y).boundaries(),
        "Fit it on one or two of the columns.",
    ),
    "a missing value": (
        lambda: craton.QuadraticDiscriminantAnalysis().fit(HOLE, Y),
        "Leave such rows out, fill them in, or, of missing ones, fit with covariance_type = diag.",
    ),
    "another preparation": (
        lambda: craton.GaussianNB().fit(X, Y).set_params(scale="standard").partial_fit(X, Y),
        "Give the fill, scale and unit_rows that it was fitted with; describe() shows them.",
    ),
}


@pytest.mark.parametrize("what", SAID)
def test_advice_is_in_the_words_of_python(what):
    call, advice = SAID[what]
    with pytest.raises(craton.InputError) as error:
        call()
    assert str(error.value).split("\n  ")[1] == advice


def test_columns_without_names_are_called_by_their_index():
    with pytest.raises(craton.InputError, match=r"row 3 .*, column 1: the value is NaN") as error:
        craton.KMeans(2).fit(HOLE)
    assert error.value.place.column == 1


def test_names_of_the_user_stay():
    frame = pandas.DataFrame(HOLE, columns=["1", "--fill", "n_init = 3"])
    with pytest.raises(craton.InputError, match="column '--fill': the value is NaN") as error:
        craton.KMeans(2).fit(frame)
    assert error.value.place.column == "--fill"
