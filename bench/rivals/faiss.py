"""faiss: float32 k-means, a given number of iterations."""
import faiss
import numpy as np

from . import Unsupported


def version(threads):
    faiss.omp_set_num_threads(threads)
    return f"faiss {faiss.__version__}"


def threads():
    return faiss.omp_get_max_threads()


def kmeans(x, k, init, max_iter, tol, seed=0):
    if not isinstance(x, np.ndarray) or x.dtype != np.float32:
        raise Unsupported("faiss clusters dense float32 rows only")
    if tol > 0:
        raise Unsupported("faiss has no rule to stop by")
    given = None if isinstance(init, str) else np.ascontiguousarray(init, np.float32)
    model = faiss.Kmeans(x.shape[1], k, niter=max_iter, seed=seed, min_points_per_centroid=1,
                         max_points_per_centroid=len(x))  # all rows: by default it takes a sample
    model.train(x, init_centroids=given)
    _, labels = model.assign(x)
    return dict(centers=model.centroids, labels=labels, iterations=max_iter)
