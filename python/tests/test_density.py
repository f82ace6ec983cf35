"""Densities by families against SciPy's fits, and NIST's certified analysis of variance."""

import craton
import numpy as np
import pytest
from nist import nist_table
from scipy import stats

RANDOM = np.random.default_rng(8)
# family: values, SciPy's distribution, what it holds fixed, and its parameters from ours
SETS = {
    "gaussian": (RANDOM.normal(3, 2, 300), stats.norm, {}, lambda p: (p["mean"], p["variance"] ** 0.5)),
    "laplace": (RANDOM.laplace(1, 3, 301), stats.laplace, {}, lambda p: (p["location"], p["scale"])),
    "student-t": (
        RANDOM.standard_t(4, 400),
        stats.t,
        {},
        lambda p: (p["degrees"], p["location"], p["scale"]),
    ),
    "uniform": (RANDOM.uniform(2, 5, 100), stats.uniform, {}, lambda p: (p["low"], p["high"] - p["low"])),
    "exponential": (RANDOM.exponential(3, 200), stats.expon, {"floc": 0}, lambda p: (0, 1 / p["rate"])),
    "gamma": (RANDOM.gamma(2, 3, 300), stats.gamma, {"floc": 0}, lambda p: (p["shape"], 0, 1 / p["rate"])),
    "lognormal": (
        RANDOM.lognormal(1, 0.5, 300),
        stats.lognorm,
        {"floc": 0},
        lambda p: (p["log_variance"] ** 0.5, 0, np.exp(p["log_mean"])),
    ),
    "weibull": (RANDOM.weibull(2, 300), stats.weibull_min, {"floc": 0}, lambda p: (p["shape"], 0, p["scale"])),
    "beta": (RANDOM.beta(2, 5, 300), stats.beta, {"floc": 0, "fscale": 1}, lambda p: (p["a"], p["b"], 0, 1)),
    "von-mises": (
        RANDOM.vonmises(1, 2, 300),
        stats.vonmises,
        {"fscale": 1},
        lambda p: (p["concentration"], p["mean"], 1),
    ),
}


@pytest.mark.parametrize("family", SETS)
def test_estimates_are_scipys_and_no_less_likely(family):
    x, distribution, fixed, convert = SETS[family]
    model = craton.Density(family=family).fit(x[:, None])
    ours, theirs = convert(model.estimates_[0]), distribution.fit(x, **fixed)
    np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-3)
    assert model.score(x[:, None]) * len(x) >= distribution.logpdf(x, *theirs).sum() - 1e-8
    log_density = distribution.logpdf(x, *ours)
    np.testing.assert_allclose(model.score_samples(x[:, None]), log_density, rtol=1e-10, atol=1e-10)


def test_attributes_tell_families_parameters_and_errors(tmp_path):
    x = np.column_stack([RANDOM.gamma(3, 2, 400), RANDOM.poisson(4, 400)])
    model = craton.Density().fit(x)
    assert model.families_ == ["gamma", "poisson"]
    assert model.estimates_[1] == {"rate": x[:, 1].mean()}
    assert model.standard_errors_[1]["rate"] == pytest.approx((x[:, 1].mean() / 400) ** 0.5)
    names = {row[1] for row in model.candidates_}
    assert len(names) >= 10
    model.save(tmp_path / "density.craton")
    loaded = craton.load(tmp_path / "density.craton")
    assert loaded.estimates_ == model.estimates_ and loaded.digest_ == model.digest_
    codes = craton.Density(family="categorical").fit([[0], [2], [2], [1]])
    assert codes.estimates_ == [{"p": [0.25, 0.25, 0.5]}]


def test_a_value_outside_the_support_is_refused_by_row_and_column():
    x = np.array([[0.5], [0.25], [1.5]])
    with pytest.raises(craton.InputError, match="value 1.5 is outside the support of the beta") as error:
        craton.Density(family="beta").fit(x)
    assert error.value.code == "outside-support"
    with pytest.raises(craton.InputError, match="number of trials"):
        craton.Density(family="binomial").fit([[1], [2]])


# Digits of the certified F that exact arithmetic on the doubles reaches: the decimals are rounded.
ATTAINABLE = {"AtmWtAg": 10.1, "SmLs04": 10.1, "SmLs07": 4.1, "SmLs01": 11.9}


@pytest.mark.parametrize("name", ATTAINABLE)
def test_class_means_and_variances_reach_the_attainable_digits_of_nist(name):
    rows, certified = nist_table(name)
    x, groups = rows[:, 1], np.unique(rows[:, 0])

    def gaussian(values):
        estimate = craton.Density(family="gaussian").fit(values[:, None]).estimates_[0]
        return len(values) * estimate["variance"]

    within = sum(gaussian(x[rows[:, 0] == g]) for g in groups)
    between = gaussian(x) - within
    f = between / (len(groups) - 1) / (within / (len(x) - len(groups)))
    assert abs(f - certified) <= certified * 10 ** -ATTAINABLE[name]
