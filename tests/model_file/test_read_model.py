"""What the independent reader sees in a model file is what craton does."""

import json
import pathlib

import numpy
import pytest
from craton import _craton
from read_model import BadModel, read_model

MODELS = sorted(pathlib.Path(__file__).parents[1].joinpath("models").rglob("*.craton"))
ROWS = numpy.random.default_rng(1).normal(size=(50, 3))


def fit(name, **options):
    return _craton.fit(name, ROWS, options, None, ["a", "Größe", "名前"], 1, None)


def fits():
    return [
        fit("kmeans", n_clusters=4),
        fit("kmeans", n_clusters=2, init=ROWS[:2]),
        fit("gmm", n_components=2, tol=0.0, max_iter=3),
        fit("gmm", n_components=2, covariance_type="diag"),
    ]


def plain(option):
    """An option as Python has it, from the form that the page gives it."""
    if isinstance(option, dict) and "shape" in option:
        return numpy.array(option["values"], float).reshape(option["shape"]).tolist()
    return float(option["number"]) if isinstance(option, dict) else option


def check_same(data, model):
    metadata, arrays = read_model(data)
    assert metadata["model"] == model.name
    assert metadata["digest"] == model.digest()
    assert [column["name"] for column in metadata["columns"]] == model.names
    assert {column["kind"] for column in metadata["columns"]} == {"number"}
    parameters = model.parameters()
    parameters.update({f"memory.{name}": value for name, value in model.memory().items()})
    assert arrays.keys() == parameters.keys()
    for name, array in arrays.items():
        numpy.testing.assert_array_equal(array, parameters[name], strict=True)
    options = {name: value.tolist() if isinstance(value, numpy.ndarray) else value
               for name, value in model.options().items()}
    assert {name: plain(value) for name, value in metadata["options"].items()} == options
    report = model.report()
    assert metadata["report"]["iterations"] == report["iterations"]
    assert metadata["report"]["converged"] == report["converged"]
    assert [float(value) for value in metadata["report"]["trace"]] == list(report["trace"])


@pytest.mark.parametrize("model", fits(), ids=lambda model: model.name)
def test_a_fresh_model_reads_the_same(model):
    check_same(model.to_bytes(), model)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_stored_model_reads_the_same(path):
    check_same(path.read_bytes(), _craton.Model.load(str(path)))


def test_there_are_stored_models():
    assert MODELS


def test_no_truncation_is_read():
    data = fit("kmeans", n_clusters=1).to_bytes()
    for length in range(len(data)):
        with pytest.raises(BadModel):
            read_model(data[:length])


def test_what_is_read_of_a_changed_byte_differs_only_in_hashes_and_values():
    """Without XXH3 a reader cannot see a changed value, but nothing else may escape it."""
    data = fit("kmeans", n_clusters=1).to_bytes()
    metadata, arrays = read_model(data)
    for place in range(32 + 160 * 3):
        changed = bytearray(data)
        changed[place] ^= 0x10
        try:
            other, other_arrays = read_model(bytes(changed))
        except BadModel:
            continue
        assert json.dumps(other) == json.dumps(metadata)
        assert [a.tolist() for a in other_arrays.values()] == [a.tolist() for a in arrays.values()]
