#!/usr/bin/env python3
"""Typed columns of CSV and TSV files: craton's against pandas'.

    ninja -C build/release dump_table
    .venv/bin/python tests/reference/csv_against_pandas.py FOLDER_OR_FILE...

For each file (in folders: *.csv, *.tsv and *.tab, packed with gzip or not) and column: the type by
craton and by pandas, and whether they are equal: values bit for bit, missing cells, levels of
categories. Where craton means to differ, the rule is named:

    row names   a leading column 'rownames', or '' or 'id' that counts up, is left out
    text        text with more than 1000 levels, or more than half as many as values, is left out
    big         integers beyond 2^53, which doubles do not hold, are categories or left out
    empty       a column with neither name nor values is left out
    title       a first line of rows, features and class names (scikit-learn) is skipped

pandas is told what it does not guess: the delimiter, whether there is a header, to skip the title,
blanks behind delimiters, that '?' is missing too, and (before pandas 3, whose default was off by a
bit for some numbers) to round correctly. The exit code is 1 if something differs without a rule.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/tests/dump_table"
ENDINGS = (".csv", ".tsv", ".tab", ".csv.gz", ".tsv.gz")
MOST_LEVELS = 1000
ROUND = {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}


def read_craton(path):
    with tempfile.NamedTemporaryFile() as values:
        done = subprocess.run([PROGRAM, path, values.name], capture_output=True, check=True)
        table = json.loads(done.stdout)
        if "refused" not in table:
            flat = np.fromfile(values.name)
            table["values"] = flat.reshape(table["rows"], len(table["columns"]))
    return table


def read_pandas(path, table):
    delimiter = re.search(r"^\w+, (tabs|blanks|'.'), ", table["guess"]).group(1)
    separator = {"tabs": "\t", "blanks": r"\s+"}.get(delimiter, delimiter[1:-1])
    header = None if ", no header, " in table["guess"] else 0
    skip = sum(note.startswith("skipped line") for note in table["notes"])
    frame = pd.read_csv(path, sep=separator, header=header, skiprows=skip, index_col=False,
                        skipinitialspace=True, na_values=["?"], low_memory=False, **ROUND)
    if header is None:
        frame.columns = [str(j + 1) for j in range(frame.shape[1])]
    frame.columns = [re.sub(r"^Unnamed: (\d+)$", lambda m: str(int(m[1]) + 1), name)
                     for name in frame.columns]
    return frame


def type_of(column):
    if pd.api.types.is_bool_dtype(column):
        return "bool"
    return str(column.dtype) if pd.api.types.is_numeric_dtype(column) else "text"


def compare(column, values, theirs):
    """The first difference between a column of craton's and one of pandas', or ''."""
    missing = theirs.isna().to_numpy()
    if not np.array_equal(np.isnan(values), missing):
        return "missing cells differ"
    if column["kind"] == "number":
        if type_of(theirs) == "text":
            return "text in pandas"
        doubles = theirs.to_numpy(dtype=np.float64, na_value=np.nan)
        same = values[~missing].view(np.int64) == doubles[~missing].view(np.int64)
        return "" if same.all() else f"{(~same).sum()} values differ"
    texts = theirs[~missing].astype(str)
    if type_of(theirs) not in ("text", "bool"):
        return "numbers in pandas"
    texts = texts.str.rstrip(" \t")
    if column["levels"] != sorted(set(texts), key=str.encode):
        return "levels differ"
    ours = np.asarray(column["levels"], dtype=object)[values[~missing].astype(int)]
    return "" if (ours == texts.to_numpy()).all() else "levels of rows differ"


def reason_to_ignore(name, first, notes, theirs):
    """The rule by which craton leaves a column out, seen to hold in pandas' column; or ''."""
    note = next((n for n in notes if f"'{name}'" in n), "")
    present = theirs.dropna()
    distinct = present.nunique()
    if "row names" in note and first:
        counts = pd.api.types.is_integer_dtype(theirs) and theirs.iloc[0] in (0, 1) and \
            (theirs.diff().dropna() == 1).all()
        return "row names" if name == "rownames" or counts else ""
    if "text column" in note and type_of(theirs) == "text":
        long = present.astype(str).str.encode("utf-8").str.len().max() > 256
        return "text" if distinct > MOST_LEVELS or 2 * distinct > len(present) or long else ""
    if "beyond 2^53" in note:
        return "big" if (present.astype(float).abs() >= 2**53).any() else ""
    if "neither name nor values" in note:
        return "empty" if present.empty else ""
    return ""


def judge(path, count):
    table = read_craton(path)
    if "refused" in table:
        print(f"\n{path.name}: refused: {table['refused'].splitlines()[0]}")
        count["files refused"] += 1
        return
    frame = read_pandas(path, table)
    print(f"\n{path.name}: {table['rows']} rows, {frame.shape[1]} columns ({table['guess']})")
    different = 0
    if any(note.startswith("skipped line") for note in table["notes"]):
        print("    by the rule 'title'")
    if len(frame) != table["rows"]:
        print(f"    DIFFERENT: pandas has {len(frame)} rows")
        count["files different"] += 1
        return
    ours = {column["name"]: (j, column) for j, column in enumerate(table["columns"])}
    for first, name in zip([True] + [False] * frame.shape[1], frame.columns):
        theirs = frame[name]
        if name in ours:
            j, column = ours.pop(name)
            kind = column["kind"]
            fault = compare(column, table["values"][:, j], theirs)
            verdict = "equal" if not fault else f"DIFFERENT: {fault}"
        else:
            kind = "ignored"
            rule = reason_to_ignore(name, first, table["notes"], theirs)
            verdict = f"by the rule '{rule}'" if rule else "DIFFERENT: left out without a rule"
        count["columns " + verdict.split(":")[0].lower()] += 1
        different += verdict.startswith("DIFFERENT")
        print(f"    {name[:30]:30} {kind:10}{type_of(theirs):10}{verdict}")
    different += len(ours)
    for name in ours:
        print(f"    {name[:30]:30} DIFFERENT: pandas has no such column")
    count["files different" if different else "files equal"] += 1


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    paths = []
    for argument in map(pathlib.Path, sys.argv[1:]):
        found = sorted(argument.rglob("*")) if argument.is_dir() else [argument]
        paths += [p for p in found if p.is_file() and (p == argument or p.name.endswith(ENDINGS))]
    count = collections.Counter()
    for path in paths:
        judge(path, count)
    print(f"\n{len(paths)} files, pandas {pd.__version__}")
    for what, number in sorted(count.items()):
        print(f"{number:6} {what}")
    sys.exit(1 if count["files different"] else 0)


if __name__ == "__main__":
    main()
