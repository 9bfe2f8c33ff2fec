"""What estimators that learn a Gram matrix have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate import losses
from ordinate._checks import NO_ROWS, InputError, check_dimension, check_integer
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Iterates
from ordinate._threads import one_blas_thread
from ordinate.comparisons.answers import PredictsAnswers
from ordinate.comparisons.record import Comparisons
from ordinate.engine.objective import make_objective
from ordinate.gram.objective import ComparedPairs, Gram, psd_factor
from ordinate.solvers.new_objects import PlacesNewObjects
from ordinate.solvers.stopping import Function, warn_unless_converged


@dataclass(frozen=True)
class MarginDistribution:
    """Margins d_far² − d_near² of answers: positive where an answer holds."""

    margins: NDArray[np.float64]
    mean: float
    variance: float
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]


@dataclass(eq=False, repr=False)
class GramEstimator(PredictsAnswers, PlacesNewObjects, EmbeddingMixin, Iterates, BaseEstimator):
    """Learns a positive semidefinite matrix of inner products; see `DMOE`."""

    n_components: int = 2
    _: KW_ONLY
    max_iter: int = 2000

    def _fit_record(self, comparisons: Comparisons) -> None:
        if len(comparisons) == 0:
            raise InputError(NO_ROWS)
        check_dimension("n_components", self.n_components, comparisons.n_objects)
        self._check_steps()
        with one_blas_thread():
            learned = self._learn(comparisons)
        self.gram_: Gram = self._positive_semidefinite(learned)
        self.embedding_: NDArray[np.float64] = embed_gram(learned, self.n_components)
        self.names_ = comparisons.names

    def _learn(self, comparisons: Comparisons) -> Gram:
        """Return the Gram matrix and set the attributes that tell how it was found."""
        raise NotImplementedError

    def _positive_semidefinite(self, learned: Gram) -> Gram:
        """Return what was learned as a Gram matrix, which by most methods it is."""
        return learned

    def _warn_if_short(self, converged: bool, detail: str) -> None:
        """Set `converged_`, and warn if it is False; to be called by `_learn`."""
        self.converged_ = converged
        warn_unless_converged(
            type(self).__name__, converged, self.n_iter_, self.max_iter, detail=detail
        )

    def _answer_loss(self) -> tuple[losses.Loss, Sequence[float]]:
        """Return the loss by which new objects are placed, and its parameters."""
        return losses.ste, ()

    def _loss_of_new(self, comparisons: Comparisons) -> Function:
        return make_objective(comparisons, *self._answer_loss())

    def _margins(self, record: Comparisons) -> NDArray[np.float64]:
        pairs = ComparedPairs(record)
        distances = np.sqrt(np.maximum(pairs.squared_distances(self.gram_), 0.0))
        difference: NDArray[np.float64] = distances[pairs.far] - distances[pairs.near]
        return difference

    def margin_distribution(
        self, X: Comparisons | ArrayLike, y: ArrayLike | None = None, *, bins: int = 30
    ) -> MarginDistribution:
        """Return the margins d_far² − d_near² of answers with mean, variance and histogram.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.
        bins : int, default=30
            Number of bins of the histogram.

        Returns
        -------
        MarginDistribution
            Margins, moments and histogram.
        """
        margins = ComparedPairs(self._matched(X, y)).margins(self.gram_)
        counts, edges = np.histogram(margins, check_integer("bins", bins, minimum=1))
        return MarginDistribution(
            margins, float(margins.mean()), float(margins.var()), counts, edges
        )


def embed_gram(gram: Gram, n_components: int) -> NDArray[np.float64]:
    """Return centred coordinates whose inner products are the best of rank `n_components`."""
    centred = gram - gram.mean(axis=0)
    centred = centred - centred.mean(axis=1, keepdims=True)
    factor = psd_factor(0.5 * (centred + centred.T), rank=n_components)
    embedding = np.zeros((len(gram), n_components))
    embedding[:, : factor.shape[1]] = factor
    return embedding


def largest_eigenvalue(matrix: Gram) -> float:
    """Return the largest eigenvalue, or 0 if none is positive."""
    factor = psd_factor(matrix, rank=1)
    return float(np.sum(np.square(factor)))
