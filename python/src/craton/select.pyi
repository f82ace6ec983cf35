"""Types of craton.select."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import Picture

__all__ = [
    "Comparison",
    "CrossValidation",
    "GroupKFold",
    "KFold",
    "PermutationImportance",
    "Predictions",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "Search",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "Sweep",
    "TimeSeriesSplit",
    "compare",
    "cross_validate",
    "permutation_importance",
    "search",
    "sweep",
]

_Array: TypeAlias = NDArray[Any]
_Rows: TypeAlias = Any  # an array, a frame, an Arrow table, sparse rows, or lists of numbers
_RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
_Folds: TypeAlias = Any  # a number, a splitter, or pairs (train, test)

class _Splitter:
    n_splits: int
    shuffle: bool
    def __init__(
        self, n_splits: int = ..., *, shuffle: bool = ..., random_state: _RandomState = ...
    ) -> None: ...
    def split(
        self, X: _Rows, y: ArrayLike | None = ..., groups: ArrayLike | None = ...
    ) -> Iterator[tuple[_Array, _Array]]: ...
    def get_n_splits(self, X: Any = ..., y: Any = ..., groups: Any = ...) -> int: ...

class KFold(_Splitter): ...
class StratifiedKFold(_Splitter): ...
class GroupKFold(_Splitter): ...
class StratifiedGroupKFold(_Splitter): ...

class RepeatedKFold(KFold):
    n_repeats: int
    def __init__(
        self, *, n_splits: int = ..., n_repeats: int = ..., random_state: _RandomState = ...
    ) -> None: ...

class RepeatedStratifiedKFold(StratifiedKFold):
    n_repeats: int
    def __init__(
        self, *, n_splits: int = ..., n_repeats: int = ..., random_state: _RandomState = ...
    ) -> None: ...

class TimeSeriesSplit(_Splitter):
    times: Any
    def __init__(
        self,
        n_splits: int = ...,
        *,
        max_train_size: int | None = ...,
        test_size: int | None = ...,
        gap: int = ...,
        times: ArrayLike | None = ...,
    ) -> None: ...

class Predictions(NamedTuple):
    rows: _Array
    fold: _Array
    labels: _Array
    proba: _Array | None
    classes: _Array

class CrossValidation:
    estimator: Any
    values: dict[str, _Array]
    mean: dict[str, float]
    error: dict[str, float]
    higher_is_better: dict[str, bool]
    guessing: dict[str, float]
    worse_than_guessing: bool
    misjudged: bool
    train_rows: _Array
    test_rows: _Array
    converged: _Array
    predictions: Predictions | None
    importance: dict[str, float]
    importance_error: dict[str, float]
    def __init__(
        self, estimator: Any, metrics: Any, result: Any, predictions: Predictions | None = ...
    ) -> None: ...
    def less(self, other: CrossValidation) -> dict[str, tuple[float, float]]: ...

class _Several:
    results: list[CrossValidation]
    metrics: list[str]
    mean: dict[str, _Array]
    error: dict[str, _Array]
    best: int
    def __init__(self, results: Iterable[CrossValidation]) -> None: ...

class Comparison(_Several):
    names: list[str]
    failed: dict[str, Exception]
    difference: dict[str, _Array]
    difference_error: dict[str, _Array]
    def __init__(
        self,
        names: Iterable[str],
        results: Iterable[CrossValidation],
        failed: Mapping[str, Exception] | None = ...,
    ) -> None: ...

class Search(_Several):
    params: list[dict[str, Any]]
    left_out: list[dict[str, Any]]
    def __init__(
        self,
        params: Iterable[dict[str, Any]],
        results: Iterable[CrossValidation],
        left_out: Iterable[dict[str, Any]],
    ) -> None: ...
    @property
    def best_params(self) -> dict[str, Any]: ...
    @property
    def best_estimator(self) -> Any: ...

def cross_validate(
    estimator: Any,
    X: _Rows,
    y: ArrayLike | None = ...,
    *,
    groups: ArrayLike | None = ...,
    scoring: str | Sequence[str] | None = ...,
    cv: _Folds = ...,
    sample_weight: ArrayLike | None = ...,
    positive: Any = ...,
    return_predictions: bool = ...,
    n_shuffles: int | None = ...,
) -> CrossValidation: ...

class PermutationImportance:
    metric: str
    baseline: float
    feature_names: list[str]
    importances: _Array
    importances_mean: _Array
    importances_std: _Array
    def __init__(
        self, metric: str, baseline: float, feature_names: Iterable[str], importances: _Array
    ) -> None: ...

def permutation_importance(
    estimator: Any,
    X: _Rows,
    y: ArrayLike | None = ...,
    *,
    scoring: str | None = ...,
    n_repeats: int = ...,
    random_state: _RandomState = ...,
    sample_weight: ArrayLike | None = ...,
    positive: Any = ...,
) -> PermutationImportance: ...
def compare(
    estimators: Iterable[Any] | Mapping[str, Any],
    X: _Rows,
    y: ArrayLike | None = ...,
    *,
    groups: ArrayLike | None = ...,
    scoring: str | Sequence[str] | None = ...,
    cv: _Folds = ...,
    sample_weight: ArrayLike | None = ...,
    positive: Any = ...,
) -> Comparison: ...
def search(
    estimator: Any,
    X: _Rows,
    y: ArrayLike | None = ...,
    space: Mapping[str, Iterable[Any]] | None = ...,
    *,
    n_iter: int | None = ...,
    random_state: _RandomState = ...,
    groups: ArrayLike | None = ...,
    scoring: str | Sequence[str] | None = ...,
    cv: _Folds = ...,
    sample_weight: ArrayLike | None = ...,
    positive: Any = ...,
) -> Search: ...

class Sweep:
    criterion: str
    table: dict[str, _Array]
    best: int
    best_params: dict[str, Any]
    best_estimator: Any
    why: str
    left_out: list[str]
    def __init__(self, estimator: Any, result: Mapping[str, Any], params: dict[str, Any]) -> None: ...
    def plot(self) -> Picture: ...

def sweep(
    estimator: Any,
    X: _Rows,
    y: ArrayLike | None = ...,
    *,
    criterion: str | None = ...,
    n_init: int | None = ...,
    sample_weight: ArrayLike | None = ...,
    **space: Any,
) -> Sweep: ...
