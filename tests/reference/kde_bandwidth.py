"""Figures of docs/kde.md: what a bandwidth does to bias and variance, by simulation.

    PYTHONPATH=build/release/python python tests/reference/kde_bandwidth.py

2000 tables of 100 rows, standard normal; their densities with a Gaussian kernel at x = 0 and x = 2,
beside what theory has: E p(x) = N(x; 0, 1 + h^2), and n Var p(x) = N(x; 0, 1 + h^2 / 2) /
(2 h sqrt(pi)) - (E p(x))^2.
"""
import numpy as np

import craton

TABLES, ROWS = 2000, 100


def normal(x, variance):
    return np.exp(-(x**2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def main():
    random = np.random.default_rng(20)
    tables = random.normal(size=(TABLES, ROWS, 1))
    at = np.array([[0.0], [2.0]])
    grid = np.linspace(-5, 5, 201)[:, None]
    truth = normal(grid[:, 0], 1)
    print("h x truth mean bias^2 variance sum mse theory")
    for h in (0.05, 0.337, 2.0):
        found, whole = [], []
        for table in tables:
            model = craton.KernelDensity(bandwidth=h).fit(table)
            found.append(np.exp(model.score_samples(at)))
            if len(whole) < 200:
                squares = (np.exp(model.score_samples(grid)) - truth) ** 2
                whole.append(squares.sum() * (grid[1, 0] - grid[0, 0]))
        found = np.array(found)
        for j, x in enumerate(at[:, 0]):
            true, mean = normal(x, 1), found[:, j].mean()
            bias, variance = (mean - true) ** 2, found[:, j].var()
            error = ((found[:, j] - true) ** 2).mean()
            expected = normal(x, 1 + h * h)
            theory = (expected - true) ** 2 + (
                normal(x, 1 + h * h / 2) / (2 * h * np.sqrt(np.pi)) - expected**2
            ) / ROWS
            np.testing.assert_allclose(bias + variance, error, rtol=1e-10)
            print(f"{h} {x} {true:.5f} {mean:.5f} {bias:.6f} {variance:.6f} {bias + variance:.6f} {error:.6f} {theory:.6f}")
        print(f"{h} integrated squared error, mean of {len(whole)}: {np.mean(whole):.5f}")


main()
