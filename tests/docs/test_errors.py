"""The catalogue of errors: documented, and every code reached by a test."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"


def catalogue():
    done = subprocess.run([CRATON, "explain", "--json"], check=True, capture_output=True)
    return [entry["code"] for entry in json.loads(done.stdout)]


def reached():
    """The codes that tests expect: golden files by what is printed, pytest by what is raised."""
    golden = "\n".join(path.read_text() for path in (ROOT / "tests" / "golden").glob("*.test"))
    codes = set(re.findall(r"^! craton: error \[([a-z-]+)\]: ", golden, re.MULTILINE))
    for path in (ROOT / "python" / "tests").glob("*.py"):
        codes |= set(re.findall(r"code (?:==|in) .*?\"([a-z-]+)\"", path.read_text()))
        codes |= set(re.findall(r", \"([a-z]+(?:-[a-z]+)+)\"\),$", path.read_text(), re.MULTILINE))
    return codes


@pytest.mark.parametrize("code", catalogue())
def test_the_code_is_reached(code):
    assert code in reached(), f"no golden file prints [{code}], and no Python test expects it"


def test_no_test_expects_a_code_that_is_not_in_the_catalogue():
    golden = "\n".join(path.read_text() for path in (ROOT / "tests" / "golden").glob("*.test"))
    printed = set(re.findall(r"^! craton: error \[([a-z-]+)\]: ", golden, re.MULTILINE))
    assert printed <= set(catalogue())


def test_the_page_is_what_the_catalogue_gives():
    script = ROOT / "tools" / "generate_errors.py"
    subprocess.run([sys.executable, script, CRATON, "--check"], check=True)
