"""Which rows are held out while a model learns from the others: scikit-learn's protocol."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ._base import _seed
from ._craton import select as _core
from ._errors import InputError, InputTypeError
from ._labels import classes_and_codes, read_labels, target_of
from ._values import whole_number

_MOST = 10**6  # folds and repeats, as at the shell
UNUSED = -2  # a row that is neither learned from nor tested


class Split(NamedTuple):
    """Fold f is tested on part f, and learns from the others; from those before, if ordered."""

    part: Any  # of each row; -1: always learned from
    folds: int
    ordered: bool = False

    def pairs(self):
        for fold in range(self.folds):
            learned = self.part < fold if self.ordered else self.part != fold
            learned &= self.part != UNUSED
            yield np.flatnonzero(learned), np.flatnonzero(self.part == fold)


class Labels(NamedTuple):
    codes: Any  # of each row; -1: none
    names: list


class _Splitter:
    """n_splits parts of the rows, each held out once."""

    def __init__(self, n_splits=5, *, shuffle=True, random_state=None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self._shuffled()

    def split(self, X, y=None, groups=None):
        """Pairs of the rows to learn from and the rows to test on, ascending, fold by fold."""
        if groups is not None and not self._grouped:
            warnings.warn(
                f"The groups parameter is ignored by {type(self).__name__}", UserWarning, stacklevel=2
            )
        rows = rows_of(X if X is not None else y)
        splits = self._splits(rows, self._labels(y, rows), groups)
        return (pair for split in splits for pair in split.pairs())

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of folds."""
        return self._count()

    def _count(self):
        return whole_number("n_splits", self.n_splits, 2, _MOST)

    def _labels(self, y, rows):
        if not self._stratified:
            return None
        return labels_of(read_labels(y, rows, type(self).__name__))

    def _splits(self, rows, labels, groups):
        """A Split for each repeat; labels as Labels, where there are any."""
        folds, seed, shuffle = self._count(), seed_of(self.random_state), self._shuffled()
        return [
            Split(self._part(rows, labels, groups, (folds, seed, repeat, shuffle)), folds)
            for repeat in range(self._repeats())
        ]

    def _shuffled(self):
        if not isinstance(self.shuffle, (bool, np.bool_)):
            raise InputTypeError(
                f"shuffle must be True or False; got {self.shuffle!r}\n  Give one of these."
            )
        if not self.shuffle and self.random_state is not None:
            raise InputError(
                "random_state has no effect, since shuffle is False\n  Leave random_state out, or"
                " give shuffle=True."
            )
        return bool(self.shuffle)

    def _repeats(self):
        return 1

    _stratified = False
    _grouped = False

    def __repr__(self):
        values = ", ".join(f"{name}={value!r}" for name, value in sorted(vars(self).items()))
        return f"{type(self).__name__}({values})"


class KFold(_Splitter):
    """Parts of equal size, up to one row, drawn by the seed.

    Parameters
    ----------
    n_splits : int, default=5
    shuffle : bool, default=True
        False: rows are parted in their order, as scikit-learn does by default.
    random_state : int, RandomState or Generator, default=None
        None is the seed 0: the same parts every time.
    """

    def _part(self, rows, labels, groups, options):
        return _core.split_plain(rows, options)


class StratifiedKFold(_Splitter):
    """Parts of equal size, up to one row, over each of which every class is spread evenly.

    Parameters
    ----------
    n_splits : int, default=5
    shuffle : bool, default=True
        False: rows are parted in their order, as scikit-learn does by default.
    random_state : int, RandomState or Generator, default=None
        None is the seed 0: the same parts every time.
    """

    _stratified = True

    def _part(self, rows, labels, groups, options):
        labels = _needed(labels, "y", self)
        return _core.split_stratified(labels.codes, labels.names, options)


class GroupKFold(_Splitter):
    """Rows of one group are in one part, and parts are as even as groups allow.

    Parameters
    ----------
    n_splits : int, default=5
    shuffle : bool, default=True
        False: groups are placed in the order of their sizes, and nothing is drawn.
    random_state : int, RandomState or Generator, default=None
        None is the seed 0: the same parts every time.
    """

    _grouped = True

    def _part(self, rows, labels, groups, options):
        return _core.split_grouped(_numbers_of("groups", groups, rows, self), options)


class StratifiedGroupKFold(_Splitter):
    """Rows of one group are in one part, and classes are as even as groups allow.

    Parameters
    ----------
    n_splits : int, default=5
    shuffle : bool, default=True
        False: groups are placed in the order of their sizes, and nothing is drawn.
    random_state : int, RandomState or Generator, default=None
        None is the seed 0: the same parts every time.
    """

    _stratified = True
    _grouped = True

    def _part(self, rows, labels, groups, options):
        numbers = _numbers_of("groups", groups, rows, self)
        return _core.split_stratified_groups(_needed(labels, "y", self).codes, numbers, options)


class _Repeated:
    """n_repeats times, each with other parts."""

    shuffle = True  # else all repeats would be the same

    def __init__(self, *, n_splits=5, n_repeats=10, random_state=None):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state
        self._repeats()

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of folds, of all repeats."""
        return self._count() * self._repeats()

    def _repeats(self):
        return whole_number("n_repeats", self.n_repeats, 1, _MOST)


class RepeatedKFold(_Repeated, KFold):
    """KFold, n_repeats times, each with other parts.

    Parameters
    ----------
    n_splits : int, default=5
    n_repeats : int, default=10
    random_state : int, RandomState or Generator, default=None
        None is the seed 0: the same parts every time.
    """


class RepeatedStratifiedKFold(_Repeated, StratifiedKFold):
    """StratifiedKFold, n_repeats times, each with other parts.

    Parameters
    ----------
    n_splits : int, default=5
    n_repeats : int, default=10
    random_state : int, RandomState or Generator, default=None
        None is the seed 0: the same parts every time.
    """


class TimeSeriesSplit(_Splitter):
    """Each fold learns from what was before it.

    The rows are cut into n_splits + 1 stretches, of which the first is only learned from.

    Parameters
    ----------
    n_splits : int, default=5
    max_train_size : int, default=None
        A fold learns from the last so many rows before it. None: from all.
    test_size : int, default=None
        Rows that a fold is tested on. None: n_samples // (n_splits + 1).
    gap : int, default=0
        Rows before a test that are not learned from.
    times : array of shape (n_samples,), default=None
        When each row was; rows of one time are not parted. None: rows are in their order.
    """

    def __init__(self, n_splits=5, *, max_train_size=None, test_size=None, gap=0, times=None):
        self.n_splits = n_splits
        self.max_train_size = max_train_size
        self.test_size = test_size
        self.gap = gap
        self.times = times

    def _splits(self, rows, labels, groups):
        times = self.times
        if times is not None:
            times = np.ascontiguousarray(times, dtype=np.float64)
            if times.shape != (rows,) or not np.isfinite(times).all():
                raise InputError(
                    f"times has the shape {times.shape}, or a NaN or infinity, for {rows} rows\n"
                    "  Give one number for each row.",
                    "bad-shape",
                )
        sizes = (
            0 if value is None else whole_number(name, value, low, 2**53)
            for name, value, low in (
                ("test_size", self.test_size, 1),
                ("gap", self.gap, 0),
                ("max_train_size", self.max_train_size, 1),
            )
        )
        return [Split(*parts) for parts in _core.split_ordered(rows, times, self._count(), *sizes)]


def seed_of(random_state):
    return whole_number("random_state", _seed(random_state), 0, 2**63 - 1)


def rows_of(X):
    if X is None:
        raise InputError("there are no rows to split\n  Give X.", "no-rows")
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def labels_of(labels):
    classes, codes = classes_and_codes(labels)
    return Labels(np.ascontiguousarray(codes, np.int32), target_of(classes)[2])


def _needed(value, name, owner):
    if value is None:
        raise InputError(f"{type(owner).__name__} needs {name}, one for each row", "bad-target")
    return value


def _numbers_of(name, groups, rows, owner):
    """Any labels as numbers: the same for the same."""
    values = np.asarray(_needed(groups, name, owner))
    if values.shape != (rows,):
        raise InputError(
            f"{name} has the shape {values.shape}, but there are {rows} rows\n"
            "  Give one for each row.",
            "bad-shape",
        )
    if values.dtype.kind == "O":
        values = np.array([str(value) for value in values])
    elif values.dtype.kind == "f" and np.isnan(values).any():
        raise InputError(f"{name} has a NaN\n  Fill it in.", "not-finite")
    return np.unique(values, return_inverse=True)[1].astype(np.float64)


def read_cv(cv, X, y, groups, labels, rows):
    """Splits by what `cv` is: a number, one of the classes here, or whatever scikit-learn takes."""
    if cv is None or isinstance(cv, (int, np.integer)):
        n_splits = 5 if cv is None else cv
        if groups is not None:
            cv = GroupKFold(n_splits)
        else:
            cv = KFold(n_splits) if labels is None else StratifiedKFold(n_splits)
    if isinstance(cv, _Splitter):
        splits, hidden = cv._splits(rows, labels, groups), -1
    else:
        splits, hidden = [_pair(rows, *pair) for pair in _pairs(cv, X, y, groups)], UNUSED
    if not splits:
        raise InputError("cv has no folds\n  Give one at least.", "no-rows")
    if labels is not None:  # a row without a label is not tested
        for split in splits:
            split.part[(labels.codes < 0) & (split.part >= 0)] = hidden
    return splits


def _pairs(cv, X, y, groups):
    try:
        return list(cv.split(X, y, groups) if hasattr(cv, "split") else cv)
    except TypeError:
        raise InputTypeError(
            f"cv = {cv!r} is not allowed\n  Give a number of folds, a splitter such as"
            " craton.select.KFold(5), or pairs of rows to learn from and rows to test on."
        ) from None


def _pair(rows, train, test):
    part = np.full(rows, UNUSED, np.int32)
    train, test = np.arange(rows)[train], np.arange(rows)[test]  # of numbers, or of flags
    part[train], part[test] = -1, 0
    if np.count_nonzero(part != UNUSED) != len(train) + len(test):
        raise InputError(
            "a fold of cv has a row twice: to learn from and to test on, or in one of these\n"
            "  Give each row once in a fold; sample_weight counts rows several times.",
        )
    return Split(part, 1)
