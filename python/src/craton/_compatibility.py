"""What programs written for scikit-learn bring along: keywords that craton has no option for, and
words that its options do not know. Each is in a table here, by class, and nowhere else.

At scikit-learn's default a keyword changes nothing. Otherwise it means here what it means there, or
is refused with what to do instead. tools/generate_python.py writes the keywords into constructors.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ._errors import FitWarning, InputError


class Keyword(NamedTuple):
    """`read(value, options, name)` puts what the keyword means into the options of the model."""

    default: Any
    kind: str  # for the docstring
    help: str
    read: Any


def _nothing(value, options, name):
    """Whatever is given, the result is the same, or is made elsewhere."""


def _alias(of):
    def read(value, options, name):
        if value is None:
            return
        if options[of] is not None:
            raise InputError(f"{name} and {of} are both given\n  Give one: they mean the same.")
        options[of] = np.array(value, dtype=np.float64)

    return read


def _one_of(*allowed, instead):
    def read(value, options, name):
        if not any(value is known or (value == known) is True for known in allowed):
            raise InputError(f"{name} = {value!r} is not allowed\n  {instead}")

    return read


def _at_least(low, instead):
    def read(value, options, name):
        if isinstance(value, str) or not (np.isreal(value) and value >= low):
            raise InputError(f"{name} = {value!r} is not allowed\n  {instead}")

    return read


def _size(value, options, name):
    if value is not None:
        _at_least(1, "Give a number of rows, or leave it out.")(value, options, name)


def _force_alpha(value, options, name):
    if value is True or value is np.True_:
        return
    if value is not False and value is not np.False_:
        raise InputError(f"{name} = {value!r} is not allowed\n  Give True or False.")
    for alpha in ("alpha", "feature_alpha"):
        given = options.get(alpha)
        if isinstance(given, (int, float, np.ndarray)) and 0 <= np.min(given) < 1e-10:
            warnings.warn(
                "alpha too small will result in numeric errors, setting alpha = 1.0e-10. Use"
                " `force_alpha=True` to keep alpha unchanged.",
                FitWarning,
                stacklevel=5,
            )
            options[alpha] = np.maximum(given, 1e-10) if np.ndim(given) else 1e-10


def _covariance_estimator(value, options, name):
    if value is None:
        return
    known = {
        "EmpiricalCovariance": lambda: "none",
        "ShrunkCovariance": lambda: float(value.shrinkage),
    }
    if type(value).__name__ not in known:
        raise InputError(
            f"{name} = {value!r} is not allowed\n  Give shrinkage='auto' (Ledoit-Wolf, of"
            " standardised columns), 'oas' or a number instead."
        )
    if options["shrinkage"] not in (None, "none"):
        raise InputError(f"{name} and shrinkage are both given\n  Give one of them.")
    options["shrinkage"] = known[type(value).__name__]()


def _inverse_alpha(value, options, name):
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not value > 0:
        raise InputError(f"{name} = {value!r} is not allowed\n  Give a number above 0: it is 1 / alpha.")
    if value == 1:
        return
    alpha = options.get("alpha")
    if not isinstance(alpha, (int, float)) or alpha != 1 or options.get("feature_alpha") is not None:
        raise InputError(f"{name} and alpha are both given\n  Give one: {name} is 1 / alpha.")
    options["alpha"] = 1 / float(value)


_FLAG = "Give True or False."
_VERBOSE = Keyword(
    0, "int", "above 0: print the objective at every pass", _at_least(0, "Give 0 or 1.")
)
_INTERVAL = Keyword(
    10, "int", "passes from one line of verbose to the next", _at_least(1, "Give 1 or more.")
)
_PRIORS = Keyword(None, "array", "scikit-learn's name of class_prior", _alias("class_prior"))
_FORCE_ALPHA = Keyword(
    True, "bool", "False: an alpha below 1e-10 is taken as 1e-10", _force_alpha
)
_STORE = Keyword(
    False,
    "bool",
    "for scikit-learn's sake: covariance_ is always there",
    _one_of(True, False, instead=_FLAG),
)
_ESTIMATOR = Keyword(
    None,
    "None, EmpiricalCovariance or ShrunkCovariance",
    "scikit-learn's estimators that shrinkage has: none, and a number",
    _covariance_estimator,
)


def _solver(*names):
    return Keyword(
        "svd",
        "{" + ", ".join(map(repr, names)) + "}",
        "for scikit-learn's sake: there is one way here, and the result is that of all",
        _one_of(*names, instead=f"Give one of {names}, or leave it out: here they are the same."),
    )


_LOGISTIC_SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
_LOGISTIC = {
    "C": Keyword(1.0, "float", "scikit-learn's name of 1 / alpha", _inverse_alpha),
    "l1_ratio": Keyword(
        0.0,
        "0",
        "for scikit-learn's sake: the penalty is a Gaussian prior",
        _one_of(0, None, instead="Leave it out: there is no L1 penalty here."),
    ),
    "dual": Keyword(
        False, "bool", "for scikit-learn's sake: it changes no result", _one_of(True, False, instead=_FLAG)
    ),
    "intercept_scaling": Keyword(
        1,
        "float",
        "for scikit-learn's sake: the intercept has no penalty, whatever it is",
        _nothing,
    ),
    "solver": Keyword(
        "lbfgs",
        "{" + ", ".join(map(repr, _LOGISTIC_SOLVERS)) + "}",
        "for scikit-learn's sake: the result is that of all, but for liblinear's penalty of the"
        " intercept",
        _one_of(*_LOGISTIC_SOLVERS, instead=f"Give one of {_LOGISTIC_SOLVERS}, or leave it out."),
    ),
    "verbose": _VERBOSE,
}
_RIDGE_SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
_COUNTS = {"force_alpha": _FORCE_ALPHA}
_DISCRIMINANT = {
    "priors": _PRIORS,
    "store_covariance": _STORE,
    "covariance_estimator": _ESTIMATOR,
}
KEYWORDS = {
    "KMeans": {
        "verbose": _VERBOSE,
        "copy_x": Keyword(
            True, "bool", "for scikit-learn's sake: X is never changed", _one_of(True, False, instead=_FLAG)
        ),
    },
    "MiniBatchKMeans": {
        "verbose": _VERBOSE,
        "compute_labels": Keyword(
            True, "bool", "False: fit does not look for labels_", _one_of(True, False, instead=_FLAG)
        ),
        "tol": Keyword(
            0.0,
            "0",
            "for scikit-learn's sake: max_no_improvement says when to stop",
            _one_of(0, instead="Leave it out: max_no_improvement and max_iter say when to stop."),
        ),
        "init_size": Keyword(
            None,
            "int or None",
            "for scikit-learn's sake: starts are chosen among 64 rows for each cluster, and 4096 at"
            " least",
            _size,
        ),
        "reassignment_ratio": Keyword(
            0.01,
            "0.01 or 0",
            "for scikit-learn's sake: centres move to other rows when they have none, and only then",
            _one_of(0.01, 0, instead="Leave it out: only centres without rows move to others."),
        ),
    },
    "GaussianMixture": {"verbose": _VERBOSE, "verbose_interval": _INTERVAL},
    "KernelDensity": {
        "algorithm": Keyword(
            "auto",
            "{'auto', 'kd_tree', 'ball_tree'}",
            "for scikit-learn's sake: it changes no result",
            _one_of(
                "auto", "kd_tree", "ball_tree", instead="Leave it out: it would change no result."
            ),
        ),
        "metric": Keyword(
            "euclidean",
            "'euclidean'",
            "for scikit-learn's sake: distances are Euclidean",
            _one_of("euclidean", "l2", instead="Leave it out: distances are Euclidean here."),
        ),
        "metric_params": Keyword(
            None,
            "None",
            "for scikit-learn's sake: distances are Euclidean",
            _one_of(None, instead="Leave it out: distances are Euclidean here."),
        ),
        "atol": Keyword(
            0,
            "0",
            "for scikit-learn's sake: rtol alone says how near densities are",
            _one_of(0, instead="Leave it out, or give rtol: errors are relative here."),
        ),
        "breadth_first": Keyword(
            True, "bool", "for scikit-learn's sake: it changes no result", _one_of(True, False, instead=_FLAG)
        ),
        "leaf_size": Keyword(
            40, "int", "for scikit-learn's sake: it changes no result", _at_least(1, "Leave it out.")
        ),
    },
    "GaussianNB": {"priors": _PRIORS},
    "BernoulliNB": _COUNTS,
    "CategoricalNB": _COUNTS,
    "ComplementNB": _COUNTS,
    "MultinomialNB": _COUNTS,
    "LinearRegression": {
        "copy_X": Keyword(
            True, "bool", "for scikit-learn's sake: X is never changed", _one_of(True, False, instead=_FLAG)
        ),
        "tol": Keyword(
            1e-6,
            "float",
            "for scikit-learn's sake: the equations are solved, and nothing is to be stopped",
            _at_least(0, "Give a number from 0."),
        ),
        "positive": Keyword(
            False,
            "False",
            "for scikit-learn's sake: coefficients have any sign",
            _one_of(False, instead="Leave it out: coefficients below 0 are allowed here."),
        ),
    },
    "Ridge": {
        "max_iter": Keyword(
            None, "int or None", "for scikit-learn's sake: the equations are solved at once", _nothing
        ),
        "copy_X": Keyword(
            True, "bool", "for scikit-learn's sake: X is never changed", _one_of(True, False, instead=_FLAG)
        ),
        "tol": Keyword(
            1e-4,
            "float",
            "for scikit-learn's sake: the equations are solved, and nothing is to be stopped",
            _at_least(0, "Give a number from 0."),
        ),
        "solver": Keyword(
            "auto",
            "str",
            "for scikit-learn's sake: there is one way here, and the result is that of all",
            _one_of(
                *_RIDGE_SOLVERS, instead="Leave it out: the equations are solved, whatever way is named."
            ),
        ),
        "positive": Keyword(
            False,
            "False",
            "for scikit-learn's sake: coefficients have any sign",
            _one_of(False, instead="Leave it out: coefficients below 0 are allowed here."),
        ),
    },
    "RidgeCV": {
        "scoring": Keyword(
            None,
            "None",
            "for scikit-learn's sake: squared errors of rows left out, or criterion",
            _one_of(None, instead="Leave it out: criterion says what is least."),
        ),
        "gcv_mode": Keyword(
            None,
            "str or None",
            "for scikit-learn's sake: there is one way here, and the result is that of all",
            _one_of("auto", "svd", "eigen", None, instead="Leave it out."),
        ),
        "store_cv_results": Keyword(
            False,
            "False",
            "for scikit-learn's sake: leave_one_out has the means",
            _one_of(False, instead="Leave it out: leave_one_out has the mean errors."),
        ),
        "alpha_per_target": Keyword(
            False,
            "False",
            "for scikit-learn's sake: there is one target",
            _one_of(False, instead="Leave it out: there is one target."),
        ),
    },
    "LinearDiscriminantAnalysis": {"solver": _solver("svd", "lsqr", "eigen"), **_DISCRIMINANT},
    "QuadraticDiscriminantAnalysis": {"solver": _solver("svd", "eigen"), **_DISCRIMINANT},
    "LogisticRegression": _LOGISTIC,
}

# Of every classifier, but for those of counts: scikit-learn's check of this keyword gives negative
# values to all that have it. Classifies multiplies the weights of rows by it.
CLASS_WEIGHT = Keyword(
    None,
    "dict, 'balanced' or None",
    "what the weights of the rows of each label are multiplied by; 'balanced': so that all labels"
    " weigh the same",
    _nothing,
)

# What a value of an option stands for. DEFAULT: for what the option is when it is not given.
DEFAULT = object()
WORDS = {
    "KMeans": {"algorithm": {"elkan": "hamerly"}},  # both keep bounds; the result is that of lloyd
    "CategoricalNB": {"min_categories": {None: DEFAULT}},
    "LinearDiscriminantAnalysis": {"n_components": {None: DEFAULT}},  # all that there are
    "LogisticRegression": {"penalty": {"deprecated": DEFAULT, None: "none"}},
}
OF_ALL = {"n_init": {"auto": DEFAULT}}


def keywords_of(class_name, classifies):
    """The keywords of a class, by name."""
    found = dict(KEYWORDS.get(class_name, {}))
    if classifies and class_name not in ("MultinomialNB", "ComplementNB"):
        found["class_weight"] = CLASS_WEIGHT
    return found


def words_of(class_name):
    """Values of its options, by name of the option, then by value."""
    return {**OF_ALL, **WORDS.get(class_name, {})}


def read_words(words, options):
    """Puts craton's values for such words into the options."""
    if isinstance(options.get("alpha"), np.ndarray) and options.get("feature_alpha", 0) is None:
        options["feature_alpha"] = options.pop("alpha")  # one for each column has its own name
    for name, known in words.items():
        value = options.get(name, 0)
        if value is None or isinstance(value, str):
            options[name] = known.get(value, value)
            if options[name] is DEFAULT:
                del options[name]


def read_class_weight(class_weight, classes, codes, weights):
    """The weights of rows, each times that of its label; codes below 0: no label."""
    if class_weight is None:
        return weights
    rows = np.ones(len(codes)) if weights is None else weights
    seen = codes >= 0
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes[seen], rows[seen], len(classes))
        factors = totals.sum() / (np.count_nonzero(totals) * np.where(totals > 0, totals, 1))
    elif isinstance(class_weight, dict):
        unknown = [label for label in class_weight if label not in classes]
        if unknown:
            raise InputError(
                f"class_weight has {unknown}, which y does not\n  Give labels of y: {classes}.",
                "bad-target",
            )
        factors = np.array([class_weight.get(label, 1.0) for label in classes.tolist()])
        if factors.dtype.kind not in "fiu" or not (np.isfinite(factors) & (factors >= 0)).all():
            raise InputError(
                f"class_weight = {class_weight!r} is not allowed\n  Give numbers from 0.",
                "bad-weight",
            )
    else:
        raise InputError(
            f"class_weight = {class_weight!r} is not allowed\n  Give a dict from labels to weights,"
            " 'balanced' or None."
        )
    return rows * np.where(seen, factors[codes], 1.0)


def narrator(name, interval=1):
    """What verbose prints."""

    def told(iteration, objective):
        if iteration % interval == 0:
            print(f"{name}: pass {iteration}, objective {objective:.10g}")

    return told
