"""The number of components by BIC, beside mclust (tests/reference/select_mclust.R)."""
import csv
import os
import pathlib

import numpy as np
import pytest

import craton

HERE = pathlib.Path(__file__).resolve().parents[2] / "tests" / "reference"


def load(name):
    if name == "planted":
        return np.loadtxt(HERE / "planted_five.csv", delimiter=",", skiprows=1)
    if name == "iris":
        from sklearn.datasets import load_iris
        return load_iris().data
    folder = os.environ.get("CRATON_DATA")  # R's `faithful`
    if folder is None:
        pytest.skip("needs a folder with tables/faithful.csv: CRATON_DATA")
    table = np.genfromtxt(pathlib.Path(folder) / "tables" / "faithful.csv", delimiter=",", names=True)
    return np.column_stack([table["eruptions"], table["waiting"]])


def found_by_mclust(name):
    with open(HERE / "select_mclust.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["data"] == name]
    return [(int(row["components"]), float(row["bic"]), np.array(list(row["groups"]), int) - 1)
            for row in rows]


@pytest.mark.parametrize("name", ["faithful", "iris", "planted"])
def test_from_its_starts_bic_is_that_of_mclust_or_lower(name):
    x = load(name)
    for k, bic, groups in found_by_mclust(name):
        parts = [x[groups == g] for g in range(k)]
        covariances = [np.cov(part.T, bias=True) for part in parts]
        model = craton.GaussianMixture(
            k, weights_init=np.bincount(groups) / len(x), means_init=[p.mean(0) for p in parts],
            precisions_init=np.linalg.inv(covariances), tol=1e-7, max_iter=1000).fit(x)
        assert model.bic(x) <= bic + 1e-6 * abs(bic), k


@pytest.mark.parametrize("name", ["faithful", "iris", "planted"])
def test_the_choice_is_that_of_mclust(name):
    x = load(name)
    theirs = min(found_by_mclust(name), key=lambda one: one[1])
    ours = {k: craton.GaussianMixture(k, n_init=5, tol=1e-6, max_iter=500).fit(x).bic(x)
            for k in range(1, 9)}
    best = min(ours, key=ours.get)
    assert best == theirs[0]
    assert ours[best] <= theirs[1] + 1e-6 * theirs[1]
