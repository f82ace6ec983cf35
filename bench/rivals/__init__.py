"""One script a contestant. A script has

    version(threads)                 imports the library, sets its threads; what it is, as text
    threads()                        what the library says it uses, or None
    kmeans(x, k, init, ...)          dict(centers, labels, iterations)
    minibatch(x, k, ...)             the same
    gmm(x, k, covariance_type, ...)  dict(weights, means, covariances, iterations)
    nb_fit(x, labels, learned, ...)  a function for dict(feature_log_prob, iterations), or theta
                                     and var; learned: from so many rows
    nb_predict(...), nb_log_proba()  dict(labels, iterations) or dict(log_proba, ...) of the others
    gda_fit(...), gda_predict(), ... the same of discriminant analysis: means, and coef less its
                                     mean over the classes, or covariance
    logistic(x, labels, C, intercept, tol, solver, max_iter)
                                     dict(coef, intercept, fitted_intercept, iterations)
    squares(x, targets, max_iter)    dict(coef, intercept): least squares; squares_table() with the
                                     errors of the coefficients and the tables that go with them
    ridge_path(x, targets, alphas, max_iter)
                                     dict(alpha, error): the best, by rows left out one by one
    prepared_fit(x, labels, fill, scale, ...), prepared_predict(...)
                                     Gaussian naive Bayes of prepared rows: theta, or labels
    text_counts(x, labels, learned, ngram_max, max_iter), text_hashed(x, labels, learned, max_iter)
                                     a function for the matrix of the first `learned` texts: its
                                     indptr, indices and data, and of counts its terms, as bytes
    text_nb(x, labels, learned, max_iter), text_one(...)
                                     dict(labels): naive Bayes of words, from texts to the labels of
                                     the others; of `asked` of them one by one, from a saved file
    kde(x, queries, bandwidth, rtol, max_iter)
                                     dict(log_density, bound): of the queries, or of the first
                                     `max_iter` of them, scaled(); and the error that is promised.
                                     kde_weights() with weights, kde_grid() of a grid of queries,
                                     kde_ready() when the model is there already
    kde_bandwidth(x, rule, max_iter) dict(bandwidth, rows): by cross-validation of so many rows

and leaves out what the library cannot do, or raises Unsupported with the reason.
"""
import time

import numpy as np


class Unsupported(Exception):
    """The contestant cannot do what is asked: it is not a failure."""


def scaled(times, work):
    """Of work on a sample: its result, and what the whole takes beyond that, as (wall, CPU) time."""
    cpu, start = time.process_time(), time.perf_counter()
    result = work()
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    return result, ((times - 1) * wall, (times - 1) * cpu)


class Bayes:
    """Naive Bayes in scikit-learn's shape: what is asked beside what is timed is kept."""

    def __init__(self, make):
        self.make = make  # of a name
        self.rows, self.models = None, {}

    def split(self, x, learned):
        if self.rows is None:
            self.rows = (x, x) if learned == x.shape[0] else (x[:learned], x[learned:])
        return self.rows

    def fit(self, x, labels, model, learned, max_iter):
        rows, _ = self.split(x, learned)
        fitted = self.make(model).fit(rows, labels[:learned])
        return lambda: dict(self.learned(fitted, model), iterations=1)

    def learned(self, fitted, model):
        names = ("theta", "var") if model == "GaussianNB" else ("feature_log_prob",)
        return {name: getattr(fitted, name + "_") for name in names}

    def fitted(self, x, labels, model, learned, max_iter):
        rows, asked = self.split(x, learned)
        if model not in self.models:  # when it warms up
            self.models[model] = self.make(model).fit(rows, labels[:learned])
        return self.models[model], asked

    def predict(self, *arguments, **named):
        model, rows = self.fitted(*arguments, **named)
        return dict(labels=model.predict(rows), iterations=1)

    def fit_predict(self, x, labels, model, learned, max_iter):
        rows, asked = self.split(x, learned)
        fitted = self.make(model).fit(rows, labels[:learned])
        return dict(labels=fitted.predict(asked), iterations=1)

    def log_proba(self, *arguments, **named):
        model, rows = self.fitted(*arguments, **named)
        return dict(log_proba=model.predict_log_proba(rows), iterations=1)


class Prepared:
    """A model that prepares its rows; `make` gives it, and `theta` what it learned."""

    def __init__(self, make, theta):
        self.make, self.theta, self.models = make, theta, {}

    def fit(self, x, labels, fill, scale, max_iter):
        fitted = self.make(fill, scale).fit(x, labels)
        return lambda: dict(theta=self.theta(fitted), iterations=1)

    def predict(self, x, labels, fill, scale, max_iter):
        if (fill, scale) not in self.models:  # when it warms up
            self.models[fill, scale] = self.make(fill, scale).fit(x, labels)
        return dict(labels=self.models[fill, scale].predict(x), iterations=1)


class Documents:
    """Texts, in scikit-learn's shape. make(name, **options) gives a vectoriser, pipe(vectoriser) a
    pipeline to naive Bayes, and reloaded(pipeline) that from a file."""

    def __init__(self, make, pipe, reloaded):
        self.make, self.pipe, self.reloaded, self.loaded = make, pipe, reloaded, None

    def counts(self, x, labels, learned, ngram_max, max_iter):
        counter = self.make("CountVectorizer", ngram_range=(1, ngram_max))
        rows = counter.fit_transform(x[:learned])
        return lambda: dict(matrix(rows), iterations=1, terms=np.frombuffer(
            "\n".join(counter.get_feature_names_out()).encode(), np.uint8))

    def hashed(self, x, labels, learned, max_iter):
        rows = self.make("HashingVectorizer", norm=None).transform(x[:learned])
        return lambda: dict(matrix(rows), iterations=1)

    def fitted(self, x, labels, learned):
        return self.pipe(self.make("CountVectorizer")).fit(x[:learned], labels[:learned])

    def nb(self, x, labels, learned, max_iter):
        return dict(labels=self.fitted(x, labels, learned).predict(x[learned:]), iterations=1)

    def one(self, x, labels, learned, asked, max_iter):
        if self.loaded is None:  # when it warms up
            self.loaded = self.reloaded(self.fitted(x, labels, learned))
        some = x[learned : learned + asked]
        return dict(labels=[self.loaded.predict([text])[0] for text in some], iterations=1)


def matrix(rows):
    """In one form: some sort their columns, some keep terms whose signs cancel."""
    rows = rows.astype(np.float64).tocsr()
    rows.eliminate_zeros()
    rows.sort_indices()
    return dict(indptr=rows.indptr.astype(np.int64), indices=rows.indices.astype(np.int64),
                data=rows.data)


class Discriminants(Bayes):
    def learned(self, fitted, model):
        if model.startswith("Linear"):
            return dict(means=fitted.means_, coef=fitted.coef_ - fitted.coef_.mean(0))
        covariance = getattr(fitted, "covariance_", None)
        if covariance is None:  # scikit-learn keeps its eigenvectors
            covariance = [(r * s) @ r.T for r, s in zip(fitted.rotations_, fitted.scalings_)]
        return dict(means=fitted.means_, covariance=np.array(covariance))
