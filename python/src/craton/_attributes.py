"""What scikit-learn's class of a name offers besides the parameters of the model."""

import numpy as np


class KMeansAttributes:
    @property
    def inertia_(self):
        """Weighted sum of the squared distances of the rows to their centres."""
        return -self.report_.objective


class MiniBatchKMeansAttributes:
    inertia_ = KMeansAttributes.inertia_


class GaussianMixtureAttributes:
    @property
    def precisions_cholesky_(self):
        """Upper triangular U with precision = U U' (full), or 1 / standard deviation (diag)."""
        covariances = self._parameter("covariances")
        if covariances.ndim == 2:
            return 1 / np.sqrt(covariances)
        inverse = np.tril(np.linalg.inv(np.linalg.cholesky(covariances)))
        return inverse.transpose(0, 2, 1)

    @property
    def precisions_(self):
        """The inverse of each covariance."""
        factor = self.precisions_cholesky_
        return factor**2 if factor.ndim == 2 else factor @ factor.transpose(0, 2, 1)

    @property
    def converged_(self):
        """Whether the fit stopped by ``tol``, not at ``max_iter``."""
        return self.report_.converged

    @property
    def lower_bound_(self):
        """Mean log-likelihood of the rows of fit."""
        return self.report_.objective

    @property
    def lower_bounds_(self):
        """The mean log-likelihood at every pass."""
        return self.report_.trace.tolist()
