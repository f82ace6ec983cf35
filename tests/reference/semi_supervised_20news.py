#!/usr/bin/env python3
"""The table of docs/text.md: what documents without a label are worth on 20 newsgroups, by date.

    python3 tests/reference/semi_supervised_20news.py build/release/cli/craton 20news-bydate.tar.xz [DRAWS]

Some documents of each group keep their label, and the others of the training part lose it. `nb` learns from those
with a label alone, `mixture` from all of them (Nigam, McCallum, Thrun and Mitchell, Machine Learning 39, 2000): the
accuracy on the testing part, mean and standard error over the draws.
"""
import csv
import math
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

LABELLED = [1, 5, 20]
TEXT = ["--target", "label", "--text", "body", "--stop-words", "english", "--min-df", "3", "--alpha", "0.01"]
MODELS = {
    "nb": ["nb"],
    "mixture": ["mixture", "--tol", "0.1"],
}


def read(path):
    parts = {"train": [], "test": []}
    with tarfile.open(path) as archive:
        for member in filter(tarfile.TarInfo.isfile, archive):
            text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", " ", archive.extractfile(member).read().decode("latin-1"))
            parts["train" if "train" in member.name else "test"].append((member.name.split("/")[-2], text))
    return sorted(parts["train"]), sorted(parts["test"])


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["label", "body"])
        out.writerows(rows)


def draw(rows, count, seed):
    left = {label: set() for label, _ in rows}
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    for i in order:
        if len(left[rows[i][0]]) < count:
            left[rows[i][0]].add(i)
    return [(label if i in left[label] else "", text) for i, (label, text) in enumerate(rows)]


def main():
    craton, archive = sys.argv[1:3]
    draws = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    train, test = read(archive)
    with tempfile.TemporaryDirectory() as folder:
        few, held_out, model = (str(Path(folder) / name) for name in ("few.csv", "test.csv", "m.craton"))
        write(held_out, test)
        for count in LABELLED:
            found = {name: [] for name in MODELS}
            for seed in range(draws):
                write(few, draw(train, count, seed))
                for name, how in MODELS.items():
                    fit = [craton, "fit", how[0], few, *how[1:], *TEXT, "-q", "-o", model]
                    subprocess.run(fit, check=True, stderr=subprocess.DEVNULL)
                    predicted = subprocess.run([craton, "predict", model, held_out, "-q"], check=True, capture_output=True)
                    labels = predicted.stdout.decode().splitlines()[1:]
                    found[name].append(sum(a == b for a, (b, _) in zip(labels, test)) / len(test))
            for name, values in found.items():
                mean = sum(values) / draws
                error = math.sqrt(sum((v - mean) ** 2 for v in values) / (draws - 1) / draws) if draws > 1 else 0
                print(f"{count:3} labelled of each group  {name:14} {mean:.3f} ± {error:.3f}", flush=True)


main()
