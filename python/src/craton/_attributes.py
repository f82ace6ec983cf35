"""What scikit-learn's class of a name offers besides the parameters of the model."""

import numpy as np

from . import _craton
from ._base import _seed
from ._errors import InputError
from ._values import whole_number


class KMeansAttributes:
    @property
    def inertia_(self):
        """Weighted sum of the squared distances of the rows to their centres."""
        return -self.report_.objective

    def fit(self, X, y=None, sample_weight=None, *, callback=None):
        """Learn from the rows of X; as of every estimator, but ``init`` may be a callable."""
        if not callable(self.init):
            return super().fit(X, y, sample_weight, callback=callback)
        return self._fit_from(self.init, X, sample_weight, callback)

    def _fit_from(self, init, X, sample_weight, callback):
        """From the centres that init(X, n_clusters, random_state) gives, n_init times; the best."""
        rows = self._table(X, weights=sample_weight).rows
        random = self.random_state
        if not isinstance(random, np.random.RandomState):
            random = np.random.RandomState(_seed(random) % 2**32)
        n_init = 1 if isinstance(self.n_init, str) else whole_number("n_init", self.n_init, 1, 2**24)
        best = None
        for _ in range(n_init):
            centres = self._centres_of(init, rows, random)
            self._fit(X, None, sample_weight, callback, init=centres, n_init=1)
            if best is None or best["_report"].objective < self._report.objective:
                best = {name: self.__dict__[name] for name in _LEARNED if name in self.__dict__}
        self.__dict__.update(best)
        return self

    def _values(self):
        values = super()._values()
        if callable(self.init):  # fit asks it
            del values["init"]
        return values

    def _centres_of(self, init, rows, random):
        centres = np.array(init(rows, self.n_clusters, random_state=random), np.float64)
        if centres.shape != (self.n_clusters, rows.shape[1]):
            raise InputError(
                f"init gave centres of the shape {centres.shape}\n  Let it give"
                f" {self.n_clusters} rows of {rows.shape[1]} columns.",
                "bad-shape",
            )
        return centres


_LEARNED = ("_model", "_learned", "_report", "_names", "_columns", "_reads_texts", "_labels")


class MiniBatchKMeansAttributes(KMeansAttributes):
    pass


class GaussianMixtureAttributes:
    @property
    def covariances_(self):
        """The covariances: k x d x d (full), d x d (tied), k x d (diag) or k (spherical)."""
        covariances = self._parameter("covariances")
        return covariances[0] if self._covariance_type() == "tied" else covariances

    @property
    def precisions_cholesky_(self):
        """Upper triangular U with precision = U U' (full, tied), or 1 / standard deviation."""
        covariances = self.covariances_
        if self._covariance_type() not in ("full", "tied"):
            return 1 / np.sqrt(covariances)
        return np.swapaxes(np.tril(np.linalg.inv(np.linalg.cholesky(covariances))), -1, -2)

    @property
    def precisions_(self):
        """The inverse of each covariance."""
        factor = self.precisions_cholesky_
        if self._covariance_type() not in ("full", "tied"):
            return factor**2
        return factor @ np.swapaxes(factor, -1, -2)

    def _covariance_type(self):
        return self._fitted().options()["covariance_type"]  # as it was at fit

    @property
    def converged_(self):
        """Whether the fit stopped by ``tol``, not at ``max_iter``."""
        return self.report_.converged

    @property
    def lower_bound_(self):
        """Mean log-likelihood of the rows of fit."""
        return self.report_.objective

    @property
    def lower_bounds_(self):
        """The mean log-likelihood at every pass."""
        return self.report_.trace.tolist()


class KernelDensityAttributes:
    # A kernel may be a function. Files have none: what was read from one is given it again.
    _takes_function = "kernel"

    def _values(self):
        values = super()._values()
        if callable(self.kernel):
            del values["kernel"]
        return values

    def _function(self):
        return self.kernel if callable(self.kernel) else None

    def _adopt(self, model):
        if model.asleep and callable(self.kernel):
            model = model.with_kernel(self.kernel)
        return super()._adopt(model)

    @property
    def row_scales_(self):
        """How much wider the kernel about each row is; None: all are alike."""
        return self._parameter_or_none("row_scales")

    @property
    def support_(self):
        """The two ends of each column, one a row; infinite where it has none. None: no support."""
        ends = self._parameter_or_none("support")
        if ends is None:
            return None
        low, high, kind = ends.T
        has_low, has_high = (kind % 2 == 1) | (kind == 4), (kind % 4 >= 2) | (kind == 4)
        return np.column_stack(
            (np.where(has_low, low, -np.inf), np.where(has_high, high, np.inf))
        )

    @property
    def bandwidth_optima_(self):
        """Bandwidths, as standard deviations of kernels, that are the best near by, and the criterion
        there, one a row, the best first: of 'lscv' the squared error up to a constant, of 'likelihood'
        the mean log density of rows left out. None: other rules."""
        return self._parameter_or_none("bandwidth_optima")

    def _parameter_or_none(self, name):
        try:
            return self._parameter(name)
        except KeyError:
            return None

    @property
    def bandwidth_matrix_(self):
        """H of the kernels of |L^-1 (x - y)|, H = L L': squared bandwidths where they lie straight."""
        factor = self._parameter_or_none("bandwidth_factor")
        if factor is None:
            return np.diag(self._parameter("bandwidth") ** 2)
        return factor @ factor.T

    def sample(self, n_samples=1, random_state=None):
        """Draw rows from the model, of any kernel.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState, Generator or None, default=None
            None is 0, so that two calls give the same rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        return super().sample(n_samples, random_state)[0]


def _kernels(theta):
    """Bandwidth, values and their weights, of the parameters of the family kde."""
    n = len(theta) // 2
    return theta[0], theta[1 : n + 1], theta[n + 1 :]


class _WithGivenCells:
    """partial_fit of the estimator, there if its cells do not depend on the rows."""

    def __get__(self, estimator, kind):
        if estimator is None:
            return super(HistogramAttributes, kind).partial_fit
        given = estimator.low != "data" and estimator.high != "data" or estimator.edges is not None
        if given or estimator.bins == "values":
            return super(HistogramAttributes, estimator).partial_fit
        raise AttributeError(
            "partial_fit: bins found by the rows of fit would be others with more rows\n  Give bins"
            " with low and high, edges, or of whole numbers bins = 'values'."
        )


class HistogramAttributes:
    partial_fit = _WithGivenCells()

    @property
    def edges_(self):
        """The ends of the bins of each column; None of one whose cells are values."""
        values = self._parameter("edges")
        counts = [int(n) + 1 if kind < 2 else 0 for kind, n, _ in self._parameter("kinds")]
        parts = np.split(values, np.cumsum(counts)[:-1])
        return [part if len(part) else None for part in parts]

    @property
    def counts_(self):
        """The weight of the rows in each cell of each column."""
        counts = [int(n) for _, n, _ in self._parameter("kinds")]
        return np.split(self._parameter("counts"), np.cumsum(counts)[:-1])

    @property
    def values_(self):
        """What has a cell in each column, whole numbers or codes; None of one with bins."""
        return [
            None if kind < 2 else first + np.arange(int(n)) for kind, n, first in self._parameter("kinds")
        ]

    def sample(self, n_samples=1, random_state=None):
        """Draw rows from the model.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState, Generator or None, default=None
            None is 0, so that two calls give the same rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        return super().sample(n_samples, random_state)[0]


class DensityAttributes:
    @property
    def families_(self):
        """The name of the family of each column."""
        return [family for family, _, _ in self._chosen()]

    @property
    def estimates_(self):
        """The parameters of each column, by name (those of a category in one list, and the values
        and weights of kernels in one each)."""
        return [self._named(family, values) for family, values, _ in self._chosen()]

    @property
    def standard_errors_(self):
        """The standard error of each of them; NaN where there is none."""
        return [
            self._named(family, _craton.standard_errors(family, values, weight))
            for family, values, weight in self._chosen()
        ]

    def _chosen(self):
        """Family, parameters and weight of the best candidate of each column."""
        names, start, chosen = list(_craton.families()), 0, {}
        for column, family, count, _, weight in self._parameter("candidates"):
            values = self._parameter("values")[start : start + int(count)].tolist()
            start += int(count)
            chosen.setdefault(int(column), (names[int(family)], values, float(weight)))
        return list(chosen.values())

    @staticmethod
    def _named(family, values):
        if family == "categorical":
            return {"p": list(values)}
        if family == "kde":
            bandwidth, points, weights = _kernels(values)
            return {"bandwidth": bandwidth, "values": points, "weights": weights}
        return dict(zip(_craton.families()[family], values))


class _Bayes:
    @property
    def class_count_(self):
        """Weight of the rows of each class."""
        return self._fitted().memory()["class_count"]

    @property
    def calibration_(self):
        """T and a in p(label | row) ~ p(row, label)^(T length^-a), by name; None: not calibrated."""
        return self._named("calibration", ("scale", "length_exponent"))

    @property
    def leave_one_out_(self):
        """Log-loss of rows left out, calibrated too, and accuracy; None: not calibrated."""
        return self._named("leave_one_out", ("log_loss", "calibrated_log_loss", "accuracy"))

    def _named(self, parameter, names):
        try:
            return dict(zip(names, self._parameter(parameter).tolist()))
        except KeyError:
            return None


class _Counts(_Bayes):
    @property
    def feature_count_(self):
        """Sums of the features over the rows of each class."""
        return self._fitted().memory()["feature_count"]


class MultinomialNBAttributes(_Counts):
    _positive_only = True


class ComplementNBAttributes(_Counts):
    _positive_only = True

    @property
    def feature_all_(self):
        """Sums of the features over the rows of all classes."""
        return self.feature_count_.sum(axis=0)


class BernoulliNBAttributes(_Counts):
    pass


class _LinearTerms(_Bayes):
    @property
    def coef_(self):
        """Weights of the linear form of the labels, n_classes x terms: linear_terms_."""
        return self._fitted().linear_form()[0]

    @property
    def linear_terms_(self):
        """What coef_ multiplies: (column, what is made of its value), such as (0, 'log {}').

        A list of such is their product.
        """
        return self._fitted().linear_form()[2]


class _Columns:
    def _columns_of(self):
        """Family, cuts (None: no buckets), and the parameters of each class, column by column.

        Those of kernels are a list of arrays: a bandwidth, values and weights for each class.
        """
        names, classes = list(_craton.families()), len(self._parameter("class_log_prior"))
        values = self._parameter("values")
        for family, levels, buckets, n_cuts, _, _ in self._parameter("features"):
            name = names[int(family)]
            size = int(levels) or len(_craton.families()[name])
            between, values = values[: int(n_cuts)], values[int(n_cuts) :]
            if name == "kde":
                of_classes = []
                for _ in range(classes):
                    last = 1 + int(values[0])
                    of_classes.append(values[1:last])
                    values = values[last:]
                yield name, None, of_classes
                continue
            theta, values = values[: size * classes], values[size * classes :]
            yield name, between if buckets else None, theta.reshape(classes, size)


class _Families(_Columns):
    @property
    def families_(self):
        """The family of each column; 'buckets' for numbers that were cut into such."""
        return [name if cuts is None else "buckets" for name, cuts, _ in self._columns_of()]

    @property
    def cuts_(self):
        """Where each column is cut into buckets; None for one that is not."""
        return [cuts for _, cuts, _ in self._columns_of()]

    @property
    def estimates_(self):
        """The parameters of each column: an array of classes, or components, x parameters.

        Of the family kde a list instead: for each class its bandwidth, values, and their weights.
        """
        return [
            [_kernels(of_class) for of_class in theta] if name == "kde" else theta
            for name, _, theta in self._columns_of()
        ]


class NaiveBayesAttributes(_LinearTerms, _Families):
    pass


class MixtureAttributes(_Families):
    @property
    def weights_(self):
        """The weight of each component."""
        return np.exp(self._parameter("class_log_prior"))

    @property
    def converged_(self):
        """Whether the fit stopped by ``tol``, not at ``max_iter``."""
        return self.report_.converged


class GenerativeClassifierAttributes:
    @property
    def densities_(self):
        """The parameters of the density of each class, by name."""
        parts = [{} for _ in self._parameter("class_log_prior")]
        for name in self._fitted().parameter_help():
            if name.startswith("part."):
                _, number, own = name.split(".", 2)
                parts[int(number)][own] = self._parameter(name)
        return parts


class CategoricalNBAttributes(_LinearTerms, _Columns):
    _only_categories = True

    @property
    def feature_log_prob_(self):
        """Of each column: log probability of each category in each class."""
        with np.errstate(divide="ignore"):
            return [np.log(theta) for _, _, theta in self._columns_of()]


    @property
    def n_categories_(self):
        """Number of categories of each column."""
        return np.array([theta.shape[1] for _, _, theta in self._columns_of()])

    @property
    def category_count_(self):
        """Of each column: weight of the rows of each class (rows) with each category."""
        numbers, counts = self._fitted().memory()["statistics"], []
        for size in self.n_categories_:  # of each class its weight, then that of each category
            part = numbers[: len(self.classes_) * (size + 1)].reshape(-1, size + 1)
            numbers = numbers[part.size :]
            counts.append(part[:, 1:].copy())
        return counts


class PositionalNBAttributes:
    _only_categories = True
    _one_vocabulary = True


class GaussianNBAttributes:
    @property
    def class_prior_(self):
        """Probability of each class."""
        return np.exp(self._parameter("class_log_prior"))

    @property
    def class_count_(self):
        """Weight of the rows of each class."""
        return self._fitted().memory()["class_count"]

    @property
    def epsilon_(self):
        """What was added to every variance."""
        return float(self._parameter("epsilon")[0])

    @property
    def coef_(self):
        """With shared or given variances: w of softmax(w x + b), which is predict_proba."""
        return self._parameter("theta") / self._shared()

    @property
    def intercept_(self):
        """With shared or given variances: b of softmax(w x + b)."""
        squares = self._parameter("theta") ** 2 / self._shared()
        return self._parameter("class_log_prior") - squares.sum(axis=1) / 2

    def _shared(self):
        variances = self._parameter("var")
        if (variances != variances[0]).any():
            raise AttributeError("variances of the classes' own have no linear form: use 'shared'")
        return variances[0]


class _Discriminant:
    @property
    def priors_(self):
        """Probability of each class."""
        return np.exp(self._parameter("class_log_prior"))

    @property
    def class_count_(self):
        """Weight of the rows of each class."""
        return self._fitted().memory()["class_count"]

    @property
    def _takes_missing(self):
        return self.covariance_type != "full"


class LinearDiscriminantAnalysisAttributes(_Discriminant):
    @property
    def xbar_(self):
        """The mean of the class means, by their probabilities; transform gives 0 there."""
        return self.priors_ @ self._parameter("means")

    @property
    def covariance_(self):
        """The covariance within classes: a matrix, or its diagonal, or the variance."""
        return self._parameter("covariance")[0]

    @property
    def coef_(self):
        """Weights of the linear scores of the labels; of two labels, of their difference."""
        coef = self._fitted().linear_form()[0]
        return coef[1:] - coef[:1] if len(coef) == 2 else coef

    @property
    def intercept_(self):
        """What is added to the scores of the labels; of two labels, the difference."""
        intercept = self._fitted().linear_form()[1]
        return intercept[1:] - intercept[:1] if len(intercept) == 2 else intercept

    def decision_function(self, X):
        """Linear scores of the labels, whose softmax is predict_proba; of two labels, the log-odds
        of the second."""
        log_p = self.predict_log_proba(X)
        if log_p.shape[1] == 2:
            return log_p[:, 1] - log_p[:, 0]
        scores = self._read(X).rows @ self.coef_.T + self.intercept_
        return np.where(np.isnan(scores), log_p, scores)  # of rows with missing values


class QuadraticDiscriminantAnalysisAttributes(_Discriminant):
    @property
    def rotations_(self):
        """Of each class, the axes of its Gaussian, one a column: eigenvectors of its covariance,
        those of the greatest variance first."""
        return [vectors for _, vectors in self._axes()]

    @property
    def scalings_(self):
        """Of each class, the variances along these axes."""
        return [values for values, _ in self._axes()]

    def _axes(self):
        """Eigenvalues and eigenvectors of the covariance of each class."""
        d, axes = self.n_features_in_, []
        shape = self._fitted().options()["covariance_type"]  # as it was at fit
        for covariance in self._parameter("covariance"):
            matrix = covariance if shape == "full" else np.diag(np.broadcast_to(covariance, d))
            values, vectors = np.linalg.eigh(matrix)
            axes.append((values[::-1].copy(), vectors[:, ::-1].copy()))
        return axes

    def decision_function(self, X):
        """log p(row, label) up to a constant; of two labels, the log-odds of the second."""
        log_p = self.predict_log_proba(X)
        if log_p.shape[1] == 2:
            return log_p[:, 1] - log_p[:, 0]
        log_row = self.score_samples(X) + self.n_features_in_ * np.log(2 * np.pi) / 2
        return log_p + log_row[:, None]


class RidgeAttributes:
    @property
    def n_iter_(self):
        """1: the equations are solved at once. scikit-learn wants it beside max_iter."""
        return 1


class RidgeCVAttributes:
    """What was chosen is a number."""

    @property
    def alpha_(self):
        """The strength that was chosen."""
        return float(self._parameter("alpha")[0])


class LogisticRegressionAttributes:
    @property
    def coef_(self):
        """Weights of the scores of the labels, which sum to 0; of two labels, of the log-odds of the
        second."""
        coef = self._fitted().linear_form()[0]
        return coef[1:] - coef[:1] if len(coef) == 2 else coef

    @property
    def intercept_(self):
        """What is added to the scores of the labels; of two labels, to the log-odds of the second."""
        intercept = self._fitted().linear_form()[1]
        return intercept[1:] - intercept[:1] if len(intercept) == 2 else intercept

    @property
    def covariance_(self):
        """Of the estimates of odds_coef_ and odds_intercept_, class after class; None: not asked for."""
        try:
            return self._parameter("covariance")
        except KeyError:
            return None

    @property
    def separation_(self):
        """A direction of odds_coef_ (then of odds_intercept_, the last column) along which no row
        comes nearer to another class, and some go away from one: then no coefficients have the
        greatest likelihood. None: there is none."""
        try:
            return self._parameter("separation")
        except KeyError:
            return None

    def decision_function(self, X):
        """Scores of the labels, whose softmax is predict_proba; of two labels, the log-odds of the
        second."""
        log_p = self.predict_log_proba(X)
        if log_p.shape[1] == 2:
            return log_p[:, 1] - log_p[:, 0]
        return log_p - log_p.mean(axis=1, keepdims=True)
