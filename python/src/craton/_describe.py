"""What a model says of itself, as ``craton describe`` prints it."""

from ._errors import printable

_MOST_LEVELS = 8


class Description(str):
    """Text that shows itself as it is read."""

    def __repr__(self):
        return str(self)


def describe(model, report):
    about = model.about()
    changed = ", ".join(f"{name} = {value}" for name, value in about["changed"])
    text = "".join(_field("text", name) for name in model.text_names)
    if model.names or not text:
        text += _field("columns", ", ".join(model.names))
    if model.target is not None:
        name, _, levels = model.target
        more = ", ..." if len(levels) > _MOST_LEVELS else ""
        words = ", ".join(levels[:_MOST_LEVELS]) + more if levels else "a number"
        text += _field("target", f"{name} ({words})")
    text += _field("model", f"{model.name}: {about['help']}")
    text += _field("options", changed or "all defaults")
    text += _field("fit", report._course())
    text += _field("objective", f"{report.objective + 0.0:.6g} ({about['objective']})")
    text += "".join("\n" + table for table in model.table_texts()) + "\n"
    chart = model.density_chart()
    text += chart + "\n" * bool(chart)
    if about["free"] is not None:
        free, given = about["free"]
        text += _field("free", _plural(free, "parameter") + _given(given))
    text += "".join(_field("note", note.text) for note in report.notes)
    text += _field("digest", model.digest())
    version, processor = about["made_by"]
    text += _field("made by", f"craton {version} on {processor}") if version else ""
    return Description(text.rstrip("\n"))


def summary(model):
    text = _field("model", f"{model.name}: {model.about()['help']}")
    if model.target is not None:
        text += _field("target", model.target[0])
    return Description((text + "".join("\n" + t for t in model.table_texts())).rstrip("\n"))


def _given(count):
    return f"; {count} given, not estimated" if count else ""


def _field(word, text):
    return f"{word:<10} {_one_line(text)}\n"


def _one_line(text):
    return printable(text).replace("\n", "\\n")


def _plural(count, noun):
    return f"{count} {noun}{'s' * (count != 1)}"
