"""Reading numeric CSV: craton against a bare fast_float loop, pandas' C engine, polars and DuckDB.

    make bench-io                            all files, one thread each, then two
    .venv/bin/python bench/io/run.py --help

Every contestant turns the same file into doubles, in a process of its own. What is compared is CPU
time per value (user + system, of all its threads, import and start-up taken off), because on a
machine that others use as well wall time tells who was interrupted; the wall time is printed
beside it. The order is shuffled in every round; the sum of all values must agree. A ratio above 1
says that craton is faster.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parent.parent / "build/release/bench/bench_io"

# A rival reads sys.argv[1] and gives an array; what it spends before `start` is not counted.
FRAME = """
import json, resource, sys, time
{imports}
def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
cpu, start = spent(), time.perf_counter()
{read}
wall, cpu = time.perf_counter() - start, spent() - cpu
{total}
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
print(json.dumps(dict(wall=wall, cpu=cpu, sum=float(total), peak=peak)))
"""
RIVALS = {
    "pandas": dict(imports="import pandas", read="t = pandas.read_csv(sys.argv[1], engine='c')",
                   total="total = t.to_numpy().sum()"),
    "polars": dict(imports="import polars", read="t = polars.read_csv(sys.argv[1])",
                   total="total = t.to_numpy().sum()"),
    "duckdb": dict(
        imports="import duckdb\nc = duckdb.connect()\nc.execute('set threads to ' + sys.argv[2])",
        read="t = c.execute(\"select * from read_csv('\" + sys.argv[1] + \"')\").fetchnumpy()",
        total="total = sum(x.sum() for x in t.values())"),
}


def make_files(folder, megabytes):
    """Rows of 40 numbers: as people round them, as programs print them, and counts."""
    generator = np.random.default_rng(0)
    writers = {
        "short": (lambda n: generator.normal(size=(n, 40)) * 10, lambda v: "%.4f" % v),
        "full": (lambda n: generator.normal(size=(n, 40)) * 10, repr),
        "counts": (lambda n: generator.integers(0, 10000, size=(n, 40)), str),
    }
    files = {}
    for name, (draw, write) in writers.items():
        files[name] = folder / f"{name}.csv"
        with open(files[name], "w") as out:
            out.write(",".join(f"c{j}" for j in range(40)) + "\n")
            while out.tell() < megabytes << 20:
                out.writelines(",".join(map(write, row)) + "\n" for row in draw(2000).tolist())
    return files


def run(who, path, threads):
    environment = dict(os.environ, POLARS_MAX_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
    if who in RIVALS:
        command = [sys.executable, "-c", FRAME.format(**RIVALS[who]), path, str(threads)]
    else:
        command = [PROGRAM, who, path, str(threads)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=100, help="of each file")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    options = parser.parse_args()
    contestants = ["craton", "spool", "loop", *RIVALS]
    with tempfile.TemporaryDirectory() as folder:
        for name, path in make_files(pathlib.Path(folder), options.megabytes).items():
            for threads in options.threads:
                compare(name, path, threads, contestants, options.rounds)


def compare(name, path, threads, contestants, rounds):
    results = {who: [] for who in contestants}
    for _ in range(rounds):
        for who in random.sample(contestants, len(contestants)):
            if result := run(who, path, threads):
                results[who].append(result)
    size = path.stat().st_size / 2**20
    print(f"\n{name}.csv, {size:.0f} MB, {threads} thread{'s' if threads > 1 else ''}")
    print(f"{'':10}{'MB/s a core':>12}{'wall s':>9}{'peak MB':>9}{'CPU ratio to craton':>22}")
    expected = results["craton"][0]["sum"]
    ours = statistics.median(r["cpu"] for r in results["craton"])
    for who, runs in results.items():
        if not runs:
            print(f"{who:10}  not installed, or it failed")
            continue
        assert all(abs(r["sum"] - expected) <= 1e-6 * max(1, abs(expected)) for r in runs), who
        cpu = sorted(r["cpu"] for r in runs)
        middle = statistics.median(cpu)
        wall = statistics.median(r["wall"] for r in runs)
        peak = max(r["peak"] for r in runs) / 1024
        print(f"{who:10}{size / middle:12.0f}{wall:9.2f}{peak:9.0f}{middle / ours:10.2f}"
              f"  ({cpu[0] / ours:.2f} to {cpu[-1] / ours:.2f})")


if __name__ == "__main__":
    main()
