"""What the command says of a table, and of a classifier's mistakes, beside pandas and scikit-learn."""

import json
import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"


def run(*arguments):
    done = subprocess.run([CRATON, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(folder, seed, n):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": random.normal(3, 100, n).round(3),
            "count": random.poisson(3, n).astype(float),
            "colour": random.choice(["red", "green", "blue"], n, p=[0.6, 0.3, 0.1]),
            "weight": random.integers(0, 4, n),
        }
    )
    frame["kind"] = np.where(frame["size"] + random.normal(0, 80, n) > 0, "big", "small")
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    frame.loc[random.random(n) < 0.1, "colour"] = None
    frame.to_csv(folder / "table.csv", index=False)
    return frame


@pytest.mark.parametrize("n", [40, 5000])
def test_columns(tmp_path, n):
    for seed in range(3):
        frame = write(tmp_path, seed, n)
        said = json.loads(run("describe", tmp_path / "table.csv", "--target", "kind", "--json"))
        assert said["rows"] == n
        for column in said["columns"]:
            ours = frame[column["name"]]
            assert column["missing"] == ours.isna().sum()
            assert column["distinct"] == ours.nunique()
            if column["kind"] == "number":
                assert column["least"] == ours.min() and column["greatest"] == ours.max()
                assert column["median"] == pytest.approx(ours.median(), rel=1e-14, abs=1e-14)
            else:
                shares = ours.value_counts(normalize=True)
                rows = ours.value_counts()
                for level in column["levels"]:
                    assert level["rows"] == rows[level["level"]]
                    assert level["share"] == pytest.approx(shares[level["level"]], rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_mistakes(tmp_path, weighted):
    data, model = tmp_path / "table.csv", tmp_path / "m.craton"
    frame = write(tmp_path, 7, 800)
    run("fit", "nb", data, "--target", "kind", "--drop", "weight", "-q", "-o", model)
    weights = ["--weights", "weight"] if weighted else []
    said = json.loads(run("score", model, data, "--json", *weights))
    given = run("predict", model, data, "--keep", "kind,count", "-q").splitlines()
    assert given[0] == "kind,count,label"
    kept = pd.DataFrame([line.split(",") for line in given[1:]], columns=["kind", "count", "label"])
    assert (kept["kind"] == frame["kind"]).all() and (kept["count"].astype(float) == frame["count"]).all()
    w = frame["weight"] if weighted else None
    labels = said["labels"]
    expected = metrics.confusion_matrix(kept["kind"], kept["label"], labels=labels, sample_weight=w)
    np.testing.assert_allclose(said["confusion"], expected)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        kept["kind"], kept["label"], labels=labels, sample_weight=w
    )
    np.testing.assert_allclose(said["precision"], precision, rtol=1e-12)
    np.testing.assert_allclose(said["recall"], recall, rtol=1e-12)
    np.testing.assert_allclose(said["f1"], f1, rtol=1e-12)


def test_guessing(tmp_path):
    frame = write(tmp_path, 9, 300)
    said = json.loads(run("cv", "nb", tmp_path / "table.csv", "--target", "kind", "--json"))
    shares = frame["kind"].value_counts(normalize=True)
    assert said["guessing"]["label"] == shares.index[0]
    assert said["guessing"]["accuracy"] == pytest.approx(shares.iloc[0], rel=1e-12)
    assert said["guessing"]["log_loss"] == pytest.approx(-(shares * np.log(shares)).sum(), rel=1e-12)


def test_names(tmp_path):
    frame = write(tmp_path, 11, 200)
    frame.to_csv(tmp_path / "bare.csv", index=False, header=False)
    names = ",".join(frame.columns)
    model = tmp_path / "m.craton"
    run("fit", "nb", tmp_path / "table.csv", "--target", "kind", "-q", "-o", model)
    said = run("score", model, tmp_path / "table.csv")
    bare = run("score", model, tmp_path / "bare.csv", "--names", names)
    assert bare.splitlines()[1:] == said.splitlines()[1:]
