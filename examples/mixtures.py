"""Three mixtures: of counts, of columns of different kinds, and with labels for a few rows.

    python examples/mixtures.py

The counts are drawn here; the birds are examples/data/birds.csv.
"""

import pathlib

import numpy as np

import craton

DATA = pathlib.Path(__file__).parent / "data"


def read_birds():
    """Habitat, weight, eggs and whether it migrates; and the kind of each bird."""
    lines = (DATA / "birds.csv").read_text().splitlines()[1:]
    rows = [line.split(",") for line in lines]
    kinds = np.array([row[-1] for row in rows], dtype=object)
    numbers = [[float(v) if v else None for v in row[1:-1]] for row in rows]
    return [[row[0] or None, *rest] for row, rest in zip(rows, numbers)], kinds


def counts():
    print("Calls an hour: quiet, busy and very busy hours, mixed.")
    r = np.random.default_rng(0)
    calls = r.poisson(np.array([2, 9, 25])[r.choice(3, 600, p=[0.5, 0.3, 0.2])])[:, None]
    models = [craton.Mixture(k, family="poisson", n_init=3, tol=1e-6).fit(calls) for k in range(1, 6)]
    best = min(models, key=lambda model: model.bic(calls))
    print("  BIC " + ", ".join(f"{model.bic(calls):.0f}" for model in models), "for 1 to 5 components")
    for weight, (rate,) in sorted(zip(best.weights_, best.estimates_[0]), key=lambda pair: pair[1]):
        print(f"  {weight:.2f} of the hours have {rate:.1f} calls")


def survey(birds, kinds):
    print("Birds by habitat, weight, eggs and migration, without their names.")
    model = craton.Mixture(3, n_init=5).fit(birds)
    print("  families:", ", ".join(model.families_))
    group = model.predict(birds)
    for z in range(3):
        names, count = np.unique(kinds[group == z], return_counts=True)
        print(f"  group {z}:", ", ".join(f"{n} {name}" for n, name in zip(count, names)))


def labels(birds, kinds):
    print("The same birds, with a name for a few of them.")
    for seen in (12, 30, 60, len(kinds)):
        some = kinds.copy()
        some[seen:] = None
        model = craton.Mixture().fit(birds, labels=some)
        print(f"  {seen:3} names: {np.mean(model.predict(birds) == kinds):.2f} right")


if __name__ == "__main__":
    counts()
    survey(*read_birds())
    labels(*read_birds())
