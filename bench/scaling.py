"""How the time of a k-means iteration of craton grows with the rows and with the clusters.

    bench/scaling.py [--quick] [--threads 2] [--rounds 3]

At the shell, on NPY files that are read in place as they do not fit (10 000 000 x 16 floats are
640 MB). An iteration is (T(1 + m) - T(1)) / m from the same start. Writes bench/results/scaling.json,
and the picture of docs/kmeans.md, docs/pictures/kmeans-scaling.svg (--output FOLDER: both there).
These are times of one program on one machine: what they show is the slope.
"""
import argparse
import json
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile
import time

import numpy as np

import report
from harness import PAUSE

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / "build/release"
CRATON, DRAW = BUILD / "cli/craton", BUILD / "bench/draw_scaling"
PICTURE = HERE.parent / "docs/pictures/kmeans-scaling.svg"
COLUMNS = 16


def write_rows(path, n):
    """Uniform in a cube, block by block: few clusters empty, none easy."""
    r = np.random.default_rng(0)
    out = np.lib.format.open_memmap(path, "w+", np.float32, (n, COLUMNS))
    for first in range(0, n, 1 << 18):
        block = out[first : first + (1 << 18)]
        block[:] = r.random(block.shape, np.float32)
    out.flush()


def fit(rows, k, start, updates, threads):
    """Wall and CPU seconds of the whole command."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [CRATON, "fit", "kmeans", rows, "--n-clusters", str(k), "--init", start, "--tol", "0",
         "--max-iter", str(updates), "--threads", str(threads), "--progress", "off", "--json"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, sum(getattr(after, f) - getattr(before, f) for f in ("ru_utime", "ru_stime"))


def measure(folder, n, k, threads, rounds):
    """Medians over the rounds; m such that the difference is long against start-up."""
    rows, start = folder / f"{n}.npy", folder / "start.npy"
    if not rows.exists():
        write_rows(rows, n)
    np.save(start, np.load(rows, mmap_mode="r")[:k])
    m = max(2, min(20, int(2e9 / (n * k * COLUMNS))))
    fit(rows, k, start, 1, threads)
    runs = []
    for _ in range(rounds):
        spent = {}
        for updates in random.sample([1, 1 + m], 2):
            time.sleep(PAUSE)
            spent[updates] = fit(rows, k, start, updates, threads)
        runs.append([(spent[1 + m][i] - spent[1][i]) / m for i in (0, 1)])
    wall, cpu = (statistics.median(run[i] for run in runs) for i in (0, 1))
    return dict(n=n, k=k, d=COLUMNS, m=m, wall=wall, cpu=cpu, runs=runs)


def draw(by_rows, by_clusters, path):
    """CPU time, the steadier one, with craton's own draw/ (draw_scaling.cc)."""
    lines = [f"rows {p['n']} {p['cpu']}" for p in by_rows]
    lines += [f"clusters {p['k']} {p['cpu']}" for p in by_clusters]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(subprocess.run([DRAW], input="\n".join(lines).encode(), check=True,
                                    stdout=subprocess.PIPE).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path, help="a folder")
    options = parser.parse_args()
    sizes = [10**3, 10**4] if options.quick else [10**5, 10**6, 10**7]
    clusters = [4, 8] if options.quick else [8, 32, 128, 512, 1024]
    result = dict(conditions=report.conditions(), quick=options.quick, threads=options.threads)
    with tempfile.TemporaryDirectory(prefix="craton-bench-") as folder:
        ask = lambda n, k: measure(  # noqa: E731
            pathlib.Path(folder), n, k, options.threads, options.rounds)
        result["rows"] = [ask(n, 64 if not options.quick else 4) for n in sizes]
        result["clusters"] = [ask(sizes[0], k) for k in clusters]
    for point in result["rows"] + result["clusters"]:
        print(f"n={point['n']:>9} k={point['k']:>5}  {1e3 * point['wall']:8.2f} ms wall"
              f"  {1e3 * point['cpu']:8.2f} ms CPU  an iteration")
    folder = options.output or report.results(options.quick)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scaling.json").write_text(json.dumps(result, indent=1) + "\n")
    own = options.output or options.quick
    picture = folder / "scaling.svg" if own else PICTURE
    draw(result["rows"], result["clusters"], picture)
    print(f"wrote {folder}/scaling.json and {picture}")


if __name__ == "__main__":
    main()
