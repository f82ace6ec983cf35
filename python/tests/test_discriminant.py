"""Discriminant analysis: scikit-learn's numbers, shrinkage, axes, learning on, and what is flat."""

import itertools
import pathlib

import craton
import numpy as np
import pytest
import scipy.special
import sklearn.discriminant_analysis as sk
from sklearn.covariance import OAS
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

TABLES = {"iris": load_iris, "wine": load_wine, "digits": load_digits, "cancer": load_breast_cancer}
pytestmark = pytest.mark.filterwarnings("ignore:within classes the rows:craton.FitWarning")


def table(name):
    return TABLES[name](return_X_y=True)


def log_softmax(scores):
    if scores.ndim == 1:
        scores = np.stack([np.zeros_like(scores), scores], axis=1)
    return scipy.special.log_softmax(scores, axis=1)


def gap(ours, theirs, X):
    """The largest difference of log p(label | row), beside the size of the scores."""
    scores = theirs.decision_function(X)
    scale = np.maximum(1, np.abs(scores.reshape(len(X), -1)).max(axis=1, keepdims=True))
    return (np.abs(ours.predict_log_proba(X) - log_softmax(scores)) / scale).max()


LINEAR = {  # ours, theirs
    "svd": ({}, {}),
    "lsqr": ({}, {"solver": "lsqr"}),
    "eigen": ({}, {"solver": "eigen"}),
    "fixed lsqr": ({"shrinkage": 0.3}, {"solver": "lsqr", "shrinkage": 0.3}),
    "fixed eigen": ({"shrinkage": 0.3}, {"solver": "eigen", "shrinkage": 0.3}),
    "auto lsqr": ({"shrinkage": "auto"}, {"solver": "lsqr", "shrinkage": "auto"}),
    "auto eigen": ({"shrinkage": "auto"}, {"solver": "eigen", "shrinkage": "auto"}),
    "oas lsqr": ({"shrinkage": "oas"}, {"solver": "lsqr", "covariance_estimator": OAS()}),
    "oas eigen": ({"shrinkage": "oas"}, {"solver": "eigen", "covariance_estimator": OAS()}),
}


@pytest.mark.parametrize("how", LINEAR)
@pytest.mark.parametrize("name", TABLES)
def test_linear_log_probabilities_are_those_of_scikit_learn(name, how):
    X, y = table(name)
    flat = name == "digits" and how in ("lsqr", "eigen")
    if flat:
        pytest.skip("columns are constant: lsqr leaves them in at random, eigen raises")
    own, other = LINEAR[how]
    if other.get("solver") == "lsqr":  # which loses half the digits where units differ a lot
        X = X / 2 ** np.round(np.log2(np.maximum(X.std(axis=0), 1e-3)))
    ours = craton.LinearDiscriminantAnalysis(**own).fit(X, y)
    theirs = sk.LinearDiscriminantAnalysis(**other).fit(X, y)
    assert gap(ours, theirs, X) < 1e-8
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.allclose(ours.means_, theirs.means_, 1e-12, 0)
    assert np.allclose(ours.priors_, theirs.priors_, 1e-12, 0)
    if hasattr(theirs, "covariance_"):
        scale = np.sqrt(np.outer(np.diag(ours.covariance_), np.diag(ours.covariance_)))
        assert (np.abs(ours.covariance_ - theirs.covariance_) <= 1e-10 * scale).all()


@pytest.mark.parametrize("name", TABLES)
def test_linear_form_and_axes_are_those_of_scikit_learn(name):
    X, y = table(name)
    ours, theirs = craton.LinearDiscriminantAnalysis().fit(X, y), sk.LinearDiscriminantAnalysis()
    theirs.fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape
    size = np.abs(theirs.coef_).max()
    assert np.allclose(ours.coef_, theirs.coef_, 1e-7, 1e-8 * size)
    assert np.allclose(ours.intercept_, theirs.intercept_, 1e-7)
    assert np.allclose(ours.xbar_, theirs.xbar_, 1e-12)
    assert np.allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, 1e-8)
    new, old = ours.transform(X), theirs.transform(X)
    sign = np.sign((new * old).sum(axis=0))  # which way an axis points is anybody's choice
    assert np.allclose(new, old * sign, atol=1e-7 * np.abs(old).max())
    scores = ours.decision_function(X)
    assert np.allclose(scores, theirs.decision_function(X), 1e-6, 1e-6)


def test_fewer_axes_are_the_first_ones():
    X, y = table("wine")
    whole = craton.LinearDiscriminantAnalysis().fit(X, y)
    one = craton.LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    assert np.array_equal(one.transform(X), whole.transform(X)[:, :1])
    assert craton.LinearDiscriminantAnalysis(n_components=None).fit_transform(X, y).shape[1] == 2
    with pytest.raises(craton.InputError, match="3 classes of 13 features have 2 at most"):
        craton.LinearDiscriminantAnalysis(n_components=3).fit(X, y)


QUADRATIC = {
    "svd": ({}, {}),
    "reg_param": ({"reg_param": 0.1}, {"reg_param": 0.1}),
    "fixed": ({"shrinkage": 0.2}, {"solver": "eigen", "shrinkage": 0.2}),
    "auto": ({"shrinkage": "auto"}, {"solver": "eigen", "shrinkage": "auto"}),
    "oas": ({"shrinkage": "oas"}, {"solver": "eigen", "covariance_estimator": OAS()}),
}


@pytest.mark.parametrize("how", QUADRATIC)
@pytest.mark.parametrize("name", TABLES)
def test_quadratic_log_probabilities_are_those_of_scikit_learn(name, how):
    X, y = table(name)
    own, other = QUADRATIC[how]
    ours = craton.QuadraticDiscriminantAnalysis(**own)
    theirs = sk.QuadraticDiscriminantAnalysis(store_covariance=True, tol=0, **other)
    if name == "digits" and how == "svd":
        # scikit-learn divides by what rounding left of 0.
        with pytest.warns(craton.FitWarning, match="the rows of class '4' hardly spread"):
            ours.fit(X, y)
        assert ours.score(X, y) > 0.95
        return
    ours.fit(X, y), theirs.fit(X, y)
    assert gap(ours, theirs, X) < 1e-8
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    scores, expected = ours.decision_function(X), theirs.decision_function(X)
    assert np.allclose(scores, expected, 1e-7, 1e-6)


@pytest.mark.parametrize("kind", ["Linear", "Quadratic"])
def test_priors_may_be_given(kind):
    X, y = table("iris")
    priors = [0.2, 0.5, 0.3]
    ours = getattr(craton, f"{kind}DiscriminantAnalysis")(class_prior=priors).fit(X, y)
    theirs = getattr(sk, f"{kind}DiscriminantAnalysis")(priors=priors).fit(X, y)
    assert gap(ours, theirs, X) < 1e-9
    if kind == "Linear":
        new, old = ours.transform(X), theirs.transform(X)
        assert np.allclose(np.abs(new), np.abs(old), atol=1e-9)


def covariance(X, weights, ddof):
    apart = X - np.average(X, axis=0, weights=weights)
    return (apart * weights[:, None]).T @ apart, weights.sum() - ddof


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("pooling", [0, 0.3, 1])
@pytest.mark.parametrize("gamma", ["none", 0.25])
def test_pooling_and_divisors_are_friedman_s(ddof, pooling, gamma):
    X, y = table("wine")
    weights = np.random.RandomState(0).randint(1, 4, len(y)) * 0.5
    ours = craton.QuadraticDiscriminantAnalysis(ddof=ddof, pooling=pooling, shrinkage=gamma)
    ours.fit(X, y, weights)
    own = [covariance(X[y == c], weights[y == c], ddof) for c in range(3)]
    scatter, divisor = sum(s for s, _ in own), sum(n for _, n in own)
    for c, (s, n) in enumerate(own):
        sigma = ((1 - pooling) * s + pooling * scatter) / ((1 - pooling) * n + pooling * divisor)
        a = 0 if gamma == "none" else gamma
        sigma = (1 - a) * sigma + a * np.trace(sigma) / len(sigma) * np.eye(len(sigma))
        assert np.allclose(ours.covariance_[c], sigma, 1e-9, 1e-12)
    if pooling == 1:
        linear = craton.LinearDiscriminantAnalysis(ddof=ddof, shrinkage=gamma).fit(X, y, weights)
        assert np.allclose(linear.covariance_, ours.covariance_[0], 1e-12)
        assert np.allclose(
            linear.predict_log_proba(X), ours.predict_log_proba(X), 1e-9, 1e-9
        )
        assert np.allclose(linear.score_samples(X), ours.score_samples(X), 1e-9)


@pytest.mark.parametrize("kind", ["Linear", "Quadratic"])
def test_diagonals_and_spheres(kind):
    X, y = table("iris")
    n = np.bincount(y)[:, None]
    var = np.array([X[y == c].var(axis=0) for c in range(3)])
    if kind == "Linear":
        var = (n * var).sum(axis=0, keepdims=True) / n.sum()
    make = getattr(craton, f"{kind}DiscriminantAnalysis")
    diag = make(covariance_type="diag").fit(X, y)
    round_ = make(covariance_type="spherical").fit(X, y)
    assert np.allclose(diag.covariance_, np.squeeze(var), 1e-12)
    assert np.allclose(round_.covariance_, var.mean(axis=1), 1e-12)
    # Both are full covariances of that form, and naive Bayes.
    bayes = craton.GaussianNB(var_smoothing=0, variance="shared" if kind == "Linear" else "own")
    bayes.fit(X, y)
    assert np.allclose(diag.predict_log_proba(X), bayes.predict_log_proba(X), 1e-10, 1e-10)
    half = make(covariance_type="diag", shrinkage=0.5).fit(X, y)
    assert np.allclose(half.covariance_, np.squeeze((var + var.mean(axis=1)[:, None]) / 2), 1e-12)
    for rule in (0.3, "auto", "oas"):  # one variance is its own target
        pulled = make(covariance_type="spherical", shrinkage=rule).fit(X, y)
        assert np.array_equal(pulled.covariance_, round_.covariance_)


@pytest.mark.parametrize("shape", ["full", "diag"])
@pytest.mark.parametrize("shrinkage", ["none", "auto"])
@pytest.mark.parametrize("kind", ["Linear", "Quadratic"])
def test_learning_on_merging_and_unlearning_are_one_fit(kind, shrinkage, shape):
    X, y = table("cancer")

    def make():
        make = getattr(craton, f"{kind}DiscriminantAnalysis")
        return make(shrinkage=shrinkage, covariance_type=shape)

    whole = make().fit(X, y)
    bit = make().partial_fit(X[:100], y[:100], classes=[0, 1])
    for first in range(100, len(y), 67):
        bit.partial_fit(X[first : first + 67], y[first : first + 67])
    merged = make().fit(X[:300], y[:300]).merge(make().fit(X[300:], y[300:]))
    again = X[:50] + X.std(axis=0)
    more = make().fit(np.concatenate([X, again]), np.concatenate([y, y[:50]]))
    more.unlearn(again, y[:50])
    for other in (bit, merged, more):
        assert np.allclose(other.predict_log_proba(X), whole.predict_log_proba(X), 1e-6, 1e-8)
        assert np.allclose(other.covariance_, whole.covariance_, 1e-9, 1e-12)


def test_sums_that_were_not_kept_are_asked_for_by_name():
    X, y = table("iris")
    model = craton.LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(craton.InputError, match="shrinkage = auto needs sums"):
        model.set_params(shrinkage="auto").partial_fit(X, y)
    with pytest.raises(craton.InputError, match="covariance_type = diag or spherical needs sums"):
        model.set_params(shrinkage="none", covariance_type="diag").partial_fit(X, y)
    diag = craton.LinearDiscriminantAnalysis(covariance_type="diag").fit(X, y)
    with pytest.raises(craton.InputError, match="shrinkage = auto needs sums"):
        diag.set_params(shrinkage="auto").partial_fit(X, y)
    diag.set_params(shrinkage="oas").partial_fit(X, y)


def test_an_offset_costs_no_digits():
    X, y = table("iris")
    X = np.round(X * 16)
    for make in (craton.LinearDiscriminantAnalysis, craton.QuadraticDiscriminantAnalysis):
        for shrinkage, shape in itertools.product(("none", "auto"), ("full", "diag")):
            near = make(shrinkage=shrinkage, covariance_type=shape).fit(X, y)
            far = make(shrinkage=shrinkage, covariance_type=shape).fit(X + 1e8, y)
            assert np.array_equal(near.covariance_, far.covariance_) or shrinkage == "auto"
            assert np.allclose(near.covariance_, far.covariance_, 1e-12)
            assert np.allclose(
                near.predict_log_proba(X), far.predict_log_proba(X + 1e8), 1e-5, 1e-5
            )


def test_missing_values_are_for_diagonals():
    X, y = table("iris")
    X = X.copy()
    X[::7, 1] = np.nan
    with pytest.raises(craton.InputError, match="a full covariance needs every value"):
        craton.LinearDiscriminantAnalysis().fit(X, y)
    model = craton.QuadraticDiscriminantAnalysis(covariance_type="diag").fit(X, y)
    bayes = craton.GaussianNB(var_smoothing=0).fit(X, y)
    assert np.allclose(model.predict_log_proba(X), bayes.predict_log_proba(X), 1e-12, 1e-12)


def test_flat_directions_are_named():
    X, y = table("iris")
    double = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(craton.FitWarning, match="spread in 4 of 5 directions"):
        flat = craton.LinearDiscriminantAnalysis().fit(double, y)
    theirs = sk.LinearDiscriminantAnalysis().fit(double, y)
    plain = craton.LinearDiscriminantAnalysis().fit(X, y)
    assert gap(flat, theirs, double) < 1e-8
    assert np.allclose(flat.predict_log_proba(double), plain.predict_log_proba(X), 1e-7, 1e-7)
    with pytest.warns(craton.FitWarning, match="the rows of class '[012]' hardly spread"):
        raised = craton.QuadraticDiscriminantAnalysis().fit(double, y)
    plain = craton.QuadraticDiscriminantAnalysis().fit(X, y)
    assert np.allclose(raised.predict_log_proba(double), plain.predict_log_proba(X), 1e-3, 1e-3)
    few = craton.QuadraticDiscriminantAnalysis(shrinkage="auto").fit(X[::12], y[::12])
    assert np.isfinite(few.predict_log_proba(X)).all()
    more_columns = np.random.RandomState(0).normal(size=(20, 50))
    labels = np.arange(20) % 3
    with pytest.warns(craton.FitWarning, match="spread in 17 of 50 directions"):
        wide = craton.LinearDiscriminantAnalysis().fit(more_columns, labels)
    theirs = sk.LinearDiscriminantAnalysis().fit(more_columns, labels)
    assert gap(wide, theirs, more_columns) < 1e-8


def test_what_features_say_sums_to_the_log_odds():
    X, y = table("wine")
    for make in (craton.LinearDiscriminantAnalysis, craton.QuadraticDiscriminantAnalysis):
        for shape in ("full", "diag"):
            model = make(covariance_type=shape).fit(X, y)
            why = model.explain(X)
            log_p = np.sort(model.predict_log_proba(X), axis=1)
            total = why.prior + why.log_odds.sum(axis=1)
            assert np.allclose(total, log_p[:, -1] - log_p[:, -2], 1e-8, 1e-8)


def test_samples_have_the_moments_of_the_model():
    X, y = table("iris")
    for make in (craton.LinearDiscriminantAnalysis, craton.QuadraticDiscriminantAnalysis):
        model = make().fit(X, y)
        rows, labels = model.sample(200_000, random_state=3)
        again = make().fit(rows, labels)
        assert np.allclose(again.means_, model.means_, atol=0.02)
        assert np.allclose(again.covariance_, model.covariance_, atol=0.01)


def test_files_and_threads(tmp_path):
    X, y = table("wine")
    for make in (craton.LinearDiscriminantAnalysis, craton.QuadraticDiscriminantAnalysis):
        for shape in ("full", "diag", "spherical"):
            model = make(covariance_type=shape).fit(X, y)
            assert make(covariance_type=shape, n_jobs=1).fit(X, y).digest_ == model.digest_
            model.save(tmp_path / "m.craton")
            back = craton.load(tmp_path / "m.craton")
            assert np.array_equal(back.predict_log_proba(X), model.predict_log_proba(X))
            assert back.digest_ == model.digest_
            back.partial_fit(X, y)


def mass():
    """What R's MASS says of iris (tests/reference/discriminant.R), by name."""
    file = pathlib.Path(__file__).resolve().parents[2] / "tests/reference/discriminant_mass.csv"
    lines = [line.split(",") for line in file.read_text().splitlines() if line[0] != "#"]
    return {name: np.array(values, dtype=float) for name, *values in lines}


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("prior", ["shares", "given"])
def test_posteriors_and_axes_are_those_of_mass(ddof, prior):
    X, y = table("iris")
    # R's iris has two values that differ from those of scikit-learn, which are UCI's.
    X = X.copy()
    X[34], X[37] = [4.9, 3.1, 1.5, 0.2], [4.9, 3.6, 1.4, 0.1]
    options = dict(ddof=ddof, class_prior=[0.2, 0.5, 0.3] if prior == "given" else None)
    name = f"{'moment' if ddof else 'mle'} {prior}"
    linear = craton.LinearDiscriminantAnalysis(**options).fit(X, y)
    quadratic = craton.QuadraticDiscriminantAnalysis(**options).fit(X, y)
    expected = mass()
    assert np.allclose(linear.predict_proba(X).ravel(), expected[f"lda {name}"], 1e-9, 1e-11)
    assert np.allclose(quadratic.predict_proba(X).ravel(), expected[f"qda {name}"], 1e-9, 1e-11)
    axes = expected[f"axes {name}"].reshape(4, 2)
    axes *= np.sign((axes * linear.scalings_).sum(axis=0))
    assert np.allclose(linear.scalings_, axes, 1e-8)


def test_boundaries_are_where_classes_are_level():
    X, y = table("iris")
    for make in (craton.LinearDiscriminantAnalysis, craton.QuadraticDiscriminantAnalysis):
        one = make().fit(X[:, 2:3], y)
        assert [len(b.points) for b in one.boundaries()] != [0, 0, 0]
        for b in one.boundaries():
            log_p = one.predict_log_proba(np.array(b.points)[:, None])
            gaps = log_p[:, b.label] - log_p[:, b.other]
            assert np.abs(gaps).max() < 1e-8
        two = make().fit(X[:, 2:], y)
        scores = two.predict_log_proba(X[:, 2:])
        for b in two.boundaries():
            f = np.einsum("ni,ij,nj->n", X[:, 2:], b.quadratic, X[:, 2:])
            f += X[:, 2:] @ b.linear + b.constant
            assert np.allclose(f, scores[:, b.label] - scores[:, b.other], 1e-8, 1e-8)
        with pytest.raises(craton.InputError, match="one or two features"):
            make().fit(X, y).boundaries()
    narrow = craton.GaussianNB(var_smoothing=0).fit([[-1], [1], [-3], [3]], ["a", "a", "b", "b"])
    (b,) = narrow.boundaries()  # variances 1 and 9: log 3 = x^2 (1 - 1 / 9) / 2
    assert (b.label, b.other, b.shape) == ("a", "b", "points")
    assert np.allclose(b.points, np.array([-1, 1]) * np.sqrt(2 * np.log(3) * 9 / 8))
