"""Models that go on from what was fitted: partial_fit, warm_start, merge."""

import pickle

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture as SklearnMixture

import craton
from craton import GaussianMixture, InputError, KMeans

rng = np.random.default_rng(0)
CENTRES = np.array([[0.0, 0.0], [6.0, 1.0], [1.0, 7.0]])
X = rng.normal(size=(3000, 2)) * [1, 1.5] + CENTRES[rng.integers(0, 3, 3000)]


def same(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("weights_", "means_", "covariances_")
    )


def test_the_first_partial_fit_is_a_fit():
    assert GaussianMixture(3).partial_fit(X).digest_ == GaussianMixture(3).fit(X).digest_


def test_batches_come_near_to_a_fit_of_all_rows():
    model = GaussianMixture(3)
    for batch in np.array_split(X, 30):
        assert model.partial_fit(batch) is model
    whole = GaussianMixture(3, tol=1e-8, max_iter=1000).fit(X)
    assert whole.score(X) - 0.01 < model.score(X) <= whole.score(X) + 1e-12
    assert model.report_.trace[-1] == model.report_.objective


def test_a_step_of_stepwise_em_is_what_numpy_makes_of_it():
    """One batch, by the formulas of Cappé and Moulines, with responsibilities from scikit-learn."""
    first, batch = X[:1000], X[1000:1400]
    model = GaussianMixture(3, learning_decay=0.6, covariance_floor=0).fit(first)
    judge = SklearnMixture(3)
    judge.weights_, judge.means_ = model.weights_, model.means_
    judge.covariances_, judge.precisions_cholesky_ = model.covariances_, model.precisions_cholesky_

    def statistics(rows):
        r = judge.predict_proba(rows)
        return (
            r.mean(0),
            r.T @ rows / len(rows),
            np.einsum("nk,ni,nj->kij", r, rows, rows) / len(rows),
        )

    eta = (400 / 1400) ** 0.6
    n, s, ss = (
        (1 - eta) * old + eta * new
        for old, new in zip(statistics(first), statistics(batch), strict=True)
    )
    means = s / n[:, None]
    covariances = ss / n[:, None, None] - means[:, :, None] * means[:, None, :]
    model.partial_fit(batch)
    np.testing.assert_allclose(model.weights_, n, rtol=1e-10)
    np.testing.assert_allclose(model.means_, means, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.covariances_, covariances, rtol=1e-8, atol=1e-8)


def test_learning_goes_on_after_a_file_and_a_pickle(tmp_path):
    model = GaussianMixture(3).fit(X[:1000])
    model.save(tmp_path / "m.craton")
    copies = [craton.load(tmp_path / "m.craton"), pickle.loads(pickle.dumps(model))]
    model.partial_fit(X[1000:])
    for copy in copies:
        assert same(copy.partial_fit(X[1000:]), model)
        assert copy.digest_ == model.digest_


def test_a_warm_start_goes_on():
    options = {"n_components": 3, "tol": 0, "init_params": "random_from_data"}
    few = GaussianMixture(max_iter=3, warm_start=True, **options)
    with pytest.warns(craton.ConvergenceWarning):
        few.fit(X)
    with pytest.warns(craton.ConvergenceWarning):
        few.set_params(max_iter=4).fit(X)
    with pytest.warns(craton.ConvergenceWarning):
        many = GaussianMixture(max_iter=7, **options).fit(X)
    assert same(few, many)
    with pytest.warns(craton.ConvergenceWarning):
        cold = GaussianMixture(max_iter=4, **options).fit(X)
    assert not same(few, cold)


def test_models_of_two_halves_merged_are_a_step_of_em():
    start = GaussianMixture(3).fit(X[:100])
    given = {
        "weights_init": start.weights_,
        "means_init": start.means_,
        "precisions_init": start.precisions_,
    }
    step = {"n_components": 3, "tol": 0, **given}
    with pytest.warns(craton.ConvergenceWarning):
        a = GaussianMixture(max_iter=0, **step).fit(X[:1300])
        b = GaussianMixture(max_iter=0, **step).fit(X[1300:])
        whole = GaussianMixture(max_iter=1, **step).fit(X)
    assert a.merge(b) is a
    np.testing.assert_allclose(a.means_, whole.means_, rtol=1e-11)
    np.testing.assert_allclose(a.covariances_, whole.covariances_, rtol=1e-11)
    assert a.report_.objective == pytest.approx(whole.report_.trace[0], rel=1e-14)


def test_what_cannot_be_merged_or_learned_says_why():
    model = GaussianMixture(3).fit(X)
    with pytest.raises(TypeError, match="KMeans cannot be merged into a GaussianMixture"):
        model.merge(KMeans(3).fit(X))
    with pytest.raises(InputError, match="the model to go on from has 3"):
        GaussianMixture(3).fit(X).set_params(n_components=4).partial_fit(X)
    with pytest.raises(InputError, match="1 features"):
        GaussianMixture(3).fit(X).partial_fit(X[:, :1])
    with pytest.raises(InputError, match="warm_start = 1 is not allowed"):
        GaussianMixture(3, warm_start=1).fit(X)
    with pytest.raises(craton.NotFittedError):
        GaussianMixture(3).merge(model)


def test_the_report_has_the_trace_of_every_start():
    report = GaussianMixture(3, n_init=4, init_params="random_from_data").fit(X).report_
    assert len(report.start_traces) == 4
    assert max(trace[-1] for trace in report.start_traces) == report.objective
    assert any(np.array_equal(trace, report.trace) for trace in report.start_traces)
    assert GaussianMixture(3).fit(X).report_.start_traces == ()
    report = KMeans(3, n_init=3).fit(X).report_
    assert max(trace[-1] for trace in report.start_traces) == report.objective
