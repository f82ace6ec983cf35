"""Writes a folder of made-up news, a file each, in a folder for each desk.

    python3 examples/data/make_news.py FOLDER
"""
import pathlib
import random
import sys

DESKS = {
    "economy": {
        "who": ["The central bank", "A large retailer", "The steel maker", "The ministry", "An insurer"],
        "did": ["raised {thing} again", "expects lower {thing} this {time}", "reported {thing} above forecasts",
                "warned of rising {thing}", "published its {thing} for the {time}"],
        "thing": ["interest rates", "profits", "prices", "wages", "exports", "inflation", "debt"],
        "then": ["Shares fell by {number} per cent.", "Investors had hoped for more.",
                 "Markets hardly moved.", "Economists see a turning point."],
    },
    "science": {
        "who": ["A team of astronomers", "Biologists", "A new telescope", "Physicists at the laboratory", "Geologists"],
        "did": ["measured {thing} for the first time", "found {thing} where nobody expected any",
                "explained {thing} with a simple model", "counted {thing} over a whole {time}", "doubt {thing}"],
        "thing": ["the orbits of comets", "cells without nuclei", "dark matter", "fossils of early birds", "gravitational waves",
                  "proteins", "the age of a glacier"],
        "then": ["The paper appears this {time}.", "Another experiment is to confirm it.",
                 "The error is {number} per cent.", "The data are public."],
    },
    "sport": {
        "who": ["The home team", "The champion", "The keeper", "The young striker", "The coach"],
        "did": ["decided the match with {thing}", "trained {thing} all {time}", "lost the final after {thing}",
                "praised {thing} of the team", "missed the cup because of {thing}"],
        "thing": ["a late goal", "two penalties", "an injury", "a strong defence", "a red card", "a record run"],
        "then": ["It ended {number} to one.", "The crowd stayed until the end.", "The league table is open again.",
                 "The next match is on Sunday."],
    },
    "weather": {
        "who": ["The forecast", "A storm from the west", "High pressure", "The first frost", "Heavy rain"],
        "did": ["brings {thing} to the coast", "ends with {thing} in the mountains", "keeps {thing} away this {time}",
                "promises {thing} for the weekend", "follows {thing} of the last {time}"],
        "thing": ["fog", "snow", "warm air", "strong wind", "clouds", "thunder", "sunshine"],
        "then": ["Temperatures reach {number} degrees.", "Rivers may rise.", "Drivers should take care.",
                 "Nights stay clear."],
    },
}
SHARED = ["It was the talk of the {time}.", "A spokesman had no comment.", "More is expected on Monday.",
          "Many asked what comes next."]


def document(r, parts):
    sentences = []
    for _ in range(r.randint(1, 3)):
        sentences.append(f"{r.choice(parts['who'])} {r.choice(parts['did'])}.")
        sentences.append(r.choice(parts["then"] if r.random() < 0.5 else SHARED))
    return "\n".join(
        sentence.format(thing=r.choice(parts["thing"]), time=r.choice(["week", "month", "season", "year"]),
                        number=r.randint(2, 9))
        for sentence in sentences
    )


def main(folder):
    r = random.Random(1605)
    for desk, parts in DESKS.items():
        (pathlib.Path(folder) / desk).mkdir(parents=True, exist_ok=True)
        for i in range(60):
            about = parts if r.random() < 0.95 else r.choice(list(DESKS.values()))  # a few are misplaced
            path = pathlib.Path(folder) / desk / f"{i + 1:03}.txt"
            path.write_text(document(r, about) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
