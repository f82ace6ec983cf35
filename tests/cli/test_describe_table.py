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


def run(*arguments, cwd=None):
    done = subprocess.run([CRATON, *arguments], capture_output=True, text=True, timeout=120, cwd=cwd)
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
                assert column["mean"] == pytest.approx(ours.mean(), rel=1e-13, abs=1e-13)
                assert column["deviation"] == pytest.approx(ours.std(), rel=1e-13)
                for name, level in {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}.items():
                    assert column[name] == pytest.approx(ours.quantile(level), rel=1e-14, abs=1e-14)
                check_bars(column["histogram"], ours.dropna().to_numpy())
            else:
                shares = ours.value_counts(normalize=True)
                rows = ours.value_counts()
                for level in column["levels"]:
                    assert level["rows"] == rows[level["level"]]
                    assert level["share"] == pytest.approx(shares[level["level"]], rel=1e-12)


def check_bars(histogram, values):
    edges = histogram["from"] + histogram["width"] * np.arange(len(histogram["rows"]) + 1)
    edges[-1] = max(edges[-1], values.max())  # where it is, but for rounding
    np.testing.assert_array_equal(histogram["rows"], np.histogram(values, edges)[0])


def test_correlations(tmp_path):
    for seed in range(5):
        random = np.random.default_rng(seed)
        base = random.normal(size=(300, 2))
        frame = pd.DataFrame(
            {
                "a": base[:, 0],
                "b": np.exp(3 * base[:, 0]),
                "c": base[:, 0] + random.normal(size=300),
                "d": base[:, 1],
                "e": np.round(base[:, 1] + base[:, 0]),
            }
        )
        frame = frame.mask(random.random(frame.shape) < 0.05)
        frame.to_csv(tmp_path / "t.csv", index=False)
        said = json.loads(run("describe", tmp_path / "t.csv", "--json"))["correlations"]
        assert said["rows"] == 300 and said["columns"] == 5
        with_columns = {(p["column"], p["with"]): p for p in said["pairs"]}
        for i, a in enumerate(frame):
            for b in list(frame)[i + 1 :]:
                pearson, spearman = (frame[a].corr(frame[b], method=m) for m in ("pearson", "spearman"))
                if max(abs(pearson), abs(spearman)) < 0.5:
                    assert (a, b) not in with_columns
                    continue
                pair = with_columns[a, b]
                assert pair["pearson"] == pytest.approx(pearson, rel=1e-12)
                assert pair["spearman"] == pytest.approx(spearman, rel=1e-12)
                assert pair["rows"] == frame[[a, b]].dropna().shape[0]


def test_a_sample_of_many_rows_is_near_and_said(tmp_path):
    random = np.random.default_rng(1)
    x = random.normal(size=50_000)
    frame = pd.DataFrame({"x": x, "y": x + random.normal(size=50_000)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = json.loads(run("describe", tmp_path / "t.csv", "--json"))["correlations"]
    assert said["rows"] == 20_000
    assert said["pairs"][0]["pearson"] == pytest.approx(frame["x"].corr(frame["y"]), abs=0.015)
    assert "from 20000 of 50000 rows" in run("describe", tmp_path / "t.csv")


def test_suspicious_cells_are_where_they_say(tmp_path):
    random = np.random.default_rng(2)
    frame = pd.DataFrame({"age": random.integers(20, 80, 500), "sex": random.choice(["f", "m"], 500)})
    frame.loc[17, "age"] = 233
    frame.loc[[40, 90, 91], "age"] = -99
    frame.loc[5, "sex"] = "F"
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = json.loads(run("describe", tmp_path / "t.csv", "--json"))["suspicious"]
    found = {(cell["column"], cell["value"], cell["rows"], cell["first_row"], cell["line"]) for cell in said}
    assert found == {("age", "233", 1, 17, 19), ("age", "-99", 3, 40, 42), ("sex", "F", 1, 5, 7)}


def test_the_next_commands_run(tmp_path):
    write(tmp_path, 13, 200)
    for arguments in ([], ["--target", "kind"], ["--target", "size"], ["--target", "colour"], ["--target", "count"]):
        said = json.loads(run("describe", tmp_path / "table.csv", *arguments, "--json"))
        assert said["next"]
        for line in said["next"]:
            words = line.split()
            assert words[0] == "craton"
            run(*words[1:], cwd=tmp_path)


@pytest.mark.parametrize("columns", [1, 1500])
def test_a_wide_table(tmp_path, columns):
    values = np.random.default_rng(3).normal(size=(20, columns)).round(4)
    np.savetxt(tmp_path / "t.csv", values, delimiter=",", fmt="%g")
    said = json.loads(run("describe", tmp_path / "t.csv", "--json"))
    assert len(said["columns"]) == min(columns, 1000)
    assert any(note["text"] == "and 500 more columns" for note in said["notes"]) == (columns == 1500)
    assert said["correlations"]["columns"] == (100 if columns == 1500 else 0)


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
