"""Wrong data files, from the disk to the message: the exit code, the code of the error, the file and
line, the value seen, and what to do. Nothing hangs, fills the memory, or leaves a file."""

import gzip
import os
import re
import resource
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from wrong_files import BINARY, TEXT

CRATON = Path(__file__).resolve().parents[2] / "build" / "release" / "cli" / "craton"
EXIT = {"unknown-name": 1, "no-such-file": 5, "cannot-read": 5, "out-of-memory": 5}  # others: 2
SECONDS = 300  # a command that takes longer has hung; a bomb is a gigabyte
MEMORY = 3 << 29  # 1.5 GiB: what a hostile file may cost, at most


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def fit(folder, path, program=CRATON, **more):
    words = ["fit", "kmeans", str(path), "--n-clusters", "1", "--progress", "off"]
    return subprocess.run(
        [program, *words], cwd=folder, capture_output=True, timeout=SECONDS, preexec_fn=limit_memory, **more
    )


def check_refused(done, code, place, words=()):
    message = done.stderr.decode("utf-8", "strict")
    start = next((i for i, line in enumerate(message.split("\n")) if " error [" in line), None)
    assert start is not None, message
    what, fix = message.split("\n")[start : start + 2]
    assert done.returncode == EXIT.get(code, 2), message
    assert what.startswith(f"craton: error [{code}]: {place}: "), message
    for word in words:
        assert word in what + fix, message
    assert re.match(r"  \S.{8,}", fix), message  # what to do
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", message), message
    assert done.stdout == b""


def test_there_are_as_many_as_promised():
    print(f"{len(TEXT)} wrong text files, {len(BINARY)} wrong binary files")
    assert len(TEXT) >= 60 and len(BINARY) >= 30
    assert len({case[:2] for case in TEXT + BINARY}) == len(TEXT) + len(BINARY)


@pytest.mark.parametrize("case", TEXT + BINARY, ids=lambda case: f"{case[0]}-{case[2]}")
def test_a_wrong_file_is_refused(case, tmp_path):
    name, data, code, line, words = case
    file = name.removesuffix(":x")  # an array of an archive
    (tmp_path / file).write_bytes(data)
    place = name if line is None else f"{name}:{line}"
    check_refused(fit(tmp_path, file), code, place, words)
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_a_folder_a_missing_file_and_a_loop_of_links(tmp_path):
    (tmp_path / "data.csv").mkdir()
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    check_refused(fit(tmp_path, "data.csv"), "no-rows", "data.csv", ["the folder has no files"])
    check_refused(fit(tmp_path, "dat.csv"), "no-such-file", "dat.csv", ["did you mean 'data.csv'?"])
    check_refused(fit(tmp_path, "a"), "cannot-read", "a", ["symbolic links"])


def test_without_permission(tmp_path):
    path = tmp_path / "secret.csv"
    path.write_text("x\n1\n")
    path.chmod(0)
    for folder in (tmp_path, *list(tmp_path.parents)[:3]):
        folder.chmod(0o755)
    nobody = {"user": 65534} if os.geteuid() == 0 else {}
    program = shutil.copy(CRATON, tmp_path)  # which nobody may not reach in root's own folder
    done = fit(tmp_path, "secret.csv", program, **nobody)
    check_refused(done, "cannot-read", "secret.csv", ["Permission denied", "chmod u+r"])


def feed(path, pieces):
    """Writes to a FIFO until the reader has had enough."""

    def write():
        try:
            with open(path, "wb", buffering=0) as pipe:
                for piece in pieces:
                    pipe.write(piece)
        except BrokenPipeError:
            pass

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def test_a_fifo_is_read_and_its_faults_are_found(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = feed(tmp_path / "pipe", [b"x,y\n1,2", b",3\n"])
    check_refused(fit(tmp_path, "pipe"), "ragged-row", "pipe:2", ["3 fields"])
    writer.join(SECONDS)
    writer = feed(tmp_path / "pipe", [b"x,y\n1", b",2\n3,4", b"\n"])
    assert fit(tmp_path, "pipe").returncode == 0
    writer.join(SECONDS)


def check_too_large(done, name):
    """Refused by the longest record, the ratio of a bomb, or the memory that there is."""
    code = "out-of-memory" if done.returncode == 5 else "bad-file"
    assert done.returncode in (2, 5), done.stderr
    message = done.stderr.decode()
    assert re.match(rf"craton: error \[{code}\]: {re.escape(name)}(:\d+)?: ", message), message


@pytest.mark.slow
def test_a_pipe_without_end_is_refused(tmp_path):
    check_too_large(fit(tmp_path, "/dev/zero"), "/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    writer = feed(tmp_path / "pipe", iter(lambda: b"1" * (1 << 20), None))
    check_too_large(fit(tmp_path, "pipe"), "pipe")
    writer.join(SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.csv.gz", "a.svm.gz", "a.jsonl.gz", "a.mtx.gz", "a.npy.gz"])
def test_a_line_of_a_gigabyte_costs_no_gigabyte(tmp_path, name):
    piece = gzip.compress(b"1" * (1 << 24), 9, mtime=0)
    (tmp_path / name).write_bytes(piece * 64)
    check_too_large(fit(tmp_path, name), name)


@pytest.mark.slow
@pytest.mark.parametrize("line", [b"\n", b"1,2\n"])
def test_a_bomb_is_refused(tmp_path, line):
    piece = gzip.compress(line * ((1 << 24) // len(line)), 9, mtime=0)
    (tmp_path / "bomb.csv.gz").write_bytes(piece * 80)
    check_too_large(fit(tmp_path, "bomb.csv.gz"), "bomb.csv.gz")


def test_a_hundred_thousand_columns_are_a_table(tmp_path):
    row = ",".join(map(str, range(100_000)))
    (tmp_path / "wide.csv").write_text(f"{row}\n{row}\n")
    assert b": 2 rows, 100000 columns " in fit(tmp_path, "wide.csv").stdout
    (tmp_path / "wide.csv").write_text(f"{row}\n{row}\n{row},1\n")
    check_refused(fit(tmp_path, "wide.csv"), "ragged-row", "wide.csv:3", ["100001 fields", "has 100000"])


def test_a_file_that_is_cut_while_it_is_read(tmp_path):
    text = b"x,y\n" + b"1.25,2.5\n" * 1_000_000
    outcomes = set()
    for pause in (0, 0.01, 0.02, 0.04, 0.08):
        (tmp_path / "big.csv").write_bytes(text)
        process = subprocess.Popen(
            [CRATON, "fit", "kmeans", "big.csv", "--n-clusters", "1", "--quiet"],
            cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(pause)
        os.truncate(tmp_path / "big.csv", len(text) // 2)
        message = process.communicate(timeout=SECONDS)[1]
        outcomes.add(process.returncode)
        assert process.returncode in (0, 2, 5), message
        assert process.returncode == 0 or message.startswith("craton: error [")
        if process.returncode == 5:
            assert "became shorter while it was read" in message
    assert outcomes
