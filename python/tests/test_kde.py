"""Kernel density estimates, against scikit-learn and SciPy, and what is special in Python."""
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity as Theirs

import craton

KERNELS = ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    return random.normal(size=(300, 3)) + 3 * random.integers(0, 2, size=(300, 1))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("columns", [1, 3])
def test_densities_are_scikit_learns(rows, kernel, columns):
    rows, weights = rows[:, :columns], np.random.default_rng(1).uniform(1, 3, size=300)
    at = rows + 0.1  # in the tails scikit-learn's own are off by what its bounds left over
    for sample_weight in (None, weights):
        ours = craton.KernelDensity(bandwidth=0.7, kernel=kernel, rtol=0).fit(rows, sample_weight=sample_weight)
        theirs = Theirs(bandwidth=0.7, kernel=kernel).fit(rows, sample_weight=sample_weight)
        np.testing.assert_allclose(ours.score_samples(at), theirs.score_samples(at), rtol=1e-9, atol=1e-9)


def test_tails_are_right(rows):
    at = rows * 3
    squares = ((at[:, None] - rows) ** 2).sum(axis=2) / 0.49
    expected = logsumexp(-squares / 2, axis=1) - np.log(300 * (2 * np.pi) ** 1.5 * 0.7**3)
    ours = craton.KernelDensity(bandwidth=0.7).fit(rows)
    np.testing.assert_allclose(ours.score_samples(at), expected, atol=1e-8)
    nearest = craton.KernelDensity(bandwidth=0.7, rtol=0).fit(rows)
    np.testing.assert_allclose(nearest.score_samples(at), expected, rtol=1e-12)
    outside = (squares >= 1).all(axis=1)
    ours = craton.KernelDensity(bandwidth=0.7, kernel="epanechnikov").fit(rows)
    np.testing.assert_array_equal(np.isinf(ours.score_samples(at)), outside)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_are_scipys_column_by_column(rows, rule):
    ours = craton.KernelDensity(bandwidth=rule).fit(rows)
    np.testing.assert_allclose(
        ours.bandwidth_, np.sqrt(np.diag(gaussian_kde(rows.T, rule).covariance)), rtol=1e-12
    )
    one = craton.KernelDensity(bandwidth=rule).fit(rows[:, :1])
    np.testing.assert_allclose(
        one.score_samples(rows[:, :1]), gaussian_kde(rows[:, 0], rule).logpdf(rows[:, 0]), rtol=1e-8
    )


def test_samples_are_rows_alone_and_repeat(rows):
    model = craton.KernelDensity(kernel="triweight").fit(rows)
    drawn = model.sample(5, random_state=3)
    assert drawn.shape == (5, 3)
    np.testing.assert_array_equal(drawn, model.sample(5, random_state=3))
    assert np.isfinite(model.score_samples(drawn)).all()


def test_score_is_a_mean_and_errors_are_told(rows):
    model = craton.KernelDensity().fit(rows)
    table = model.diagnose(rows)
    assert model.score(rows) == pytest.approx(model.score_samples(rows).mean())
    assert (table["density_error"] < 1e-8).all()
    np.testing.assert_array_equal(table["log_density"], model.score_samples(rows))


def test_keywords_of_scikit_learn_that_mean_nothing_here_are_taken_or_refused(rows):
    craton.KernelDensity(algorithm="kd_tree", leaf_size=20, atol=0, breadth_first=False).fit(rows)
    for wrong in ({"metric": "manhattan"}, {"atol": 1e-3}, {"bandwidth": 0}, {"kernel": "round"}):
        with pytest.raises(craton.InputError, match=next(iter(wrong))):
            craton.KernelDensity(**wrong).fit(rows)


def test_a_classifier_over_kernels(rows):
    labels = (rows.sum(axis=1) > 4.5).astype(int)
    model = craton.GenerativeClassifier(density="kde", settings="kernel=logistic").fit(rows, labels)
    assert model.score(rows, labels) > 0.9


@pytest.mark.parametrize("rule", ["scott", "silverman", 0.4])
def test_covariance_matrices_are_scipys(rows, rule):
    ours = craton.KernelDensity(bandwidth=rule, bandwidth_matrix="covariance").fit(rows)
    theirs = gaussian_kde(rows.T, rule)
    np.testing.assert_allclose(ours.bandwidth_matrix_, theirs.covariance, rtol=1e-12)
    at = rows[:50] * 1.5
    np.testing.assert_allclose(ours.score_samples(at), theirs.logpdf(at.T), rtol=1e-8)
    given = craton.KernelDensity(bandwidth_matrix=theirs.covariance).fit(rows)
    np.testing.assert_allclose(given.score_samples(at), theirs.logpdf(at.T), rtol=1e-8)
    part = ours.marginal([2, 0])
    np.testing.assert_allclose(
        part.score_samples(at[:, [2, 0]]), theirs.marginal([2, 0]).logpdf(at[:, [2, 0]].T), rtol=1e-8
    )


def test_matrices_that_are_none_are_refused(rows):
    for wrong, words in (
        (np.eye(2), "4 values for 3 columns"),
        (np.diag([1.0, 0, 1]), "not positive definite"),
        (np.array([[1.0, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
    ):
        with pytest.raises(craton.InputError, match=words):
            craton.KernelDensity(bandwidth_matrix=wrong).fit(rows)
    diagonal = craton.KernelDensity(bandwidth_matrix=[1, 4, 0.25]).fit(rows)
    np.testing.assert_array_equal(diagonal.bandwidth_, [1, 2, 0.5])


def test_distributions_are_the_integral(rows):
    x = rows[:, :1]
    model = craton.KernelDensity(bandwidth=0.3).fit(x)
    theirs = gaussian_kde(x[:, 0], 0.3 / x.std(ddof=1))
    at = np.array([[-2.0, 0.5], [1.0, 4.0]])
    expected = [[theirs.integrate_box_1d(-np.inf, v) for v in row] for row in at]
    np.testing.assert_allclose(model.cdf(at), expected, rtol=1e-10)
    np.testing.assert_allclose(model.quantile(model.cdf(at)), at, rtol=1e-10)
    assert model.quantile(0.5).shape == () and model.cdf(np.inf) == 1
    np.testing.assert_allclose(model.diagnose(x)["cdf"], model.cdf(x[:, 0]), rtol=1e-12)
    for wrong in ([0.5, 1], 0, np.nan):
        with pytest.raises(craton.InputError, match="no quantile"):
            model.quantile(wrong)
    with pytest.raises(craton.InputError, match="3 columns"):
        craton.KernelDensity().fit(rows).cdf(1)


def test_bands_and_rows_left_out(rows):
    model = craton.KernelDensity().fit(rows)
    band = model.predict_intervals(rows, level=0.9)
    assert (band["low"] < band["log_density"]).all() and (band["log_density"] < band["high"]).all()
    without = craton.KernelDensity(bandwidth_matrix=np.diag(model.bandwidth_matrix_)).fit(rows[1:])
    left_out = model.diagnose(rows[:2])["leave_one_out"][0]
    assert left_out == pytest.approx(without.score_samples(rows[:1])[0], rel=1e-9)


def test_supports_are_words_or_a_dict():
    x = np.abs(np.random.default_rng(2).normal(size=(200, 2))) * [1, 50]
    frame = {"age": x[:, 0], "angle": x[:, 1]}
    pandas = pytest.importorskip("pandas")
    words = craton.KernelDensity(support="age=0.., angle=0..360 periodic").fit(pandas.DataFrame(frame))
    named = craton.KernelDensity(support={"age": "0..", "angle": "0..360 periodic"}).fit(
        pandas.DataFrame(frame)
    )
    assert words.digest_ != craton.KernelDensity().fit(pandas.DataFrame(frame)).digest_
    np.testing.assert_array_equal(words.support_, [[0, np.inf], [0, 360]])
    np.testing.assert_array_equal(words.support_, named.support_)
    given = words.condition(age=0.5)
    assert list(given.feature_names_in_) == ["angle"]
    assert given.cdf(360) == 1 and given.quantile(0.3) > 0
    assert (words.sample(500)[:, 0] >= 0).all()
    with pytest.raises(craton.InputError, match="row 0.*'age': the value 0.* is below 1"):
        craton.KernelDensity(support="age=1..").fit(pandas.DataFrame(frame))


# Jones and Foster's estimate, moments by SciPy's quadrature; its integral is made one.
@pytest.mark.parametrize("support, low, high", [("1=0.. linear", 0, np.inf), ("1=..9 linear", -np.inf, 9)])
def test_linear_ends_are_their_formula(support, low, high):
    from scipy.integrate import quad

    x, h = np.random.default_rng(6).gamma(1.2, size=(80, 1)), 0.3
    model = craton.KernelDensity(bandwidth=h, support=support).fit(x)
    np.testing.assert_array_equal(model.support_, [[low, high]])

    def density(at):
        def bell(u):
            return np.exp(-u * u / 2) / np.sqrt(2 * np.pi)

        ends = max(-9, (at - high) / h), min(9, (at - low) / h)
        a = [quad(lambda u: u**order * bell(u), *ends)[0] for order in range(3)]
        u = (at - x[:, 0]) / h
        mean = (u * bell(u)).sum() / bell(u).sum()
        ratio = a[0] * (a[2] - a[1] * mean) / (a[0] * a[2] - a[1] ** 2)
        return bell(u).mean() / h / a[0] * np.exp(ratio - 1)

    integral = quad(density, max(low, -3), min(high, 12), limit=200, epsabs=1e-7)[0]
    at = np.array([[0.0], [0.1], [0.9], [3.0], [8.9]])
    expected = [density(v) / integral for v in at[:, 0]]
    np.testing.assert_allclose(np.exp(model.score_samples(at)), expected, rtol=1e-5)
    assert model.cdf(min(high, 12)) == pytest.approx(1, abs=1e-9)


def test_parts_are_estimators(rows):
    model = craton.KernelDensity(bandwidth=0.5).fit(rows)
    part = model.condition({0: 1.0})
    assert part.n_features_in_ == 2
    weights = np.exp(-((1 - rows[:, 0]) ** 2) / 0.5)
    again = craton.KernelDensity(bandwidth=0.5).fit(rows[:, 1:], sample_weight=weights)
    np.testing.assert_allclose(part.score_samples(rows[:, 1:]), again.score_samples(rows[:, 1:]), rtol=1e-9)
    part.partial_fit(rows[:5, 1:])
    for wrong, error in (({7: 1}, craton.InputError), ({"x": 1}, craton.InputError), ({0: "a"}, TypeError)):
        with pytest.raises(error):
            model.condition(wrong)
    with pytest.raises(craton.InputError, match="not gaussian"):
        craton.KernelDensity(kernel="cosine").fit(rows).marginal([0])


def test_adaptive_kernels_are_wider_in_the_tails(rows):
    x = np.exp(rows[:, :1])
    model = craton.KernelDensity(adaptive=True).fit(x)
    pilot = craton.KernelDensity().fit(x)
    log_pilot = pilot.score_samples(model.rows_)
    expected = np.exp((log_pilot.mean() - log_pilot) / 2)  # every row is distinct
    np.testing.assert_allclose(model.row_scales_, expected, rtol=1e-9)
    widths = expected * pilot.bandwidth_[0]
    at = np.array([[0.1], [3.0], [40.0]])
    squares = ((at - model.rows_[:, 0]) / widths) ** 2
    density = (np.exp(-squares / 2) / widths).mean(axis=1) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(np.exp(model.score_samples(at)), density, rtol=1e-9)
    with pytest.raises(craton.InputError, match="adaptive"):
        craton.KernelDensity(adaptive=True).fit(rows).condition({0: 1})


def test_kishs_number_of_rows_is_scipys(rows):
    weights = np.random.default_rng(5).uniform(0.2, 3, size=300)
    ours = craton.KernelDensity(bandwidth_matrix="covariance", effective_n="kish")
    theirs = gaussian_kde(rows.T, "scott", weights)
    ours.fit(rows, sample_weight=weights)
    np.testing.assert_allclose(ours.bandwidth_matrix_, theirs.covariance, rtol=1e-12)
    np.testing.assert_allclose(ours.score_samples(rows), theirs.logpdf(rows.T), rtol=1e-8)


def test_a_terminal_shows_the_curve_of_one_column(rows):
    model = craton.KernelDensity(bandwidth="nrd0").fit(rows[:, :1])
    lines = str(model.describe()).split("\ndensity\n")[1].split("\n\n")[0].splitlines()
    values = np.array([line.split()[:2] for line in lines[1:]], float)
    np.testing.assert_allclose(values[:, 1], np.exp(model.score_samples(values[:, :1])), atol=1e-4)
    assert "highest" in lines[1 + values[:, 1].argmax()]
    assert "density\n" not in str(craton.KernelDensity().fit(rows).describe())


# What the shell says of these is in tests/golden/kde_bad_input.test.
@pytest.mark.parametrize(
    "x, options, words",
    [
        ("rows", {"bandwidth": -1}, "bandwidth = -1"),
        ("rows", {"bandwidth": float("nan")}, "bandwidth = nan"),
        ("rows", {"bandwidth_matrix": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "not positive definite"),
        ([[1, 7], [2, 7]], {}, "the value is 7 in every row"),
        ([[1, 2]], {}, "one sample does not tell how wide"),
        ([[1, 2, 3], [2, 4, 1]], {"bandwidth_matrix": "covariance"}, "not positive definite"),
        ([[1, 2], [np.inf, 3]], {}, "row 1.*infinite"),
        ([[1, 2], [1e300, 3]], {}, "their squares overflow"),
        ([[1.0], [2]], {"support": "1=5..5"}, "which is empty"),
        ([[1.0], [2]], {"support": {"1": "0..1"}}, "row 1.*the value 2 is above 1"),
        ([[1.0], [2]], {"support": "1=1.5.. linear"}, "row 0.*the value 1 is below 1.5"),
    ],
)
def test_what_cannot_be_estimated_is_refused(rows, x, options, words):
    with pytest.raises(craton.InputError, match=words):
        craton.KernelDensity(**options).fit(rows if isinstance(x, str) else np.array(x, float))


def test_odd_tables_have_densities_with_a_number_for_bandwidth():
    for x in ([[1.0, 7], [2, 7]], [[1.0, 2]], [[1.0, 2, 3], [2, 4, 1]]):
        model = craton.KernelDensity(bandwidth=0.5).fit(np.array(x))
        assert np.isfinite(model.score(np.array(x)))
    near = np.array([[1.0], [2], [4]])
    far = craton.KernelDensity().fit(near + 1e9)
    np.testing.assert_allclose(far.score_samples(near + 1e9), craton.KernelDensity().fit(near).score_samples(near))
    for wrong in (np.inf, -np.inf, np.nan, 1e300):
        with pytest.raises(craton.InputError, match="row 1"):
            far.score_samples([[1.0], [wrong]])


def test_ties_without_a_bandwidth_by_cross_validation_take_the_next_rule():
    ties = np.array([[3.0]] * 40 + [[1.0], [2], [4], [5]])
    with pytest.warns(craton.FitWarning, match="lscv.* finds no bandwidth .* many are equal.* is taken"):
        model = craton.KernelDensity(bandwidth="lscv").fit(ties)
    taken = craton.KernelDensity(bandwidth="sj-ste").fit(ties)
    np.testing.assert_array_equal(model.bandwidth_, taken.bandwidth_)
