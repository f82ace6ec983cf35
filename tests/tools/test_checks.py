"""Each check of `make check` passes on a small sound project and fails on a planted fault."""

import pathlib
import shutil
import subprocess

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"

SOUND = {
    "craton/base/row.h": "#pragma once\nnamespace craton {\nstruct Row {};\n}  // namespace craton\n",
    "craton/cluster/kmeans.h": '#pragma once\n#include "craton/base/row.h"\nnamespace craton {\nclass KMeans;\n}\n',
    "craton/cluster/kmeans.cc": '#include "craton/cluster/kmeans.h"\n#include <vector>\n'
    "namespace craton {\nnamespace {\nstruct Row2 {};\n}\nclass KMeans { struct Row {}; };\n}\n",
    "craton/base/row_test.cc": '#include "craton/cluster/kmeans.h"\n',
}


def run(folder, check, files):
    """The exit code and the words of a check in a project of these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "tools").mkdir()
    shutil.copy(TOOLS / check, folder / "tools")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], cwd=folder, check=True)
    subprocess.run([*git, "add", "."], cwd=folder, check=True)
    done = subprocess.run([folder / "tools" / check], capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("check", ["check_layers", "check_types", "check_headers", "check_sizes"])
def test_a_sound_project_passes(tmp_path, check):
    code, words = run(tmp_path, check, SOUND)
    assert code == 0, words


@pytest.mark.parametrize(
    "check, file, text, fault",
    [
        (
            "check_layers",
            "craton/base/up.h",
            '#include "craton/cluster/kmeans.h"\n',
            "craton/base/up.h:1: craton/base must not use craton/cluster",
        ),
        (
            "check_layers",
            "craton/classes/counts/up.h",
            '#include "craton/classes/product/feature.h"\n',
            "craton/classes/counts must not use craton/classes/product",
        ),
        ("check_layers", "craton/attic/old.h", "", "craton/attic/old.h: its folder has no place"),
        (
            "check_types",
            "craton/io/row.h",
            "namespace craton {\n// struct Other {\nenum class Row : int { kOne };\n}\n",
            "craton::Row is also defined in craton/io/row.h:3",
        ),
        (
            "check_types",
            "cli/row.h",
            "namespace craton {\ntemplate <class T>\nclass Row final : public Base<T> {\n};\n}\n",
            "craton::Row is also defined in ",
        ),
        (
            "check_headers",
            "craton/base/alone.h",
            "#pragma once\nstd::vector<double> rows();\n",
            "craton/base/alone.h: does not compile by itself",
        ),
        (
            "check_headers",
            "craton/base/row.cc",
            '#include <vector>\n#include "craton/base/row.h"\n',
            "craton/base/row.cc: its first include must be craton/base/row.h",
        ),
        ("check_headers", "craton/base/big.h", "#pragma once\n#include <regex>\n", "must not say: #include <regex>"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, check, file, text, fault):
    code, words = run(tmp_path, check, SOUND | {file: text})
    assert code == 1 and fault in words, words


def test_lengths_are_printed_the_longest_first_and_fail_nothing(tmp_path):
    long = {"craton/io/long.cc": "\n" * 1000, "craton/io/longer.cc": "\n" * 2000}
    code, words = run(tmp_path, "check_sizes", SOUND | long)
    assert code == 0 and words.splitlines()[1:3] == [" 2000  craton/io/longer.cc", " 1000  craton/io/long.cc"]


def test_build_times_are_printed_the_longest_first(tmp_path):
    log = "# ninja log v5\n0\t900\t1\tcraton/CMakeFiles/craton.dir/io/csv.cc.o\tab\n"
    log += "0\t2000\t1\tcraton/CMakeFiles/craton.dir/Unity/unity_io_0_cxx.cxx.o\tcd\n"
    code, words = run(tmp_path, "build_times", {"build/release/.ninja_log": log})
    assert code == 0
    assert [line.split() for line in words.splitlines()] == [
        "s steps of the last build, by part".split(),
        "3 the library".split(),
        "s the longest".split(),
        "2.0 craton: batch io_0".split(),
        "0.9 craton/io/csv.cc".split(),
    ]
