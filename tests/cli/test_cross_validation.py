"""craton cv and compare against scikit-learn, on folds that both make alike: those in order of time."""

import json
import pathlib
import subprocess

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.model_selection import TimeSeriesSplit, cross_validate
from sklearn.naive_bayes import MultinomialNB

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
LETTERS = ROOT / "examples" / "data" / "letters.csv"
SCORING = {
    "accuracy": "accuracy",
    "balanced-accuracy": "balanced_accuracy",
    "f1": "f1_macro",
    "precision": "precision_macro",
    "recall": "recall_macro",
    "mcc": "matthews_corrcoef",
    "log-loss": "neg_log_loss",
    "roc-auc": "roc_auc_ovr",
    "roc-auc-ovo": "roc_auc_ovo",
}


def craton(*arguments):
    done = subprocess.run([CRATON, *arguments, "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def letters():
    table = np.genfromtxt(LETTERS, delimiter=",", skip_header=1, dtype=str)
    return table[:, :-1].astype(float), table[:, -1]


def test_every_fold_is_that_of_scikit_learn(letters):
    ours = craton("cv", "multinomial-nb", str(LETTERS), "--target", "kind", "--split", "time",
                  "--folds", "4", "--alpha", "0.5", "--metric", ",".join(SCORING))
    theirs = cross_validate(
        MultinomialNB(alpha=0.5), *letters, cv=TimeSeriesSplit(4), scoring=list(SCORING.values())
    )
    folds = ours["best"]["folds"]
    splits = [(len(train), len(test)) for train, test in TimeSeriesSplit(4).split(letters[0])]
    assert [(fold["train_rows"], fold["test_rows"]) for fold in folds] == splits
    for name, scorer in SCORING.items():
        sign = -1 if scorer.startswith("neg_") else 1
        np.testing.assert_allclose(
            [fold[name] for fold in folds], sign * theirs["test_" + scorer], rtol=1e-9, err_msg=name
        )


def test_the_error_is_the_corrected_one(letters):
    ours = craton("cv", "multinomial-nb", str(LETTERS), "--target", "kind", "--folds", "3")["best"]
    values = np.array([fold["log-loss"] for fold in ours["folds"]])
    ratio = np.mean([fold["test_rows"] / fold["train_rows"] for fold in ours["folds"]])
    error = values.std(ddof=1) * np.sqrt(1 / 3 + ratio)
    np.testing.assert_allclose(
        [ours["metrics"]["log-loss"][k] for k in ("mean", "error")], [values.mean(), error], rtol=1e-12
    )


def test_models_are_compared_on_the_same_folds():
    ours = craton("compare", "multinomial-nb", "multinomial-nb:alpha=100", "bernoulli-nb", str(LETTERS),
                  "--target", "kind", "--metric", "log-loss", "--repeats", "2")
    alone = craton("cv", "bernoulli-nb", str(LETTERS), "--target", "kind", "--metric", "log-loss",
                   "--repeats", "2")["best"]
    assert ours["models"][2]["folds"] == alone["folds"]
    values = np.array([[fold["log-loss"] for fold in model["folds"]] for model in ours["models"]])
    best = values.mean(axis=1).argmin()
    less = [model["less_best"]["log-loss"] for model in ours["models"]]
    np.testing.assert_allclose([d["mean"] for d in less], (values - values[best]).mean(axis=1), atol=1e-12)
    error = (values - values[best]).std(axis=1, ddof=1) * np.sqrt(1 / 10 + 1 / 4)
    np.testing.assert_allclose([d["error"] for d in less], error, rtol=1e-12, atol=1e-15)


def test_clusters_are_measured_on_the_rows_held_out(letters, tmp_path):
    X = letters[0]
    starts = X[[0, 1, 3]]
    np.savetxt(tmp_path / "starts.csv", starts, delimiter=",")
    ours = craton("cv", "kmeans", str(LETTERS), "--drop", "kind", "--split", "time", "--folds", "3",
                  "--n-clusters", "3", "--init", str(tmp_path / "starts.csv"), "--metric", "silhouette")
    for fold, (train, test) in zip(ours["best"]["folds"], TimeSeriesSplit(3).split(X)):
        model = KMeans(3, init=starts, n_init=1, tol=0).fit(X[train])
        expected = silhouette_score(X[test], model.predict(X[test]))
        np.testing.assert_allclose(fold["silhouette"], expected, rtol=1e-9)
