#!/usr/bin/env python3
"""Reads a craton model file, written from docs/model-file.md alone.

It shares nothing with craton, so that the two can be compared. Everything the page asks of a reader
is checked except the XXH3 hashes, which are not in the standard library, and what only a model can
judge (options, parameters, digest).

    read_model.py m.craton        prints the metadata and the shapes of the arrays
"""
import json
import math
import struct
import sys

import numpy

MAGIC = b"\x89CRT\r\n\x1a\n"
JSON, DOUBLES, TEXT = 1, 2, 6
TYPES = {DOUBLES: "<f8", 3: "<f4", 4: "<i2", 5: "<i4"}  # arrays, as numpy calls them
SIZES = {JSON: 1, TEXT: 1, **{kind: int(name[2:]) for kind, name in TYPES.items()}}


class BadModel(Exception):
    pass


def require(condition, reason):
    if not condition:
        raise BadModel(reason)


def align(n):
    return (n + 63) // 64 * 64


def read_entry(data, at):
    name, kind, rank = struct.unpack_from("<64sII", data, at)
    shape = struct.unpack_from("<8Q", data, at + 72)
    offset, length, _hash = struct.unpack_from("<3Q", data, at + 136)
    text = name.rstrip(b"\0")
    require(1 <= len(text) <= 63 and all(0x21 <= byte <= 0x7E for byte in text), "bad name")
    require(rank <= 8 and not any(shape[rank:]), "bad rank")
    require(kind in SIZES, "unknown type")
    require(rank == 1 or kind not in (JSON, TEXT), "a text that is an array")
    shape = shape[:rank]
    require(math.prod(size or 1 for size in shape) <= 2**59, "shape too large")
    count = math.prod(shape) if shape else 0
    require(length == count * SIZES[kind], "length does not fit the shape")
    return text.decode("ascii"), kind, shape, offset, length


def unique(pairs):
    require(len(dict(pairs)) == len(pairs), "a name twice in one object")
    return dict(pairs)


def text_of(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadModel("not UTF-8") from None


def read_model(data):
    """The metadata as a dict, and the arrays and texts by name."""
    require(data[:8] == MAGIC, "not a model")
    require(len(data) >= 48, "ends within its head")
    version, sections, length = struct.unpack_from("<IIQ", data, 8)
    require(version in (1, 2), "unknown version")
    require(length == len(data), "wrong length")
    require(not any(data[24:32]), "bytes in the head")
    require(1 <= sections <= (len(data) - 48) // 160, "too many sections")
    entries = [read_entry(data, 32 + 160 * i) for i in range(sections)]
    require(len({entry[0] for entry in entries}) == sections, "a name twice")
    kinds = [entry[1] for entry in entries]
    require(entries[0][0] == "metadata" and kinds[0] == JSON, "no metadata")
    require(kinds.count(JSON) == 1, "wrong types")
    require(version == (2 if max(kinds) > DOUBLES else 1), "types of another version")
    end, arrays = 32 + 160 * sections, {}
    for name, kind, shape, offset, size in entries:
        require(offset == align(end) and offset + size <= len(data) - 16, "misplaced section")
        require(not any(data[end:offset]), "bytes in the padding")
        end = offset + size
        if kind == TEXT:
            arrays[name] = text_of(data[offset:end])
        elif kind != JSON:
            values = numpy.frombuffer(data, TYPES[kind], size // SIZES[kind], offset)
            arrays[name] = values.reshape(shape if shape else 0)
    require(align(end) + 16 == len(data) and not any(data[end:align(end)]), "bytes at the end")
    offset, size = entries[0][3:]
    try:
        metadata = json.loads(data[offset:offset + size].decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise BadModel(f"bad metadata: {error}") from None
    require(isinstance(metadata, dict) and metadata.get("format") == "craton model", "no model")
    known = {"prepared_rows"}  # whose sections are read as all others
    require(metadata.get("requires", {}).keys() <= known, "written by a newer craton")
    return metadata, arrays


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        metadata, arrays = read_model(file.read())
    print(json.dumps(metadata, indent=2, ensure_ascii=False))
    for name, array in arrays.items():
        print(name, array if isinstance(array, str) else array.shape)
