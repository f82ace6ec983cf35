#!/usr/bin/env python3
"""Reference values for craton/families, by mpmath with 50 digits: writes families.txt beside it.

A line is: family, quantity, the parameters, and for a function of x also x; then its value. Numbers
are doubles exactly (repr), parameters as craton has them; values have 20 digits. Run by hand:

    python3 tests/reference/families.py [--scipy]

With --scipy it compares the same values with SciPy's and prints the largest differences: it is no
judge in far tails and at huge parameters, where it differs from mpmath by far more than 1e-10.
"""
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 50
inf = mp.inf
log, exp, sqrt, pi = mp.log, mp.exp, mp.sqrt, mp.pi
lgamma, psi = mp.loggamma, mp.digamma


def lower_gamma(a, x):
    """P(a, x), by its series or one minus the continued fraction of Q (Numerical Recipes 6.2)."""
    if x == 0:
        return mp.mpf(0)
    if x > a + 1:
        return 1 - upper_gamma(a, x)
    term = total = 1 / a
    n = a
    while abs(term) > abs(total) * mp.mpf(10) ** -48:
        n += 1
        term *= x / n
        total += term
    return total * exp(a * log(x) - x - lgamma(a))


def upper_gamma(a, x):
    if x <= a + 1:
        return 1 - lower_gamma(a, x)
    b = x + 1 - a
    c, d = mp.mpf(10) ** 400, 1 / b
    h = d
    for i in range(1, 10**7):
        numerator = -i * (i - a)
        b += 2
        d = 1 / (numerator * d + b)
        c = b + numerator / c
        h *= d * c
        if abs(d * c - 1) < mp.mpf(10) ** -45:
            return h * exp(a * log(x) - x - lgamma(a))
    raise ArithmeticError("no convergence")


def lower_beta(a, b, x):
    """I_x(a, b), by the continued fraction from the side on which it is quick (Numerical Recipes 6.4)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - lower_beta(b, a, 1 - x)
    front = exp(a * log(x) + b * mp.log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b)) / a
    tiny = mp.mpf(10) ** -400
    c, d = mp.mpf(1), 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, 10**6):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + numerator * d
            d = 1 / (d if d else tiny)
            c = 1 + numerator / c
            c = c if c else tiny
            h *= d * c
        if abs(d * c - 1) < mp.mpf(10) ** -45:
            return front * h
    raise ArithmeticError("no convergence")


def normal_cdf(z):
    return mp.erfc(-z / sqrt(2)) / 2


def lbinomial(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def xlog(x, y):
    return mp.mpf(0) if x == 0 else x * log(y)


def count_entropy(log_density, low, high):
    total = mp.mpf(0)
    for k in range(int(low), int(high) + 1):
        value = log_density(mp.mpf(k))
        total -= exp(value) * value
    return total


class Gaussian:
    parameters = [(0, 1), (-3.5, 0.01), (1e8, 2.5), (0, 1e-200), (1e-3, 1e200)]
    points = [lambda m, v, z=z: m + z * sqrt(v) for z in (-30, -6, -1, 0.3, 5)]
    log_density = lambda x, m, v: -(x - m) ** 2 / (2 * v) - log(2 * pi * v) / 2
    cdf = lambda x, m, v: normal_cdf((x - m) / sqrt(v))
    mean = lambda m, v: m
    variance = lambda m, v: v
    entropy = lambda m, v: log(2 * pi * mp.e * v) / 2


class Laplace:
    parameters = [(0, 1), (1e6, 0.03), (-2, 1e100)]
    points = [lambda m, b, z=z: m + z * b for z in (-500, -3, -0.1, 0, 0.5, 20)]
    log_density = lambda x, m, b: -abs(x - m) / b - log(2 * b)
    cdf = lambda x, m, b: exp((x - m) / b) / 2 if x <= m else 1 - exp((m - x) / b) / 2
    mean = lambda m, b: m
    variance = lambda m, b: 2 * b * b
    entropy = lambda m, b: 1 + log(2 * b)


class StudentT:
    parameters = [(0, 1, 1), (0, 1, 0.1), (5, 0.2, 2.5), (-1e3, 30, 7), (0, 1, 100), (0, 2, 1e6)]
    points = [lambda m, s, n, z=z: m + z * s for z in (-1e6, -40, -3, -0.01, 0, 1.5, 12)]
    log_density = lambda x, m, s, n: (lgamma((n + 1) / 2) - lgamma(n / 2) - log(n * pi) / 2 - log(s)
                                      - (n + 1) / 2 * mp.log1p(((x - m) / s) ** 2 / n))

    def cdf(x, m, s, n):
        z = (x - m) / s
        if z == 0:
            return mp.mpf(1) / 2
        tail = lower_beta(n / 2, mp.mpf(1) / 2, n / (n + z * z)) / 2
        return tail if z < 0 else 1 - tail

    mean = lambda m, s, n: m if n > 1 else mp.nan
    variance = lambda m, s, n: s * s * n / (n - 2) if n > 2 else (inf if n > 1 else mp.nan)
    entropy = lambda m, s, n: ((n + 1) / 2 * (psi((n + 1) / 2) - psi(n / 2)) + log(n) / 2
                               + lgamma(n / 2) + lgamma(mp.mpf(1) / 2) - lgamma((n + 1) / 2) + log(s))


class Uniform:
    parameters = [(0, 1), (-1e6, 3.5), (1e8, 1e8 + 1)]
    points = [lambda a, b, z=z: a + z * (b - a) for z in (0, 0.125, 0.5, 1)]
    log_density = lambda x, a, b: -log(b - a)
    cdf = lambda x, a, b: (x - a) / (b - a)
    mean = lambda a, b: (a + b) / 2
    variance = lambda a, b: (b - a) ** 2 / 12
    entropy = lambda a, b: log(b - a)


class VonMises:
    parameters = [(0, 0.001), (1, 0.5), (-2, 3), (0.5, 40), (0, 60), (0, 700), (0, 1e6)]
    points = [lambda m, k, z=z: m + max(min(z / sqrt(max(k, 1)), 3.14), -3.14) for z in (-12, -3, -1, 0.2, 2, 30)]
    log_density = lambda x, m, k: k * mp.cos(x - m) - log(2 * pi * mp.besseli(0, k))

    def cdf(x, m, k):
        low = max(-pi, min(x - m, 0) - 40 / sqrt(k))
        points = [low + (x - m - low) * i / 16 for i in range(17)]
        return mp.quad(lambda t: exp(k * (mp.cos(t) - 1)), points) / (2 * pi * mp.besseli(0, k) * exp(-k))

    mean = lambda m, k: m
    variance = lambda m, k: 1 - mp.besseli(1, k) / mp.besseli(0, k)
    entropy = lambda m, k: log(2 * pi * mp.besseli(0, k)) - k * mp.besseli(1, k) / mp.besseli(0, k)


class Exponential:
    parameters = [(1,), (1e-8,), (3.5e7,)]
    points = [lambda r, z=z: z / r for z in (0, 1e-12, 0.3, 4, 600)]
    log_density = lambda x, r: log(r) - r * x
    cdf = lambda x, r: -mp.expm1(-r * x)
    mean = lambda r: 1 / r
    variance = lambda r: 1 / r**2
    entropy = lambda r: 1 - log(r)


class Gamma:
    parameters = [(1, 1), (0.001, 2), (0.5, 1e-5), (2.5, 3), (80, 0.1), (1e4, 7), (1e6, 1e6)]
    points = [lambda a, r, z=z: a / r * exp(z / sqrt(max(a, 0.2))) for z in (-8, -2, -0.1, 0, 0.7, 3, 7)]
    log_density = lambda x, a, r: a * log(r) + (a - 1) * log(x) - r * x - lgamma(a)
    cdf = lambda x, a, r: lower_gamma(a, r * x)
    mean = lambda a, r: a / r
    variance = lambda a, r: a / r**2
    entropy = lambda a, r: a - log(r) + lgamma(a) + (1 - a) * psi(a)


class LogNormal:
    parameters = [(0, 1), (-5, 0.0001), (3, 25)]
    points = [lambda m, v, z=z: exp(m + z * sqrt(v)) for z in (-20, -3, 0.1, 2, 8)]
    log_density = lambda x, m, v: -(log(x) - m) ** 2 / (2 * v) - log(2 * pi * v) / 2 - log(x)
    cdf = lambda x, m, v: normal_cdf((log(x) - m) / sqrt(v))
    mean = lambda m, v: exp(m + v / 2)
    variance = lambda m, v: mp.expm1(v) * exp(2 * m + v)
    entropy = lambda m, v: m + log(2 * pi * mp.e * v) / 2


class Weibull:
    parameters = [(1, 1), (0.2, 3), (1.7, 1e-4), (12, 1e5), (1000, 2)]
    points = [lambda k, s, z=z: s * exp(z / k) for z in (-30, -4, -0.2, 0, 1, 3)]
    log_density = lambda x, k, s: log(k / s) + (k - 1) * log(x / s) - (x / s) ** k
    cdf = lambda x, k, s: -mp.expm1(-((x / s) ** k))
    mean = lambda k, s: s * mp.gamma(1 + 1 / k)
    variance = lambda k, s: s * s * (mp.gamma(1 + 2 / k) - mp.gamma(1 + 1 / k) ** 2)
    entropy = lambda k, s: mp.euler * (1 - 1 / k) + log(s / k) + 1


class Beta:
    parameters = [(1, 1), (0.01, 0.02), (0.5, 3), (2, 5), (300, 40), (1e4, 3e5), (2e6, 2e6)]
    points = [lambda a, b, z=z: 1 / (1 + exp(log(b / a) - z * sqrt(1 / max(a, 0.05) + 1 / max(b, 0.05))))
              for z in (-6, -1.5, -0.1, 0.4, 3)]
    log_density = lambda x, a, b: (a - 1) * log(x) + (b - 1) * mp.log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b)
    cdf = lambda x, a, b: lower_beta(a, b, x)
    mean = lambda a, b: a / (a + b)
    variance = lambda a, b: a * b / (a + b) ** 2 / (a + b + 1)
    entropy = lambda a, b: (lgamma(a) + lgamma(b) - lgamma(a + b) - (a - 1) * psi(a) - (b - 1) * psi(b)
                            + (a + b - 2) * psi(a + b))


class Bernoulli:
    parameters = [(0.5,), (1e-12,), (0.999,)]
    points = [lambda p: mp.mpf(0), lambda p: mp.mpf(1)]
    log_density = lambda x, p: log(p) if x == 1 else mp.log1p(-p)
    cdf = lambda x, p: 1 - p if x == 0 else mp.mpf(1)
    mean = lambda p: p
    variance = lambda p: p * (1 - p)
    entropy = lambda p: -p * log(p) - (1 - p) * mp.log1p(-p)


class Binomial:
    parameters = [(1, 0.25), (10, 0.5), (100, 0.001), (1000, 0.3), (10000, 0.999), (1e9, 0.25)]
    points = [lambda n, p, z=z: max(0, min(n, mp.floor(n * p + z * sqrt(n * p * (1 - p)) + z)))
              for z in (-20, -3, 0, 1, 4, 25)]
    log_density = lambda x, n, p: lbinomial(n, x) + xlog(x, p) + (n - x) * mp.log1p(-p)
    cdf = lambda x, n, p: mp.mpf(1) if x >= n else lower_beta(n - x, x + 1, 1 - p)
    mean = lambda n, p: n * p
    variance = lambda n, p: n * p * (1 - p)
    entropy = lambda n, p: None if n > 1e5 else count_entropy(lambda k: Binomial.log_density(k, n, p), 0, n)


class Poisson:
    parameters = [(1e-3,), (0.7,), (12.5,), (1000,), (1e6,), (1e9,)]
    points = [lambda m, z=z: max(0, mp.floor(m + z * sqrt(m) + z)) for z in (-20, -3, 0, 1, 4, 25)]
    log_density = lambda x, m: xlog(x, m) - m - lgamma(x + 1)
    cdf = lambda x, m: upper_gamma(x + 1, m)
    mean = lambda m: m
    variance = lambda m: m
    entropy = lambda m: None if m > 1e5 else count_entropy(lambda k: Poisson.log_density(k, m),
                                                           max(0, m - 30 * sqrt(m) - 60), m + 30 * sqrt(m) + 60)


class Geometric:
    parameters = [(0.5,), (1e-9,), (0.999,), (0.03,)]
    points = [lambda p, z=z: mp.floor(z / p) for z in (0, 0.1, 1, 5, 40)]
    log_density = lambda x, p: log(p) + x * mp.log1p(-p)
    cdf = lambda x, p: -mp.expm1((x + 1) * mp.log1p(-p))
    mean = lambda p: (1 - p) / p
    variance = lambda p: (1 - p) / p**2
    entropy = lambda p: (-(1 - p) * mp.log1p(-p) - p * log(p)) / p


class NegativeBinomial:
    parameters = [(3, 2), (0.01, 0.5), (50, 0.1), (200, 1e4), (1e5, 3), (12, 1e9)]
    points = [lambda m, r, z=z: max(0, mp.floor(m + z * sqrt(m + m * m / r))) for z in (-6, -0.9, -0.3, 0.5, 3, 15)]
    log_density = lambda x, m, r: (lgamma(x + r) - lgamma(r) - lgamma(x + 1) - r * mp.log1p(m / r)
                                   + xlog(x, m / (r + m)))
    cdf = lambda x, m, r: lower_beta(r, x + 1, r / (r + m))
    mean = lambda m, r: m
    variance = lambda m, r: m + m * m / r
    entropy = lambda m, r: None if m > 1e4 else count_entropy(
        lambda k: NegativeBinomial.log_density(k, m, r), 0, m + 30 * sqrt(m + m * m / r) + 120 * (1 + m / r))


FAMILIES = {"gaussian": Gaussian, "laplace": Laplace, "student-t": StudentT, "uniform": Uniform, "von-mises": VonMises,
            "exponential": Exponential, "gamma": Gamma, "lognormal": LogNormal, "weibull": Weibull, "beta": Beta,
            "bernoulli": Bernoulli, "binomial": Binomial, "poisson": Poisson, "geometric": Geometric,
            "negative-binomial": NegativeBinomial}


def lines():
    for name, family in FAMILIES.items():
        for given in family.parameters:
            parameters = [float(p) for p in given]
            exact = [mp.mpf(p) for p in parameters]
            for quantity in ("mean", "variance", "entropy"):
                value = getattr(family, quantity)(*exact)
                if value is not None:
                    yield name, quantity, parameters, None, value
            for point in family.points:
                x = float(point(*exact))
                for quantity in ("log_density", "cdf"):
                    yield name, quantity, parameters, x, getattr(family, quantity)(mp.mpf(x), *exact)


def scipy_value(name, quantity, p, x):
    from scipy import stats
    frozen = {"gaussian": lambda: stats.norm(p[0], p[1] ** 0.5), "laplace": lambda: stats.laplace(*p),
              "student-t": lambda: stats.t(p[2], p[0], p[1]), "uniform": lambda: stats.uniform(p[0], p[1] - p[0]),
              "von-mises": lambda: stats.vonmises(p[1], p[0]), "exponential": lambda: stats.expon(scale=1 / p[0]),
              "gamma": lambda: stats.gamma(p[0], scale=1 / p[1]),
              "lognormal": lambda: stats.lognorm(p[1] ** 0.5, scale=float(exp(p[0]))),
              "weibull": lambda: stats.weibull_min(p[0], scale=p[1]), "beta": lambda: stats.beta(*p),
              "bernoulli": lambda: stats.bernoulli(*p), "binomial": lambda: stats.binom(*p),
              "poisson": lambda: stats.poisson(*p), "geometric": lambda: stats.geom(p[0], loc=-1),
              "negative-binomial": lambda: stats.nbinom(p[1], p[1] / (p[0] + p[1]))}[name]()
    if quantity == "log_density":
        return frozen.logpdf(x) if hasattr(frozen.dist, "logpdf") else frozen.logpmf(x)
    if quantity == "cdf":
        return frozen.cdf(x)
    if (name, quantity) == ("von-mises", "variance"):  # SciPy's is not the circular one
        return None
    return {"mean": frozen.mean, "variance": frozen.var, "entropy": frozen.entropy}[quantity]()


def main():
    out = pathlib.Path(__file__).with_suffix(".txt")
    worst = {}
    with out.open("w") as file:
        file.write("# Made by families.py: family quantity parameters [x] value\n")
        for name, quantity, parameters, x, value in lines():
            numbers = [repr(v) for v in parameters + ([] if x is None else [x])]
            file.write(" ".join([name, quantity, *numbers, mp.nstr(value, 20)]) + "\n")
            if "--scipy" in sys.argv[1:] and mp.isfinite(value):
                theirs = scipy_value(name, quantity, parameters, x)
                if theirs is not None:
                    unit = max(1, abs(value)) if quantity in ("log_density", "entropy") else abs(value)
                    error = float(abs(mp.mpf(float(theirs)) - value) / unit) if unit else 0.0
                    worst.setdefault((name, quantity), []).append((error, parameters, x))
    for (name, quantity), errors in worst.items():
        within = sum(error <= 1e-10 for error, _, _ in errors)
        print(f"{name:18} {quantity:12} {within:3} of {len(errors):3} within 1e-10 of SciPy; worst", *max(errors, key=lambda e: e[0]))


main()
