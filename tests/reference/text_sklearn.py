#!/usr/bin/env python3
"""craton/text against scikit-learn: the same vocabularies and matrices, for 16 sets of options.

    text_sklearn.py PROGRAM FOLDER [news] [sms] [made] [--weights]

PROGRAM is build/release/tests/text_counts; FOLDER has 20news-bydate.tar.xz and SMSSpamCollection. Made texts
of random characters come with them. With --weights only these are compared. Each set is counted in one pass, on 1, 2 and 7 threads, in two passes, and from
merged shards.
"""
import sys
import tempfile
import warnings

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer

from text_files import counts, made_texts, messages, newsgroups, run, write_documents

warnings.simplefilter("ignore")

# (of scikit-learn, of craton)
SETS = [
    ({}, {}),
    ({"ngram_range": (1, 2)}, {"ngram_max": 2}),
    ({"ngram_range": (2, 3), "min_df": 2}, {"ngram_min": 2, "ngram_max": 3, "min_df": 2}),
    ({"lowercase": False}, {"lowercase": "false"}),
    ({"strip_accents": "ascii"}, {"strip_accents": "ascii"}),
    ({"strip_accents": "unicode", "ngram_range": (1, 2)}, {"strip_accents": "unicode", "ngram_max": 2}),
    ({"stop_words": "english"}, {"stop_words": "english"}),
    ({"stop_words": "english", "ngram_range": (1, 3), "max_df": 0.5, "min_df": 3},
     {"stop_words": "english", "ngram_max": 3, "max_df": 0.5, "min_df": 3}),
    ({"min_df": 0.001, "max_df": 300}, {"min_df": 0.001, "max_df": 300}),
    ({"max_features": "cut"}, {"max_features": "cut"}),
    ({"max_features": "cut", "binary": True, "ngram_range": (1, 2)},
     {"max_features": "cut", "tf": "presence", "ngram_max": 2}),
    ({"token_pattern": r"(?u)\b\w+\b"}, {"least_length": 1}),
    ({"token_pattern": r"(?u)\b\w{4,}\b"}, {"least_length": 4}),
    ({"analyzer": "char", "ngram_range": (1, 3)}, {"analyzer": "char", "ngram_min": 1, "ngram_max": 3}),
    ({"analyzer": "char_wb", "ngram_range": (2, 5), "min_df": 2},
     {"analyzer": "char_wb", "ngram_min": 2, "ngram_max": 5, "min_df": 2}),
    ({"analyzer": "char_wb", "ngram_range": (3, 3), "lowercase": False, "strip_accents": "unicode"},
     {"analyzer": "char_wb", "ngram_min": 3, "ngram_max": 3, "lowercase": "false", "strip_accents": "unicode"}),
]
HASHES = [
    ({}, {}),
    ({"ngram_range": (1, 2), "n_features": 1 << 18}, {"ngram_max": 2, "n_features": 1 << 18}),
    ({"n_features": 1000, "alternate_sign": False}, {"n_features": 1000, "alternate_sign": "false"}),
    ({"n_features": 7, "analyzer": "char", "ngram_range": (2, 3)},
     {"n_features": 7, "analyzer": "char", "ngram_min": 2, "ngram_max": 3}),
]
WEIGHTS = [
    ({}, {"idf": "smooth", "text_norm": "l2"}),
    ({"smooth_idf": False, "norm": "l1"}, {"idf": "plain", "text_norm": "l1"}),
    ({"sublinear_tf": True}, {"idf": "smooth", "text_norm": "l2", "tf": "log"}),
    ({"use_idf": False}, {"text_norm": "l2"}),
]


def cut_without_tie(documents, options):
    """A number of features behind which the next one is rarer: scikit-learn leaves ties to numpy's sort."""
    options = {**options, "max_features": None}
    totals = np.sort(np.asarray(CountVectorizer(**options).fit_transform(documents).sum(axis=0)).ravel())[::-1]
    cuts = np.flatnonzero(totals[:-1] > totals[1:]) + 1
    return int(cuts[len(cuts) // 2])


def same(expected, found, terms=None, tolerance=0):
    offsets, columns, values, found_terms = found
    if terms is not None:
        assert found_terms == list(terms), "vocabulary"
    expected.sort_indices()
    assert np.array_equal(expected.indptr, offsets), "row ends"
    assert np.array_equal(expected.indices, columns), "columns"
    if tolerance == 0:
        assert np.array_equal(expected.data, values), "values"
    else:
        np.testing.assert_allclose(values, expected.data, rtol=tolerance, atol=0)


def main():
    program, folder, *wanted = [word for word in sys.argv[1:] if word != "--weights"]
    sets, hashes = ([], []) if "--weights" in sys.argv else (SETS, HASHES)
    corpora = {"news": lambda: newsgroups(folder), "sms": lambda: messages(folder), "made": made_texts}
    with tempfile.TemporaryDirectory() as work:
        path, out = f"{work}/documents", f"{work}/out"
        for name in wanted or corpora:
            documents = corpora[name]()
            write_documents(documents, path)
            for theirs, ours in sets:
                if "max_features" in theirs:
                    most = cut_without_tie(documents, theirs)
                    theirs, ours = {**theirs, "max_features": most}, {**ours, "max_features": most}
                vectorizer = CountVectorizer(**theirs)
                expected = vectorizer.fit_transform(documents)
                terms = vectorizer.get_feature_names_out()
                ways = [("learn", 1), ("learn", 2), ("learn", 7), ("learn_then_count", 1), ("shards", 1)]
                for way, threads in ways:
                    same(expected, counts(program, way, path, out, threads=threads, **ours), terms)
                print(f"{name}: {ours}: {expected.shape[1]} terms, {expected.nnz} entries", flush=True)
            for theirs, ours in hashes:
                expected = HashingVectorizer(norm=None, **theirs).transform(documents)
                same(expected, counts(program, "hash", path, out, threads=2, **ours))
                print(f"{name}: hashed {ours}: {expected.nnz} entries", flush=True)
            for theirs, ours in WEIGHTS:
                # In sorted rows, as sums depend on the order: TfidfVectorizer's is that of words first seen.
                plain = CountVectorizer().fit_transform(documents)
                plain.sort_indices()
                expected = TfidfTransformer(**theirs).fit_transform(plain)
                same(expected, counts(program, "learn", path, out, **ours), tolerance=1e-15)
                print(f"{name}: weighted {ours}", flush=True)
            if name == "news":
                offsets, _, values, terms = counts(program, "learn", path, out)
                assert (len(terms), offsets[-1], values.sum()) == (130107, 1787565, 3369673)
                offsets, _, _, terms = counts(program, "learn", path, out, ngram_max=2)
                assert (len(terms), offsets[-1]) == (1181803, 4696188)
            said = run(program, "learn", path, out, stop_words="the don't it's ")
            assert "don" in said, said
    print("all the same")


main()
