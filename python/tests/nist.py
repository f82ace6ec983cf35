"""NIST's tables for the analysis of variance, which SciPy's own tests keep."""

import pathlib

import numpy as np
import scipy


def nist_table(name):
    """Rows of group and value, and the certified F."""
    folder = pathlib.Path(scipy.__file__).parent / "stats" / "tests" / "data" / "nist_anova"
    lines = (folder / f"{name}.dat").read_text().splitlines()
    certified = float(next(line for line in lines if line.startswith("Between")).split()[-1])
    return np.array([line.split() for line in lines[60:] if line.strip()], dtype=float), certified
