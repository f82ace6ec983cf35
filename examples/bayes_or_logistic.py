"""Two ways to the same line: describe the classes, or describe the border.

    python examples/bayes_or_logistic.py

Naive Bayes and linear discriminant analysis learn p(row | class) and turn it round by Bayes' rule;
logistic regression learns p(class | row) itself. Where the classes are Gaussian the first know more,
and need a little fewer rows for it; where they are not, the second is right and the first stay wrong, however
many rows there are. (Ng and Jordan, "On discriminative vs. generative classifiers", 2001.)
"""

import numpy as np

import craton

SIZES = (20, 50, 100, 1000, 10_000)
REPEATS = 40
COLUMNS = 8
SHIFT = np.linspace(0.9, 0.1, COLUMNS)  # how far apart the classes are, by column


def gaussian(rows, r):
    """Two Gaussians of one covariance, the identity: what naive Bayes and LDA take for granted."""
    y = r.permutation(rows) % 2
    return r.normal(size=(rows, COLUMNS)) + np.outer(y, SHIFT), y


def heavy(rows, r):
    """log p(y = 1 | x) / p(y = 0 | x) is linear still, but half of the columns are skewed: exp of
    Gaussians, some of them very large. The classes are nothing like Gaussians."""
    x = r.normal(size=(rows, COLUMNS))
    x[:, ::2] = np.exp(1.5 * x[:, ::2])
    odds = x @ np.tile([0.6, -0.8], COLUMNS // 2) - 1
    y = (r.random(rows) < 1 / (1 + np.exp(-odds))).astype(int)
    y[:4] = 0, 0, 1, 1  # some of each
    return x, y


MODELS = {
    "naive Bayes": craton.GaussianNB,
    "LDA": craton.LinearDiscriminantAnalysis,
    "logistic": lambda: craton.LogisticRegression(alpha=0.01),  # almost no prior
}


def errors(draw, rows, test):
    """The share of new rows that each model gets wrong, over many tables of so many rows."""
    wrong = dict.fromkeys(MODELS, 0.0)
    for repeat in range(REPEATS if rows < 1000 else 5):
        x, y = draw(rows, np.random.default_rng([rows, repeat]))
        for name, model in MODELS.items():
            wrong[name] += 1 - model().fit(x, y).score(*test)
    return [total / (REPEATS if rows < 1000 else 5) for total in wrong.values()]


def compare(draw, title):
    test = draw(20_000, np.random.default_rng(1))
    print(title)
    print(f"  {'rows':>6}  " + "  ".join(f"{name:>11}" for name in MODELS))
    for rows in SIZES:
        each = errors(draw, rows, test)
        best = min(each)
        print(f"  {rows:6}  " + "  ".join(f"{e:10.3f}{'*' if e == best else ' '}" for e in each))


if __name__ == "__main__":
    compare(gaussian, "Gaussian classes: share of new rows that are wrong")
    compare(heavy, "Skewed columns, the border still a line")
