"""Explanations as a reader sees them."""

import pickle

import craton
import numpy as np
import pandas as pd
import scipy.sparse

NAMES = ["fish", "mice", "bones"]
COUNTS = np.array([[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 2]])
KINDS = ["cats", "cats", "dogs", "dogs"]


def explained(counts=COUNTS, rows=1):
    model = craton.MultinomialNB().fit(counts, KINDS)
    return model.explain(counts[:rows] if rows < 4 else counts)


def test_the_loudest_features_have_their_names_and_come_first():
    why = explained(pd.DataFrame(COUNTS, columns=NAMES))
    assert list(why.feature_names) == NAMES
    pairs = why.loudest(0)
    by_hand = 3 * np.log((6 / 9) / (1 / 12)), np.log((2 / 9) / (4 / 12))  # alpha = 1
    assert [name for name, _ in pairs] == ["fish", "bones"]  # mice say nothing
    np.testing.assert_allclose([odds for _, odds in pairs], by_hand, rtol=1e-12)
    assert why.loudest(0, n=1) == pairs[:1]
    assert repr(why) == (
        "<1 row: log-odds of the label against another\n"
        f"  row 0: cats against dogs: prior +0.00, fish {by_hand[0]:+.2f}, bones {by_hand[1]:+.2f}>"
    )


def test_columns_without_names_have_numbers():
    why = explained()
    assert why.feature_names is None and why.loudest(0, n=1)[0][0] == 0
    assert "prior +0.00, column 0 +6.24, column 2 -0.41>" in repr(why)


def test_sparse_rows_are_told_alike():
    assert repr(explained(scipy.sparse.csr_matrix(COUNTS))) == repr(explained())


def test_only_the_first_rows_are_told():
    model = craton.MultinomialNB().fit(COUNTS, KINDS)
    lines = repr(model.explain(np.tile(COUNTS, (5, 1)))).splitlines()
    assert len(lines) == 12 and lines[-1] == "  ... 10 more>"


def test_names_that_a_terminal_would_obey_are_spelt_out():
    text = repr(explained(pd.DataFrame(COUNTS, columns=["\x1b[2J", "b", "c"])))
    assert all(line.isprintable() for line in text.split("\n"))


def test_an_explanation_is_pickled():
    why = explained(pd.DataFrame(COUNTS, columns=NAMES))
    assert repr(pickle.loads(pickle.dumps(why))) == repr(why)
