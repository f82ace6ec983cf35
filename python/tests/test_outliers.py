"""The strangest rows of a table."""

import craton
import numpy as np
import pandas as pd
import pytest

RANDOM = np.random.default_rng(8)
HEIGHT = RANDOM.normal(172, 9, 200)
PEOPLE = pd.DataFrame(
    {
        "sex": np.where(HEIGHT + RANDOM.normal(0, 5, 200) > 172, "M", "F"),
        "height": HEIGHT.round(),
        "weight": (0.9 * HEIGHT - 85 + RANDOM.normal(0, 6, 200)).round(),
    }
)


def test_a_swapped_row_comes_first_with_words_in_the_table():
    people = PEOPLE.copy()
    people.loc[11, ["height", "weight"]] = [57, 166]
    found = craton.outliers(people, n=5)
    assert found.strangest.n_rows == 5
    assert found.strangest["row"][0] == 11
    assert "height 57 (" in found.strangest["because"][0]
    assert found.rows.n_rows == 200 and found.rows["rank"][11] == 1
    assert isinstance(found.model, craton.Mixture)
    assert "by BIC" in found.description and "height 57" in repr(found)


def test_numbers_are_a_gaussian_mixture_and_the_model_can_be_used():
    x = PEOPLE[["height", "weight"]]
    found = craton.outliers(x)
    assert isinstance(found.model, craton.GaussianMixture)
    np.testing.assert_allclose(found.model.score_samples(x), found.rows["log_density"])


def test_what_cannot_stand_out_is_refused():
    with pytest.raises(craton.InputError, match="one value"):
        craton.outliers(np.ones((30, 2)))
    with pytest.raises(craton.InputError):
        craton.outliers(np.empty((0, 2)))
    with pytest.raises(craton.InputError, match="too few"):
        craton.outliers([[1.0], [2.0]])
