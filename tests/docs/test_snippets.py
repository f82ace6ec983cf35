"""Runs every snippet of the README and the documentation.

The sh, python and cpp blocks of a page run as printed, as from the root of the repository, in the
order they stand in: in one folder that holds the examples, and otherwise nothing. Other blocks
(console, text, ...) are shown, not run.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(sh|python|cpp)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def command(kind, code, folder):
    """The command that runs one block, as its reader would."""
    if kind == "sh":
        return ["bash", "-euo", "pipefail", "-c", code]
    if kind == "python":
        return [sys.executable, "-W", "error", "-c", code]
    source, program = folder / "snippet.cc", folder / "snippet"
    source.write_text(code)
    library = BUILD / "craton" / "libcraton.a"
    build = ["c++", "-std=c++20", f"-I{ROOT}", source, library, "-lfmt", "-ltbb", "-lz", "-lzstd", "-lhwy_contrib", "-lhwy",
             "-lutf8proc", "-lstemmer"]
    build += ["-o", program]
    subprocess.run(build, check=True, timeout=300)
    return [program]


def blocks(page):
    return FENCE.findall(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_snippet_of_the_page_runs(page, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    environment = dict(os.environ, PATH=f"{BUILD / 'cli'}:{os.environ['PATH']}")
    for kind, code in blocks(page):
        done = subprocess.run(
            command(kind, code, tmp_path),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{page.name}:\n{code}\n{done.stdout}\n{done.stderr}"


def test_the_readme_has_a_snippet_for_each_surface():
    assert {kind for kind, _ in blocks(ROOT / "README.md")} == {"sh", "python", "cpp"}
