"""Estimators in a notebook: parameters and what was learned, as HTML that needs nothing else."""

import html

import numpy as np

from ._errors import printable
from ._result_table import ResultTable

_STYLE = (
    "<style>.craton table{border-collapse:collapse;margin:.3em 0}"
    ".craton td,.craton th{padding:.1em .6em;text-align:left;border-bottom:1px solid #8884}"
    ".craton caption{text-align:left;font-weight:bold}"
    ".craton .set{font-weight:bold}</style>"
)


def page(estimator):
    """What ``_repr_html_`` gives; names and values of the user are text in it, whatever they hold."""
    parts = [f"<b>{_text(type(estimator).__name__)}</b>"]
    if estimator.__sklearn_is_fitted__():
        report = estimator.report_
        parts.append(
            f"<p>{report._course()}, objective {report.objective:.6g};"
            f" {estimator.n_features_in_} features; digest {estimator.digest_}</p>"
        )
        tables = [table(ResultTable(*made)) for made in estimator._model.tables(more=False)]
        parts.append("<details open><summary>learned</summary>" + "".join(tables) + "</details>")
    else:
        parts.append("<p>not fitted yet</p>")
    parts.append("<details><summary>parameters</summary>" + _parameters(estimator) + "</details>")
    return styled("".join(parts))


def styled(text):
    return f'<div class="craton">{_STYLE}{text}</div>'


def _parameters(estimator):
    rows = []
    defaults = estimator._defaults()
    for name, value in estimator.get_params().items():
        changed = repr(value) != repr(defaults[name])
        shown = f"array{value.shape}" if isinstance(value, np.ndarray) else repr(value)
        mark = ' class="set"' if changed else ""
        rows.append(f"<tr{mark}><td>{_text(name)}</td><td>{_text(shown)}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def table(result):
    """The first rows of a ResultTable."""
    header, *rows = result._cells
    head = "".join(f"<th>{_text(word)}</th>" for word in header)
    lines = ["".join(f"<td>{_text(cell)}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    if result.n_rows > len(rows):
        body += f"<tr><td>... {result.n_rows - len(rows)} more</td></tr>"
    return f"<table><caption>{_text(result.title)}</caption><tr>{head}</tr>{body}</table>"


def _text(value):
    return html.escape(printable(str(value)))
