#!/usr/bin/env python3
"""Inference of linear fits by statsmodels (0.14), for craton/linear/inference_test.cc: prints what that file quotes.

Longley (NIST StRD), ordinary and weighted: WLS's weights are precisions. Wald: the second and third coefficients are 0 and
-0.05. Prediction: at the first row. Columns are taken about their means, which leaves statsmodels more digits: so intercepts,
the first number of each list, are not those of the table.
"""
import pathlib

import numpy as np
import statsmodels.api as sm

lines = (pathlib.Path(__file__).parent / "least_squares.txt").read_text().splitlines()
start = lines.index("problem longley intercept 16 6")
table = np.array([[float(v) for v in line.split()[1:]] for line in lines[start + 1 : start + 17]])
y, x = table[:, 1], sm.add_constant(table[:, 2:] - table[:, 2:].mean(axis=0))
weights = 1 + np.arange(16) % 3 / 2
for name, model in [("ols", sm.OLS(y, x)), ("wls", sm.WLS(y, x, weights))]:
    fit = model.fit(method="qr")
    print(name, "log_likelihood", repr(fit.llf), "aic + 2", repr(fit.aic + 2), "bic + log n", repr(fit.bic + np.log(16)))
    print(name, "r2", repr(fit.rsquared), "adjusted", repr(fit.rsquared_adj), "f", repr(fit.fvalue), "p", repr(fit.f_pvalue))
    print(name, "t", fit.tvalues.tolist())
    print(name, "p", fit.pvalues.tolist())
    print(name, "interval", fit.conf_int(0.1).tolist())
    for kind in ["HC0", "HC1", "HC2", "HC3"]:
        print(name, kind, getattr(fit, kind + "_se").tolist())
    hypothesis = np.zeros((2, 7))
    hypothesis[0, 1] = hypothesis[1, 2] = 1
    test = fit.f_test((hypothesis, np.array([0, -0.05])))
    print(name, "wald", repr(float(test.fvalue)), repr(float(test.pvalue)))
    at = fit.get_prediction(x[:1])
    print(name, "mean error", at.se_mean.tolist(), "interval of an observation", at.conf_int(obs=True, alpha=0.1).tolist())
    if name == "ols":
        print(name, "cook", fit.get_influence().cooks_distance[0].tolist())
