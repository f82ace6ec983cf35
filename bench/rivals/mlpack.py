"""mlpack: its naive k-means (OpenMP), and gmm_train, which takes no start from Python."""
import mlpack
import numpy as np

from . import Unsupported


def version(threads):
    return f"mlpack {mlpack.__version__}"


def threads():
    return None  # threadpoolctl sees its OpenMP


def kmeans(x, k, init, max_iter, tol, seed=0):
    if not isinstance(x, np.ndarray) or x.dtype != np.float64:
        raise Unsupported("mlpack clusters dense float64 rows only")
    if tol > 0:
        raise Unsupported("mlpack's rule to stop is its own: centres shift by less than 1e-5")
    given = dict(kmeans_plus_plus=True) if isinstance(init, str) else dict(initial_centroids=init)
    out = mlpack.kmeans(clusters=k, input_=x, max_iterations=max_iter, labels_only=True,
                        seed=seed + 1, **given)  # 0 is the time
    return dict(centers=out["centroid"], labels=out["output"].ravel().astype(np.int64),
                iterations=max_iter)


def gmm(x, k, covariance_type, max_iter, tol, reg_covar, seed=0, **starts):
    if starts:
        raise Unsupported("mlpack's gmm_train takes no given start from Python")
    if covariance_type not in ("full", "diag"):
        raise Unsupported(f"mlpack has no {covariance_type} covariances")
    # Its tolerance is of the summed log-likelihood.
    out = mlpack.gmm_train(gaussians=k, input_=x, max_iterations=max_iter, seed=seed + 1,
                           tolerance=tol * len(x), diagonal_covariance=covariance_type == "diag")
    return _parameters(out["output_model"])


def _parameters(model):
    fields = model.get_cpp_params()["GMM"]
    return dict(weights=np.ravel(fields["weights"]),
                means=np.array([np.ravel(member["mean"]) for member in fields["dists"]]),
                covariances=np.array([member["covariance"] for member in fields["dists"]]),
                iterations=-1)  # it does not say
