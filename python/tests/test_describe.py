"""What models and reports say of themselves is what the shell says."""

import pathlib
import subprocess
import warnings

import craton
import numpy as np
import pandas as pd
import pytest

CRATON = pathlib.Path(__file__).parents[2] / "build" / "release" / "cli" / "craton"
X = np.random.default_rng(0).integers(0, 4, size=(60, 3)).astype(float)
Y = np.where(X[:, 0] + X[:, 1] > 3, "f", "m")
FRAME = pd.DataFrame(X, columns=["weight", "length", "größe"])
OPTIONS = {
    "KMeans": {"n_clusters": 3, "scale": "standard"},
    "GaussianMixture": {"n_components": 2, "reg_covar": 0.1, "max_iter": 0},
    "GaussianNB": {"class_prior": [0.5, 0.5]},
    "Mixture": {"family": "gaussian", "n_components": 2},
}


def fitted(name, rows=FRAME):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = getattr(craton, name)(**OPTIONS.get(name, {}))
        return model.fit(rows, X.sum(axis=1) if model._estimator_type == "regressor" else Y)


def at_the_shell(model, folder):
    model.save(folder / "it.craton")
    command = [CRATON, "describe", folder / "it.craton"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_text_shows_itself():
    text = fitted("KMeans").describe()
    assert isinstance(text, str) and repr(text) == str(text)
    lines = text.split("\n")
    assert lines[0] == "columns    weight, length, größe"
    assert lines[1].startswith("model      kmeans: k-means clustering")
    assert lines[2] == "options    n_clusters = 3, scale = 'standard'"
    with pytest.raises(craton.NotFittedError):
        craton.KMeans().describe()


@pytest.mark.skipif(not CRATON.exists(), reason="the command is not built")
@pytest.mark.parametrize("name", craton._models.__all__)
def test_it_is_the_text_of_the_shell(name, tmp_path):
    model = fitted(name)
    assert model.describe() + "\n" == at_the_shell(model, tmp_path)
    told = next(line for line in model.describe().split("\n") if line.startswith("fit "))
    assert repr(model.report_).startswith(f"<{told[11:]}, objective ")


@pytest.mark.skipif(not CRATON.exists(), reason="the command is not built")
def test_tables_that_are_too_large_are_cut_as_there(tmp_path):
    random = np.random.default_rng(1)
    wide = pd.DataFrame(random.normal(size=(200, 40)), columns=[f"column {j}" for j in range(40)])
    for model in (craton.KMeans(60).fit(wide), craton.GaussianNB().fit(wide, np.arange(200) % 60)):
        shell = at_the_shell(model, tmp_path).replace("(--json has", "(tables() has")
        assert model.describe() + "\n" == shell and "more column" in shell and "10 more rows" in shell


def test_fits_without_iterations_are_in_closed_form():
    report = fitted("GaussianNB").report_
    assert report.closed_form and repr(report).startswith("<in closed form, objective ")
    assert "in closed form" in fitted("GaussianNB")._repr_html_()
    assert not fitted("KMeans").report_.closed_form


def test_names_that_a_terminal_would_obey_are_spelt_out():
    names = ["\x1b[2J", "a\nb", "\u202egnp"]
    text = fitted("GaussianNB", pd.DataFrame(X, columns=names)).describe()
    assert all(line.isprintable() for line in text.split("\n"))
