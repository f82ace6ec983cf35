#!/usr/bin/env python3
"""Maximum likelihood estimates for craton/families, by mpmath with 60 digits: writes families_mle.txt.

A line is: family, the number of values, the values, then for each parameter its estimate. The roots
of the likelihood's gradient are found by mpmath from SciPy's fits or moments, independently of
craton's methods.
"""
import pathlib

import mpmath as mp
import numpy as np
from scipy import stats

mp.mp.dps = 60
log, exp, psi, lgamma = mp.log, mp.exp, mp.digamma, mp.loggamma
random = np.random.default_rng(5)


def exact(values):
    return [mp.mpf(float(v)) for v in values]


def root(equations, start):
    found = mp.findroot(equations, [mp.mpf(float(s)) for s in start], tol=mp.mpf(10) ** -60, maxsteps=200, verify=False)
    assert max(abs(e) for e in equations(*found)) < mp.mpf(10) ** -30
    return list(found)


def mean(values):
    return mp.fsum(values) / len(values)


def gamma(x):
    m, l = mean(x), mean([log(v) for v in x])
    gap = log(m) - l
    start = log(stats.gamma.fit([float(v) for v in x], floc=0)[0] if gap > 1e-8 else 0.5 / gap)
    a = exp(root(lambda u: [(u - psi(exp(u))) / gap - 1], [start])[0])
    return [a, a / m]


def beta(x):
    l, r = mean([log(v) for v in x]), mean([mp.log1p(-v) for v in x])
    a, b, _, _ = stats.beta.fit([float(v) for v in x], floc=0, fscale=1)
    return root(lambda a, b: [psi(a) - psi(a + b) - l, psi(b) - psi(a + b) - r], [a, b])


def weibull(x):
    logs = [log(v) for v in x]
    l = mean(logs)

    def score(k):
        powers = [exp(k * (v - l)) for v in logs]
        return [mp.fsum(p * v for p, v in zip(powers, logs)) / mp.fsum(powers) - 1 / k - l]

    (k,) = root(score, [stats.weibull_min.fit([float(v) for v in x], floc=0)[0]])
    return [k, exp(l) * mean([exp(k * (v - l)) for v in logs]) ** (1 / k)]


def negative_binomial(x):
    m = mean(x)
    variance = mean([(v - m) ** 2 for v in x])
    score = lambda r: [mean([psi(v + r) for v in x]) - psi(r) - mp.log1p(m / r)]
    (r,) = root(score, [m * m / (variance - m)])
    return [m, r]


def bessel_i(order, k):
    """Its power series; mpmath's own stumbles at some k."""
    term = total = (k / 2) ** order
    j = 0
    while term > total * mp.mpf(10) ** -60:
        j += 1
        term *= (k / 2) ** 2 / (j * (j + order))
        total += term
    return total


def von_mises(x):
    c, s = mean([mp.cos(v) for v in x]), mean([mp.sin(v) for v in x])
    length = mp.hypot(c, s)
    start = log(length * (2 - length**2) / (1 - length**2))
    k = exp(root(lambda u: [bessel_i(1, exp(u)) / bessel_i(0, exp(u)) - length], [start])[0])
    return [mp.atan2(s, c), k]


def student_t(x):
    centre = sorted(x)[len(x) // 2]

    def gradient(m, s, n):
        m, s, n = m + centre, exp(s), exp(n)
        z = [(v - m) / s for v in x]
        share = [(n + 1) / (n + v * v) for v in z]
        return [mean([w * v for w, v in zip(share, z)]), mean([w * v * v for w, v in zip(share, z)]) - 1,
                psi((n + 1) / 2) - psi(n / 2) - 1 / n - mean([mp.log1p(v * v / n) for v in z])
                + mean([w * v * v for w, v in zip(share, z)]) / n]

    n, m, s = stats.t.fit([float(v - centre) for v in x])
    m, s, n = root(gradient, [m, log(s), log(n)])
    return [m + centre, exp(s), exp(n)]


def lognormal(x):
    logs = [log(v) for v in x]
    m = mean(logs)
    return [m, mean([(v - m) ** 2 for v in logs])]


def gaussian(x):
    m = mean(x)
    return [m, mean([(v - m) ** 2 for v in x])]


def laplace(x):
    m = sorted(x)[(len(x) - 1) // 2]
    return [m, mean([abs(v - m) for v in x])]


def exponential(x):
    return [1 / mean(x)]


SETS = [
    ("gaussian", gaussian, [random.normal(3, 2, 40), random.normal(1e9, 1e-2, 30)]),
    ("laplace", laplace, [random.laplace(1, 3, 41)]),
    ("exponential", exponential, [random.exponential(1e-6, 20)]),
    ("lognormal", lognormal, [random.lognormal(1, 2, 40), random.lognormal(-30, 1e-3, 40)]),
    ("gamma", gamma, [random.gamma(2.5, 3, 50), random.gamma(0.05, 1, 60), random.gamma(1e5, 1e-3, 50),
                      1e6 + random.normal(0, 30, 20)]),
    ("beta", beta, [random.beta(2, 5, 50), random.beta(0.3, 0.2, 50), random.beta(3000, 9000, 50)]),
    ("weibull", weibull, [random.weibull(1.5, 50) * 3, random.weibull(0.3, 50), random.weibull(200, 50) * 1e5]),
    ("negative-binomial", negative_binomial, [random.negative_binomial(2, 0.3, 60), random.negative_binomial(0.2, 0.01, 60),
                                              random.negative_binomial(40, 0.5, 60)]),
    ("von-mises", von_mises, [random.vonmises(1, 2, 50), random.vonmises(3, 0.2, 50), random.vonmises(-2, 500, 50)]),
    ("student-t", student_t, [random.standard_t(3, 60), 1e4 + 5 * random.standard_t(1.2, 60), random.standard_t(8, 200)]),
]


def main():
    out = pathlib.Path(__file__).with_suffix(".txt")
    with out.open("w") as file:
        file.write("# Made by families_mle.py: family, number of values, values, estimates\n")
        for name, estimate, sets in SETS:
            for values in sets:
                found = estimate(exact(values))
                words = [name, str(len(values)), *(repr(float(v)) for v in values), *(mp.nstr(v, 20) for v in found)]
                file.write(" ".join(words) + "\n")
                print(name, [mp.nstr(v, 8) for v in found])


main()
