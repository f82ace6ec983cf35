"""The short way of a single row gives what the long way of a table gives, or refuses like it."""

import warnings

import craton
import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(1)
Y = RNG.integers(0, 3, size=200)
X = np.round(8 + 3 * Y[:, None] + RNG.normal(size=(200, 4)), 2)
LABELS = np.array(["a", "b", "c"])[Y]
CALLS = ["predict", "predict_proba", "predict_log_proba", "score_samples"]


def estimators():
    for name in craton._models.__all__:
        made = getattr(craton, name)()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = np.round(X) if name in ("CategoricalNB", "PositionalNB") else X
            targets = {"classifier": LABELS, "regressor": Y + X[:, 0]}
            yield made.fit(rows, targets.get(made._estimator_type)), rows


ALL = list(estimators())


@pytest.mark.parametrize("model, rows", ALL, ids=lambda value: type(value).__name__)
def test_a_row_has_the_answer_of_the_table(model, rows):
    for call in CALLS:
        if not hasattr(model, call):
            continue
        whole = getattr(model, call)(rows)
        alone = [getattr(model, call)(rows[i : i + 1]) for i in range(50)]
        assert {(a.dtype, a.shape) for a in alone} == {(whole.dtype, (1, *whole.shape[1:]))}
        assert np.array_equal(np.concatenate(alone), whole[:50]), call


@pytest.mark.parametrize("model, rows", ALL, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda row: row[:, :3].copy(),
        lambda row: np.hstack([row, row]),
        lambda row: row[0],
        lambda row: row[:0],
        lambda row: np.where([[True, False, False, False]], np.inf, row),
        lambda row: np.where([[True, False, False, False]], -np.inf, row),
        lambda row: np.where([[True, False, False, False]], np.nan, row),
        lambda row: row + 1j,
        lambda row: row.astype(str) + "x",
    ],
    ids=["narrow", "wide", "flat", "empty", "inf", "-inf", "nan", "complex", "text"],
)
def test_a_row_is_refused_like_any_table(model, rows, spoil):
    row = spoil(rows[:1])
    for call in CALLS:
        if hasattr(model, call):
            assert answer(model, call, row) == answer(model, call, row.view(TheLongWay)), call


class TheLongWay(np.ndarray):
    """Only NumPy's own arrays go the short way."""


def answer(model, call, row):
    try:
        return getattr(model, call)(row).tolist()
    except (ValueError, TypeError) as error:
        return type(error), getattr(error, "code", None), str(error).splitlines()[0]


@pytest.mark.parametrize(
    "row",
    [
        X[:1].astype(np.float32),
        np.round(X[:1]).astype(int),
        np.asfortranarray(X)[:1],
        X[:2:2],
        X[::-1][:1],
        X[:1].astype(">f8"),
        np.ma.masked_array(X[:1]),
        pd.DataFrame(X[:1]),
    ],
    ids=["float", "int", "columns", "step", "backwards", "swapped", "masked", "frame"],
)
def test_other_arrays_of_one_row_take_the_long_way(row):
    model = craton.GaussianNB().fit(X, LABELS)
    assert model.predict(row).tolist() == model.predict(np.asarray(row).tolist()).tolist()


def test_a_row_that_cannot_be_written_to_is_read():
    row = X[:1].copy()
    row.flags.writeable = False
    assert craton.KMeans(3).fit(X).predict(row).shape == (1,)


def test_answers_belong_to_the_caller():
    model = craton.GaussianNB().fit(X, LABELS)
    model.predict(X[:1])[0] = "z"
    assert set(model.classes_) == set("abc")


def test_a_model_of_named_columns_says_that_a_row_has_none():
    model = craton.GaussianMixture(3).fit(pd.DataFrame(X, columns=list("abcd")))
    for call in CALLS:
        with pytest.warns(UserWarning, match="does not have valid feature names") as seen:
            answer = getattr(model, call)(X[:1])
        assert len(seen) == 1
        assert call == "predict_proba" or seen[0].filename == __file__
        with pytest.warns(UserWarning, match="does not have valid feature names") as seen:
            assert np.array_equal(answer, getattr(model, call)(X)[:1])


def test_what_is_not_fitted_says_so():
    for name in craton._models.__all__:
        made = getattr(craton, name)()
        for call in CALLS:
            if hasattr(made, call):
                with pytest.raises(craton.NotFittedError):
                    getattr(made, call)(X[:1])


def test_numbers_are_words_where_the_columns_of_fit_were_words():
    words = [["1", "a"], ["1", "b"], ["2", "a"], ["2", "b"]]
    model = craton.CategoricalNB().fit([[float(w), 0.5] for w, _ in words], ["x", "x", "y", "y"])
    assert model.predict(np.array([[1.0, 0.5]])).tolist() == ["x"]
    assert model.predict(np.array([[2.0, 0.5]])).tolist() == ["y"]
    assert model.predict(np.array([[2.0, 0.5], [1.0, 0.5]])).tolist() == ["y", "x"]
