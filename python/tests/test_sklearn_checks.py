"""scikit-learn's own checks of estimators, on every class, with no expected failure and no skip."""

import warnings

import craton
import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

print(f"scikit-learn {sklearn.__version__}")

ESTIMATORS = [getattr(craton, name)() for name in craton._models.__all__] + [
    craton.KMeans(n_clusters=3, init="random", n_init=2),
    craton.GaussianMixture(n_components=2, covariance_type="diag"),
    craton.Density(family="gaussian", criterion="aic"),
    craton.GaussianNB(variance="shared", var_smoothing=1e-6),
    craton.GenerativeClassifier(settings="family=gaussian"),
    craton.Mixture(n_components=2, family="gaussian", assignment="hard"),
    craton.LinearDiscriminantAnalysis(shrinkage="auto"),
    craton.LinearDiscriminantAnalysis(covariance_type="diag", shrinkage=0.1),
    craton.QuadraticDiscriminantAnalysis(shrinkage="oas", pooling=0.5),
    craton.QuadraticDiscriminantAnalysis(covariance_type="diag", shrinkage="auto"),
    craton.QuadraticDiscriminantAnalysis(covariance_type="spherical"),
    craton.LinearRegression(fit_intercept=False),
]

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message=".*does not inherit from")  # that is the point
    checked = parametrize_with_checks(ESTIMATORS)


@pytest.mark.filterwarnings("ignore::craton.FitWarning", "ignore:.*does not inherit from")
@checked
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_scikit_learn_tells_their_kind():
    assert sklearn.base.is_clusterer(craton.KMeans())
    assert sklearn.base.is_classifier(craton.MultinomialNB())
    assert sklearn.base.is_regressor(craton.LinearRegression())
    assert sklearn.utils.get_tags(craton.GaussianMixture()).estimator_type == "density_estimator"


def test_pipelines_and_searches_take_them():
    X = load_iris().data
    pipeline = make_pipeline(StandardScaler(), craton.GaussianMixture(random_state=0))
    grid = {"gaussianmixture__n_components": [1, 2, 3]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(X).shape == (150,)

    features = make_pipeline(craton.KMeans(5), StandardScaler()).set_output(transform="pandas")
    assert list(features.fit_transform(X).columns) == [f"kmeans{j}" for j in range(5)]
