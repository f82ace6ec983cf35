"""craton split: a file in two, byte for byte."""

import collections
import gzip
import os
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATON = os.environ.get("CRATON", ROOT / "build/release/cli/craton")


def split(folder, *arguments, code=0, data="data.csv"):
    done = subprocess.run(
        [CRATON, "split", data, "train", "test", "--overwrite", *arguments],
        cwd=folder, capture_output=True, text=True,
    )
    assert done.returncode == code, done.stderr
    return done.stderr if code else [(folder / name).read_bytes() for name in ("train", "test")]


def table(rows, seed=1):
    rng = random.Random(seed)
    lines = ["x,kind,patient,day"]
    for i in range(rows):
        kind = rng.choices("abc", weights=[6, 3, 1])[0]
        lines.append(f"{rng.random():.6f},{kind},p{rng.randrange(rows // 5)},{rng.randrange(60)}")
    return "\n".join(lines) + "\n"


def rows_of(text):
    return text.decode().splitlines()[1:]


def column(rows, j):
    return [row.split(",")[j] for row in rows]


def test_rows_are_kept_as_they_are_and_in_order(tmp_path):
    rng = random.Random(2)
    records = []
    for i in range(200):
        text = rng.choice(['plain', '"with, comma"', '"two\nlines"', '"a ""quote"""', '"three\r\nand\n\nmore"'])
        records.append(f" {i} ,{text},{rng.random()!r}" + rng.choice(["\n", "\r\n"]))
    records[-1] = records[-1].rstrip("\r\n")  # no line end
    whole = "\ufeffnumber,text,value\r\n" + "".join(records)
    (tmp_path / "data.csv").write_bytes(whole.encode())
    train, test = (part.decode() for part in split(tmp_path, "--test", "0.3"))
    header = "\ufeffnumber,text,value\r\n"
    assert train.startswith(header) and test.startswith(header)
    left = {True: test[len(header):], False: train[len(header):]}
    for record in records:
        where = left[True].startswith(record)
        assert where or left[False].startswith(record), record
        left[where] = left[where][len(record):]
    assert left == {True: "", False: ""}
    assert test.count("\n ") + 0 > 0


def test_the_same_seed_gives_the_same_rows_and_shares_are_right(tmp_path):
    (tmp_path / "data.csv").write_text(table(203))
    one, again, other = (split(tmp_path, "--seed", seed) for seed in ("4", "4", "5"))
    assert one == again != other
    assert len(rows_of(one[1])) == 51 and len(rows_of(one[0])) == 152
    assert len(rows_of(split(tmp_path, "--test", "0.1")[1])) == 20


def test_classes_are_parted_alike(tmp_path):
    (tmp_path / "data.csv").write_text(table(203))
    for share in (0.25, 0.1, 0.5):
        train, test = map(rows_of, split(tmp_path, "--stratify", "kind", "--test", str(share)))
        assert len(test) == round(share * 203 + 1e-9)
        counts = collections.Counter(column(test, 1))
        for kind, count in collections.Counter(column(train + test, 1)).items():
            assert abs(counts[kind] - share * count) <= 1


def test_groups_are_whole_and_times_are_the_latest(tmp_path):
    (tmp_path / "data.csv").write_text(table(300))
    for more in ([], ["--stratify", "kind"]):
        train, test = map(rows_of, split(tmp_path, "--groups", "patient", *more))
        assert not set(column(train, 2)) & set(column(test, 2))
        assert 60 <= len(test) <= 90
    train, test = map(rows_of, split(tmp_path, "--time", "day"))
    assert max(map(int, column(train, 3))) < min(map(int, column(test, 3)))
    assert 75 <= len(test) <= 85


def test_packed_files_and_files_without_a_header(tmp_path):
    text = table(40).split("\n", 1)[1]
    (tmp_path / "data.csv").write_text(text)
    plain = split(tmp_path, "--header", "no")
    assert sorted((plain[0] + plain[1]).decode().splitlines()) == sorted(text.splitlines())
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert split(tmp_path, "--header", "no", data="data.csv.gz") == plain


def test_nothing_is_overwritten_or_half_written(tmp_path):
    (tmp_path / "data.csv").write_text(table(40))
    (tmp_path / "test").write_text("mine")
    run = lambda *words: subprocess.run([CRATON, "split", *words], cwd=tmp_path, capture_output=True, text=True)  # noqa: E731
    done = run("data.csv", "train", "test")
    assert done.returncode == 5 and "is there already" in done.stderr
    assert (tmp_path / "test").read_text() == "mine" and not (tmp_path / "train").exists()
    assert "would overwrite" in run("data.csv", "new", "./new").stderr
    assert "would overwrite" in run("data.csv", "data.csv", "new", "--overwrite").stderr
    assert "no folder" in run("data.csv", "train", "away/test").stderr
    assert "between 0 and 1" in run("data.csv", "a", "b", "--test", "1").stderr
    assert "one side would be empty" in run("data.csv", "a", "b", "--test", "0.001").stderr
    assert "did you mean 'kind'" in run("data.csv", "a", "b", "--stratify", "kid").stderr
    assert "standard input" in run("-", "a", "b").stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "test"]


def test_a_table_without_lines_says_what_to_do(tmp_path):
    numpy = pytest.importorskip("numpy")
    numpy.save(tmp_path / "data.npy", numpy.arange(60.0).reshape(20, 3))
    assert "craton convert" in split(tmp_path, data="data.npy", code=2)
