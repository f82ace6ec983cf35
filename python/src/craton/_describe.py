"""What a model says of itself, as ``craton describe`` prints it."""

import re

from ._errors import printable

_MOST_WIDTH = 100
_MOST_ROWS = 50
_MOST_LEVELS = 8


class Description(str):
    """Text that shows itself as it is read."""

    def __repr__(self):
        return str(self)


def describe(model, report):
    about = model.about()
    changed = ", ".join(f"{name} = {value}" for name, value in about["changed"])
    text = _field("columns", ", ".join(model.names))
    if model.target is not None:
        name, _, levels = model.target
        more = ", ..." if len(levels) > _MOST_LEVELS else ""
        text += _field("target", f"{name} ({', '.join(levels[:_MOST_LEVELS])}{more})")
    text += _field("model", f"{model.name}: {about['help']}")
    text += _field("options", changed or "all defaults")
    text += _field("fit", report._course())
    text += _field("objective", f"{report.objective + 0.0:.6g} ({about['objective']})")
    text += "".join("\n" + _table(*table) for table in model.summary()) + "\n"
    if about["free"] is not None:
        free, given = about["free"]
        text += _field("free", _plural(free, "parameter") + _given(given))
    text += "".join(_field("note", note.text) for note in report.notes)
    text += _field("digest", model.digest())
    version, processor = about["made_by"]
    text += _field("made by", f"craton {version} on {processor}") if version else ""
    return Description(text.rstrip("\n"))


def _given(count):
    return f"; {count} given, not estimated" if count else ""


def _field(word, text):
    return f"{word:<10} {_one_line(text)}\n"


def _one_line(text):
    return printable(text).replace("\n", "\\n")


def _plural(count, noun):
    return f"{count} {noun}{'s' * (count != 1)}"


def _table(title, header, rows):
    """Columns side by side, as many as fit: numbers to the right, words to the left."""
    cells = [[_one_line(cell) for cell in row] for row in [header, *rows[:_MOST_ROWS]]]
    aligned, total = [], 0
    for j, column in enumerate(zip(*cells)):
        width = max(map(len, column))
        right = len(column) > 1 and all(_is_number(cell) for cell in column[1:])
        total += width + 2
        last_words = j + 1 == len(header) and not right
        if total > _MOST_WIDTH and j > 1 and not last_words:
            break
        aligned.append([cell.rjust(width) if right else cell.ljust(width) for cell in column])
    text = f"{_one_line(title)}\n" if title else ""
    text += "".join(f"  {'  '.join(row)}".rstrip(" ") + "\n" for row in zip(*aligned))
    more_rows, more_columns = len(rows) - len(cells) + 1, len(header) - len(aligned)
    text += f"  ... and {_plural(more_rows, 'more row')}\n" if more_rows else ""
    text += f"  ... and {_plural(more_columns, 'more column')}\n" if more_columns else ""
    return text + ("  (the attributes have them all)\n" if more_rows or more_columns else "")


def _is_number(text):
    return re.match(r"[-+]?(\d|$)", text, re.ASCII) is not None
