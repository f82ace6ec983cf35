"""What a result is worth, from the data and the parameters alone, in NumPy and double.

    k-means    J = sum_i |x_i - c_label(i)|^2, by differences
    mixtures   L = mean_i log sum_k w_k N(x_i | mu_k, S_k)
    naive Bayes  the parameters, labels and log-probabilities of the formulas themselves

and the same algorithms from the same start in a few lines, for results that must be equal. No
number that a contestant says about itself is used.
"""
import numpy as np
import scipy.special
import scipy.sparse

BLOCK = 1 << 14  # rows at a time


def blocks(x):
    """Rows as dense doubles, with where they begin."""
    for first in range(0, x.shape[0], BLOCK):
        rows = x[first : first + BLOCK]
        yield first, (rows.toarray() if scipy.sparse.issparse(rows) else rows).astype(np.float64)


# ---- k-means


def nearest(rows, centers):
    """|x|^2 is the same for all centres; about their mean, so that little cancels."""
    shift = centers.mean(0)
    c = centers - shift
    return np.argmin((c * c).sum(1) - 2 * ((rows - shift) @ c.T), axis=1)


def inertia(x, centers, labels):
    """J, and what the nearest centres would give."""
    centers, labels = np.asarray(centers, np.float64), np.asarray(labels)
    if labels.shape != (x.shape[0],) or labels.min() < 0 or labels.max() >= len(centers):
        return np.inf, 0.0
    given = best = 0.0
    for first, rows in blocks(x):
        mine, true = labels[first : first + len(rows)], nearest(rows, centers)
        theirs = ((rows - centers[mine]) ** 2).sum(1)
        given += theirs.sum()
        moved = mine != true
        best += theirs[~moved].sum() + ((rows[moved] - centers[true[moved]]) ** 2).sum()
    return given, best


def judge_kmeans(x, result, tolerance):
    """(quality, complaint); labels must be those of the nearest centres."""
    given, best = inertia(x, result["centers"], result["labels"])
    if not np.isfinite(given) or given > best * (1 + tolerance) + 1e-12:
        return given, f"labels are not the nearest centres': {given:.9g}, nearest {best:.9g}"
    return given, None


def lloyd(x, init, updates):
    """J after that many updates; an empty cluster would be a case badly chosen."""
    centers = np.array(init, np.float64)
    k = len(centers)
    for last in (False,) * updates + (True,):
        total, count, j = np.zeros_like(centers), np.zeros(k), 0.0
        for _, rows in blocks(x):
            labels = nearest(rows, centers)
            j += ((rows - centers[labels]) ** 2).sum() if last else 0.0
            member = scipy.sparse.csr_array(
                (np.ones(len(rows)), labels, np.arange(len(rows) + 1)), shape=(len(rows), k))
            total += member.T @ rows
            count += np.bincount(labels, minlength=k)
        if last:
            return j
        assert count.all(), "an empty cluster: the case asks for nothing well defined"
        centers = total / count[:, None]


# ---- Gaussian mixtures


def factors(covariance_type, covariances, k, d):
    """U_k with precision U U'. The type is told: of k = d, tied and diagonal ones look the same."""
    if covariances.ndim < 3 and covariance_type == "diag":  # mlpack gives the whole matrix
        covariances = covariances[:, :, None] * np.eye(d)
    elif covariance_type == "spherical":
        covariances = covariances[:, None, None] * np.eye(d)
    full = np.broadcast_to(covariances, (k, d, d))
    return np.linalg.inv(np.linalg.cholesky(full)).transpose(0, 2, 1)


def log_joint(rows, weights, means, u):
    """log w_k N(x_i | mu_k, S_k), one column a component."""
    d = rows.shape[1]
    out = np.empty((len(rows), len(weights)))
    for j, (mean, factor) in enumerate(zip(means, u)):
        out[:, j] = -0.5 * (((rows - mean) @ factor) ** 2).sum(1) + np.log(np.diag(factor)).sum()
    return out + np.log(weights) - 0.5 * d * np.log(2 * np.pi)


def log_sum(joint):
    top = joint.max(1)
    return top + np.log(np.exp(joint - top[:, None]).sum(1))


def log_likelihood(covariance_type, x, weights, means, covariances):
    u = factors(covariance_type, covariances, *means.shape)
    return sum(log_sum(log_joint(rows, weights, means, u)).sum() for _, rows in blocks(x)) / len(x)


def judge_gmm(covariance_type, x, result, tolerance):
    weights, means, covariances = (
        np.asarray(result[name], np.float64) for name in ("weights", "means", "covariances"))
    if abs(weights.sum() - 1) > 1e-6:
        return -np.inf, f"the weights sum to {weights.sum():.9g}"
    try:
        return log_likelihood(covariance_type, x, weights, means, covariances), None
    except np.linalg.LinAlgError:
        return -np.inf, "a covariance is not positive definite"


def em(x, covariance_type, weights, means, precisions, reg_covar, updates):
    """L after that many updates; the scatter is about the old means, so that little cancels."""
    (n, d), k = x.shape, len(means)
    covariances = 1 / precisions if covariance_type in ("diag", "spherical") \
        else np.linalg.inv(precisions)
    for _ in range(updates):
        u = factors(covariance_type, covariances, k, d)
        total, sums, scatter = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
        for _, rows in blocks(x):
            joint = log_joint(rows, weights, means, u)
            r = np.exp(joint - log_sum(joint)[:, None])
            total += r.sum(0)
            for j in range(k):
                apart = rows - means[j]
                weighed = apart * r[:, j : j + 1]
                sums[j] += weighed.sum(0)
                scatter[j] += weighed.T @ apart
        shift = sums / total[:, None]
        means, weights = means + shift, total / n
        full = scatter / total[:, None, None] - shift[:, :, None] * shift[:, None, :]
        variances = np.einsum("kii->ki", full) + reg_covar
        covariances = {
            "full": full + reg_covar * np.eye(d),
            "tied": np.einsum("k,kij->ij", weights, full) + reg_covar * np.eye(d),
            "diag": variances,
            "spherical": variances.mean(1),
        }[covariance_type]
    return log_likelihood(covariance_type, x, weights, means, covariances)


# ---- mixtures of other families


def mixture_joint(family, rows, weights, theta):
    if family == "poisson":
        own = rows @ np.log(theta).T - theta.sum(1) - scipy.special.gammaln(rows + 1).sum(1)[:, None]
    else:
        own = rows @ np.log(theta).T + (1 - rows) @ np.log1p(-theta).T
    return own + np.log(weights)


def judge_mixture(family, x, result, tolerance):
    weights, theta = (np.asarray(result[name], np.float64) for name in ("weights", "theta"))
    if abs(weights.sum() - 1) > 1e-6:
        return -np.inf, f"the weights sum to {weights.sum():.9g}"
    joints = (mixture_joint(family, rows, weights, theta) for _, rows in blocks(x))
    return sum(log_sum(joint).sum() for joint in joints) / len(x), None


def mixture_em(x, family, groups, updates):
    """L after that many updates from the means of the groups."""
    k = groups.max() + 1
    weights = np.bincount(groups, minlength=k) / len(x)
    theta = np.stack([x[groups == c].mean(0) for c in range(k)])
    for _ in range(updates):
        total, sums = np.zeros(k), np.zeros_like(theta)
        for _, rows in blocks(x):
            joint = mixture_joint(family, rows, weights, theta)
            r = np.exp(joint - log_sum(joint)[:, None])
            total += r.sum(0)
            sums += r.T @ rows
        weights, theta = total / len(x), sums / total[:, None]
    return judge_mixture(family, x, dict(weights=weights, theta=theta), 0)[0]


# ---- naive Bayes


def bayes_parameters(x, labels, model):
    """What is learned, by name, with scikit-learn's defaults (alpha 1, var_smoothing 1e-9)."""
    k = labels.max() + 1
    member = scipy.sparse.csr_array(
        (np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
    count = np.bincount(labels, minlength=k)
    if model == "GaussianNB":
        shift = x[:1]
        theta, var, total = np.empty((k, x.shape[1])), np.empty((k, x.shape[1])), 0.0
        for c in range(k):
            rows = x[labels == c] - shift
            theta[c] = rows.mean(0)
            var[c] = ((rows - theta[c]) ** 2).mean(0)
        mean = count @ theta / len(labels)
        total = count @ (var + (theta - mean) ** 2) / len(labels)
        return dict(theta=theta + shift, var=var + 1e-9 * total.max())
    if model == "BernoulliNB":
        sums = (member.T @ (x > 0).astype(float)).toarray()
        return dict(feature_log_prob=np.log(sums + 1) - np.log(count + 2)[:, None])
    sums = (member.T @ x).toarray()
    if model == "ComplementNB":
        sums = sums.sum(0) - sums
    log_p = np.log(sums + 1)
    log_p -= np.log((sums + 1).sum(1, keepdims=True))
    return dict(feature_log_prob=-log_p if model == "ComplementNB" else log_p)


def bayes_scores(x, prior, model, learned):
    """log p(x, c) but for a term without c, row by row; of complement its own scores."""
    if model == "GaussianNB":
        theta, var = learned["theta"], learned["var"]
        parts = [np.stack([-0.5 * (((rows - t) ** 2 / v).sum(1) + np.log(v).sum())
                           for t, v in zip(theta, var)], 1) for _, rows in blocks(x)]
        return np.concatenate(parts) + prior
    w = learned["feature_log_prob"]
    if model == "BernoulliNB":
        absent = np.log1p(-np.exp(w))
        return (x > 0).astype(float) @ (w - absent).T + absent.sum(1) + prior
    return x @ w.T + (0 if model == "ComplementNB" else prior)


_bayes = {}  # of the last table: what is right takes longer to find than a contestant takes


def judge_nb(x, result, tolerance, labels, model, learned, parameters=bayes_parameters,
             scores_of=bayes_scores):
    if _bayes.get("of") is not x:
        _bayes.clear()
        _bayes["of"] = x
    if model not in _bayes:
        y = labels()
        prior = np.log(np.bincount(y[:learned])) - np.log(learned)
        expected = parameters(x[:learned], y[:learned], model)
        asked = x[learned:] if learned < x.shape[0] else x
        _bayes[model] = expected, scores_of(asked, prior, model, expected), y[-asked.shape[0]:]
    expected, scores, y = _bayes[model]
    scale = np.maximum(1, np.abs(scores).max(1))
    if "labels" in result:
        chosen = scores[np.arange(len(y)), result["labels"]]
        if ((scores.max(1) - chosen) > tolerance * scale).any():
            return 0.0, "labels are not the most probable"
        return (result["labels"] == y).mean(), None
    if "log_proba" in result:
        log_p = scores - log_sum(scores)[:, None]
        gap = np.abs(result["log_proba"] - log_p).max(1) / scale
        if not gap.max() <= tolerance:
            return 0.0, f"a log-probability is off by {gap.max():.3g}"
        return log_p[np.arange(len(y)), y].mean(), None
    for name, value in expected.items():
        gap = (np.abs(result[name] - value) / np.maximum(1e-3, np.abs(value))).max()
        if not gap <= tolerance:
            return 0.0, f"{name} is off by {gap:.3g}"
    return sum(result[name].mean() for name in expected), None
