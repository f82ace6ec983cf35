"""craton.select.sweep: which setting of a model to take, and why."""

import numpy as np
import pytest

import craton
from craton.select import sweep


@pytest.fixture
def blobs():
    rng = np.random.default_rng(2)
    return np.concatenate([rng.normal(size=(80, 2)) + 8 * np.array([i, i % 2]) for i in range(3)])


def test_the_chosen_estimator_is_that_of_fit(blobs):
    start = craton.GaussianMixture(tol=1e-5, random_state=1)
    found = sweep(start, blobs, n_components=range(1, 6))
    alone = craton.GaussianMixture(3, tol=1e-5, random_state=1, n_init=5).fit(blobs)
    assert found.best_params == {"n_components": 3, "covariance_type": "full", "n_init": 5}
    assert found.best_estimator.digest_ == alone.digest_
    assert repr(found.best_estimator) == repr(alone)
    assert found.table["bic"][2] == pytest.approx(alone.bic(blobs), rel=1e-12)
    assert found.table["aic"][2] == pytest.approx(alone.aic(blobs), rel=1e-12)
    assert found.best == found.table["bic"].argmin() == 2
    assert not start.__sklearn_is_fitted__()


def test_it_prints_a_table_and_why(blobs):
    found = sweep(craton.GaussianMixture(), blobs, n_components=[2, 3])
    assert "<- best" in repr(found).splitlines()[2]
    assert repr(found).endswith(f"best: 3 full: {found.why}")
    assert found.why.startswith("the lowest BIC, ") and "very strong evidence" in found.why
    assert found.why.endswith("more may be better, n_components=range(3, 7)")
    assert found.plot().svg.startswith("<svg") and found._repr_svg_() == found.plot().svg


def test_clusters_have_labels(blobs):
    found = sweep(craton.KMeans(), blobs)
    assert found.criterion == "silhouette" and found.best_params == {"n_clusters": 3, "n_init": 5}
    assert found.table["n_clusters"].tolist() == list(range(2, 11))
    alone = craton.KMeans(3, n_init=5).fit(blobs)
    np.testing.assert_array_equal(found.best_estimator.labels_, alone.labels_)


def test_starts_are_five_unless_they_are_given(blobs):
    def starts(model, **words):
        return sweep(model, blobs, n_clusters=[2], **words).best_estimator.n_init

    assert starts(craton.KMeans()) == 5
    assert starts(craton.KMeans(n_init=2)) == 2
    assert starts(craton.KMeans(), n_init=1) == 1


def test_families_are_compared(blobs):
    found = sweep(craton.Mixture(), np.exp(blobs / 8), n_components=[3], family=["gaussian", "lognormal"])
    assert found.table["family"].tolist() == ["gaussian", "lognormal"]
    assert found.best_params["family"] == "lognormal"


def test_what_rows_do_not_allow_is_left_out(blobs):
    with pytest.warns(craton.FitWarning, match="too few"):
        found = sweep(craton.GaussianMixture(), blobs[:3], n_components=[1, 2, 5])
    assert "5 full" in found.left_out and 5 not in found.table["n_components"]


@pytest.mark.filterwarnings("ignore::craton.FitWarning")
def test_fits_that_did_not_converge_are_told(blobs):
    with pytest.warns(craton.ConvergenceWarning, match="1 of 1 fits"):
        sweep(craton.GaussianMixture(max_iter=1, init_params="random"), blobs, n_components=3)


@pytest.mark.parametrize(
    "model, words, error, message",
    [
        (craton.GaussianMixture(), {"n_components": [0]}, craton.InputError, "n_components = 0 is"),
        (craton.GaussianMixture(), {"n_components": [1.5]}, craton.InputError, "whole numbers from 1"),
        (craton.GaussianMixture(), {"n_components": "3..1"}, craton.InputError, "3..1 is not allowed"),
        (craton.GaussianMixture(), {"n_components": object()}, TypeError, "names no numbers"),
        (craton.GaussianMixture(), {"n_components": []}, TypeError, "names no numbers"),
        (craton.GaussianMixture(), {"criterion": "bci"}, craton.InputError, "Give one of bic, aic"),
        (craton.GaussianMixture(), {"tol": [1]}, TypeError, "does not vary 'tol'"),
        (craton.KMeans(), {"n_clusters": [1]}, craton.InputError, "one cluster has no silhouette"),
        (craton.Density(), {}, craton.InputError, "no number of components"),
        (object(), {}, TypeError, "no estimator of craton"),
    ],
)
def test_what_is_refused(model, words, error, message, blobs):
    with pytest.raises(error, match=message):
        sweep(model, blobs, **words)
