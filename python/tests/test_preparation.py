"""fill, scale and unit_rows do what scikit-learn's steps do in a Pipeline, and stay with the model."""

import pickle

import craton
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*variances of 0:craton.FitWarning")

SCALERS = {
    "standard": StandardScaler,
    "robust": RobustScaler,
    "min_max": MinMaxScaler,
    "max_abs": MaxAbsScaler,
}


def table(seed, n=400, d=5):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) ** 3 * 10.0 ** random.integers(-6, 7, d) + random.normal(size=d)
    X[:, 0] = np.round(X[:, 0])  # ties
    X[:, 1] = 4.25  # nothing to scale by
    y = (X[:, 2] > np.median(X[:, 2])).astype(int)
    return X, y


def holes(X, seed):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("fill", ["mean", "median", "most_frequent", 2.5])
def test_is_a_pipeline_of_scikit_learn(fill, scale):
    for seed in range(5):
        X, y = table(seed)
        X = holes(X, seed)
        imputer = (
            SimpleImputer(strategy="constant", fill_value=fill)
            if isinstance(fill, float)
            else SimpleImputer(strategy=fill)
        )
        steps = make_pipeline(imputer, SCALERS[scale]())
        ready = steps.fit_transform(X)
        ours = craton.GaussianNB(fill=fill, scale=scale, var_smoothing=1e-3).fit(X, y)
        theirs = craton.GaussianNB(var_smoothing=1e-3).fit(ready, y)
        np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-9, atol=1e-12)
        new = holes(table(seed + 100)[0], seed + 100)
        np.testing.assert_allclose(
            ours.predict_proba(new), theirs.predict_proba(steps.transform(new)), atol=1e-8
        )
        np.testing.assert_allclose(
            ours.preparation_["fill"], imputer.statistics_.astype(float), rtol=1e-13
        )


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_rows_of_length_one(norm):
    X, y = table(3)
    X[7] = 0
    ours = craton.GaussianNB(unit_rows=norm).fit(X, y)
    theirs = craton.GaussianNB().fit(Normalizer(norm).fit_transform(X), y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-9, atol=1e-14)
    rows = sparse.random(200, 30, 0.2, format="csr", random_state=1)
    dense = craton.KMeans(3, unit_rows=norm, scale="max_abs").fit(rows.toarray())
    as_they_are = craton.KMeans(3, unit_rows=norm, scale="max_abs").fit(rows)
    np.testing.assert_allclose(as_they_are.cluster_centers_, dense.cluster_centers_, atol=1e-14)


def test_missing_values_left_to_the_model_are_not_counted():
    X, y = table(4)
    X = holes(X, 4)
    scaled = craton.NaiveBayes(scale="standard").fit(X, y)
    scaler = StandardScaler().fit(X)
    np.testing.assert_allclose(scaled.preparation_["centre"], scaler.mean_, rtol=1e-12)
    np.testing.assert_allclose(scaled.preparation_["scale"], scaler.scale_, rtol=1e-12)


def test_weights_are_repeats():
    X, y = table(5)
    weights = np.random.default_rng(5).integers(0, 4, len(X)).astype(float)
    copies = np.repeat(np.arange(len(X)), weights.astype(int))
    for scale in SCALERS:
        ours = craton.GaussianNB(scale=scale).fit(X, y, sample_weight=weights)
        theirs = craton.GaussianNB(scale=scale).fit(X[copies], y[copies])
        for name in ours.preparation_:
            np.testing.assert_allclose(ours.preparation_[name], theirs.preparation_[name], rtol=1e-9)
    scaler = StandardScaler().fit(X, sample_weight=weights)
    ours = craton.GaussianNB(scale="standard").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.preparation_["scale"], scaler.scale_, rtol=1e-10)


def test_densities_are_of_the_rows_as_they_are():
    X, _ = table(6)
    X = X[:, [0, 2, 3]]
    plain = craton.GaussianMixture(1).fit(X)
    scaled = craton.GaussianMixture(1, scale="standard").fit(X)
    np.testing.assert_allclose(scaled.score_samples(X), plain.score_samples(X), rtol=1e-9)
    assert scaled.bic(X) == pytest.approx(plain.bic(X), rel=1e-9)
    assert scaled.report_.objective == pytest.approx(scaled.score(X), rel=1e-9)
    drawn, _ = scaled.sample(5000)
    np.testing.assert_allclose(drawn.std(axis=0), X.std(axis=0), rtol=0.1)


def test_stays_with_the_model(tmp_path):
    X, y = table(7)
    X = holes(X, 7)
    model = craton.LinearDiscriminantAnalysis(fill="median", scale="robust").fit(X[:, 2:], y)
    model.save(tmp_path / "m.craton")
    for again in (craton.load(tmp_path / "m.craton"), pickle.loads(pickle.dumps(model))):
        assert again.digest_ == model.digest_
        assert (again.fill, again.scale) == ("median", "robust")
        np.testing.assert_array_equal(again.predict_proba(X[:, 2:]), model.predict_proba(X[:, 2:]))
    one = X[:1, 2:].copy()
    np.testing.assert_array_equal(model.predict(one), model.predict(X[:, 2:])[:1])
    assert model.preparation_.keys() == {"fill", "centre", "scale"}
    assert clone(model).get_params() == model.get_params()


def test_linear_forms_are_of_the_rows_as_they_are():
    X, y = table(8)
    X = X[:, 2:]
    model = craton.LinearDiscriminantAnalysis(scale="standard").fit(X, y)
    scores = X @ model.coef_.T + model.intercept_
    odds = model.predict_log_proba(X)
    expected = odds[:, 1] - odds[:, 0]
    np.testing.assert_allclose(scores.ravel(), expected, rtol=1e-6, atol=1e-6)


def test_clusters_are_judged_where_they_were_found():
    from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

    X, _ = table(12)
    ours = {"silhouette": silhouette_score, "calinski-harabasz": calinski_harabasz_score}
    ours["davies-bouldin"] = davies_bouldin_score
    train, test = np.arange(200), np.arange(200, len(X))
    model = craton.KMeans(3, scale="standard")
    found = craton.select.cross_validate(model, X, cv=[(train, test)], scoring=list(ours))
    labels = model.fit(X[train]).predict(X[test])
    seen = StandardScaler().fit(X[train]).transform(X[test])
    for name, theirs in ours.items():
        expected = theirs(seen, labels)
        assert found.values[name][0] == pytest.approx(expected, rel=1e-9)


def test_can_be_searched():
    X, y = table(9)
    search = GridSearchCV(
        craton.GaussianNB(), {"scale": ["none", "standard"], "fill": ["mean", 0.0]}, cv=3
    ).fit(holes(X, 9), y)
    assert search.best_score_ > 0.5


def test_none_is_none():
    X, _ = table(10)
    plain = craton.KMeans(2).fit(X)
    assert craton.KMeans(2, fill=None, scale=None, unit_rows=None).fit(X).digest_ == plain.digest_
    assert plain.preparation_ == {}


def test_says_what_is_wrong():
    X, y = table(11)
    with pytest.raises(ValueError, match="standard"):
        craton.KMeans(2, scale="standrad").fit(X)
    with pytest.raises(ValueError, match="fill = median"):
        craton.KMeans(2).fit(holes(X, 1))
    X[:, 3] = np.nan
    with pytest.raises(ValueError, match="no row has a value here"):
        craton.KMeans(2, fill="mean").fit(X)
    with pytest.raises(ValueError, match="max_abs"):
        craton.KMeans(2, scale="standard").fit(sparse.csr_array(np.eye(4)))
    model = craton.GaussianNB(scale="standard").fit(table(1)[0], y)
    model.set_params(scale="robust")
    with pytest.raises(ValueError, match="another way"):
        model.partial_fit(table(1)[0], y)
