"""Reports of tables, statement by statement, recomputed with pandas and scikit-learn.

Usage: report_statements.py CRATON TABLES, the folder with adult-train.csv, penguins.csv and others. Prints a
line a statement that was recomputed, and ends with 1 where one is not so.
"""

import html.parser
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import precision_recall_fscore_support
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# table, its target (a name, or the number of a column of a file without a header), and what pandas needs to be told.
TABLES = [
    ("penguins", "species", {}),
    ("birthwt", "low", {}),
    ("swiss", "Fertility", {}),
    ("abalone", "9", {"header": None}),
    ("phoneme", "6", {"header": None}),
    ("banknote_authentication", "5", {"header": None}),
    ("geyser", "duration", {}),
    ("iris", "Species", {}),
    ("adult-train", "15", {"header": None, "skipinitialspace": True, "na_values": ["?"]}),
    ("quakes", None, {}),
    ("USArrests", None, {}),
    ("galaxies", None, {}),
]

PEERS = {  # of rows of numbers
    "gaussian-nb": GaussianNB(var_smoothing=1e-9),
    "linear-discriminant": LinearDiscriminantAnalysis(),
    "quadratic-discriminant": QuadraticDiscriminantAnalysis(),
    "nearest-centroid": NearestCentroid(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=10_000, C=100)),
    "linear": LinearRegression(),
    "ridge": Ridge(alpha=1.0),
}


class Page(html.parser.HTMLParser):
    """Its sections: words, facts, commands and tables, whose numbers have all their digits."""

    def __init__(self, text):
        super().__init__()
        self.sections, self.text, self.into = {}, "", None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "section":
            self.section = {"words": [], "facts": {}, "commands": [], "tables": []}
        elif tag == "table":
            self.table = {"caption": self.caption, "head": [], "rows": []}
            self.section["tables"].append(self.table)
        elif tag == "tr" and self.table["head"]:
            self.table["rows"].append([])
        if tag in ("figure", "details"):
            self.caption = "" if tag == "details" else getattr(self, "caption", "")
        if tag in ("h2", "p", "dt", "dd", "code", "th", "td", "figcaption", "summary"):
            self.text, self.exact = "", attributes.get("data-v")

    def handle_data(self, data):
        self.text += data

    def handle_endtag(self, tag):
        text = self.text.strip()
        if tag == "h2":
            self.sections[text] = self.section
        elif tag in ("figcaption", "summary"):
            self.caption = text
        elif tag == "p" and hasattr(self, "section"):
            self.section["words"].append(text)
        elif tag == "dt":
            self.fact = text
        elif tag == "dd":
            self.section["facts"][self.fact] = text
        elif tag == "code":
            self.section["commands"].append(text)
        elif tag == "th":
            self.table["head"].append(text)
        elif tag == "td":
            self.table["rows"][-1].append(text if self.exact is None else float(self.exact))

    def frame(self, section, caption):
        for table in self.sections.get(section, {"tables": []})["tables"]:
            if re.match(caption, table["caption"]):
                return pd.DataFrame(table["rows"], columns=table["head"])
        return None

    def words(self, section):
        return " ".join(self.sections[section]["words"])


class Checker:
    def __init__(self):
        self.wrong = self.right = 0

    def __call__(self, what, said, is_so):
        self.right += bool(is_so)
        if not is_so:
            self.wrong += 1
            print(f"  WRONG {what}: {said}")

    def near(self, what, said, found, within):
        same = (said == "" and not np.isfinite(found)) or abs(float(said) - found) <= within
        self(what, f"{said}, not {found}", same)


def columns_of(page, table, check):
    """The facts of each column."""
    facts = page.sections["The table"]["facts"]
    check("rows", facts["rows"], int(facts["rows"]) == len(table))
    numbers = page.frame("The table", "numbers")
    for row in [] if numbers is None else numbers.to_dict("records"):
        values = pd.to_numeric(table[row["column"]], errors="coerce")
        told = {"missing": values.isna().sum(), "least": values.min(), "median": values.median(), "75%": values.quantile(0.75)}
        told |= {"25%": values.quantile(0.25), "greatest": values.max(), "mean": values.mean()}
        for name, found in told.items():
            if name in row:
                check.near(f"{name} of {row['column']}", row[name], found, 1e-9 * max(1, abs(found)))
        if "distinct" in row:
            check(f"distinct of {row['column']}", row["distinct"], str(row["distinct"]).split(".")[0] == str(values.nunique()) or (row["distinct"] == "10000+" and values.nunique() > 10_000))
    categories = page.frame("The table", "categories")
    for row in [] if categories is None else categories.to_dict("records"):
        values = table[row["column"]]
        check.near(f"missing of {row['column']}", row["missing"], values.isna().sum(), 0)
        check.near(f"distinct of {row['column']}", row["distinct"], values.nunique(), 0)
        first, share = re.match(r"(.*?) ([\d.e-]+)%", row["most frequent"]).groups()
        found = values.value_counts(normalize=True).iloc[0] * 100
        check(f"most frequent of {row['column']}", row["most frequent"], abs(float(share) - found) <= 0.01 * found)
    pairs = page.frame("The table", "correlations")
    for row in [] if pairs is None else pairs.to_dict("records"):
        both = table[[row["column"], row["with"]]].apply(pd.to_numeric, errors="coerce")
        if len(both) <= 20_000:
            for how in ("pearson", "spearman"):
                check.near(f"{how} of {row['column']}, {row['with']}", row[how], both.corr(how).iloc[0, 1], 1e-6)


def mistakes_of(page, table, target, check):
    """What was taken for what, precision, recall and F1, accuracy and calibration agree."""
    matrix = page.frame("Mistakes on rows held out", "True labels")
    models = page.frame("Models compared", ".*models on")
    best = models.iloc[0]
    if matrix is None:
        return
    labels = list(matrix.columns[1:])
    counts = matrix[labels].to_numpy(float)
    truth = np.repeat(np.arange(len(labels)), counts.sum(1).astype(int))
    told = np.concatenate([np.repeat(np.arange(len(labels)), row.astype(int)) for row in counts])
    if counts.sum() == table[target].notna().sum():  # all rows, not some that were drawn
        found = table[target].astype(str).value_counts()
        for label, n in zip(labels, counts.sum(1)):
            check.near(f"rows of {label}", n, found[label], 0)
    scores = page.frame("Mistakes on rows held out", "Each label")
    found = precision_recall_fscore_support(truth, told, labels=range(len(labels)), zero_division=np.nan)
    for name, values in zip(("precision", "recall", "f1"), found):
        for label, said, value in zip(labels, scores[name], values):
            check.near(f"{name} of {label}", said, value, 1e-9)
    right = np.trace(counts) / counts.sum()
    check.near("accuracy over all folds", best["accuracy"], right, 2e-3)
    words = page.words("Mistakes on rows held out")
    wrong = int(counts.sum() - np.trace(counts))
    check("mistakes counted", words, words.startswith(f"{wrong} of {int(counts.sum())} rows"))
    calibration = page.frame("How sure it may be", "How sure")
    if calibration is not None:
        rows = calibration["rows"].astype(float)
        share = calibration["share that is right"].astype(float)
        mean = calibration["mean p of the label told"].astype(float)
        check.near("calibration counts all rows", rows.sum(), counts.sum(), 0)
        check.near("calibration's right ones", (rows * share).sum() / rows.sum(), right, 1e-9)
        error = (rows * (share - mean).abs()).sum() / rows.sum()
        said = float(re.search(r"differ by ([\d.]+) %", page.words("How sure it may be")).group(1))
        check.near("expected calibration error", said, 100 * error, 0.051)


def models_of(page, table, target, classes, check):
    """Those that scikit-learn has too, on its own folds; what guessing reaches."""
    models = page.frame("Models compared", ".*models on")
    metric = models.columns[1]
    scoring = {"accuracy": "accuracy", "r2": "r2"}.get(metric)
    if scoring is None:
        return
    known = table[table[target].notna()]
    if len(known) > 20_000:
        known = known.sample(20_000, random_state=0)
    y = known[target].astype(str) if classes else known[target].astype(float)
    parts = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=0)
    guess = cross_val_score((DummyClassifier if classes else DummyRegressor)(), known[[]].assign(_=0), y, scoring=scoring, cv=parts).mean()
    said = models[models["model"] == "(guessing)"].iloc[0]
    check.near("guessing", said[metric], guess, 0.02 if len(known) > 1000 else 0.2)
    numbers = known.drop(columns=target).select_dtypes("number")
    if numbers.isna().any().any() or numbers.shape[1] == 0:
        return
    for row in models.to_dict("records"):
        peer = PEERS.get(row["model"])
        if peer is None or float(row["columns"]) != numbers.shape[1]:
            continue
        folds = cross_val_score(peer, numbers.to_numpy(float), y, scoring=scoring, cv=parts)
        spread = max(folds.std() * 2, 0.03)
        check.near(f"{metric} of {row['model']}", row[metric], folds.mean(), spread)


def commands_of(page, craton, folder, check):
    """They run, and fit the very model that the page is about."""
    use = page.sections["How to use it"]
    fit = next(line for line in use["commands"][0].splitlines() if line.startswith("craton fit"))
    done = subprocess.run(["bash", "-c", f'craton() {{ "{craton}" "$@"; }}; {fit}; craton describe model.craton'], cwd=folder, capture_output=True, text=True)
    check("the command that fits", done.stderr, done.returncode == 0)
    if "What is learned is learned from" not in page.words("In short"):
        check("digest", use["facts"]["digest"], use["facts"]["digest"] in done.stdout)


def main():
    craton, tables = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    wrong = 0
    for name, target, options in TABLES:
        path = tables / f"{name}.csv"
        check = Checker()
        with tempfile.TemporaryDirectory() as folder:
            words = [craton, "report", path, "-q", "-o", f"{folder}/page.html"] + (["--target", target] if target else [])
            before = time.perf_counter()
            subprocess.run(words, check=True, timeout=120)
            took = time.perf_counter() - before
            text = pathlib.Path(folder, "page.html").read_text()
            page = Page(text)
            table = pd.read_csv(path, keep_default_na=False, **({"na_values": ["", "NA"]} | options))
            table.columns = [str(c + 1) if isinstance(c, int) else c for c in table.columns]
            columns_of(page, table, check)
            if target:
                classes = page.frame("Mistakes on rows held out", "Each label") is not None
                mistakes_of(page, table, target, check)
                models_of(page, table, target, classes, check)
            commands_of(page, craton, folder, check)
        check("under 30 s", took, took < 30)
        check("under 3 MB", len(text), len(text) < 3_000_000)
        print(f"{name}: {check.right} statements are so, {check.wrong} are not; {took:.1f} s, {len(text) / 1000:.0f} kB")
        wrong += check.wrong
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
