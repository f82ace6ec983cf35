"""What may be given as X, and what is refused with which words."""

import datetime
import decimal

import craton
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from craton._table import read_table

NAMES = ["a", "b", "c"]
X = np.random.default_rng(0).normal(size=(60, 3)) * [1, 10, 100]


def fit(table, **options):
    return craton.KMeans(n_clusters=3, **options).fit(table)


def strided():
    wide = np.zeros((120, 7))
    wide[::2, 1:4] = X
    return wide[::2, 1:4]


def every_other_column():
    wide = np.zeros((60, 6))
    wide[:, ::2] = X
    return wide[:, ::2]


def unaligned():
    buffer = np.zeros(X.nbytes + 1, dtype=np.uint8)
    buffer[1:] = np.frombuffer(X.tobytes(), dtype=np.uint8)
    return buffer[1:].view(np.float64).reshape(X.shape)


def read_only():
    values = X.copy()
    values.flags.writeable = False
    return values


KINDS = {
    "list": X.tolist(),
    "Fortran order": np.asfortranarray(X),
    "strided": strided(),
    "every other column": every_other_column(),
    "backwards": X[::-1].copy()[::-1],
    "unaligned": unaligned(),
    "read-only": read_only(),
    "big-endian": X.astype(">f8"),
    "long double": X.astype(np.longdouble),
    "objects": X.astype(object),
    "pandas": pd.DataFrame(X, columns=NAMES),
    "pandas, columns of different kinds": pd.DataFrame(X, columns=NAMES).astype({"a": object}),
    "pandas, nullable": pd.DataFrame(X, columns=NAMES).convert_dtypes(),
    "polars": pl.DataFrame(X, schema=NAMES),
    "arrow": pa.table(dict(zip(NAMES, X.T.copy()))),
    "arrow, in chunks": pa.concat_tables(
        pa.table(dict(zip(NAMES, part.T.copy()))) for part in (X[:7], X[7:])
    ),
    "arrow record batch": pa.table(dict(zip(NAMES, X.T.copy()))).to_batches()[0],
    "masked, nothing missing": np.ma.masked_array(X),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_numbers_give_the_same_model(kind):
    model = fit(KINDS[kind])
    assert model.digest_ == fit(X).digest_
    assert (model.predict(KINDS[kind]) == model.labels_).all()
    named = kind.startswith(("pandas", "polars", "arrow"))
    assert hasattr(model, "feature_names_in_") == named
    if named:
        assert list(model.feature_names_in_) == NAMES


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool, np.float16])
def test_other_numbers_become_double(dtype):
    values = (X > 0).astype(dtype) if dtype is bool else np.round(X).clip(0, 100).astype(dtype)
    assert fit(values).digest_ == fit(values.astype(np.float64)).digest_


def test_float_is_read_as_it_is_and_transformed_to_float():
    single = X.astype(np.float32)
    assert fit(single).digest_ == fit(single.astype(np.float64)).digest_
    assert fit(single).transform(single).dtype == np.float32
    frame = pl.DataFrame(single, schema=NAMES)
    assert read_table(frame, "").rows.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_in_one_piece_are_not_copied(dtype):
    values = X.astype(dtype)
    for view in (values, values[::2], values[:, :2], values[10:20, 1:]):
        assert np.shares_memory(read_table(view, "").rows, values)
    frame = pd.DataFrame(values, columns=NAMES, copy=False)
    assert np.shares_memory(read_table(frame, "").rows, values)


WRONG = {
    "one-dimensional": (X[0], "Reshape your data", "bad-shape"),
    "a number": (3.0, "Reshape your data", "bad-shape"),
    "three-dimensional": (X[None], "Found array with dim 3", "bad-shape"),
    "ragged": ([[1, 2], [3]], "same length", "bad-shape"),
    "no rows": (X[:0], r"0 sample\(s\) \(shape=\(0, 3\)\)", "no-rows"),
    "no columns": (X[:, :0], r"0 feature\(s\) \(shape=\(60, 0\)\)", "bad-shape"),
    "complex": (X * 1j, "Complex data not supported", "unsupported-data"),
    "text": ([["a", "b"]], "not numbers", "not-a-number"),
    "text among objects": (np.array([[1, "x"]], dtype=object), "column 1 holds words, not numbers: 'x' in row 0", "not-a-number"),
    "huge integers": (np.array([[10**400, 1]], dtype=object), "numbers too large", "not-a-number"),
    "dates": (np.array([["2020-01-01"]], dtype="M8[D]"), "not numbers", "not-a-number"),
    "too few rows": (X[:2], "n_clusters = 3, but there are only 2 rows", "too-few-rows"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_tables_are_refused(kind):
    table, text, code = WRONG[kind]
    with pytest.raises(craton.InputError, match=text) as error:
        fit(table)
    assert error.value.code == code


def test_sparse_tables_are_refused_by_models_of_dense_rows():
    with pytest.raises(TypeError, match="Sparse data was passed") as error:
        craton.GaussianMixture(2).fit(scipy.sparse.csr_array(X))
    assert error.value.code == "unsupported-data"


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "csc_array", "coo_matrix"])
def test_sparse_tables_of_any_kind(kind, dtype):
    values = np.array([[0, 1], [0, 0], [5, 0], [6, 1], [0, 2]], dtype=dtype)
    dense = craton.KMeans(2).fit(values)
    sparse = craton.KMeans(2).fit(getattr(scipy.sparse, kind)(values))
    np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, rtol=1e-12)
    assert (sparse.labels_ == dense.labels_).all()


def test_sparse_tables_with_repeated_entries_or_unsorted_columns():
    indices, data = [1, 0, 1, 1, 0], [2.0, 1, 3, 4, 5]
    table = scipy.sparse.csr_array((data, indices, [0, 2, 4, 5]), shape=(3, 2))
    model = craton.KMeans(3).fit(table)
    expected = [[1, 2], [0, 7], [5, 0]]
    assert sorted(model.cluster_centers_.tolist()) == sorted(expected)
    assert table.indices.tolist() == indices  # the table is as it was


def test_sparse_tables_are_looked_at_once(monkeypatch):
    def again(self):
        raise AssertionError("SciPy was asked what the library finds out by itself")

    monkeypatch.setattr(scipy.sparse.csr_array, "has_canonical_format", property(again))
    table = scipy.sparse.csr_array(np.eye(4)[:, :3] * 2)
    assert table.indptr.dtype == np.int32
    model = craton.KMeans(2).fit(table)
    assert len(model.predict(table)) == 4


def test_no_rows_of_a_sparse_table():
    with pytest.raises(craton.InputError, match="0 sample"):
        craton.KMeans(2).fit(scipy.sparse.csr_array((0, 2)))


@pytest.mark.parametrize("value, text", [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
def test_a_value_that_is_not_finite_is_named(value, text):
    frame = pd.DataFrame(X, columns=NAMES)
    model = fit(frame)
    frame.loc[7, "b"] = value
    for method in (fit, model.predict, model.transform, model.score):
        with pytest.raises(craton.InputError, match=text) as error:
            method(frame)
        assert error.value.code == "not-finite"
        assert error.value.place == craton.Place(row=7, column="b")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [1.0, None], "y": [1, 2]}),
        pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "y": [1, 2]}),
        pl.DataFrame({"x": [1, None], "y": [1, 2]}),
        pa.table({"x": [1, None], "y": [1, 2]}),
        np.ma.masked_array([[1.0, 1.0], [2.0, 2.0]], mask=[[0, 0], [1, 0]]),
    ],
)
def test_missing_values_are_nan(frame):
    with pytest.raises(craton.InputError, match=r"row 1 \(counted from 0\), column .*NaN \(missing\)"):
        craton.KMeans(n_clusters=1).fit(frame)


def test_a_column_without_a_name_is_called_by_its_index():
    table = X.copy()
    model = fit(table)
    table[7, 0] = np.nan
    for method in (fit, model.predict, model.transform, model.score):
        with pytest.raises(craton.InputError, match=r"row 7 \(counted from 0\), column 0: ") as error:
            method(table)
        assert error.value.place == craton.Place(row=7, column=0)


def test_columns_of_one_name_are_refused():
    frame = pd.DataFrame(X, columns=["a", "b", "a"])
    with pytest.raises(craton.InputError, match="two columns are called 'a'") as error:
        fit(frame)
    assert error.value.code == "duplicate-name"
    with pytest.raises(craton.InputError, match="two columns are called 'a'"):
        fit(X).predict(frame)


@pytest.mark.parametrize("name", ["a\0b", "\udcff"])
def test_names_that_are_no_text_are_refused(name):
    with pytest.raises(craton.InputError, match="no text has"):
        fit(pd.DataFrame(X, columns=pd.Index([name, "b", "c"], dtype=object)))


@pytest.mark.parametrize("module", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_text_is_named(module):
    with pytest.raises(craton.InputError, match="column 'species' holds") as error:
        fit(module({"x": [1.0, 2.0], "species": ["cat", "dog"]}))
    assert error.value.place.column == "species"


DAYS = [datetime.datetime(2026, 1, day) for day in (1, 2, 3, 4)]
NO_NUMBERS = {
    "dates and times": (DAYS, "dates", "such as the year"),
    "dates": ([day.date() for day in DAYS], "dates", "such as the year"),
    "durations": ([day - DAYS[0] for day in DAYS], "durations", "such as seconds"),
    "lists": ([[1, 2], [3, 4], [5, 6], [7, 8]], "lists", "a column of its own"),
    "dicts": ([{"a": 1}] * 4, "dict", "Leave the column out"),
}


def objects(columns):
    rows = np.empty((4, len(columns)), dtype=object)
    for j, values in enumerate(columns.values()):
        for i, value in enumerate(values):
            rows[i, j] = value
    return rows


@pytest.mark.parametrize("module", [pd.DataFrame, pl.DataFrame, pa.table, objects])
@pytest.mark.parametrize("what", NO_NUMBERS)
@pytest.mark.parametrize("name", ["KMeans", "NaiveBayes", "CategoricalNB"])
def test_a_column_of_things_is_named_with_what_to_do(name, what, module):
    values, kind, advice = NO_NUMBERS[what]
    rows = module({"x": [1.0, 2.0, 3.0, 4.0], "when": values})
    with pytest.raises(craton.InputError) as error:
        getattr(craton, name)().fit(rows, [0, 1, 0, 1])
    column = "column 1" if module is objects else "column 'when'"
    first, second = str(error.value).split("\n")
    assert first.startswith(f"{column} holds {kind}") and advice in second
    assert first.endswith(" in row 0 (counted from 0)")
    assert error.value.code == "not-a-number" and error.value.place.row == 0


def test_words_among_numbers_are_shown():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "size": [7, "large", 8]})
    with pytest.raises(craton.InputError, match="column 'size' holds words.*'large' in row 1"):
        fit(frame)
    assert craton.NaiveBayes().fit(frame, [0, 1, 0])._model.levels[1] == ["7", "8", "large"]


@pytest.mark.parametrize("module", [pd.DataFrame, pl.DataFrame, pa.table, objects])
def test_decimals_are_numbers(module):
    values = [1.5, 2.5, 3.0, 4.25]
    rows = module({"x": values, "price": [decimal.Decimal(str(value)) for value in values]})
    assert (read_table(rows, "KMeans").rows == np.c_[values, values]).all()
    model = craton.CategoricalNB().fit(rows, [0, 1, 0, 1])
    assert (model.predict(rows) == [0, 1, 0, 1]).all()


@pytest.mark.parametrize(
    "weights, text",
    [
        (np.ones(5), r"sample_weight.shape == \(5,\), expected \(60,\)!"),
        (np.ones((60, 1)), "must be 1D"),
        (np.zeros(60), "at least one non-zero"),
        (-np.ones(60), "the weight is -1"),
        (np.full(60, np.nan), "the weight is nan"),
        (["x"] * 60, "sample_weight holds"),
    ],
)
def test_wrong_weights_are_refused(weights, text):
    with pytest.raises(craton.InputError, match=text) as error:
        craton.KMeans(n_clusters=3).fit(X, sample_weight=weights)
    assert error.value.code in ("bad-weight", "not-a-number")


def test_one_weight_is_for_every_row():
    weighted = craton.KMeans(n_clusters=3).fit(X, sample_weight=2)
    np.testing.assert_allclose(weighted.inertia_, 2 * fit(X).inertia_, rtol=1e-12)


def test_feature_names_are_compared():
    frame = pd.DataFrame(X, columns=NAMES)
    model = fit(frame)
    with pytest.raises(craton.InputError, match="same order as they were in fit") as error:
        model.predict(frame[NAMES[::-1]])
    assert error.value.code == "wrong-columns"
    with pytest.raises(ValueError, match="unseen at fit time:\n- z\n.*now missing:\n- c\n"):
        model.predict(frame.rename(columns={"c": "z"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        fit(X).predict(frame)
    with pytest.raises(ValueError, match="X has 2 features, but KMeans is expecting 3 features"):
        fit(X).predict(X[:, :2])
    with pytest.raises(TypeError, match="all input features have string names"):
        fit(frame.rename(columns={"c": 3}))


@pytest.mark.parametrize("module", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_order_of_columns_is_compared_before_their_values(module):
    people = {"age": [31.0, 44.0, 25.0, 52.0], "sex": ["f", "m", "f", "m"]}
    model = craton.NaiveBayes().fit(module(people), [0, 1, 0, 1])
    with pytest.raises(craton.InputError, match="same order as they were in fit") as error:
        model.predict(module({name: people[name] for name in ("sex", "age")}))
    assert error.value.code == "wrong-columns"
    with pytest.raises(craton.InputError, match="now missing:\n- age\n"):
        model.predict(module({"sex": people["sex"]}))


def test_names_that_a_terminal_would_obey_are_spelt_out():
    names = ["\x1b[2J\x1b[31m", "\x9b31m", "\u202egnp"]
    frame = pd.DataFrame(np.r_[X, np.full((50, 3), 1000.0)], columns=names)
    with pytest.warns(craton.FitWarning) as warned:
        model = craton.GaussianMixture(2, init_params="k-means++").fit(frame)
    texts = [str(warning.message) for warning in warned] + [repr(model.report_)]
    for change in (frame.assign(**{names[0]: np.nan}), frame.rename(columns={names[1]: "\x1b]0;"})):
        with pytest.raises(craton.InputError) as error:
            model.predict(change)
        texts.append(str(error.value))
    assert all(line.isprintable() for text in texts for line in text.split("\n")), texts
    assert list(model.feature_names_in_) == names
