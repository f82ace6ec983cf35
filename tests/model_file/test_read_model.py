"""What the independent reader sees in a model file is what craton does."""

import json
import pathlib
import struct

import numpy
import pytest
from craton import _craton
from read_model import BadModel, read_model

MODELS = sorted(pathlib.Path(__file__).parents[1].joinpath("models").rglob("*.craton"))
ROWS = numpy.random.default_rng(1).normal(size=(50, 3))


def fit(name, **options):
    return _craton.fit(name, ROWS, options, None, ["a", "Größe", "名前"], 1, None)


def fit_labelled(name, **options):
    labels = numpy.arange(50, dtype=numpy.int32) % 2
    return _craton.fit(name, ROWS, options, None, ["a", "Größe", "名前"], 1, None, None, labels,
                       ("group", False, ["p", "q"]))


def fits():
    return [
        fit_labelled("generative", density="gmm"),
        fit_labelled("generative", settings="family=gaussian", scale="none"),
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
    assert [column["name"] for column in metadata["columns"]] == model.names
    assert {column["kind"] for column in metadata["columns"]} == {"number"}
    if "layout" in arrays:  # generative as 0.1.0 had it: craton knows it by names of today
        assert struct.unpack_from("<I", data, 8) == (1,)
        return
    parameters = model.parameters()
    parameters.update({f"memory.{name}": value for name, value in model.memory().items()})
    assert metadata["digest"] == model.digest()
    assert arrays.keys() == parameters.keys()
    for name, array in arrays.items():
        if isinstance(array, str):
            assert array == parameters[name]
            continue
        # Rows that a model keeps lie in the file in the smallest type that loses no bit.
        kept = array.astype(float) if array.dtype in (numpy.float32, numpy.int16) else array
        numpy.testing.assert_array_equal(kept, parameters[name], strict=True)
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


def test_a_file_of_version_2_is_one_that_needs_it():
    for model in fits():
        data = model.to_bytes()
        typed = any(isinstance(value, str) for value in read_model(data)[1].values())
        assert struct.unpack_from("<I", data, 8) == (2 if typed else 1,)
    as_other = bytearray(data)
    as_other[8] = 2
    with pytest.raises(BadModel, match="another version"):
        read_model(bytes(as_other))


def test_every_type_of_version_2_is_read():
    """By hand, from the page: those that no model of craton keeps yet among them."""
    text = "Größe".encode()
    metadata = b'{"format": "craton model"}'
    contents = [("metadata", 1, (len(metadata),), metadata),
                ("floats", 3, (2, 1), struct.pack("<2f", 0.5, -3e38)),
                ("shorts", 4, (3,), struct.pack("<3h", -32768, 0, 258)),
                ("integers", 5, (1,), struct.pack("<i", -66051)),
                ("text", 6, (len(text),), text)]

    def packed(contents):
        table, sections, end = b"", b"", 32 + 160 * len(contents)
        for name, kind, shape, section in contents:
            offset = (end + 63) // 64 * 64
            table += struct.pack("<64sII8Q3Q", name.encode(), kind, len(shape), *shape,
                                 *[0] * (8 - len(shape)), offset, len(section), 0)
            sections += bytes(offset - end) + section
            end = offset + len(section)
        length = (end + 63) // 64 * 64 + 16
        head = struct.pack("<8sIIQQ", b"\x89CRT\r\n\x1a\n", 2, len(contents), length, 0)
        return (head + table + sections).ljust(length, b"\0")

    arrays = read_model(packed(contents))[1]
    assert arrays["floats"].tolist() == [[0.5], [float(numpy.float32(-3e38))]]
    assert arrays["shorts"].tolist() == [-32768, 0, 258]
    assert arrays["integers"].tolist() == [-66051]
    assert arrays["text"] == "Größe"
    for kind, shape, section, reason in [(6, (3,), text[:3], "UTF-8"),
                                         (6, (1, len(text)), text, "a text that is an array"),
                                         (7, (len(text),), text, "unknown type"),
                                         (4, (6,), bytes(6), "length")]:
        with pytest.raises(BadModel, match=reason):
            read_model(packed([*contents[:-1], ("text", kind, shape, section)]))


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
