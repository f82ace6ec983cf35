"""craton.plot and its kin draw the very pictures that the command draws."""

import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest

import craton

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
DATA = ROOT / "examples" / "data"


def run(*words):
    done = subprocess.run([CRATON, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def islands():
    return pd.read_csv(DATA / "islands.csv")


MODELS = {
    "gmm": ("4 components found by gmm", ["--n-components", "4"], craton.GaussianMixture(4)),
    "kmeans": ("4 clusters found by kmeans", ["--n-clusters", "4"], craton.KMeans(4)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("columns", [None, "tail_mm,wing_mm"])
def test_plot_of_two_columns(name, columns, islands, tmp_path):
    found, words, estimator = MODELS[name]
    run("fit", name, DATA / "islands.csv", *words, "-o", tmp_path / "m.craton")
    chosen = ["--plot-columns", columns] if columns else []
    shell = run("plot", tmp_path / "m.craton", DATA / "islands.csv", *chosen)
    model = estimator.fit(islands)
    pair = columns.split(",") if columns else None
    assert craton.plot(model, islands, columns=pair, title=f"islands.csv: {found}").svg == shell
    untitled = craton.plot(model, islands, columns=pair).svg
    assert f">{found}<" in untitled and f"islands.csv: {found}" in shell
    assert untitled.replace(found, f"islands.csv: {found}") == shell


def test_plot_of_one_column_with_weights(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=200), "w": rng.integers(1, 4, size=200)})
    table.loc[100:, "x"] += 5
    table.to_csv(tmp_path / "x.csv", index=False)
    words = ["--weights", "w", "--n-components", "2", "--plot-traces", tmp_path / "traces.svg"]
    run("fit", "gmm", tmp_path / "x.csv", *words, "-o", tmp_path / "m.craton", "--plot", tmp_path / "fit.svg")
    model = craton.GaussianMixture(2).fit(table[["x"]], sample_weight=table.w)
    title = "x.csv: 2 components found by gmm"
    ours = craton.plot(model, table[["x"]], sample_weight=table.w, title=title)
    assert ours.svg == (tmp_path / "fit.svg").read_text()
    shell = (tmp_path / "traces.svg").read_text()
    assert craton.plot_traces(model).svg == shell.replace("x.csv: gmm", "gmm")


def test_plot_of_classes(tmp_path):
    table = pd.read_csv(DATA / "people.csv").dropna()
    columns = [name for name in table if name != "sex"][:2]
    words = ["--target", "sex", "--features", ",".join(columns), "--missing", "skip"]
    run("fit", "qda", DATA / "people.csv", *words, "-o", tmp_path / "m.craton")
    shell = run("plot", tmp_path / "m.craton", DATA / "people.csv", "--missing", "skip")
    model = craton.QuadraticDiscriminantAnalysis().fit(table[columns], table.sex)
    ours = craton.plot(model, table[columns], table.sex)
    found = f"sex by {model._model_name}"
    assert ours.svg.replace(found, f"people.csv: {found}") == shell


def test_plot_stages(islands, tmp_path):
    words = ["--n-components", "4", "--init-params", "random", "--plot-stages", "0,2", "--plot", tmp_path / "a.svg"]
    run("fit", "gmm", DATA / "islands.csv", *words)
    ours = craton.plot_stages(craton.GaussianMixture(4, init_params="random"), islands, updates=[2, 0])
    shell = (tmp_path / "a.svg").read_text()
    assert ours.svg == shell.replace("islands.csv: gmm, step by step", "gmm, step by step")


def test_the_picture_of_a_sweep(islands, tmp_path):
    run("select", "gmm", DATA / "islands.csv", "--n-components", "1..3", "--plot", tmp_path / "bic.svg")
    ours = craton.select.sweep(craton.GaussianMixture(), islands, n_components=[1, 2, 3]).plot()
    assert ours.svg == (tmp_path / "bic.svg").read_text().replace("islands.csv: BIC", "BIC")
