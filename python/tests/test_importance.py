"""Permutation importance against scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.inspection import permutation_importance as theirs
from sklearn.model_selection import train_test_split

import craton
from craton.select import cross_validate, permutation_importance

REPEATS = 60


def agree(ours, other):
    """Means of independent shuffles: within five errors of their difference."""
    error = np.sqrt(ours.importances_std**2 + other.importances_std**2) / np.sqrt(REPEATS)
    difference = np.abs(ours.importances_mean - other.importances_mean)
    assert np.all(difference <= 5 * error + 1e-12), (difference, error)
    assert ours.importances.shape == other.importances.shape


@pytest.mark.parametrize(
    "model", [craton.GaussianNB(), craton.LinearDiscriminantAnalysis(), craton.LogisticRegression(), craton.NaiveBayes()]
)
@pytest.mark.parametrize("scoring, name", [("accuracy", "accuracy"), ("log-loss", "neg_log_loss")])
def test_classifiers_as_in_scikit_learn(model, scoring, name):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.c_[X + rng.normal(size=X.shape) * 0.4, rng.normal(size=len(X))]
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=1)
    model.fit(train, y_train)
    ours = permutation_importance(model, test, y_test, scoring=scoring, n_repeats=REPEATS, random_state=4)
    other = theirs(model, test, y_test, scoring=name, n_repeats=REPEATS, random_state=4)
    agree(ours, other)
    assert ours.importances_mean[2] > 2 * abs(ours.importances_mean[4])  # which is noise


def test_numbers_and_densities_as_in_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=1)
    model = craton.LinearRegression().fit(train, y_train)
    agree(
        permutation_importance(model, test, y_test, n_repeats=REPEATS),
        theirs(model, test, y_test, scoring="r2", n_repeats=REPEATS, random_state=0),
    )
    mixture = craton.GaussianMixture(n_components=2).fit(train[:, :3])
    agree(
        permutation_importance(mixture, test[:, :3], n_repeats=REPEATS),
        theirs(mixture, test[:, :3], None, scoring=lambda m, x, _=None: m.score(x), n_repeats=REPEATS, random_state=0),
    )


def test_weights_and_seeds_and_threads():
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(2).uniform(0.5, 2, size=len(y))
    model = craton.GaussianNB(n_jobs=1).fit(X, y)
    one = permutation_importance(model, X, y, sample_weight=weights, random_state=3)
    assert one.baseline == pytest.approx(np.average(model.predict(X) == y, weights=weights))
    many = craton.GaussianNB(n_jobs=7).fit(X, y)
    assert np.array_equal(one.importances, permutation_importance(many, X, y, sample_weight=weights, random_state=3).importances)
    assert not np.array_equal(one.importances, permutation_importance(model, X, y, sample_weight=weights, random_state=4).importances)


def test_columns_of_words_and_texts_are_shuffled_as_wholes():
    rng = np.random.default_rng(1)
    kind = rng.choice(["a", "b", "c"], size=300)
    frame = pd.DataFrame({"noise": rng.normal(size=300), "kind": pd.Categorical(kind)})
    y = np.where(rng.uniform(size=300) < 0.9, kind == "a", kind == "b")
    found = permutation_importance(craton.NaiveBayes().fit(frame, y), frame, y, n_repeats=20)
    assert found.feature_names == ["noise", "kind"]
    assert found.importances_mean[1] > 0.2 > 10 * abs(found.importances_mean[0])
    texts = [("cheap pills " if spam else "our meeting ") + "now" for spam in y]
    pipeline = craton.make_pipeline(craton.CountVectorizer(), craton.MultinomialNB()).fit(texts, y)
    found = permutation_importance(pipeline, texts, y)
    assert found.importances.shape == (1, 5) and found.importances_mean[0] > 0.3


def test_cross_validation_has_them_with_errors():
    X, y = load_iris(return_X_y=True)
    X = np.c_[X, np.random.default_rng(0).normal(size=len(X))]
    plain = cross_validate(craton.GaussianNB(), X, y)
    found = cross_validate(craton.GaussianNB(), X, y, n_shuffles=10)
    assert plain.importance == {} and plain.mean == found.mean
    assert len(found.importance) == len(found.importance_error) == 5
    means, errors = list(found.importance.values()), list(found.importance_error.values())
    assert means[3] > 4 * errors[3] > 0 and abs(means[4]) <= 2 * errors[4]


def test_what_cannot_be():
    X, y = load_iris(return_X_y=True)
    model = craton.GaussianNB().fit(X, y)
    with pytest.raises(craton.InputError, match="n_repeats"):
        permutation_importance(model, X, y, n_repeats=0)
    with pytest.raises(craton.InputError, match="r2 does not fit"):
        permutation_importance(model, X, y, scoring="r2")
    with pytest.raises(TypeError, match="name of one metric"):
        permutation_importance(model, X, y, scoring=["accuracy"])
    with pytest.raises(Exception, match="not fitted"):
        permutation_importance(craton.GaussianNB(), X, y)
