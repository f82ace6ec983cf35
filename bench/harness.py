"""Runs cases: starts a worker for each contestant, asks in shuffled order, judges, compares.

A *case* says what is asked of all; a *round* asks every contestant once (twice where the time of
an iteration is a difference); a ratio compares times of the same round.
"""
import hashlib
import json
import os
import pathlib
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from tables import Missing, Table

HERE = pathlib.Path(__file__).resolve().parent
OURS = "craton"
PAUSE = 0.05  # seconds for the threads of the one before to fall asleep
PATIENCE = 120  # seconds until a contestant is given up


@dataclass
class Case:
    name: str
    kind: str  # the table of the report that it belongs to
    table: Table
    task: str  # the function of a rival
    options: dict[str, Any]
    judge: Callable  # (x, result, tolerance) -> (quality, complaint)
    sign: int  # +1: a higher quality is better
    tolerance: float  # of quality
    arrays: Callable = lambda x: {}  # given starts
    iterations: int = 0  # m > 0: the time is (T(1 + m) - T(1)) / m
    reference: Callable | None = None  # (x, arrays) -> the quality that all must have
    seeds: bool = False  # a new seed each round, the same for all
    relative: bool = True  # the tolerance: to the quality expected
    work: float = 0  # additions and multiplications of an iteration's products; 0: no share is told
    plain: dict | None = None  # what craton is told so that it does all of them
    rivals: tuple = ("sklearn", "sklearnex", "faiss", "mlpack")
    errors: bool = False  # the quality is the digits of an error, which the report shows
    race: bool = True  # else a ratio is told, but nobody is faster


@dataclass
class Contestant:
    runs: list = field(default_factory=list)  # one a round
    status: str = "counted"  # or marked, failed, unsupported, not asked
    why: str | None = None

    def drop(self, status, why):
        if self.status == "counted":
            self.status, self.why = status, why


class Worker:
    def __init__(self, rival, path, threads):
        environment = dict(
            os.environ, OMP_WAIT_POLICY="passive", PYTHONWARNINGS="ignore",
            **{name + "_NUM_THREADS": str(threads) for name in ("OMP", "OPENBLAS", "MKL")})
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, HERE / "worker.py", rival, path, str(threads)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)

    def hear(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        if not ready:
            self.process.kill()
            return dict(error=f"no answer in {PATIENCE} s")
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        return dict(error=f"its process ended with code {self.process.wait()}: {self.last_words()}")

    def ask(self, request):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # hear() says how it ended
        return self.hear()

    def last_words(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip().split("\n")[-1]

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


class Hall:
    """The workers of one table, and what they are asked."""

    def __init__(self, table, rivals, threads):
        self.folder = tempfile.TemporaryDirectory(prefix="craton-bench-")
        self.path, self.x = table.write(pathlib.Path(self.folder.name))
        nothing = pathlib.Path(self.folder.name) / "nothing.npy"
        np.save(nothing, np.zeros(1))
        self.machine = Worker("numpy_product", nothing, threads)
        self.machine.hear()
        self.workers = {who: Worker(who, self.path, threads) for who in rivals}
        self.about = {who: worker.hear() for who, worker in self.workers.items()}
        self.judged = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in (self.machine, *self.workers.values()):
            worker.close()
        self.folder.cleanup()

    def request(self, case, arrays, **options):
        where = None
        if arrays:
            where = str(pathlib.Path(self.folder.name) / "arrays.npz")
            np.savez(where, **arrays)
        result = str(pathlib.Path(self.folder.name) / "result.npz")
        return dict(task=case.task, options=case.options | options, arrays=where, result=result)

    def judge(self, case, request):
        """Equal results are judged once: it may take longer than the fit."""
        with np.load(request["result"]) as arrays:
            result = dict(arrays)
        digest = hashlib.sha256(case.name.encode())
        for name in sorted(result):
            digest.update(np.ascontiguousarray(result[name]).tobytes())
        key = digest.hexdigest()
        if key not in self.judged:
            quality, complaint = case.judge(self.x, result, case.tolerance)
            self.judged[key] = float(quality), complaint
        return self.judged[key]


def run_case(hall, case, rivals, rounds, budget):
    contestants = {who: Contestant() for who in (OURS, *rivals)}
    arrays = case.arrays(hall.x)
    for who, contestant in contestants.items():  # warm up, and see who can
        note(contestant, hall.about[who])
        if contestants[OURS].status == contestant.status == "counted":
            note(contestant, hall.workers[who].ask(hall.request(case, arrays, max_iter=1)))
        if contestants[OURS].status != "counted":
            contestant.drop("not asked", "craton cannot")
    if contestants[OURS].status != "counted":
        return contestants, None
    for number in range(rounds):
        for who in random.sample(list(contestants), len(contestants)):
            contestant = contestants[who]
            spent = sum(run["spent"] for run in contestant.runs)
            enough = budget if number >= 2 else 5 * budget  # one round has no spread
            if contestant.status == "counted" and (number == 0 or spent < enough):
                run_round(hall, case, arrays, who, contestant, number)
    expected = compare_quality(case, contestants,
                               case.reference and case.reference(hall.x, arrays))
    return contestants, expected


def run_round(hall, case, arrays, who, contestant, number):
    seed = dict(seed=number) if case.seeds else {}
    m = case.iterations
    most = 1 + m if m else case.options["max_iter"]
    answers = {}
    for updates in random.sample([1, most], 2) if m else [most]:
        request = hall.request(case, arrays, max_iter=updates, **seed)
        time.sleep(PAUSE)
        answers[updates] = hall.workers[who].ask(request)
        if not note(contestant, answers[updates]):
            return
        if updates == most:
            quality, complaint = hall.judge(case, request)
            if complaint:
                contestant.drop("marked", complaint)
    last = answers[most]
    if who == OURS and case.work:
        answers |= share_of_peak(hall, case, arrays)
    run = dict(last, round=number, quality=quality, fit_wall=last["wall"], fit_cpu=last["cpu"],
               spent=sum(answers[updates]["spent"] for updates in {1, most} & answers.keys()))
    run |= {what: answers[what] for what in ("share", "cpu_share", "peak") if what in answers}
    if m:
        if last["iterations"] != most:
            contestant.drop("marked", f"made {last['iterations']} iterations, not {most}")
        for clock in ("wall", "cpu"):
            run[clock] = (last[clock] - answers[1][clock]) / m
    contestant.runs.append(run)


def share_of_peak(hall, case, arrays):
    """How much of NumPy's float product an iteration that spares nothing reaches, there and then."""
    worker, m = hall.workers[OURS], case.iterations
    plain = case.plain or {}
    time.sleep(PAUSE)
    product = hall.machine.ask(dict(task="product"))
    time.sleep(PAUSE)
    one, more = (worker.ask(hall.request(case, arrays, max_iter=updates, **plain))
                 for updates in (1, 1 + m))
    if {"error", "unsupported"} & (product.keys() | one.keys() | more.keys()):
        return {}
    rate = {clock: product["work"] / product[clock] for clock in ("wall", "cpu")}
    spent = {clock: (more[clock] - one[clock]) / m for clock in ("wall", "cpu")}
    if min(spent.values()) <= 0:
        return {}  # drowned in noise
    return dict(share=case.work / spent["wall"] / rate["wall"],
                cpu_share=case.work / spent["cpu"] / rate["cpu"], peak=rate["wall"])


def note(contestant, answer):
    """Whether it is an answer; why not, otherwise."""
    if "unsupported" in answer:
        contestant.drop("unsupported", answer["unsupported"])
    elif "error" in answer:
        contestant.drop("failed", answer["error"])
    return contestant.status in ("counted", "marked")


def compare_quality(case, contestants, reference):
    """All equal the reference, where there is one; else every rival equals craton."""
    medians = {who: statistics.median(run["quality"] for run in contestant.runs)
               for who, contestant in contestants.items()
               if contestant.runs and contestant.status == "counted"}
    expected = medians.get(OURS) if reference is None else reference
    if expected is None:
        return None
    room = case.tolerance * (abs(expected) if case.relative else 1)
    for who, quality in medians.items():
        if abs(quality - expected) <= room:
            continue
        if reference is not None:
            why = f"quality {quality:.9g}, the bench finds {expected:.9g}"
        else:
            better = case.sign * (quality - expected) > 0
            why = f"{'better' if better else 'worse'} than craton: {quality:.9g}, {expected:.9g}"
        contestants[who].drop("marked", why)
    return expected


def ratios(ours, theirs, clock):
    """Rival / craton over the rounds that both ran: above 1 craton is faster.

    None when a difference drowned in noise: leaving that round out would favour the other side.
    """
    mine = {run["round"]: run[clock] for run in ours.runs}
    pairs = [(run[clock], mine[run["round"]]) for run in theirs.runs if run["round"] in mine]
    if not pairs or min(map(min, pairs)) <= 0:
        return None
    values = [rival / craton for rival, craton in pairs]
    return dict(median=statistics.median(values), min=min(values), max=max(values),
                rounds=len(values))


def summary(case, threads, contestants, expected):
    """The case as the JSON has it."""
    ours = contestants[OURS]
    out = {}
    for who, contestant in contestants.items():
        entry = dict(status=contestant.status, why=contestant.why, runs=contestant.runs)
        if contestant.runs:
            for what in ("wall", "cpu", "fit_wall", "quality"):
                entry[what] = statistics.median(run[what] for run in contestant.runs)
            for what in ("peak_mb", "above_load_mb"):
                entry[what] = max(run[what] for run in contestant.runs)
            for what in ("share", "cpu_share", "peak"):
                if values := [run[what] for run in contestant.runs if what in run]:
                    entry[what] = dict(median=statistics.median(values), min=min(values),
                                       max=max(values), rounds=len(values))
        if who != OURS and contestant.status == ours.status == "counted":
            entry["ratio"] = ratios(ours, contestant, "wall")
            entry["cpu_ratio"] = ratios(ours, contestant, "cpu")
        out[pathlib.Path(who).stem] = entry
    return dict(name=case.name, kind=case.kind, table=case.table.name, task=case.task,
                options=case.options, threads=threads, tolerance=case.tolerance,
                errors=case.errors, race=case.race,
                relative=case.relative, iterations=case.iterations or None, work=case.work or None,
                expected=expected, expected_by="the bench" if case.reference else OURS,
                contestants=out)


def run_suite(cases, threads, rounds, budget, rivals, tell):
    """(summaries, skipped, versions); `tell` is given each summary as it comes."""
    done, skipped, versions = [], [], {}
    for table in dict.fromkeys(case.table for case in cases):
        chosen = [case for case in cases if case.table == table]
        meet = [[who for who in rivals if who in case.rivals or who.endswith(".py")]
                for case in chosen]
        names = dict.fromkeys([OURS, *(who for met in meet for who in met)])
        try:
            hall = Hall(table, names, threads)
        except Missing as error:
            skipped += [dict(name=case.name, why=str(error)) for case in chosen]
            continue
        with hall:
            versions |= {pathlib.Path(who).stem: about.get("version") or about.get("error")
                         for who, about in hall.about.items()}
            for case, met in zip(chosen, meet):
                done.append(summary(case, threads, *run_case(hall, case, met, rounds, budget)))
                tell(done[-1])
    return done, skipped, versions
