"""The name of y is that of the target, so that the shell finds the column."""

import pathlib
import subprocess

import craton
import numpy as np
import pandas as pd
import polars as pl
import pytest

CRATON = pathlib.Path(__file__).parents[2] / "build" / "release" / "cli" / "craton"
X = np.random.default_rng(0).normal(size=(60, 2))
SEX = np.where(X[:, 0] + X[:, 1] / 2 > 0, "f", "m")
FRAME = pd.DataFrame(X, columns=["weight", "length"])


def target(y, model=None):
    return (model or craton.GaussianNB()).fit(FRAME, y)._model.target[0]


def test_it_is_that_of_a_series():
    assert target(pd.Series(SEX, name="sex")) == "sex"
    assert target(pl.Series("sex", SEX)) == "sex"
    assert target(SEX) == target(pd.Series(SEX)) == target(pd.Series(SEX, name=3)) == "target"


@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_or_that_of_the_column_of_a_frame():
    assert target(pd.DataFrame({"sex": SEX})) == "sex"


@pytest.mark.parametrize("name", ["", "a\0b", "\udcff", "weight"])
def test_but_not_a_name_that_no_file_keeps_or_that_a_feature_has(name):
    assert target(pd.Series(SEX, name=name)) == "target"


def test_labels_of_a_mixture_have_it_too():
    labels = pd.Series(np.where(np.arange(60) < 9, SEX, None), name="sex")
    model = craton.Mixture(n_components=2, family="gaussian").fit(FRAME, labels=labels)
    assert model._model.target[0] == "sex"


def test_the_digest_does_not_depend_on_it():
    digests = {
        craton.GaussianNB().fit(FRAME, y).digest_ for y in (SEX, pd.Series(SEX, name="sex"))
    }
    assert len(digests) == 1


def test_it_stays_when_a_model_learns_on_and_is_saved(tmp_path):
    model = craton.GaussianNB()
    for rows in (slice(30), slice(30, 60)):
        model.partial_fit(FRAME[rows], pd.Series(SEX, name="sex")[rows], classes=["f", "m"])
    model.save(tmp_path / "sex.craton")
    assert craton.load(tmp_path / "sex.craton")._model.target == ("sex", False, ["f", "m"])


@pytest.mark.skipif(not CRATON.exists(), reason="the command is not built")
def test_the_shell_finds_the_column(tmp_path):
    rows = FRAME.assign(sex=SEX)
    model = craton.GaussianNB().fit(FRAME, rows["sex"])
    model.save(tmp_path / "sex.craton")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    command = [CRATON, "score", tmp_path / "sex.craton", tmp_path / "rows.csv"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"{model.score(FRAME, SEX):.6g}" in said
