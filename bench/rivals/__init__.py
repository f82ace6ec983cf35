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

and leaves out what the library cannot do, or raises Unsupported with the reason.
"""
import numpy as np


class Unsupported(Exception):
    """The contestant cannot do what is asked: it is not a failure."""


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


class Discriminants(Bayes):
    def learned(self, fitted, model):
        if model.startswith("Linear"):
            return dict(means=fitted.means_, coef=fitted.coef_ - fitted.coef_.mean(0))
        covariance = getattr(fitted, "covariance_", None)
        if covariance is None:  # scikit-learn keeps its eigenvectors
            covariance = [(r * s) @ r.T for r, s in zip(fitted.rotations_, fitted.scalings_)]
        return dict(means=fitted.means_, covariance=np.array(covariance))
