"""KDEpy: sums over the points of a tree that are near, and over a grid by FFT. One thread."""
import numpy as np

from . import scaled


def version(threads):
    import KDEpy
    return f"KDEpy {KDEpy.__version__}"


def threads():
    return None  # those of NumPy's BLAS


def kde(x, queries, bandwidth, rtol, max_iter):
    from KDEpy import TreeKDE
    model = TreeKDE(bw=bandwidth).fit(x)
    found, more = scaled(len(queries) / max_iter, lambda: model.evaluate(queries[:max_iter]))
    return dict(log_density=np.log(found), bound=np.inf, more=more, iterations=max_iter)


def kde_grid(x, queries, bandwidth, rtol, max_iter):
    from KDEpy import FFTKDE
    found = FFTKDE(bw=bandwidth).fit(x).evaluate(queries)
    with np.errstate(all="ignore"):  # it is 0, or less, in the tails
        return dict(log_density=np.log(found), bound=np.inf, iterations=1)


kde_ready = kde_grid  # its fit does nothing
