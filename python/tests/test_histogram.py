"""Histograms, against NumPy's edges and counts, and what is special in Python."""
import numpy as np
import pytest

import craton

RULES = ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]


def tables():
    random = np.random.default_rng(0)
    return {
        "normal": random.normal(size=1000),
        "few": random.normal(size=7),
        "gamma": random.gamma(0.7, 3, size=500),
        "two": np.concatenate([random.normal(-4, 0.3, 300), random.normal(3, 1, 700)]),
        "whole numbers": random.poisson(4, size=800).astype(float),
        "ties": random.choice([0.0, 0.1, 0.2, 0.3], size=400),
        "mostly one value": np.concatenate([np.zeros(300), random.normal(size=20)]),
        "constant": np.full(50, 3.25),
        "one": np.array([2.0]),
        "offset": 1e9 + random.uniform(size=640),
        "cauchy": np.clip(random.standard_cauchy(size=300), -50, 50),
        "a power of two": np.arange(64.0),
    }


@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("rule", RULES + [1, 5, 64])
@pytest.mark.filterwarnings("ignore:The number of bins estimated")
def test_edges_and_counts_are_numpys(name, rule):
    values = tables()[name]
    counts, edges = np.histogram(values, rule)
    model = craton.Histogram(bins=rule).fit(values[:, None])
    np.testing.assert_array_equal(model.edges_[0], edges)
    np.testing.assert_array_equal(model.counts_[0], counts)
    density, _ = np.histogram(values, rule, density=True)
    middle = (edges[1:] + edges[:-1]) / 2
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.score_samples(middle[:, None]), np.log(density), rtol=1e-12, atol=1e-12)


def test_given_edges_and_ends_are_numpys():
    values = tables()["normal"]
    edges = [-1.5, -1, 0, 0.25, 2]
    model = craton.Histogram(edges=edges).fit(values[:, None])
    np.testing.assert_array_equal(model.counts_[0], np.histogram(values, edges)[0])
    model = craton.Histogram(bins=7, low=-1, high=2.5).fit(values[:, None])
    counts, edges = np.histogram(values, 7, (-1, 2.5))
    np.testing.assert_array_equal(model.edges_[0], edges)
    np.testing.assert_array_equal(model.counts_[0], counts)
    weights = np.random.default_rng(1).uniform(size=1000)
    model = craton.Histogram(bins=7).fit(values[:, None], sample_weight=weights)
    np.testing.assert_allclose(
        model.counts_[0], np.histogram(values, 7, weights=weights)[0], rtol=1e-12
    )


def test_columns_have_bins_of_their_own_and_densities_multiply():
    values = np.stack([tables()["normal"], 5 + 3 * tables()["normal"][::-1]], axis=1)
    both = craton.Histogram(bins="fd").fit(values)
    each = [craton.Histogram(bins="fd").fit(values[:, [j]]) for j in (0, 1)]
    np.testing.assert_allclose(
        both.score_samples(values),
        each[0].score_samples(values[:, [0]]) + each[1].score_samples(values[:, [1]]),
        rtol=1e-12,
    )


def test_frequency_tables_have_values_and_learn_on():
    values = np.array([[3], [5], [5], [6]])
    model = craton.Histogram(bins="values", alpha=1).fit(values)
    assert model.edges_ == [None]
    np.testing.assert_array_equal(model.values_[0], [3, 4, 5, 6])
    np.testing.assert_allclose(np.exp(model.score_samples([[4], [5]])), [1 / 8, 3 / 8])
    model.partial_fit([[2], [2]])
    np.testing.assert_array_equal(model.counts_[0], [2, 1, 0, 2, 1])
    chosen = craton.Histogram().fit(values)
    assert not hasattr(chosen, "partial_fit")
    with pytest.raises(AttributeError, match="edges"):
        chosen.partial_fit(values)
    with pytest.raises(craton.InputError, match="edges"):
        chosen.merge(chosen)
    fixed = craton.Histogram(edges=[0, 4, 9]).partial_fit(values).partial_fit(values)
    np.testing.assert_array_equal(fixed.counts_[0], [2, 6])


def test_samples_are_rows_alone_and_a_classifier_takes_histograms():
    values = tables()["two"][:, None]
    model = craton.Histogram(bins="rice").fit(values)
    drawn = model.sample(100, random_state=2)
    assert drawn.shape == (100, 1)
    assert np.isfinite(model.score_samples(drawn)).all()
    labels = (values[:, 0] > 0).astype(int)
    rule = craton.GenerativeClassifier(density="histogram", settings="alpha=1 bins=20")
    assert rule.fit(values, labels).score(values, labels) > 0.95
