#!/usr/bin/env python3
"""Reference values for craton/base/random_test.cc, by mpmath with 60 digits.

Prints the standard normal quantile of doubles (exactly as the double is, not as its decimal text
reads) to 20 digits, and the critical values of the tests of distribution at significance 0.001.
"""
import mpmath as mp

mp.mp.dps = 60


def upper_tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def quantile(p):
    """Newton's method on the logarithm of the smaller tail, which is nearly a parabola."""
    small = min(p, 1 - p)
    if small == mp.mpf(1) / 2:
        return mp.mpf(0)
    target = mp.log(small)
    x = mp.sqrt(-2 * target) if small < mp.mpf("0.1") else mp.mpf("0.5")
    for _ in range(200):
        tail = upper_tail(x)
        step = (mp.log(tail) - target) * tail / mp.npdf(x)
        x += step
        if abs(step) < mp.mpf(10) ** -50:
            break
    return -x if p < mp.mpf(1) / 2 else x


def chi_square(degrees, significance):
    survival = lambda x: mp.gammainc(mp.mpf(degrees) / 2, x / 2, mp.inf, regularized=True)
    return mp.findroot(lambda x: survival(x) - significance, degrees + 3 * mp.sqrt(2 * degrees))


def kolmogorov(significance):
    survival = lambda x: 2 * mp.nsum(lambda k: (-1) ** (int(k) - 1) * mp.exp(-2 * k * k * x * x), [1, 40])
    return mp.findroot(lambda x: survival(x) - significance, mp.mpf("1.9"))


for text in ["1e-300", "1e-100", "1e-20", "0x1p-53", "1e-12", "1e-10", "1e-5", "0.001", "0.025", "0.074",
             "0.075", "0.076", "0.1", "0.25", "0.4", "0.49999", "0.5", "0.50001", "0.7", "0.925", "0.926",
             "0.975", "0.999999", "0x1.fffffffffffffp-1"]:
    p = float.fromhex(text) if text.startswith("0x") else float(text)
    print("quantile", text, mp.nstr(quantile(mp.mpf(p)), 20))

alpha = mp.mpf("0.001")
for degrees in [2, 6, 9, 23, 255]:
    print("chi-square", degrees, mp.nstr(chi_square(degrees, alpha), 8))
print("kolmogorov", mp.nstr(kolmogorov(alpha), 8))
print("normal, two sides", mp.nstr(-quantile(alpha / 2), 8))
