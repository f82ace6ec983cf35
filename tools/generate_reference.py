"""Writes docs/cli.md and docs/python.md from the registry, and the table of docs/from-scikit-learn.md:

    PYTHONPATH=build/release/python .venv/bin/python tools/generate_reference.py build/release/cli/craton

With --check it only says whether they are up to date.
"""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"

CLI = """# The command line

Made by tools/generate_reference.py from what `craton VERB --help` and `craton models` print. [guide.md](guide.md) shows how the verbs
are used together, [data-files.md](data-files.md) what files they read, [errors.md](errors.md) what their errors mean.

```text
{main}```
"""

PYTHON = """# The Python package

Made by tools/generate_reference.py from the docstrings. Every class has `get_params`, `set_params`, `describe()`, `tables()`, `save(path)`, `report_` and `digest_`;
`craton.load(path)` gives the estimator of a model file, whoever wrote it. Rows are arrays, pandas or polars frames, Arrow tables or lists, and
sparse matrices where a class takes them. Errors are `craton.InputError` (a `ValueError`) with a `code` and a `place` ([errors.md](errors.md)).

| class | what it is | at the shell |
|---|---|---|
"""

MARKS = ("<!-- made by tools/generate_reference.py -->\n", "<!-- until here -->\n")
COMPARED = (
    "cluster",
    "mixture",
    "naive_bayes",
    "discriminant_analysis",
    "linear_model",
    "feature_extraction.text",
)


def run(command, *words, check=True):
    done = subprocess.run([command, *words], capture_output=True, text=True, timeout=60)
    if check and done.returncode != 0:
        sys.exit(f"generate_reference: craton {' '.join(words)}: {done.stderr}")
    return done.stdout if check else done.stderr


def verbs(command):
    listed = run(command, "no-such-verb-at-all", check=False)
    return re.search(r"The verbs are: (.*)\.", listed)[1].split(", ")


def models(command):
    return json.loads(run(command, "models", "--json"))["models"]


def cli_page(command):
    text = CLI.format(main=run(command, "--help"))
    for verb in verbs(command):
        text += f"\n## craton {verb}\n\n```text\n{run(command, verb, '--help')}```\n"
    text += "\n# The options of the models\n"
    for model in models(command):
        text += f"\n## {model['name']}\n\n```text\n{run(command, 'models', model['name'])}```\n"
    return text


def python_page():
    import craton

    text = PYTHON
    classes = [getattr(craton, model["python_name"]) for model in craton._craton.models()]
    for made in classes:
        what = inspect.getdoc(made).splitlines()[0].rstrip(".")
        text += f"| [{made.__name__}](#{made.__name__.lower()}) | {what} | `{made._model_name}` |\n"
    for made in classes:
        text += f"\n## {made.__name__}\n\n```text\n{signature(made)}\n\n{inspect.getdoc(made)}\n```\n"
        text += f"\nMethods: {', '.join(methods(made))}.\n"
    return text + text_section() + picture_section() + outlier_section() + report_section() + select_section()


def text_section():
    import craton

    text = "\n# Texts\n\n[text.md](text.md) explains what is counted, and how it is weighed.\n"
    for name in (*craton._vectorizers.__all__, "make_pipeline", "TextPipeline"):
        part = getattr(craton, name)
        text += f"\n## {name}\n\n```text\n{signature(part)}\n\n{inspect.getdoc(part)}\n```\n"
        if isinstance(part, type):
            text += f"\nMethods: {', '.join(methods(part))}.\n"
    return text


def picture_section():
    import craton

    text = "\n# Pictures\n\nThose that `craton plot` and `craton fit --plot` draw, as SVG.\n"
    for name in ("plot", "plot_stages", "plot_traces", "Picture"):
        part = getattr(craton, name)
        how = "" if isinstance(part, type) else f"{signature(part)}\n\n"  # given, not made
        text += f"\n## {name}\n\n```text\n{how}{inspect.getdoc(part)}\n```\n"
    return text


def outlier_section():
    import craton

    text = "\n# Strange rows\n\n[outliers.md](outliers.md) explains how they are found.\n"
    for name in ("outliers", "Outliers"):
        part = getattr(craton, name)
        how = "" if isinstance(part, type) else f"{signature(part)}\n\n"  # given, not made
        text += f"\n## {name}\n\n```text\n{how}{inspect.getdoc(part)}\n```\n"
    return text


def report_section():
    import craton

    text = "\n# Reports\n\n[reports.md](reports.md) says what is on a page.\n"
    for name in ("report", "Page"):
        part = getattr(craton, name)
        how = "" if isinstance(part, type) else f"{signature(part)}\n\n"  # given, not made
        text += f"\n## {name}\n\n```text\n{how}{inspect.getdoc(part)}\n```\n"
    return text


def select_section():
    import craton

    parts = [getattr(craton.select, name) for name in craton.select.__all__]
    parts.sort(key=lambda part: isinstance(part, type))  # functions first
    text = f"\n# craton.select\n\n{inspect.getdoc(craton.select)}\n\n[choosing.md](choosing.md) explains what is measured.\n"
    for part in parts:
        text += f"\n## select.{part.__name__}\n\n```text\n"
        given = part.__module__ == "craton._measured" or part is craton.select.Sweep  # not made
        if not given:
            text += f"{signature(part, 'craton.select.')}\n\n"
        text += f"{inspect.getdoc(part)}\n```\n"
    return text


def signature(made, where="craton."):
    text = f"{where}{made.__name__}{inspect.signature(made)}"
    text = re.sub(r"<class '(?:numpy\.)?(\w+)'>", r"np.\1", text)
    return re.sub(r"(.{60,98}?), ", r"\1,\n    ", text)


def methods(made):
    for name, member in inspect.getmembers(made, inspect.isfunction):
        if not name.startswith("_"):
            parts = str(inspect.signature(member)).replace("(self, ", "(").replace("(self)", "()")
            yield f"`{name}{parts}`"


def differences():
    """Of the classes of the same name: parameters, and defaults."""
    import craton
    import sklearn

    text = f"| class | parameters of scikit-learn {sklearn.__version__} only | of craton only | defaults that differ |\n"
    text += "|---|---|---|---|\n"
    for name in sorted(craton._models.__all__ + craton._vectorizers.__all__):
        for folder in COMPARED:
            theirs = getattr(__import__(f"sklearn.{folder}", fromlist=[name]), name, None)
            if theirs is not None:
                text += row(name, defaults(theirs), defaults(getattr(craton, name)))
    return text


def row(name, theirs, ours):
    def listed(words):
        return ", ".join(f"`{word}`" for word in words) or "–"

    differ = [
        f"`{key}`: {theirs[key]!r} there, {ours[key]!r} here"
        for key in theirs
        if key in ours and repr(theirs[key]) != repr(ours[key])
    ]
    only = listed(key for key in theirs if key not in ours)
    everywhere = ("fill", "scale", "unit_rows")
    own = listed(key for key in ours if key not in theirs and key not in everywhere)
    return f"| {name} | {only} | {own} | {'; '.join(differ) or '–'} |\n"


def defaults(made):
    return {p.name: p.default for p in inspect.signature(made).parameters.values()}


def with_differences(text):
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return before + MARKS[0] + differences() + MARKS[1] + after


def main():
    command = sys.argv[1]
    beside = DOCS / "from-scikit-learn.md"
    pages = {
        DOCS / "cli.md": cli_page(command),
        DOCS / "python.md": python_page(),
        beside: with_differences(beside.read_text()),
    }
    for path, text in pages.items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"generate_reference: {path.name} is not what the registry gives; run this again")


if __name__ == "__main__":
    main()
