"""A CSV file at least eight times larger than the memory of the process that fits it."""

import json
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
ROWS, COLUMNS = 1_600_000, 24  # 17 digits and a comma each: over 400 bytes a row
TIMES = 8


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(6, COLUMNS)) * 4
    array = centres[rng.integers(6, size=ROWS)] + rng.normal(size=(ROWS, COLUMNS))
    np.save(folder / "rows.npy", array)
    subprocess.run([CRATON, "convert", "rows.npy", "rows.csv", "-q"], cwd=folder, check=True)
    return folder / "rows.csv"


def fit(table, model, *options):
    """The digest of a fit, and the peak of its resident memory in bytes (VmHWM)."""
    command = [CRATON, "fit", *model, table, *options, "--json", "--tmpdir", table.parent]
    result = table.parent / "result.json"
    process = subprocess.Popen(command, stdout=result.open("w"))
    peak = 0
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line])
        time.sleep(0.005)
    assert process.returncode == 0
    return json.loads(result.read_text())["digest"], 1024 * peak


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        ["kmeans", "--n-clusters", "6", "--max-iter", "3"],
        ["gmm", "--n-components", "6", "--max-iter", "2"],
    ],
    ids=["kmeans", "gmm"],
)
def test_fit_of_a_file_eight_times_larger_than_the_process(table, model):
    size = table.stat().st_size
    assert size > 400 * ROWS
    digest, peak = fit(table, model, "--memory", "8M")
    print(f"{model[0]}: {size / 1e6:.0f} MB of CSV, VmHWM {peak / 1e6:.1f} MB: 1/{size / peak:.1f}")
    assert size >= TIMES * peak
    whole, _ = fit(table, model, "--memory", "100G")
    assert digest == whole
