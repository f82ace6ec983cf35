"""Densities whose kernel is a function of Python: beside kernels by name, in files, and at the shell."""

import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import craton

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"


def bell(u):
    return np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)


def box(u):
    return np.where(np.abs(u) < 1, 0.5, 0)


def cauchy(u):
    return 1 / (np.pi * (1 + u**2))


@pytest.fixture
def rows():
    return np.random.default_rng(3).normal(size=(120, 2))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("bandwidth", ["scott", 0.4])
def test_a_function_gives_what_its_name_does(rows, columns, bandwidth):
    x = rows[:, :columns]
    weights = np.arange(120) % 3 + 1
    ours = craton.KernelDensity(kernel=bell, bandwidth=bandwidth, n_jobs=2).fit(x, sample_weight=weights)
    named = craton.KernelDensity(bandwidth=bandwidth).fit(x, sample_weight=weights)
    np.testing.assert_allclose(ours.score_samples(x), named.score_samples(x), rtol=1e-8)
    np.testing.assert_allclose(ours.bandwidth_, named.bandwidth_, rtol=1e-9)
    repeated = craton.KernelDensity(kernel=bell, bandwidth=bandwidth).fit(np.repeat(x, weights, axis=0))
    assert repeated.digest_ == ours.digest_
    assert ours.kernel is bell and ours.get_params()["kernel"] is bell


def test_products_distributions_and_samples(rows):
    ours = craton.KernelDensity(kernel=box, bandwidth=0.5).fit(rows)
    at = rows[:20] + 0.1
    inside = (np.abs(at[:, None] - rows) < 0.5).all(axis=2).mean(axis=1)
    np.testing.assert_allclose(np.exp(ours.score_samples(at)), inside, rtol=1e-12)
    one = craton.KernelDensity(kernel=cauchy, bandwidth=0.5).fit(rows[:, :1])
    expected = (0.5 + np.arctan((1.5 - rows[:, 0]) / 0.5) / np.pi).mean()
    assert one.cdf(1.5) == pytest.approx(expected, abs=1e-6)
    assert one.cdf(one.quantile(0.01)) == pytest.approx(0.01, rel=1e-6)
    drawn = np.sort(one.sample(5000, random_state=1)[:, 0])
    distance = np.abs(one.cdf(drawn) - (np.arange(5000) + 0.5) / 5000).max()
    assert distance < 1.95 / np.sqrt(5000)


def test_files_need_the_function_again(rows, tmp_path):
    model = craton.KernelDensity(kernel=bell).fit(rows[:, :1])
    path = tmp_path / "m.craton"
    model.save(path)
    again = craton.load(path, kernel=bell)
    assert again.digest_ == model.digest_ and again.kernel is bell
    np.testing.assert_array_equal(again.score_samples(rows[:, :1]), model.score_samples(rows[:, :1]))
    assert again.partial_fit(rows[:5, :1]).digest_ != model.digest_
    same = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(same.score_samples(rows[:, :1]), model.score_samples(rows[:, :1]))
    with pytest.raises(craton.InputError, match=r"files hold none\n  Give it again: craton.load\(path, kernel=f\)"):
        craton.load(path)
    with pytest.raises(craton.InputError, match="where that of the fit was"):
        craton.load(path, kernel=box)
    plain = tmp_path / "plain.craton"
    craton.KernelDensity().fit(rows).save(plain)
    with pytest.raises(craton.InputError, match="the kernel of this model is none"):
        craton.load(plain, kernel=bell)
    craton.KMeans(2).fit(rows).save(plain)
    with pytest.raises(craton.InputError, match="kmeans cannot take a function as its kernel"):
        craton.load(plain, kernel=bell)


def test_the_shell_says_that_the_function_is_missing(rows, tmp_path):
    model, table = tmp_path / "m.craton", tmp_path / "rows.csv"
    craton.KernelDensity(kernel=bell).fit(rows[:, :1]).save(model)
    np.savetxt(table, rows[:, :1], header="1", comments="", delimiter=",")
    for words in (["predict", model, table, "--interval", "0.9"], ["score", model, table], ["sample", model, "-n", "2"],
                  ["quantile", model, "0.5"], ["predict", model, table, "--diagnose"]):
        done = subprocess.run([CRATON, *words], capture_output=True, text=True, timeout=120)
        assert done.returncode == 1, words
        assert "the kernel of this model is a function, and files hold none" in done.stderr, words
        assert "craton.load(path, kernel=f)" in done.stderr
        assert done.stdout == ""
    done = subprocess.run([CRATON, "describe", model], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "function" in done.stdout


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda u: np.exp(-(u**2) / 2), "has the integral 2.5066283, not 1"),
        (lambda u: bell(u - 0.2), "is not symmetric"),
        (lambda u: bell(u) * (3 - u**2) / 2, "nowhere below 0"),
        (lambda u: np.full(len(u), np.nan), "nan at u"),
    ],
)
def test_what_is_no_kernel_is_refused(rows, function, words):
    with pytest.raises(craton.InputError, match=words):
        craton.KernelDensity(kernel=function).fit(rows)


def test_what_functions_do_not_go_with_is_refused(rows):
    for options, words in (({"adaptive": True}, "adaptive"), ({"support": "1=-9.."}, "support"),
                           ({"kernel": cauchy}, "no standard deviation")):
        with pytest.raises(craton.InputError, match=words):
            craton.KernelDensity(**{"kernel": bell} | options).fit(rows)
    with pytest.raises(ValueError, match="as many as u has"):
        craton.KernelDensity(kernel=lambda u: 0.5).fit(rows)
    with pytest.raises(ZeroDivisionError):
        craton.KernelDensity(kernel=lambda u: 1 / 0).fit(rows)
    with pytest.raises(craton.InputError, match="function beside its options"):
        craton.select.search(craton.KernelDensity(kernel=bell), rows, space={"bandwidth": [0.1, 1]})
