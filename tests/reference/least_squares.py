#!/usr/bin/env python3
"""Least squares in rational numbers, without any rounding: writes least_squares.txt for craton/linear's tests.

Rows are doubles, taken for what they are. A problem is the lines
  problem NAME intercept|none ROWS COLUMNS
  row WEIGHT Y X...            (a weight is so many copies)
  coef B...                    (the intercept first, if there is one)
  error SE...                  (with sigma^2 = rss / (sum of weights - parameters))
  rss RSS
  hc0 SE... to hc3 SE...       (errors that trust no common variance)
  loo E...                     (residual of each row when all its copies are left out)
  leverage H...                (of all copies of the row together)
each value the double nearest to the exact one. Longley and Wampler: NIST StRD, https://www.itl.nist.gov/div898/strd
(the data sets; values here are computed, and agree with those NIST certifies).
"""
import math
import pathlib
import random
from fractions import Fraction as F


def nearest_root(value):
    """sqrt of a fraction, as the nearest double or next to it."""
    if value == 0:
        return 0.0
    shift = 4 ** 200
    return float(F(math.isqrt(value.numerator * shift * value.denominator), value.denominator * 2 ** 200))


def inverse(a):
    n = len(a)
    m = [list(row) + [F(int(i == j)) for j in range(n)] for i, row in enumerate(a)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if m[i][k] != 0)
        m[k], m[pivot] = m[pivot], m[k]
        head = m[k][k]
        m[k] = [v / head for v in m[k]]
        for i in range(n):
            if i != k and m[i][k] != 0:
                f = m[i][k]
                m[i] = [u - f * v for u, v in zip(m[i], m[k])]
    return [row[n:] for row in m]


def times(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def problem(name, rows, intercept=True):
    """rows: (weight, y, [x...])"""
    z = [[F(1)] * intercept + [F(v) for v in x] for _, _, x in rows]
    w = [F(weight) for weight, _, _ in rows]
    y = [F(target) for _, target, _ in rows]
    p = len(z[0])
    gram = [[sum(wi * zi[a] * zi[b] for wi, zi in zip(w, z)) for b in range(p)] for a in range(p)]
    right = [sum(wi * zi[a] * yi for wi, zi, yi in zip(w, z, y)) for a in range(p)]
    inv = inverse(gram)
    coef = [sum(i * r for i, r in zip(row, right)) for row in inv]
    e = [yi - sum(c * v for c, v in zip(coef, zi)) for zi, yi in zip(z, y)]
    h = [sum(zi[a] * inv[a][b] * zi[b] for a in range(p) for b in range(p)) for zi in z]  # of one copy
    rss = sum(wi * ei * ei for wi, ei in zip(w, e))
    n = sum(w)
    print("problem", name, "intercept" if intercept else "none", len(rows), p - intercept, file=out)
    for weight, target, x in rows:
        print("row", repr(float(weight)), repr(float(target)), *[repr(float(v)) for v in x], file=out)
    show = lambda key, values: print(key, *[repr(float(v)) for v in values], file=out)
    show("coef", coef)
    show("error", [nearest_root(rss / (n - p) * inv[a][a]) for a in range(p)])
    show("rss", [rss])
    for kind in range(4):
        def scale(hi):
            return [F(1), n / (n - p), 1 / (1 - hi), 1 / (1 - hi) ** 2][kind]
        meat = [[sum(wi * ei * ei * scale(hi) * zi[a] * zi[b] for wi, ei, hi, zi in zip(w, e, h, z)) for b in range(p)]
                for a in range(p)]
        cov = times(times(inv, meat), inv)
        show(f"hc{kind}", [nearest_root(cov[a][a]) for a in range(p)])
    show("loo", [ei / (1 - wi * hi) for wi, ei, hi in zip(w, e, h)])
    show("leverage", [wi * hi for wi, hi in zip(w, h)])


LONGLEY = """60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962"""
SHAKEN = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 2523,
          -2048, 2048, -2048, 759]  # what Wampler3 to 5 add to the polynomial


def powers(x, degree):
    """As doubles, each rounded: that is what a program is given."""
    row = [x]
    while len(row) < degree:
        row.append(row[-1] * x)
    return row


out = (pathlib.Path(__file__).parent / "least_squares.txt").open("w")
print("# Made by least_squares.py, which says what this is.", file=out)
table = [[float(v) for v in line.split()] for line in LONGLEY.splitlines()]
problem("longley", [(1, row[0], row[1:]) for row in table])
problem("longley-weighted", [(1 + i % 3, row[0], row[1:]) for i, row in enumerate(table)])
for k, size in enumerate([0, None, 1, 100, 10000], start=1):
    rows = []
    for x in range(21):
        if size is None:
            y = float(f"{sum((x / 10) ** p for p in range(6)):.5f}")
        else:
            y = sum(x ** p for p in range(6)) + size * SHAKEN[x]
        rows.append((1, y, powers(float(x), 5)))
    problem(f"wampler{k}", rows)
random.seed(18)
# A polynomial of degree 10 between -9 and -3, as NIST's Filip: the hardest of its sets.
problem("degree-ten", [(1, round(0.8 + 0.1 * math.sin(x), 4), powers(x, 10))
                       for x in (round(-8.8 + 0.075 * i, 3) for i in range(76))])
# Columns far from 0, and as far as rounding tells exact.
problem("offset", [(1 + i % 2, 1e9 + 3 * a - b, [1e9 + a, b - 1e6])
                   for i, (a, b) in enumerate((round(random.gauss(0, 1), 3), round(random.gauss(0, 5), 3)) for _ in range(40))])
problem("no-intercept", [(1, 130 + i, [60.0 + i]) for i in range(11)], intercept=False)
problem("no-intercept-weighted", [(i % 4 + 1, random.randint(-20, 20), [random.randint(-9, 9) for _ in range(4)]) for i in range(30)],
        intercept=False)
