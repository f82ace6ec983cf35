#!/usr/bin/env python3
"""A CSV of 4 GB under a limit of 1 GB: python3 large_csv.py CRATON FOLDER [GIGABYTES]

CRATON is the command; FOLDER takes the table, and what does not fit in memory; both are deleted.
linear, ridge, ridge-cv and logistic are fitted with an address space of 1 GB, and, with as much as
they like, again with all rows in memory: the models must be the same, byte for byte.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

LIMIT = 10**9
COLUMNS, BLOCK = 20, 100_000  # a block of rows is written at once


def digits(out, whole, at, before):
    """Writes numbers of so many millionths into columns of bytes: `before` digits, a point, six."""
    places = [*range(before), *range(before + 1, before + 7)]
    out[:, at + before] = ord(".")
    for place in reversed(places):
        out[:, at + place] = ord("0") + whole % 10
        whole = whole // 10
    out[:, at + before + 7] = ord(",")
    return at + before + 8


def write(path, size):
    """x1 to x20 in (1, 10), y linear in them with noise, a label by the odds of y."""
    random = np.random.default_rng(0)
    slopes = np.arange(COLUMNS) % 7 - 3.0
    with open(path, "wb") as file:
        file.write(",".join([*(f"x{j + 1}" for j in range(COLUMNS)), "y", "label\n"]).encode())
        while file.tell() < size:
            x = random.integers(1_000_000, 10_000_000, (BLOCK, COLUMNS))
            score = (x / 1e6 - 5.5) @ slopes / 10
            y = np.clip(50 + score + random.normal(size=BLOCK), 10, 99)
            lines = np.empty((BLOCK, COLUMNS * 9 + 10 + 2), np.uint8)
            at = 0
            for j in range(COLUMNS):
                at = digits(lines, x[:, j], at, 1)
            at = digits(lines, np.round(y * 1e6).astype(np.int64), at, 2)
            lines[:, at] = np.where(random.random(BLOCK) < 1 / (1 + np.exp(-score)), ord("b"), ord("a"))
            lines[:, at + 1] = ord("\n")
            lines.tofile(file)
        return file.tell()


def run(command, limit):
    """Its seconds and greatest resident bytes."""
    held = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None
    start = time.monotonic()
    process = subprocess.Popen(command, preexec_fn=held)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {process.returncode}")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def main(craton, folder, gigabytes=4.0):
    differs = False
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        scratch = pathlib.Path(scratch)
        table = scratch / "large.csv"
        print(f"table {write(table, float(gigabytes) * 1e9) / 1e9:.2f} GB", flush=True)
        for model in ("linear", "ridge", "ridge-cv", "logistic"):
            columns = ("label", "y") if model == "logistic" else ("y", "label")
            fit = [craton, "fit", model, table, "--target", columns[0], "--drop", columns[1]]
            fit += ["--quiet", "--progress", "off", "--tmpdir", scratch]
            held, free = scratch / "held.craton", scratch / "free.craton"
            seconds, peak = run([*fit, "-o", held], LIMIT)
            other = run([*fit, "--memory", "100G", "-o", free], None)
            same = held.read_bytes() == free.read_bytes()
            differs |= not same
            print(
                f"{model:9} {seconds:5.0f} s, {peak / 1e6:5.0f} MB resident; rows in memory"
                f" {other[0]:5.0f} s, {other[1] / 1e6:5.0f} MB; {'same bytes' if same else 'DIFFERS'}",
                flush=True,
            )
    return differs


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
