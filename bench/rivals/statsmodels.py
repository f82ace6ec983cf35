"""statsmodels: least squares and logistic regression with the table of their coefficients."""
import numpy as np

from . import scaled


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


def kde_bandwidth(x, rule, max_iter):
    """Of the first rows: its time grows with their square."""
    from statsmodels.nonparametric.kernel_density import KDEMultivariate
    rows = max(max_iter, 100)
    name = dict(lscv="cv_ls", likelihood="cv_ml")[rule]
    found, more = scaled((len(x) / rows) ** 2, lambda: KDEMultivariate(x[:rows], "c", bw=name).bw[0])
    return dict(bandwidth=found, rows=rows, more=more, iterations=1)
