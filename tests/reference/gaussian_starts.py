"""How good are the starts of Gaussian mixtures? One default fit (n_init=1) of craton against one of
scikit-learn, over many tables and seeds:

    PYTHONPATH=build/release/python .venv/bin/python tests/reference/gaussian_starts.py [--data FOLDER]

Both libraries start and stop by their defaults; what they found is compared by their score, the mean
log-likelihood a row (that they agree on one model is shown in python/tests/test_reference.py). A
difference above 0 says that craton's optimum is the better one. The tables of shapes.py are compared with mclust and flexmix
too, as gaussian_starts.R found them (gaussian_starts.csv). FOLDER (bench/README.md) adds tables
that are not shipped with scikit-learn. With --alternatives other starts are compared in the same
way, for full covariances: one k-means, or some of them with ten steps of EM each.
"""
import argparse
import csv
import pathlib
import warnings

import numpy as np
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture as Sklearn

from craton import GaussianMixture as Craton
from craton import KMeans
from shapes import shapes as known_shapes

SEEDS = 5
TYPES = ("full", "tied", "diag", "spherical")
# Columns that take more than a few values, and the components to look for.
FILES = {"faithful": 2, "geyser": 3, "galaxies": 4, "penguins": 3, "quakes": 4, "abalone": 3,
         "banknote_authentication": 4, "phoneme": 5, "swiss": 2, "USArrests": 3}


def shapes():
    """Groups of many shapes, in four sizes."""
    for seed, (n, d, k) in enumerate([(600, 2, 3), (1000, 3, 5), (1500, 5, 6), (3000, 8, 8)]):
        r = np.random.default_rng(100 + seed)
        centres, widths = 4 * r.normal(size=(k, d)), r.uniform(0.3, 2, (k, d))
        tilt = r.normal(size=(k, d, d))
        z, uneven = r.integers(0, k, n), r.choice(k, n, p=r.dirichlet(np.full(k, 0.6)))
        noise = r.normal(size=(n, d))
        along = noise * widths[z]
        yield f"round, {d} columns", noise + centres[z], k
        yield f"along the axes, {d}", along + centres[z], k
        yield f"tilted, {d}", np.einsum("nij,nj->ni", tilt[z], noise) + 1.5 * centres[z], k
        yield f"overlapping, {d}", along + 0.4 * centres[z], k
        yield f"one column in other units, {d}", (along + centres[z]) * np.r_[1000, np.ones(d - 1)], k
        yield f"of uneven sizes, {d}", (
            0.6 * np.einsum("nij,nj->ni", tilt[uneven], noise) + centres[uneven]), k


def oddities():
    r = np.random.default_rng(7)
    z = r.integers(0, 3, 900)
    yield "parallel sticks", np.c_[10 * r.normal(size=900), 2 * z + 0.3 * r.normal(size=900)], 3
    z = r.integers(0, 4, 1200)
    corners = np.array([[0, 0], [5, 0], [0, 5], [5, 5]])[z] + r.normal(size=(1200, 2))
    yield "2 columns with groups, 6 without", np.c_[corners, 3 * r.normal(size=(1200, 6))], 4
    widths = np.where(r.integers(0, 2, 800), 5, 0.5)
    yield "one inside the other", r.normal(size=(800, 2)) * widths[:, None], 2
    x, _ = datasets.make_blobs(1000, 2, centers=5, cluster_std=[1, 2.5, 0.5, 1, 3], random_state=3)
    yield "of uneven widths", x, 5
    x, _ = datasets.make_blobs(1500, 2, centers=3, random_state=170)
    yield "sheared", x @ np.array([[0.6, -0.64], [-0.41, 0.85]]), 3
    yield "two moons", datasets.make_moons(800, noise=0.08, random_state=0)[0], 6
    centres, widths = r.normal(size=(16, 8)) * 2.8, r.uniform(0.5, 1.5, (16, 8))
    z = r.integers(0, 16, 20_000)
    yield "16 groups, 8 components", r.normal(size=(20_000, 8)) * widths[z] + centres[z], 8


def bundled():
    yield "iris", datasets.load_iris().data, 3
    yield "wine", datasets.load_wine().data, 3
    yield "breast cancer, 10 columns", datasets.load_breast_cancer().data[:, :10], 2
    yield "diabetes, 4 columns", datasets.load_diabetes().data[:, [2, 3, 6, 9]], 3
    digits = datasets.load_digits().data
    for d in (8, 16):
        yield f"digits, {d} components", PCA(d, random_state=0).fit_transform(digits), 10


def number(text):
    try:
        return float(text)
    except ValueError:
        return np.nan


def files(folder):
    for name, k in FILES.items() if folder else ():
        lines = list(csv.reader((folder / "tables" / f"{name}.csv").open()))
        first = 1 if lines[0][0] == "rownames" else 0
        x = np.array([[number(cell) for cell in line[first:]] for line in lines[first:]])
        varied = [len(np.unique(c)) > 12 and np.isnan(c).mean() < 0.05 for c in x.T]
        x = x[:, varied]
        yield name, x[~np.isnan(x).any(axis=1)], k


def write_shapes(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "tables.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "file", "k"])
        for i, (name, x, k) in enumerate(known_shapes()):
            np.savetxt(folder / f"{i}.csv", x, delimiter=",", fmt="%.17g")
            writer.writerow([name, f"{i}.csv", k])


def scores(make, x, k, covariance_type):
    return [make(k, covariance_type=covariance_type, random_state=seed).fit(x).score(x)
            for seed in range(SEEDS)]


def others():
    """What gaussian_starts.R found: {(table, who, covariance_type): score}."""
    with pathlib.Path(__file__).with_suffix(".csv").open() as file:
        return {(row["table"], row["who"], row["covariance_type"]): float(row["score"].replace("NA", "nan"))
                for row in csv.DictReader(file)}


def compare_known_shapes():
    """Mean log-likelihood a row, by everybody; the best, and what is within 0.005 of it, is bold."""
    found = others()
    print("| table | " + " | ".join(f"{t}: craton | scikit-learn | mclust | flexmix" for t in ("full", "diag")) + " |")
    print("|---" * 9 + "|")
    for name, x, k in known_shapes():
        x, cells = np.ascontiguousarray(x), []
        for covariance_type in ("full", "diag"):
            values = [np.mean(scores(make, x, k, covariance_type)) for make in (Craton, Sklearn)]
            values += [found[name, who, covariance_type] for who in ("mclust", "flexmix")]
            best = np.nanmax(values)
            cells += ["–" if np.isnan(v) else f"**{v:.3f}**" if v > best - 0.005 else f"{v:.3f}" for v in values]
        print(f"| {name}, {x.shape[0]} × {x.shape[1]}, k = {k} | " + " | ".join(cells) + " |", flush=True)


def units(x):
    return (x - x.mean(0)) / x.std(0)


def whitened(x):
    z = units(x)
    return z @ np.linalg.inv(np.linalg.cholesky(z.T @ z / len(z) + 1e-6 * np.eye(z.shape[1]))).T


def mixture(x, k, labels):
    """The M-step of given labels, as a start of EM."""
    means = np.array([x[labels == c].mean(0) for c in range(k)])
    scale = np.diag(x.var(0)) * 1e-6
    covariances = [np.atleast_2d(np.cov(x[labels == c].T, bias=True)) + scale for c in range(k)]
    precisions = np.linalg.inv(covariances)
    return {"weights_init": np.bincount(labels, minlength=k) / len(x), "means_init": means,
            "precisions_init": (precisions + np.swapaxes(precisions, 1, 2)) / 2}


def best_run(coordinates, steps):
    """A fit from the best of a run for each of `coordinates`, after some steps of EM."""
    def fit(x, k, seed):
        runs = []
        for i, z in enumerate(coordinates):
            labels = KMeans(k, random_state=seed + 1000 * i).fit(z(x)).labels_
            runs.append(Craton(k, max_iter=steps, **mixture(x, k, labels)).fit(x))
        best = max(runs, key=lambda run: run.lower_bound_)
        start = {"weights_init": best.weights_, "means_init": best.means_,
                 "precisions_init": best.precisions_}
        return Craton(k, **start).fit(x).score(x)
    return fit


ALTERNATIVES = {
    "craton's default": lambda x, k, seed: Craton(k, random_state=seed).fit(x).score(x),
    "k-means of raw columns": best_run([lambda x: x], 0),
    "k-means in units of the columns": best_run([units], 0),
    "k-means after whitening": best_run([whitened], 0),
    "the best of 4 in units": best_run([units] * 4, 10),
    "the best of 2 in units, 2 whitened": best_run([units, whitened] * 2, 10),
    "the best of 3 in units, 3 whitened": best_run([units, whitened] * 3, 10),
}


def compare_alternatives(tables):
    gains = {name: [] for name in ALTERNATIVES}
    for _, x, k in tables:
        x = np.ascontiguousarray(x)
        theirs = scores(Sklearn, x, k, "full")
        for name, fit in ALTERNATIVES.items():
            ours = [fit(x, k, seed) for seed in range(SEEDS)]
            gains[name].append((np.mean(ours) - np.mean(theirs), np.min(ours) - np.min(theirs)))
    for name, values in gains.items():
        means, worst = np.array(values).T
        print(f"| {name} | {means.mean():+.4f} | {means.min():+.4f} | {worst.mean():+.4f} |"
              f" {(means < -0.005).sum()} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=pathlib.Path, help="folder of real data")
    parser.add_argument("--alternatives", action="store_true", help="compare other starts instead")
    parser.add_argument("--write", type=pathlib.Path, help="write the tables of shapes.py there, for gaussian_starts.R")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of fits that do not converge
    if options.write:
        return write_shapes(options.write)
    if options.alternatives:
        return compare_alternatives((*shapes(), *oddities(), *bundled(), *files(options.data)))
    compare_known_shapes()
    print("\n| table | " + " | ".join(TYPES) + " |\n" + "|---" * 5 + "|")
    tables = (*known_shapes(), *shapes(), *oddities(), *bundled(), *files(options.data))
    rows = []
    for name, x, k in tables:
        x = np.ascontiguousarray(x)
        gains = []
        for covariance_type in TYPES:
            ours, theirs = (scores(make, x, k, covariance_type) for make in (Craton, Sklearn))
            gains.append((np.mean(ours) - np.mean(theirs), np.min(ours) - np.min(theirs)))
        rows.append(np.array(gains))
        cells = " | ".join(f"{mean:+.4f}" for mean, _ in gains)
        print(f"| {name}, {x.shape[0]} × {x.shape[1]}, k = {k} | {cells} |", flush=True)
    means, worst = np.moveaxis(np.array(rows), 2, 0)
    for what, values in (
        ("mean of all tables", means.mean(axis=0)),
        ("table where craton is worst", means.min(axis=0)),
        ("mean of all tables, worst of the seeds", worst.mean(axis=0)),
    ):
        print(f"| **{what}** | " + " | ".join(f"**{v:+.4f}**" for v in values) + " |")
    print("| tables where craton is better, worse by 0.005 nats | " + " | ".join(
        f"{(c > 0.005).sum()}, {(c < -0.005).sum()} of {len(c)}" for c in means.T) + " |")


if __name__ == "__main__":
    main()
