"""What was measured: small objects to look at and to compute with."""

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from ._craton import select as _core


class Predictions(NamedTuple):
    """What rows were given in the fold that held them out.

    Attributes
    ----------
    rows : ndarray
        Those that were held out, ascending.
    fold : ndarray
        Of each, from 0.
    labels : ndarray
        Predicted: labels, or numbers. Of clusters, those of the fold's own model.
    proba : ndarray or None
        The probability of each label; None: the model gives none.
    classes : ndarray or None
        What the columns of proba stand for; None: the model predicts numbers.
    """

    rows: Any
    fold: Any
    labels: Any
    proba: Optional[Any]
    classes: Any


class CrossValidation:
    """What a model reached on rows that it had not learned from.

    Attributes
    ----------
    estimator : estimator
        The one that was measured, not fitted.
    values : dict of str: ndarray
        Of each metric, the value of each fold. The first metric decides what is best.
    mean, error : dict of str: float
        The mean over J folds, and its error s sqrt(1/J + n_test/n_train) (Nadeau and Bengio 2003).
    higher_is_better : dict of str: bool
    guessing : dict of str: float
        The mean of each metric for one who always gives the commonest label and the shares of the
        labels, or the mean of the numbers; NaN where that is no answer.
    worse_than_guessing : bool
        By the first metric; also when it is no better.
    misjudged : bool
        Its labels are better than guessed, but its probabilities are not: calibrate="leave-one-out",
        where a model has it, may mend them.
    train_rows, test_rows, converged : ndarray
        Of each fold.
    predictions : Predictions or None
        If asked for.
    importance, importance_error : dict of str: float
        Of each column, how much worse the first metric is when it is shuffled among the rows held
        out: the mean over folds and its error. Empty, if not asked for.
    """

    def __init__(self, estimator, metrics, result, predictions=None):
        self.estimator = estimator
        self.train_rows = result["train_rows"]
        self.test_rows = result["test_rows"]
        self.converged = result["converged"].astype(bool)
        self.values = {name: result["values"][:, i].copy() for i, (name, *_) in enumerate(metrics)}
        self.higher_is_better = {name: higher for name, _, higher in metrics}
        estimates = {name: self._estimate(values) for name, values in self.values.items()}
        self.mean = {name: mean for name, (mean, _) in estimates.items()}
        self.error = {name: error for name, (_, error) in estimates.items()}
        self.predictions = predictions
        names, means, errors = result.get("importance", ((), (), ()))
        self.importance = dict(zip(names, means))
        self.importance_error = dict(zip(names, errors))
        guesses = result["guessing"]
        if guesses is None:
            guesses = np.full(result["values"].shape, np.nan)
        self._guesses = {name: guesses[:, i].copy() for i, name in enumerate(self.values)}
        self.guessing = {name: self._estimate(v)[0] for name, v in self._guesses.items()}
        _, _, worse, misjudged = judge([self])
        self.worse_than_guessing, self.misjudged = bool(worse), bool(misjudged)

    def less(self, other):
        """This less another, on the same folds: (mean, error) of the differences, by metric."""
        return {
            name: self._estimate(values - other.values[name])
            for name, values in self.values.items()
        }

    def _estimate(self, values):
        return _core.estimate(np.ascontiguousarray(values), self.train_rows, self.test_rows)

    def __repr__(self):
        lines = [
            (name, shown(self.mean[name], self.error[name]), better_way(higher))
            for name, higher in self.higher_is_better.items()
        ]
        folds = f"{self.estimator!r}: {len(self.train_rows)} folds\n{table(lines)}"
        return "\n".join([*said_first([repr(self.estimator)], [self]), folds])


def judge(results):
    """The best, those close to it, no better than guessing, and misjudged: places in the list."""

    def folds(values):
        rows = np.ascontiguousarray(np.column_stack(list(values.values())).ravel())
        return rows, results[0].train_rows, results[0].test_rows

    first = results[0]
    guesses = folds(first._guesses) if not np.isnan(list(first.guessing.values())).all() else None
    return _core.judge([folds(result.values) for result in results], guesses, list(first.values))


def said_first(names, results):
    """A line for each that is no better than guessing."""
    metric = next(iter(results[0].values))
    return [
        f"{names[i]} is no better than guessing: {metric} {results[i].mean[metric]:.4g},"
        f" where guessing has {results[i].guessing[metric]:.4g}"
        for i in judge(results)[2]
    ]


class _Several:
    """Several measured on the same folds; by the first metric, one is the best."""

    def __init__(self, results):
        self.results = list(results)
        self.metrics = list(self.results[0].values)
        self.mean = {name: np.array([r.mean[name] for r in self.results]) for name in self.metrics}
        self.error = {name: np.array([r.error[name] for r in self.results]) for name in self.metrics}
        self.best, self.close, self.worse_than_guessing, self.misjudged = judge(self.results)

    def _table(self, names, header, last):
        lines = [(*header, *self.metrics, "")]
        for i, (name, result) in enumerate(zip(names, self.results)):
            cells = (shown(result.mean[m], result.error[m]) for m in self.metrics)
            lines.append((*name, *cells, "<- best" if i == self.best else last(i)))
        return table(lines)


class Comparison(_Several):
    """Several models on the same folds.

    Attributes
    ----------
    names : list of str
    results : list of CrossValidation
    best : int
        The number of the model with the best mean of the first metric; of equals, of the next one.
    close : list of int
        Those whose difference from the best may be chance.
    worse_than_guessing, misjudged : list of int
        Those that are, as CrossValidation tells it; or whose probabilities are also worse than
        those of a model with labels no better.
    failed : dict of str: InputError
        Why the models that are not among these could not be measured.
    mean, error : dict of str: ndarray
        Of each metric, a value for each model.
    difference, difference_error : dict of str: ndarray
        The same of the differences to the best model, fold by fold.
    """

    def __init__(self, names, results, failed=None):
        super().__init__(results)
        self.names, self.failed = list(names), dict(failed or {})
        less = [result.less(self.results[self.best]) for result in self.results]
        self.difference, self.difference_error = (
            {name: np.array([of[name][which] for of in less]) for name in self.metrics}
            for which in (0, 1)
        )

    def __repr__(self):
        first = self.metrics[0]

        def last(i):
            less = shown(self.difference[first][i], self.difference_error[first][i])
            return f"{less} less the best's"

        folds = f"{len(self.results[0].train_rows)} folds; {first} decides"
        lines = said_first(self.names, self.results)
        lines += [folds, self._table([(name,) for name in self.names], ("model",), last)]
        lines += [f"{self.names[i]}: its probabilities are not as good as its labels" for i in self.misjudged]
        lines += [f"{name} could not be measured: {why}" for name, why in self.failed.items()]
        return "\n".join(lines)


class Search(_Several):
    """Options of a model, tried on the same folds.

    Attributes
    ----------
    params : list of dict
        The points that were tried.
    results : list of CrossValidation
    best : int
        The number of the point with the best mean of the first metric.
    best_params : dict
    best_estimator : estimator
        With these, not fitted: fit it to all rows.
    mean, error : dict of str: ndarray
        Of each metric, a value for each point.
    left_out : list of dict
        Points for which a fold had too few rows.
    """

    def __init__(self, params, results, left_out):
        super().__init__(results)
        self.params = list(params)
        self.left_out = list(left_out)

    @property
    def best_params(self):
        return self.params[self.best]

    @property
    def best_estimator(self):
        return self.results[self.best].estimator

    def __repr__(self):
        options = list(self.params[0])
        names = [[f"{point[o]:.6g}" if isinstance(point[o], float) else str(point[o]) for o in options]
                 for point in self.params]
        folds = f"{len(self.params)} points, {len(self.results[0].train_rows)} folds"
        return f"{folds}; {self.metrics[0]} decides\n{self._table(names, options, lambda i: '')}"


def better_way(higher):
    return "higher is better" if higher else "lower is better"


def shown(mean, error):
    """As many decimals as the error's second digit has: what comes after says nothing."""
    if math.isnan(error):
        return f"{mean:.6g}"
    size = math.floor(math.log10(error)) if 0 < error < math.inf else -3
    decimals = min(max(1 - size, 0), 6)
    return f"{mean + 0.0:.{decimals}f} ± {error:.{decimals}f}"


def table(lines):
    lines = [[str(cell) for cell in line] for line in lines]
    widths = [max(len(line[j]) for line in lines) for j in range(len(lines[0]))]
    rows = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths)) for line in lines)
    return "\n".join(f"  {row}".rstrip() for row in rows)
