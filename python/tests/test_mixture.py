"""Mixtures of any family: others' numbers, rows with labels, and the bound that EM climbs."""

import pathlib
import pickle

import craton
import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture

BIRDS = pathlib.Path(__file__).resolve().parents[2] / "examples/data/birds.csv"


def em(x, weights, theta, log_p, estimate, steps):
    """EM by its definition; theta is one array of parameters for each component."""
    trace = []
    for _ in range(steps):
        joint = np.log(weights) + np.stack([log_p(x, t).sum(axis=1) for t in theta], axis=1)
        log_density = scipy.special.logsumexp(joint, axis=1)
        trace.append(log_density.mean())
        q = np.exp(joint - log_density[:, None])
        weights = q.mean(axis=0)
        theta = [estimate(x, r) for r in q.T]
    return np.array(trace)


def mean(x, r):
    return r @ x / r.sum()


@pytest.mark.filterwarnings("ignore:.*did not converge")
@pytest.mark.parametrize(
    "family, log_p, draw",
    [
        ("poisson", scipy.stats.poisson.logpmf, lambda r, t: r.poisson(10 * t)),
        ("bernoulli", scipy.stats.bernoulli.logpmf, lambda r, t: r.binomial(1, t)),
        ("exponential", lambda x, m: scipy.stats.expon.logpdf(x, scale=m), lambda r, t: r.exponential(t)),
        ("geometric", lambda x, m: scipy.stats.geom.logpmf(x + 1, 1 / (1 + m)),
         lambda r, t: r.geometric(t) - 1),
    ],
)
def test_every_step_is_that_of_em_by_its_definition(family, log_p, draw):
    r = np.random.default_rng(3)
    theta = r.uniform(0.1, 0.9, size=(3, 5))
    x = draw(r, theta[r.integers(0, 3, 700)]).astype(float)
    plain = dict(family=family, prior_rows=0, alpha=0, tol=0, max_iter=0, init_params="random")
    start = craton.Mixture(3, **plain).fit(x)
    values = np.stack([e[:, 0] for e in start.estimates_], axis=1)
    means = {"poisson": values, "bernoulli": values, "exponential": 1 / values,
             "geometric": 1 / values - 1}[family]
    expected = em(x, start.weights_, list(means), log_p, mean, 30)
    start.set_params(max_iter=29, warm_start=True).fit(x)
    assert np.allclose(start.report_.trace, expected, rtol=0, atol=1e-10)


def test_gaussian_columns_are_a_mixture_of_diagonal_gaussians():
    x = load_wine().data
    theirs = GaussianMixture(3, covariance_type="diag", tol=1e-10, max_iter=2000, reg_covar=0, n_init=5,
                             random_state=0).fit(x)
    ours = craton.Mixture(3, family="gaussian", prior_rows=0, tol=1e-10, max_iter=2000, n_init=5).fit(x)
    assert ours.score(x) > theirs.score(x) - 1e-6


def test_the_report_has_both_terms_of_the_bound():
    x = pd.read_csv(BIRDS).drop(columns="kind")
    report = craton.Mixture(3, tol=1e-8).fit(x).report_
    bound = report.half_steps.sum(axis=1)
    assert (np.diff(bound) > -1e-9).all()
    assert np.allclose(bound[::2][: len(report.trace)], report.trace)


def test_labels_are_learned_from_where_there_are_some():
    birds = pd.read_csv(BIRDS)
    x, kind = birds.drop(columns="kind"), birds["kind"].to_numpy(dtype=object)
    all_seen = craton.Mixture().fit(x, labels=kind)
    assert np.array_equal(all_seen.predict_proba(x), craton.NaiveBayes().fit(x, kind).predict_proba(x))
    assert all_seen.classes_.tolist() == ["rail", "tern", "tit"]
    some = kind.copy()
    some[30:] = None
    model = craton.Mixture().fit(x, labels=some)
    assert (model.predict(x) == kind).mean() > 0.85
    again = pickle.loads(pickle.dumps(model))
    assert again.classes_.tolist() == model.classes_.tolist()
    assert set(model.sample(50)[1]) <= {"rail", "tern", "tit"}
    none = model.fit(x)  # y is not looked at, nor labels of an earlier fit
    assert none.predict(x).dtype.kind == "i" and none.classes_.tolist() == [0]
    assert np.array_equal(none.fit(x, kind).predict(x), none.predict(x))


def test_held_out_accuracy_rises_with_the_labels():
    r = np.random.default_rng(5)
    z = r.integers(0, 3, 3000)
    x = np.column_stack([r.normal(1.3 * z, 1), r.poisson(np.array([3, 5, 8])[z]), r.normal(-z, 1.5)])
    train, test = slice(0, 2000), slice(2000, None)
    family = {0: "gaussian", 1: "poisson", 2: "gaussian"}
    accuracy = []
    for per_class in (1, 5, 50):
        right = []
        for draw in range(8):
            seen = np.concatenate([np.random.default_rng(draw).choice(np.flatnonzero(z[train] == c), per_class)
                                   for c in range(3)])
            labels = np.full(2000, -1)
            labels[seen] = z[seen]
            model = craton.Mixture(family=family).fit(x[train], labels=labels)
            right.append((model.predict(x[test]) == z[test]).mean())
        accuracy.append(np.mean(right))
    assert accuracy == sorted(accuracy), accuracy
    assert accuracy[-1] > accuracy[0] + 0.02


def test_a_model_file_keeps_what_components_stand_for(tmp_path):
    birds = pd.read_csv(BIRDS)
    model = craton.Mixture().fit(birds.drop(columns="kind"), labels=birds["kind"])
    model.save(tmp_path / "m.craton")
    again = craton.load(tmp_path / "m.craton")
    assert again.digest_ == model.digest_
    assert again.predict(birds.drop(columns="kind")).tolist() == model.predict(birds.drop(columns="kind")).tolist()


def test_what_components_stand_for_outlives_a_warm_start():
    birds = pd.read_csv(BIRDS)
    x = birds.drop(columns="kind")
    model = craton.Mixture(3, warm_start=True).fit(x[:60], labels=birds["kind"][:60])
    model.fit(x)
    assert model.classes_.tolist() == ["rail", "tern", "tit"]
    assert (model.predict(x) == birds["kind"]).mean() > 0.85


def test_wrong_labels_are_refused():
    x = [[1.0], [2.0], [3.0]]
    with pytest.raises(ValueError, match="inconsistent"):
        craton.Mixture().fit(x, labels=["a", "b"])
    with pytest.raises(ValueError, match="two classes"):
        craton.Mixture().fit(x, labels=["a", None, None])


def test_an_impossible_row_is_told_of_options_that_there_are():
    X = np.array([[0.25], [0.5], [0.75], [1.0]] * 5)
    model = craton.Mixture(family="uniform", alpha=0, prior_rows=0).fit(X)
    with pytest.raises(craton.InputError, match="row 1 .*impossible under every class") as caught:
        model.score([[0.5], [7]])
    assert "unlabelled" not in str(caught.value)
