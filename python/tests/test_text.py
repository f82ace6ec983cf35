"""The vectorisers: scikit-learn's terms and numbers, documents of every kind, and errors."""

import copy
import io
import pickle
import random
import unicodedata
import warnings

import craton
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from new_python import python
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import text as sklearn_text
from sklearn.utils.estimator_checks import parametrize_with_checks

VECTORIZERS = ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"]
DOCUMENTS = [
    "To be, or not to be: that is the question.",
    "Die Straße führt nach Köln; die STRASSE ist lang. 42 Äpfel!",
    "",
    "the quick brown fox jumps over the lazy dog, the dog sleeps",
    "Ένα, δύο, ΤΡΊΑ ... Σίσυφος  and\tİstanbul and naïve café ﬁn",
    "नमस्ते दुनिया ☃ emoji 😀 done",
    "question 42 of the dog_house",
]


def made_texts(count=300, seed=5):
    """Random characters that this Python's Unicode knows, between blanks and letters."""
    known = [
        chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")
    ]
    draw, letters = random.Random(seed), " aB\u03a3\u0130\u0301\u00ad'_\n\u2003\u3000Z9\u00bd"
    return [
        "".join(draw.choice(draw.choice([known, letters, "ab c"])) for _ in range(draw.randrange(80)))
        for _ in range(count)
    ]


MADE = DOCUMENTS + made_texts() + DOCUMENTS[3:]

SETS = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "min_df": 2},
    {"lowercase": False},
    {"strip_accents": "ascii"},
    {"strip_accents": "unicode", "ngram_range": (1, 2)},
    {"stop_words": "english"},
    {"stop_words": ["the", "dog", "ab"], "ngram_range": (1, 3), "max_df": 0.5},
    {"min_df": 0.005, "max_df": 100},
    {"max_df": 1},
    {"binary": True, "ngram_range": (1, 2)},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"(?u)\b\w{4,}\b"},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 5), "min_df": 2},
    {"analyzer": "char_wb", "ngram_range": (3, 3), "lowercase": False, "strip_accents": "unicode"},
    # found by Python
    {"token_pattern": r"[a-z]+"},
    {"token_pattern": r"(\w)\w+", "ngram_range": (1, 2)},
    {"tokenizer": str.split, "token_pattern": None, "stop_words": ["the"]},
    {"preprocessor": str.swapcase},
    {"strip_accents": lambda text: text.replace("e", "E")},
    {"analyzer": str.split},
    # terms that are given
    {"vocabulary": ["dog", "the", "nothing"]},
    {"vocabulary": {"the dog": 1, "the": 0, "dog": 2}, "ngram_range": (1, 2)},
    {"vocabulary": {"the", "fox"}, "tokenizer": str.split, "token_pattern": None},
]


def same(expected, found, tolerance=0):
    expected.sort_indices()
    assert type(found) is type(expected)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert found.indices.dtype == expected.indices.dtype
    assert np.array_equal(expected.indptr, found.indptr)
    assert np.array_equal(expected.indices, found.indices)
    np.testing.assert_allclose(found.data, expected.data, rtol=tolerance)


@pytest.mark.parametrize("name", VECTORIZERS)
@pytest.mark.parametrize("options", SETS, ids=str)
@pytest.mark.filterwarnings("ignore:The parameter", "ignore:Your stop_words")
def test_terms_and_rows_are_those_of_scikit_learn(name, options):
    theirs = getattr(sklearn_text, name)
    options = {k: v for k, v in options.items() if k in theirs().get_params()}
    theirs, ours = theirs(**options), getattr(craton, name)(**options)
    expected = theirs.fit_transform(MADE)
    same(expected, ours.fit_transform(MADE), 1e-14)
    same(theirs.transform(MADE[::-1]), ours.transform(MADE[::-1]), 1e-14)
    if name != "HashingVectorizer":
        assert np.array_equal(theirs.get_feature_names_out(), ours.get_feature_names_out())
        assert theirs.vocabulary_ == ours.vocabulary_
        assert theirs.fixed_vocabulary_ == ours.fixed_vocabulary_
        for a, b in zip(theirs.inverse_transform(expected), ours.inverse_transform(expected)):
            assert sorted(a) == sorted(b)
    analyze, expected_terms = ours.build_analyzer(), theirs.build_analyzer()
    assert [analyze(text) for text in DOCUMENTS] == [expected_terms(text) for text in DOCUMENTS]


@pytest.mark.parametrize("options", [
    {}, {"smooth_idf": False, "norm": "l1"}, {"sublinear_tf": True}, {"use_idf": False},
    {"norm": None}, {"binary": True}, {"dtype": np.float32}, {"min_df": 3},
], ids=str)
def test_weights_are_those_of_scikit_learn(options):
    theirs = sklearn_text.TfidfVectorizer(**options).fit(MADE)
    ours = craton.TfidfVectorizer(**options).fit(MADE)
    near = 1e-6 if options.get("dtype") else 1e-14
    same(theirs.transform(MADE), ours.transform(MADE), near)
    if options.get("use_idf", True):
        np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=near)
    else:
        with pytest.raises(AttributeError, match="weighed"):
            ours.idf_
    counts = sklearn_text.CountVectorizer(min_df=2).fit_transform(MADE)
    options = {k: v for k, v in options.items() if k not in ("binary", "dtype", "min_df")}
    theirs = sklearn_text.TfidfTransformer(**options).fit(counts)
    for rows in (counts, counts.astype(np.float32), counts.toarray()):
        ours = craton.TfidfTransformer(**options).fit(rows)
        found = ours.transform(rows)
        near = 1e-6 if rows.dtype == np.float32 else 1e-14
        same(theirs.transform(csr_matrix(rows)), found, near)


def test_other_dtypes_are_given():
    for dtype in (np.int32, np.float64, bool, "u1"):
        counts = craton.CountVectorizer(dtype=dtype).fit_transform(DOCUMENTS)
        expected = sklearn_text.CountVectorizer(dtype=dtype).fit_transform(DOCUMENTS)
        same(expected, counts)
    assert repr(craton.CountVectorizer().fit_transform(["ab"]).toarray()) == "array([[1]])"


def test_the_number_of_threads_changes_nothing():
    many = MADE * 5
    for options in ({}, {"ngram_range": (1, 2)}):
        one = craton.TfidfVectorizer(n_jobs=1, **options)
        seven = craton.TfidfVectorizer(n_jobs=7, **options)
        same(one.fit_transform(many), seven.fit_transform(many))
        same(one.transform(many), seven.transform(many))
        assert one.digest_ == seven.digest_


# ---- documents


def documents_of_every_kind():
    yield "tuple", tuple(DOCUMENTS)
    yield "generator", (text for text in DOCUMENTS)
    yield "array of objects", np.array(DOCUMENTS, dtype=object)
    yield "array of strings", np.array(DOCUMENTS)
    yield "array of one column", np.array(DOCUMENTS, dtype=object)[:, None]
    yield "series", pd.Series(DOCUMENTS, index=range(10, 17))
    yield "series of objects", pd.Series(DOCUMENTS, dtype=object)
    yield "series of Arrow", pd.Series(DOCUMENTS, dtype=pd.ArrowDtype(pa.string()))
    yield "categories", pd.Series(DOCUMENTS, dtype="category")
    yield "frame", pd.DataFrame({"body": DOCUMENTS})
    yield "polars", pl.Series("body", DOCUMENTS)
    yield "polars frame", pl.DataFrame({"body": DOCUMENTS})
    yield "Arrow", pa.array(DOCUMENTS)
    yield "large Arrow", pa.array(DOCUMENTS, pa.large_string())
    yield "slice of Arrow", pa.array(["x y", *DOCUMENTS, "z"])[1:-1]
    yield "slice of large Arrow", pa.array(["x y", *DOCUMENTS, "z"], pa.large_string())[1:-1]
    yield "views of Arrow", pa.array(DOCUMENTS).cast(pa.string_view())
    yield "dictionary of Arrow", pa.array(DOCUMENTS).dictionary_encode()
    yield "chunks", pa.chunked_array([DOCUMENTS[:3], [], DOCUMENTS[3:]])
    yield "one chunk", pa.chunked_array([DOCUMENTS])
    yield "table", pa.table({"body": DOCUMENTS})
    yield "bytes", [text.encode() for text in DOCUMENTS]
    yield "bytes among strings", [*DOCUMENTS[:3], *(text.encode() for text in DOCUMENTS[3:])]


@pytest.mark.parametrize("documents", [pytest.param(d, id=n) for n, d in documents_of_every_kind()])
def test_documents_of_every_kind_are_the_same(documents):
    same(craton.CountVectorizer().fit_transform(DOCUMENTS), craton.CountVectorizer().fit_transform(documents))


def test_files_are_documents(tmp_path):
    paths = []
    for row, text in enumerate(DOCUMENTS):
        paths.append(tmp_path / f"{row}.txt")
        paths[-1].write_text(text)
    expected = craton.CountVectorizer().fit_transform(DOCUMENTS)
    same(expected, craton.CountVectorizer(input="filename").fit_transform(paths))
    files = [io.StringIO(text) for text in DOCUMENTS]
    same(expected, craton.CountVectorizer(input="file").fit_transform(files))
    files = [io.BytesIO(text.encode()) for text in DOCUMENTS]
    same(expected, craton.CountVectorizer(input="file").fit_transform(files))
    latin = ["naïve café".encode("latin-1")]
    terms = craton.CountVectorizer(encoding="latin-1").fit(latin).vocabulary_
    assert terms == {"café": 0, "naïve": 1}
    terms = craton.CountVectorizer(decode_error="ignore").fit(latin).vocabulary_
    assert terms == {"caf": 0, "nave": 1}
    assert craton.CountVectorizer(encoding="latin-1").decode(latin[0]) == "naïve café"


def test_functions_may_be_given_words():
    words = [["to", "be"], ["or", "not", "to", "be"]]
    ours = craton.CountVectorizer(analyzer=lambda document: document)
    assert ours.fit_transform(words).sum() == 6
    as_they_are = {"tokenizer": lambda d: d, "preprocessor": lambda d: d, "token_pattern": None}
    ours = craton.TfidfVectorizer(ngram_range=(1, 2), **as_they_are).fit(words)
    assert "to be" in ours.vocabulary_


def test_half_of_a_surrogate_pair_is_part_of_no_word():
    texts = ["one\ud800two three", "\udfff"]
    same(
        sklearn_text.CountVectorizer().fit_transform(texts),
        craton.CountVectorizer().fit_transform(texts),
    )


@pytest.mark.parametrize("name", VECTORIZERS)
def test_what_is_no_list_of_texts_is_refused(name):
    ours = getattr(craton, name)()
    with pytest.raises(craton.InputError, match="string object received(.|\n)*Give a list"):
        ours.fit_transform("one text")
    with pytest.raises(TypeError, match="list of texts"):
        ours.fit_transform(3)
    for missing in (None, np.nan, pd.NA):
        with pytest.raises(craton.InputError, match="document 1 is missing") as error:
            ours.fit_transform(["a b", missing])
        assert error.value.place.row == 1
    for column in (pa.array(["a b", None]), pd.Series(["a b", None]), pl.Series(["a b", None])):
        with pytest.raises(craton.InputError, match="document 1 is missing"):
            ours.fit_transform(column)
    with pytest.raises(craton.InputError, match="document 2 is int, and no text"):
        ours.fit_transform(["a b", "c", 3])
    with pytest.raises(craton.InputError, match="document 1 is not utf-8 text: byte 2 of it is 0xef") as error:
        ours.fit_transform(["a b", "na\xefve".encode("latin-1")])
    assert isinstance(error.value, UnicodeDecodeError) and error.value.start == 2
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    with pytest.raises(craton.InputError, match="one column of text, and the table has 2"):
        ours.fit_transform(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(FileNotFoundError):
        getattr(craton, name)(input="filename").fit_transform(["/no/such/file"])


def test_what_makes_no_sense_is_said():
    count = craton.CountVectorizer
    for options, message in [
        ({"input": "other"}, "input = 'other' is not allowed"),
        ({"strip_accents": "other"}, "strip_accents = 'other' is not allowed"),
        ({"analyzer": "other"}, "analyzer"),
        ({"ngram_range": (2, 1)}, "ngram"),
        ({"ngram_range": 3}, "Give a pair"),
        ({"stop_words": "klingon"}, "klingon"),
        ({"stop_words": [1]}, "no word"),
        ({"stemmer": "klingon"}, "klingon"),
        ({"vocabulary": []}, "empty vocabulary"),
        ({"vocabulary": ["a", "b", "a"]}, "Duplicate term in vocabulary: 'a'"),
        ({"vocabulary": {"a": 0, "b": 2}}, "are not 0, 1"),
        ({"min_df": 100}, "min_df"),
        ({"token_pattern": r"\b\w+\b", "words": "unicode"}, "both given"),
        ({"token_pattern": r"\w+", "words": "unicode"}, "words is of craton's own words"),
        ({"tokenizer": str.split, "stemmer": "english"}, "stemmer is of craton's own words"),
        ({"token_pattern": r"(\w)(\w)"}, "More than 1 capturing group"),
        ({"n_jobs": 0}, "n_jobs"),
    ]:
        with pytest.raises(craton.InputError, match=message):
            count(**options).fit(DOCUMENTS)
    with pytest.raises(craton.InputError, match="no documents"):
        count().fit([])
    with pytest.raises(craton.InputError, match="left none"):
        count(tokenizer=str.split, min_df=100).fit(DOCUMENTS)
    with pytest.raises(craton.InputError) as error:
        count().fit(["", " . "])
    assert error.value.code == "no-terms"
    for use in (count().transform, craton.TfidfVectorizer(vocabulary=["a"]).transform):
        with pytest.raises(NotFittedError):
            use(DOCUMENTS)
    with pytest.raises(craton.InputError, match="there are 2 terms"):
        count().fit(["ab cd"]).inverse_transform([[1]])
    with pytest.warns(craton.FitWarning, match="don"):
        count(stop_words=["don't"]).fit(DOCUMENTS)
    with pytest.raises(ValueError, match="Invalid parameter 'other'"):
        count().set_params(other=1)
    for options, unused in [
        ({"analyzer": "char", "stop_words": ["the"]}, "'stop_words' will not be used"),
        ({"tokenizer": str.split, "token_pattern": r"\w+"}, "'token_pattern' will not be used"),
        ({"analyzer": str.split, "ngram_range": (1, 2)}, "'ngram_range' will not be used"),
        ({"vocabulary": ["Dog"]}, "Upper case characters"),
    ]:
        with pytest.warns(craton.FitWarning, match=unused):
            count(**options).fit(DOCUMENTS)
    with pytest.warns(craton.FitWarning, match="float64"):
        assert craton.TfidfVectorizer(dtype=int).fit_transform(DOCUMENTS).dtype == np.float64


# ---- craton's own


def test_own_options_are_taken():
    hindi = ["नमस्ते दुनिया"]
    assert craton.CountVectorizer(words="unicode").fit(hindi).vocabulary_ == {"दुनिया": 0, "नमस्ते": 1}
    stems = craton.CountVectorizer(stemmer="english").fit(["running runs run"])
    assert stems.vocabulary_ == {"run": 0}
    assert craton.CountVectorizer(fold=True).fit(["Straße STRASSE"]).vocabulary_ == {"strasse": 0}
    forms = craton.CountVectorizer(normal_form="nfkc").fit(["ﬁn fin"])
    assert forms.vocabulary_ == {"fin": 0}
    assert list(craton.CountVectorizer(min_count=2).fit(["aa bb aa"]).vocabulary_) == ["aa"]
    assert list(craton.CountVectorizer(least_length=3).fit(["aa bbb"]).vocabulary_) == ["bbb"]
    assert craton.CountVectorizer(words="unicode").build_tokenizer()("Can't go") == ["Can't", "go"]


def test_what_is_done_to_a_text_can_be_asked_for():
    ours = craton.CountVectorizer(stop_words="english", strip_accents="unicode", ngram_range=(1, 2))
    theirs = sklearn_text.CountVectorizer(**{
        k: v for k, v in ours.get_params().items() if k in sklearn_text.CountVectorizer().get_params()
    })
    text = "The naïve Dog, AND another"
    for build in ("build_preprocessor", "build_analyzer"):
        done = pickle.loads(pickle.dumps(getattr(ours, build)()))
        assert done(text) == getattr(theirs, build)()(text)
    assert pickle.loads(pickle.dumps(ours.build_tokenizer()))(text) == theirs.build_tokenizer()(text)
    assert ours.get_stop_words() == theirs.get_stop_words()
    assert craton.CountVectorizer().get_stop_words() is None


def test_bm25_is_its_formula():
    texts, k1, b = ["aa bb aa", "bb cc", "cc cc cc dd"], 1.5, 0.6
    ours = craton.TfidfVectorizer(tf="bm25", idf="bm25", norm=None, bm25_k1=k1, bm25_b=b)
    counts = craton.CountVectorizer().fit_transform(texts).toarray()
    length, df = counts.sum(axis=1, keepdims=True), (counts > 0).sum(axis=0)
    idf = np.log1p((3 - df + 0.5) / (df + 0.5))
    expected = counts * (k1 + 1) / (counts + k1 * (1 - b + b * length / length.mean())) * idf
    np.testing.assert_allclose(ours.fit_transform(texts).toarray(), expected, rtol=1e-14)
    weighs = craton.TfidfTransformer(tf="bm25", idf="bm25", norm=None, bm25_k1=k1, bm25_b=b)
    np.testing.assert_allclose(weighs.fit_transform(counts).toarray(), expected, rtol=1e-14)
    given = craton.TfidfVectorizer(
        tf="bm25", idf="bm25", norm=None, bm25_k1=k1, bm25_b=b, vocabulary=["aa", "bb", "cc", "dd"]
    )
    np.testing.assert_allclose(given.fit_transform(texts).toarray(), expected, rtol=1e-14)


def test_every_option_of_the_library_is_an_option_of_a_vectoriser():
    said = {"ngram_min": "ngram_range", "ngram_max": "ngram_range", "hashed": "n_features", "text_norm": "norm"}
    known = set().union(*(getattr(craton, name)().get_params() for name in VECTORIZERS))
    for option in craton._craton.text_options():
        if option["name"] == "positions":  # of PositionalNB, which counts nothing
            continue
        assert said.get(option["name"], option["name"]) in known


def test_partial_fit_is_one_fit_on_all():
    all_of_them = craton.CountVectorizer(ngram_range=(1, 2)).fit(MADE)
    in_parts = craton.CountVectorizer(ngram_range=(1, 2))
    for first in range(0, len(MADE), 100):
        in_parts.partial_fit(MADE[first : first + 100])
    assert in_parts.vocabulary_ == all_of_them.vocabulary_
    assert in_parts.digest_ == all_of_them.digest_
    same(in_parts.transform(MADE), all_of_them.transform(MADE))
    for options, why in (({"min_df": 2}, "chosen"), ({"tokenizer": str.split}, "function of Python")):
        started = craton.CountVectorizer(**options).fit(MADE)
        with pytest.raises(craton.InputError, match=why):
            started.partial_fit(MADE)
    with pytest.raises(craton.InputError, match="weighed"):
        craton.TfidfVectorizer().fit(MADE).partial_fit(MADE)
    assert craton.HashingVectorizer().partial_fit(MADE).transform(["ab"]).nnz == 1
    assert craton.CountVectorizer(vocabulary=["ab"]).fit(MADE).partial_fit(MADE).vocabulary_ == {"ab": 0}


@pytest.mark.parametrize("options", [{}, {"vocabulary": ["dog", "the"]}, {"tokenizer": str.split}], ids=str)
def test_pickles_copies_and_clones(options):
    for name in VECTORIZERS:
        given = {k: v for k, v in options.items() if k in getattr(craton, name)().get_params()}
        ours = getattr(craton, name)(**given).fit(DOCUMENTS)
        for twin in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
            same(ours.transform(DOCUMENTS), twin.transform(DOCUMENTS))
            if name != "HashingVectorizer":
                assert twin.digest_ == ours.digest_ and twin.vocabulary_ == ours.vocabulary_
        assert repr(clone(ours)) == repr(ours)
    if not options:
        count = craton.CountVectorizer().fit(DOCUMENTS)
        state = count.__getstate__()
        state["step"] = state["step"][:-8] + b"damaged!"
        with pytest.raises(craton.ModelFileError):
            copy.copy(count).__setstate__(state)


def test_frames_are_given_where_they_are_asked_for():
    series = pd.Series(DOCUMENTS, index=range(10, 17))
    ours = craton.CountVectorizer().set_output(transform="pandas")
    frame = ours.fit_transform(series)
    assert list(frame.columns) == list(ours.get_feature_names_out())
    assert list(frame.index) == list(series.index)
    assert frame["dog"].sum() == 2 and isinstance(frame.dtypes.iloc[0], pd.SparseDtype)
    weighed = craton.TfidfTransformer().set_output(transform="pandas").fit_transform(frame)
    assert list(weighed.columns) == list(frame.columns)
    hashed = craton.HashingVectorizer(n_features=8).set_output(transform="pandas")
    assert hashed.transform(series).shape == (7, 8)
    with pytest.raises(craton.InputError, match="polars"):
        craton.CountVectorizer().set_output(transform="polars").fit_transform(series)


def test_without_scipy_models_take_the_rows():
    said = python(
        "import sys; sys.modules['scipy'] = None; sys.modules['scipy.sparse'] = None\n"
        "import craton\n"
        "rows = craton.CountVectorizer().fit_transform(['win money', 'see you'])\n"
        "print(rows.shape, craton.MultinomialNB().fit(rows, [1, 0]).predict(rows))"
    )
    assert said.split() == ["(2,", "4)", "[1", "0]"]


def test_other_libraries_are_not_loaded_for_texts():
    loaded = python(
        "import sys, craton; p = craton.make_pipeline(craton.CountVectorizer(), craton.MultinomialNB());"
        "p.fit(['aa', 'bb'], [0, 1]).predict(['aa']); print(*sys.modules)"
    )
    assert not set(loaded.split()) & {"sklearn", "scipy", "pandas", "polars", "pyarrow"}


with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message=".*does not inherit from")  # that is the point
    checked = parametrize_with_checks([
        craton.CountVectorizer(),
        craton.TfidfVectorizer(),
        craton.HashingVectorizer(),
        craton.TfidfTransformer(),
        craton.TfidfTransformer(tf="bm25", idf="bm25", norm=None),
    ])


@pytest.mark.filterwarnings("ignore:.*does not inherit from")
@checked
def test_scikit_learn_check(estimator, check):
    check(estimator)
