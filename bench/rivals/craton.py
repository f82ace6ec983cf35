"""craton itself, through its Python package."""
import pathlib
import tempfile

import craton
import numpy as np

from . import Bayes, Discriminants, Documents, Prepared, Unsupported

_threads = None


def version(threads):
    global _threads
    _threads = threads
    return f"craton {craton.__version__}"


def threads():
    return None  # given with every call, as n_jobs


def kmeans(x, k, init, max_iter, tol, seed=0, algorithm="auto"):
    model = craton.KMeans(k, init=init, n_init=1, max_iter=max_iter, tol=tol, random_state=seed,
                          algorithm=algorithm, n_jobs=_threads).fit(x)
    return dict(centers=model.cluster_centers_, labels=model.labels_,
                iterations=model.report_.iterations)


def minibatch(x, k, batch_size, max_iter, seed=0):
    model = craton.MiniBatchKMeans(k, batch_size=batch_size, max_iter=max_iter, random_state=seed,
                                   n_jobs=_threads).fit(x)
    return dict(centers=model.cluster_centers_, labels=model.labels_, iterations=model.n_iter_)


def gmm(x, k, covariance_type, max_iter, tol, reg_covar, seed=0, **starts):
    choices = craton.GaussianMixture.__doc__.split("covariance_type : {")[1].split("}")[0]
    if covariance_type not in choices:
        raise Unsupported(f"craton's GaussianMixture has no {covariance_type} covariances yet")
    model = craton.GaussianMixture(k, covariance_type=covariance_type, max_iter=max_iter, tol=tol,
                                   reg_covar=reg_covar, random_state=seed, n_jobs=_threads,
                                   **starts).fit(x)
    return dict(weights=model.weights_, means=model.means_, covariances=model.covariances_,
                iterations=model.report_.iterations)


def mixture(x, k, family, max_iter, groups):
    plain = dict(family=family, prior_rows=0, alpha=0, n_jobs=_threads)
    model = craton.Mixture(max_iter=0, **plain).fit(x, labels=groups)
    model.set_params(n_components=k, max_iter=max_iter, tol=0, warm_start=True).fit(x)
    theta = [estimates[:, 0] for estimates in model.estimates_]
    return dict(weights=model.weights_, theta=np.stack(theta, axis=1),
                iterations=model.report_.iterations)


_bayes = Bayes(lambda name: getattr(craton, name)(n_jobs=_threads))
nb_fit, nb_predict, nb_log_proba = _bayes.fit, _bayes.predict, _bayes.log_proba
nb_fit_predict = _bayes.fit_predict

def logistic(x, labels, C, intercept, tol, solver, max_iter):
    # A step of a hundredth of a standard error is far below a gradient of 1e-5, a tenth below 1e-4.
    steps = 0.01 if tol <= 1e-5 else 0.1
    model = craton.LogisticRegression(C=C, fit_intercept=intercept, tol=steps, max_iter=max_iter,
                                      errors="none", n_jobs=_threads).fit(x, labels)
    return dict(coef=model.coef_, intercept=model.intercept_, fitted_intercept=intercept,
                iterations=model.report_.iterations)


def logistic_table(x, labels, max_iter):
    model = craton.LogisticRegression(penalty="none", n_jobs=_threads).fit(x, labels)
    errors = model.tables()["coefficients"]["error"][1:]
    return dict(coef=model.coef_, intercept=model.intercept_, errors=errors, iterations=model.report_.iterations)


def squares(x, targets, max_iter):
    model = craton.LinearRegression(n_jobs=_threads).fit(x, targets)
    return dict(coef=model.coef_, intercept=model.intercept_, iterations=1)


def squares_table(x, targets, max_iter):
    model = craton.LinearRegression(n_jobs=_threads).fit(x, targets)
    errors = model.tables()["coefficients"]["error"][1:]
    return dict(coef=model.coef_, intercept=model.intercept_, errors=errors, iterations=1)


def ridge_path(x, targets, alphas, max_iter):
    model = craton.RidgeCV(alphas=alphas, n_jobs=_threads).fit(x, targets)
    return lambda: dict(alpha=model.alpha_, error=np.min(model.tables()["path"]["leave_one_out"]), iterations=1)


_gda = Discriminants(lambda name: getattr(craton, name.split()[0])(n_jobs=_threads))
gda_fit, gda_predict, gda_log_proba = _gda.fit, _gda.predict, _gda.log_proba

_prepared = Prepared(
    lambda fill, scale: craton.GaussianNB(fill=fill, scale=scale, var_smoothing=0, n_jobs=_threads),
    lambda model: model.theta_)
prepared_fit, prepared_predict = _prepared.fit, _prepared.predict


def _reloaded(pipeline):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "texts.craton"
        pipeline.save(path)
        return craton.load(path)


_documents = Documents(lambda name, **options: getattr(craton, name)(n_jobs=_threads, **options),
                       lambda counter: craton.make_pipeline(counter, craton.MultinomialNB(n_jobs=_threads)),
                       _reloaded)
text_counts, text_hashed = _documents.counts, _documents.hashed
text_nb, text_one = _documents.nb, _documents.one


def _densities(model, queries, rtol):
    return dict(log_density=model.score_samples(queries), bound=rtol, iterations=1)


def _kde(x, bandwidth, rtol):
    return craton.KernelDensity(bandwidth=bandwidth, rtol=rtol, n_jobs=_threads).fit(x)


def kde(x, queries, bandwidth, rtol, max_iter):
    return _densities(_kde(x, bandwidth, rtol), queries, rtol)


kde_grid = kde


def kde_weights(x, queries, weights, bandwidth, rtol, max_iter):
    return kde(x, queries, bandwidth, rtol, max_iter)  # craton_weighted.py takes them


_ready = {}


def kde_ready(x, queries, bandwidth, rtol, max_iter):
    if bandwidth not in _ready:  # when it warms up
        _ready[bandwidth] = _kde(x, bandwidth, rtol)
    return _densities(_ready[bandwidth], queries, rtol)


def kde_bandwidth(x, rule, max_iter):
    model = craton.KernelDensity(bandwidth=rule, n_jobs=_threads).fit(x)
    return dict(bandwidth=model.bandwidth_[0], rows=len(x), iterations=1)
