"""A Python of its own for code that ends or changes the one it runs in."""

import subprocess
import sys


def python(code, timeout=120):
    """What a new Python prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
