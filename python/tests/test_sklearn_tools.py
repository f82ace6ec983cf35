"""Estimators inside scikit-learn's tools and joblib, each as its users combine them."""

import pickle
import warnings

import craton
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data.to_numpy(), np.array(["setosa", "versicolor", "virginica"])[IRIS.target]
NAMES = craton._models.__all__
CLASSIFIERS = [n for n in NAMES if getattr(craton, n)._estimator_type == "classifier"]
REGRESSORS = [n for n in NAMES if getattr(craton, n)._estimator_type == "regressor"]
OTHERS = [n for n in NAMES if n not in CLASSIFIERS + REGRESSORS]
TRANSFORMERS = [n for n in NAMES if hasattr(getattr(craton, n), "transform")]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", craton.ConvergenceWarning)
        warnings.simplefilter("ignore", craton.FitWarning)
        yield


def rows_for(name):
    return np.round(X) if name in ("CategoricalNB", "PositionalNB") else X


def target_for(name):
    return IRIS.target.to_numpy() + X[:, 0] if name in REGRESSORS else Y


def made(name):
    first = {"KMeans": 3, "MiniBatchKMeans": 3, "GaussianMixture": 3, "Mixture": 3}
    first["Density"] = "gaussian"  # any value is possible
    return getattr(craton, name)(*([first[name]] if name in first else []))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_cross_validation_of_classifiers(name):
    rows = rows_for(name)
    scores = cross_val_score(made(name), rows, Y, cv=3)
    assert scores.shape == (3,) and (scores > 0.3).all()
    labels = cross_val_predict(made(name), rows, Y, cv=3)
    assert np.mean(labels == Y) == pytest.approx(scores.mean(), abs=0.02)
    if not hasattr(made(name), "predict_proba"):
        return
    proba = cross_val_predict(made(name), rows, Y, cv=3, method="predict_proba")
    assert np.allclose(proba.sum(axis=1), 1)


@pytest.mark.parametrize("name", REGRESSORS)
def test_cross_validation_of_regressors(name):
    folds = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(made(name), X, target_for(name), cv=folds)
    assert scores.shape == (3,) and (scores > 0.9).all()
    numbers = cross_val_predict(made(name), X, target_for(name), cv=3)
    assert numbers.shape == (150,)


@pytest.mark.parametrize("name", OTHERS)
def test_cross_validation_without_labels(name):
    result = cross_validate(made(name), X, cv=3, return_train_score=True)
    assert np.isfinite(result["train_score"]).all()
    assert np.isfinite(result["test_score"]).all() or name == "Histogram"  # its density ends


@pytest.mark.parametrize("name", NAMES)
def test_a_pipeline_is_searched_by_several_processes(name):
    scaled = name not in ("CategoricalNB", "PositionalNB")
    pipeline = make_pipeline(*([MinMaxScaler()] if scaled else []), made(name))
    rows = X if scaled else rows_for(name)
    grid = {f"{name.lower()}__n_jobs": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=2).fit(rows, target_for(name))
    assert search.cv_results_["mean_test_score"][0] == search.cv_results_["mean_test_score"][1]


@pytest.mark.parametrize("name", NAMES)
def test_a_clone_has_the_parameters_and_is_not_fitted(name):
    model = made(name).set_params(random_state=7, n_jobs=2)
    model.fit(rows_for(name), target_for(name))
    copy = clone(model)
    assert copy.get_params() == model.get_params() and not copy.__sklearn_is_fitted__()
    assert copy.fit(rows_for(name), target_for(name)).digest_ == model.digest_


@pytest.mark.parametrize("name", NAMES)
def test_joblib_keeps_and_ships_models(name, tmp_path):
    model = made(name).fit(rows_for(name), target_for(name))
    joblib.dump(model, tmp_path / "model.joblib", compress=3)
    assert joblib.load(tmp_path / "model.joblib").digest_ == model.digest_
    fits = joblib.Parallel(n_jobs=2)(
        joblib.delayed(clone(model).fit)(rows_for(name), target_for(name)) for _ in range(2)
    )
    assert {fit.digest_ for fit in fits} == {model.digest_}
    assert pickle.loads(pickle.dumps(fits[0])).digest_ == model.digest_


@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_names_go_in_and_come_out(name, container):
    model = made(name).set_output(transform=container).fit(IRIS.data, Y)
    assert list(model.feature_names_in_) == list(IRIS.data.columns)
    out = model.transform(IRIS.data)
    assert type(out).__module__.startswith(container)
    assert list(out.columns) == list(model.get_feature_names_out())
    assert list(clone(model).fit(IRIS.data, Y).transform(IRIS.data).columns) == list(out.columns)


def test_an_output_that_does_not_exist_is_refused():
    model = craton.KMeans(2).set_output(transform="arrow").fit(X)
    with pytest.raises(ValueError, match="'default', 'pandas' or 'polars', got 'arrow'"):
        model.transform(X)


def test_columns_are_transformed_apart():
    columns = list(IRIS.data.columns)
    both = make_column_transformer(
        (craton.KMeans(2), columns[:2]), (StandardScaler(), columns[2:])
    ).set_output(transform="pandas")
    assert list(both.fit_transform(IRIS.data).columns)[:2] == ["kmeans__kmeans0", "kmeans__kmeans1"]


def test_a_pipeline_of_two_of_ours_with_a_frame():
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(craton.KMeans(6).set_output(transform="pandas"), craton.GaussianNB())
    assert pipeline.fit(frame, Y).score(frame, Y) > 0.8
    assert pipeline.predict(frame).dtype == Y.dtype
