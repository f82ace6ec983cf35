"""How much rows without labels are worth: the table of docs/mixtures.md.

    PYTHONPATH=build/release/python .venv/bin/python tests/reference/labels_seen.py

Accuracy on rows left out, for mixtures that learn from all training rows and the labels of some,
beside naive Bayes of the rows with labels alone. The mean of 40 draws, with its standard error.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import craton

DRAWS = 40
LABELS = (1, 2, 5, 10, None)  # of each class; None: all


def split(y, labels, seed):
    r = np.random.default_rng(seed)
    order = r.permutation(len(y))
    test, train = order[: len(y) // 3], order[len(y) // 3 :]
    seen = np.concatenate(
        [train[y[train] == c][: labels if labels else len(y)] for c in np.unique(y)]
    )
    return train, test, seen


def accuracies(x, y, labels):
    mixture, alone = [], []
    for seed in range(DRAWS):
        train, test, seen = split(y, labels, seed)
        some = np.full(len(y), -1)
        some[seen] = y[seen]
        model = craton.Mixture(family="gaussian", var_smoothing=1e-3).fit(x[train], labels=some[train])
        mixture.append(np.mean(model.predict(x[test]) == y[test]))
        model = craton.NaiveBayes(family="gaussian", var_smoothing=1e-3).fit(x[seen], y[seen])
        alone.append(np.mean(model.predict(x[test]) == y[test]))
    return mixture, alone


def shown(values):
    return f"{np.mean(values):.3f} ± {np.std(values) / np.sqrt(len(values)):.3f}"


if __name__ == "__main__":
    print("| labels of each class | " + " | ".join(str(n or "all") for n in LABELS) + " |")
    print("|---|" + "---|" * len(LABELS))
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        x, y = load(return_X_y=True)
        pairs = [accuracies(x, y, labels) for labels in LABELS]
        print(f"| {name}: mixture | " + " | ".join(shown(m) for m, _ in pairs) + " |")
        print(f"| {name}: labelled rows alone | " + " | ".join(shown(a) for _, a in pairs) + " |")
