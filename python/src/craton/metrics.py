"""How good predictions are, under scikit-learn's names and with its values, computed in C++.

Labels may be numbers or text, arrays anything that NumPy takes. accuracy_score, precision, recall
and F, roc_auc_score and average_precision_score also take targets of several labels for each row,
as matrices of 0 and 1 with a column for each label.
"""

from ._cluster_metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    calinski_harabasz_score,
    completeness_score,
    contingency_matrix,
    davies_bouldin_score,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pair_confusion_matrix,
    rand_score,
    silhouette_samples,
    silhouette_score,
    simplified_silhouette_samples,
    simplified_silhouette_score,
    v_measure_score,
)
from ._label_metrics import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    matthews_corrcoef,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from ._metric_values import UndefinedMetricWarning
from ._number_metrics import (
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    median_absolute_error,
    r2_score,
    root_mean_squared_error,
)
from ._score_metrics import (
    average_precision_score,
    brier_score_loss,
    calibration_curve,
    log_loss,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

__all__ = [name for name in dir() if not name.startswith("_")]
