"""Models that are linear in terms of columns: categories, powers and products (docs/terms.md)."""

import pickle

import numpy as np
import pandas as pd
import pytest

import craton
from craton._table import Categories

MODELS = [
    model
    for model in map(craton.__dict__.get, craton.__all__)
    if getattr(model, "_makes_terms", False) and getattr(model, "_estimator_type", "") == "regressor"
]


def frame(rows=200, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows).astype(float),
            "sex": rng.choice(["female", "male"], rows, p=[0.6, 0.4]),
            "town": rng.choice(["Bonn", "Rom", "Ulm"], rows, p=[0.5, 0.2, 0.3]),
        }
    )


def test_words_that_fit_has_not_seen_have_codes_behind_the_others():
    words = np.array(["b", "c", None, "a"], dtype=object)
    known = Categories(known=[["a", "b"]], others=True)
    np.testing.assert_array_equal(known.read(0, "x", words), [1, 2, np.nan, 0])
    assert known.found(1) == [["a", "b", "c"]]
    missing = Categories(known=[["a", "b"]])
    np.testing.assert_array_equal(missing.read(0, "x", words), [1, np.nan, np.nan, 0])


@pytest.mark.parametrize("model", MODELS)
def test_predictions_are_those_of_the_design_made_by_hand(model):
    X = frame()
    y = X.age * (X.sex == "male") + 3 * (X.town == "Rom") + np.sin(np.arange(len(X)))
    fitted = model(terms="., age^2, sex:age").fit(X, y)
    assert fitted.terms_ == ["age", "sex=male", "town=Rom", "town=Ulm", "age^2", "sex=male:age"]
    by_hand = np.column_stack(
        [
            X.age,
            X.sex == "male",
            X.town == "Rom",
            X.town == "Ulm",
            X.age**2,
            (X.sex == "male") * X.age,
        ]
    ).astype(float)
    same = model().fit(by_hand, y).predict(by_hand)
    np.testing.assert_allclose(fitted.predict(X), same, rtol=1e-9)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


@pytest.mark.parametrize("model", MODELS)
def test_the_reference_may_be_named(model):
    X = frame()
    y = X.age + 3 * (X.town == "Rom")
    named = model(reference={"town": "Ulm"}).fit(X, y)
    assert named.terms_ == ["age", "sex=male", "town=Bonn", "town=Rom"]
    if not hasattr(named, "alpha") and not hasattr(named, "alphas"):  # a prior is about coefficients
        np.testing.assert_allclose(named.predict(X), model().fit(X, y).predict(X), rtol=1e-9)
    with pytest.raises(craton.InputError, match="did you mean 'Ulm'"):
        model(reference={"town": "ulm"}).fit(X, y)
    with pytest.raises(craton.InputError, match="did you mean 'age'.*"):
        model(terms="agee").fit(X, y)


@pytest.mark.parametrize("model", MODELS)
def test_a_level_that_fit_has_not_seen_is_named(model):
    X = frame()
    fitted = model().fit(X, X.age)
    new = X.head(3).copy()
    new.loc[1, "town"] = "Paris"
    with pytest.raises(craton.InputError, match="no row of the fit had the level 'Paris'") as error:
        fitted.predict(new)
    assert error.value.code == "unseen-level"
    assert error.value.place.row == 1
    assert error.value.place.column == "town"
    tolerant = model(unseen="reference").fit(X, X.age)
    bonn = new.replace("Paris", "Bonn")
    np.testing.assert_array_equal(tolerant.predict(new), tolerant.predict(bonn))
    model(terms="age").fit(X, X.age).predict(new)  # nobody asked where they live
