"""statsmodels: least squares and logistic regression with the table of their coefficients."""
import numpy as np


def version(threads):
    import statsmodels
    return f"statsmodels {statsmodels.__version__}"


def threads():
    return None  # those of NumPy's BLAS


def squares_table(x, targets, max_iter):
    import statsmodels.api as sm
    fitted = sm.OLS(targets, sm.add_constant(x)).fit()
    fitted.summary()
    return dict(coef=fitted.params[1:], intercept=fitted.params[0], errors=np.asarray(fitted.bse)[1:],
                iterations=1)


def logistic_table(x, labels, max_iter):
    import statsmodels.api as sm
    fitted = sm.Logit(labels, sm.add_constant(x)).fit(disp=0, maxiter=max_iter)
    fitted.summary()
    return dict(coef=fitted.params[1:], intercept=fitted.params[0], errors=np.asarray(fitted.bse)[1:],
                iterations=int(fitted.mle_retvals["iterations"]))
