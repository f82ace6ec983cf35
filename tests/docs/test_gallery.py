"""docs/gallery.md is what the built command draws, and its pictures are true, small and well-formed."""

import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
PICTURES = ROOT / "docs" / "pictures" / "gallery"
SVG = "{http://www.w3.org/2000/svg}"


def pictures(path):
    return sorted(str(p.relative_to(path)) for p in path.glob("*/*.svg"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    script = ROOT / "tools" / "generate_gallery.py"
    subprocess.run([sys.executable, script, CRATON, "--to", folder], check=True, timeout=600)
    return folder


def test_the_gallery_is_what_the_command_draws(made):
    assert (made / "gallery.md").read_text() == (ROOT / "docs" / "gallery.md").read_text()
    assert pictures(made / "pictures" / "gallery") == pictures(PICTURES)


def numbers(element):
    """Every number of the attributes that place a mark."""
    for key in ("x", "y", "cx", "cy", "r", "x1", "x2", "y1", "y2", "width", "height", "d"):
        for number in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", element.get(key, "")):
            yield float(number)


@pytest.mark.parametrize("name", pictures(PICTURES))
def test_the_picture_is_the_one_of_the_gallery(name, made):
    """The same marks; where they lie may differ by what another CPU rounds."""
    new = [e for e in xml.parse(made / "pictures" / "gallery" / name).iter()]
    old = [e for e in xml.parse(PICTURES / name).iter()]
    assert abs(len(new) - len(old)) <= 0.02 * len(old)
    if [e.tag for e in new] == [e.tag for e in old]:
        far = sum(
            abs(a - b) > 2
            for one, other in zip(new, old)
            if one.tag != SVG + "path"
            for a, b in zip(numbers(one), numbers(other))
        )
        assert far <= 0.02 * len(old)


def test_pictures_are_small_and_every_model_has_some():
    sizes = {p.name: p.stat().st_size for p in PICTURES.glob("*/*.svg")}
    assert max(sizes.values()) < 120_000 and sum(sizes.values()) < 6_000_000
    page = (ROOT / "docs" / "gallery.md").read_text()
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    for section in sections:
        assert "![" in section, section.split("\n")[0]


@pytest.mark.parametrize("name", [n for n in pictures(PICTURES) if n.endswith("/words-1.svg")])
def test_words_are_bars_and_no_curve(name):
    text = (PICTURES / name).read_text()
    assert "stroke-linejoin" not in text
    for level in ("cliff", "shore", "meadow"):
        assert f">{level}<" in text
