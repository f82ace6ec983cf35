"""How text_sklearn.py and text_unicode.py talk to the program text_counts, and where their texts are."""
import random
import struct
import subprocess
import tarfile
import unicodedata

import numpy as np


def write_documents(documents, path):
    with open(path, "wb") as file:
        for document in documents:
            data = document.encode() if isinstance(document, str) else document
            file.write(struct.pack("<q", len(data)) + data)


def arrays(path):
    with open(path, "rb") as file:
        while head := file.read(8):
            yield file.read(struct.unpack("<q", head)[0])


def run(program, what, documents, out, **options):
    words = [f"{name}={value}" for name, value in options.items()]
    done = subprocess.run([program, what, documents, out, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def counts(program, what, documents, out, **options):
    """offsets, columns, values, terms."""
    run(program, what, documents, out, **options)
    offsets, columns, values, ends, text, *_ = arrays(out)
    ends = np.frombuffer(ends, np.int64)
    terms = [text[a:b].decode() for a, b in zip(ends[:-1], ends[1:])]
    return np.frombuffer(offsets, np.int64), np.frombuffer(columns, np.int32), np.frombuffer(values), terms


def newsgroups(folder, part="train"):
    """The 20 newsgroups, by path, as scikit-learn decodes them."""
    documents = {}
    with tarfile.open(f"{folder}/20news-bydate.tar.xz") as archive:
        for member in archive:
            if member.isfile() and f"-{part}/" in member.name:
                documents[member.name] = archive.extractfile(member).read().decode("latin-1")
    return [documents[name] for name in sorted(documents)]


def messages(folder):
    with open(f"{folder}/SMSSpamCollection", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t", 1)[1] for line in file]


# Characters that rules of case, accents, white space and words speak of.
SPECIAL = "\u0130\u03a3\u03c3\u03c2\u0345\u00ad\u2019'._:;,\u200d\u0301\u0308\u0327\u00df\u1e9e\ufb01\u00a0\u2003\u3000\x1c\x85\n\t  ABCxyz019\u0660\u00b2\u00bd\u4e2d\u3042\u0e01\u0939\u093f\u1f88\u1fb3"


def made_texts(count=3000, seed=5):
    """Random characters that this Python's Unicode knows, between blanks and letters."""
    known = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    draw = random.Random(seed)
    alphabets = [known, known, list(SPECIAL), [chr(c) for c in range(0x250)], [chr(c) for c in range(0x370, 0x530)]]
    texts = []
    for _ in range(count):
        alphabet = draw.choice(alphabets)
        texts.append("".join(draw.choice(draw.choice([alphabet, SPECIAL, " aB\u03a3"])) for _ in range(draw.randrange(120))))
    return texts
