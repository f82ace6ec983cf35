"""Naive Bayes: fits and predictions of counts the size of 20 newsgroups, and of a million rows."""
import functools
import tarfile

import numpy as np
import scipy.sparse

import quality
import tables
from harness import Case

SAME = 1e-9  # of what is learned, and of log-probabilities beside the joint ones
DOCUMENTS, LATER, WORDS, CLASSES = 11_314, 7_532, 130_107, 20  # 20 newsgroups, by date


@functools.lru_cache(1)
def zipf(documents, words, classes):
    """Documents of about 240 words, half of them of the class's own part of the vocabulary."""
    r = np.random.default_rng(0)
    labels = r.integers(classes, size=documents).astype(np.int32)
    length = np.minimum(r.lognormal(5, 0.9, size=documents), 8000).astype(int) + 5
    document = np.repeat(np.arange(documents), length)
    total = np.cumsum(1 / (np.arange(words) + 2.7))
    word = np.searchsorted(total, r.random(len(document)) * total[-1])
    own = r.random(len(document)) < 0.5
    word[own] -= (word[own] - labels[document[own]]) % classes
    x = scipy.sparse.coo_matrix(
        (np.ones(len(word)), (document, np.clip(word, 0, None))), shape=(documents, words))
    return x.tocsr(), labels


@functools.lru_cache(1)
def messages(folder):
    """20 newsgroups as their authors sent them, the earlier part first, and the number of the group."""
    parts = {"train": ([], []), "test": ([], [])}
    with tarfile.open(tables._file(folder, "text/20news-bydate.tar.xz")) as archive:
        for member in archive:
            if member.isfile():
                part, group, _ = member.name.split("/")[-3:]
                texts, groups = parts[part.split("-")[-1]]
                texts.append(archive.extractfile(member).read().decode("latin-1"))
                groups.append(group)
    (texts, groups), (later, their_groups) = parts["train"], parts["test"]
    return texts + later, np.unique(groups + their_groups, return_inverse=True)[1].astype("i")


@functools.lru_cache(1)
def newsgroups(folder):
    """Words are those of the earlier part."""
    from sklearn.feature_extraction.text import CountVectorizer
    texts, groups = messages(folder)
    counter = CountVectorizer(dtype=np.float64)
    rows = [counter.fit_transform(texts[:DOCUMENTS]), counter.transform(texts[DOCUMENTS:])]
    x = scipy.sparse.vstack(rows, "csr")
    x.sort_indices()  # craton would sort a copy of its own, every time
    return x, groups


@functools.lru_cache(1)
def gaussians(n, d, classes):
    r = np.random.default_rng(0)
    labels = r.integers(classes, size=n).astype(np.int32)
    centres, scales = r.normal(size=(classes, d)), r.uniform(0.5, 2, size=(classes, d))
    x = r.normal(size=(n, d))
    for first in range(0, n, 1 << 14):
        z = labels[first : first + (1 << 14)]
        x[first : first + (1 << 14)] = x[first : first + (1 << 14)] * scales[z] + centres[z]
    return x, labels


def cases_of(name, make, learned, models):
    """The first `learned` rows are learned from, the others predicted; all of them, if none are."""
    table = tables.Table(name, lambda: make()[0])

    def case(model, what):
        return Case(
            f"{model}, {name}", {"fit_predict": "fit, then predict", "log_proba":
                                 "predict_log_proba"}.get(what, what), table, f"nb_{what}",
            dict(model=model, learned=learned, max_iter=1),
            functools.partial(quality.judge_nb, labels=lambda: make()[1], model=model,
                              learned=learned), 1, SAME,
            arrays=lambda x: dict(labels=make()[1]), rivals=("sklearn",))

    return [case(model, what) for model in models for what in ("fit", "fit_predict", "predict", "log_proba")]


def cases(data, quick):
    counts = ("MultinomialNB", "BernoulliNB", "ComplementNB")
    if quick:
        return [*cases_of("300x500 CSR", lambda: zipf(300, 500, 4), 200, counts),
                *cases_of("900x7 float64", lambda: gaussians(900, 7, 3), 900, ("GaussianNB",))]
    text = f"{DOCUMENTS}+{LATER}x{WORDS} CSR"
    return [
        *cases_of(f"Zipf {text}", lambda: zipf(DOCUMENTS + LATER, WORDS, CLASSES), DOCUMENTS,
                  counts),
        *cases_of(f"20 newsgroups {text}", lambda: newsgroups(data), DOCUMENTS, counts),
        *cases_of("1000000x50 float64, 10 classes", lambda: gaussians(1_000_000, 50, 10),
                  1_000_000, ("GaussianNB",)),
    ]
