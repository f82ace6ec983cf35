"""A fit that is stopped, and what runs beside it."""

import craton
import pytest
from new_python import python
from sklearn.datasets import load_iris

X = load_iris().data


LONG_FIT = """
import os, signal, threading, numpy, craton
table = numpy.random.default_rng(0).normal(size=(200_000, 16))
model = craton.KMeans(200, tol=0, max_iter=1_000_000, n_jobs=2)
"""


def test_control_c_stops_a_fit():
    code = LONG_FIT + """
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    model.fit(table)
except KeyboardInterrupt:
    print("stopped", hasattr(model, "n_iter_"))"""
    assert python(code) == "stopped False"


def test_what_a_signal_handler_raises_leaves_the_fit():
    code = LONG_FIT + """
def ring(*_):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    model.fit(table)
except TimeoutError as error:
    print(error)"""
    assert python(code) == "enough"


def test_the_interpreter_runs_while_a_fit_does():
    code = LONG_FIT + """
beats = []
def beat():
    beats.append(1)
    threading.Timer(0.05, beat).start() if len(beats) < 10 else os.kill(os.getpid(), signal.SIGINT)
beat()
try:
    model.fit(table)
except KeyboardInterrupt:
    print(len(beats))"""
    assert python(code) == "10"


def test_a_callback_sees_every_pass_and_may_stop_the_fit():
    seen = []
    model = craton.KMeans(3).fit(X, callback=lambda *pair: seen.append(pair))
    passes = model.report_.trace[::2]  # the others are those of updates
    assert [objective for _, objective in seen] == passes.tolist()
    assert [iteration for iteration, _ in seen] == list(range(len(seen)))

    def stop(iteration, objective):
        if iteration == 1:
            raise LookupError("seen enough")

    digest = model.digest_
    with pytest.raises(LookupError, match="seen enough"):
        model.set_params(n_clusters=5).fit(X, callback=stop)
    assert model.digest_ == digest  # the earlier fit
