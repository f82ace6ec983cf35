"""Why models say what they say."""

import operator
from typing import NamedTuple, Optional

import numpy as np

from ._errors import printable
from ._labels import codes_of
from ._table import columns_by_index, some_rows

_SPREAD = 2**21  # values of sparse rows that are spread out at once
_SHOWN = 10  # rows
_LOUDEST = 5  # features of a row


class Explanation(NamedTuple):
    """Why rows have their labels: log p(label | row) - log p(other | row), feature by feature.

    Attributes
    ----------
    log_odds : array of shape (n_samples, n_features)
        What each feature adds; sparse where X was.
    prior : ndarray of shape (n_samples,)
        What the labels themselves add, whatever the row.
    label, other : ndarray of shape (n_samples,)
        The label predicted, and the one it is compared with.
    feature_names : ndarray of shape (n_features,), or None
        As in fit, when the columns had names there.
    """

    log_odds: np.ndarray
    prior: np.ndarray
    label: np.ndarray
    other: np.ndarray
    feature_names: Optional[np.ndarray] = None

    def loudest(self, row, n=_LOUDEST):
        """The n features that say most about a row, either way: pairs of name and log-odds.

        The name is the index, from 0, where columns have none. Features that say nothing are left
        out; of equal ones the first comes first.
        """
        odds = self.log_odds[[row]]
        odds = np.asarray(odds.todense() if hasattr(odds, "todense") else odds).ravel()
        order = np.argsort(-np.abs(odds), kind="stable")[:n]
        names = range(len(odds)) if self.feature_names is None else self.feature_names
        return [(names[j], float(odds[j])) for j in order if odds[j] != 0]

    def __repr__(self):
        count = len(self.label)
        lines = [f"<{count} row{'s' * (count != 1)}: log-odds of the label against another"]
        lines += [f"  row {row}: {self._why(row)}" for row in range(min(count, _SHOWN))]
        if count > _SHOWN:
            lines.append(f"  ... {count - _SHOWN} more")
        return "\n".join(lines) + ">"

    def _why(self, row):
        column = "column {}" if self.feature_names is None else "{}"
        terms = [("prior", float(self.prior[row]))]
        terms += [(column.format(name), odds) for name, odds in self.loudest(row)]
        said = ", ".join(f"{name} {odds:+.2f}" for name, odds in terms)
        return printable(f"{self.label[row]} against {self.other[row]}: {said}")


class Explains:
    def explain(self, X, other=None):
        """What each feature says for the label of a row, against another label.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        other : label, default=None
            The label to compare with. None: the runner-up of each row.

        Returns
        -------
        Explanation
        """
        table = self._read(X)
        against = -1 if other is None else self._code_of(other)
        n, threads = table.rows.shape[0], self._threads()
        label, others = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        prior = np.empty(n)
        with columns_by_index(table):
            columns = self._model.told_columns
            if isinstance(table.rows, np.ndarray):
                log_odds = np.empty((n, columns))
                self._model.explain(table.rows, against, log_odds, prior, label, others, threads)
            else:
                from scipy.sparse import csr_matrix, vstack

                self._model.predict(table.rows, label, threads)  # errors name rows of X
                parts, step = [], max(1, _SPREAD // columns)
                for first in range(0, n, step):
                    last = min(first + step, n)
                    odds = np.empty((last - first, columns))
                    out = (odds, prior[first:last], label[first:last], others[first:last])
                    part = some_rows(table.rows, first, last)
                    self._model.explain(part, against, *out, threads)
                    parts.append(csr_matrix(odds))
                log_odds = vstack(parts, format="csr")
        labels = (self._as_labels(label), self._as_labels(others))
        return Explanation(log_odds, prior, *labels, self._told_names())

    def _told_names(self):
        """Of the columns, or of the terms of texts."""
        step = self._model.text_step
        return self._names if step is None else np.array(step.terms, dtype=object)

    def _code_of(self, label):
        if getattr(self, "classes_", None) is None:  # components have numbers
            return operator.index(label)
        return int(codes_of(np.asarray([label]), self.classes_)[0])


class Linear:
    @property
    def coef_(self):
        """Weights of the linear form of the labels, n_classes x n_features."""
        return self._fitted().linear_form()[0]

    @property
    def intercept_(self):
        """What is added to it for each label; softmax(coef_ x + intercept_) is p(label | x)."""
        return self._fitted().linear_form()[1]


class LinearNumbers:
    @property
    def coef_(self):
        """The coefficient of each feature, as the rows are given: scales are undone."""
        return self._fitted().linear_form()[0][0]

    @property
    def intercept_(self):
        """What is added to their sum; coef_ . x + intercept_ is what is predicted."""
        return float(self._fitted().linear_form()[1][0])


class Boundary(NamedTuple):
    """Where two labels are as probable as each other.

    ``row @ quadratic @ row + linear @ row + constant`` is log p(row, label) - log p(row, other), and
    0 there.

    Attributes
    ----------
    label, other
        The labels.
    quadratic : ndarray of shape (n_features, n_features)
    linear : ndarray of shape (n_features,)
    constant : float
    points : list of float
        Of one feature: where, ascending.
    shape : str
        "points", "line", "ellipse", "parabola", "hyperbola" or "nowhere".
    """

    label: object
    other: object
    quadratic: np.ndarray
    linear: np.ndarray
    constant: float
    points: list
    shape: str


class Bounds:
    def boundaries(self):
        """The boundaries between every two labels, in closed form; of one or two features."""
        return [
            Boundary(self.classes_[a], self.classes_[b], *terms)
            for a, b, *terms in self._fitted().boundaries()
        ]
