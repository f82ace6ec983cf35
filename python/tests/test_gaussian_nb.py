"""Gaussian naive Bayes: scikit-learn's numbers, exact moments, missing values, and its linear form."""

from fractions import Fraction

import craton
import numpy as np
import pytest
import scipy.sparse
import scipy.special
import sklearn.naive_bayes
from nist import nist_table
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

TABLES = {"iris": load_iris, "wine": load_wine, "digits": load_digits, "cancer": load_breast_cancer}
pytestmark = pytest.mark.filterwarnings("ignore:.*of 0 became:craton.FitWarning")


def weighted_variance(X, weights):
    mean = np.average(X, axis=0, weights=weights)
    return np.average((X - mean) ** 2, axis=0, weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_log_probabilities_are_those_of_scikit_learn(table, weighted):
    X, y = TABLES[table](return_X_y=True)
    weights = np.random.RandomState(1).randint(1, 4, size=len(y)) * 0.75 if weighted else None
    # scikit-learn takes the share of the largest variance without weights.
    ratio = weighted_variance(X, weights).max() / X.var(axis=0).max()
    for smoothing, options in [(1e-9, {}), (1e-3, {}), (1e-9, {"fit_prior": False})]:
        ours = craton.GaussianNB(var_smoothing=smoothing, **options).fit(X, y, weights)
        classes = len(ours.classes_)
        priors = np.full(classes, 1 / classes) if options else None
        theirs = sklearn.naive_bayes.GaussianNB(var_smoothing=smoothing * ratio, priors=priors)
        theirs.fit(X, y, weights)
        scale = np.maximum(1, np.abs(theirs.predict_joint_log_proba(X)).max(1, keepdims=True))
        gap = ours.predict_log_proba(X) - theirs.predict_log_proba(X)
        assert np.abs(gap / scale).max() < 1e-9
        assert np.array_equal(ours.predict(X), theirs.predict(X))
        for attribute in ("theta_", "var_", "class_prior_", "class_count_", "epsilon_"):
            assert np.allclose(getattr(ours, attribute), getattr(theirs, attribute), 1e-12, 0)
        assert np.allclose(
            ours.score_samples(X),
            scipy.special.logsumexp(theirs.predict_joint_log_proba(X), axis=1),
            rtol=1e-9,
        )


def test_predictions_do_not_depend_on_an_offset():
    X, y = load_iris(return_X_y=True)
    X = np.round(X * 16)  # so that X + 1e8 holds the same differences
    near = craton.GaussianNB().fit(X, y)
    far = craton.GaussianNB().fit(X + 1e8, y)
    assert np.array_equal(near.var_, far.var_)
    gap = near.predict_log_proba(X) - far.predict_log_proba(X + 1e8)
    assert np.abs(gap).max() < 1e-4  # the means themselves are rounded to 1e-8
    assert np.array_equal(near.predict(X), far.predict(X + 1e8))


def exact_moments(values):
    values = [Fraction(v) for v in values]
    mean = sum(values) / len(values)
    return mean, sum((v - mean) ** 2 for v in values) / len(values)


# Digits of the certified F that exact arithmetic on the doubles reaches: the decimals are rounded.
ATTAINABLE = {"AtmWtAg": 10.1, "SmLs04": 10.1, "SmLs07": 4.1}


@pytest.mark.parametrize("name", ATTAINABLE)
def test_class_means_and_variances_of_nist_are_exact(name):
    rows, certified = nist_table(name)
    x, y = rows[:, 1], rows[:, 0]
    model = craton.GaussianNB(var_smoothing=0).fit(x[:, None], y)
    for c, label in enumerate(model.classes_):
        mean, variance = exact_moments(x[y == label])
        assert abs(model.theta_[c, 0] - float(mean)) <= np.spacing(float(mean))
        assert abs(model.var_[c, 0] - float(variance)) <= 2e-15 * float(variance)
    all_rows = craton.GaussianNB(var_smoothing=0).fit(x[:, None], np.zeros(len(x)))
    within = (model.class_count_ * model.var_[:, 0]).sum()
    between = len(x) * all_rows.var_[0, 0] - within
    groups = len(model.classes_)
    f = between / (groups - 1) / (within / (len(x) - groups))
    assert abs(f - certified) <= certified * 10 ** -ATTAINABLE[name]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_equal_dense_ones(dtype):
    random = np.random.RandomState(0)
    X = (random.poisson(0.3, size=(500, 40)) * random.uniform(1, 3, size=(500, 40))).astype(dtype)
    X[:, 3] = 1e8 + random.normal(size=500)  # full, and far from 0
    y = random.randint(4, size=500)
    weights = random.uniform(size=500)
    sparse = scipy.sparse.csr_matrix(X)
    a, b = (craton.GaussianNB().fit(rows, y, weights) for rows in (X, sparse))
    assert np.allclose(a.var_, b.var_, 1e-11, 0) and np.allclose(a.theta_, b.theta_, 1e-12, 1e-15)
    scale = np.abs(a.predict_log_proba(X)).max()
    assert np.abs(a.predict_log_proba(X) - a.predict_log_proba(sparse)).max() < 1e-12 * scale
    missing = X.copy()
    missing[random.uniform(size=X.shape) < 0.1] = np.nan
    gone = scipy.sparse.csr_matrix(missing)
    assert np.isnan(gone.data).any()
    c, d = (craton.GaussianNB().fit(rows, y, weights) for rows in (missing, gone))
    assert np.allclose(c.var_, d.var_, 1e-11, 0) and np.allclose(c.theta_, d.theta_, 1e-12, 1e-15)
    assert np.allclose(c.predict_log_proba(missing), c.predict_log_proba(gone), 1e-11, 1e-11)


def test_float_and_double_of_the_same_values_give_one_digest():
    X, y = load_digits(return_X_y=True)
    assert craton.GaussianNB().fit(X.astype("f"), y).digest_ == craton.GaussianNB().fit(X, y).digest_


def test_missing_values_are_left_out():
    X, y = load_iris(return_X_y=True)
    gone = np.random.RandomState(0).uniform(size=X.shape) < 0.2
    X[gone] = np.nan
    model = craton.GaussianNB(var_smoothing=0).fit(X, y)
    for c in range(3):
        assert np.allclose(model.theta_[c], np.nanmean(X[y == c], axis=0), 1e-13)
        assert np.allclose(model.var_[c], np.nanvar(X[y == c], axis=0), 1e-12)
    z = -0.5 * (np.log(2 * np.pi * model.var_) + (X[:, None] - model.theta_) ** 2 / model.var_)
    joint = np.log(model.class_prior_) + np.nansum(z, axis=2)
    expected = joint - scipy.special.logsumexp(joint, axis=1, keepdims=True)
    assert np.allclose(model.predict_log_proba(X), expected, 1e-11, 1e-11)
    nothing = model.predict_proba(np.full((1, 4), np.nan))
    assert np.allclose(nothing, model.class_prior_)
    with pytest.raises(craton.InputError, match="all are missing"):
        craton.GaussianNB().fit([[1, np.nan], [2, np.nan]], [0, 1])


@pytest.mark.parametrize("options", [{"variance": "shared"}, {"variance": "given"}])
def test_shared_variances_are_a_linear_classifier(options):
    X, y = load_wine(return_X_y=True)
    if options["variance"] == "given":
        options = {**options, "given_variance": X.var(axis=0)}
    model = craton.GaussianNB(**options).fit(X, y)
    linear = X @ model.coef_.T + model.intercept_
    assert np.allclose(model.predict_proba(X), scipy.special.softmax(linear, axis=1), 1e-9, 1e-12)
    pooled = sum((y == c).mean() * X[y == c].var(axis=0) for c in range(3)) + model.epsilon_
    expected = options.get("given_variance", pooled)
    assert np.allclose(model.var_, np.broadcast_to(expected, (3, 13)), 1e-12)
    with pytest.raises(AttributeError, match="linear form"):
        craton.GaussianNB().fit(X, y).coef_


def test_batches_merging_and_unlearning_of_integers_are_exact():
    X, y = load_digits(return_X_y=True)
    whole = craton.GaussianNB().fit(X, y)
    batches = craton.GaussianNB()
    for first in range(0, len(y), 200):
        batches.partial_fit(X[first : first + 200], y[first : first + 200], classes=range(10))
    assert batches.digest_ == whole.digest_
    left, right = craton.GaussianNB().fit(X[:900], y[:900]), craton.GaussianNB().fit(X[900:], y[900:])
    assert left.merge(right).digest_ == whole.digest_
    assert batches.unlearn(X[900:], y[900:]).digest_ == craton.GaussianNB().fit(X[:900], y[:900]).digest_
    with pytest.raises(craton.InputError, match="has not seen all of these rows"):
        batches.unlearn(X, y)


def test_smoothing_does_not_depend_on_batches():
    """scikit-learn takes the largest variance of the last batch."""
    X, y = load_wine(return_X_y=True)
    batches = craton.GaussianNB(var_smoothing=1e-2)
    for first in range(5):
        batches.partial_fit(X[first::5], y[first::5], classes=[0, 1, 2])
    assert batches.epsilon_ == pytest.approx(1e-2 * X.var(axis=0).max(), rel=1e-12)


def test_samples_have_their_labels():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = craton.GaussianNB().fit(X, names)
    drawn, labels = model.sample(3000, random_state=1)
    assert set(labels) == set(names)
    again = craton.GaussianNB().fit(drawn, labels)
    assert np.abs(again.theta_ - model.theta_).max() < 0.1


def test_what_has_no_variance_is_said():
    X, y = np.array([[1.0, 5], [2, 6], [3, 5], [4, 4]]), ["a", "a", "a", "b"]
    with pytest.warns(craton.FitWarning, match="rows of class 'b' are all alike"):
        model = craton.GaussianNB().fit(X, y)
    assert np.isfinite(model.predict_log_proba(X)).all()
    with pytest.raises(craton.InputError, match="class 'b'") as caught:
        craton.GaussianNB(var_smoothing=0).fit(X, y)
    assert caught.value.code == "no-spread"
    with pytest.raises(craton.InputError, match="given_variance is not"):
        craton.GaussianNB(variance="given").fit(X, y)
    with pytest.raises(craton.InputError, match="3 values for 2 features"):
        craton.GaussianNB(variance="given", given_variance=[1, 2, 3]).fit(X, y)
    with pytest.raises(craton.InputError, match="so far from all"):
        model.predict([[1e300, 0]])
