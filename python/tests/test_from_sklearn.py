"""What programs written for scikit-learn bring along: its keywords, words, callables, attributes."""

import inspect
import warnings
from types import SimpleNamespace

import craton
import numpy as np
import pytest
import sklearn.cluster
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.mixture
import sklearn.naive_bayes
import sklearn.neighbors
from craton import _compatibility
from scipy.sparse import csr_matrix
from sklearn.covariance import EmpiricalCovariance, ShrunkCovariance
from sklearn.datasets import load_iris
from sklearn.utils.class_weight import compute_sample_weight

X, Y = load_iris(return_X_y=True)
CODES = np.round(X).astype(int)
PACKAGES = (
    sklearn.cluster,
    sklearn.mixture,
    sklearn.naive_bayes,
    sklearn.discriminant_analysis,
    sklearn.linear_model,
    SimpleNamespace(KernelDensity=sklearn.neighbors.KernelDensity),  # of that package no more
)


def theirs(name):
    return next((getattr(p, name) for p in PACKAGES if hasattr(p, name)), None)


SHARED = [name for name in craton._models.__all__ if theirs(name)]


# cv of RidgeCV: rows are left out one by one, exactly; any other value would have to be refused.
LEFT_OUT = {"RidgeCV": {"cv"}}


@pytest.mark.parametrize("name", SHARED)
def test_every_keyword_of_scikit_learns_class_is_taken(name):
    known = set(inspect.signature(getattr(craton, name)).parameters) | LEFT_OUT.get(name, set())
    missing = set(inspect.signature(theirs(name)).parameters) - known
    assert missing == set()


@pytest.mark.parametrize("name", SHARED)
def test_scikit_learns_defaults_are_taken_silently(name):
    defaults = {p.name: p.default for p in inspect.signature(theirs(name)).parameters.values()}
    for keyword in LEFT_OUT.get(name, ()):
        del defaults[keyword]
    rows = CODES if name == "CategoricalNB" else X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", craton.FitWarning)
        fitted = getattr(craton, name)(**defaults).fit(rows, Y)
    keywords = {k: v for k, v in defaults.items() if k in fitted._keywords}
    own = {k: v for k, v in fitted.get_params().items() if k not in keywords}
    assert getattr(craton, name)(**own).fit(rows, Y).digest_ == fitted.digest_


@pytest.mark.parametrize("name", craton._models.__all__)
def test_every_keyword_stands_with_scikit_learns_default(name):
    keywords = getattr(craton, name)._keywords
    known = inspect.signature(theirs(name)).parameters if theirs(name) else {}
    for keyword, meant in keywords.items():
        if keyword in known:
            assert known[keyword].default == meant.default
        else:
            assert keyword == "class_weight" and meant.default is None


@pytest.mark.parametrize(
    "estimator, said",
    [
        (craton.KMeans(copy_x="no"), "copy_x = 'no' is not allowed"),
        (craton.KMeans(verbose=-1), "verbose = -1"),
        (craton.MiniBatchKMeans(tol=0.1), "max_no_improvement"),
        (craton.MiniBatchKMeans(reassignment_ratio=0.5), "only centres without rows"),
        (craton.MiniBatchKMeans(init_size=0), "init_size = 0"),
        (craton.GaussianMixture(verbose_interval=0), "verbose_interval = 0"),
        (craton.MultinomialNB(force_alpha="yes"), "Give True or False"),
        (craton.MultinomialNB(alpha=-0.1, force_alpha=False), "alpha = -0.1"),
        (craton.MultinomialNB(alpha=[1, 1, 1, -0.1], force_alpha=False), "0 or more"),
        (craton.LinearDiscriminantAnalysis(solver="qr"), "here they are the same"),
        (craton.LinearDiscriminantAnalysis(covariance_estimator=object()), "shrinkage='auto'"),
        (craton.QuadraticDiscriminantAnalysis(solver="lsqr"), "'svd', 'eigen'"),
        (craton.GaussianNB(priors=[0.2, 0.3, 0.5], class_prior=[0.2, 0.3, 0.5]), "both given"),
        (craton.GaussianNB(class_weight="even"), "'balanced'"),
        (craton.GaussianNB(class_weight={7: 2}), "which y does not"),
        (craton.GaussianNB(class_weight={0: -1}), "numbers from 0"),
        (craton.GaussianNB(class_weight={0: 1j}), "numbers from 0"),
    ],
)
def test_what_is_not_taken_is_refused_with_what_to_do(estimator, said):
    with pytest.raises(craton.InputError, match=said):
        estimator.fit(X, Y)


@pytest.mark.parametrize("name", ["GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"])
def test_priors_are_those_of_the_classes(name):
    priors = [0.2, 0.3, 0.5]
    ours = getattr(craton, name)(priors=priors).fit(X, Y)
    assert ours.digest_ == getattr(craton, name)(class_prior=priors).fit(X, Y).digest_
    proba = theirs(name)(priors=priors).fit(X, Y).predict_proba(X)
    assert np.abs(ours.predict_proba(X) - proba).max() < 1e-7


def test_estimators_of_covariances_that_shrinkage_has():
    for made, shrinkage in ((EmpiricalCovariance(), "none"), (ShrunkCovariance(shrinkage=0.3), 0.3)):
        for name in ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"):
            solver = "lsqr" if name.startswith("Linear") else "eigen"
            ours = getattr(craton, name)(covariance_estimator=made).fit(X, Y)
            assert ours.digest_ == getattr(craton, name)(shrinkage=shrinkage).fit(X, Y).digest_
            other = theirs(name)(solver=solver, covariance_estimator=made).fit(X, Y)
            assert np.abs(ours.predict_proba(X) - other.predict_proba(X)).max() < 1e-7
    with pytest.raises(craton.InputError, match="both given"):
        craton.LinearDiscriminantAnalysis(
            shrinkage=0.1, covariance_estimator=EmpiricalCovariance()
        ).fit(X, Y)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_every_solver_gives_what_scikit_learns_gives(solver):
    ours = craton.LinearDiscriminantAnalysis(solver=solver).fit(X, Y)
    proba = theirs("LinearDiscriminantAnalysis")(solver=solver).fit(X, Y).predict_proba(X)
    assert np.abs(ours.predict_proba(X) - proba).max() < 1e-7


@pytest.mark.parametrize("alpha", [0.0, 1e-12, 0.5])
def test_force_alpha_bounds_alpha_below(alpha):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = craton.MultinomialNB(alpha=alpha, force_alpha=False).fit(X, Y)
        other = theirs("MultinomialNB")(alpha=alpha, force_alpha=False).fit(X, Y)
    assert np.allclose(ours.feature_log_prob_, other.feature_log_prob_, rtol=1e-12)


def test_alpha_may_be_one_for_each_column():
    alpha = [0.5, 1.0, 2.0, 0.0]
    ours = craton.MultinomialNB(alpha=alpha).fit(X, Y)
    assert ours.digest_ == craton.MultinomialNB(feature_alpha=alpha).fit(X, Y).digest_
    other = theirs("MultinomialNB")(alpha=alpha).fit(X, Y)
    assert np.allclose(ours.feature_log_prob_, other.feature_log_prob_, rtol=1e-12)
    with pytest.warns(craton.FitWarning, match="alpha too small"):
        craton.MultinomialNB(alpha=alpha, force_alpha=False).fit(X, Y)


@pytest.mark.parametrize("class_weight", [{0: 3.0, 2: 0.5}, "balanced"])
@pytest.mark.parametrize("name", ["GaussianNB", "BernoulliNB", "QuadraticDiscriminantAnalysis"])
def test_class_weight_multiplies_the_weights_of_rows(name, class_weight):
    rows = np.r_[X[:20], X[50:]]
    labels = np.r_[Y[:20], Y[50:]]
    ours = getattr(craton, name)(class_weight=class_weight).fit(rows, labels)
    weights = compute_sample_weight(class_weight, labels)
    plain = getattr(craton, name)().fit(rows, labels, weights)
    assert np.allclose(ours.predict_log_proba(X), plain.predict_log_proba(X), rtol=1e-9)


def test_class_weight_counts_in_partial_fit_too():
    weight = {0: 3.0, 2: 0.5}
    whole = craton.GaussianNB(class_weight=weight).fit(X, Y)
    parts = craton.GaussianNB(class_weight=weight)
    for part in (slice(0, 150, 2), slice(1, 150, 2)):
        parts.partial_fit(X[part], Y[part], classes=[0, 1, 2])
    assert np.allclose(parts.class_count_, whole.class_count_)
    parts.class_weight = "balanced"
    with pytest.raises(craton.InputError, match="does not know what rows are to come"):
        parts.partial_fit(X, Y)


def test_verbose_prints_every_pass(capsys):
    craton.KMeans(3, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines and all(line.startswith("KMeans: pass ") for line in lines)
    craton.GaussianMixture(3, tol=1e-9, verbose=2, verbose_interval=5).fit(X)
    some = capsys.readouterr().out.splitlines()
    assert some and all(int(line.split()[2].rstrip(",")) % 5 == 0 for line in some)
    craton.KMeans(3).fit(X)
    assert capsys.readouterr().out == ""


# ---- k-means


def test_elkan_is_a_word_for_bounds():
    assert craton.KMeans(3, algorithm="elkan").fit(X).digest_ == craton.KMeans(3).fit(X).digest_


@pytest.mark.parametrize("name", ["KMeans", "MiniBatchKMeans"])
def test_init_may_be_a_callable(name):
    seen = []

    def init(rows, n_clusters, random_state):
        seen.append(random_state.randint(1000))
        return rows[[0, 60, 120 - len(seen)]]

    made = getattr(craton, name)
    model = made(3, init=init, random_state=3).fit(X)
    assert model.digest_ == made(3, init=X[[0, 60, 119]], random_state=3).fit(X).digest_
    assert model.init is init and np.array_equal(model.labels_, model.predict(X))
    best = made(3, init=init, n_init=4).fit(X)
    assert len(set(seen)) > 1 and len(seen) == 5
    alone = [made(3, init=X[[0, 60, 120 - k]]).fit(X).inertia_ for k in range(2, 6)]
    assert best.inertia_ == min(alone)
    with pytest.raises(craton.InputError, match=r"shape \(2, 4\)"):
        made(3, init=lambda rows, k, random_state: rows[:2]).fit(X)


def test_many_starts_from_one_that_is_given_are_one_and_said_to_be():
    with pytest.warns(craton.FitWarning, match="one start, not n_init = 5"):
        model = craton.KMeans(3, init=X[[0, 60, 120]], n_init=5).fit(X)
    assert model.digest_ != "" and [n.code for n in model.report_.notes] == ["given-start"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        craton.KMeans(3, init=X[[0, 60, 120]], n_init="auto").fit(X)


def test_compute_labels_spares_them():
    with pytest.raises(AttributeError, match="predict"):
        craton.MiniBatchKMeans(3, compute_labels=False).fit(X).labels_


def test_mini_batches_learn_on():
    first, more = X[::2], X[1::2]
    model = craton.MiniBatchKMeans(3).partial_fit(first)
    centres, weights = model.cluster_centers_, model.cluster_weights_
    labels = model.predict(more)
    assert model.partial_fit(more) is model and np.array_equal(model.labels_, model.predict(more))
    for c in range(3):
        rows = more[labels == c]
        expected = (weights[c] * centres[c] + rows.sum(axis=0)) / (weights[c] + len(rows))
        assert np.allclose(model.cluster_centers_[c], expected, rtol=1e-13)
    assert model.cluster_weights_.sum() == len(X)
    sparse = craton.MiniBatchKMeans(3).partial_fit(csr_matrix(first)).partial_fit(csr_matrix(more))
    assert np.allclose(sparse.cluster_centers_, model.cluster_centers_, rtol=1e-12)
    asked = craton.MiniBatchKMeans(3, init=lambda rows, k, random_state: rows[:k])
    assert asked.partial_fit(first).partial_fit(more).cluster_weights_.sum() == len(X)


# ---- attributes


def test_categories_are_counted_as_there():
    other = theirs("CategoricalNB")().fit(CODES, Y)
    ours = craton.CategoricalNB().fit(CODES, Y)
    assert np.array_equal(ours.n_categories_, other.n_categories_)
    assert all(map(np.array_equal, ours.category_count_, other.category_count_))


@pytest.mark.parametrize("least", [None, 12, [9, 6, 8, 12], np.array([9, 6, 8, 12])])
def test_min_categories_is_a_number_or_one_for_each_column(least):
    other = theirs("CategoricalNB")(min_categories=least).fit(CODES, Y)
    ours = craton.CategoricalNB(min_categories=least).fit(CODES, Y)
    assert np.array_equal(ours.n_categories_, other.n_categories_)
    assert all(map(np.allclose, ours.feature_log_prob_, other.feature_log_prob_))


@pytest.mark.parametrize("least", [[3, 4], [9, 6, 8, -1], [9, 6, 8, 1.5], "many"])
def test_min_categories_are_checked(least):
    with pytest.raises(craton.InputError, match="min_categories"):
        craton.CategoricalNB(min_categories=least).fit(CODES, Y)


def test_min_categories_stay_in_the_file(tmp_path):
    model = craton.CategoricalNB(min_categories=[9, 6, 8, 12]).fit(CODES, Y)
    model.save(tmp_path / "m.craton")
    again = craton.load(tmp_path / "m.craton")
    assert np.array_equal(again.min_categories, [9, 6, 8, 12]) and again.digest_ == model.digest_


def test_feature_all_sums_the_classes():
    other = theirs("ComplementNB")().fit(X, Y)
    assert np.allclose(craton.ComplementNB().fit(X, Y).feature_all_, other.feature_all_)


def test_the_axes_of_each_class_are_there():
    other = theirs("QuadraticDiscriminantAnalysis")().fit(X, Y)
    ours = craton.QuadraticDiscriminantAnalysis().fit(X, Y)
    for k in range(3):
        assert np.allclose(ours.scalings_[k], other.scalings_[k], rtol=1e-8)
        signs = np.sign((ours.rotations_[k] * other.rotations_[k]).sum(axis=0))
        assert np.allclose(ours.rotations_[k] * signs, other.rotations_[k], atol=1e-8)


@pytest.mark.parametrize("shape", ["diag", "spherical"])
def test_so_are_those_of_other_shapes(shape):
    ours = craton.QuadraticDiscriminantAnalysis(covariance_type=shape).fit(X, Y)
    for k in range(3):
        whole = ours.rotations_[k] @ np.diag(ours.scalings_[k]) @ ours.rotations_[k].T
        assert np.allclose(np.diag(whole), ours.covariance_[k])


# ---- the tables themselves


def test_every_word_is_one_that_the_library_does_not_know():
    options = {m["python_name"]: {o["name"]: o for o in m["options"]} for m in craton._craton.models()}
    for name, words in _compatibility.WORDS.items():
        for option, known in words.items():
            assert not set(known) & set(options[name][option]["choices"])
