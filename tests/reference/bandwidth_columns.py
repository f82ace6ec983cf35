"""The columns whose bandwidths bandwidths.py tells: two of Old Faithful, one of galaxies, four of scikit-learn's tables."""
import pathlib

import numpy
from sklearn import datasets

top = pathlib.Path(__file__).resolve().parents[2]


def columns():
    faithful = numpy.genfromtxt(top / "examples/data/faithful.csv", delimiter=",", names=True)
    return {
        "eruptions": faithful["eruptions"],
        "waiting": faithful["waiting"],  # whole minutes
        "velocity": numpy.loadtxt(top / "tests/reference/galaxies.csv", skiprows=1),
        "sepal length": datasets.load_iris().data[:, 0],  # 35 values in 150 rows
        "proline": datasets.load_wine().data[:, 12],
        "radius": datasets.load_breast_cancer().data[:, 0],
        "bmi": datasets.load_diabetes(scaled=False).data[:, 2],
    }
