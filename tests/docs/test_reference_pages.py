"""The pages that are made from the code are what the code gives; and no link of any page is dead."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CRATON = ROOT / "build" / "release" / "cli" / "craton"


def test_the_reference_is_what_the_registry_gives():
    script = ROOT / "tools" / "generate_reference.py"
    subprocess.run([sys.executable, script, CRATON, "--check"], check=True, timeout=120)


@pytest.mark.parametrize("page", sorted([ROOT / "README.md", *DOCS.glob("*.md")]), ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_index_lists_every_page():
    index = (DOCS / "README.md").read_text()
    missing = [p.name for p in DOCS.glob("*.md") if p.name != "README.md" and f"({p.name})" not in index]
    assert not missing
