"""A disk that fails or is full while something is saved: the old file stays whole, nothing is left
beside it, and the message names the file and what to do."""

import errno
import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
FAULTS = ROOT / "build" / "release" / "tests" / "libfaults.so"
DATA = ROOT / "examples" / "data" / "islands.csv"
OLD = b"the old file\n"
SAVERS = {
    "fit": ["fit", "gmm", "data.csv", "-o", "out", "--quiet"],
    "plot": ["fit", "gmm", "data.csv", "--plot", "out", "--quiet"],
    "predict": ["predict", "m.craton", "data.csv", "-o", "out"],
    "cv": ["cv", "kmeans", "data.csv", "--n-clusters", "2", "-o", "out"],
    "sample": ["sample", "m.craton", "-n", "100", "-o", "out"],
    "csv": ["convert", "data.csv", "out", "--to", "csv"],
    "npy": ["convert", "data.csv", "out", "--to", "npy"],
}


@pytest.fixture
def folder(tmp_path):
    shutil.copy(DATA, tmp_path / "data.csv")
    run(tmp_path, ["fit", "gmm", "data.csv", "-o", "m.craton", "--quiet"])
    (tmp_path / "out").write_bytes(OLD)
    return tmp_path


def run(folder, words, fault="", **more):
    environment = dict(os.environ, FAULT=fault, LD_PRELOAD=str(FAULTS) if fault else "")
    return subprocess.run(
        [CRATON, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, **more
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def check_refused(done, folder, *words):
    assert done.returncode == 5, done.stderr
    assert "error [cannot-write]: out: cannot be written: " in done.stderr
    for word in words:
        assert word in done.stderr
    assert (folder / "out").read_bytes() == OLD
    assert names(folder) == ["data.csv", "m.craton", "out"]


@pytest.mark.parametrize("saver", SAVERS)
@pytest.mark.parametrize("first", ["", "tmpfile 1 95, "])  # EOPNOTSUPP: no invisible files
@pytest.mark.parametrize("call", ["write", "fsync", "rename", "linkat", "close"])
def test_whichever_call_fails_the_old_file_stays(folder, call, saver, first):
    failures = 0
    for number in range(1, 100):
        for error in (errno.ENOSPC, errno.EIO):
            done = run(folder, SAVERS[saver], f"{first}{call} {number} {error}")
            if (folder / "out").read_bytes() != OLD:  # it failed when all was done, or not at all
                assert done.returncode in (0, 5)
                assert names(folder) == ["data.csv", "m.craton", "out"]
                assert (failures > 0) == (call != "linkat" or not first)
                return
            check_refused(done, folder, os.strerror(error))
            failures += 1
    pytest.fail("the saver never succeeds")


@pytest.mark.parametrize("saver", SAVERS)
def test_short_writes_lose_nothing(folder, saver):
    run(folder, SAVERS[saver])
    whole = (folder / "out").read_bytes()
    done = run(folder, SAVERS[saver], "short 1 0")
    assert done.returncode == 0
    assert (folder / "out").read_bytes() == whole


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


@pytest.mark.parametrize("saver", SAVERS)
def test_a_limit_of_the_size_of_files_is_said(folder, saver):
    done = run(folder, SAVERS[saver], preexec_fn=small_files)
    check_refused(done, folder, "File too large", "Free some space, or choose another disk.")


def test_a_full_disk_leaves_the_old_model(folder):
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "craton-test", disk]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root may mount")
    try:
        fit = ["fit", "kmeans", "data.csv", "--n-clusters", "3", "-o", "disk/m.craton", "--quiet"]
        assert run(folder, fit).returncode == 0
        old = (disk / "m.craton").read_bytes()
        with open(disk / "filler", "wb", buffering=0) as filler, pytest.raises(OSError):
            while True:
                filler.write(b"x" * 4096)
        done = run(folder, fit)
        assert done.returncode == 5
        assert done.stderr == (
            "craton: error [cannot-write]: disk/m.craton: cannot be written: "
            "No space left on device\n  Free some space, or choose another disk.\n"
        )
        assert (disk / "m.craton").read_bytes() == old
        assert names(disk) == ["filler", "m.craton"]
        (disk / "filler").unlink()
        assert run(folder, fit).returncode == 0
    finally:
        subprocess.run(["umount", disk], check=True)
