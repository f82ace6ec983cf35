"""A vectoriser and a model as one: fitted in one go, and kept in one file."""

import functools
import inspect
import warnings

import numpy as np

from . import _craton, _models, _vectorizers
from ._abilities import Classifies
from ._base import Estimator
from ._errors import FitWarning, InputError, InputTypeError, printable
from ._text_keywords import KEYWORDS, own_options
from ._values import path_text
from ._vectorizing import Vectorizer


def make_pipeline(vectorizer, model):
    """A vectoriser and a model as one, called by their classes' names in small letters.

    Parameters
    ----------
    vectorizer : CountVectorizer, TfidfVectorizer or HashingVectorizer
    model : estimator of craton that takes sparse rows

    Returns
    -------
    TextPipeline

    Examples
    --------
    >>> import craton
    >>> mails = ["win a prize", "win money now", "lunch at noon", "see you at lunch"]
    >>> spam = craton.make_pipeline(craton.CountVectorizer(), craton.MultinomialNB())
    >>> spam.fit(mails, ["spam", "spam", "ham", "ham"]).predict(["a prize to win"])
    array(['spam'], dtype='<U4')
    """
    pipeline = TextPipeline([(_name_of(step), step) for step in (vectorizer, model)])
    pipeline._parts()  # says what is wrong
    return pipeline


_OF_LABELS = {"predict_log_proba": lambda log_p: log_p, "predict_proba": np.exp}


def _name_of(step):
    return type(step).__name__.lower()


class TextPipeline:
    """A vectoriser and a model as one: what the model can do, of texts.

    Texts are counted and the model is fitted in one go, in the library. ``save`` writes one model
    file, which ``craton predict`` reads at the shell and ``craton.load`` gives back. All that the
    model has (``predict_proba``, ``explain``, ``partial_fit``, ``report_``, ``tables`` ...) the
    pipeline has, with texts in the place of X.

    Parameters
    ----------
    steps : list of two pairs of name and step
        A vectoriser, and an estimator that takes sparse rows.
    """

    def __init__(self, steps):
        self.steps = steps

    # ---- scikit-learn's protocol

    def get_params(self, deep=True):
        """The parameters by name; with deep also the steps, and theirs as step__parameter."""
        found = {"steps": self.steps}
        for name, step in self.steps if deep else ():
            found[name] = step
            found |= {f"{name}__{key}": value for key, value in step.get_params().items()}
        return found

    def set_params(self, **params):
        """Change parameters by name, as get_params has them; returns self."""
        if "steps" in params:
            self.steps = params.pop("steps")
        for key, value in params.items():
            name, _, parameter = key.partition("__")
            places = [i for i, (known, _) in enumerate(self.steps) if known == name]
            if not places:
                raise InputError(
                    f"Invalid parameter {key!r} for estimator {self}. Valid parameters are:"
                    f" {sorted(self.get_params())!r}.",
                    "unknown-name",
                )
            if parameter:
                self.steps[places[0]][1].set_params(**{parameter: value})
            else:
                self.steps = list(self.steps)
                self.steps[places[0]] = (name, value)
        return self

    @property
    def named_steps(self):
        """The steps by name."""
        return dict(self.steps)

    def __len__(self):
        return len(self.steps)

    def __getitem__(self, which):
        if isinstance(which, str):
            return self.named_steps[which]
        return self.steps[which][1] if not isinstance(which, slice) else self.steps[which]

    def __repr__(self):
        if [name for name, _ in self.steps] == [_name_of(step) for _, step in self.steps]:
            return f"make_pipeline({', '.join(repr(step) for _, step in self.steps)})"
        return f"{type(self).__name__}({self.steps!r})"

    def __sklearn_tags__(self):
        vectorizer, model = self._parts()
        tags = model.__sklearn_tags__()
        tags.input_tags = vectorizer.__sklearn_tags__().input_tags
        return tags

    def __sklearn_is_fitted__(self):
        return self._parts()[1].__sklearn_is_fitted__()

    def _parts(self):
        try:
            (_, vectorizer), (_, model) = self.steps
        except (TypeError, ValueError):
            raise InputTypeError(
                "a pipeline of texts has two steps\n  Give a vectoriser and a model."
            ) from None
        for step, kind, example in (
            (vectorizer, Vectorizer, "a vectoriser, such as craton.CountVectorizer()"),
            (model, Estimator, "an estimator of craton, such as craton.MultinomialNB()"),
        ):
            if not isinstance(step, kind):
                name = step.__name__ if isinstance(step, type) else type(step).__name__
                raise InputTypeError(
                    f"{name} is not what a pipeline of texts has here\n  Give {example};"
                    " sklearn.pipeline.make_pipeline takes others."
                )
        model._check_reads_texts()
        return vectorizer, model

    # ---- the model, of texts

    def fit(self, X, y=None, **more):
        """Learn from texts.

        Parameters
        ----------
        X : list, array, series, Arrow column or one-column frame of texts
        y : array of shape (n_samples,), default=None
            Labels or numbers, for models that learn from them.
        **more
            As the fit of the model takes it: sample_weight, ...

        Returns
        -------
        self
        """
        return self._of_model("fit", X, y, **more)

    def predict(self, X):
        """The label, or number, of each text, as the model predicts it."""
        reader = self._reader(X)
        label = None if reader is None else reader.predict(X[0])
        if label is None:
            return self._of_model("predict", X)
        return self.steps[-1][1].classes_[label : label + 1].copy()

    def _reader(self, X):
        """The short way of one text; None: X is something else, or the model learned otherwise."""
        if type(X) is not list or len(X) != 1 or type(X[0]) is not str:
            return None
        model = self.steps[-1][1]
        fitted = model.__dict__.get("_model")
        known, reader = self.__dict__.get("_short", (None, None))
        if known is not fitted:
            short = isinstance(model, Classifies) and model._reads_texts
            reader = _craton.TextReader(fitted) if short else None
            self._short = (fitted, reader)
        return reader

    def __getattr__(self, name):
        if name.startswith("_") or "steps" not in self.__dict__:
            raise AttributeError(name)
        member = getattr(self.steps[-1][1], name)  # AttributeError: the model has none
        if not inspect.ismethod(member):
            return member

        @functools.wraps(member)
        def of_texts(*args, **more):
            if name in _OF_LABELS and len(args) == 1:
                reader = self._reader(args[0])
                out = np.empty((1, member.__self__._fitted().classes))
                if reader is not None and reader.predict_log_proba(args[0][0], out):
                    return _OF_LABELS[name](out)
            return self._of_model(name, *args, **more)

        return of_texts

    def _of_model(self, name, *args, **more):
        """A method of the model, with texts for X, and models for pipelines."""
        vectorizer, model = self._parts()
        before, method = model.__dict__.get("_model"), getattr(model, name)
        takes_x = next(iter(inspect.signature(method).parameters), None) == "X"
        if takes_x and "X" in more:
            args = (more.pop("X"), *args)
        if takes_x and args:
            learns = name.startswith("fit") or (name == "partial_fit" and before is None)
            args = (self._read(vectorizer, args[0], learns), *args[1:])
            if learns and vectorizer._in_python() is None:
                vectorizer._warn()
        args = [arg._parts()[1] if isinstance(arg, TextPipeline) else arg for arg in args]
        result = method(*args, **more)
        fitted = model.__dict__.get("_model")
        if fitted is not before and vectorizer._in_python() is None:
            vectorizer._adopt(fitted.text_step)
        if name == "partial_fit":
            _warn_of_words(model)
        return self if result is model else result

    def _table(self, X):
        """Texts for the measuring of a model that is fitted many times."""
        vectorizer, model = self._parts()
        why = vectorizer._in_python()
        if why is not None:
            raise InputError(
                f"every fold learns words of its own, in the library, and {why}\n  Use"
                " sklearn.model_selection, or craton's own words."
            )
        return model._table(vectorizer._texts(X))

    def _copy(self):
        """The same, not fitted."""
        steps = [(name, type(step)(**step.get_params())) for name, step in self.steps]
        return type(self)(steps)

    @staticmethod
    def _read(vectorizer, X, learns):
        if vectorizer._in_python() is None:
            return vectorizer._texts(X)
        return vectorizer.fit_transform(X) if learns else vectorizer.transform(X)

    # ---- keeping

    def save(self, path):
        """Write a model file: any part of craton reads it, and ``craton.load`` gives it back."""
        vectorizer, model = self._parts()
        why = vectorizer._in_python()
        if why is not None:
            raise InputError(
                f"the pipeline cannot be saved in a model file: {why}\n  Use craton's own words"
                " (words='unicode', stemmer ...), or pickle it."
            )
        model._fitted().save(path_text(path))

    def __getstate__(self):
        vectorizer, model = self._parts()
        if vectorizer._in_python() is None:  # the model has what it learned
            vectorizer = type(vectorizer)(**vectorizer.get_params())
        names = [name for name, _ in self.steps]
        return {"steps": list(zip(names, (vectorizer, model)))}

    def __setstate__(self, state):
        self.__dict__.update(state)
        _relink(self)


def _warn_of_words(model):
    for note in model.report_.notes:
        if note.code == "unknown-words":
            warnings.warn(printable(note.text), FitWarning, stacklevel=5)


def _relink(pipeline):
    vectorizer, model = pipeline._parts()
    if model.__sklearn_is_fitted__() and model._reads_texts:
        vectorizer._adopt(model._model.text_step)


def pipeline_of(model):
    """The pipeline of a fitted model of texts."""
    step = model.text_step
    own = {name: value for name, value in model.options().items() if name not in step.options}
    estimator = getattr(_models, model.python_name)(**own)._adopt(model)
    pipeline = make_pipeline(_vectorizer_of(step.options), estimator)
    _relink(pipeline)
    return pipeline


def _vectorizer_of(options):
    """The vectoriser that asks for these options of texts."""
    weighed = options["idf"] != "none" or options["text_norm"] != "none"
    weighed = weighed or options["tf"] not in ("count", "presence")
    name = "TfidfVectorizer" if weighed else "CountVectorizer"
    if options["hashed"]:
        name = "HashingVectorizer"
    known = {option["name"] for option in own_options(name)}
    given = {key: value for key, value in options.items() if key in known}
    keywords = {
        "ngram_range": (options["ngram_min"], options["ngram_max"]),
        "binary": options["tf"] == "presence",
        "norm": None if options["text_norm"] == "none" else options["text_norm"],
        "use_idf": options["idf"] != "none",
        "n_features": options["hashed"],
        "tf": None if options["tf"] in ("count", "presence") else options["tf"],
        "idf": None if options["idf"] in ("none", "smooth") else options["idf"],
        "strip_accents": None if options["strip_accents"] == "none" else options["strip_accents"],
        "stop_words": _words_of(options["stop_words"]),
        "max_features": options["max_features"] or None,
    }
    for key in KEYWORDS[name]:
        if key in keywords:
            given[key] = keywords[key]
        elif key in options:
            given[key] = options[key]
    given["min_df"] = _documents(options["min_df"])
    given["max_df"] = _documents(options["max_df"]) if options["max_df"] != 1 else 1.0
    if name == "HashingVectorizer":
        del given["min_df"], given["max_df"]
    return getattr(_vectorizers, name)(**given)


def _documents(value):
    return int(value) if value == int(value) else value


def _words_of(option):
    if option == option.strip() and len(option.split()) <= 1:
        return option or None  # the name of a list
    return option.split()
