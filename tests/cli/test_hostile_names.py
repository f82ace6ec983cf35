"""Names and levels from somebody else's file: a terminal shows them and does not obey them, they
begin no message of their own, and JSON stays JSON."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

CRATON = Path(__file__).resolve().parents[2] / "build" / "release" / "cli" / "craton"
SECONDS = 60
NAMES = [
    "\x1b[2J\x1b[31mred",  # clears the screen
    "\x1b]0;title\x07",
    "a\ncraton: error [fake]: all is lost",
    "b\r\x1b[Koverwritten",
    "\x9b31m, one character for two",  # C1
    "\x00zero",
    "\x7f\x08\x08\x08",
    "\u202egnp.exe",  # from right to left
    "</script>\"'\\&,;|\t",
    "Größe 名前",
]
COMMANDS = [
    ["describe", "m.craton"],
    ["describe", "m.craton", "--json"],
    ["fit", "gmm", "data.jsonl"],
    ["fit", "gmm", "data.jsonl", "--json"],
    ["select", "gmm", "data.jsonl", "--n-components", "1..2", "--n-init", "1"],
    ["predict", "m.craton", "data.jsonl"],
    ["predict", "m.craton", "data.jsonl", "--proba", "--json"],
    ["predict", "m.craton", "other.csv"],
    ["score", "m.craton", "data.jsonl"],
    ["score", "m.craton", "data.jsonl", "--json"],
    ["sample", "m.craton", "-n", "2", "--json"],
    ["fit", "gmm", "data.jsonl", "--features", "no\x1b[31m such"],
    ["fit", "gmm", "data.jsonl", "--drop", "no\nsuch"],
    ["fit", "gmm", "no\x1b[31m\nsuch.csv"],
    ["fit", "gmm", "\x1b[31m\n.csv"],
    ["fit", "gmm", "missing.jsonl"],
    ["fit", "no\x1b[31m\nsuch", "data.jsonl"],
    ["describe", "\x1b[31m\n.csv"],
    ["models", "no\x1b[31m\nsuch"],
    ["explain", "no\x1b[31m\nsuch"],
    ["\x1b[31m\nverb"],
    ["fit", "gmm", "data.jsonl", "--\x1b[31m", "1"],
    ["fit", "gmm", "data.jsonl", "--n-components", "\x1b[31m\n"],
    ["convert", "data.jsonl", "out.npy"],
    ["convert", "levels.jsonl", "out.npy"],
    ["convert", "data.jsonl", "\x1b[31m\n.npy"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    rows = [{name: (i * 7 + j * 3) % 11 for j, name in enumerate(NAMES)} for i in range(40)]
    write = lambda name, lines: (folder / name).write_text("\n".join(map(json.dumps, lines)))
    write("data.jsonl", rows)
    write("missing.jsonl", [*rows, {**rows[0], NAMES[0]: None}])
    write("levels.jsonl", [{NAMES[1]: NAMES[i % 2], "x": i} for i in range(40)])
    (folder / "other.csv").write_text("x\n1\n2\n")
    (folder / "\x1b[31m\n.csv").write_text("x,y\n1,2,3\n")
    run(folder, ["fit", "gmm", "data.jsonl", "-o", "m.craton", "--reg-covar", "0.1"])
    assert (folder / "m.craton").exists()
    return folder


def run(folder, words, **more):
    return subprocess.run([CRATON, *words], cwd=folder, timeout=SECONDS, capture_output=True, **more)


def check_text(data):
    text = data.decode("utf-8", "strict")
    bad = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", text)
    assert bad is None, text[max(0, bad.start() - 40) :][:80]
    assert not re.search("^craton: error .fake.", text, re.MULTILINE)
    return text


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:40].encode("unicode-escape").decode())
def test_nothing_that_a_terminal_obeys_is_printed(folder, words):
    done = run(folder, words)
    assert done.returncode in (0, 1, 2, 3, 5)
    check_text(done.stderr)
    text = check_text(done.stdout)
    if "--json" in words and done.returncode == 0:
        assert isinstance(json.loads(text), dict)


def test_json_has_the_names_as_they_are(folder):
    done = run(folder, ["describe", "m.craton", "--json"])
    assert [column["name"] if isinstance(column, dict) else column
            for column in json.loads(done.stdout)["columns"]] == NAMES  # fmt: skip


def test_a_file_gets_the_bytes_and_a_terminal_what_it_can_show(folder):
    words = ["convert", "levels.jsonl", "-", "--to", "csv", "--quiet"]
    raw = run(folder, words).stdout
    assert NAMES[0].encode() in raw
    seen = on_terminal(folder, words)
    assert b"\\x1b[2J\\x1b[31mred" in seen
    check_text(seen)


def on_terminal(folder, words):
    ours, theirs = pty.openpty()
    with subprocess.Popen([CRATON, *words], cwd=folder, stdout=theirs) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 0
    return seen.replace(b"\r\n", b"\n")


@pytest.mark.parametrize("flag", ["--linear", "--boundary"])
@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.encode("unicode-escape").decode())
def test_forms_of_a_model_name_columns_and_labels_as_a_terminal_can_show(folder, flag, name):
    rows = [{name: i % 7, "y": i % 5, "label": NAMES[i % 2]} for i in range(40)]
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run(folder, ["fit", "linear-discriminant", "labels.jsonl", "--target", "label", "-o", "l.craton"])
    check_text(on_terminal(folder, ["describe", "l.craton", flag]))


def test_file_names_that_are_no_text_are_no_trouble(folder):
    name = b"\xff\xfe\x1b.csv"
    Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("x,y\n1,2\n3,4\n5,5\n")
    done = run(folder, [b"fit", b"kmeans", name, b"--n-clusters", b"1", b"--json"])
    assert done.returncode == 0
    assert json.loads(check_text(done.stdout))["rows"] == 3
    done = run(folder, [b"fit", b"kmeans", name, b"--n-clusters", b"9"])
    assert check_text(done.stderr).startswith("craton: error [too-few-rows]: \\xff\\xfe\\x1b.csv: ")
