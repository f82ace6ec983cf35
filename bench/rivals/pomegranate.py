"""pomegranate. It pulls in PyTorch, so `tools/setup --bench` leaves it out: `pip install pomegranate`."""
import numpy as np


def version(threads):
    import pomegranate
    import torch
    torch.set_num_threads(threads)
    return f"pomegranate {pomegranate.__version__}, PyTorch {torch.__version__}"


def threads():
    import torch
    return torch.get_num_threads()


def mixture(x, k, family, max_iter, groups):
    import torch
    from pomegranate.distributions import Bernoulli, Poisson
    from pomegranate.gmm import GeneralMixtureModel
    torch.set_default_dtype(torch.float64)
    make = {"poisson": Poisson, "bernoulli": Bernoulli}[family]
    weights = np.bincount(groups, minlength=k) / len(x)
    parts = [make(torch.tensor(x[groups == c].mean(0))) for c in range(k)]
    # It stops after max_iter updates, or where the gain is below tol.
    model = GeneralMixtureModel(parts, priors=torch.tensor(weights), max_iter=max_iter, tol=-np.inf)
    model.fit(torch.tensor(x))
    theta = [(p.lambdas if family == "poisson" else p.probs).numpy() for p in model.distributions]
    return dict(weights=model.priors.numpy(), theta=np.stack(theta), iterations=max_iter)
