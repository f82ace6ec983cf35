"""Completion in the shells that are here, and the manual page as man shows it."""

import json
import shutil
import subprocess

import pytest
from test_help import CRATON, craton, models, verbs

SHELLS = ["bash", "zsh", "fish"]


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program}")


def output_of(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def completed_by_bash(folder, *words):
    """The words that bash offers for the last one."""
    (folder / "craton.bash").write_text(craton("completion", "bash"))
    quoted = " ".join(f"'{word}'" for word in ("craton", *words))
    # compopt works only while bash itself completes.
    code = f"""compopt() {{ :; }}; source craton.bash
COMP_WORDS=({quoted}) COMP_CWORD={len(words)}; _craton; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(
        ["bash", "--norc", "-uc", code], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return set(done.stdout.split())


def completed_by_fish(folder, line):
    (folder / "craton.fish").write_text(craton("completion", "fish"))
    code = f"source craton.fish; complete -C '{line}'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", code], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return {line.split("\t")[0] for line in done.stdout.splitlines()}


ZSH = r"""
autoload -Uz compinit && compinit -u -D
source ./craton.zsh
offered=()
compadd() {{ shift; offered+=($@) }}
_describe() {{ local list=${{@[-1]}}; local one; for one in ${{(P)list}}; do offered+=(${{one%%:*}}); done }}
_files() {{ offered+=(FILES) }}
words=({words}) CURRENT={current} PREFIX='{prefix}'
_craton
print -l -- $offered
"""


def completed_by_zsh(folder, *words):
    (folder / "craton.zsh").write_text(craton("completion", "zsh"))
    quoted = " ".join(f"'{word}'" for word in ("craton", *words))
    code = ZSH.format(words=quoted, current=len(words) + 1, prefix=words[-1])
    done = subprocess.run(
        ["zsh", "-fc", code], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == "", done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_well_formed(shell, tmp_path):
    script = craton("completion", shell)
    for verb in verbs():
        assert verb in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        output_of([shell, "-n", tmp_path / "script"])


def test_bash_offers_verbs_models_flags_and_values(tmp_path):
    assert completed_by_bash(tmp_path, "") == {*verbs(), "--help", "--version"}
    assert completed_by_bash(tmp_path, "pre") == {"predict"}
    assert completed_by_bash(tmp_path, "fit", "") == set(models())
    assert completed_by_bash(tmp_path, "models", "gm") == {"gmm"}
    assert completed_by_bash(tmp_path, "fit", "gmm", "--cov") >= {"--covariance-type"}
    kinds = {"full", "tied", "diag", "spherical"}
    assert completed_by_bash(tmp_path, "fit", "gmm", "x.csv", "--covariance-type", "") == kinds
    assert completed_by_bash(tmp_path, "predict", "m.craton", "--missing", "s") == {"skip"}
    assert completed_by_bash(tmp_path, "explain", "not-f") == {"not-finite"}
    assert completed_by_bash(tmp_path, "completion", "") == set(SHELLS)


def test_bash_leaves_files_and_numbers_alone(tmp_path):
    assert completed_by_bash(tmp_path, "predict", "") == set()
    assert completed_by_bash(tmp_path, "fit", "gmm", "-o", "") == set()
    assert completed_by_bash(tmp_path, "fit", "gmm", "--n-components", "") == set()
    assert completed_by_bash(tmp_path, "no-such-verb", "--x") == set()


def test_bash_completes_as_one_types(tmp_path):
    """With readline: a tab after "craton des" and "craton fit gm"."""
    (tmp_path / "craton.bash").write_text(craton("completion", "bash"))
    keys = "source craton.bash\ncraton() { echo \"ran: $*\"; }\ncraton des\t\ncraton fit gm\t\nexit\n"
    done = subprocess.run(
        ["script", "-qec", "bash --norc -i", "/dev/null"],
        input=keys,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "TERM": "dumb", "PS1": "$ "},
        capture_output=True,
        text=True,
        timeout=60,
    ) if shutil.which("script") else None
    if done is None:
        pytest.skip("there is no script(1)")
    assert "ran: describe" in done.stdout and "ran: fit gmm" in done.stdout


@needs("fish")
def test_fish_offers_the_same(tmp_path):
    assert set(verbs()) <= completed_by_fish(tmp_path, "craton ")
    assert completed_by_fish(tmp_path, "craton fit ") == set(models())
    flags = completed_by_fish(tmp_path, "craton fit gmm --covariance-")
    assert {"--covariance-type", "--covariance-floor"} <= flags
    kinds = {"full", "tied", "diag", "spherical"}
    assert completed_by_fish(tmp_path, "craton fit gmm --covariance-type ") == kinds
    assert "--proba" in completed_by_fish(tmp_path, "craton predict m.craton --p")
    assert "--covariance-type" not in completed_by_fish(tmp_path, "craton predict --")


@needs("zsh")
def test_zsh_offers_the_same(tmp_path):
    assert completed_by_zsh(tmp_path, "") == set(verbs())
    assert completed_by_zsh(tmp_path, "fit", "") == set(models())
    assert "--covariance-type" in completed_by_zsh(tmp_path, "fit", "gmm", "--c")
    kinds = {"full", "tied", "diag", "spherical"}
    assert completed_by_zsh(tmp_path, "fit", "gmm", "--covariance-type", "") == kinds
    assert completed_by_zsh(tmp_path, "predict", "") == {"FILES"}


def test_the_manual_names_every_verb_model_and_option():
    page = craton("man").replace("\\-", "-")
    for verb in verbs():
        assert f".SS craton {verb}" in page
    for model in json.loads(craton("models", "--json"))["models"]:
        assert f".SS {model['name']}\n" in page
    for flag in ("--target", "--warm-start", "--covariance-type", "--plot-stages", "--json"):
        assert f"\\fB{flag}\\fR" in page


@needs("groff")
def test_groff_has_nothing_to_say_about_the_manual():
    output_of(["groff", "-man", "-Tutf8", "-ww", "-z"], craton("man"))


@needs("man")
def test_man_shows_it(tmp_path):
    (tmp_path / "craton.1").write_text(craton("man"))
    shown = output_of(["man", "-l", "-P", "cat", tmp_path / "craton.1"])
    assert "craton fit MODEL DATA" in shown and "--covariance-type NAME" in shown


def test_scripts_are_text_without_surprises():
    for words in (["man"], *(["completion", shell] for shell in SHELLS)):
        text = craton(*words)
        assert text.isascii() and "\t" not in text and text.endswith("\n")


def test_doctor_says_the_same_as_json():
    seen = json.loads(craton("doctor", "--json"))
    text = craton("doctor")
    assert seen["version"] in text and seen["kernels"] in text and seen["linear_algebra"] in text
    assert "csv" in seen["reads"] and "npz" not in seen["writes"]
    assert seen["threads"] >= 1


def test_doctor_finds_the_python_package():
    done = subprocess.run(
        [CRATON, "doctor", "--json"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(CRATON.parents[1] / "python")},
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["python"].endswith("craton/__init__.py")
    nowhere = subprocess.run(
        [CRATON, "doctor"], env={"PATH": "/nonexistent"}, capture_output=True, text=True
    )
    assert nowhere.returncode == 0 and "does not find" in nowhere.stdout
    assert nowhere.stderr == ""
