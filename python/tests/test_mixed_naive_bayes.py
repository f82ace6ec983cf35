"""Naive Bayes of mixed columns and of categories: others' numbers, tables with words, missing."""

import pathlib
import pickle

import craton
import numpy as np
import pandas as pd
import polars
import pytest
import sklearn.naive_bayes
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

CODES = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
}


@pytest.mark.parametrize("table", CODES)
@pytest.mark.parametrize("options", [{}, {"alpha": 0.01}, {"fit_prior": False}])
def test_categories_are_those_of_scikit_learn(table, options):
    X, y = CODES[table]()
    X = np.floor(X / np.maximum(X.max(0), 1e-9) * 12)
    # None is 0: there scikit-learn keeps room for the codes of rows that it leaves out.
    weights = np.random.RandomState(1).randint(1, 4, size=len(y)) * 0.75
    for sample_weight in (None, weights):
        ours = craton.CategoricalNB(**options).fit(X, y, sample_weight)
        theirs = sklearn.naive_bayes.CategoricalNB(**options).fit(X, y, sample_weight)
        expected = theirs.predict_log_proba(X)
        assert np.abs(ours.predict_log_proba(X) - expected).max() < 1e-10
        assert np.array_equal(ours.predict(X), theirs.predict(X))
        for a, b in zip(ours.feature_log_prob_, theirs.feature_log_prob_):
            assert np.allclose(a, b, 1e-12, 1e-14)
        assert np.allclose(ours.class_count_, theirs.class_count_)


@pytest.mark.parametrize("table", CODES)
def test_one_family_for_all_is_the_class_of_that_name(table):
    X, y = CODES[table]()
    weights = np.random.RandomState(1).randint(1, 4, size=len(y)) * 0.75
    exact = dict(prior_rows=0, var_smoothing=0)
    for sample_weight in (None, weights):
        used = X[:, X.std(0) > 0.5] if table == "digits" else X  # no constant column
        ours = craton.NaiveBayes(family="gaussian", **exact).fit(used, y, sample_weight)
        theirs = sklearn.naive_bayes.GaussianNB(var_smoothing=0)
        with np.errstate(all="ignore"):
            expected = theirs.fit(used, y, sample_weight).predict_log_proba(used)
        fine = np.isfinite(expected).all(1)  # a column is constant in some class of digits
        if table != "digits":
            assert fine.all()
            assert np.abs(ours.predict_log_proba(used) - expected).max() < 1e-9
        binary = (X > np.median(X, 0)).astype(float)
        ours = craton.NaiveBayes(family="bernoulli").fit(binary, y, sample_weight)
        theirs = sklearn.naive_bayes.BernoulliNB().fit(binary, y, sample_weight)
        difference = ours.predict_log_proba(binary) - theirs.predict_log_proba(binary)
        assert np.abs(difference).max() < 1e-10


def test_cuts_of_iris_are_those_of_r():
    # discretization::mdlp(iris)$cutp, as the manual of that package prints them.
    expected = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]
    model = craton.NaiveBayes(family="mdl").fit(*load_iris(return_X_y=True))
    for ours, theirs in zip(model.cuts_, expected):
        assert np.allclose(ours, theirs, 1e-9)
    assert model.families_ == ["buckets"] * 4


def flowers():
    random = np.random.RandomState(0)
    kind = np.array(["rose", "daisy"])[np.arange(300) % 2]
    rose = kind == "rose"
    return pd.DataFrame({
        "colour": np.where(random.rand(300) < np.where(rose, 0.8, 0.2), "red", "white"),
        "height": random.gamma(np.where(rose, 9, 3)),
        "petals": random.poisson(np.where(rose, 5, 20)),
        "wild": random.rand(300) < np.where(rose, 0.2, 0.7),
    }), kind


def test_frames_with_words_numbers_and_truth_values(tmp_path):
    X, y = flowers()
    model = craton.NaiveBayes(family={"height": "gamma"}).fit(X, y)
    assert model.families_[:2] == ["categorical", "gamma"] and model.families_[3] == "bernoulli"
    assert model.score(X, y) > 0.95
    same = [X.astype({"colour": "category"}), X.astype({"colour": "string"})]
    for other in same:
        assert craton.NaiveBayes(family={"height": "gamma"}).fit(other, y).digest_ == model.digest_
    model.save(tmp_path / "m.craton")
    loaded = craton.load(tmp_path / "m.craton")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    # Codes are places among the levels of fit, whatever the new rows have.
    assert np.array_equal(model.predict(X[X.colour == "red"]), model.predict(X)[X.colour == "red"])


def test_a_table_of_objects_and_other_frames():
    X, y = flowers()
    names = craton.NaiveBayes(family={"height": "gamma"}).fit(X, y)
    lists = X.values.tolist()
    model = craton.NaiveBayes(family={1: "gamma"}).fit(lists, y)
    assert np.array_equal(model.predict_proba(lists), names.predict_proba(X))
    assert np.array_equal(model.predict_proba(X.to_numpy(dtype=object)), names.predict_proba(X))
    frame = polars.from_pandas(X)
    assert np.array_equal(names.predict_proba(frame), names.predict_proba(X))
    table = frame.to_arrow()
    assert np.array_equal(names.predict_proba(table), names.predict_proba(X))


def test_missing_and_unseen_values_say_nothing():
    X, y = flowers()
    model = craton.NaiveBayes(family={"height": "gamma", "petals": "poisson"}).fit(X, y)
    holes = X.astype(object)
    holes.loc[::3, "colour"] = None
    holes.loc[1::3, "petals"] = np.nan
    assert np.isfinite(model.predict_proba(holes)).all()
    assert model.score(holes, y) > 0.9
    unseen = X.assign(colour="green")
    assert np.array_equal(model.predict_proba(unseen), model.predict_proba(X.assign(colour=None)))
    learned = craton.NaiveBayes(family={"height": "gamma", "petals": "poisson"}).fit(holes, y)
    rose = X.petals[(y == "rose") & holes.petals.notna()]
    assert np.allclose(learned.estimates_[2][1] * (len(rose) + 1),
                       rose.sum() + holes.petals.astype(float).mean())  # and one row of the column


def test_batches_merging_and_unlearning():
    X, y = flowers()
    options = dict(family={"height": "gamma", "petals": "poisson"})
    whole = craton.NaiveBayes(**options).fit(X, y)
    batches = craton.NaiveBayes(**options)
    for first in range(0, 300, 70):
        batches.partial_fit(X[first : first + 70], y[first : first + 70], classes=np.unique(y))
    for a, b in zip(batches.estimates_, whole.estimates_):
        assert np.allclose(a, b, 1e-12)
    half = craton.NaiveBayes(**options).fit(X[:150], y[:150])
    rest = craton.NaiveBayes(**options).fit(X[150:], y[150:])
    forgotten = craton.NaiveBayes(**options).fit(X, y).unlearn(X[150:], y[150:])
    for a, b in zip(forgotten.estimates_, half.estimates_):
        assert np.allclose(a, b, 1e-9)
    for a, b in zip(half.merge(rest).estimates_, whole.estimates_):
        assert np.allclose(a, b, 1e-12)


def test_samples_look_like_the_rows():
    X, y = flowers()
    model = craton.NaiveBayes(family={"height": "gamma", "petals": "poisson"}).fit(X, y)
    rows, labels = model.sample(4000, random_state=1)
    assert set(labels) == {"rose", "daisy"}
    means = rows[labels == "rose"].mean(0)
    assert abs(means[2] - 5) < 0.5 and abs(means[1] - 9) < 0.8
    assert craton.NaiveBayes().fit(rows, labels).score(rows, labels) > 0.95


@pytest.mark.parametrize("family, words", [
    ({"height": "poisson"}, "row 0.*column 'height'.*outside the support of the poisson family"),
    ({"hight": "gamma"}, "did you mean 'height'"),
    ({"height": "gama"}, "did you mean 'gamma'"),
    ({"colour": "gamma"}, "'colour' has categories"),
])
def test_what_cannot_be(family, words):
    X, y = flowers()
    with pytest.raises(craton.InputError, match=words):
        craton.NaiveBayes(family=family).fit(X, y)


def test_mixed_columns_with_missing_values_are_those_of_r():
    root = pathlib.Path(__file__).resolve().parents[2]
    birds = pd.read_csv(root / "examples/data/birds.csv")
    expected = pd.read_csv(root / "tests/reference/naive_bayes_e1071.csv", comment="#")
    X, y = birds.drop(columns="kind"), birds["kind"]
    model = craton.NaiveBayes(family="gaussian,migrates=bernoulli", prior_rows=0).fit(X, y)
    assert list(model.classes_) == list(expected.columns)
    ours, theirs = model.predict_log_proba(X), expected.to_numpy()
    told = theirs > 1e-300  # beyond that R has 0 and NaN
    assert told.sum() > 600
    assert np.abs(ours[told] - np.log(theirs[told])).max() < 1e-9
    assert (ours[~told] < -690).all()


def test_rows_without_labels_and_honest_probabilities():
    X, y = flowers()
    few = np.where(np.arange(300) < 12, y.astype(object), None)
    options = dict(family={"height": "gamma", "petals": "poisson"})
    model = craton.NaiveBayes(unlabelled="em", **options).fit(X, few)
    trace = model.report_.trace
    assert len(trace) > 2 and (np.diff(trace) > -1e-9).all()
    assert model.score(X, y) > 0.95
    with pytest.raises(craton.InputError, match="needs all rows at once"):
        model.partial_fit(X, y)
    twice = X.assign(again=X.height)
    sure = craton.NaiveBayes(family="gaussian").fit(twice, y)
    honest = craton.NaiveBayes(family="gaussian", calibrate="leave-one-out").fit(twice, y)
    found = honest.leave_one_out_
    assert found["calibrated_log_loss"] < found["log_loss"] and found["accuracy"] > 0.9
    assert np.array_equal(sure.predict(twice), honest.predict(twice))


def test_why_a_row_has_its_label():
    X, y = flowers()
    model = craton.NaiveBayes(family={"height": "gamma", "petals": "poisson"}).fit(X, y)
    why = model.explain(X)
    assert np.array_equal(why.label, model.predict(X)) and (why.label != why.other).all()
    log_p, rows = model.predict_log_proba(X), np.arange(len(X))
    places = [np.searchsorted(model.classes_, labels) for labels in (why.label, why.other)]
    odds = log_p[rows, places[0]] - log_p[rows, places[1]]
    assert np.allclose(why.log_odds.sum(1) + why.prior, odds, 1e-9)


def statistic(of, x):
    """A term of the linear form of a column of numbers or codes."""
    if of.startswith("["):
        return (x == float(of.split("= ")[1].rstrip("]"))).astype(float)
    functions = {
        "{}": lambda v: v,
        "{}^2": np.square,
        "log {}": np.log,
        "(log {})^2": lambda v: np.log(v) ** 2,
        "log(1 - {})": lambda v: np.log1p(-v),
        "cos {}": np.cos,
        "sin {}": np.sin,
    }
    return functions[of](x)


FAMILIES = ["gaussian", "gamma", "lognormal", "exponential", "beta", "von-mises", "poisson"]


@pytest.mark.parametrize("family", [*FAMILIES, "geometric", "bernoulli", "categorical"])
def test_softmax_of_the_linear_form_in_the_statistics_is_the_posterior(family):
    random = np.random.RandomState(3)
    y = np.arange(300) % 3
    X = random.gamma(2 + y, 1 + y, size=(2, 300)).T
    if family == "beta":
        X = X / (1 + X)
    if family in ("poisson", "geometric", "bernoulli", "categorical"):
        X = np.minimum(np.round(X), 1 if family == "bernoulli" else 4)
    model = craton.NaiveBayes(family=family).fit(X, y)
    terms = np.stack([statistic(of, X[:, j]) for j, of in model.linear_terms_], axis=1)
    scores = terms @ model.coef_.T + model.intercept_
    scores -= scores.max(axis=1, keepdims=True)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert np.allclose(p, model.predict_proba(X), 1e-9, 1e-11)


def test_what_has_no_linear_form_says_so():
    X, y = np.random.RandomState(1).normal(size=(60, 1)), np.arange(60) % 2
    with pytest.raises(craton.InputError, match="no exponential family"):
        craton.NaiveBayes(family="laplace").fit(X, y).coef_
