"""Model files with right hashes and hostile numbers (tests/model_file/mutants.cc), at the shell: every verb ends with an
answer in numbers or an error that has a code."""

import itertools
import re
import subprocess
from pathlib import Path

import pytest

BUILD = Path(__file__).resolve().parents[2] / "build" / "release"
SECONDS = 60
MUTANTS = 150  # of which a third load
VERBS = [
    ["describe", "{model}"],
    ["describe", "{model}", "--json"],
    ["describe", "{model}", "--linear"],
    ["describe", "{model}", "--boundary"],
    ["sample", "{model}", "-n", "3", "--labels", "-o", "rows.csv"],
    ["predict", "{model}", "rows.csv"],
    ["predict", "{model}", "rows.csv", "--proba"],
    ["predict", "{model}", "rows.csv", "--explain", "2"],
    ["predict", "{model}", "rows.csv", "--explain", "2", "--json"],
    ["score", "{model}", "rows.csv"],
    ["learn", "{model}", "rows.csv", "-o", "next.craton"],
    ["unlearn", "{model}", "rows.csv", "-o", "next.craton"],
    ["merge", "{model}", "{model}", "-o", "next.craton"],
    ["quantile", "{model}", "0.1", "0.9"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mutants")
    words = [BUILD / "tests" / "mutants", "--count", str(MUTANTS), "--seed", "11", "--write", folder]
    subprocess.run(words, check=True, capture_output=True)
    assert len(list(folder.glob("*.craton"))) > MUTANTS / 10
    return folder


def test_every_verb_stands_every_model_that_loads(folder):
    (folder / "rows.csv").write_text("1,2,group\n1,2,a\n3,1,b\n2,2,c\n")
    for model, verb in itertools.product(sorted(folder.glob("[0-9]*.craton")), VERBS):
        words = [word.format(model=model.name) for word in verb]
        done = subprocess.run([BUILD / "cli" / "craton", *words], cwd=folder, timeout=SECONDS, capture_output=True, text=True)
        assert done.returncode in (0, 1, 2), (words, done)
        assert not re.search(r"\bnan\b", done.stdout), (words, done)
