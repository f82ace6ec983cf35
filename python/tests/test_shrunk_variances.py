"""Diagonal covariances, shrunk: tests/reference/diagonal_shrinkage.py in exact arithmetic."""

import importlib.util
from pathlib import Path

import craton
import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

FILE = Path(__file__).resolve().parents[2] / "tests/reference/diagonal_shrinkage.py"
SPEC = importlib.util.spec_from_file_location("diagonal_shrinkage", FILE)
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)


def few(load, step):
    X, y = load(return_X_y=True)
    return X[::step], y[::step]


def iris():
    return few(load_iris, 6)


def wine():
    X, y = few(load_wine, 5)
    return X / 10.0 ** np.arange(-6, 7), y


def digits():  # some columns are constant in a class
    X, y = few(load_digits, 9)
    return X[y < 3][:, 20:36], y[y < 3]


def heavy():
    random = np.random.RandomState(3)
    return random.standard_t(4, (24, 5)) * [1, 1.2, 0.8, 1.1, 1] + 1000, np.arange(24) % 2


TABLES = {"iris": iris, "wine": wine, "digits": digits, "heavy": heavy}


@pytest.mark.parametrize("rule", ["auto", "oas", 0.25])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", ["Linear", "Quadratic"])
def test_variances_are_those_of_exact_arithmetic(kind, name, rule):
    X, y = TABLES[name]()
    holes = X.copy()
    holes[1::5, 0] = holes[::4, -1] = np.nan
    make = getattr(craton, f"{kind}DiscriminantAnalysis")
    for rows in (X, holes):
        for weights in (np.ones(len(y)), np.arange(len(y)) % 7 / 2):
            for ddof in (0, 1):
                model = make(covariance_type="diag", shrinkage=rule, ddof=ddof, tol=0)
                model.fit(rows, y, weights)
                expected = reference.covariances(
                    rows, y, weights, rule, shared=kind == "Linear", ddof=ddof
                )
                assert np.allclose(model.covariance_, expected, 1e-11, 0)


def amounts(make, X, y, rule):
    """How far the variances were pulled, from the models alone."""
    own = make(covariance_type="diag").fit(X, y).covariance_
    pulled = make(covariance_type="diag", shrinkage=rule).fit(X, y).covariance_
    middle = own.mean(axis=1, keepdims=True)
    return ((own - pulled) * (own - middle)).sum(axis=1) / ((own - middle) ** 2).sum(axis=1)


def test_few_rows_are_pulled_far_and_many_hardly():
    random = np.random.RandomState(0)
    make = craton.QuadraticDiscriminantAnalysis
    for rule in ("auto", "oas"):
        last = np.ones(2)
        for n in (10, 100, 10_000):
            y = np.arange(n) % 2
            X = random.normal(size=(n, 20)) * np.sqrt(np.linspace(1, 4, 20))
            a = amounts(make, X, y, rule)
            assert (a < last).all() and (a > 0).all()
            last = a
        assert (last < 0.01).all()
        alike = random.normal(size=(400, 30))
        assert (amounts(make, alike, np.arange(400) % 2, rule) > 0.5).all()


def test_one_column_is_its_own_target():
    X, y = iris()
    for kind in ("Linear", "Quadratic"):
        make = getattr(craton, f"{kind}DiscriminantAnalysis")
        plain = make(covariance_type="diag").fit(X[:, :1], y)
        for rule in ("auto", "oas", 0.5):
            model = make(covariance_type="diag", shrinkage=rule).fit(X[:, :1], y)
            assert np.allclose(model.covariance_, plain.covariance_, 1e-14)


def test_fourth_powers_that_overflow_are_refused_by_column():
    X, y = iris()
    X = X * [1, 1e100, 1, 1]
    make = craton.LinearDiscriminantAnalysis
    make(covariance_type="diag", shrinkage="oas").fit(X, y)
    with pytest.raises(craton.InputError, match="column 1.*spread so widely"):
        make(covariance_type="diag", shrinkage="auto").fit(X, y)
