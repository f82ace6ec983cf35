"""The Bayes classifier over densities."""
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import craton


def by_hand(X, y, make):
    """log p(class) + log p(x | class), normalised."""
    classes = np.unique(y)
    joint = np.column_stack([
        np.log(np.mean(y == c)) + make().fit(X[y == c]).score_samples(X) for c in classes])
    return joint - np.logaddexp.reduce(joint, axis=1)[:, None]


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("density, settings, make", [
    ("gmm", "", lambda: craton.GaussianMixture()),
    ("gmm", "n_components=2 covariance_type=diag",
     lambda: craton.GaussianMixture(n_components=2, covariance_type="diag")),
    ("gmm", {"n_components": 2, "covariance_type": "diag"},
     lambda: craton.GaussianMixture(n_components=2, covariance_type="diag")),
    ("mixture", "n_components=2,family=gaussian",
     lambda: craton.Mixture(n_components=2, family="gaussian")),
    ("density", "family=gaussian", lambda: craton.Density(family="gaussian")),
])
def test_the_posterior_is_that_of_the_densities_of_the_classes(load, density, settings, make):
    X, y = load(return_X_y=True)
    model = craton.GenerativeClassifier(density=density, settings=settings).fit(X, y)
    expected = by_hand(X, y, make)
    np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=1e-9, atol=1e-9)
    assert (model.predict(X) == expected.argmax(1)).all()


def test_one_gaussian_for_each_class_is_quadratic_discriminant_analysis():
    from sklearn.covariance import EmpiricalCovariance
    from scipy.stats import multivariate_normal
    X, y = load_iris(return_X_y=True)
    model = craton.GenerativeClassifier("gmm", settings="covariance_floor=0").fit(X, y)
    joint = np.column_stack([
        np.log(1 / 3) + multivariate_normal(
            X[y == c].mean(0), EmpiricalCovariance().fit(X[y == c]).covariance_).logpdf(X)
        for c in range(3)])
    np.testing.assert_allclose(model.score_samples(X), np.logaddexp.reduce(joint, axis=1), rtol=1e-8)


def test_words_missing_values_and_explanations():
    rng = np.random.default_rng(0)
    X = [[rng.choice(["a", "b"]) if i % 2 else "a", float(rng.normal(3 * (i % 2)))]
         for i in range(200)]
    X[3][1] = None
    y = [("no", "yes")[i % 2] for i in range(200)]
    model = craton.GenerativeClassifier(density="mixture").fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.predict([["b", None]]).tolist() == ["yes"]
    rows, labels = model.sample(50)
    assert len(rows) == 50 and set(labels) <= {"no", "yes"}
    explained = model.explain([["b", 3.0]])
    assert explained is not None


def test_what_is_wrong_is_said():
    X, y = load_iris(return_X_y=True)
    for options, words in [({"density": "kmeans"}, "Give one of gmm"),
                           ({"density": "gmmm"}, "Give one of gmm"),
                           ({"settings": "components=3"}, "no option of mixture"),
                           ({"settings": "n_components=0"}, "from 1 to")]:
        with pytest.raises(craton.InputError, match=words):
            craton.GenerativeClassifier(**options).fit(X, y)


def test_the_density_of_each_class_is_there_by_name():
    X, y = load_iris(return_X_y=True)
    model = craton.GenerativeClassifier("gmm", settings="n_components=2").fit(X, y)
    assert model.density_ == "gmm"
    assert len(model.densities_) == 3
    for c, density in enumerate(model.densities_):
        alone = craton.GaussianMixture(n_components=2).fit(X[y == c])
        assert list(density) == ["weights", "means", "covariances"]
        np.testing.assert_array_equal(density["means"], alone.means_)
        np.testing.assert_array_equal(density["covariances"], alone.covariances_)
        assert not density["means"].flags.writeable
