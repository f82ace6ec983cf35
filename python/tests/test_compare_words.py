"""Models of numbers and models of words, compared on one table: each has the columns it takes."""

import json
import pathlib
import subprocess

import craton
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from craton import select

CRATON = pathlib.Path(__file__).parents[2] / "build" / "release" / "cli" / "craton"
RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 2, 80)
COLUMNS = {
    "weight": (RANDOM.normal(size=80) + Y).round(3).tolist(),
    "habitat": np.where(RANDOM.random(80) < 0.7, Y, 1 - Y).astype(str).tolist(),
    "length": (RANDOM.normal(size=80) - Y).round(3).tolist(),
}
COLUMNS["habitat"] = [{"0": "cliff", "1": "shore"}[word] for word in COLUMNS["habitat"]]
NUMBERS = pd.DataFrame(COLUMNS).drop(columns="habitat")
MODELS = [craton.GaussianNB(), craton.NaiveBayes(), craton.LinearDiscriminantAnalysis()]


@pytest.mark.parametrize("module", [pd.DataFrame, pl.DataFrame, pa.table])
def test_words_are_left_out_where_they_are_not_taken(module):
    with pytest.warns(craton.FitWarning) as warned:
        both = select.compare(MODELS, module(COLUMNS), Y)
    assert [str(warning.message) for warning in warned] == [
        "left out for GaussianNB, LinearDiscriminantAnalysis: the column of words 'habitat'"
    ]
    assert warned[0].filename == __file__
    for model, result in zip(MODELS, both.results):
        rows = module(COLUMNS) if model._takes_categories else NUMBERS
        alone = select.cross_validate(model, rows, Y)
        assert np.array_equal(result.values["log-loss"], alone.values["log-loss"])


@pytest.mark.skipif(not CRATON.exists(), reason="the command is not built")
def test_the_shell_does_the_same(tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame(COLUMNS).assign(kind=Y).to_csv(path, index=False)
    words = ["compare", "gaussian-nb", "nb", "linear-discriminant", path, "--target=kind", "--json"]
    said = subprocess.run([CRATON, *words], check=True, capture_output=True).stdout
    with pytest.warns(craton.FitWarning, match="left out"):
        here = select.compare(MODELS, pd.DataFrame(COLUMNS), Y)
    for ours, theirs in zip(here.results, json.loads(said)["models"]):
        assert ours.mean["log-loss"] == theirs["metrics"]["log-loss"]["mean"]


def test_what_is_left_must_be_something():
    words = pd.DataFrame({"habitat": COLUMNS["habitat"]})
    with pytest.raises(craton.InputError, match="column 'habitat' holds words"):
        select.compare([craton.GaussianNB(), craton.LinearDiscriminantAnalysis()], words, Y)
    some = select.compare(MODELS, words, Y)
    assert sorted(some.failed) == ["GaussianNB()", "LinearDiscriminantAnalysis()"]
    assert all("column 'habitat' holds words" in str(error) for error in some.failed.values())


def test_other_things_are_refused():
    dates = pd.DataFrame(COLUMNS).assign(day=pd.Timestamp("2026-01-01"))
    with pytest.raises(craton.InputError, match="column 'day' holds dates"):
        select.compare(MODELS, dates, Y)


def test_one_model_alone_says_what_it_does_not_take():
    with pytest.raises(craton.InputError, match="column 'habitat' holds words"):
        select.cross_validate(MODELS[0], pd.DataFrame(COLUMNS), Y)
