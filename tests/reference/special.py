#!/usr/bin/env python3
"""Reference values for craton/kernels/special.h, by mpmath with 60 digits: writes special.txt.

A line is: function, its arguments (doubles exactly), its value to 20 digits.
"""
import pathlib

import mpmath as mp

mp.mp.dps = 60
log, half = mp.log, mp.mpf(1) / 2


def bessel_i(order, k):
    term = total = (k / 2) ** order
    j = 0
    while term > total * mp.mpf(10) ** -60:
        j += 1
        term *= (k / 2) ** 2 / (j * (j + order))
        total += term
    return total


def lower_tail(log_density, x, deviation):
    """The integral up to x on pieces that halve towards it: densities fall by a hundred nats in 60 deviations or so."""
    edges = [x - deviation * mp.mpf(2) ** i for i in range(6, -12, -1)]
    return mp.quad(lambda t: mp.exp(log_density(t)) if t > 0 else mp.mpf(0), [*edges, x])


def beta_i(a, b, x):
    """By quadrature: the hypergeometric series has as many terms as the shapes are large."""
    if a + b < 1e3:
        return mp.betainc(a, b, 0, x, regularized=True)
    log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    deviation = mp.sqrt(a * b / (a + b + 1)) / (a + b)
    return lower_tail(lambda t: (a - 1) * log(t) + (b - 1) * mp.log1p(-t) - log_beta, x, deviation)


def gamma_p(a, x):
    if a < 1e5:
        return mp.gammainc(a, 0, x, regularized=True)
    return lower_tail(lambda t: (a - 1) * log(t) - t - mp.loggamma(a), x, mp.sqrt(a))


# Both shapes large, one of them, and far apart; z deviations from the mean.
HUGE_BETA = [(a, b, float(mp.mpf(a) / (a + b) + z * mp.sqrt(mp.mpf(a) * b / (a + b + 1)) / (a + b)))
             for a, b in [(6e4, 6e4), (50, 1e6), (300.5, 1e15), (1e5, 1e9), (9e5, 9e5), (2e6, 1e9), (1e9, 1e9), (1e12, 3e12)]
             for z in (-5, -0.5, 0.01, 2)]
HUGE_GAMMA = [(a, float(a + z * mp.sqrt(a))) for a in (1e6, 3e7, 1e10, 1e15) for z in (-5, -0.5, 0.01, 2)]

SHAPES = [1e-300, 1e-10, 0.003, 0.5, 1, 1.5, 2, 3.7, 9.99, 15.9, 16, 40, 1234.5, 1e6, 1e15, 1e100]
FUNCTIONS = {
    "log_gamma": (mp.loggamma, [(x,) for x in SHAPES if x < 1e16]),
    "log_gamma_1p": (lambda x: mp.loggamma(1 + x), [(x,) for x in (1e-300, -1e-9, 1e-5, -0.3, 0.7, 5)]),
    "digamma": (mp.digamma, [(x,) for x in SHAPES]),
    "trigamma": (lambda x: mp.polygamma(1, x), [(x,) for x in SHAPES if 1e-150 < x < 1e16]),
    "binet": (lambda x: mp.loggamma(x) - (x - half) * log(x) + x - log(2 * mp.pi) / 2, [(x,) for x in SHAPES if x < 1e16]),
    "log_minus_digamma": (lambda x: log(x) - mp.digamma(x), [(x,) for x in SHAPES if x < 1e16]),
    "x_trigamma_minus_1": (lambda x: x * mp.polygamma(1, x) - 1, [(x,) for x in SHAPES if 1e-150 < x < 1e16]),
    "log1p_minus": (lambda x: mp.log1p(x) - x, [(x,) for x in (-0.999, -0.5, -0.3, -0.1, -1e-5, 1e-12, 0.01, 0.29, 0.31, 1, 50)]),
    "deviance": (lambda x, m: x * log(x / m) + m - x,
                 [(3, 3.0000001), (1e9, 1e9 + 1), (1e-8, 7), (5, 1e-12), (1e12, 1.2e12), (2, 2.7), (7, 1e-300), (1e-300, 3)]),
    "gamma_p": (gamma_p, [(0.5, 1e-8), (3, 2), (50, 60), (50, 5), (1e-3, 1e-100), (1000, 1010), *HUGE_GAMMA]),
    "beta_i": (beta_i, [(3, 5, 0.25), (0.9, 70, 1e-3), *HUGE_BETA]),
    "gamma_q": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), [(0.5, 600), (3, 2), (50, 90), (1000, 1300)]),
    "log_beta": (lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b),
                 [(1, 1), (1e-8, 3), (0.5, 0.5), (300, 7), (1e9, 2e9), (1e9, 0.5)]),
    "normal_cdf": (lambda z: mp.erfc(-z / mp.sqrt(2)) / 2, [(z,) for z in (-37, -8, -1, 0, 0.5, 5)]),
    "log_bessel_i0_scaled": (lambda k: log(bessel_i(0, k)) - k, [(k,) for k in (1e-3, 0.7, 5, 20, 49.9, 50.1, 200, 3000)]),
    "bessel_ratio": (lambda k: bessel_i(1, k) / bessel_i(0, k), [(k,) for k in (1e-3, 0.7, 5, 20, 49.9, 50.1, 200, 3000)]),
    "one_minus_bessel_ratio": (lambda k: 1 - bessel_i(1, k) / bessel_i(0, k), [(k,) for k in (1e-3, 0.7, 5, 20, 49.9, 50.1, 200, 3000)]),
}


def main():
    with pathlib.Path(__file__).with_suffix(".txt").open("w") as file:
        file.write("# Made by special.py: function arguments value\n")
        for name, (function, arguments) in FUNCTIONS.items():
            for values in arguments:
                # Digits that cancel: as many more as the largest argument has.
                with mp.workdps(60 + 2 * len(str(int(max(abs(float(v)) for v in values))))):
                    value = function(*(mp.mpf(float(v)) for v in values))
                file.write(" ".join([name, *(repr(float(v)) for v in values), mp.nstr(value, 20)]) + "\n")


main()
