"""Sparse files stay sparse for models that take such rows: what would not fit into memory as a table
does, and the result is that of the table."""

import json
import random
import resource
import subprocess
from pathlib import Path

CRATON = Path(__file__).resolve().parents[2] / "build" / "release" / "cli" / "craton"
MEMORY = 700 << 20  # a chunk of the wide rows below takes 614 MB when it is dense


def run(folder, *words, memory=None):
    limit = memory and (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
    done = subprocess.run(
        [CRATON, *words], cwd=folder, capture_output=True, text=True, timeout=60, preexec_fn=limit
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(count, columns, entries):
    draw = random.Random(1)
    for _ in range(count):
        places = sorted(draw.sample(range(1, columns + 1), entries))
        yield {j: draw.choice([1, 2.5]) for j in places}


def write_svm(path, rows):
    lines = ["0 " + " ".join(f"{j}:{v}" for j, v in row.items()) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def write_csv(path, rows, columns):
    lines = [",".join(str(row.get(j, 0)) for j in range(1, columns + 1)) for row in rows]
    names = ",".join(f"x{j}" for j in range(1, columns + 1))
    path.write_text("\n".join([names, *lines]) + "\n")


def test_wide_rows_need_memory_for_their_entries_only(tmp_path):
    write_svm(tmp_path / "wide.svm", rows_of(300, columns=300_000, entries=5))
    words = ["--threads", "1", "--quiet"]
    run(tmp_path, "fit", "kmeans", "wide.svm", "--n-clusters", "2", "-o", "m", *words, memory=MEMORY)
    labels = run(tmp_path, "predict", "m", "wide.svm", *words, memory=MEMORY)
    assert len(labels.split()) == 301
    assert "score" in json.loads(run(tmp_path, "score", "m", "wide.svm", "--json", memory=MEMORY))


def test_sparse_and_dense_files_give_the_same_clusters(tmp_path):
    rows = list(rows_of(400, columns=30, entries=6))
    write_svm(tmp_path / "rows.svm", rows)
    write_csv(tmp_path / "rows.csv", rows, columns=30)
    centres, labels = [], []
    for file in "rows.svm", "rows.csv":
        run(tmp_path, "fit", "kmeans", file, "--n-clusters", "5", "-o", file + ".m")
        fitted = json.loads(run(tmp_path, "describe", file + ".m", "--json"))
        centres.append([v for row in fitted["parameters"]["cluster_centers"] for v in row])
        labels.append(run(tmp_path, "predict", file + ".m", file))
    assert labels[0] == labels[1]
    assert all(abs(a - b) <= 1e-12 for a, b in zip(*centres, strict=True))
    run(tmp_path, "plot", "rows.svm.m", "rows.svm", "-o", "rows.svg")  # of a table, as ever


def test_folds_of_sparse_rows_are_sparse(tmp_path):
    lines = [
        f"{i % 2} " + " ".join(f"{j}:{v}" for j, v in row.items())
        for i, row in enumerate(rows_of(300, columns=300_000, entries=5))
    ]
    (tmp_path / "wide.svm").write_text("\n".join(lines) + "\n")
    words = ["--folds", "3", "--threads", "1", "--json"]
    done = run(tmp_path, "cv", "multinomial-nb", "wide.svm", *words, memory=MEMORY)
    assert len(json.loads(done)["best"]["folds"]) == 3
