"""Messages speak Python: the flags of the shell are no parameters here."""

import pathlib
import re

import craton
import numpy as np
import pytest
from craton import select
from craton._errors import in_python_words

LIBRARY = pathlib.Path(__file__).parents[2] / "craton"
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


def texts():
    """What the sources say with a flag in it; files are read at the shell only."""
    for source in sorted(LIBRARY.rglob("*.cc")):
        if source.parent.name != "io" and not source.stem.endswith(("_test", "_catalogue")):
            for text in re.findall(r'"((?:[^"\\\n]|\\.)*--[a-z][^"\n]*)"', source.read_text()):
                yield text if text[0].islower() or text[0] == "-" else "what is wrong\n  " + text


@pytest.mark.skipif(not LIBRARY.exists(), reason="there are no sources")
def test_every_flag_of_the_library_has_words_here():
    found = list(texts())
    assert len(found) > 15
    assert not [text for text in found if re.search("--[a-z]", in_python_words(text))]


def test_names_of_the_user_stay():
    text = "column '--fill': the value is NaN (missing)"
    assert in_python_words(text + "\n  Give --max-iter.") == text + "\n  Give max_iter."
