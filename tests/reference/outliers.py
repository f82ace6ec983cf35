#!/usr/bin/env python3
"""Known outliers come first, and what is said of rows is what SciPy says: python3 outliers.py

Debian's r-cran-robustbase and r-cran-cardata are downloaded (apt-get) and read by Rscript, which has
stackloss itself; nothing of them is kept. It shows

- Davis's swapped height and weight first, hbk's 14 first, wood's 4 among the first six, at least 3
  of stackloss's 4 among the first six (Rousseeuw and Leroy, "Robust regression and outlier
  detection", 1987, name them), and planted rows and groups first;
- of one Gaussian the tail probability of each row beside that of chi-squared, and the squared
  distances beside those of scikit-learn's MinCovDet: both in the same order, nearly.

An expectation that fails ends in exit code 1.
"""
import pathlib
import subprocess
import sys
import tempfile

import craton
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.covariance import MinCovDet

PACKAGES = ("r-cran-robustbase", "r-cran-cardata")
READ = """
args <- commandArgs(TRUE)
one <- function(package, name) {
  room <- new.env()
  lazyLoad(file.path(args[1], "usr/lib/R/site-library", package, "data", "Rdata"), envir = room)
  write.csv(get(name, envir = room), paste0(name, ".csv"), row.names = FALSE)
}
one("carData", "Davis"); one("robustbase", "hbk"); one("robustbase", "wood")
write.csv(stackloss, "stackloss.csv", row.names = FALSE)
"""
# Rows, from 0, of which so many are among the first so many.
KNOWN = {
    "Davis": ({11}, 1, 1),
    "hbk": (set(range(14)), 14, 14),
    "wood": ({3, 5, 7, 18}, 4, 6),
    "stackloss": ({0, 2, 3, 20}, 3, 6),
}
failed = []


def expect(what, holds, shown=""):
    print("ok    " if holds else "FAILED", what, shown)
    if not holds:
        failed.append(what)


def tables(folder):
    for package in PACKAGES:
        subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
    for file in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", file, folder], check=True)
    (folder / "read.R").write_text(READ)
    subprocess.run(["Rscript", "read.R", "."], cwd=folder, check=True)
    return {name: pd.read_csv(folder / f"{name}.csv") for name in KNOWN}


def planted(seed):
    """Three groups, three rows between them and eleven far off, side by side."""
    random = np.random.default_rng(seed)
    centres = np.array([[0, 0, 0], [8, 0, 0], [0, 8, 0]])
    x = centres[np.arange(600) % 3] + random.normal(size=(600, 3))
    odd = {10, 99, 300} | set(range(400, 411))
    x[[10, 99, 300]] = [[4, 4, 6], [5, 5, -6], [-7, -7, 0]]
    x[400:411] = [20, 20, 0] + 0.2 * random.normal(size=(11, 3))
    return x, odd


def known_first():
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables(pathlib.Path(folder)).items():
            rows, least, among = KNOWN[name]
            first = craton.outliers(table, n=among).strangest["row"]
            found = len(rows & set(first))
            expect(f"{name}: {found} of {len(rows)} among the first {among}", found >= least)
            if name == "Davis":
                print("      ", craton.outliers(table, n=1).strangest["because"][0])
    for seed in range(5):
        x, odd = planted(seed)
        first = set(craton.outliers(x, n=len(odd)).strangest["row"])
        expect(f"planted {seed}: all {len(odd)} first", first == odd)


def beside_scipy():
    random = np.random.default_rng(7)
    x = random.multivariate_normal([1, 2, 3], [[2, 1, 0], [1, 2, 0.5], [0, 0.5, 1]], size=2000)
    model = craton.GaussianMixture().fit(x)
    rows = model.score_rows(x)
    off = x - model.means_[0]
    squares = np.einsum("ij,ij->i", off @ np.linalg.inv(model.covariances_[0]), off)
    exact = stats.chi2.sf(squares, 3)
    largest = np.abs(rows["tail_probability"] - exact).max()
    bound = 1.95 / np.sqrt(10_000)  # Kolmogorov's, of one table of draws in a thousand
    expect("tail probabilities are those of chi-squared", largest < bound, f"{largest:.4f}")
    gap = stats.kstest(model.score_rows(model.sample(4000, 3)[0])["tail_probability"], "uniform")
    expect("and uniform on the model's own rows", gap.pvalue > 0.001, f"p = {gap.pvalue:.3f}")
    dirty = x.copy()
    dirty[:300] += 12
    found = craton.outliers(dirty)
    robust = MinCovDet(random_state=0).fit(dirty).mahalanobis(dirty)
    agree = stats.spearmanr(-found.rows["log_density"], robust).statistic
    expect("distances rank as MinCovDet's do", agree > 0.99, f"{agree:.4f}")
    clean = np.sum(found.rows["tail_probability"][300:] < 0.01)
    chance = stats.binom.sf(clean - 1, 1700, 0.02)
    expect("few of the others are strange", chance > 0.001, f"{clean} of 1700")


known_first()
beside_scipy()
sys.exit(1 if failed else 0)
