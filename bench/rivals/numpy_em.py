"""EM for a mixture of counts, or of yes and no, as one writes it in NumPy: matrix products over all rows."""
import numpy as np


def version(threads):
    return f"NumPy {np.__version__}, EM by hand"


def threads():
    return None


def mixture(x, k, family, max_iter, groups):
    weights = np.bincount(groups, minlength=k) / len(x)
    theta = np.stack([x[groups == c].mean(0) for c in range(k)])
    for _ in range(max_iter):
        if family == "poisson":
            joint = x @ np.log(theta).T - theta.sum(1)
        else:
            joint = x @ np.log(theta / (1 - theta)).T + np.log1p(-theta).sum(1)
        joint += np.log(weights)
        joint -= joint.max(1, keepdims=True)
        r = np.exp(joint)
        r /= r.sum(1, keepdims=True)
        total = r.sum(0)
        weights, theta = total / len(x), (r.T @ x) / total[:, None]
    return dict(weights=weights, theta=theta, iterations=max_iter)
