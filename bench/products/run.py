"""Products, Gram matrices and factorisations: craton's beside OpenBLAS and its LAPACK, one thread.

    make bench-products                            all of it, about five minutes
    .venv/bin/python bench/products/run.py --help

Both compute the same in one process (bench_products), OpenBLAS from the library that NumPy brings
along. A round runs one and then the other, in turns for a while, since what else the machine does
slows both then; each has the median of its runs, in CPU time of the thread. A ratio divides two
times of the same round, OpenBLAS by craton; printed are the median, the least and the greatest. What they computed must agree: 1e-12 in double, 1e-4 in float. The goals:
0.9 for products at 64 to 2048, 0.5 for factorisations. What falls short is marked.

The figures go to bench/results/products.json and products.md (--output FOLDER).
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bench/bench_products"
PRODUCTS = ("product", "Gram matrix", "weighted Gram matrix")
GAP = dict(float=1e-4, double=1e-12)


def openblas():
    """The library that NumPy loaded, and what it says it is."""
    folder = pathlib.Path(np.__file__).resolve().parents[1] / "numpy.libs"
    found = sorted(folder.glob("libscipy_openblas64_*.so"))
    if not found:
        sys.exit(f"no OpenBLAS in {folder}: this bench needs the NumPy of tools/requirements-build.txt")
    built = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return found[0], f"{built['name']} {built['version']}"


def conditions(blas):
    cpu = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line]
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT,
                            capture_output=True, text=True).stdout.strip()
    now = datetime.datetime.now(datetime.timezone.utc)
    return dict(date=now.isoformat(timespec="seconds"), cpu=cpu[0] if cpu else "?", cores=os.cpu_count(),
                load=round(os.getloadavg()[0], 1), commit=commit or "?", numpy=np.__version__, blas=blas)


def judge(case):
    ratios = [o / c for o, c in zip(case["other"], case["craton"])]
    goal = 0.9 if case["task"] in PRODUCTS else 0.5
    case.update(ratio=statistics.median(ratios), least=min(ratios), greatest=max(ratios), goal=goal)
    rate = 1e-9 * case["operations"] / statistics.median(case["craton"])
    case["gigaflops"] = rate
    if not case["gap"] < GAP[case["type"]]:
        case["verdict"] = "DIFFERS"
    else:
        case["verdict"] = "" if case["ratio"] >= goal else "MISSED"
    return case


def table(cases, head):
    lines = [f"| {head} | type | rows × columns | beside | Gflop/s | ratio | |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for c in cases:
        lines.append(f"| {c['task']} | {c['type']} | {c['rows']} × {c['columns']} | {c['rival']} |"
                     f" {c['gigaflops']:.1f} | {c['ratio']:.2f} ({c['least']:.2f} to"
                     f" {c['greatest']:.2f}) | {c['verdict']} |")
    return lines


def report(result):
    c, cases = result["conditions"], result["cases"]
    missed = [x for x in cases if x["verdict"]]
    lines = [
        "# Products and factorisations: craton beside OpenBLAS, one thread",
        "",
        f"{c['date']}, {c['cpu']}, {c['cores']} cores, load {c['load']} at the start, commit {c['commit']}.",
        f"NumPy {c['numpy']} with {c['blas']}. Written by bench/products/run.py, which says how it is"
        " measured.",
        f"A ratio above 1: craton is faster. {len(missed)} of {len(cases)} are below their goal.",
        "",
        "## Products, goal 0.9",
        "",
        *table([x for x in cases if x["task"] in PRODUCTS], "product"),
        "",
        "## Factorisations, goal 0.5",
        "",
        *table([x for x in cases if x["task"] not in PRODUCTS], "factorisation"),
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="of a case in a round")
    parser.add_argument("--largest", type=int, default=4000, help="sizes above are left out")
    parser.add_argument("--task", default="", help="only tasks with this in their names")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bench/results")
    options = parser.parse_args()
    library, blas = openblas()
    result = dict(conditions=conditions(blas), rounds=options.rounds, cases=[])
    command = [PROGRAM, library, str(options.rounds), str(options.seconds), str(options.largest), options.task]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            case = judge(json.loads(line))
            result["cases"].append(case)
            print(f"{case['task']:21} {case['type']:6} {case['rows']:5} x {case['columns']:<5}"
                  f" {case['rival']:18} {case['ratio']:.2f} {case['verdict']}", flush=True)
    if program.returncode != 0:
        sys.exit(f"{PROGRAM.name} failed ({program.returncode})")
    options.output.mkdir(exist_ok=True)
    (options.output / "products.json").write_text(json.dumps(result, indent=1) + "\n")
    (options.output / "products.md").write_text(report(result))
    print(report(result).split("\n## ")[0])


if __name__ == "__main__":
    main()
