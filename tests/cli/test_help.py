"""Help shows examples that run: of every verb, and of every model."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"


def craton(*words):
    done = subprocess.run([CRATON, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def verbs():
    """What the error of a verb that does not exist lists."""
    done = subprocess.run([CRATON, "no-such-verb-at-all"], capture_output=True, text=True)
    return re.search(r"The verbs are: (.*)\.", done.stderr)[1].split(", ")


def models():
    return [model["name"] for model in json.loads(craton("models", "--json"))["models"]]


def run(example, folder):
    shutil.copytree(ROOT / "examples" / "data", folder / "examples" / "data")
    done = subprocess.run(
        ["bash", "-euc", example],
        cwd=folder,
        env={"PATH": f"{CRATON.parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{example}\n{done.stdout}\n{done.stderr}"
    assert "warning:" not in done.stderr, done.stderr


def example_of(help_text):
    before, found, example = help_text.partition("\nExample:\n")
    assert found and example.strip(), "the help has no example"
    return example


@pytest.mark.parametrize("verb", verbs())
def test_the_example_of_a_verb_runs(verb, tmp_path):
    example = example_of(craton(verb, "--help"))
    assert f"craton {verb}" in example
    run(example, tmp_path)


@pytest.mark.parametrize("model", models())
def test_the_example_of_a_model_runs(model, tmp_path):
    example = example_of(craton("fit", model, "--help"))
    assert f"craton fit {model} " in example
    assert example.strip() in craton("models", model)
    run(example, tmp_path)


def test_a_verb_is_named_by_the_main_help():
    text = craton("--help")
    assert len(text.splitlines()) < 38  # short: the verbs explain themselves
    missing = [verb for verb in verbs() if not re.search(rf"\b{verb}\b", text)]
    assert not missing
