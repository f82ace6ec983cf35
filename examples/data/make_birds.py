#!/usr/bin/env python3
"""Makes birds.csv: where birds of three kinds were seen, what they weigh, their eggs and journeys.

The kinds and all numbers are made up. About one cell in twelve is empty.

    python3 examples/data/make_birds.py > examples/data/birds.csv
"""
import math
import random

HABITATS = "cliff marsh wood town".split()
# birds; share of each habitat; shape and scale of the weight in grams; mean eggs; share that migrate
KINDS = {
    "tern": (90, [5, 4, 0.2, 0.5], (30, 4), 2.2, 0.95),
    "tit": (110, [0.1, 1, 6, 4], (40, 0.45), 7.5, 0.15),
    "rail": (60, [0.2, 8, 1, 0.3], (12, 11), 7.0, 0.6),
}


def poisson(rng, mean):
    limit, count, product = math.exp(-mean), 0, rng.random()
    while product > limit:
        count, product = count + 1, product * rng.random()
    return count


def main():
    rng = random.Random(1889)
    birds = []
    for kind, (count, habitats, (shape, scale), eggs, share) in KINDS.items():
        for _ in range(count):
            cells = [rng.choices(HABITATS, habitats)[0], f"{rng.gammavariate(shape, scale):.1f}",
                     str(poisson(rng, eggs)), "1" if rng.random() < share else "0"]
            birds.append([cell if rng.random() > 1 / 12 else "" for cell in cells] + [kind])
    rng.shuffle(birds)
    print("habitat,weight,eggs,migrates,kind")
    for bird in birds:
        print(",".join(bird))


if __name__ == "__main__":
    main()
