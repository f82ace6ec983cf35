"""Splitting, cross-validation, comparison and search: what ``craton cv``, ``compare`` and ``select`` do.

The splitters follow scikit-learn's protocol and go into its tools as ``cv=``. The functions measure
craton's estimators, in C++: folds run side by side, and no fold copies the table.
"""

from ._folds import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from ._importance import PermutationImportance, permutation_importance
from ._measured import Comparison, CrossValidation, Predictions, Search
from ._measuring import compare, cross_validate, search
from ._sweep import Sweep, sweep

__all__ = [name for name in dir() if not name.startswith("_")]
