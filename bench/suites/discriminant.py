"""Discriminant analysis: fits and predictions of a million rows."""
import functools

import numpy as np

import discriminants
import tables
from harness import Case

SAME = 1e-8  # of what is learned, and of log-probabilities beside the joint ones
# A model by its Python name, and of scikit-learn's linear one the solver.
MODELS = ("LinearDiscriminantAnalysis", "LinearDiscriminantAnalysis lsqr",
          "QuadraticDiscriminantAnalysis")


@functools.lru_cache(1)
def gaussians(n, d, classes):
    """Rows of classes whose features depend on each other, in each class in another way."""
    r = np.random.default_rng(0)
    labels = r.integers(classes, size=n).astype(np.int32)
    centres = r.normal(size=(classes, d))
    mixing = np.eye(d) + r.normal(size=(classes, d, d)) / (2 * np.sqrt(d))
    x = r.normal(size=(n, d))
    for c in range(classes):
        x[labels == c] = x[labels == c] @ mixing[c].T + centres[c]
    return x, labels


def cases_of(name, make, rows):
    table = tables.Table(name, lambda: make()[0])

    def case(model, what):
        judge = functools.partial(discriminants.judge, labels=lambda: make()[1],
                                  model=model.split()[0], learned=rows)
        kind = dict(fit="fit", predict="predict", log_proba="predict_log_proba")[what]
        return Case(f"{model}, {name}", kind, table, f"gda_{what}",
                    dict(model=model, learned=rows, max_iter=1), judge, 1, SAME,
                    arrays=lambda x: dict(labels=make()[1]), rivals=("sklearn",))

    return [case(model, what) for model in MODELS for what in ("fit", "predict", "log_proba")
            if what == "fit" or "lsqr" not in model]  # solvers predict alike


def cases(data, quick):
    if quick:
        return cases_of("900x7 float64, 3 classes", lambda: gaussians(900, 7, 3), 900)
    return cases_of("1000000x50 float64, 10 classes", lambda: gaussians(1_000_000, 50, 10),
                    1_000_000)
