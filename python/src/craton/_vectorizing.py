"""From texts to rows of counts. The classes themselves are in _vectorizers.py, made from the
library's options of texts and scikit-learn's keywords; the counting is in C++.

What is callable runs in Python, and so do patterns that are not runs of \\w: they are counted in
_python_terms.py, slowly, and cannot be kept in a model file.
"""

import functools
import hashlib
import re
import unicodedata
import warnings

import numpy as np

from . import _craton
from ._documents import INPUTS, list_documents, read_documents
from ._errors import FitWarning, InputError, NotFittedError, also_of_sklearn, printable
from ._parameters import Parameters
from ._python_terms import count_hashed, count_terms, learn_terms, word_ngrams
from ._sparse_output import in_container, sparse_rows
from ._table import read_table
from ._text_keywords import TOKEN_PATTERN, shortest_word
from ._values import plain, threads


class Options(Parameters):
    """Parameters as options of texts. A subclass names those of the library, and the keywords."""

    _options = ()
    _keywords = {}

    def _values(self):
        values = {}
        for name in self._options:
            if getattr(self, name) is not None:
                values[name] = plain(name, getattr(self, name))
        for name, keyword in self._keywords.items():
            keyword.read(getattr(self, name), values, name)
        return values

    def _threads(self):
        return threads(self.n_jobs)

    def set_output(self, *, transform=None):
        """Choose what transform gives: "default" (SciPy's sparse rows) or "pandas"."""
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _not_fitted(self):
        return also_of_sklearn(NotFittedError)(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate"
            " arguments before using this estimator."
        )


class Vectorizer(Options):
    """Texts in, rows out."""

    def fit_transform(self, raw_documents, y=None):
        """Learn from documents, then their rows.

        Parameters
        ----------
        raw_documents : list, array, series, Arrow column or one-column frame of texts
        y : ignored

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_documents, n_terms)
        """
        return self.fit(raw_documents).transform(raw_documents)

    def build_preprocessor(self):
        """What is done to a text before it is cut: a function from text to text."""
        self._check()
        if self.preprocessor is not None:
            return self.preprocessor
        strip = self.strip_accents if callable(self.strip_accents) else _ACCENTS[self.strip_accents]
        return functools.partial(_preprocessed, strip=strip, lowercase=self.lowercase)

    def build_tokenizer(self):
        """What cuts a text into words: a function from text to a list."""
        self._check()
        if self.tokenizer is not None:
            return self.tokenizer
        if not self._other_pattern():
            options = self._values()
            return Words({name: options[name] for name in ("words", "least_length")} | _AS_IT_IS)
        pattern = re.compile(self.token_pattern)
        if pattern.groups > 1:
            raise InputError(
                "More than 1 capturing group in token pattern. Only a single group should be"
                " captured."
            )
        return pattern.findall

    def build_analyzer(self):
        """What gives the terms of a text: a function from text to a list."""
        analyze, change = self._analyzer(), None
        if analyze is None:
            analyze, change = Words(self._text_options()), self._change()
        return functools.partial(_analysed, vectorizer=self, analyze=analyze, change=change)

    def decode(self, doc):
        """A document as text: read from its file, and decoded, where that is to be done."""
        return list_documents([doc], self)[0][0]

    def get_stop_words(self):
        """The words that are left out, as a frozenset; None: there are none."""
        words = self._values()["stop_words"]
        return frozenset(_craton.stop_words(words)) if words else None

    # ---- what runs where

    def _check(self):
        if self.input not in INPUTS:
            raise InputError(
                f"input = {self.input!r} is not allowed\n  Give one of {', '.join(INPUTS)}."
            )
        if self.strip_accents not in _ACCENTS and not callable(self.strip_accents):
            raise InputError(
                f"strip_accents = {self.strip_accents!r} is not allowed\n  Give 'ascii', 'unicode',"
                " a function or None."
            )

    def _in_python(self):
        """Why it cannot be kept in a model file; None: it can."""
        for name in ("preprocessor", "tokenizer", "strip_accents", "analyzer"):
            if callable(getattr(self, name)):
                return f"{name} is a function of Python"
        if self._other_pattern():
            return f"token_pattern = {self.token_pattern!r} is a pattern of Python's"
        return None

    def _other_pattern(self):
        pattern = self.token_pattern
        return pattern is not None and self.tokenizer is None and shortest_word(pattern) is None

    def _analyzer(self):
        """A function of Python from a document to its terms; None: the library knows them."""
        self._check()
        if callable(self.analyzer):
            return self.analyzer
        if self.analyzer != "word" or (self.tokenizer is None and not self._other_pattern()):
            return None
        for name in ("words", "least_length", "fold", "normal_form", "stemmer"):
            if getattr(self, name) not in (None, self._defaults()[name]):
                raise InputError(
                    f"{name} is of craton's own words, and these are found by Python\n  Leave {name}"
                    " out, or tokenizer and token_pattern."
                )
        preprocess, tokenize = self.build_preprocessor(), self.build_tokenizer()
        options, stop = self._values(), self.get_stop_words()
        low, high = options["ngram_min"], options["ngram_max"]
        return functools.partial(
            _terms_of, preprocess=preprocess, tokenize=tokenize, how=(low, high, stop)
        )

    def _change(self):
        """What Python does to texts that the library then cuts; None: nothing."""
        changes = self.preprocessor is not None or callable(self.strip_accents)
        return self.build_preprocessor() if changes else None

    def _text_options(self):
        """What the library is asked to count."""
        self._check()
        return self._values() | (_AS_IT_IS if self._change() is not None else {})

    def _texts(self, raw_documents):
        """The documents, and what to count in them, for the library."""
        texts = read_documents(raw_documents, self, self._change())
        texts.options = self._text_options()
        return texts

    def _warn(self):
        """Of what is given and of no use; and of stop words that no text can hold."""
        made = "analyzer is callable" if callable(self.analyzer) else "analyzer != 'word'"
        given = {
            "stop_words": self.stop_words is not None,
            "token_pattern": self.token_pattern not in (None, TOKEN_PATTERN),
            "tokenizer": self.tokenizer is not None,
            "preprocessor": self.preprocessor is not None,
            "ngram_range": self.ngram_range not in (None, (1, 1)),
        }
        if callable(self.analyzer):
            unused = list(given)
        else:
            unused = ["stop_words", "token_pattern", "tokenizer"] if self.analyzer != "word" else []
        said = [(name, made) for name in unused if given[name]]
        if not unused and given["tokenizer"] and given["token_pattern"]:
            said.append(("token_pattern", "tokenizer is not None"))
        notes = [f"The parameter '{name}' will not be used since {why}" for name, why in said]
        if given["stop_words"] and not unused and not isinstance(self.stop_words, str):
            notes += _craton.Tokeniser(self._text_options()).notes()
        for note in notes:
            warnings.warn(printable(note), FitWarning, stacklevel=4)

    def _type(self):
        return np.dtype(self.dtype)

    def _whole(self):
        return self._type() == np.int64

    def _rows(self, arrays, columns, index):
        data, indices, indptr = arrays
        same = data.dtype == self._type()  # though C's long long, perhaps, where NumPy's is long
        data = data.view(self._type()) if same else data.astype(self._type())
        rows = sparse_rows(data, indices, indptr, (len(indptr) - 1, columns))
        return in_container(self, rows, index)

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(two_d_array=False, string=True),
            requires_fit=self._requires_fit,
        )

    _requires_fit = True


class Words:
    """The library's terms of a text."""

    def __init__(self, options):
        self._options, self._tokeniser = options, _craton.Tokeniser(options)

    def __call__(self, text):
        return self._tokeniser.terms(text)

    def __reduce__(self):
        return Words, (self._options,)


def _preprocessed(text, strip, lowercase):
    text = text.lower() if lowercase else text
    return text if strip is None else strip(text)


def _terms_of(document, preprocess, tokenize, how):
    return word_ngrams(tokenize(preprocess(document)), *how)


def _analysed(document, vectorizer, analyze, change):
    text = vectorizer.decode(document)
    return analyze(text if change is None else change(text))


def _without_marks(text):
    if text.isascii():
        return text
    marked = unicodedata.normalize("NFKD", text)
    return "".join(c for c in marked if not unicodedata.combining(c))


def _without_others(text):
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


_ACCENTS = {None: None, "none": None, "unicode": _without_marks, "ascii": _without_others}
_AS_IT_IS = {"lowercase": False, "strip_accents": "none"}


class LearnsTerms(Vectorizer):
    """With terms of the documents of fit, or terms that were given."""

    def fit(self, raw_documents, y=None):
        """Learn the terms of documents.

        Parameters
        ----------
        raw_documents : list, array, series, Arrow column or one-column frame of texts
        y : ignored

        Returns
        -------
        self
        """
        self._learn(raw_documents, wanted=False)
        return self

    def fit_transform(self, raw_documents, y=None):
        """Learn the terms of documents, then their rows: in one go.

        Parameters
        ----------
        raw_documents : list, array, series, Arrow column or one-column frame of texts
        y : ignored

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_documents, n_terms)
        """
        return self._learn(raw_documents, wanted=True)

    def _learn(self, raw_documents, wanted):
        self._warn()
        if self.vocabulary is not None or self._analyzer() is not None:
            return self._learn_here(raw_documents, wanted)
        texts = self._texts(raw_documents)
        _check_some(texts)
        step, arrays = _craton.learn_texts(
            texts.column, texts.options, self._threads(), wanted, self._whole()
        )
        self._adopt(step)
        return self._rows(arrays, step.columns, texts.index) if wanted else None

    def _learn_here(self, raw_documents, wanted):
        """Terms that were given, or that Python gives."""
        self._forget()
        options = self._text_options()
        counted = None
        if self.vocabulary is None:
            documents, index = list_documents(raw_documents, self)
            _check_some(documents)
            self._terms, counted = learn_terms(documents, self._analyzer(), options)
        else:
            self._terms = given_terms(self.vocabulary)
            if self.lowercase and any(any(map(str.isupper, term)) for term in self._terms):
                warnings.warn(
                    "Upper case characters found in vocabulary while 'lowercase' is True. These"
                    " entries will not be matched with any documents",
                    FitWarning,
                    stacklevel=4,
                )
            if wanted or weighs(options):
                counted, index = self._count(raw_documents)
                _check_some(counted[2][1:])
        self._weighing = None
        if weighs(options):
            df = np.bincount(counted[1], minlength=len(self._terms))
            self._weighing = (df, len(counted[2]) - 1, float(counted[0].sum()))
        return self._rows(self._weighed(counted), len(self._terms), index) if wanted else None

    def transform(self, raw_documents):
        """The rows of documents; terms that were not learned are passed over.

        Parameters
        ----------
        raw_documents : list, array, series, Arrow column or one-column frame of texts

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_documents, n_terms)
        """
        self._fitted()
        if "_step" not in self.__dict__:
            counted, index = self._count(raw_documents)
            return self._rows(self._weighed(counted), len(self._terms), index)
        texts = self._texts(raw_documents)
        arrays = self._step.rows(texts.column, self._threads(), self._whole())
        return self._rows(arrays, self._step.columns, texts.index)

    def partial_fit(self, raw_documents, y=None):
        """Learn the terms of more documents; the first call is ``fit``.

        The terms are those of one fit on all documents, each in its place among the others: columns
        move. That can be told where none are chosen (min_df, max_features ...) or weighed by the
        documents. Returns self.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(raw_documents)
        if "_step" in self.__dict__:
            texts = self._texts(raw_documents)
            return self._adopt(self._step.more(texts.column, self._threads()))
        if self.vocabulary is None:
            raise InputError(f"{self._in_python()}: such terms are learned at once\n  Use fit.")
        return self

    def _count(self, raw_documents):
        """Rows of counts of the terms, and the index of the documents."""
        analyze = self._analyzer()
        if analyze is not None:
            documents, index = list_documents(raw_documents, self)
            return count_terms(documents, analyze, self.vocabulary_), index
        texts = self._texts(raw_documents)
        counter = _craton.GivenTerms(texts.options, self._terms)
        return counter.count(texts.column, self._threads(), False), texts.index

    def _weighed(self, arrays):
        if self._weighing is not None:
            data, indices, indptr = arrays
            weights = _craton.TermWeights(self._text_options(), *self._weighing)
            weights.weigh(indptr.astype(np.int64), indices, data, self._threads())
        return arrays

    def _in_python(self):
        if self.vocabulary is not None:
            return "vocabulary was given, and not learned"
        return super()._in_python()

    # ---- what was learned

    def __sklearn_is_fitted__(self):
        return "_step" in self.__dict__ or "_terms" in self.__dict__

    def _fitted(self):
        if not self.__sklearn_is_fitted__():
            if self.vocabulary is None or weighs(self._values()):
                raise self._not_fitted()
            self._terms, self._weighing = given_terms(self.vocabulary), None
        return self

    def _forget(self):
        for name in ("_step", "_terms", "_weighing", "_names"):
            self.__dict__.pop(name, None)

    def _adopt(self, step):
        self._forget()
        self._step = step
        return self

    def _in_order(self):
        self._fitted()
        if "_names" not in self.__dict__:
            terms = self._step.terms if "_step" in self.__dict__ else self._terms
            self._names = np.array(terms, dtype=object)
        return self._names

    @property
    def vocabulary_(self):
        """The column of each term."""
        return {term: column for column, term in enumerate(self._in_order().tolist())}

    @property
    def fixed_vocabulary_(self):
        """Whether the terms were given."""
        return self.vocabulary is not None

    @property
    def digest_(self):
        """32 hexadecimal digits over what was learned and the options that change it."""
        self._fitted()
        if "_step" in self.__dict__:
            learned = self._step.to_bytes()
        else:
            learned = repr((self._terms, self._weighing, sorted(self._values().items()))).encode()
        return hashlib.blake2b(learned, digest_size=16).hexdigest()

    def get_feature_names_out(self, input_features=None):
        """The terms, in the order of the columns."""
        return self._in_order().copy()

    def inverse_transform(self, X):
        """The terms of each row, in the order of the columns.

        Parameters
        ----------
        X : sparse rows or array of shape (n_documents, n_terms)

        Returns
        -------
        list of ndarray
        """
        terms = self._in_order()
        rows = read_table(X, type(self).__name__, sparse=True).rows
        if rows.shape[1] != len(terms):
            raise InputError(
                f"X has {rows.shape[1]} columns, and there are {len(terms)} terms\n  Give rows that"
                " transform gave.",
                "wrong-columns",
            )
        if isinstance(rows, np.ndarray):
            return [terms[np.flatnonzero(row)] for row in rows]
        ends = zip(rows.indptr[:-1], rows.indptr[1:])
        return [terms[rows.indices[i:j][rows.data[i:j] != 0]] for i, j in ends]

    # ---- keeping

    def __getstate__(self):
        state = {"parameters": self.get_params()}
        if "_step" in self.__dict__:
            state["step"] = self._step.to_bytes()
        for name in _KEPT:
            if name in self.__dict__:
                state[name] = self.__dict__[name]
        return state

    def __setstate__(self, state):
        for name, value in {**self._defaults(), **state["parameters"]}.items():
            setattr(self, name, value)
        if "step" in state:
            self._step = _craton.TextStep.from_bytes(state["step"])
        for name in _KEPT:
            if name in state:
                setattr(self, name, state[name])


_KEPT = ("_terms", "_weighing", "_sklearn_output_config")


def _check_some(documents):
    if len(documents) == 0:
        raise InputError("there are no documents to learn from\n  Give one at least.", "no-rows")


def given_terms(vocabulary):
    """Terms in the order of their columns."""
    if isinstance(vocabulary, (set, frozenset)):
        vocabulary = sorted(vocabulary)
    if hasattr(vocabulary, "items"):
        columns = sorted(vocabulary.values())
        if columns != list(range(len(vocabulary))):
            raise InputError(
                "the columns of vocabulary are not 0, 1, ...\n  Give each term one of its own."
            )
        return sorted(vocabulary, key=vocabulary.get)
    terms = list(vocabulary)
    if not terms:
        raise InputError("empty vocabulary passed to fit\n  Give terms, or leave it out.", "no-terms")
    if len(set(terms)) < len(terms):
        twice = next(term for term in terms if terms.count(term) > 1)
        raise InputError(f"Duplicate term in vocabulary: {twice!r}\n  Give each term once.")
    return terms


def weighs(options):
    """Whether counts become something else."""
    usual = {"tf": "count", "idf": "none", "text_norm": "none"}
    return any(options.get(name, as_is) != as_is for name, as_is in usual.items())


class HashesTerms(Vectorizer):
    """With columns that terms are hashed to: nothing is learned."""

    _requires_fit = False

    def fit(self, raw_documents=None, y=None):
        """Nothing is to be learned. Returns self."""
        self._warn()
        _craton.Tokeniser(self._text_options())  # says what is wrong
        if isinstance(raw_documents, (str, bytes)):
            read_documents(raw_documents, self)
        return self

    def partial_fit(self, raw_documents=None, y=None):
        """Nothing is to be learned. Returns self."""
        return self.fit(raw_documents)

    def transform(self, raw_documents):
        """The rows of documents.

        Parameters
        ----------
        raw_documents : list, array, series, Arrow column or one-column frame of texts

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_documents, n_features)
        """
        analyze, options = self._analyzer(), self._text_options()
        if analyze is None:
            texts = self._texts(raw_documents)
            _, arrays = _craton.learn_texts(
                texts.column, texts.options, self._threads(), True, self._whole()
            )
            return self._rows(arrays, self.n_features, texts.index)
        documents, index = list_documents(raw_documents, self)
        arrays = count_hashed(documents, analyze, options["hashed"], options["alternate_sign"])
        weights = _craton.TermWeights(options, np.zeros(0, np.int64), 1, 0.0)
        weights.weigh(arrays[2].astype(np.int64), arrays[1], arrays[0], self._threads())
        return self._rows(arrays, self.n_features, index)

    def _adopt(self, step):
        return self

    def __sklearn_is_fitted__(self):
        return True
