#!/usr/bin/env python3
"""Ridge regression by scikit-learn, for craton/linear/ridge_test.cc: prints what that file quotes."""
import numpy as np
from sklearn.linear_model import Ridge, RidgeCV

i, j = np.arange(12)[:, None], np.arange(3)[None, :]
x = ((i * (3 + 2 * j) + 3 * j) % 11).astype(float)
y = ((5 * np.arange(12)) % 13).astype(float)
w = 1.0 + np.arange(12) % 3
for intercept in [True, False]:
    for alpha in [0.5, 20.0]:
        model = Ridge(alpha=alpha, fit_intercept=intercept, solver="svd" if intercept else "cholesky").fit(x, y, sample_weight=w)
        print("ridge", intercept, alpha, [repr(float(v)) for v in model.coef_], repr(float(model.intercept_)))
model = RidgeCV(alphas=[0.1, 1, 10, 100, 1000], store_cv_results=True).fit(x, y)
print("ridge-cv", model.alpha_, [repr(float(v)) for v in model.cv_results_.mean(axis=0)], [repr(float(v)) for v in model.coef_])
