"""scikit-learn. OMP_NUM_THREADS and OPENBLAS_NUM_THREADS set its threads."""
import pickle

import sklearn
import sklearn.discriminant_analysis
import sklearn.feature_extraction.text
import sklearn.naive_bayes
import sklearn.preprocessing
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.impute import SimpleImputer
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline

from . import Bayes, Discriminants, Documents, Prepared, scaled


def version(threads):
    return f"scikit-learn {sklearn.__version__}"


def threads():
    return None  # threadpoolctl sees its pools


def kmeans(x, k, init, max_iter, tol, seed=0, algorithm="lloyd"):
    model = KMeans(k, init=init, n_init=1, max_iter=max_iter, tol=tol, random_state=seed,
                   algorithm=algorithm).fit(x)
    return dict(centers=model.cluster_centers_, labels=model.labels_, iterations=model.n_iter_)


def minibatch(x, k, batch_size, max_iter, seed=0):
    model = MiniBatchKMeans(k, n_init=1, batch_size=batch_size, max_iter=max_iter,
                            random_state=seed).fit(x)
    return dict(centers=model.cluster_centers_, labels=model.labels_, iterations=model.n_iter_)


def gmm(x, k, covariance_type, max_iter, tol, reg_covar, seed=0, **starts):
    model = GaussianMixture(k, covariance_type=covariance_type, max_iter=max_iter, tol=tol,
                            reg_covar=reg_covar, random_state=seed, **starts).fit(x)
    return dict(weights=model.weights_, means=model.means_, covariances=model.covariances_,
                iterations=model.n_iter_)


def logistic(x, labels, C, intercept, tol, solver, max_iter):
    from sklearn.linear_model import LogisticRegression
    # liblinear's tol is relative to its first gradient
    tol = tol / 10 if solver == "liblinear" else tol
    model = LogisticRegression(C=C, fit_intercept=intercept, tol=tol, solver=solver,
                               max_iter=max_iter).fit(x, labels)
    return dict(coef=model.coef_, intercept=model.intercept_, fitted_intercept=intercept,
                iterations=int(model.n_iter_[0]))


def squares(x, targets, max_iter):
    from sklearn.linear_model import LinearRegression
    model = LinearRegression().fit(x, targets)
    return dict(coef=model.coef_, intercept=model.intercept_, iterations=1)


def ridge_path(x, targets, alphas, max_iter):
    from sklearn.linear_model import RidgeCV
    model = RidgeCV(alphas=alphas).fit(x, targets)
    return dict(alpha=model.alpha_, error=-model.best_score_, iterations=1)


_bayes = Bayes(lambda name: getattr(sklearn.naive_bayes, name)())
nb_fit, nb_predict, nb_log_proba = _bayes.fit, _bayes.predict, _bayes.log_proba
nb_fit_predict = _bayes.fit_predict


def _discriminant(name):
    kind, _, solver = name.partition(" ")
    options = {"solver": solver} if solver else {}
    return getattr(sklearn.discriminant_analysis, kind)(**options)


_gda = Discriminants(_discriminant)
gda_fit, gda_predict, gda_log_proba = _gda.fit, _gda.predict, _gda.log_proba


def _pipeline(fill, scale):
    names = dict(standard="StandardScaler", robust="RobustScaler", min_max="MinMaxScaler")
    steps = [] if fill == "none" else [SimpleImputer(strategy=fill)]
    steps.append(getattr(sklearn.preprocessing, names[scale])())
    return make_pipeline(*steps, sklearn.naive_bayes.GaussianNB(var_smoothing=0))


_prepared = Prepared(_pipeline, lambda model: model[-1].theta_)
prepared_fit, prepared_predict = _prepared.fit, _prepared.predict


_documents = Documents(
    lambda name, **options: getattr(sklearn.feature_extraction.text, name)(**options),
    lambda counter: make_pipeline(counter, sklearn.naive_bayes.MultinomialNB()),
    lambda pipeline: pickle.loads(pickle.dumps(pipeline)))
text_counts, text_hashed = _documents.counts, _documents.hashed
text_nb, text_one = _documents.nb, _documents.one


def kde(x, queries, bandwidth, rtol, max_iter):
    from sklearn.neighbors import KernelDensity
    model = KernelDensity(bandwidth=bandwidth, rtol=rtol).fit(x)
    found, more = scaled(len(queries) / max_iter, lambda: model.score_samples(queries[:max_iter]))
    return dict(log_density=found, bound=rtol, more=more, iterations=max_iter)
