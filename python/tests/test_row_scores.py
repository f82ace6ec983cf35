"""How strange rows are, and why."""

import craton
import numpy as np
import pandas as pd
import pytest

RANDOM = np.random.default_rng(4)
A, B = RANDOM.normal(size=(2, 300))
BODIES = pd.DataFrame({"height": 170 + 10 * A, "weight": 65 + 12 * (0.95 * A + 0.31 * B)})


def test_swapped_values_come_first_with_their_reasons():
    model = craton.GaussianMixture().fit(BODIES)
    swapped = BODIES.copy()
    swapped.iloc[12] = [66.0, 171.0]
    rows = model.score_rows(swapped)
    assert np.argmin(rows["log_density"]) == 12
    assert rows["rank"][12] == 1
    assert rows["tail_probability"][12] == pytest.approx(1 / 10_001)
    assert "height 66 (" in rows["because"][12] and "weight 171 (" in rows["because"][12]
    assert list(np.sort(rows["rank"])) == list(range(1, 301))
    np.testing.assert_array_equal(rows["log_density"], model.score_samples(swapped))


def test_labels_are_those_of_predict():
    y = np.where(A > 0, "tall", "short")
    model = craton.GaussianNB().fit(BODIES, y)
    rows = model.score_rows(BODIES)
    np.testing.assert_array_equal(rows["label"], model.predict(BODIES))
    np.testing.assert_allclose(rows["probability"], model.predict_proba(BODIES).max(axis=1))


def test_numbers_need_the_truth():
    x = BODIES[["height"]]
    y = BODIES["weight"].to_numpy().copy()
    y[7] += 100
    model = craton.LinearRegression().fit(x, y)
    rows = model.score_rows(x, y)
    assert rows["rank"][7] == 1
    np.testing.assert_allclose(rows["residual"], np.abs(y - model.predict(x)))
    with pytest.raises(craton.InputError, match="numbers"):
        model.score_rows(x)
