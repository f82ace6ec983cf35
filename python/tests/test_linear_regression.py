"""Numbers as targets, and linear regression, against NumPy and scikit-learn."""

import decimal
import pickle
import warnings

import craton
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score


def rows(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d) * 10
    return X, X @ rng.normal(size=d) + 3 + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_coefficients_are_those_of_scikit_learn(fit_intercept, weighted):
    X, y = rows()
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    ours = craton.LinearRegression(fit_intercept=fit_intercept).fit(X, y, weights)
    theirs = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    assert ours.score(X, y, weights) == pytest.approx(theirs.score(X, y, weights), rel=1e-12)
    assert ours.report_.closed_form


def test_sparse_rows_give_what_dense_ones_give():
    X, y = rows()
    X[np.abs(X) < 5] = 0
    dense = craton.LinearRegression().fit(X, y)
    ours = craton.LinearRegression().fit(sparse.csr_matrix(X), y)  # zeros stay: another shift
    np.testing.assert_allclose(ours.coef_, dense.coef_, rtol=1e-12)
    np.testing.assert_allclose(ours.intercept_, dense.intercept_, rtol=1e-12)
    assert (dense.predict(sparse.csr_matrix(X)) == dense.predict(X)).all()


def test_one_row_by_itself_has_the_number_of_the_table():
    X, y = rows()
    model = craton.LinearRegression().fit(X, y)
    assert [model.predict(row[None])[0] for row in X] == model.predict(X).tolist()


def test_scaled_columns_leave_coefficients_in_the_units_of_the_rows():
    X, y = rows()
    plain = craton.LinearRegression().fit(X, y)
    for scale in ("standard", "robust", "min_max", "max_abs"):
        scaled = craton.LinearRegression(scale=scale).fit(X, y)
        np.testing.assert_allclose(scaled.coef_, plain.coef_, rtol=1e-9)
        assert scaled.intercept_ == pytest.approx(plain.intercept_, rel=1e-9)
        table = scaled.tables()["coefficients"]
        np.testing.assert_allclose(table["coefficient"][1:], plain.coef_, rtol=1e-9)


def test_learning_on_and_merging_give_one_fit():
    X, y = rows()
    whole = craton.LinearRegression().fit(X, y)
    learned = craton.LinearRegression().partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    merged = craton.LinearRegression().fit(X[:90], y[:90])
    merged.merge(craton.LinearRegression().fit(X[90:], y[90:]))
    for model in (learned, merged):
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-10)


def test_a_file_and_a_pickle_give_it_back(tmp_path):
    X, y = rows()
    model = craton.LinearRegression().fit(X, y)
    model.save(tmp_path / "m.craton")
    for again in (craton.load(tmp_path / "m.craton"), pickle.loads(pickle.dumps(model))):
        assert again.digest_ == model.digest_
        assert (again.predict(X) == model.predict(X)).all()
        assert (again.coef_ == model.coef_).all()


def test_the_name_of_a_series_is_kept_and_described():
    pandas = pytest.importorskip("pandas")
    X, y = rows(d=2)
    model = craton.LinearRegression().fit(
        pandas.DataFrame(X, columns=["size", "rooms"]), pandas.Series(y, name="price")
    )
    assert "price (a number)" in model.describe()
    assert list(model.tables()["coefficients"]["term"]) == ["(intercept)", "size", "rooms"]


def test_scikit_learn_tells_its_kind_and_measures_it():
    X, y = rows()
    assert is_regressor(craton.LinearRegression())
    ours = cross_val_score(craton.LinearRegression(), X, y, cv=4)
    np.testing.assert_allclose(ours, cross_val_score(LinearRegression(), X, y, cv=4), rtol=1e-9)


def test_cross_validation_measures_numbers():
    X, y = rows()
    found = craton.select.cross_validate(craton.LinearRegression(), X, y, return_predictions=True)
    assert list(found.values) == ["r2", "mae"]
    assert found.mean["r2"] > 0.5
    held = found.predictions
    assert held.classes is None and held.proba is None
    assert np.mean(np.abs(held.labels - y[held.rows])) == pytest.approx(found.mean["mae"], rel=0.1)
    both = craton.select.compare(
        [craton.LinearRegression(), craton.LinearRegression(fit_intercept=False)],
        X,
        y,
        scoring=["mse", "pinball"],
    )
    assert both.best == 0
    search = craton.select.search(
        craton.LinearRegression(), X, y, {"fit_intercept": [True, False]}, scoring="r2"
    )
    assert search.best_params == {"fit_intercept": True}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_target_that_is_not_finite_names_its_row(bad):
    X, y = rows()
    y[123] = bad
    for call in (craton.LinearRegression().fit, craton.LinearRegression().fit(*rows()).partial_fit):
        with pytest.raises(craton.InputError, match="row 123") as error:
            call(X, y)
        assert error.value.code == "bad-target"
        assert error.value.place.row == 123


def test_targets_of_other_kinds():
    X, y = rows()
    whole = craton.LinearRegression().fit(X, np.round(y))
    for same in (
        np.round(y).astype(int),
        np.round(y).tolist(),
        [decimal.Decimal(int(v)) for v in np.round(y)],
    ):
        assert craton.LinearRegression().fit(X, same).digest_ == whole.digest_
    with pytest.warns(UserWarning, match="column-vector"):
        assert craton.LinearRegression().fit(X, np.round(y)[:, None]).digest_ == whole.digest_
    for bad, words in (
        (None, "requires y"),
        (y + 1j, "[Cc]omplex"),
        (np.column_stack([y, y]), "1d array"),
        (y[:-1], "inconsistent numbers of samples"),
        ([None, *y[1:]], "row 0"),
    ):
        with pytest.raises(craton.InputError, match=words):
            craton.LinearRegression().fit(X, bad)


def test_words_and_measurements_are_told_which_model_to_take():
    X, y = rows()
    with pytest.raises(craton.InputError, match="'low'.*\n.*GaussianNB") as error:
        craton.LinearRegression().fit(X, np.where(y > y.mean(), "high", "low"))
    assert error.value.code == "bad-target"
    with pytest.raises(craton.InputError, match="Unknown label type.*\n.*LinearRegression"):
        craton.GaussianNB().fit(X, y)


def test_the_line_of_one_column_is_drawn_and_of_more_what_is_predicted():
    X, y = rows()
    line = craton.plot(craton.LinearRegression().fit(X[:, :1], y), X[:, :1], y).svg
    both = craton.plot(craton.LinearRegression().fit(X, y), X, y).svg
    assert "as predicted" in both and "as predicted" not in line
    assert line.count("<circle") == both.count("<circle") == len(y)
    with pytest.raises(craton.InputError, match="requires y"):
        craton.plot(craton.LinearRegression().fit(X, y), X)


def test_columns_that_others_make_up_are_named():
    X, y = rows(d=2)
    with pytest.warns(craton.FitWarning, match="linear combination"):
        model = craton.LinearRegression().fit(np.column_stack([X, X.sum(axis=1)]), y)
    np.testing.assert_allclose(
        model.predict(np.column_stack([X, X.sum(axis=1)])),
        craton.LinearRegression().fit(X, y).predict(X),
        rtol=1e-9,
    )


def test_keywords_of_scikit_learn_mean_what_they_mean_there():
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        craton.LinearRegression(copy_X=False, tol=1e-3).fit(X, y)
    with pytest.raises(craton.InputError, match="positive"):
        craton.LinearRegression(positive=True).fit(X, y)


def test_the_digest_does_not_depend_on_threads():
    X, y = rows(30_000)
    assert len({craton.LinearRegression(n_jobs=n).fit(X, y).digest_ for n in (1, 2, 7)}) == 1
