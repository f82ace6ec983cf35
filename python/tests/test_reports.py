"""Pages: those of the command, from arrays and frames."""

import pathlib
import subprocess

import craton
import numpy as np
import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
BIRDS = ROOT / "examples" / "data" / "birds.csv"


@pytest.fixture
def birds():
    return pd.read_csv(BIRDS)


def test_a_table_has_a_page_with_the_model_that_is_best(birds, tmp_path):
    page = craton.report(birds, target="kind")
    assert "kind in a table" in page.html
    assert page.model.digest_ in page.html
    assert isinstance(page.model, craton.NaiveBayes)
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html
    assert page._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(craton.InputError, match="would be none"):
        page.save(tmp_path / "page.pdf")


def test_threads_change_nothing(birds):
    assert craton.report(birds, target="kind", n_jobs=1).html == craton.report(birds, target="kind", n_jobs=7).html


def test_models_may_be_chosen_and_a_target_told_by_number():
    rows = np.random.default_rng(0).normal(size=(80, 3))
    rows[:, 2] = rows[:, 0] - rows[:, 1] + rows[:, 2] / 8
    page = craton.report(rows, target=2, models=["linear", "ridge"])
    assert isinstance(page.model, craton.LinearRegression | craton.Ridge)
    assert ">kernel-regression<" not in page.html
    with pytest.raises(craton.InputError, match="no column"):
        craton.report(rows, target=3)


def test_without_a_target_there_are_groups():
    rows = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, 0)
    page = craton.report(rows)
    assert "The rows fall into 3 groups" in page.html
    assert isinstance(page.model, craton.GaussianMixture)


@pytest.mark.skipif(not CRATON.exists(), reason="the command is not built")
def test_the_page_of_a_model_says_what_that_of_the_command_says(birds, tmp_path):
    model, out = tmp_path / "m.craton", tmp_path / "page.html"
    subprocess.run([CRATON, "fit", "nb", BIRDS, "--target", "kind", "-o", model, "-q"], check=True)
    subprocess.run([CRATON, "report", model, BIRDS, "-o", out, "-q"], check=True)
    ours = craton.load(model).report(birds.drop(columns="kind"), birds["kind"])
    said = out.read_text()
    for sentence in ("It is right for 93.1 %", "18 of 260 rows were taken"):
        assert sentence in ours.html and sentence in said


def test_rows_without_truth_are_told_without_mistakes(birds):
    model = craton.NaiveBayes().fit(birds.drop(columns="kind"), birds["kind"])
    page = model.report(birds.drop(columns="kind"))
    assert "Mistakes" not in page.html
    assert "The rows by label" in page.html
