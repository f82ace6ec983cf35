"""tools/run_sklearn_tests: no failure of scikit-learn's tests is left without a reason."""

import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def tool(tmp_path):
    loader = importlib.machinery.SourceFileLoader("run_sklearn_tests", str(TOOLS / "run_sklearn_tests"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    module.HERE = tmp_path
    text = "# a note\n\nprivate parts\n  a.test_x::test_one[*]\n\nother words\n  a.test_x::test_two\n"
    (tmp_path / "reasons.txt").write_text(text)
    return module


def test_failures_have_their_reasons(tool):
    of, wrong = tool.explain({"a.test_x::test_one[3-b]": {}, "a.test_x::test_two": {}}, whole=True)
    assert of == {"private parts": ["a.test_x::test_one[3-b]"], "other words": ["a.test_x::test_two"]}
    assert wrong == []


@pytest.mark.parametrize(
    "failed, said",
    [
        (["a.test_x::test_one[3]", "a.test_x::test_two", "b::new"], "b::new fails and has 0 reasons"),
        (["a.test_x::test_one[3]"], "no test fails for 'a.test_x::test_two' any more"),
    ],
)
def test_what_does_not_fit_is_said(tool, failed, said):
    _, wrong = tool.explain(dict.fromkeys(failed, {}), whole=True)
    assert len(wrong) == 1 and said in wrong[0]


def test_two_reasons_are_one_too_many(tool):
    reasons = tool.HERE / "reasons.txt"
    reasons.write_text(reasons.read_text() + "\nboth\n  a.test_x::test_two\n")
    _, wrong = tool.explain({"a.test_x::test_two": {}}, whole=False)
    assert wrong == ["a.test_x::test_two fails and has 2 reasons in reasons.txt"]


def test_every_rename_is_of_a_class_that_there_is(monkeypatch):
    import craton

    monkeypatch.syspath_prepend(str(TOOLS / "sklearn_tests"))
    import renames

    for name in renames.RENAMES:
        made = renames.renamed(getattr(craton, name, None) or getattr(craton.select, name))
        assert made.__name__ == name
    assert "shuffle=False" in repr(renames.renamed(craton.select.KFold)(3))
