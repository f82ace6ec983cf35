"""Files that are wrong: (name, bytes, code, line or None, words of the message).

What test_wrong_files.py gives to the command. The readers' own tests have more of each format; these
go all the way from a file on the disk to what a person reads.
"""

import gzip
import io
import struct
import zipfile


def column(cell, code="not-a-number", line=202):
    """200 numbers, then one cell that is none, behind a column that has nothing wrong."""
    text = "x,y\n" + "1,2\n" * 200 + f"3,{cell}\n" + "4,5\n" * 10
    return "a.csv", text.encode(), code, line, ["column 'y'", cell.strip('"')]


TEXT = [
    # nothing in it
    ("a.csv", b"", "bad-file", None, ["empty"]),
    ("a.csv", b"\n\n", "bad-file", None, ["empty"]),
    ("a.csv", b"\xef\xbb\xbf\r\n", "bad-file", None, ["empty"]),
    ("a.csv", b"x,y\n", "no-rows", None, ["no rows"]),
    ("a.svm", b"# nothing\n", "no-rows", None, ["no rows"]),
    ("a.jsonl", b"\n", "no-rows", None, ["no rows"]),
    ("a.csv.gz", gzip.compress(b"", mtime=0), "bad-file", None, ["empty"]),
    # other encodings, and bytes that are no text
    ("a.csv", "x,y\n1,2\n".encode("utf-16"), "bad-file", None, ["UTF-16", "iconv"]),
    ("a.csv", b"\xfe\xff" + "x,y\n1,2\n".encode("utf-16-be"), "bad-file", None, ["UTF-16"]),
    ("a.csv", "x,y\n1,2\n".encode("utf-16-le"), "bad-file", 1, ["0x00"]),
    ("a.csv", b"x,y\n1,2\n\x003,4\n", "bad-file", 3, ["0x00"]),
    ("a.csv", b"x,y\n1,2\x01\n", "bad-file", 2, ["0x01"]),
    ("a.csv", b"x,y\n1,2\n\x1b[31m3,4\n", "bad-file", 3, ["0x1b"]),
    ("a.csv", b"x,caf\xe9\n1,2\n", "bad-file", 1, ["column 2", "UTF-8", "iconv"]),
    ("a.csv", b"k,x\ncaf\xe9,1\ncaf\xe9,2\n", "bad-file", 2, ["UTF-8"]),
    ("a.svm", b"\xff\xfe1\x00", "bad-file", None, ["UTF-16"]),
    ("a.svm", b"1 1:1\n\x00 1:2\n", "bad-file", 2, ["zero byte"]),
    ("a.jsonl", b'{"a": 1}\n\x00\n', "bad-file", 2, ["zero byte"]),
    ("a.jsonl", b'{"a": "\xff"}\n', "bad-file", 1, ["UTF-8", "offset 7"]),
    # quotes
    ("a.csv", b'x,y\n1,"2\n3,4\n', "bad-file", 2, ["never closed", "quotes"]),
    ("a.csv", b'x,y\n1,2\n3,"4', "bad-file", 3, ["never closed"]),
    ("a.csv", b'x,y\n"1"2,3\n', "bad-file", 2, ["closing quote"]),
    ("a.tsv", b'x\ty\n1\t"2" 3\n', "bad-file", 2, ["closing quote"]),
    ("a.csv", b'"', "bad-file", 1, ["never closed"]),
    # ragged
    ("a.csv", b"x,y\n1,2,3\n", "ragged-row", 2, ["3 fields", "line 1 has 2"]),
    ("a.csv", b"x,y\n1,2\n3\n", "ragged-row", 3, ["1 fields", "line 1 has 2"]),
    ("a.csv", b"x,y\r1,2\r3\r", "ragged-row", 3, ["1 fields"]),
    ("a.csv", b"x,y\r\n1,2\r\n3\r\n", "ragged-row", 3, ["1 fields"]),
    ("a.csv", b"x,y\n1,2\n3,4,\n", "ragged-row", 3, ["3 fields"]),
    ("a.csv", b"x,y\n1,2\n\n3,4\n", "ragged-row", 3, ["blank", "Delete"]),
    ("a.csv", b"x,y\n1,000,5\n2,6\n", "ragged-row", 2, ["3 fields", "line 1 has 2"]),
    ("a.csv", b"# made by a program\nx,y\n1,2\n", "ragged-row", 2, ["2 fields"]),
    ("a.csv", b"x y\n1 2 3\n2 4 5\n", "ragged-row", 2, ["rownames"]),
    ("a.csv", b"x|y\n1|2\n3|4|5\n", "ragged-row", 3, ["3 fields"]),
    ("a.csv", b"x,y\n" + b"1,2\n" * 50000 + b"3\n", "ragged-row", 50002, ["1 fields"]),
    ("a.csv", b"x,y\n1,2\n3,4\n<html>\n", "ragged-row", 4, ["1 fields"]),
    # numbers that are none
    column("abc"),
    column("1e"),
    column('"1,5"'),
    column("1.000.000"),
    column("1'000"),
    column("1 000"),
    column("0x1F"),
    column("$5"),
    column("5%"),
    column("12:30"),
    column("2024-01-02"),
    column("--5"),
    column("1-"),
    column("missing"),
    column("#DIV/0!"),
    column("−5"),
    column("9007199254740993"),
    column("1_000"),
    column("1.5f"),
    column("."),
    # LIBSVM
    ("a.svm", b"1 0:1\n", "bad-file", 1, ["index 0", "below 1"]),
    ("a.svm", b"1 1:1\n1 -3:1\n", "bad-file", 2, ["index -3"]),
    ("a.svm", b"1 3:1 2:1\n", "bad-file", 1, ["2 follows 3"]),
    ("a.svm", b"1 2:1 2:1\n", "bad-file", 1, ["2 is given twice"]),
    ("a.svm", b"1 9223372036854775808:1\n", "bad-file", 1, ["beyond"]),
    ("a.svm", b"1 a:1\n", "bad-file", 1, ["index 'a'"]),
    ("a.svm", b"1 1:x\n", "not-a-number", 1, ["column '1'", "'x'"]),
    ("a.svm", b"yes 1:1\n", "not-a-number", 1, ["label 'yes'"]),
    ("a.svm", b"nan 1:1\n", "not-finite", 1, ["label", "'nan'"]),
    ("a.svm", b"1,2 1:1\n", "unsupported-data", 1, ["several labels"]),
    # JSON lines
    ("a.jsonl", b"[1]\n", "bad-file", 1, ["not an object"]),
    ("a.jsonl", b'{"a": 1}\n{"a": \n', "bad-file", 2, ["JSON"]),
    ("a.jsonl", b'{"a": NaN}\n', "bad-file", 1, ["JSON"]),
    ("a.jsonl", b'{"a": 1, "a": 2}\n', "bad-file", 1, ["twice"]),
    ("a.jsonl", b'{"a": 1}\n{"a": "x"}\n', "not-a-number", 2, ["'x'", "column 'a'"]),
    ("a.jsonl", b'{"a": 9007199254740993}\n', "not-a-number", 1, ["2^53"]),
    ("a.jsonl", b'{"a": ' + b"[" * 100000 + b"\n", "bad-file", 1, ["deep"]),
    # Matrix Market
    ("a.mtx", b"1 2 3\n", "bad-file", 1, ["Matrix Market"]),
    ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "bad-file", 3, ["row 3"]),
    ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "bad-file", 3, ["entry 2 of 2"]),
    ("a.mtx", b"%%MatrixMarket matrix coordinate complex general\n", "unsupported-data", 1, ["complex"]),
    ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n9223372036854775807 2 0\n", "bad-shape", 2, ["9223372036854775807"]),
]  # fmt: skip


def npy(header, data=b"", version=1):
    text = header.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def array(shape, descr="<f8", data=b"", fortran=False):
    return npy(f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n", data)


def npz(*members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return file.getvalue()


SOUND = array("(2, 1)", data=struct.pack("<2d", 1, 2))
GZIP = gzip.compress(b"x,y\n" + b"1,2\n" * 100, mtime=0)
ZSTD = b"\x28\xb5\x2f\xfd"


def changed(data, at, to):
    return data[:at] + to + data[at + len(to) :] if at >= 0 else data[:at] + to + data[at:][len(to) :]


BINARY = [
    # NPY
    ("a.npy", b"", "bad-file", None, ["npy"]),
    ("a.npy", b"\x93NUMPY", "bad-file", None, ["cut short"]),
    ("a.npy", SOUND[:-1], "bad-file", None, ["cut short"]),
    ("a.npy", SOUND[:20], "bad-file", None, ["cut short"]),
    ("a.npy", SOUND + b"x", "bad-file", None, ["after its array"]),
    ("a.npy", npy("{}", version=4), "bad-file", None, ["version 4"]),
    ("a.npy", npy("__import__('os').system('touch owned')\n"), "bad-file", None, ["npy"]),
    ("a.npy", array("(1,)", "|O", b"cos\nsystem\n(S'touch owned'\ntR."), "bad-file", None, ["pickle"]),
    ("a.npy", array("(1,)", "<U3"), "bad-file", None, ["<U3"]),
    ("a.npy", array("(1,)", "<c16"), "bad-file", None, ["<c16"]),
    ("a.npy", array("(1,)", "<M8[ns]"), "bad-file", None, ["<M8[ns]"]),
    ("a.npy", array("()", data=b"\0" * 8), "bad-shape", None, ["()"]),
    ("a.npy", array("(1, 1, 1)", data=b"\0" * 8), "bad-shape", None, ["(1, 1, 1)"]),
    ("a.npy", array("(5, 0)"), "bad-shape", None, ["(5, 0)"]),
    ("a.npy", array("(-1, 2)"), "bad-file", None, ["not a count"]),
    ("a.npy", array("(4611686018427387904, 4)"), "bad-file", None, ["2^63"]),
    ("a.npy", array("(99999999999999999999,)"), "bad-file", None, ["64 bits"]),
    ("a.npy", array("(1000000000000, 3)"), "bad-file", None, ["cut short"]),
    ("a.npy", array("(4611686018427387904, 4)", fortran=True), "bad-file", None, ["2^63"]),
    ("a.npy", array("(0, 2)"), "no-rows", None, ["no rows"]),
    # NPZ
    ("a.npz", b"PK\x05\x06", "bad-file", None, ["cut short"]),
    ("a.npz", npz(("x.npy", SOUND))[:-1], "bad-file", None, ["archive"]),
    ("a.npz", npz(("x.txt", b"hello")), "bad-file", None, [".npz"]),
    ("a.npz", npz(("../x.npy", SOUND)), "bad-file", None, ["../x.npy"]),
    ("a.npz", npz(("/etc/x.npy", SOUND)), "bad-file", None, ["/etc/x.npy"]),
    ("a.npz", npz(("x.npy", SOUND), ("y.npy", SOUND)), "unknown-name", None, ["x, y"]),
    ("a.npz:x", npz(("x.npy", SOUND[:-1])), "bad-file", None, ["cut short"]),
    ("a.npz", npz(("x.npy", SOUND), method=zipfile.ZIP_BZIP2), "bad-file", None, ["method 12"]),
    ("a.npz", npz(("x.npy", SOUND)).replace(SOUND, changed(SOUND, -3, b"\x01")), "bad-file", None, ["damaged"]),
    ("a.npz:x", npz(("x.npy", array("(1,)", "|O"))), "bad-file", None, ["pickle"]),
    # IDX
    ("a.idx", b"\0\0\x08", "bad-file", None, ["IDX"]),
    ("a.idx", b"\0\0\x07\x01\0\0\0\x01\x01", "bad-file", None, ["0x07"]),
    ("a.idx", b"\0\0\x08\xff\0\0\0\x01", "bad-file", None, ["incomplete"]),
    ("a.idx", b"\0\0\x08\x03" + b"\xff" * 12, "bad-shape", None, ["4294967295"]),
    ("a.idx", b"\0\0\x08\x01\0\0\0\x02\x01", "bad-file", None, ["2 values"]),
    ("a.idx", b"\0\0\x08\x01\0\0\0\x01\x01\x02", "bad-file", None, ["after"]),
    # packed
    ("a.csv.gz", GZIP[:-1], "bad-file", None, ["gzip", "cut short"]),
    ("a.csv.gz", GZIP[:15], "bad-file", None, ["gzip", "cut short"]),
    ("a.csv.gz", changed(GZIP, -5, b"\0"), "bad-file", None, ["gzip", "damaged"]),
    ("a.csv.gz", GZIP + b"more", "bad-file", None, ["gzip", "other bytes"]),
    ("a.csv.zst", ZSTD, "bad-file", None, ["zstd", "cut short"]),
    ("a.csv.zst", ZSTD + b"\x00\xf8\x01\0\0", "bad-file", None, ["zstd", "memory"]),
    ("a.csv.zst", ZSTD + b"\xff" * 20, "bad-file", None, ["zstd", "damaged"]),
    # of other programs
    ("a.parquet", b"PAR1\0\0\0\0", "bad-file", None, ["Parquet"]),
    ("a.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "bad-file", 2, ["not text"]),
    ("a.csv", b"\x7fELF\x02\x01\x01\0", "bad-file", 1, ["not text"]),
    ("a.xlsx", npz(("xl/workbook.xml", b"<x/>")), "bad-file", None, [""]),
    ("a.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n\0\0", "bad-file", 4, ["not text"]),
]  # fmt: skip
