#!/usr/bin/env python3
"""Makes people.csv: height and weight of women and men, some of them not weighed.

Heights are Gaussian; weight grows with height. The numbers are made up; nobody was measured.

    python3 examples/data/make_people.py > examples/data/people.csv
"""
import random

# people; mean and standard deviation of height; body mass index likewise
SEXES = {"female": (130, 165.0, 6.5, 23.0, 2.6), "male": (110, 178.5, 7.2, 24.5, 2.5)}
NOT_WEIGHED = 0.06


def main():
    rng = random.Random(1835)
    people = []
    for sex, (count, mean, deviation, index, spread) in SEXES.items():
        for _ in range(count):
            height = rng.gauss(mean, deviation)
            weight = f"{rng.gauss(index, spread) * (height / 100) ** 2:.1f}"
            people.append((f"{height:.1f}", weight if rng.random() > NOT_WEIGHED else "", sex))
    rng.shuffle(people)
    print("height_cm,weight_kg,sex")
    for person in people:
        print(",".join(person))


if __name__ == "__main__":
    main()
