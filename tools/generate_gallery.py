#!/usr/bin/env python3
"""Writes docs/gallery.md and its pictures: every model and numbers, counts and words, in one column, two and many.

    tools/generate_gallery.py build/release/cli/craton
    tools/generate_gallery.py build/release/cli/craton --to FOLDER    somewhere else, to compare
"""

import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = 60
SPECIES = ["auk", "puffin", "tern"]
KINDS = {
    "numbers": ["wing", "tail", "bill", "weight"],
    "counts": ["eggs", "trips", "calls", "flights"],
    "words": ["place", "plumage", "diet", "season"],
    "of all kinds": ["wing", "eggs", "place", "tail"],
}
WIDTHS = {"one column": 1, "two columns": 2, "many columns": 4}
MORE = [  # pictures beside "fit": name, model, columns, target, options
    ("columns", "nb", KINDS["of all kinds"], "species", []),
    ("columns", "linear", ["wing", "eggs", "place"], "range", []),
    ("columns", "density", ["wing", "eggs", "bill"], None, []),
    ("density", "kde", ["wing", "tail"], None, []),
    ("profiles", "kmeans", KINDS["numbers"], None, ["--n-clusters", "3"]),
    ("silhouette", "kmeans", ["wing", "tail"], None, ["--n-clusters", "3"]),
    ("uncertainty", "gmm", ["wing", "tail"], None, ["--n-components", "3"]),
    ("pairs", "gaussian-nb", KINDS["numbers"], "species", []),
    ("confusion", "nb", ["eggs", "place"], "species", []),
    ("roc", "nb", ["eggs", "place"], "species", []),
    ("precision-recall", "nb", ["eggs", "place"], "species", []),
    ("lift", "nb", ["eggs", "place"], "species", []),
    ("calibration", "nb", ["eggs", "place"], "species", []),
    ("predicted", "ridge", ["wing"], "range", []),
    ("residuals", "linear", ["wing", "tail"], "range", []),
    ("coefficients", "linear", ["wing", "eggs", "place"], "range", []),
]
HEADER = f"""# Gallery

What `craton fit --plot`, `craton plot` and `craton.plot` draw: every model and columns of numbers, of counts, of words and
of all of them, one, two and many, of the same {ROWS} birds. Where there is no picture, the command says why. Point at a mark to read its
values. `tools/generate_gallery.py` makes this page; a test looks at all of its pictures.

"""


def birds():
    """Three species, apart in all columns but bill, calls, plumage and season."""
    draw = random.Random(7)

    def count(mean):
        return sum(draw.random() < mean / 40 for _ in range(40))

    for i in range(ROWS):
        k = i % 3
        wing = draw.gauss((10, 14, 12)[k], 1)
        place = draw.choices(["cliff", "shore", "meadow"], ((6, 2, 1), (1, 6, 2), (1, 1, 6))[k])[0]
        yield {
            "wing": f"{wing:.2f}",
            "tail": f"{draw.gauss((3, 5, 8)[k], 0.8):.2f}",
            "bill": f"{draw.gauss(5, 1):.2f}",
            "weight": f"{draw.gauss(30 + 2 * wing, 3):.1f}",
            "eggs": count((1, 4, 9)[k]),
            "trips": count((6, 3, 3)[k]),
            "calls": count(2),
            "flights": count((2, 2, 5)[k]),
            "place": place,
            "plumage": draw.choice(["black", "grey", "white"]),
            "diet": draw.choices(["fish", "krill"], ((5, 1), (2, 3), (1, 5))[k])[0],
            "season": draw.choice(["spring", "autumn"]),
            "species": SPECIES[k],
            "range": f"{2 * wing + 3 * (place == 'cliff') + draw.gauss(0, 1):.2f}",
        }


class Gallery:
    def __init__(self, command, docs):
        self.command, self.docs = command, docs
        self.folder = docs / "pictures" / "gallery"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rows = list(birds())
        self.made = set()

    def draw(self, name, model, columns, target, options, picture):
        """The picture as markdown, or the sentence that says why there is none."""
        with tempfile.TemporaryDirectory() as folder:
            data, fitted = pathlib.Path(folder, "birds.csv"), pathlib.Path(folder, "m.craton")
            names = columns + ([target] if target else [])
            with open(data, "w", newline="") as file:
                table = csv.writer(file)
                table.writerow(names)
                table.writerows([row[c] for c in names] for row in self.rows)
            learn = ["fit", model, data, "-o", fitted, "--seed", "1", *options]
            if not any(o["name"] == "seed" for o in self.options[model]):
                learn.remove("--seed"), learn.remove("1")
            if target:
                learn += ["--target", target]
            svg = self.folder / f"{name}.svg"
            svg.parent.mkdir(exist_ok=True)
            for words in (learn, ["plot", fitted, data, "--picture", picture, "-o", svg]):
                done = subprocess.run([self.command, *words], capture_output=True, text=True, timeout=60)
                if done.returncode:
                    return reason(done.stderr)
        self.made.add(svg)
        return f"![{model}: {', '.join(columns)}](pictures/gallery/{name}.svg)"

    def page(self):
        models = json.loads(subprocess.run([self.command, "models", "--json"], capture_output=True, text=True).stdout)
        self.options = {m["name"]: m["options"] for m in models["models"]}
        text = HEADER
        for model in models["models"]:
            text += self.model(model) + "\n"
        text += "## Other pictures\n\nBy `--picture`; which there are of a model is in [cli.md](cli.md).\n\n"
        for picture, model, columns, target, options in MORE:
            drawn = self.draw(f"more/{picture}-of-{model}", model, columns, target, options, picture)
            text += f"**{picture}**, of {model}\n\n{drawn}\n\n"
        for svg in self.folder.glob("*/*.svg"):
            if svg not in self.made:
                svg.unlink()
        (self.docs / "gallery.md").write_text(text.rstrip() + "\n")

    def model(self, model):
        name, able = model["name"], model["abilities"]
        target = "species" if able["labels"] else "range" if able["numbers"] else None
        options = []
        for option in model["options"]:
            if option["name"] in ("n_clusters", "n_components") and not target:
                options = ["--" + option["name"].replace("_", "-"), "3"]
        text = f"## {name}\n\n{model['help']}\n\n| | " + " | ".join(WIDTHS) + " |\n|---|---|---|---|\n"
        for kind, columns in KINDS.items():
            cells = [
                self.draw(f"{name}/{kind.split()[-1]}-{width}", name, columns[:width], target, options, "fit")
                for width in WIDTHS.values()
                if kind != "of all kinds" or width > 1
            ]
            text += f"| {kind} | " + " | ".join(cells if len(cells) == 3 else ["", *cells]) + " |\n"
        return text


def reason(stderr):
    line = next(line for line in stderr.splitlines() if "error" in line)
    line = re.sub(r"^craton: error \[[a-z-]+\]: ", "", line)
    return re.sub(r"\S*/birds\.csv", "birds.csv", line).replace("|", "\\|")


def main():
    words = sys.argv[1:]
    docs = ROOT / "docs"
    if "--to" in words:
        at = words.index("--to")
        docs = pathlib.Path(words[at + 1])
        del words[at : at + 2]
    Gallery(pathlib.Path(words[0]).resolve(), docs).page()


if __name__ == "__main__":
    main()
