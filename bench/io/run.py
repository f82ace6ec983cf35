"""Reading numeric CSV: craton against a bare fast_float loop, pandas' C engine, polars and DuckDB.

    make bench-io                            all files, one thread each, then two
    .venv/bin/python bench/io/run.py --help

Every contestant turns the same file into doubles, in a process of its own. What is compared is CPU
time per value (user + system, of all its threads, import and start-up taken off), because on a
machine that others use as well wall time tells who was interrupted; the wall time is printed
beside it. The order is shuffled in every round; the sum of all values must agree. A ratio above 1
says that craton, with its rows in memory or in the spool, is faster. The goals: above 1 against the
readers, above 0.5 against the loop, which has no quotes, no missing values, no checks, and does not
read the file. What falls short is marked.

The figures, with the machine, the versions and the date, go to bench/results/io.json (--output).
"""
import argparse
import datetime
import importlib.metadata
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
RESULTS = HERE.parent / "results/io.json"
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
    return json.loads(done.stdout.splitlines()[-1])  # DuckDB may draw a progress bar above


def machine():
    cpu = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line]
    return dict(date=datetime.date.today().isoformat(), cpu=cpu[0] if cpu else "?",
                cores=os.cpu_count(), load=round(os.getloadavg()[0], 1),
                python=sys.version.split()[0],
                **{who: importlib.metadata.version(who) for who in RIVALS if is_there(who)})


def is_there(package):
    try:
        return bool(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=100, help="of each file")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS)
    options = parser.parse_args()
    contestants = ["craton", "spool", "loop", *filter(is_there, RIVALS)]
    result = dict(machine=machine(), rounds=options.rounds, files=[])
    print(", ".join(f"{name} {value}" for name, value in result["machine"].items()))
    with tempfile.TemporaryDirectory() as folder:
        for name, path in make_files(pathlib.Path(folder), options.megabytes).items():
            for threads in options.threads:
                runs = measure(path, threads, contestants, options.rounds)
                result["files"].append(summary(name, path, threads, runs))
                show(result["files"][-1])
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n")


def measure(path, threads, contestants, rounds):
    runs = {who: [] for who in contestants}
    for _ in range(rounds):
        for who in random.sample(contestants, len(contestants)):
            if result := run(who, path, threads):
                runs[who].append(result)
    expected = runs["craton"][0]["sum"]
    for who, all_runs in runs.items():
        assert all(abs(r["sum"] - expected) <= 1e-6 * max(1, abs(expected)) for r in all_runs), who
    return {who: all_runs for who, all_runs in runs.items() if all_runs}


def summary(name, path, threads, runs):
    """Medians, and the ratios of CPU time to craton's two."""
    megabytes = path.stat().st_size / 2**20
    median = {who: {key: statistics.median(r[key] for r in all_runs) for key in all_runs[0]}
              for who, all_runs in runs.items()}
    rows = {}
    for who, middle in median.items():
        cpu = [r["cpu"] for r in runs[who]]
        rows[who] = dict(
            megabytes_a_second_a_core=round(megabytes / middle["cpu"], 1),
            cpu_seconds=[round(t, 4) for t in (min(cpu), middle["cpu"], max(cpu))],
            wall_seconds=round(middle["wall"], 4), peak_megabytes=round(middle["peak"] / 1024),
            in_memory_is_faster=round(middle["cpu"] / median["craton"]["cpu"], 2),
            spooled_is_faster=round(middle["cpu"] / median["spool"]["cpu"], 2))
    return dict(file=name, megabytes=round(megabytes), threads=threads, contestants=rows)


def show(table):
    threads = table["threads"]
    print(f"\n{table['file']}.csv, {table['megabytes']} MB, {threads} thread{'s'[:threads > 1]}")
    print(f"{'':10}{'MB/s a core':>12}{'CPU s (least to most)':>25}{'wall s':>9}{'peak MB':>9}"
          f"{'in memory':>11}{'spooled':>9}")
    for who, row in table["contestants"].items():
        least, middle, most = row["cpu_seconds"]
        goal = {"craton": 0, "spool": 0, "loop": 0.5}.get(who, 1)
        ratios = "".join(f"{ratio:{width}.2f}{'!' if ratio < goal else ' '}" for ratio, width in
                         ((row["in_memory_is_faster"], 10), (row["spooled_is_faster"], 8)))
        print(f"{who:10}{row['megabytes_a_second_a_core']:12.0f}"
              f"{f'{middle:.2f} ({least:.2f} to {most:.2f})':>25}{row['wall_seconds']:9.2f}"
              f"{row['peak_megabytes']:9}{ratios}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
