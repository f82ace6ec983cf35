"""The classes: parameters, reports, keeping models, threads."""

import copy
import doctest
import errno
import pickle
import warnings
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import craton
import numpy as np
import pandas as pd
import polars as pl
import pytest
from new_python import python
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

ROOT = Path(__file__).resolve().parents[2]
X = load_iris().data
MODELS = [
    craton.KMeans(n_clusters=3, random_state=4),
    craton.GaussianMixture(n_components=3, random_state=4),
    craton.GaussianMixture(n_components=2, covariance_type="diag", tol=1e-6),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def fresh(model, **changes):
    return type(model)(**{**model.get_params(), **changes})


def test_import_needs_numpy_only():
    loaded = set(python("import sys, craton; print(*sys.modules)").split())
    assert "numpy" in loaded
    assert not loaded & {"sklearn", "scipy", "pandas", "polars", "pyarrow", "joblib"}


def test_fitting_needs_numpy_only():
    code = """
import sys, craton
model = craton.GaussianMixture().fit([[1, 2], [3, 5], [4, 4], [6, 1.0]])
model.predict([[1, 2]]), model.sample(3), repr(model)
try:
    craton.KMeans().predict([[1, 2]])
except craton.NotFittedError as error:
    assert isinstance(error, ValueError) and isinstance(error, AttributeError)
print(*sys.modules)"""
    assert not set(python(code).split()) & {"sklearn", "scipy", "pandas", "polars", "pyarrow"}


def test_classes_are_what_the_registry_gives():
    script = ROOT / "tools" / "generate_python.py"
    subprocess.run([sys.executable, script, "--check"], check=True, timeout=60)


def test_examples_of_the_docstrings_run():
    for module, least in ((craton._models, 5), (craton._vectorizers, 5), (craton._text_pipeline, 3)):
        result = doctest.testmod(module)
        assert result.attempted > least and result.failed == 0


# ---- parameters


def test_parameters_are_stored_shown_and_set():
    model = craton.KMeans(3, init=X[:3], tol=1e-3)
    assert repr(model) == "KMeans(n_clusters=3, init=array(3, 4), tol=0.001)"
    assert model.set_params(n_clusters=4).get_params()["n_clusters"] == 4
    with pytest.raises(ValueError, match="Invalid parameter 'clusters' for estimator KMeans"):
        model.set_params(clusters=3)
    with pytest.raises(TypeError):
        craton.KMeans(3, "random")


@pytest.mark.parametrize(
    "options, text",
    [
        (dict(n_clusters=0), "n_clusters = 0 is not allowed\n  Give a whole number"),
        (dict(n_clusters=2.0), "n_clusters = 2.0 is not allowed"),
        (dict(n_clusters=10**30), "n_clusters = 1e.30 is not allowed"),
        (dict(n_clusters=None), "n_clusters = None is not allowed"),
        (dict(tol=-1), "tol = -1 is not allowed"),
        (dict(tol=np.nan), "tol = nan is not allowed"),
        (dict(init="kmeans++"), "init = 'kmeans..' is not allowed\n  Give one of 'k-means"),
        (dict(init=object()), "init = .* is not allowed"),
        (dict(init=np.empty((0, 4))), "init = .* is not allowed"),
        (dict(init=X[:2]), "init is an array of 2 x 4, but .* n_clusters = 8 rows and 4 columns"),
        (dict(n_jobs=0), "n_jobs = 0 is not allowed"),
        (dict(n_jobs="all"), "n_jobs = 'all' is not allowed"),
        (dict(n_jobs=10**9), "n_jobs = 1000000000 is not allowed\n.* from 1 to 1024"),
        (dict(n_jobs=2.5), "n_jobs = 2.5 is not allowed"),
        (dict(init=[[10**400] * 4] * 8), "init = .* is not allowed"),
        (dict(random_state=-1), "random_state = -1 is not allowed"),
        (dict(random_state="x"), "random_state = 'x' is not allowed"),
        (dict(random_state=2**63), "random_state = 9.2.*e.18 .*\n.* to 9223372036854775807"),
        (dict(random_state=10**400), "random_state = 1e.300 is not allowed"),
    ],
)
def test_wrong_parameters_are_named(options, text):
    with pytest.raises(craton.InputError, match=text) as error:
        craton.KMeans(**options).fit(X)
    assert error.value.code in ("bad-option", "bad-shape")
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.code, again.place) == (str(error.value), error.value.code, craton.Place())


def test_complex_starts_are_refused():
    with pytest.raises(craton.InputError, match="means_init holds complex numbers") as error:
        craton.GaussianMixture(2, means_init=X[:2] * 1j).fit(X)
    assert error.value.code == "unsupported-data"


def test_choices_that_do_not_exist_name_those_that_do():
    with pytest.raises(craton.InputError, match="Give one of 'full', 'tied', 'diag'"):
        craton.GaussianMixture(covariance_type="round").fit(X)
    with pytest.raises(craton.InputError, match="did you mean 'random_from_data'"):
        craton.GaussianMixture(init_params="random_from_dat").fit(X)


def test_n_init_auto_is_the_default():
    assert craton.KMeans(3, n_init="auto").fit(X).digest_ == craton.KMeans(3).fit(X).digest_


def test_random_state():
    fit = lambda state: craton.KMeans(8, init="random", random_state=state).fit(X).digest_  # noqa: E731
    assert fit(None) == fit(0) == fit(np.int64(0))
    assert fit(0) != fit(1)
    for make in (np.random.RandomState, np.random.default_rng):
        state = make(5)
        assert fit(state) == fit(make(5))
        assert fit(state) != fit(make(5))  # it has moved on


# ---- results


@each_model
def test_threads_do_not_change_a_bit(model):
    table = np.tile(X, (30, 1)) + np.random.default_rng(1).normal(size=(4500, 4))
    fits = [fresh(model, n_jobs=n).fit(table) for n in (1, 2, 3, 7, -1, -2, None)]
    assert len({fit.digest_ for fit in fits}) == 1
    assert len({fit.predict(table).tobytes() for fit in fits}) == 1
    assert len({fit.score(table) for fit in fits}) == 1


@each_model
def test_weights_equal_repeats(model):
    weights = np.random.default_rng(2).integers(0, 4, len(X))
    weighted = fresh(model).fit(X, sample_weight=weights)
    repeated = fresh(model).fit(np.repeat(X, weights, axis=0))
    for name, value in weighted._model.parameters().items():
        expected = repeated._model.parameter(name)
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-9)
    expected = repeated.score(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(weighted.score(X, sample_weight=weights), expected, rtol=1e-9)


@each_model
def test_one_model_serves_many_threads(model):
    table = np.tile(X, (40, 1))
    fitted = fresh(model, n_jobs=2).fit(table)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: fitted.predict(table).tobytes(), range(64)))
    assert set(answers) == {fitted.predict(table).tobytes()}


def test_a_centre_on_every_distinct_row():
    table = np.repeat([[1.0, 3.0], [2.0, 1.0], [3.0, 3.0], [4.1, 1.0]], 4, axis=0)
    weights = np.r_[10, np.ones(15)]
    model = craton.KMeans(4).fit(table, sample_weight=weights)
    assert model.inertia_ < 1e-28
    with pytest.warns(craton.FitWarning, match="4 of 8 clusters have no rows"):
        craton.KMeans(8).fit(table, sample_weight=weights)


@each_model
def test_the_report_says_how_it_went(model):
    fit = fresh(model).fit(X)
    report = fit.report_
    assert report.converged and report.iterations >= 1
    assert fit.n_iter_ == report.iterations
    assert report.trace[-1] == report.objective
    assert (np.diff(report.trace) >= -1e-9).all()
    assert repr(report).startswith(f"<converged after {report.iterations} iteration")


def test_not_converged_is_a_warning_of_both_libraries():
    for kind in (craton.ConvergenceWarning, ConvergenceWarning):
        with pytest.warns(kind, match="GaussianMixture did not converge in max_iter = 2"):
            model = craton.GaussianMixture(3, max_iter=2, tol=0).fit(X)
    assert not model.converged_ and model.n_iter_ == 2


def test_notes_are_warnings():
    table = np.r_[X, np.full((50, 4), 100.0)]
    with pytest.warns(craton.FitWarning, match="component . is flat in one direction, mostly that of '.'"):
        model = craton.GaussianMixture(2).fit(table)
    assert "covariance-floor" in {note.code for note in model.report_.notes}


def test_a_fit_from_its_only_start_says_so_and_does_not_warn(recwarn):
    for kind in (craton.KMeans, craton.MiniBatchKMeans):
        (note,) = kind(3).fit(X).report_.notes
        assert note.code == "one-start" and "n_init" in note.text and not note.warns
        assert not kind(3, n_init=2).fit(X).report_.notes
    assert not [w for w in recwarn if "start" in str(w.message)]


def test_what_is_not_fitted_says_so():
    for kind in (craton.NotFittedError, NotFittedError):
        with pytest.raises(kind, match="This KMeans instance is not fitted yet") as error:
            craton.KMeans().predict(X)
    assert isinstance(pickle.loads(pickle.dumps(error.value)), craton.NotFittedError)
    assert not any(hasattr(craton.KMeans(), name) for name in ("labels_", "inertia_", "n_iter_"))


def test_learned_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        craton.KMeans(3).fit(X).cluster_centers_[0] = 0


def test_transform_gives_the_container_asked_for():
    frame = pd.DataFrame(X, columns=list("abcd"), index=range(10, 160))
    model = craton.KMeans(2).fit(frame)
    names = ["kmeans0", "kmeans1"]
    as_pandas = model.set_output(transform="pandas").transform(frame)
    assert list(as_pandas.columns) == names and list(as_pandas.index) == list(frame.index)
    as_polars = model.set_output(transform="polars").transform(frame)
    assert isinstance(as_polars, pl.DataFrame) and as_polars.columns == names
    assert isinstance(model.set_output(transform="default").transform(frame), np.ndarray)


def test_samples_repeat_unless_a_generator_is_given():
    model = craton.GaussianMixture(3).fit(X)
    rows, labels = model.sample(5)
    assert rows.shape == (5, 4) and labels.dtype == np.int32
    assert (model.sample(5)[0] == rows).all()
    assert (model.sample(5, random_state=1)[0] != rows).any()


@pytest.mark.parametrize("n", [0, -1, 2**63, 10**18, 10**400])
def test_a_number_of_samples_that_is_out_of_range_is_refused(n):
    with pytest.raises(craton.InputError, match=f"n_samples = {n} .*\n.* from 1 to 1099511627776"):
        craton.GaussianMixture(3).fit(X).sample(n)


@pytest.mark.parametrize("n", ["3", None, np.nan, 2.5, 3.0, True])
def test_a_number_of_samples_is_a_whole_number(n):
    for kind in (TypeError, craton.InputError):
        with pytest.raises(kind, match="n_samples = .* is not allowed") as error:
            craton.GaussianMixture(3).fit(X).sample(n)
    assert error.value.code == "bad-option"


def test_more_samples_than_memory_holds_are_refused():
    with pytest.raises(MemoryError, match="do not fit into memory") as error:
        craton.GaussianMixture(3).fit(X).sample(2**40)
    assert isinstance(error.value, craton.InputError) and error.value.code == "out-of-memory"


# ---- keeping


@each_model
@pytest.mark.parametrize("keep", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_a_copy_is_the_same_model(model, keep):
    table = pd.DataFrame(X, columns=list("abcd"))
    fitted = fresh(model).fit(table)
    again = keep(fitted)
    assert again.digest_ == fitted.digest_
    assert again.get_params() == fitted.get_params()
    assert (again.predict(table) == fitted.predict(table)).all()
    assert list(again.feature_names_in_) == list("abcd")
    assert (again.report_.trace == fitted.report_.trace).all()
    if hasattr(fitted, "labels_"):
        assert (again.labels_ == fitted.labels_).all()
    assert not hasattr(keep(fresh(model)), "n_features_in_")


@each_model
def test_a_saved_model_is_loaded(model, tmp_path):
    fitted = fresh(model).fit(X)
    fitted.save(tmp_path / "m.craton")
    again = craton.load(str(tmp_path / "m.craton"))
    assert type(again) is type(model) and again.digest_ == fitted.digest_
    assert (again.predict(X) == fitted.predict(X)).all()
    assert again.score(X) == fitted.score(X)
    assert again.report_.objective == fitted.report_.objective
    assert not hasattr(again, "feature_names_in_")
    assert not hasattr(again, "labels_")
    assert again.fit(X).digest_ == fitted.digest_


def test_files_that_are_no_models_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.craton") as error:
        craton.load(tmp_path / "none.craton")
    assert isinstance(error.value, craton.FileError) and error.value.code == "no-such-file"
    assert error.value.errno == errno.ENOENT
    assert error.value.filename == str(tmp_path / "none.craton")
    assert isinstance(pickle.loads(pickle.dumps(error.value)), FileNotFoundError)
    path = tmp_path / "m.craton"
    path.write_bytes(b"hello")
    with pytest.raises(craton.ModelFileError) as error:
        craton.load(path)
    assert error.value.place.file == str(path)
    craton.KMeans(2).fit(X).save(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(craton.ModelFileError):
        craton.load(path)
    with pytest.raises(OSError):
        craton.KMeans(2).fit(X).save(tmp_path / "no such folder" / "m.craton")


def test_paths_are_text_bytes_or_path_objects(tmp_path):
    model = craton.KMeans(2).fit(X)
    model.save(bytes(tmp_path / "m.craton"))
    assert craton.load(bytes(tmp_path / "m.craton")).digest_ == model.digest_
    for use in (model.save, craton.load):
        with pytest.raises(craton.InputError, match="is not text in UTF-8"):
            use(str(tmp_path / "\udcff"))
        with pytest.raises(TypeError):
            use(3)


def test_nothing_warns_in_an_ordinary_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in MODELS:
            fresh(model).fit(X).predict(X)
