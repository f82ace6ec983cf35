"""Every model and verb at the shell, on plain tables at the ends of what numbers can be: an answer, or
an error with a code. Never an internal error (70), a signal, a hang, or JSON that is none.
(tests/campaign has every option too, without the shell.)"""

import json
import math
import random
import subprocess
from pathlib import Path

import pytest

CRATON = Path(__file__).resolve().parents[2] / "build" / "release" / "cli" / "craton"
SECONDS = 60
ROWS = 40


def run(*words):
    done = subprocess.run([CRATON, *map(str, words), "-q"], capture_output=True, timeout=SECONDS)
    assert 0 <= done.returncode <= 5, (words, done.returncode, done.stderr.decode())
    text = done.stdout.decode()
    if "--json" in words and done.returncode == 0:
        json.loads(text, parse_constant=lambda word: pytest.fail(f"{words}: {word}"))
    return done.returncode == 0


draw = random.Random(1)
normal = [[draw.gauss(3 * (i % 3), 1) for _ in range(2)] for i in range(ROWS)]
TABLES = {
    "plain": lambda z, i: round(abs(z)),
    "offset 1e10": lambda z, i: 1e10 + z,
    "offset 1e16": lambda z, i: 1e16 + z,
    "scale 1e-154": lambda z, i: 1e-154 * z,
    "scale 1e100": lambda z, i: 1e100 * z,
    "scale 1e-300, above 0": lambda z, i: 1e-300 * math.exp(z),
    "both ends": lambda z, i: 1.7e308 * math.tanh(z - 3),
    "one ulp": lambda z, i: 1 + 2.3e-16 * round(abs(z)),
    "an outlier": lambda z, i: 1e150 if i == 7 else z,
    "counts of 1e14": lambda z, i: math.floor(1e14 * (1 + abs(z) / 100)),
    "counts up to e^200": lambda z, i: math.floor(math.exp(200)) if i % 5 == 0 else round(abs(z)),
    "equal": lambda z, i: 0.1,
}
MODELS = [m["name"] for m in json.loads(subprocess.check_output([CRATON, "models", "--json"]))["models"]]


ALWAYS = ["plain", "offset 1e16", "both ends", "counts up to e^200"]
PARAMS = [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.slow) for name in TABLES]


@pytest.fixture(scope="module", params=PARAMS)
def table(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("extremes") / "data.csv"
    value = TABLES[request.param]
    rows = [
        [*(f"{value(z, i):.17g}" for z in normal[i]), "abc"[i % 3], 10.0 ** (i % 9 - 4)]
        for i in range(ROWS)
    ]
    path.write_text("x,y,kind,weight\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))
    return path, request.param == "plain"


@pytest.mark.parametrize("model", MODELS)
def test_every_verb_answers_or_refuses_with_a_code(table, model, tmp_path):
    path, plain = table
    file, data = tmp_path / "m.craton", ["--features", "x,y"]
    targets = ["--target", "kind"], ["--json"], ["--target", "weight"]  # labels, nothing, numbers
    fitted = any(run("fit", model, path, *data, *target, "-o", file) for target in targets)
    assert fitted or not plain
    run("fit", model, path, *data, "--target", "kind", "--weights", "weight")
    for words in [] if not fitted else (
        ["describe", file],
        ["describe", file, "--json"],
        ["describe", file, "--linear"],
        ["describe", file, "--boundary"],
        ["predict", file, path, "--json"],
        ["predict", file, path, "--explain", 2],
        ["predict", file, path, "--proba"],
        ["score", file, path, "--json"],
        ["sample", file, "-n", 5, "--seed", 1, "--json"],
        ["learn", file, path, "-o", tmp_path / "l.craton"],
        ["unlearn", file, path, "-o", tmp_path / "u.craton"],
        ["merge", file, file, "-o", tmp_path / "b.craton"],
        ["quantile", file, 0.1, 0.9],
        ["condition", file, "--given", "x=1", "-o", tmp_path / "c.craton"],
        ["plot", file, path, "-o", tmp_path / "p.svg"],
    ):
        run(*words)
