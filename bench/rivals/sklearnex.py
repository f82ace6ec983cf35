"""scikit-learn patched by scikit-learn-intelex (oneDAL)."""
from importlib.metadata import version as version_of

import daal4py
from sklearnex import patch_sklearn

patch_sklearn(verbose=False)
from sklearn.cluster import KMeans  # noqa: E402  patched

from . import Unsupported  # noqa: E402


def version(threads):
    assert KMeans.__module__.startswith("sklearnex"), "KMeans was not patched"
    daal4py.daalinit(threads)
    return f"scikit-learn-intelex {version_of('scikit-learn-intelex')}"


def threads():
    return daal4py.num_threads()


def kmeans(x, k, init, max_iter, tol, seed=0):
    model = KMeans(k, init=init, n_init=1, max_iter=max_iter, tol=tol, random_state=seed,
                   algorithm="lloyd").fit(x)
    return dict(centers=model.cluster_centers_, labels=model.labels_, iterations=model.n_iter_)


def logistic(x, labels, C, intercept, tol, solver, max_iter):
    from sklearn.linear_model import LogisticRegression
    if solver != "lbfgs":
        raise Unsupported("it has lbfgs alone")
    assert LogisticRegression.__module__.startswith(("sklearnex", "daal4py")), "it was not patched"
    model = LogisticRegression(C=C, fit_intercept=intercept, tol=tol, max_iter=max_iter).fit(x, labels)
    return dict(coef=model.coef_, intercept=model.intercept_, fitted_intercept=intercept,
                iterations=int(model.n_iter_[0]))


def squares(x, targets, max_iter):
    from sklearn.linear_model import LinearRegression
    assert LinearRegression.__module__.startswith(("sklearnex", "daal4py")), "it was not patched"
    model = LinearRegression().fit(x, targets)
    return dict(coef=model.coef_, intercept=model.intercept_, iterations=1)
