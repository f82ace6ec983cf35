"""What a person at a terminal sees: the bar, and Ctrl-C."""

import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
DATA = ROOT / "examples" / "data" / "islands.csv"
ENDLESS = ["fit", "kmeans", DATA, "--n-clusters", "8", "--n-init", "16000000"]
SECONDS = 60  # a program that takes longer has hung


def read_until(terminal, text):
    """What the terminal shows, up to `text`, or until the program has gone."""
    seen, end = b"", time.monotonic() + SECONDS
    while text not in seen and time.monotonic() < end:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    return seen


@pytest.fixture
def run(tmp_path):
    """Starts the command with stderr on a terminal of its own; gives the process and that end."""
    started = []

    def start(*words):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [CRATON, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs
        )
        os.close(theirs)
        started.append((process, ours))
        return process, ours

    yield start
    for process, terminal in started:
        process.kill()
        process.wait()
        process.stdout.close()
        os.close(terminal)


def test_long_work_shows_a_bar_and_control_c_ends_it(run, tmp_path):
    process, terminal = run(*ENDLESS, "-o", "m.craton", "--plot", "m.svg")
    seen = read_until(terminal, b"objective")
    assert b"\r\x1b[K[" in seen and b"iteration" in seen and b"left" in seen
    process.send_signal(signal.SIGINT)
    seen = read_until(terminal, b"nothing was saved")
    assert b"craton: interrupted: nothing was saved" in seen
    assert process.wait(SECONDS) == 130
    assert list(tmp_path.iterdir()) == []


def test_short_work_shows_nothing(run):
    process, terminal = run("fit", "gmm", DATA, "--quiet")
    assert process.wait(SECONDS) == 0
    assert read_until(terminal, b"never") == b""


def test_progress_can_be_turned_off(run):
    process, terminal = run(*ENDLESS, "--progress", "off")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert read_until(terminal, b"saved").startswith(b"craton: interrupted")
    assert process.wait(SECONDS) == 130


def test_control_c_does_not_wait_for_a_model_that_does_not_look(run, tmp_path):
    # One chunk of these rows takes seconds, and a model looks between chunks only.
    wide = tmp_path / "wide.csv"
    values = [(i * 7919 % 10007) / 10007 for i in range(4096 * 120)]
    rows = (",".join(map(str, values[i * 120 : i * 120 + 120])) for i in range(4096))
    wide.write_text("\n".join(rows) + "\n")
    process, terminal = run(
        "fit", "gmm", "wide.csv", "--n-components", "1000", "--init-params", "random_from_data",
        "--threads", "1", "--tol", "0", "-o", "m.craton",
    )  # fmt: skip
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert process.wait(SECONDS) == 130
    assert time.monotonic() - begin < 5  # 0.2 s on an idle machine
    assert list(tmp_path.iterdir()) == [wide]
