"""From one start mixtures find groups that anyone sees, along an axis above all: standard deviations and whitening shrink it."""
import pathlib
import sys

import numpy as np
import pytest

import craton

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests" / "reference"))
from shapes import shapes  # noqa: E402

KS = (3, 4, 6, 8)


def along_an_axis(k, gap, table):
    return np.concatenate([np.random.default_rng([table, i]).normal([gap * i, 0], 1, (300, 2)) for i in range(k)])


def found(model, x, k):
    """Whether each group has a component to itself."""
    labels = model.predict(x).reshape(k, 300)
    most = [np.bincount(row, minlength=k) for row in labels]
    return len({int(m.argmax()) for m in most}) == k and min(m.max() for m in most) >= 297


def check_axis(make, tables, seeds):
    for k in KS:
        for table in range(tables):
            x = along_an_axis(k, 10, table)
            for seed in range(seeds):
                assert found(make(k, seed).fit(x), x, k), (k, table, seed)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_gaussian_mixtures_find_groups_along_an_axis(covariance_type):
    check_axis(lambda k, seed: craton.GaussianMixture(k, covariance_type=covariance_type, random_state=seed), 2, 3)


@pytest.mark.slow
@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_of_ten_tables_with_eight_seeds_none_is_missed(covariance_type):
    check_axis(lambda k, seed: craton.GaussianMixture(k, covariance_type=covariance_type, random_state=seed), 10, 8)


def test_three_groups_twenty_deviations_apart_are_found_by_every_seed():
    x = np.concatenate([np.random.default_rng(i).normal([20 * i, 0], 1, (300, 2)) for i in range(3)])
    scores = [craton.GaussianMixture(3, random_state=seed).fit(x).score(x) for seed in range(8)]
    np.testing.assert_allclose(scores, -3.893, atol=1e-3)  # as scikit-learn finds


def test_mixtures_of_any_family_find_groups_along_an_axis():
    check_axis(lambda k, seed: craton.Mixture(k, family="gaussian", random_state=seed), 1, 3)


def test_six_groups_along_an_axis_are_counted():
    x = along_an_axis(6, 10, 0)
    chosen = min(range(1, 10), key=lambda k: craton.GaussianMixture(k).fit(x).bic(x))
    assert chosen == 6


def words(seed, k, columns, levels):
    r = np.random.default_rng(seed)
    p, z = r.dirichlet(np.ones(levels), (k, columns)), r.integers(0, k, 900)
    rows = [[f"v{r.choice(levels, p=p[z[i], j])}" for j in range(columns)] for i in range(900)]
    return np.array(rows, dtype=object)


@pytest.mark.parametrize("k, columns, levels", [(2, 3, 8), (4, 5, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_categories_that_a_group_starts_without_can_come_back(k, columns, levels, seed):
    # With alpha = 0 a probability of 0 stays 0. Starts that share every row have none.
    x, options = words(seed, k, columns, levels), {"alpha": 0, "tol": 1e-6, "max_iter": 2000}
    one = craton.Mixture(k, **options).fit(x).score(x)
    best = craton.Mixture(k, init_params="random", n_init=20, **options).fit(x).score(x)
    assert one > best - 0.005


def test_random_responsibilities_are_a_start_as_in_scikit_learn():
    x = along_an_axis(3, 10, 1)
    model = craton.GaussianMixture(3, init_params="random", max_iter=0).fit(x)
    assert np.abs(model.means_ - x.mean(0)).max() < 2  # every component has a share of all rows
    report = craton.GaussianMixture(3, init_params="random", max_iter=500, tol=1e-8).fit(x).report_
    assert report.converged and report.trace[-1] > report.trace[0]


@pytest.mark.slow
@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_no_table_of_known_shape_is_lost_by_every_seed(covariance_type):
    mixture = pytest.importorskip("sklearn.mixture")
    for name, x, k in shapes():
        x = np.ascontiguousarray(x)
        gaps = []
        for seed in range(5):
            options = {"covariance_type": covariance_type, "random_state": seed}
            theirs = mixture.GaussianMixture(k, **options).fit(x).score(x)
            gaps.append(craton.GaussianMixture(k, **options).fit(x).score(x) - theirs)
        assert max(gaps) > -0.02, name
