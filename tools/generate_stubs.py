"""Writes the types of the package, python/src/craton/*.pyi, from the registry and its classes:

    PYTHONPATH=build/release/python .venv/bin/python tools/generate_stubs.py

With --check it only says whether the files are up to date. What a method takes and gives is told by
name in the tables below; a name that they do not have is an error, so that no new one is forgotten.
That of craton.select is written by hand.
"""

import inspect
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "python" / "src" / "craton"

PARAMETERS = {
    "X": "_Rows",
    "raw_documents": "_Texts",
    "doc": "Any",
    "copy": "bool",
    "y": "ArrayLike",
    "level": "float",
    "x": "ArrayLike",
    "p": "ArrayLike",
    "columns": "Sequence[int | str]",
    "given": "dict[Any, float] | None",
    "named": "float",
    "sample_weight": "ArrayLike | None",
    "labels": "ArrayLike | None",
    "classes": "ArrayLike | None",
    "callback": "Callable[[int, float], object] | None",
    "other": "Any",
    "input_features": "Sequence[str] | None",
    "deep": "bool",
    "path": "str | bytes | os.PathLike[str]",
    "picture": "str",
    "title": "str | None",
    "n_samples": "int",
    "random_state": "_RandomState",
    "transform": "Literal['default', 'pandas', 'polars'] | None",
    "params": "Any",
}
# Of the constructors, for scikit-learn's sake.
KEYWORDS = {
    "algorithm": "str",
    "alpha_per_target": "bool",
    "atol": "float",
    "breadth_first": "bool",
    "C": "float",
    "class_weight": "dict[Any, float] | Literal['balanced'] | None",
    "compute_labels": "bool",
    "copy_x": "bool",
    "copy_X": "bool",
    "covariance_estimator": "Any",
    "dual": "bool",
    "force_alpha": "bool",
    "gcv_mode": "str | None",
    "init_size": "int | None",
    "intercept_scaling": "float",
    "l1_ratio": "float | None",
    "leaf_size": "int",
    "max_iter": "int | None",
    "metric": "str",
    "metric_params": "None",
    "positive": "bool",
    "priors": "ArrayLike | None",
    "reassignment_ratio": "float",
    "scoring": "None",
    "solver": "str",
    "store_covariance": "bool",
    "store_cv_results": "bool",
    "tol": "float",
    "verbose": "int",
    "verbose_interval": "int",
}
# Of those of vectorisers.
TEXT_KEYWORDS = {
    "analyzer": "Literal['word', 'char', 'char_wb'] | Callable[..., Any]",
    "alternate_sign": "bool",
    "binary": "bool",
    "decode_error": "Literal['strict', 'ignore', 'replace']",
    "dtype": "Any",
    "encoding": "str",
    "input": "Literal['content', 'filename', 'file']",
    "lowercase": "bool",
    "max_df": "float",
    "max_features": "int | None",
    "min_df": "float",
    "n_features": "int",
    "ngram_range": "tuple[int, int]",
    "norm": "Literal['l1', 'l2'] | None",
    "preprocessor": "Callable[..., Any] | None",
    "smooth_idf": "bool",
    "stop_words": "str | Collection[str] | None",
    "strip_accents": "Literal['ascii', 'unicode'] | Callable[[str], str] | None",
    "sublinear_tf": "bool",
    "token_pattern": "str | None",
    "tokenizer": "Callable[..., Any] | None",
    "use_idf": "bool",
    "vocabulary": "Collection[str] | Mapping[str, int] | None",
}
RETURNS = {
    "aic": "float",
    "bic": "float",
    "boundaries": "list[Any]",
    "build_analyzer": "Callable[[Any], list[str]]",
    "build_preprocessor": "Callable[[Any], str]",
    "build_tokenizer": "Callable[[str], list[str]]",
    "cdf": "_Array",
    "condition": "Self",
    "decode": "str",
    "decision_function": "_Array",
    "describe": "str",
    "diagnose": "ResultTable",
    "explain": "Explanation",
    "fit": "Self",
    "fit_predict": "_Array",
    "fit_transform": "Any",
    "get_feature_names_out": "_Array",
    "get_params": "dict[str, Any]",
    "get_stop_words": "frozenset[str] | None",
    "icl": "float",
    "inverse_transform": "list[_Array]",
    "marginal": "Self",
    "merge": "Self",
    "partial_fit": "Self",
    "plot": "Picture",
    "predict": "_Array",
    "profile": "dict[str, ResultTable]",
    "predict_intervals": "ResultTable",
    "predict_log_proba": "_Array",
    "report": "Page",
    "predict_proba": "_Array",
    "quantile": "_Array",
    "score_rows": "ResultTable",
    "sample": "tuple[_Array, _Array]",
    "save": "None",
    "score": "float",
    "score_samples": "_Array",
    "set_output": "Self",
    "set_params": "Self",
    "summary": "str",
    "tables": "dict[str, ResultTable]",
    "transform": "Any",
    "unlearn": "Self",
}
# Of those that are no arrays.
ATTRIBUTES = {
    "category_count_": "list[_Array]",
    "calibration_": "dict[str, float] | None",
    "converged_": "bool",
    "densities_": "Any",
    "digest_": "str",
    "estimates_": "list[dict[str, Any]]",
    "families_": "list[str]",
    "fixed_vocabulary_": "bool",
    "inertia_": "float",
    "leave_one_out_": "dict[str, float] | None",
    "linear_terms_": "list[tuple[int, str]]",
    "lower_bound_": "float",
    "lower_bounds_": "list[float]",
    "n_features_in_": "int",
    "n_iter_": "int",
    "preparation_": "dict[str, _Array]",
    "report_": "Report",
    "rotations_": "list[_Array]",
    "standard_errors_": "list[dict[str, Any]]",
    "vocabulary_": "dict[str, int]",
}
HEADER = '''"""Types of craton. Generated by tools/generate_stubs.py: do not edit."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from . import metrics as metrics, select as select

_Rows: TypeAlias = Any  # an array, a frame, an Arrow table, sparse rows, or lists of numbers
_Texts: TypeAlias = Any  # a list of strings, an array, a series, an Arrow column, a frame of one column
_Array: TypeAlias = NDArray[Any]
_RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None

__version__: str
__all__ = {names}

class Place(NamedTuple):
    file: str | None = ...
    line: int | None = ...
    row: int | None = ...
    column: str | int | None = ...

class InputError(ValueError):
    code: str
    place: Place
    def __init__(self, message: str, code: str = ..., place: Place = ...) -> None: ...

class ModelFileError(InputError): ...

class FileError(InputError, OSError):
    def __init__(self, message: str, code: str, place: Place) -> None: ...

class NotFittedError(ValueError, AttributeError): ...
class ConvergenceWarning(UserWarning): ...
class FitWarning(UserWarning): ...

class Report:
    iterations: int
    converged: bool
    closed_form: bool
    objective: float
    trace: _Array
    start_traces: tuple[_Array, ...]
    half_steps: _Array
    notes: tuple[tuple[str, str], ...]  # code and text, by these names too
    def __init__(
        self,
        iterations: int,
        converged: bool,
        objective: float,
        trace: _Array,
        start_traces: Sequence[_Array],
        half_steps: _Array,
        notes: Sequence[tuple[str, str]],
        closed_form: bool = ...,
    ) -> None: ...

class Explanation(NamedTuple):
    log_odds: Any  # an array, or sparse rows
    prior: _Array
    label: _Array
    other: _Array
    feature_names: _Array | None = ...
    def loudest(self, row: int, n: int = ...) -> list[tuple[Any, float]]: ...

class ResultTable(Mapping[str, _Array]):
    name: str
    title: str
    units: dict[str, str]
    def __init__(
        self,
        name: str,
        title: str,
        columns: Sequence[tuple[str, str, Any]],
        text: str,
        cells: Sequence[Sequence[str]],
    ) -> None: ...
    def __getitem__(self, column: str) -> _Array: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    def to_frame(self) -> Any: ...
class Picture:
    svg: str
    def __init__(self, svg: str) -> None: ...
    def save(self, path: str | bytes | os.PathLike[str]) -> None: ...

class TextPipeline:
    steps: Any
    def __init__(self, steps: Sequence[tuple[str, Any]]) -> None: ...
    @property
    def named_steps(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, which: str | int | slice) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...  # of the model
    def __sklearn_is_fitted__(self) -> bool: ...
    def __sklearn_tags__(self) -> Any: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def fit(self, X: _Texts, y: ArrayLike | None = ..., **more: Any) -> Self: ...
    def predict(self, X: _Texts) -> _Array: ...
    def save(self, path: str | bytes | os.PathLike[str]) -> None: ...

class Outliers:
    strangest: ResultTable
    rows: ResultTable
    model: Any
    description: str
    notes: list[str]
    def __init__(
        self,
        strangest: ResultTable,
        rows: ResultTable,
        model: Any,
        description: str,
        notes: list[str],
    ) -> None: ...

def outliers(X: _Rows, *, n: int = ..., n_jobs: int | None = ...) -> Outliers: ...
class Page:
    html: str
    model: Any
    notes: list[str]
    def __init__(self, html: str, model: Any = ..., notes: Sequence[str] = ...) -> None: ...
    def save(self, path: str | bytes | os.PathLike[str]) -> None: ...

def report(
    X: _Rows,
    *,
    target: str | int | None = ...,
    models: Sequence[str] = ...,
    n_jobs: int | None = ...,
) -> Page: ...
def load(path: str | bytes | os.PathLike[str], *, kernel: Callable[[Any], Any] | None = ...) -> Any: ...
def make_pipeline(vectorizer: Any, model: Any) -> TextPipeline: ...
def plot(
    estimator: Any,
    X: _Rows | None = ...,
    y: ArrayLike | None = ...,
    *,
    columns: Sequence[str | int] | None = ...,
    sample_weight: ArrayLike | None = ...,
    title: str | None = ...,
    picture: str = ...,
) -> Picture: ...
def plot_stages(
    estimator: Any,
    X: _Rows,
    y: ArrayLike | None = ...,
    *,
    updates: Sequence[int] = ...,
    columns: Sequence[str | int] | None = ...,
    sample_weight: ArrayLike | None = ...,
) -> Picture: ...
def plot_traces(estimator: Any) -> Picture: ...
'''


def option_type(option):
    choices = ", ".join(repr(choice) for choice in option["choices"])
    literal = f"Literal[{choices}]"
    kind = {
        "flag": "bool",
        "integer": "int",
        "number": "float",
        "choice": literal,
        "array": "ArrayLike",
        "choice or array": f"{literal} | ArrayLike",
        "choice or number": f"{literal} | float",
        "text": "str | dict[Any, Any]",
        "integer or array": "int | ArrayLike | None",
    }[option["type"]]
    if option["name"] == "n_init":
        kind += " | Literal['auto']"
    return kind + (" | None" if option["default"] is None else "")


def constructor(estimator, options, keywords):
    types = {option["name"]: option_type(option) for option in options}
    types |= {name: keywords[name] for name in estimator._keywords if name in keywords}
    types |= {"random_state": "_RandomState", "n_jobs": "int | None", "warm_start": "bool"}
    if hasattr(estimator, "_takes_function"):
        types[estimator._takes_function] += " | Callable[[Any], Any]"
    return signature(estimator.__init__, types, "None")


def signature(function, types, result):
    parts, by_name = ["self"], False
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not by_name:
            parts.append("*")
            by_name = True
        kind = types[parameter.name]
        if parameter.kind is parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}: {kind}")
            continue
        optional = parameter.default is not parameter.empty
        if parameter.default is None and "None" not in kind and kind not in ("Any", "_Rows"):
            kind += " | None"
        parts.append(f"{parameter.name}: {kind}" + (" = ..." if optional else ""))
    one_line = f"    def {function.__name__}({', '.join(parts)}) -> {result}: ..."
    if len(one_line) <= 100:
        return [one_line]
    lines = [f"        {part}," for part in parts]
    return [f"    def {function.__name__}(", *lines, f"    ) -> {result}: ..."]


def class_text(estimator, options, keywords, numbers=False):
    lines = ["", f"class {estimator.__name__}:"]
    for name in inspect.signature(estimator.__init__).parameters:
        if name != "self":
            lines.append(f"    {name}: Any")
    lines += constructor(estimator, options, keywords)
    for name, member in inspect.getmembers(estimator):
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            kind = ATTRIBUTES.get(name, "_Array")
            if name == "intercept_" and numbers:
                kind = "float"  # of classes it is an array
            lines += ["    @property", f"    def {name}(self) -> {kind}: ..."]
        else:
            lines += signature(member, PARAMETERS, RETURNS[name])
    return lines


def listed(names):
    return "[\n" + "".join(f'    "{name}",\n' for name in names) + "]"


def metrics_text(module):
    """Metrics take what NumPy takes, and what they give depends on `average`."""
    lines = ['"""Types of craton.metrics. Generated by tools/generate_stubs.py: do not edit."""', ""]
    lines += ["from typing import Any", "", f"__all__ = {listed(module.__all__)}", ""]
    for name in module.__all__:
        member, parts, by_name = getattr(module, name), [], False
        if isinstance(member, type):
            lines.append(f"class {name}({member.__base__.__name__}): ...")
            continue
        for parameter in inspect.signature(member).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and not by_name:
                parts.append("*")
                by_name = True
            optional = "" if parameter.default is parameter.empty else " = ..."
            parts.append(f"{parameter.name}: Any{optional}")
        lines.append(f"def {name}({', '.join(parts)}) -> Any: ...")
    return "\n".join(lines) + "\n"


def generate():
    import craton

    lines = []
    for model in craton._craton.models():
        estimator, numbers = getattr(craton, model["python_name"]), model["abilities"]["numbers"]
        lines += class_text(estimator, model["options"], KEYWORDS, numbers)
    for name in craton._vectorizers.__all__:
        options = craton._craton.text_options()
        lines += class_text(getattr(craton, name), options, TEXT_KEYWORDS)
    package = HEADER.replace("{names}", listed(craton.__all__)) + "\n".join(lines) + "\n"
    return {"__init__.pyi": package, "metrics.pyi": metrics_text(craton.metrics)}


if __name__ == "__main__":
    for name, text in generate().items():
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(text)
        elif not (FOLDER / name).exists() or (FOLDER / name).read_text() != text:
            sys.exit(f"generate_stubs: {name} is not what the classes give; run this again")
