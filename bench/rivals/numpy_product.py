"""No rival: how fast the machine multiplies floats, by NumPy's product of two matrices."""
import time

import numpy as np

SIDE = 2048


def version(threads):
    return f"NumPy {np.__version__}"


def threads():
    return None  # threadpoolctl sees its pool


def product(tries=3):
    """The work of a product and the times of the quickest of some, when the threads are awake."""
    a, b = np.random.default_rng(0).random((2, SIDE, SIDE), np.float32)
    a @ b
    spent = []
    for _ in range(tries):
        cpu, start = time.process_time(), time.perf_counter()
        a @ b
        spent.append((time.perf_counter() - start, time.process_time() - cpu))
    return dict(work=2 * SIDE**3, wall=min(wall for wall, _ in spent),
                cpu=min(cpu for _, cpu in spent))
