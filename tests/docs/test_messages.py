"""Messages of the library refer to flags and verbs: no literal spells them for one surface."""

import re
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "craton"
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SHELL = re.compile(r"--[a-z]|'craton ")
WRITERS = {"message.cc", "abilities.h", "how_to_use.cc", "next_commands.cc"}  # which say how flags are written


def sources():
    for path in sorted(LIBRARY.rglob("*")):
        if path.suffix in (".cc", ".h") and not path.stem.endswith("_test"):
            lines = path.read_text().splitlines()
            yield path, "\n".join(line for line in lines if not line.lstrip().startswith("//"))


def references(text):
    """The calls of Ref, each as its name, and where its arguments begin and end."""
    for call in re.finditer(r"\bRef::(\w+)\(", text):
        depth, at = 1, call.end()
        while depth:
            literal = LITERAL.match(text, at)  # brackets in it are none
            depth += {"(": 1, ")": -1}.get(text[at], 0) if literal is None else 0
            at = at + 1 if literal is None else literal.end()
        yield call.group(1), call.end(), at - 1


def without_references(text):
    """And without the commands that models give as examples."""
    for _, begin, end in reversed(list(references(text))):
        text = text[:begin] + text[end:]
    return re.sub(r"\.example =\s+" + LITERAL.pattern, "", text)


def test_flags_and_verbs_are_references():
    wrong = [
        f"{path.relative_to(LIBRARY.parent)}: {literal}"
        for path, text in sources()
        for literal in LITERAL.findall(without_references(text))
        if path.name not in WRITERS and SHELL.search(literal)
    ]
    assert not wrong, "give Ref::flag or Ref::verb (base/message.h): " + "; ".join(wrong)


def test_what_is_said_in_python_is_no_flag():
    said = [
        LITERAL.findall(text[begin:end])[-1]
        for _, text in sources()
        for kind, begin, end in references(text)
        if kind == "either" and LITERAL.search(text[begin:end])
    ]
    assert len(said) > 5
    assert not [words for words in said if SHELL.search(words)]
