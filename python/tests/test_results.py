"""What models learned, and what they say of rows, as tables."""

import csv
import io
import pathlib
import pickle
import subprocess
import sys

import craton
import numpy as np
import pandas as pd
import pytest

CRATON = pathlib.Path(__file__).parents[2] / "build" / "release" / "cli" / "craton"
X = np.random.default_rng(0).gamma(2, size=(80, 3))
Y = np.where(X[:, 0] > X[:, 1], 3, 7)
FRAME = pd.DataFrame(X, columns=["weight", "length", "größe"])


def fitted(name):
    rows = np.round(X) if name in ("CategoricalNB", "PositionalNB") else FRAME
    model = getattr(craton, name)()
    learns = model._estimator_type in ("classifier", "regressor")
    return model.fit(rows, Y if learns else None), rows


@pytest.mark.parametrize("name", craton._models.__all__)
def test_every_model_has_tables(name):
    model, _ = fitted(name)
    tables = model.tables()
    assert tables and all(table.name == key for key, table in tables.items())
    for table in tables.values():
        assert {len(table[column]) for column in table} == {table.n_rows}
        assert repr(table).startswith(table.title)
        assert table._repr_html_().count("<table>") == 1
    assert all(text.rstrip("\n") in model.describe() for text in model._model.table_texts())


def test_columns_are_arrays_with_all_digits():
    model = craton.GaussianMixture(2).fit(FRAME)
    means = model.tables()["means"]
    assert list(means)[:4] == ["component", "weight", "weight_2", "weight_2_std"]
    np.testing.assert_array_equal(means["weight"], model.weights_)
    np.testing.assert_array_equal(means["length"], model.means_[:, 1])
    np.testing.assert_allclose(means["length_std"] ** 2, model.covariances_[:, 1, 1])
    assert means["component"].dtype.kind == "i" and not means["weight"].flags.writeable
    axes = craton.LinearDiscriminantAnalysis().fit(FRAME, Y).tables()["axes"]
    assert axes.units == {"explained": "%"}


def test_there_is_no_number_where_none_is():
    table = craton.LinearDiscriminantAnalysis().fit(FRAME, Y).tables()["correlations"]
    assert list(table) == ["name", *FRAME.columns]
    assert np.isnan(table["length"][0]) and table["length"][1] == 1


def test_tables_are_frames():
    table = craton.KMeans(3).fit(FRAME).tables()["centres"]
    frame = table.to_frame()
    assert isinstance(frame, pd.DataFrame) and list(frame) == list(table) and len(frame) == 3
    polars = pytest.importorskip("polars")
    code = f"""
import sys, pickle
sys.modules["pandas"] = None
import craton
print(pickle.loads({pickle.dumps(table)!r}).to_frame().columns)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(list(table)) and polars


@pytest.mark.skipif(not CRATON.exists(), reason="the command is not built")
@pytest.mark.parametrize("name", ["KMeans", "GaussianNB", "Density", "NaiveBayes"])
def test_they_are_those_of_the_shell(name, tmp_path):
    model, _ = fitted(name)
    model.save(tmp_path / "it.craton")
    for table in model.tables().values():
        command = [CRATON, "describe", tmp_path / "it.craton", "--table", table.name]
        shell = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert shell.replace("-o FILE has", "to_frame() has") == repr(table) + "\n"
        shell = subprocess.run([*command, "-o", "-"], check=True, capture_output=True, text=True)
        header, *rows = csv.reader(io.StringIO(shell.stdout))
        assert header == list(table) and len(rows) == table.n_rows
        for column, cells in zip(table, zip(*rows)):
            if table[column].dtype.kind in "if":
                np.testing.assert_array_equal([float(c or "nan") for c in cells], table[column])
            else:
                assert list(cells) == list(table[column])


@pytest.mark.parametrize("name", craton._models.__all__)
def test_a_diagnosis_says_what_the_methods_say(name):
    model, rows = fitted(name)
    table = model.diagnose(rows)
    assert isinstance(table, craton.ResultTable) and table.n_rows == len(X)
    numbers = model._estimator_type == "regressor"
    assert ("label" in table) == (hasattr(model, "predict") and not numbers)
    if numbers:
        np.testing.assert_array_equal(table["prediction"], model.predict(rows))
    if "label" in table:
        labels = model.predict(rows)
        np.testing.assert_array_equal(table["label"], labels)
        assert table["label"].dtype == labels.dtype
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(table["probability"], model.predict_proba(rows).max(axis=1))
    if hasattr(model, "score_samples"):
        np.testing.assert_array_equal(table["log_density"], model.score_samples(rows))


def test_clusters_tell_the_distance_to_their_centres():
    model = craton.KMeans(3).fit(X)
    table = model.diagnose(X)
    np.testing.assert_array_equal(table["distance"], model.transform(X).min(axis=1))
    assert "... and 30 more rows" in repr(table)
    assert "<td>... 60 more</td>" in table._repr_html_()


def test_labels_are_called_as_they_were():
    model = craton.GaussianNB().fit(X, np.where(Y == 3, "<three>", "seven"))
    table = model.diagnose(X[:1])
    assert table["label"][0] in repr(table)
    assert "<three>" not in model.diagnose(X)._repr_html_()
    with pytest.raises(craton.NotFittedError):
        craton.GaussianNB().diagnose(X)
    with pytest.raises(craton.NotFittedError):
        craton.GaussianNB().tables()
    with pytest.raises(craton.InputError, match="features"):
        model.diagnose(X[:, :2])


def test_tables_are_kept():
    table = craton.KMeans(3).fit(FRAME).tables()["centres"]
    again = pickle.loads(pickle.dumps(table))
    assert repr(again) == repr(table) and list(again) == list(table)
    assert table == table and table != again  # as objects, since arrays have no one truth
