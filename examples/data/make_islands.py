#!/usr/bin/env python3
"""Makes islands.csv: four colonies of an invented seabird, two measurements of each bird.

Each colony is a Gaussian with its own mean and covariance. The numbers are made up, round, and
chosen so that two colonies overlap and one is small; no real bird was measured.

    python3 examples/data/make_islands.py > examples/data/islands.csv
"""
import math
import random

# birds, mean wing and tail in mm, their standard deviations, correlation
COLONIES = [
    (140, 163.0, 68.0, 4.5, 3.5, 0.70),
    (100, 180.0, 66.0, 5.0, 3.0, 0.30),
    (100, 191.0, 82.0, 6.0, 5.0, 0.80),
    (60, 166.0, 90.0, 3.0, 3.0, -0.45),
]


def birds(rng):
    for count, wing, tail, wing_sd, tail_sd, correlation in COLONIES:
        for _ in range(count):
            a, b = rng.gauss(0, 1), rng.gauss(0, 1)
            yield (
                wing + wing_sd * a,
                tail + tail_sd * (correlation * a + math.sqrt(1 - correlation**2) * b),
            )


def main():
    rng = random.Random(1912)
    rows = list(birds(rng))
    rng.shuffle(rows)
    print("wing_mm,tail_mm")
    for wing, tail in rows:
        print(f"{wing:.1f},{tail:.1f}")


if __name__ == "__main__":
    main()
