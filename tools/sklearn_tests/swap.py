"""A pytest plugin that puts craton's classes and functions in the place of scikit-learn's.

A test module takes its names from scikit-learn's public packages when it is imported. While that
happens, and only then, those packages hold craton's objects of the same names: the module's tests
run against craton, and scikit-learn itself stays as it is. CRATON_SWAP says how: "none", "plain"
("as it is") or "renamed" (through renames.py).

What became of each test is written to CRATON_SWAP_OUTPUT, a JSON list. "uses" says whether a
function of craton ran in a test; a call that Python itself refuses, as with an unknown keyword,
runs none, but then the test fails.
"""

import contextlib
import importlib
import json
import os
import sys
from pathlib import Path

PACKAGES = (
    "sklearn.cluster",
    "sklearn.mixture",
    "sklearn.naive_bayes",
    "sklearn.discriminant_analysis",
    "sklearn.model_selection",
    "sklearn.metrics",
    "sklearn.metrics.cluster",
    "sklearn.calibration",
    "sklearn.feature_extraction.text",
)
# Of the same name, but not for scikit-learn's estimators: it measures craton's, in C++.
NOT_THE_SAME = {"cross_validate"}

_how = os.environ.get("CRATON_SWAP", "none")
_results = []
_used = set()


def stand_ins():
    """craton's public objects by name."""
    import craton

    found = {}
    for part in (craton, craton.metrics, craton.select):
        found.update({name: getattr(part, name) for name in part.__all__})
    found = {name: thing for name, thing in found.items() if name not in NOT_THE_SAME}
    if _how == "renamed":
        import renames

        found = {name: renames.renamed(thing) for name, thing in found.items()}
    return found


@contextlib.contextmanager
def swapped(things):
    """The packages with these things under the names that they have already."""
    before = []
    try:
        for package in map(importlib.import_module, PACKAGES):
            for name, thing in things.items():
                if callable(getattr(package, name, None)):
                    before.append((package, name, getattr(package, name)))
                    setattr(package, name, thing)
        yield
    finally:
        for package, name, thing in reversed(before):
            setattr(package, name, thing)


def pytest_configure(config):
    if _how == "none":
        return
    if _how == "renamed":
        import renames

        renames.compare_errors_by_type()
    for name in config.args:
        importlib.import_module(name)  # so that all it needs is loaded, with scikit-learn's own
        del sys.modules[name]
        with swapped(stand_ins()):
            importlib.import_module(name)  # pytest finds this one


def pytest_runtest_call(item):
    craton = sys.modules.get("craton")
    if craton is None:
        return
    folder = str(Path(craton.__file__).parent)

    def called(frame, event, argument):
        if frame.f_code.co_filename.startswith(folder):
            _used.add(item.nodeid)
            sys.settrace(None)

    sys.settrace(called)


def pytest_runtest_logreport(report):
    if report.when == "call":
        sys.settrace(None)
    if report.when != "call" and report.outcome == "passed":
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    _results.append(
        {
            "test": report.nodeid.split("::", 1)[1],
            "outcome": report.outcome,
            "uses": report.nodeid in _used,
            "why": crash.message if crash else str(report.longrepr or "")[-300:],
            "where": f"{crash.path}:{crash.lineno}" if crash else "",
            "trace": str(report.longrepr or "") if report.outcome == "failed" else "",
        }
    )


def pytest_sessionfinish(session):
    Path(os.environ["CRATON_SWAP_OUTPUT"]).write_text(json.dumps(_results))
