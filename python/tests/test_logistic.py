"""LogisticRegression beside scikit-learn's, statsmodels, and linear programs."""

import csv
import importlib.util
import itertools
import warnings
from pathlib import Path

import craton
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.special import expit, softmax
from sklearn import datasets, linear_model
from sklearn.preprocessing import StandardScaler

REFERENCE = Path(__file__).resolve().parents[2] / "tests" / "reference"


def load(name):
    spec = importlib.util.spec_from_file_location(name, REFERENCE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expected(case):
    with open(REFERENCE / "logistic.csv", newline="") as file:
        return {row[1]: np.array(row[2:], float) for row in csv.reader(file) if row[0] == case}


def table(name, columns=None):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return (X if columns is None else X[:, columns]), y


def scaled(name):
    X, y = table(name)
    return StandardScaler().fit_transform(X), y


# ---- statsmodels


def test_a_table_of_coefficients_is_that_of_statsmodels():
    X, y = table("breast_cancer", [1, 4, 8, 9, 14])
    theirs = expected("breast cancer")
    model = craton.LogisticRegression(penalty="none").fit(X, y)
    ours = model.tables()["coefficients"]
    close = {"rtol": 1e-8, "atol": 0}
    assert np.allclose(ours["coefficient"], theirs["coefficients"], **close)
    assert np.allclose(ours["error"], theirs["errors"], **close)
    assert np.allclose(ours["z"], theirs["z"], **close)
    assert np.allclose(ours["p"], theirs["p"], rtol=1e-6)
    assert np.allclose(np.c_[ours["from 95%"], ours["to"]].ravel(), theirs["interval"], **close)
    robust = craton.LogisticRegression(penalty="none", errors="robust").fit(X, y)
    assert np.allclose(robust.tables()["coefficients"]["error"], theirs["robust"], **close)
    fit = model.tables()["fit"]
    fit = dict(zip(fit["statistic"], fit["value"]))
    log_likelihood, null, aic, bic, ratio, p = theirs["likelihood"]
    assert np.isclose(fit["log-likelihood"], log_likelihood, **close)
    assert np.isclose(fit["log-likelihood of intercepts alone"], null, **close)
    assert np.isclose(fit["AIC"], aic, **close)
    assert np.isclose(fit["BIC"], bic, **close)
    assert np.isclose(fit["likelihood ratio"], ratio, **close)


def test_softmax_is_the_multinomial_regression_of_statsmodels():
    X, y = table("wine", [1, 2, 4])
    theirs = expected("wine")
    model = craton.LogisticRegression(penalty="none").fit(X, y)
    ours = model.tables()["coefficients"]
    assert np.allclose(ours["coefficient"], theirs["coefficients"], rtol=1e-8, atol=1e-10)
    assert np.allclose(ours["error"], theirs["errors"], rtol=1e-8)
    assert np.isclose(model.likelihood_[0], theirs["likelihood"][0], rtol=1e-10)


# ---- scikit-learn


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [1.0, 0.01, 30.0])
@pytest.mark.parametrize("name", ["breast_cancer", "iris", "wine", "digits"])
def test_penalised_coefficients_are_those_of_scikit_learn(name, C, intercept):
    X, y = scaled(name)
    theirs = linear_model.LogisticRegression(
        C=C, fit_intercept=intercept, solver="newton-cholesky", tol=1e-9, max_iter=300
    ).fit(X, y)
    ours = craton.LogisticRegression(C=C, fit_intercept=intercept).fit(X, y)
    assert ours.report_.converged
    assert ours.coef_.shape == theirs.coef_.shape
    near = 1e-6 if C <= 1 else 5e-5  # their gradient on digits is 7e-7 then, ours 1e-14
    assert np.allclose(ours.coef_, theirs.coef_, rtol=near, atol=near)
    assert np.allclose(ours.intercept_, theirs.intercept_, rtol=near, atol=near)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=near)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), rtol=20 * near, atol=20 * near)


def test_weights_of_rows_and_classes_are_those_of_scikit_learn():
    X, y = scaled("wine")
    weights = np.arange(len(X)) % 4 / 2
    options = {"C": 0.5, "class_weight": "balanced"}
    theirs = linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-9, **options)
    theirs.fit(X, y, sample_weight=weights)
    ours = craton.LogisticRegression(**options).fit(X, y, sample_weight=weights)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("name", ["breast_cancer", "digits"])
def test_sparse_rows_with_weights_and_an_intercept_are_the_dense_ones(name):
    X, y = table(name)
    X = np.where(np.abs(X) < np.median(X), 0, X)
    weights = np.arange(len(X)) % 3
    dense = craton.LogisticRegression(alpha=2.0).fit(X, y, sample_weight=weights)
    sparse = craton.LogisticRegression(alpha=2.0).fit(csr_matrix(X), y, sample_weight=weights)
    assert np.allclose(sparse.coef_, dense.coef_, rtol=1e-7, atol=1e-9)
    assert np.allclose(sparse.predict_log_proba(csr_matrix(X)), dense.predict_log_proba(X), atol=1e-7)


def test_two_classes_have_the_probabilities_of_their_log_odds():
    X, y = scaled("breast_cancer")
    model = craton.LogisticRegression().fit(X, y)
    log_odds = X @ model.coef_[0] + model.intercept_[0]
    assert np.allclose(model.predict_proba(X)[:, 1], expit(log_odds), rtol=1e-10, atol=1e-14)
    # p_k ~ exp(+ x beta_k): a larger score is a larger probability
    assert (np.argsort(log_odds) == np.argsort(model.predict_log_proba(X)[:, 1])).mean() > 0.99


def softmax_of_two(X, y, alpha):
    """Newton's method for both classes' coefficients, the squares of both penalised."""
    Z, q = np.c_[X, np.ones(len(X))], X.shape[1] + 1
    penalty = np.diag(np.tile(np.r_[np.full(q - 1, alpha), 0], 2))
    beta = np.zeros((2, q))
    for _ in range(50):
        p = softmax(Z @ beta.T, axis=1)
        gradient = ((p - np.eye(2)[y]).T @ Z).ravel() + penalty @ beta.ravel()
        blocks = [[(Z * (p[:, a] * ((a == b) - p[:, b]))[:, None]).T @ Z for b in (0, 1)] for a in (0, 1)]
        # a constant added to both intercepts changes nothing: of all steps, the shortest
        step = np.linalg.lstsq(np.block(blocks) + penalty, gradient, rcond=1e-13)[0]
        beta -= step.reshape(2, q)
    return beta


@pytest.mark.parametrize("alpha", [0.1, 1.0, 30.0])
def test_softmax_of_two_classes_is_logistic_with_half_the_penalty(alpha):
    X, y = scaled("breast_cancer")
    beta = softmax_of_two(X, y, alpha)
    assert np.allclose(beta[0], -beta[1], rtol=1e-8, atol=1e-10)
    model = craton.LogisticRegression(alpha=alpha / 2).fit(X, y)
    ours = np.r_[model.coef_[0], model.intercept_]
    assert np.allclose(ours, beta[1] - beta[0], rtol=1e-8, atol=1e-10)
    theirs = softmax(X @ beta[:, :-1].T + beta[:, -1], axis=1)
    assert np.allclose(model.predict_proba(X), theirs, atol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_class_that_is_split_in_two_halves_leaves_the_odds_of_both(alpha):
    X, y = table("breast_cancer", [1, 4, 8, 9, 14])
    # Rows of class 1 are half of class 1 and half of class 2: g_1 = g_2 by symmetry, and with
    # beta = (-2 g, g, g) / 3 the penalty is 2/3 of that of g.
    rows, labels = np.r_[X, X[y == 1]], np.r_[y, np.full((y == 1).sum(), 2)]
    weights = np.where(labels == 0, 1.0, 0.5)
    three = craton.LogisticRegression(alpha=alpha).fit(rows, labels, sample_weight=weights)
    two = craton.LogisticRegression(alpha=alpha * 2 / 3).fit(X, y)
    assert np.allclose(three.odds_coef_, two.odds_coef_, rtol=1e-8)
    assert np.allclose(three.odds_intercept_, two.odds_intercept_ - np.log(2), rtol=1e-8)


def test_many_coefficients_go_another_way_to_the_same_end():
    X, y = datasets.make_classification(
        400, 900, n_informative=30, n_classes=4, random_state=0
    )  # 3 x 901 are written down, 4 classes of 1100 columns are not
    wide = np.c_[X, X[:, :200] ** 2]
    assert wide.shape[1] * 3 > 3000
    theirs = linear_model.LogisticRegression(C=0.1, tol=1e-9, max_iter=5000).fit(wide, y)
    for rows in (wide, csr_matrix(wide)):
        ours = craton.LogisticRegression(C=0.1, max_iter=2000).fit(rows, y)
        assert ours.report_.converged
        assert np.allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_c_is_one_over_alpha_and_not_both_are_taken():
    X, y = scaled("iris")
    a, b = craton.LogisticRegression(C=0.25).fit(X, y), craton.LogisticRegression(alpha=4.0).fit(X, y)
    assert a.digest_ == b.digest_
    free = craton.LogisticRegression(C=np.inf, max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (free.fit(X, y).feature_alpha_ == 0).all()
    for wrong in ({"C": 0.5, "alpha": 3.0}, {"C": 0}, {"C": "x"}, {"l1_ratio": 0.5}):
        with pytest.raises(craton.InputError):
            craton.LogisticRegression(**wrong).fit(X, y)


def test_a_penalty_for_each_column():
    X, y = scaled("wine")
    alphas = np.linspace(0.5, 3, X.shape[1])
    ours = craton.LogisticRegression(alpha=alphas).fit(X, y)
    # the same as columns divided by the root of their alpha, with alpha = 1
    other = craton.LogisticRegression().fit(X / np.sqrt(alphas), y)
    assert np.allclose(ours.coef_, other.coef_ / np.sqrt(alphas), rtol=1e-9, atol=1e-12)


def test_a_laplace_posterior_is_the_inverse_of_the_curvature():
    X, y = scaled("breast_cancer")
    X = X[:, :4]
    model = craton.LogisticRegression(alpha=0.7).fit(X, y)
    design = np.c_[X - model.centre_, np.ones(len(X))]
    p = model.predict_proba(X)[:, 1]
    curvature = (design * (p * (1 - p))[:, None]).T @ design + np.diag([0.7] * 4 + [0])
    assert np.allclose(model.covariance_, np.linalg.inv(curvature), rtol=1e-9)
    assert "posterior" in model.describe()


# ---- separation


def random_tables():
    random = np.random.default_rng(18)
    for number in itertools.count():
        n, d, classes = random.integers(6, 60), random.integers(1, 5), random.integers(2, 4)
        levels = random.integers(2, 5)
        X = random.integers(0, levels, (n, d)).astype(float)
        if number % 3 == 0:
            X += random.normal(size=X.shape)
        y = random.integers(0, classes, n)
        if number % 2:  # rows on either side of planes, and any label for those on them
            scores = np.c_[X, np.ones(n)] @ random.integers(-2, 3, (d + 1, classes))
            top = scores == scores.max(axis=1, keepdims=True)
            y = np.array([random.choice(np.flatnonzero(t)) for t in top])
        y = np.unique(y, return_inverse=True)[1]
        if y.max() > 0:
            yield X, y


@pytest.mark.filterwarnings("ignore::craton.FitWarning", "ignore::craton.ConvergenceWarning")
def test_separation_of_400_tables_is_told_where_a_linear_program_finds_it_and_nowhere_else():
    judge = load("separation")
    seen = {"complete": 0, "partial": 0, None: 0}
    for X, y in itertools.islice(random_tables(), 400):
        classes = int(y.max()) + 1
        verdict = judge.separated(X, y, classes)
        model = craton.LogisticRegression(penalty="none", errors="none").fit(X, y)
        direction = model.separation_
        assert (direction is not None) == (verdict is not None), (X.tolist(), y.tolist(), verdict)
        seen[verdict] += 1
        if direction is None:
            assert model.report_.converged
            continue
        # and the direction is one
        forms = np.c_[np.zeros(len(X)), (X - model.centre_) @ direction[:, :-1].T + direction[:, -1]]
        margins = forms[np.arange(len(X)), y][:, None] - forms
        assert margins.min() >= -1e-5 * margins.max()
        assert margins.max() > 0
        text = next(note.text for note in model.report_.notes if note.code == "separated")
        assert ("in part" in text) == (verdict == "partial")
    assert min(seen.values()) > 60 and 180 < seen[None] < 220, seen


def test_the_columns_of_breast_cancer_separate_it_and_firth_is_finite():
    X, y = scaled("breast_cancer")
    with pytest.warns(craton.FitWarning, match="the classes are separated"):
        model = craton.LogisticRegression(penalty="none").fit(X, y)
    direction = model.separation_[0]
    sides = (X - model.centre_) @ direction[:-1] + direction[-1]
    assert (sides[y == 1] > 0).all() and (sides[y == 0] < 0).all()
    # in the units of the rows too, where the coefficients of large columns are small
    X, y = table("breast_cancer")
    with pytest.warns(craton.FitWarning, match="the classes are separated"):
        model = craton.LogisticRegression(penalty="none").fit(X, y)
    shown = model.tables()["separation"]
    direction = dict(zip(shown["term"], shown["direction"]))
    sides = direction.pop("(at the means)") + sum(
        (X - model.centre_)[:, int(term) - 1] * value for term, value in direction.items()
    )
    assert (sides[y == 1] > 0).all() and (sides[y == 0] < 0).all()
    some = X[:, :8]
    firth = craton.LogisticRegression(penalty="firth").fit(some, y)
    assert firth.report_.converged and np.isfinite(firth.coef_).all()


# ---- models and files


def test_a_model_from_a_file_describes_itself_alike(tmp_path):
    X, y = table("wine", [0, 1])
    model = craton.LogisticRegression(penalty="none", errors="robust").fit(X, y)
    model.save(tmp_path / "m.craton")
    back = craton.load(tmp_path / "m.craton")
    assert back.describe() == model.describe()
    assert np.array_equal(back.covariance_, model.covariance_)


def test_warm_starts_need_no_step():
    X, y = scaled("wine")
    model = craton.LogisticRegression(warm_start=True).fit(X, y)
    first = model.coef_.copy()
    model.fit(X, y)
    assert model.report_.iterations == 0
    assert np.array_equal(model.coef_, first)


@pytest.mark.parametrize("scale", [1e-162, 1e-300, 1e100])
@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_rows_of_any_scale_are_fitted_as_dense_ones(scale, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * (rng.random((40, 3)) < 0.6)
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    plain = craton.LogisticRegression(penalty="none", fit_intercept=intercept)
    expected = plain.fit(X, y).coef_
    for rows in (X * scale, csr_matrix(X * scale)):
        model = craton.LogisticRegression(penalty="none", fit_intercept=intercept).fit(rows, y)
        np.testing.assert_allclose(model.coef_ * scale, expected, rtol=1e-6)


def test_classes_that_are_certain_keep_the_curvature_positive():
    y = np.arange(60) % 3
    X = np.column_stack([y == 0, y == 1, y == 2, y]).astype(float)
    model = craton.LogisticRegression(alpha=1e-300, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1
