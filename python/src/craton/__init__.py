"""craton: probabilistic machine learning.

The classes follow scikit-learn: parameters in the constructor, ``fit``, and what was learned in
attributes that end in an underscore. scikit-learn itself is not needed.
"""

from . import _craton, _models, _vectorizers, metrics, select
from ._errors import (
    ConvergenceWarning,
    FileError,
    FitWarning,
    InputError,
    ModelFileError,
    NotFittedError,
    Place,
)
from ._explain import Explanation
from ._models import *  # noqa: F403
from ._outliers import Outliers, outliers
from ._pictures import Picture, plot, plot_stages, plot_traces
from ._report import Report
from ._reports import Page, report
from ._result_table import ResultTable
from ._text_pipeline import TextPipeline, make_pipeline, pipeline_of
from ._values import path_text
from ._vectorizers import *  # noqa: F403

__version__ = _craton.version()
__all__ = [
    *_models.__all__,
    *_vectorizers.__all__,
    "ConvergenceWarning",
    "Explanation",
    "FileError",
    "FitWarning",
    "InputError",
    "ModelFileError",
    "NotFittedError",
    "Outliers",
    "Page",
    "Picture",
    "Place",
    "Report",
    "ResultTable",
    "TextPipeline",
    "load",
    "make_pipeline",
    "metrics",
    "outliers",
    "plot",
    "plot_stages",
    "plot_traces",
    "report",
    "select",
]


def load(path, *, kernel=None):
    """The estimator of a model file, whether Python, the command line or C++ wrote it; of a model of
    texts, its pipeline. A ``KernelDensity`` that was fitted with a function as its kernel needs that
    again, ``kernel=f``: files have no functions."""
    model = _craton.Model.load(path_text(path))
    if kernel is not None:
        model = model.with_kernel(kernel)
    elif model.asleep:
        raise InputError(
            f"{path_text(path)}: the kernel of this model is a function, and files hold none"
            "\n  Give it again: craton.load(path, kernel=f).",
            "not-able",
        )
    if model.text_step is not None:
        return pipeline_of(model)
    estimator = getattr(_models, model.python_name)(**model.options())
    if kernel is not None:
        estimator.kernel = kernel
    return estimator._adopt(model)
