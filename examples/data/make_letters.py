#!/usr/bin/env python3
"""Makes letters.csv: how often each of twelve words stands in letters of three kinds to a shop.

Each letter is 8 to 40 words drawn from its kind's own distribution. The numbers are made up; no
real letter was read.

    python3 examples/data/make_letters.py > examples/data/letters.csv
"""
import random

WORDS = "please send order broken refund angry thank happy great price size box".split()
# letters, and the weight of each word
KINDS = {
    "complaint": (50, [3, 1, 3, 6, 5, 4, 1, 1, 1, 2, 2, 3]),
    "order": (70, [5, 6, 6, 1, 1, 1, 2, 1, 1, 4, 5, 3]),
    "thanks": (30, [1, 1, 2, 1, 1, 1, 6, 5, 4, 2, 1, 2]),
}


def main():
    rng = random.Random(1851)
    letters = []
    for kind, (count, weights) in KINDS.items():
        for _ in range(count):
            drawn = rng.choices(WORDS, weights, k=rng.randint(8, 40))
            letters.append([*(str(drawn.count(word)) for word in WORDS), kind])
    rng.shuffle(letters)
    print(",".join([*WORDS, "kind"]))
    for letter in letters:
        print(",".join(letter))


if __name__ == "__main__":
    main()
