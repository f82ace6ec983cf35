#!/usr/bin/env python3
"""craton/text against Unicode's own tests, and against this Python's str on random characters.

    text_unicode.py PROGRAM [FOLDER]

PROGRAM is build/release/tests/text_counts; FOLDER is that of Debian's unicode-data.
"""
import bz2
import re
import sys
import tempfile
import unicodedata

from sklearn.feature_extraction.text import strip_accents_ascii, strip_accents_unicode

from text_files import arrays, made_texts, run, write_documents


def word_breaks(folder):
    """(text, its segments) of WordBreakTest.txt."""
    for line in open(f"{folder}/auxiliary/WordBreakTest.txt", encoding="utf-8"):
        line = line.split("#")[0].strip()
        if line:
            segments = ["".join(chr(int(code, 16)) for code in re.findall(r"[0-9A-F]+", part))
                        for part in line.split("÷") if part.strip()]
            yield "".join(segments), segments


def normal_forms(folder):
    """(source, NFC, NFKC) for all five columns of NormalizationTest.txt that have these."""
    with bz2.open(f"{folder}/NormalizationTest.txt.bz2", "rt", encoding="utf-8") as file:
        for line in file:
            if re.match(r"[0-9A-F]", line):
                c = ["".join(chr(int(code, 16)) for code in field.split()) for field in line.split(";")[:5]]
                for source, nfc in [(0, 1), (1, 1), (2, 1), (3, 3), (4, 3)]:
                    yield c[source], c[nfc], c[3]


def changed(program, what, texts):
    with tempfile.TemporaryDirectory() as work:
        write_documents(texts, f"{work}/documents")
        run(program, what, f"{work}/documents", f"{work}/out")
        return [data.decode() for data in arrays(f"{work}/out")]


def main():
    program, folder = (*sys.argv[1:], "/usr/share/unicode")[:2]
    breaks = list(word_breaks(folder))
    # U+0000 may be a part of a text there; the segments lie between them here.
    breaks = [(text, segments) for text, segments in breaks if "\0" not in text]
    found = changed(program, "segments", [text for text, _ in breaks])
    for (text, segments), pieces in zip(breaks, found, strict=True):
        assert pieces.split("\0")[:-1] == segments, (text, segments, pieces)
    print(f"WordBreakTest: {len(breaks)} lines")

    forms = list(normal_forms(folder))
    sources = [source for source, _, _ in forms]
    assert changed(program, "nfc", sources) == [nfc for _, nfc, _ in forms]
    assert changed(program, "nfkc", sources) == [nfkc for _, _, nfkc in forms]
    print(f"NormalizationTest: {len(forms)} forms of each kind")

    texts = made_texts(20000, seed=11)
    single = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    for name, function in [("lower", str.lower), ("fold", str.casefold),
                           ("ascii", strip_accents_ascii), ("unicode", strip_accents_unicode),
                           ("nfc", lambda s: unicodedata.normalize("NFC", s)),
                           ("nfkc", lambda s: unicodedata.normalize("NFKC", s))]:
        for some in (texts, single):
            for text, ours in zip(some, changed(program, name, some), strict=True):
                assert ours == function(text), (name, ascii(text), ascii(ours), ascii(function(text)))
        print(f"{name}: as Python's, for {len(single)} characters and {len(texts)} texts")


main()
