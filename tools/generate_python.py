"""Writes python/src/craton/_models.py from the registry of the built extension:

    PYTHONPATH=build/release/python .venv/bin/python tools/generate_python.py

With --check it only says whether the file is up to date.
"""

import importlib.util
import inspect
import math
import sys
import textwrap
import types
from pathlib import Path

import numpy as np

SOURCES = Path(__file__).resolve().parent.parent / "python" / "src" / "craton"
TARGET = SOURCES / "_models.py"
WIDTH = 100

# How many parameters may be given by position; as in scikit-learn's class of the name.
POSITIONAL = {"KMeans": 1, "MiniBatchKMeans": 1, "GaussianMixture": 1, "Density": 1, "Mixture": 1, "GenerativeClassifier": 1}

EXAMPLES = {
    "KMeans": """
        >>> from craton import KMeans
        >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
        >>> model = KMeans(n_clusters=2).fit(X)
        >>> sorted(model.cluster_centers_.tolist())
        [[1.0, 2.0], [10.0, 2.0]]
        >>> left, right = model.predict([[0, 0], [12, 3]])
        >>> bool(left == right)
        False
        """,
    "MiniBatchKMeans": """
        >>> from craton import MiniBatchKMeans
        >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
        >>> model = MiniBatchKMeans(n_clusters=2).fit(X)
        >>> sorted(model.cluster_centers_.tolist())
        [[1.0, 2.0], [10.0, 2.0]]
        """,
    "GaussianMixture": """
        >>> from craton import GaussianMixture
        >>> X = [[1, 2], [1, 4], [2, 3], [10, 12], [10, 14], [11, 13]]
        >>> model = GaussianMixture(n_components=2).fit(X)
        >>> model.weights_.tolist()
        [0.5, 0.5]
        >>> model.predict_proba([[1, 3]]).max().round(3).item()
        1.0
        """,
    "Mixture": """
        >>> from craton import Mixture
        >>> X = [["red", 1], ["red", 2], ["red", 0], ["blue", 14], ["blue", 18], ["blue", 15]]
        >>> model = Mixture(n_components=2, family="poisson").fit(X)
        >>> model.families_
        ['categorical', 'poisson']
        >>> a, b = model.predict([["red", None], [None, 16]])
        >>> bool(a == b)
        False
        """,
    "GenerativeClassifier": """
        >>> from craton import GenerativeClassifier
        >>> X = [[1.0, 2.0], [1.5, 4.0], [2.0, 3.0], [10.0, 12.0], [10.5, 14.0], [11.0, 13.0]]
        >>> model = GenerativeClassifier(settings="family=gaussian")
        >>> model.fit(X, ["near", "near", "near", "far", "far", "far"]).predict([[9, 9]]).tolist()
        ['far']
        """,
    "Density": """
        >>> from craton import Density
        >>> X = [[0.3], [1.2], [0.7], [2.9], [0.1], [1.6]]
        >>> model = Density(family="exponential").fit(X)
        >>> model.families_
        ['exponential']
        >>> {name: round(value, 4) for name, value in model.estimates_[0].items()}
        {'rate': 0.8824}
        """,
    "MultinomialNB": """
        >>> from craton import MultinomialNB
        >>> counts = [[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 2]]
        >>> model = MultinomialNB().fit(counts, ["cats", "cats", "dogs", "dogs"])
        >>> model.predict([[1, 0, 0], [0, 1, 0]]).tolist()
        ['cats', 'dogs']
        """,
    "BernoulliNB": """
        >>> from craton import BernoulliNB
        >>> there = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 1]]
        >>> model = BernoulliNB().fit(there, ["cats", "cats", "dogs", "dogs"])
        >>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
        ['cats', 'dogs']
        """,
    "LinearDiscriminantAnalysis": """
        >>> from craton import LinearDiscriminantAnalysis
        >>> X = [[1, 2], [2, 1], [3, 3], [5, 4], [6, 6], [7, 5]]
        >>> model = LinearDiscriminantAnalysis().fit(X, ["low", "low", "low", "high", "high", "high"])
        >>> model.predict([[2, 2], [6, 5]]).tolist()
        ['low', 'high']
        >>> model.transform([[4, 3.5]]).shape
        (1, 1)
        """,
    "QuadraticDiscriminantAnalysis": """
        >>> from craton import QuadraticDiscriminantAnalysis
        >>> X = [[1, 2], [2, 1], [3, 3], [2, 2], [9, 9], [-5, 8], [4, -7], [-6, -5]]
        >>> y = ["near", "near", "near", "near", "far", "far", "far", "far"]
        >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
        >>> model.predict([[2, 2.5], [-8, 0]]).tolist()
        ['near', 'far']
        """,
    "GaussianNB": """
        >>> from craton import GaussianNB
        >>> heights = [[178.0], [183.0], [175.0], [165.0], [160.0], [168.0]]
        >>> model = GaussianNB().fit(heights, ["m", "m", "m", "f", "f", "f"])
        >>> model.predict([[180.0], [162.0]]).tolist()
        ['m', 'f']
        """,
    "ComplementNB": """
        >>> from craton import ComplementNB
        >>> counts = [[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 2]]
        >>> model = ComplementNB().fit(counts, ["cats", "cats", "dogs", "dogs"])
        >>> model.predict([[1, 0, 0], [0, 1, 0]]).tolist()
        ['cats', 'dogs']
        """,
    "NaiveBayes": """
        >>> from craton import NaiveBayes
        >>> X = [["red", 1.0, 3], ["red", 1.2, 2], ["green", 3.1, 9], ["green", 2.8, None]]
        >>> model = NaiveBayes(family={1: "gaussian", 2: "poisson"})
        >>> model.fit(X, ["cherry", "cherry", "plum", "plum"]).families_
        ['categorical', 'gaussian', 'poisson']
        >>> model.predict([["green", None, 8]]).tolist()
        ['plum']
        """,
    "PositionalNB": """
        >>> from craton import PositionalNB
        >>> X = [["dear", "sir"], ["dear", "madam"], ["hello", "you"], ["hello", None]]
        >>> model = PositionalNB().fit(X, ["letter", "letter", "chat", "chat"])
        >>> model.predict([["dear", "you"], ["hello", None]]).tolist()
        ['letter', 'chat']
        """,
    "CategoricalNB": """
        >>> from craton import CategoricalNB
        >>> X = [["red", "small"], ["red", "small"], ["green", "large"], ["blue", "large"]]
        >>> model = CategoricalNB().fit(X, ["cherry", "cherry", "plum", "plum"])
        >>> model.predict([["blue", "small"], ["white", "large"]]).tolist()
        ['cherry', 'plum']
        """,
}

HEADER = '''"""The estimators. Generated by tools/generate_python.py from the registry: do not edit."""

from . import _abilities, _attributes, _compatibility
from ._base import Estimator

__all__ = {names}
'''


def load_core():
    """The extension module alone: the package may not import before this file has run."""
    if importlib.util.find_spec("craton") is None:
        sys.exit("generate_python: give PYTHONPATH=build/release/python")
    folder = Path(importlib.util.find_spec("craton").origin).parent
    package = types.ModuleType("craton")
    package.__path__ = [str(folder)]
    sys.modules["craton"] = package
    from craton import _attributes, _compatibility, _craton

    return _craton, _attributes, _compatibility


def iterates(model):
    return any(option["name"] == "max_iter" for option in model["options"])


def bases(model, derived):
    able = model["abilities"]
    density = able["score_samples"] and not able["labels"]
    mixins = {
        "SomeLabels": able["some_labels"],
        "Iterates": iterates(model),
        "Transforms": able["transform"],
        "TakesSparse": able["sparse"],
        "TakesCategories": able["categories"],
        "TakesMissing": able["missing"],
        "Classifies": able["labels"],
        "Explains": able["contributions"],
        "Linear": able["linear_form"],
        "Bounds": able["boundaries"],
        "LearnsLabels": able["labels"] and able["unlearn"],
        "Clusters": able["predict"] and not density and not able["labels"],
        "Predicts": able["predict"] and density,
        "Probabilities": able["predict_log_proba"],
        "InformationCriteria": density and able["free_parameters"] and not able["labels"],
        "CompletedLikelihood": density and able["free_parameters"] and able["predict_log_proba"]
        and not able["labels"],
        "Density": density,
        "RowDensity": able["score_samples"] and able["labels"],
        "Scores": able["score"] and not density and not able["labels"],
        "Samples": able["sample"],
        "WarmStarts": able["fit_from"],
        "Learns": able["partial_fit"] and not able["labels"],
        "Merges": able["merge"],
    }
    names = [f"_attributes.{derived.__name__}"] if derived else []
    return names + [f"_abilities.{name}" for name, on in mixins.items() if on] + ["Estimator"]


def sentence(text):
    return text[0].upper() + text[1:] + "."


def number(value):
    return repr(int(value)) if value == int(value) else repr(value)


def bounds(option):
    if math.isinf(option["low"]):
        return ""
    if math.isinf(option["high"]) or option["high"] >= 2**63 - 1:
        return f"At least {number(option['low'])}."
    return f"From {number(option['low'])} to {number(option['high'])}."


def parameter_doc(option):
    if option["name"] == "n_init":
        option = {**option, "type": "starts"}
    choices = "{" + ", ".join(repr(choice) for choice in option["choices"]) + "}"
    kind, rule = {
        "flag": ("bool", ""),
        "integer": ("int", bounds(option)),
        "starts": ("int or 'auto'", bounds(option) + " 'auto': the default."),
        "number": ("float", bounds(option)),
        "choice": (choices, ""),
        "array": ("array", ""),
        "choice or array": (f"{choices} or array", ""),
        "choice or number": (f"{choices} or float", bounds(option)),
        "text": ("str or dict", ""),
        "integer or array": ("int or array", bounds(option)),
    }[option["type"]]
    text = f"{sentence(option['help'])} {rule}".strip()
    return entry(f"{option['name']} : {kind}, default={option['default']!r}", text)


def entry(head, text):
    return [head, *textwrap.wrap(text, WIDTH - 8, initial_indent="    ", subsequent_indent="    ")]


RANDOM_STATE = entry(
    "random_state : int, RandomState, Generator or None, default=None",
    "Seed of the starts and of samples. None is 0: fits repeat. A seed is drawn from a RandomState"
    " or Generator at every use.",
)
WARM_START = entry(
    "warm_start : bool, default=False",
    "Whether fit starts from the model fitted before, when there is one.",
)
N_JOBS = entry("n_jobs : int, default=None", "Number of threads; it changes no result. None: all.")


def attribute_docs(model, derived, learned):
    """(name, help) of everything that ends in an underscore, learned parameters first."""
    docs = [(f"{n}_", text) for n, text in learned.items() if not hasattr(derived, f"{n}_")]
    able = model["abilities"]
    if able["labels"]:
        docs.append(("classes_", "the labels, ascending"))
    elif able["some_labels"]:
        docs.append(("classes_", "the labels, ascending, or the numbers of the components"))
    elif able["predict"] and not able["score_samples"]:
        docs.append(("labels_", "the label of each row given to fit"))
    if able["linear_form"] and not hasattr(derived, "coef_"):
        docs.append(("coef_", "weights of the linear form of the labels, n_classes x n_features"))
        docs.append(("intercept_", "what is added to it for each label"))
    for name, member in inspect.getmembers(derived) if derived else ():
        if isinstance(member, property) and not name.startswith("_"):
            docs.append((name, member.__doc__.rstrip(".")))
    if iterates(model):
        docs.append(("n_iter_", "updates of the model: report_.iterations, but at least 1"))
    return docs + [
        ("report_", "how the fit went: iterations, converged, objective, trace, notes"),
        ("digest_", "32 hexadecimal digits over what was learned"),
        ("n_features_in_", "number of columns in fit"),
        ("feature_names_in_", "names of the columns in fit, when they had names"),
    ]


def class_text(model, derived, learned, keywords):
    name = model["python_name"]
    options = [option for option in model["options"] if option["name"] != "random_state"]
    positional = POSITIONAL.get(name, 0)

    doc = [sentence(model["help"]), "", "Parameters", "----------"]
    for option in options:
        doc += parameter_doc(option)
    for keyword, meant in keywords.items():
        head = f"{keyword} : {meant.kind}, default={meant.default!r}"
        doc += entry(head, sentence(meant.help))
    warm = ["warm_start"] if model["abilities"]["fit_from"] else []
    doc += WARM_START if warm else []
    doc += [*RANDOM_STATE, *N_JOBS, "", "Attributes", "----------"]
    for attribute, text in attribute_docs(model, derived, learned):
        doc += entry(attribute, sentence(text))
    doc += ["", "Examples", "--------", *textwrap.dedent(EXAMPLES[name]).strip().splitlines()]

    signature = ["self"]
    for position, option in enumerate(options):
        signature += ["*"] if position == positional else []
        signature.append(f"{option['name']}={option['default']!r}")
    signature += [f"{keyword}={meant.default!r}" for keyword, meant in keywords.items()]
    signature += [f"{name}=False" for name in warm] + ["random_state=None", "n_jobs=None"]
    names = [option["name"] for option in options] + [*keywords, *warm, "random_state", "n_jobs"]

    lines = [f"class {name}("]
    lines += [f"    {base}," for base in bases(model, derived)]
    lines += ["):", f'    """{doc[0]}']
    lines += [f"    {line}".rstrip() for line in doc[1:]]
    lines += ['    """', "", f"    _model_name = {quoted(model['name'])}", "    _options = ("]
    lines += [f"        {quoted(option['name'])}," for option in model["options"]]
    lines += ["    )"]
    classifies = model["abilities"]["labels"]
    lines += [f"    _keywords = _compatibility.keywords_of({quoted(name)}, {classifies})"]
    lines += [f"    _words = _compatibility.words_of({quoted(name)})"]
    lines += ["", "    def __init__("]
    lines += [f"        {part},".replace("'", '"') for part in signature]
    lines += ["    ):"] + [f"        self.{part} = {part}" for part in names]
    for parameter, text in learned.items():
        if hasattr(derived, f"{parameter}_"):
            continue
        lines += ["", "    @property", f"    def {parameter}_(self):", f'        """{sentence(text)}"""']
        lines += [f"        return self._parameter({quoted(parameter)})"]
    return "\n".join(lines) + "\n"


def quoted(text):
    return f'"{text}"'


def generate():
    core, attributes, compatibility = load_core()
    rows = np.array([[0.0, 10.0], [10.0, 5.0], [20.0, 30.0], [50.0, 15.0]] * 4)
    rows += np.arange(len(rows))[:, None]
    texts = []
    for model in core.models():
        derived = getattr(attributes, model["python_name"] + "Attributes", None)
        # What is learned, and what it is called, a fitted model knows.
        sizes = {o["name"]: 2 for o in model["options"] if o["name"].startswith("n_c")}
        labels = (None, None)
        if model["abilities"]["labels"]:
            sizes = {}
            labels = (np.arange(len(rows), dtype=np.int32) // 2 % 2, ("target", False, ["a", "b"]))
        fitted = core.fit(model["name"], rows, sizes, None, None, 1, None, None, *labels)
        keywords = compatibility.keywords_of(model["python_name"], model["abilities"]["labels"])
        texts.append(class_text(model, derived, fitted.parameter_help(), keywords))
    names = [model["python_name"] for model in core.models()]
    header = HEADER.format(names=str(sorted(names)).replace("'", '"'))
    return header + "".join(f"\n\n{text}" for text in texts)


if __name__ == "__main__":
    text = generate()
    if "--check" in sys.argv:
        if TARGET.read_text() != text:
            sys.exit("generate_python: _models.py is not what the registry gives; run this again")
    else:
        TARGET.write_text(text)
