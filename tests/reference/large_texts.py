#!/usr/bin/env python3
"""Texts eight times as large as memory: python3 large_texts.py CRATON FOLDER [MEGABYTES]

CRATON is the command; FOLDER takes the corpus, and what does not fit in memory; both are deleted. Models are
fitted with little --memory, which must take at most an eighth of the corpus, all in all, and again with all texts in
memory: they must be the same, byte for byte.
"""
import pathlib
import sys
import tempfile

import numpy as np

from large_csv import run

WORDS, KINDS, BLOCK = 50_000, 4, 5_000
FITS = [
    ("multinomial-nb", []),
    ("complement-nb", ["--idf", "smooth", "--text-norm", "l2"]),
    ("bernoulli-nb", ["--ngram-max", "2", "--hashed", "100000", "--alternate-sign", "false"]),
    ("minibatch-kmeans", ["--n-clusters", "4", "--max-iter", "5", "--text-norm", "l2", "--idf", "smooth"]),
]


def write(path, size):
    """Words by Zipf's law, made of letters; a tenth of the words of a text are those of its kind."""
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(random.choice(letters, 3 + int(i) % 9)) + str(i) for i in range(WORDS)])
    shares = np.cumsum(1 / np.arange(1, WORDS + 1))
    with open(path, "w") as file:
        file.write("kind,body\n")
        while file.tell() < size:
            kinds = random.integers(0, KINDS, BLOCK)
            lengths = random.integers(5, 200, BLOCK)
            places = np.searchsorted(shares, random.random(lengths.sum()) * shares[-1])
            own = random.random(places.size) < 0.1
            places = np.where(own, places // KINDS * KINDS + np.repeat(kinds, lengths), places) % WORDS
            for kind, text in zip(kinds, np.split(words[places], np.cumsum(lengths)[:-1])):
                file.write(f"k{kind},{' '.join(text)}\n")
        return file.tell()


def main(craton, folder, megabytes=1600):
    wrong = False
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        scratch = pathlib.Path(scratch)
        corpus = scratch / "large.csv"
        size = write(corpus, float(megabytes) * 1e6)
        print(f"corpus {size / 1e6:.0f} MB", flush=True)
        for model, options in FITS:
            target = ["--drop", "kind"] if "kmeans" in model else ["--target", "kind"]
            fit = [craton, "fit", model, corpus, "--text", "body", *target, *options]
            fit += ["--quiet", "--progress", "off", "--tmpdir", scratch]
            held, free = scratch / "held.craton", scratch / "free.craton"
            seconds, peak = run([*fit, "--memory", "16M", "-o", held], None)
            other = run([*fit, "--memory", "100G", "-o", free], None)
            same = held.read_bytes() == free.read_bytes()
            wrong |= not same or 8 * peak > size
            print(
                f"{model:16} {seconds:4.0f} s, {peak / 1e6:4.0f} MB resident, a {size / peak:.1f}th; texts in memory"
                f" {other[0]:4.0f} s, {other[1] / 1e6:5.0f} MB; {'same bytes' if same else 'DIFFERS'}",
                flush=True,
            )
    return wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
