#!/usr/bin/env python3
"""Kills a program that saves large models, and looks at what is left.

    kill_saves.py build/release/tests/save_loop build/release/tests/libfaults.so [KILLS]

KILLS times (30) at any moment, then as often while a file is being written, then as often while one
is being written on a file system that knows no invisible files. After each kill the file must be
whole: the model that was saved last, or the one being saved. Of the killed program's temporary files
nothing may be left once the next one has saved.
"""
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

SEED = 3
WITHOUT_TMPFILE = {"FAULT": "tmpfile 1 95"}  # EOPNOTSUPP


class Saver:
    """The program, killed at the end; `last` is then the last model known to be saved."""

    def __init__(self, program, path, environment):
        self.path = path
        self.process = subprocess.Popen([program, path], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})
        self.process.stdout.readline()  # model 0 is there

    def being_written(self):
        """The bytes of the file in the making, whether or not it has a name."""
        folder, sizes = os.path.dirname(self.path), [-1]
        for fd in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                if os.readlink(fd).startswith(folder) and not os.readlink(fd) == self.path:
                    sizes.append(os.stat(fd).st_size)
            except FileNotFoundError:  # it has been closed just now
                pass
        return max(sizes)

    def kill(self):
        self.process.kill()
        rest = self.process.stdout.read().split()
        self.process.wait()
        self.last = int(rest[-1]) if rest else 0


def left(path):
    return sorted(set(os.listdir(os.path.dirname(path))) - {os.path.basename(path)})


def kill_once(program, path, while_writing, environment):
    """What is found after a kill: "old", "new" or "torn", and the temporary files."""
    saver = Saver(program, path, environment)
    if left(path):
        sys.exit(f"left after a save: {left(path)}")
    time.sleep(random.uniform(0, 1))
    if while_writing:
        size = random.uniform(0, os.path.getsize(path))
        while saver.being_written() < size:
            pass
    saver.kill()
    answer = subprocess.run([program, "--check", path], capture_output=True, text=True)
    number = int(answer.stdout) if answer.returncode == 0 else None
    if number not in (saver.last, saver.last + 1):
        sys.exit(f"torn: saved {saver.last}, found {number}: {answer.stderr}")
    return ["old" if number == saver.last else "new"] + ["temporary files"] * len(left(path))


def main():
    program, faults = sys.argv[1:3]
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    random.seed(SEED)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "m.craton"))
        for when, writing, environment in (
                ("at any moment", False, {}), ("while writing", True, {}),
                ("without invisible files", True, dict(WITHOUT_TMPFILE, LD_PRELOAD=faults))):
            found = collections.Counter()
            for _ in range(kills):
                found.update(kill_once(program, path, writing, environment))
            if writing and environment and not found["temporary files"]:
                sys.exit("no kill left a temporary file: nothing was tested")
            print(f"{kills} kills {when}: {dict(found)}", flush=True)
        saver = Saver(program, path, {})  # saves once more
        if left(path):
            sys.exit(f"left after a save: {left(path)}")
        saver.kill()
        megabytes = os.path.getsize(path) / 1e6
    print(f"models of {megabytes:.0f} MB, {time.monotonic() - start:.0f} s, none torn, "
          "nothing left after the next save")


if __name__ == "__main__":
    main()
