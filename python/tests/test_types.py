"""The types that editors and mypy see are those of the classes."""

import os
import pathlib
import re
import subprocess
import sys

import craton

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "python" / "src" / "craton"

RIGHT = """
import numpy as np
import craton

x = np.zeros((3, 2))
labels = craton.KMeans(3, metric="cosine", n_init="auto").fit(x).predict(x)
mixture = craton.GaussianMixture(2, covariance_type="diag", random_state=np.random.default_rng(0))
score: float = mixture.fit(x, sample_weight=[1, 2, 3]).score(x)
rows, components = mixture.sample(5)
iterations: int = mixture.report_.iterations
measured = craton.select.cross_validate(craton.GaussianNB(), x, [0, 1, 1], cv=craton.select.KFold(3))
error_of_mean: float = measured.error["accuracy"]
pairs = [(len(train), len(test)) for train, test in craton.select.TimeSeriesSplit(2).split(x)]
best: dict[str, object] = craton.select.search(craton.KMeans(), x, space={"n_clusters": "1..2"}).best_params
try:
    craton.load("x.craton")
except craton.InputError as error:
    print(error.code, error.place.row, labels.shape, score, rows, components, iterations)
    print(error_of_mean, pairs, best)
"""


def module(name, *words, folder):
    """Runs a module of mypy beside the stub alone, as an installed package has it."""
    (folder / "stubs" / "craton").mkdir(parents=True, exist_ok=True)
    for stub in SOURCES.glob("*.pyi"):
        (folder / "stubs" / "craton" / stub.name).write_text(stub.read_text())
    return subprocess.run(
        [sys.executable, "-m", name, *words],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(folder / "stubs")},
        capture_output=True,
        text=True,
        timeout=300,
    )


def check(folder, code):
    (folder / "program.py").write_text(code)
    return module("mypy", "--strict", "program.py", folder=folder)


def test_the_stub_is_what_the_classes_give():
    script = ROOT / "tools" / "generate_stubs.py"
    subprocess.run([sys.executable, script, "--check"], check=True, timeout=60)


def test_the_package_says_that_it_is_typed():
    assert (pathlib.Path(craton.__file__).parent / "py.typed").exists()
    assert (pathlib.Path(craton.__file__).parent / "__init__.pyi").exists()


def test_the_stub_agrees_with_what_runs(tmp_path):
    done = module("mypy.stubtest", "craton", "--concise", folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_program_passes_the_strict_check(tmp_path):
    done = check(tmp_path, RIGHT)
    assert done.returncode == 0, done.stdout


MISTAKES = {
    "craton.KMeans(metric='manhattan')": "arg-type",
    "craton.KMeans(clusters=3)": "call-arg",
    "craton.KMeans().fit([[1]]).covariances_": "attr-defined",
    "craton.GaussianMixture().fit([[1]]).score([[1]]).upper()": "attr-defined",
    "craton.select.KFold(5, shuffled=True)": "call-arg",
    "craton.select.cross_validate(craton.KMeans(), [[1]], scoring=len)": "arg-type",
}


def test_mistakes_are_found(tmp_path):
    done = check(tmp_path, "\n".join(["import craton", *MISTAKES]))
    for line, code in enumerate(MISTAKES.values(), 2):
        assert re.search(rf"^program.py:{line}: error: .*\[{code}\]$", done.stdout, re.MULTILINE)
