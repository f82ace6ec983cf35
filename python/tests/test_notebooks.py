"""What a notebook shows: HTML by itself, in which nothing of the user's is obeyed."""

import html.parser
import subprocess
import sys

import craton
import numpy as np
import pandas as pd
import pytest

X = np.random.default_rng(0).gamma(2, size=(60, 2))
HOSTILE = "</td><script>alert(1)</script>&\x1b[31m\"'"


class Balanced(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        assert not {name for name, _ in attributes} & {"src", "href", "onload", "onclick"}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", craton._models.__all__)
def test_every_class_shows_itself(name):
    model = getattr(craton, name)()
    before = model._repr_html_()
    assert "not fitted" in before and name in before
    labels = {"classifier": ["a", "b"] * 30, "regressor": [1.5, 2] * 30}.get(model._estimator_type)
    rows = np.round(X) if name in ("CategoricalNB", "PositionalNB") else X
    after = model.fit(rows, labels)._repr_html_()
    assert model.digest_ in after and "not fitted" not in after
    for text in (before, after):
        assert Balanced(text).seen <= {
            "b", "caption", "details", "div", "p", "style", "summary", "table", "td", "th", "tr"
        }
        for parameter in model.get_params():
            assert f"<td>{parameter}</td>" in text


def test_parameters_that_were_set_stand_out():
    text = craton.KMeans(n_clusters=3, init=X[:3])._repr_html_()
    assert text.count('class="set"') == 2 and "array(3, 2)" in text


def test_names_and_labels_are_text():
    frame = pd.DataFrame(X, columns=[HOSTILE, "b"])
    model = craton.GaussianNB().fit(frame, [HOSTILE, "b"] * 30)
    text = model._repr_html_()
    Balanced(text)
    assert "<script" not in text and "\x1b" not in text and "&lt;script&gt;" in text
    text = craton.NaiveBayes(family=HOSTILE)._repr_html_()
    assert "<script" not in text


def test_long_tables_are_cut():
    rows = np.random.default_rng(1).normal(size=(400, 2))
    text = craton.KMeans(300).fit(rows)._repr_html_()
    assert "more" in text and len(text) < 20_000


def test_it_needs_numpy_only():
    code = """
import sys, craton
craton.KMeans(2).fit([[1, 2], [3, 5], [4, 4]])._repr_html_()
print(*sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"sklearn", "scipy", "pandas", "IPython", "jinja2"}
