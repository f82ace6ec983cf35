#!/usr/bin/env python3
"""Reference values for craton/families/vectors_test.cc, by mpmath with 50 digits. Prints them."""
import mpmath as mp

mp.mp.dps = 50
lgamma = mp.loggamma


def multinomial(x, p):
    x, p = [mp.mpf(v) for v in x], [mp.mpf(v) for v in p]
    return lgamma(sum(x) + 1) - sum(lgamma(v + 1) for v in x) + sum(v * mp.log(q) for v, q in zip(x, p))


def dirichlet(x, a):
    x, a = [mp.mpf(v) for v in x], [mp.mpf(v) for v in a]
    return lgamma(sum(a)) - sum(lgamma(v) for v in a) + sum((v - 1) * mp.log(y) for v, y in zip(a, x))


def dirichlet_entropy(a):
    a = [mp.mpf(v) for v in a]
    total = sum(a)
    log_beta = sum(lgamma(v) for v in a) - lgamma(total)
    return log_beta + (total - len(a)) * mp.digamma(total) - sum((v - 1) * mp.digamma(v) for v in a)


print("multinomial", mp.nstr(multinomial([1e5, 2e5, 3e5 + 100, 4e5 - 100], [0.1, 0.2, 0.3, 0.4]), 20))
print("multinomial", mp.nstr(multinomial([4, 3, 2, 1], [0.1, 0.2, 0.3, 0.4]), 20))
print("dirichlet", mp.nstr(dirichlet([0.1, 0.2, 0.7], [0.5, 2, 7.5]), 20))
print("dirichlet", mp.nstr(dirichlet([0.16650390625, 0.33349609375, 0.5], [1e6, 2e6, 3e6]), 20))
print("dirichlet entropy", mp.nstr(dirichlet_entropy([0.5, 2, 7.5]), 20))
covariance = mp.matrix([[4, 1, 0.5], [1, 3, -0.2], [0.5, -0.2, 2]])
away = mp.matrix([-1, 2, -0.5])
square = (away.T * covariance ** -1 * away)[0]
log_determinant = mp.log(mp.det(covariance))
print("gaussian", mp.nstr(-(square + log_determinant + 3 * mp.log(2 * mp.pi)) / 2, 20))
print("gaussian entropy", mp.nstr((log_determinant + 3 * (1 + mp.log(2 * mp.pi))) / 2, 20))
