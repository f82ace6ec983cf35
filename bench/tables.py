"""The tables that suites ask about: made here, or read from a folder of real data."""
import gzip
import json
import pathlib
from dataclasses import dataclass, field
from functools import partial
from typing import Callable

import numpy as np
import scipy.sparse


class Missing(Exception):
    """The real data is not there."""


@dataclass(frozen=True)
class Table:
    name: str
    make: Callable = field(compare=False)  # () -> array, CSR, or list of texts

    def write(self, folder):
        """The file, the same for all contestants."""
        x = self.make()
        if isinstance(x, list):
            path = folder / "x.json"
            path.write_text(json.dumps(x))
        elif scipy.sparse.issparse(x):
            path = folder / "x.npz"
            scipy.sparse.save_npz(path, x, compressed=False)
        else:
            path = folder / "x.npy"
            np.save(path, np.ascontiguousarray(x))
        return path, x


def blobs(n, d, k, dtype):
    """2k overlapping anisotropic Gaussians: k clusters need many iterations."""
    def make():
        r = np.random.default_rng(0)
        centers = r.normal(size=(2 * k, d)) * 8 / np.sqrt(d)
        scales = r.uniform(0.5, 1.5, size=(2 * k, d))
        z = r.integers(0, 2 * k, size=n)
        return (r.normal(size=(n, d)) * scales[z] + centers[z]).astype(dtype)
    return Table(f"{n}x{d} blobs {dtype}", make)


def groups(n, d, dtype):
    """Two groups far apart: every method finds them from any start."""
    def make():
        r = np.random.default_rng(0)
        return (r.normal(size=(n, d)) + 20 * (np.arange(n) % 2)[:, None]).astype(dtype)
    return Table(f"{n}x{d} two groups {dtype}", make)


def few_nonzeros(n, d, dtype):
    """CSR rows of zeros and ones with one cell in ten, in two sorts."""
    def make():
        r = np.random.default_rng(0)
        likely = np.where((np.arange(n) % 2)[:, None] == (np.arange(d) % 2), 0.18, 0.02)
        return scipy.sparse.csr_matrix((r.random((n, d)) < likely).astype(dtype))
    return Table(f"{n}x{d} CSR {dtype}", make)


def rows_of(x, k, seed=1):
    """A start: k different rows."""
    rows = np.sort(np.random.default_rng(seed).choice(x.shape[0], k, replace=False))
    chosen = x[rows]
    return chosen.toarray() if scipy.sparse.issparse(chosen) else np.array(chosen)


def _file(folder, name):
    if folder is None:
        raise Missing(f"needs {name}: give --data FOLDER")
    path = pathlib.Path(folder) / name
    if not path.exists():
        raise Missing(f"there is no {path}")
    return path


def _images(folder):
    with gzip.open(_file(folder, "mnist/train-images-idx3-ubyte.gz")) as packed:
        bytes_ = np.frombuffer(packed.read(), np.uint8, offset=16)
    return bytes_.reshape(60000, 784)


def mnist(folder, dtype):
    return Table(f"MNIST 60000x784 {dtype}", lambda: _images(folder).astype(dtype))


def mnist_components(folder, dtype, d=16):
    """The shape of UCI's letter table (16 columns, 26 clusters), from real data that is at hand."""
    def make():
        x = _images(folder) / 255
        x -= x.mean(0)
        _, axes = np.linalg.eigh(x.T @ x)
        return (x @ axes[:, ::-1][:, :d]).astype(dtype)
    return Table(f"MNIST's {d} leading principal components 60000x{d} {dtype}", make)


def _numbers(folder, name, columns):
    return np.genfromtxt(_file(folder, f"tables/{name}.csv"), delimiter=",", usecols=columns)


def numbers(folder, name, columns, shape):
    return Table(f"{name} {shape}", partial(_numbers, folder, name, columns))


def a9a(folder, dtype):
    def make():
        from sklearn.datasets import load_svmlight_file
        path = _file(folder, "libsvm/a9a")
        return scipy.sparse.csr_matrix(load_svmlight_file(str(path), n_features=123)[0].astype(dtype))
    return Table(f"a9a 32560x123 CSR {dtype}", make)
