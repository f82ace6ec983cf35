"""Shrunk variances of classes, by the definitions and in exact arithmetic, for
python/tests/test_discriminant.py; and by simulation whether the rules do what they are for:

    python3 tests/reference/diagonal_shrinkage.py

The variances v_j of d features become (1 - a) v_j + a m, m their mean. Of the best a under squared
error, E sum_j (v_j - s_j)(v_j - m) / E sum_j (v_j - m)^2 with the true variances s_j,

    auto  estimates what v_j varies by from the values, as Ledoit and Wolf do
    oas   takes them as normal and independent, Var v_j = 2 s_j^2 / n_j, puts (v_j times what is
          shrunk so far) in the place of s_j^2, and repeats, as Chen, Wiesel, Eldar and Hero do
"""
import decimal
import math
from fractions import Fraction


def moments(values, weights):
    """Weight, variance and sum of (y^2 - v)^2 of the values that are there."""
    there = [(float(x), float(w)) for x, w in zip(values, weights) if not math.isnan(x)]
    pairs = [(Fraction(x), Fraction(w)) for x, w in there]
    n = sum(w for _, w in pairs)
    mean = sum(w * x for x, w in pairs) / n
    v = sum(w * (x - mean) ** 2 for x, w in pairs) / n
    return n, v, sum(w * ((x - mean) ** 2 - v) ** 2 for x, w in pairs)


def auto(columns):
    variances = [v for _, v, _ in columns]
    m = sum(variances) / len(columns)
    apart = sum((v - m) ** 2 for v in variances)
    return min(Fraction(1), sum(u / n**2 for n, _, u in columns) / apart) if apart else Fraction(0)


def oas(columns):
    """The fixed point, by going on until nothing changes."""
    with decimal.localcontext() as context:
        context.prec = 60

        def number(fraction):
            return decimal.Decimal(fraction.numerator) / decimal.Decimal(fraction.denominator)

        n, v = [number(n) for n, _, _ in columns], [number(v) for _, v, _ in columns]
        d = len(v)
        m, a = sum(v) / d, decimal.Decimal(0)
        for _ in range(100_000):
            squares = [((1 - a) * x + a * m) * x for x in v]  # in the place of s_j^2
            varies = [2 * s / k for s, k in zip(squares, n)]
            above = sum(varies) - sum(varies) / d
            below = sum(squares) - sum(v) ** 2 / d + above
            following = above / below
            if abs(following - a) < decimal.Decimal("1e-45"):
                break
            a = following
        return Fraction(a)


def shrunk(x, weights, rule):
    """Weights and shrunk variances of the columns, as fractions."""
    columns = [moments(column, weights) for column in zip(*x)]
    variances = [v for _, v, _ in columns]
    m = sum(variances) / len(columns)
    a = {"auto": auto, "oas": oas}[rule](columns) if isinstance(rule, str) else Fraction(rule)
    return [n for n, _, _ in columns], [(1 - a) * v + a * m for v in variances]


def covariances(x, labels, weights, rule, *, shared, ddof=0):
    """The diagonals of the classes, or the one of all; classes are 0, 1, ..."""
    parts = []
    for c in range(max(labels) + 1):
        rows = [i for i, label in enumerate(labels) if label == c and weights[i] > 0]
        parts.append(shrunk([x[i] for i in rows], [weights[i] for i in rows], rule))
    if not shared:
        return [[float(k * v / (k - ddof)) for k, v in zip(n, vs)] for n, vs in parts]
    return [
        float(sum(k * v for k, v in column) / sum(k - ddof for k, _ in column))
        for column in zip(*(zip(n, vs) for n, vs in parts))
    ]


def simulate(n, truth, times, heavy):
    """Mean of sum_j (estimate - truth)^2 by rule, beside the best a there is, and the mean a."""
    import numpy as np

    random = np.random.default_rng(0)
    truth = np.asarray(truth)
    v, chosen = [], {"auto": [], "oas": []}
    for _ in range(times):
        shape = (n, len(truth))
        z = random.standard_t(6, shape) / np.sqrt(1.5) if heavy else random.normal(size=shape)
        x = z * np.sqrt(truth)
        y = x - x.mean(axis=0)
        v.append((y**2).mean(axis=0))
        m = v[-1].mean()
        g = ((v[-1] - m) ** 2).sum()
        c = 2 * (1 - 1 / len(truth)) / n
        t, h = (v[-1] ** 2).sum(), m * v[-1].sum()
        chosen["auto"].append(min(1, ((y**2 - v[-1]) ** 2).sum() / n**2 / g))
        chosen["oas"].append(c * t / (g + c * t - c * h) if g > c * h else 1)
    v = np.array(v)
    m = v.mean(axis=1, keepdims=True)
    best = ((v - truth) * (v - m)).sum() / ((v - m) ** 2).sum()
    result = {}
    for name, a in {"none": 0.0, "best": best, **chosen}.items():
        a = np.broadcast_to(np.reshape(a, (-1, 1)), m.shape)
        result[name] = (((1 - a) * v + a * m - truth) ** 2).sum(axis=1).mean(), a.mean()
    return result


if __name__ == "__main__":
    for n, heavy in ((5, False), (10, False), (50, False), (10, True)):
        for name, truth in (("alike", [1.0] * 20), ("1 to 4", [1 + 3 * j / 19 for j in range(20)])):
            for rule, (error, a) in simulate(n, truth, 5000, heavy).items():
                case = f"{n:3} rows, {'t6' if heavy else 'normal':6}, variances {name:6}"
                print(f"{case}  {rule:4}  a {a:.3f}  squared error {error:.3f}")
