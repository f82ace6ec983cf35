"""craton/README.md, the map: every folder has a paragraph, and every file that it names is there."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = re.compile(r"^(?:- )?\*\*([a-z_/]+)/\*\*", re.MULTILINE)


def paragraphs():
    """folder -> its text."""
    parts = FOLDER.split((ROOT / "craton/README.md").read_text())
    return dict(zip(parts[1::2], parts[2::2]))


def test_every_folder_has_a_paragraph():
    folders = {str(p.relative_to(ROOT / "craton")) for p in (ROOT / "craton").rglob("*") if p.is_dir()}
    assert folders <= set(paragraphs())


def test_every_file_that_the_map_names_is_there():
    for folder, text in paragraphs().items():
        for name in re.findall(r"`(\w+\.(?:h|cc))`", text):
            assert (ROOT / "craton" / folder / name).exists(), f"{folder}/{name}"
