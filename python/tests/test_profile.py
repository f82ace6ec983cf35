"""What groups are, against pandas."""

import craton
import numpy as np
import pandas as pd
import pytest

RANDOM = np.random.default_rng(9)
KIND = np.array(["ant", "bee", "cow"])[np.arange(240) % 3]
ANIMALS = pd.DataFrame(
    {
        "size": np.select([KIND == "ant", KIND == "bee"], [1, 3], 200) + RANDOM.normal(size=240),
        "noise": RANDOM.normal(size=240),
        "colour": np.where(RANDOM.uniform(size=240) < np.where(KIND == "bee", 0.9, 0.3), "y", "b"),
    }
)
MODEL = craton.NaiveBayes().fit(ANIMALS, KIND)
LABELS = MODEL.predict(ANIMALS)


def test_sizes_means_and_medians_are_those_of_pandas():
    tables = MODEL.profile(ANIMALS)
    assert list(tables) == ["groups", "differences", "means", "medians", "typical"]
    by = ANIMALS.assign(label=LABELS).groupby("label")
    assert list(tables["groups"]["class"]) == ["ant", "bee", "cow"]
    np.testing.assert_array_equal(tables["groups"]["rows"], by.size())
    for column in ("size", "noise"):
        np.testing.assert_allclose(tables["means"][column], by[column].mean())
        np.testing.assert_allclose(tables["means"][f"{column}_std"], by[column].std())
        np.testing.assert_allclose(tables["medians"][column], by[column].median())
    share = (ANIMALS["colour"] == "y")[LABELS == "bee"].mean()
    assert tables["means"]["colour"][1].startswith(f"y {100 * share:.0f}%")


def test_differences_are_hedges_and_olkins():
    table = MODEL.profile(ANIMALS)["differences"].to_frame()
    for _, row in table.iterrows():
        column, _, level = row["column"].partition(" ")
        values = ANIMALS[column] if not level else (ANIMALS[column] == level).astype(float)
        here, rest = values[LABELS == row["class"]], values[LABELS != row["class"]]
        n, m = len(here), len(rest)
        pooled = ((n - 1) * here.var() + (m - 1) * rest.var()) / (n + m - 2)
        d = (here.mean() - rest.mean()) / np.sqrt(pooled)
        assert row["here"] == pytest.approx(here.mean())
        assert row["difference"] == pytest.approx(d)
        assert row["error"] == pytest.approx(np.sqrt((n + m) / (n * m) + d * d / (2 * (n + m))))


def test_groups_are_named_by_what_is_loud_in_them():
    names = dict(zip(*[MODEL.profile(ANIMALS)["groups"][c] for c in ("class", "name")]))
    assert names["cow"].startswith("high size")
    assert "colour y" in names["bee"]


@pytest.mark.parametrize("name", craton._models.__all__)
def test_every_model_that_labels_has_a_profile(name):
    model = getattr(craton, name)()
    rows = np.abs(np.round(RANDOM.normal(3, 2, size=(60, 3))))
    learns = model._estimator_type in ("classifier", "regressor")
    model.fit(rows, np.arange(60) % 2 if learns else None)
    if not hasattr(model, "profile"):
        return
    tables = model.profile(rows)
    assert sum(tables["groups"]["rows"]) == 60
    assert ("typical" in tables) == (name != "NearestCentroid")  # which says no more than labels
