"""Processes that are forked while this one works."""

import os
import signal
import sys
import threading

import numpy as np
import pytest

import craton

X = np.random.default_rng(0).normal(size=(20_000, 4))


def fit(n_jobs):
    return craton.KMeans(5, n_init=1, max_iter=3, tol=0, n_jobs=n_jobs).fit(X).digest_


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="no fork here")
@pytest.mark.filterwarnings("ignore")
def test_a_child_that_is_forked_during_a_fit_can_fit():
    done = threading.Event()

    def work():
        while not done.is_set():
            fit(4)

    expected = fit(1)
    worker = threading.Thread(target=work)
    worker.start()
    try:
        for _ in range(40):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # hangs end in a signal
                os._exit(0 if fit(4) == expected else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        worker.join()
