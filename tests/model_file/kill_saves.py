#!/usr/bin/env python3
"""Kills a program that saves large models, and looks at what is left.

    kill_saves.py build/release/tests/save_loop [KILLS]

30 times at any moment, then 30 times while a file is being written. After each kill the file must
be whole: the model that was saved last, or the one being saved.
"""
import collections
import glob
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

SEED = 3


def kill_once(program, path, while_writing):
    """The number of the last model known to be saved when the program was killed."""
    process = subprocess.Popen([program, path], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()  # model 0 is there
    time.sleep(random.uniform(0, 1))
    if while_writing:
        size = random.uniform(0, os.path.getsize(path))
        while not any(size_of(left) >= size for left in temporary(path)):
            pass
    process.kill()
    rest = process.stdout.read().split()
    process.wait()
    return int(rest[-1]) if rest else 0


def temporary(path):
    return glob.glob(os.path.join(os.path.dirname(path), ".craton-*"))


def size_of(path):
    try:
        return os.path.getsize(path)
    except FileNotFoundError:  # it has been renamed just now
        return -1


def main():
    program, kills = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
    random.seed(SEED)
    found = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "m.craton"))
        start = time.monotonic()
        for kill in range(2 * kills):
            last = kill_once(program, path, kill >= kills)
            answer = subprocess.run([program, "--check", path], capture_output=True, text=True)
            number = int(answer.stdout) if answer.returncode == 0 else None
            state = {last: "old", last + 1: "new"}.get(number, "torn")
            found[state] += 1
            for left in temporary(path):
                found["temporary files left"] += 1
                os.unlink(left)
            if state == "torn":
                sys.exit(f"kill {kill}: saved {last}, found {number}: {answer.stderr}")
        megabytes = os.path.getsize(path) / 1e6
        seconds = time.monotonic() - start
    print(f"{kills} kills at any moment and {kills} while writing, of saves of {megabytes:.0f} MB in {seconds:.0f} s: {dict(found)}")


if __name__ == "__main__":
    main()
