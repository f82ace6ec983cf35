"""Terms that functions of Python give, counted in Python: rows as (data, indices, indptr)."""

from collections import Counter

import numpy as np

from . import _craton
from ._errors import InputError


def word_ngrams(words, low, high, stop):
    """n words in a row, for n = low ... high: words first, as scikit-learn lists them."""
    words = [word for word in words if word not in stop] if stop else list(words)
    if high == 1:
        return words
    terms = words if low == 1 else []
    for n in range(max(low, 2), min(high, len(words)) + 1):
        terms = terms + [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
    return terms


def learn_terms(documents, analyze, options):
    """The terms that the cuts leave, in order, and the rows."""
    counts = [Counter(analyze(document)) for document in documents]
    df, cf = Counter(), Counter()
    for row in counts:
        df.update(row.keys())
        cf.update(row)
    low, high = (_limit(options[name], len(documents), name) for name in ("min_df", "max_df"))
    kept = [term for term in df if low <= df[term] <= high and cf[term] >= options["min_count"]]
    frequency = df if options.get("tf") == "presence" else cf
    if options["max_features"]:
        kept = sorted(kept, key=lambda term: (-frequency[term], term))[: options["max_features"]]
    if not kept:
        raise InputError(
            f"empty vocabulary; perhaps the documents only contain stop words: {len(df)} terms were"
            " found, and the cuts left none\n  Lower min_df and min_count, or raise max_df.",
            "no-terms",
        )
    terms = sorted(kept)
    return terms, _rows(counts, {term: j for j, term in enumerate(terms)})


def _limit(value, documents, name):
    share = value <= 1 if name == "max_df" else value < 1
    return value * documents if share else value


def count_terms(documents, analyze, columns):
    """The rows of known terms; `columns`: of each."""
    return _rows([Counter(analyze(document)) for document in documents], columns)


def _rows(counts, columns):
    data, indices, indptr = [], [], [0]
    for row in counts:
        found = sorted((columns[term], n) for term, n in row.items() if term in columns)
        indices.extend(j for j, _ in found)
        data.extend(n for _, n in found)
        indptr.append(len(indices))
    return _arrays(data, indices, indptr)


def count_hashed(documents, analyze, columns, signs):
    """The rows of hashed terms; signs: half of them count as -1."""
    data, indices, indptr = [], [], [0]
    for document in documents:
        row = Counter()
        for term in analyze(document):
            hashed = _craton.murmur3(term)
            negative = hashed >= 2**31
            place = (2**32 - hashed if negative else hashed) % columns
            row[place] += -1 if negative and signs else 1
        found = sorted(row.items())
        indices.extend(j for j, _ in found)
        data.extend(n for _, n in found)
        indptr.append(len(indices))
    return _arrays(data, indices, indptr)


def _arrays(data, indices, indptr):
    return np.array(data, np.float64), np.array(indices, np.int32), np.array(indptr, np.int32)
