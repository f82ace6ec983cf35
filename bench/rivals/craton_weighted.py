"""craton with weights, where it is asked without: what do they cost?"""
import craton

from .craton import threads, version  # noqa: F401


def kde_weights(x, queries, weights, bandwidth, rtol, max_iter):
    from .craton import _threads
    model = craton.KernelDensity(bandwidth=bandwidth, rtol=rtol, n_jobs=_threads).fit(
        x, sample_weight=weights)
    return dict(log_density=model.score_samples(queries), bound=rtol, weighted=1, iterations=1)
