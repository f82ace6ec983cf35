"""What scikit-learn's vectorisers are given, by class, and what it means in craton's options of texts.

tools/generate_python.py writes these into the constructors of _vectorizers.py, then the options of
texts that no keyword says (``own_options``), which the library describes itself.
"""

import re

import numpy as np

from . import _craton
from ._compatibility import Keyword
from ._errors import InputError, InputTypeError
from ._values import plain

TOKEN_PATTERN = r"(?u)\b\w\w+\b"
_RUN = re.compile(r"(?:\(\?u\))?\\b(?:(\\w)?\\w\+|\\w\{(\d+),\})\\b")


def shortest_word(pattern):
    """The least length of the runs of \\w that a pattern means; None: it means something else."""
    found = _RUN.fullmatch(pattern) if isinstance(pattern, str) else None
    if found is None:
        return None
    return int(found[2]) if found[2] else 2 if found[1] else 1


def _nothing(value, options, name):
    """It is looked at elsewhere."""


def _same(value, options, name):
    options[name] = plain(name, value)


def _none_is(other):
    def read(value, options, name):
        options[name] = other if value is None else plain(name, value)

    return read


def _accents(value, options, name):
    options[name] = "none" if value is None or callable(value) else plain(name, value)


def _stop_words(value, options, name):
    if value is None:
        options[name] = ""
    elif isinstance(value, str):
        options[name] = value
    elif isinstance(value, (list, tuple, set, frozenset)):
        if not all(isinstance(word, str) for word in value):
            raise InputTypeError(f"{name} holds what is no word\n  Give words: {name}=['the', 'of'].")
        # One of several words is none that a text could hold.
        words = value if isinstance(value, (list, tuple)) else sorted(value)
        options[name] = "".join(f"{word} " for word in words if len(word.split()) == 1)
    else:
        raise InputTypeError(f"{name} = {value!r} is not allowed\n  Give 'english', 'french', ..., a list or None.")


def _token_pattern(value, options, name):
    if value == TOKEN_PATTERN or value is None:
        return
    least = shortest_word(value)
    usual = [o["default"] for o in _craton.text_options() if o["name"] == "least_length"]
    if options.get("least_length") not in (None, *usual) or options.get("words") == "unicode":
        raise InputError(
            f"{name} and craton's own words are both given\n  Leave {name} out: words and"
            " least_length say what a word is."
        )
    if least is not None:
        options["least_length"] = least


def _ngram_range(value, options, name):
    try:
        low, high = value
    except (TypeError, ValueError):
        raise InputTypeError(f"{name} = {value!r} is not allowed\n  Give a pair: (1, 2).") from None
    options["ngram_min"], options["ngram_max"] = plain(name, low), plain(name, high)


def _analyzer(value, options, name):
    options[name] = "word" if callable(value) else plain(name, value)


# In scikit-learn the type says whether a number is of documents: 1 is one, 1.0 all of them. In
# craton 1 is the least number and the largest share.
def _min_df(value, options, name):
    value = plain(name, value)
    options[name] = np.nextafter(1, 0) if isinstance(value, float) and value == 1 else value


def _max_df(value, options, name):
    value = plain(name, value)
    options[name] = np.nextafter(1, 2) if value == 1 and isinstance(value, int) else value


def _binary(value, options, name):
    if value:
        options["tf"] = "presence"


def _sublinear(value, options, name):
    if value:
        options["tf"] = "log"


def _use_idf(value, options, name):
    options["idf"] = "smooth" if value else "none"


def _smooth_idf(value, options, name):
    if not value and options["idf"] == "smooth":
        options["idf"] = "plain"


def _instead(value, options, name):
    if value is not None:
        options[name] = plain(name, value)


def _norm(value, options, name):
    options["text_norm"] = "none" if value is None else plain(name, value)


def _n_features(value, options, name):
    options["hashed"] = plain(name, value)


_READING = {
    "input": Keyword(
        "content", "{'content', 'filename', 'file'}", "texts, paths of files, or open files", _nothing
    ),
    "encoding": Keyword("utf-8", "str", "of documents that are bytes, and of files", _nothing),
    "decode_error": Keyword(
        "strict", "{'strict', 'ignore', 'replace'}", "what to do with bytes that are not so", _nothing
    ),
}
_TOKENS = {
    "strip_accents": Keyword(
        None, "{'ascii', 'unicode'}, callable or None", "take accents off; ascii drops what is not"
        " ASCII then", _accents
    ),
    "lowercase": Keyword(True, "bool", "change capitals to small letters first", _same),
    "preprocessor": Keyword(
        None, "callable or None", "what is done to a text instead of both", _nothing
    ),
    "tokenizer": Keyword(None, "callable or None", "what gives the words of a text", _nothing),
    "stop_words": Keyword(
        None, "{'english', 'french', ...}, list or None", "words to leave out: those of a language, or"
        " your own", _stop_words
    ),
    "token_pattern": Keyword(
        TOKEN_PATTERN, "str", "what a word is, as a regular expression: runs of \\w are found by"
        " craton, others by Python", _token_pattern
    ),
    "ngram_range": Keyword(
        (1, 1), "pair of int", "so many words or characters in a row are a term", _ngram_range
    ),
    "analyzer": Keyword(
        "word", "{'word', 'char', 'char_wb'} or callable", "what terms are made of; a callable gives"
        " the terms of a text", _analyzer
    ),
}
_CUTS = {
    "max_df": Keyword(
        1.0, "int or float", "leave out terms of more documents, or a larger share of them", _max_df
    ),
    "min_df": Keyword(
        1, "int or float", "leave out terms of fewer documents, or a smaller share of them", _min_df
    ),
    "max_features": Keyword(
        None, "int or None", "keep the so many most frequent terms", _none_is(0)
    ),
    "vocabulary": Keyword(
        None, "list, dict or None", "the terms, if they are known; a dict has their columns", _nothing
    ),
}
_BINARY = Keyword(False, "bool", "count presence: 1", _binary)
_NORM = Keyword(
    "l2", "{'l1', 'l2'} or None", "divide each row by the sum of its absolute values, or the root of"
    " its squares' sum", _norm
)
_WEIGHTS = {
    "norm": _NORM,
    "use_idf": Keyword(True, "bool", "weigh terms by how few documents have them", _use_idf),
    "smooth_idf": Keyword(
        True, "bool", "as if one more document had every term", _smooth_idf
    ),
    "sublinear_tf": Keyword(False, "bool", "1 + log(count) instead of the count", _sublinear),
}
_TF = Keyword(None, "", "what a count becomes, where the keywords do not say it", _instead)
_IDF = Keyword(None, "", "the weight of a term, where the keywords do not say it", _instead)


def _dtype(default):
    return Keyword(default, "type", "of the values", _nothing)


KEYWORDS = {
    "CountVectorizer": {
        **_READING, **_TOKENS, **_CUTS, "binary": _BINARY, "dtype": _dtype(np.int64)
    },
    "TfidfVectorizer": {
        **_READING,
        **_TOKENS,
        **_CUTS,
        "binary": _BINARY,
        "dtype": _dtype(np.float64),
        **_WEIGHTS,
        "tf": _TF,
        "idf": _IDF,
    },
    "HashingVectorizer": {
        **_READING,
        **_TOKENS,
        "n_features": Keyword(2**20, "int", "columns that terms are hashed to", _n_features),
        "binary": _BINARY,
        "norm": _NORM,
        "alternate_sign": Keyword(True, "bool", "half of the terms count as -1", _same),
        "dtype": _dtype(np.float64),
        "tf": _TF,
    },
    "TfidfTransformer": {**_WEIGHTS, "tf": _TF, "idf": _IDF},
}

_OF_WEIGHTS = {"tf", "idf", "bm25_k1", "bm25_b", "text_norm"}
_OF_HASHES = {"hashed", "alternate_sign"}
_OF_CUTS = {"min_df", "max_df", "min_count", "max_features"}
_SAID = {"ngram_min", "ngram_max", "text_norm", "hashed"}  # by keywords of other names
_OF_MODELS = {"positions"}  # of PositionalNB, which counts nothing
_NOT_OF = {
    "CountVectorizer": _OF_HASHES | _OF_WEIGHTS,
    "TfidfVectorizer": _OF_HASHES,
    "HashingVectorizer": _OF_CUTS | (_OF_WEIGHTS - {"tf"}),
}


def own_options(class_name):
    """The library's options of texts that a class has beside the keywords."""
    every = _craton.text_options()
    if class_name == "TfidfTransformer":
        every = [option for option in every if option["name"] in _OF_WEIGHTS]
    left_out = _SAID | _OF_MODELS | _NOT_OF.get(class_name, set()) | set(KEYWORDS[class_name])
    return [option for option in every if option["name"] not in left_out]
