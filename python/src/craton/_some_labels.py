"""Models that learn from rows without labels, and from labels where rows have them."""

import numpy as np

from ._labels import classes_and_codes, classes_of, read_some_labels, target_of


class SomeLabels:
    def fit(self, X, y=None, sample_weight=None, *, labels=None, callback=None):
        """Learn from the rows of X, and from the labels of those that have one.

        Parameters
        ----------
        X : array, frame, Arrow table or list of lists, of shape (n_samples, n_features)
        y : ignored
            As pipelines hand it to every step: what is to be learned from is ``labels``.
        sample_weight : array of shape (n_samples,), default=None
            A row of weight 2 counts as the same row twice; weight 0 leaves it out.
        labels : array of shape (n_samples,), default=None
            Numbers or text; None, NaN and the number -1 stand for no label. There is a component
            for each label then.
        callback : callable, default=None
            Called as ``callback(iteration, objective)`` after every pass over the data. What it
            raises stops the fit.

        Returns
        -------
        self
        """
        return self._fit(X, labels, sample_weight, callback)

    def _read_target(self, y, rows):
        self.__dict__.pop("_classes", None)
        if y is None:
            return None, None
        known, seen = read_some_labels(y, rows, type(self).__name__)
        self._classes, of_seen = classes_and_codes(known)
        codes = np.full(rows, -1, dtype=np.int32)
        codes[seen] = of_seen
        return codes, target_of(self._classes, y)

    @property
    def classes_(self):
        """What the components stand for: labels, ascending, or their numbers."""
        model = self._fitted()
        if "_classes" not in self.__dict__:
            named = model.target is not None
            self._classes = classes_of(model.target) if named else np.arange(model.classes)
        return self._classes

    def _as_labels(self, codes):
        return self.classes_[codes] if self._fitted().target is not None else codes

    def predict(self, X):
        """The most probable component of each row: its label, where there were labels."""
        return self._as_labels(self._predict(self._read(X)))
