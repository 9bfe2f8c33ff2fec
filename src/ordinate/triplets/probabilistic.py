"""Methods whose loss is, or comes from, the probability of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate.comparisons.partitions import Record
from ordinate.losses import Loss
from ordinate.triplets.embedding import EmbeddingEstimator

_LARGEST_RADIUS = 300.0
"""Root mean square of the distances to the centre, beyond which only the shape of a map counts:
growing on would lower most of these losses for ever, and by next to nothing."""


@dataclass(eq=False, repr=False, kw_only=True)
class ProbabilisticEmbedding(EmbeddingEstimator):
    """Adds `predict_proba` to an estimator."""

    def _negative_log_likelihood(self) -> tuple[Loss, Sequence[float]]:
        """Return the loss whose value is −log of an answer's probability."""
        return self._loss()

    def _largest_radius(self) -> float:
        return _LARGEST_RADIUS

    def predict_proba(self, X: Record | ArrayLike) -> NDArray[np.float64]:
        """Return how probable it is that each row is denied and that it is confirmed.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects.

        Returns
        -------
        ndarray of shape (n_comparisons, 2)
            Probabilities of `classes_`, aligned with the rows given.
        """
        loss, parameters = self._negative_log_likelihood()
        holds = np.exp(-loss(*self._squared_distances(X), *parameters)[0])
        return np.column_stack([1.0 - holds, holds])
