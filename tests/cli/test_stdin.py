"""A table through a pipe is the table of the file, also where a column changes its kind late."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
CRATON = ROOT / "build/release/cli/craton"

FRONT = "".join(f"{i % 97},{0.5 + i % 7},{i % 3}\n" for i in range(150_000))  # more than a megabyte


@pytest.mark.parametrize(
    ("tail", "code"),
    [
        ("5,high,1\n6,low,2\n" * 2000, 0),
        ("5,1.5,9007199254740993\n6,2.5,9007199254740995\n" * 2000, 0),  # that no double holds
        ("5,high,1\n", 2),
    ],
    ids=["words", "integers", "mistake"],
)
def test_a_pipe_gives_what_the_file_gives(tmp_path, tail, code):
    path = tmp_path / "late.csv"
    path.write_text("x,y,z\n" + FRONT + tail)
    run = lambda name: subprocess.run(
        f"cat {path} | {CRATON} convert {name} - --to csv", shell=True, capture_output=True, check=False
    )
    of_file, of_pipe = run(path), run("-")
    assert of_file.returncode == code
    assert of_pipe.returncode == code
    assert of_pipe.stdout == of_file.stdout
    assert of_pipe.stderr.replace(b"stdin", bytes(path)) == of_file.stderr
