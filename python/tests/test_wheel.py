"""The wheel, in an environment that has nothing else, far from the sources."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = """
import pathlib, sys
import craton
package = pathlib.Path(craton.__file__).parent
assert package.is_relative_to(sys.prefix), package
assert (package / "py.typed").exists() and (package / "__init__.pyi").exists()
model = craton.GaussianMixture(n_components=2).fit([[1, 2], [1, 4], [2, 3], [9, 9], [8, 9], [9, 8]])
model.save("model.craton")
assert craton.load("model.craton").digest_ == model.digest_
assert model._repr_html_() and model.predict([[1.0, 2.0]]).shape == (1,)
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"sklearn", "scipy", "pandas"}
print(craton.__version__)
"""


@pytest.mark.slow
def test_the_wheel_works_by_itself(tmp_path):
    subprocess.run(["make", "-C", ROOT, "wheel"], check=True, capture_output=True, timeout=3000)
    wheel = max((ROOT / "dist").glob("*.whl"), key=os.path.getmtime)
    assert wheel.stat().st_size < 5 << 20
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = dict(cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    done = subprocess.run([python, "-m", "pip", "install", "-q", wheel], **run)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([python, "-W", "error", "-c", PROGRAM], **run)
    assert done.returncode == 0, done.stderr
    version = done.stdout.strip()
    assert version in wheel.name
    command = tmp_path / "venv" / "bin" / "craton"
    done = subprocess.run([command, "--version"], **run)
    assert done.stdout.split()[1] == version, done.stderr
    done = subprocess.run([command, "describe", "model.craton"], **run)
    assert "gmm" in done.stdout, done.stderr
