"""Texts: counts, pairs of words, hashes, and naive Bayes from texts to labels, of 20 newsgroups."""
import collections
import functools
import hashlib
import re

import numpy as np
import scipy.sparse

import quality
import tables
from harness import Case
from suites import nb

SAME = 1e-9  # of scores that labels are judged by
ASKED = 200  # messages one by one
WORD = re.compile(r"\b\w\w+\b")


@functools.lru_cache(1)
def made(documents, words, classes):
    """Texts of made-up words, in two alphabets."""
    x, labels = nb.zipf(documents, words, classes)
    names = [f"W{j}" if j % 3 else f"Слово{j}" for j in range(words)]
    texts = []
    for i in range(documents):
        row = slice(x.indptr[i], x.indptr[i + 1])
        texts.append(", ".join(names[j] for j in np.repeat(x.indices[row], x.data[row].astype(int))))
    return texts, labels


# ---- what is right, in a few lines of Python


def grams(text, ngram_max):
    words = WORD.findall(text.lower())
    return [" ".join(words[i : i + n]) for n in range(1, ngram_max + 1)
            for i in range(len(words) - n + 1)]


def rows_of(texts, ngram_max, known):
    """Counts of terms, numbered by `known`, which grows as long as it has a default."""
    offsets, columns, values = [0], [], []
    for text in texts:
        terms = grams(text, ngram_max)
        if known.default_factory is None:
            terms = [term for term in terms if term in known]
        row = collections.Counter(known[term] for term in terms)
        columns.extend(row.keys())
        values.extend(row.values())
        offsets.append(len(columns))
    return scipy.sparse.csr_matrix((np.array(values, float), columns, offsets),
                                   shape=(len(texts), len(known)))


@functools.lru_cache(2)
def counted(make, learned, ngram_max):
    """The terms of the first texts in order, their counts, and those of the others."""
    texts, _ = make()
    known = collections.defaultdict()
    known.default_factory = known.__len__
    rows = rows_of(texts[:learned], ngram_max, known)
    known.default_factory = None
    terms = sorted(known)
    order = [known[term] for term in terms]
    later = rows_of(texts[learned:], ngram_max, known)
    return terms, rows[:, order], later[:, order]


def fingerprint(result):
    """A number that differs where the matrix or its terms do."""
    digest = hashlib.sha256()
    for name in ("indptr", "indices", "data", "terms"):
        digest.update(np.ascontiguousarray(result.get(name, np.zeros(0))).tobytes() + b"|")
    return float(int(digest.hexdigest()[:12], 16))


def right_counts(make, learned, ngram_max):
    from rivals import matrix
    terms, rows, _ = counted(make, learned, ngram_max)
    return fingerprint(dict(matrix(rows), terms=np.frombuffer("\n".join(terms).encode(), np.uint8)))


def right_hashes(make, learned):
    from rivals import matrix
    from sklearn.utils import murmurhash3_32
    texts, _ = make()
    rows, columns, values = [], [], []
    for i, text in enumerate(texts[:learned]):
        for word in grams(text, 1):
            h = murmurhash3_32(word)
            rows.append(i)
            columns.append(abs(h) % (1 << 20))
            values.append(1.0 if h >= 0 else -1.0)
    x = scipy.sparse.coo_matrix((values, (rows, columns)), shape=(learned, 1 << 20))
    return fingerprint(matrix(x))


def judge_labels(_, result, tolerance, make, learned):
    _, rows, later = counted(make, learned, 1)
    labels, asked = make()[1], len(result["labels"])
    prior = np.log(np.bincount(labels[:learned])) - np.log(learned)
    scores = quality.bayes_scores(later[:asked], prior, "MultinomialNB", quality.bayes_parameters(
        rows, labels[:learned], "MultinomialNB"))
    chosen = scores[np.arange(asked), result["labels"]]
    if (scores.max(1) - chosen > tolerance * np.maximum(1, np.abs(scores).max(1))).any():
        return 0.0, "labels are not the most probable"
    return float((result["labels"] == labels[learned : learned + asked]).mean()), None


def cases(data, quick):
    learned, name = (60, "90 made texts") if quick else (nb.DOCUMENTS, "20 newsgroups")
    make = functools.partial(made, 90, 400, 3) if quick else functools.partial(nb.messages, data)
    asked = 5 if quick else ASKED
    table = tables.Table(name, lambda: make()[0])

    def case(kind, task, judge, reference=None, **options):
        return Case(f"{kind}, {name}", kind, table, task,
                    dict(learned=learned, max_iter=1, **options), judge, 1,
                    SAME if reference is None else 0, arrays=lambda x: dict(labels=make()[1]),
                    reference=reference, rivals=("sklearn",))

    def same(_, result, tolerance):
        return fingerprint(result), None

    labels = functools.partial(judge_labels, make=make, learned=learned)
    return [
        *(case(kind, "text_counts", same,
               lambda x, arrays, n=n: right_counts(make, learned, n), ngram_max=n)
          for n, kind in ((1, "words: fit_transform"), (2, "words and pairs: fit_transform"))),
        case("hashed words: transform", "text_hashed", same,
             lambda x, arrays: right_hashes(make, learned)),
        case("texts to naive Bayes to labels", "text_nb", labels),
        case(f"{asked} messages, one by one, through a saved pipeline", "text_one", labels,
             asked=asked),
    ]
