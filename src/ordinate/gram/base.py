"""What estimators that learn a Gram matrix have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ordinate import losses
from ordinate._checks import NO_ROWS, InputError, check_integer
from ordinate._estimator import EmbeddingMixin
from ordinate._random import RandomState, as_generator
from ordinate._threads import one_blas_thread
from ordinate.comparisons.answers import (
    answer_classes,
    check_in_fit,
    predicted_answers,
    share_of,
    weight_that_holds,
)
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.engine.objective import make_objective
from ordinate.gram.objective import ComparedPairs, Gram, psd_factor
from ordinate.solvers.new_objects import with_new_objects
from ordinate.solvers.stopping import warn_unless_converged


@dataclass(frozen=True)
class MarginDistribution:
    """Margins d_far² − d_near² of answers: positive where an answer holds.

    Attributes
    ----------
    margins : ndarray of shape (n_comparisons,)
        One per answer.
    mean, variance : float
        Their first two moments, which DMOE shapes.
    counts : ndarray of int, shape (n_bins,)
        Histogram of the margins.
    edges : ndarray of shape (n_bins + 1,)
        Edges of its bins.
    """

    margins: NDArray[np.float64]
    mean: float
    variance: float
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]


@dataclass(eq=False, repr=False)
class GramEstimator(EmbeddingMixin, BaseEstimator):
    """Learns a positive semidefinite matrix of inner products; see `DMOE`."""

    n_components: int = 2
    _: KW_ONLY
    max_iter: int = 2000
    tol: float = 1e-4
    random_state: RandomState = None
    n_jobs: int | None = -1
    verbose: bool = False

    def fit(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the Gram matrix from answers.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Triplets (anchor, near, far) or quadruplets (i, j, k, l).
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        self
            The fitted estimator.
        """
        comparisons = as_comparisons(X, y, weights=sample_weight)
        if len(comparisons) == 0:
            raise InputError(NO_ROWS)
        check_integer("n_components", self.n_components, minimum=1)
        check_integer("max_iter", self.max_iter, minimum=1)
        with one_blas_thread():
            learned = self._learn(comparisons)
        self.gram_: Gram = self._positive_semidefinite(learned)
        self.embedding_: NDArray[np.float64] = embed_gram(learned, self.n_components)
        self.names_ = comparisons.names
        self.classes_ = answer_classes(y)
        return self

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
            type(self).__name__,
            converged,
            self.n_iter_,
            self.max_iter,
            detail=detail,
        )

    def _answer_loss(self) -> tuple[losses.Loss, Sequence[float]]:
        """Return the loss by which new objects are placed, and its parameters."""
        return losses.ste, ()

    def transform(
        self, X: Comparisons | ArrayLike, y: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Find coordinates for objects that were not in the fit; the others stay where they are.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of new objects with fitted ones. If they and the fit have names, objects
            are matched by name; otherwise by number, new ones being those from
            ``len(embedding_)`` on.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.

        Returns
        -------
        ndarray of shape (X.n_objects, n_components)
            One row per object of `X`: those of `embedding_`, on which new ones are placed, and
            the places found.
        """
        check_is_fitted(self)
        loss, parameters = self._answer_loss()
        return with_new_objects(
            self.embedding_,
            self.names_,
            as_comparisons(X, y),
            lambda about_new: make_objective(about_new, loss, parameters),
            as_generator(self.random_state),
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def decision_function(
        self, X: Comparisons | ArrayLike, *, from_embedding: bool = False
    ) -> NDArray[np.float64]:
        """Return by how much the far distance exceeds the near one.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects.
        from_embedding : bool, default=False
            Measure on `embedding_`, of rank `n_components`, and not on `gram_`.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            Positive where the fit agrees with the row, aligned with the rows given.
        """
        pairs = self._pairs(as_comparisons(X))
        gram = self.embedding_ @ self.embedding_.T if from_embedding else self.gram_
        distances = np.sqrt(np.maximum(pairs.squared_distances(gram), 0.0))
        difference: NDArray[np.float64] = distances[pairs.far] - distances[pairs.near]
        return difference

    def _pairs(self, comparisons: Comparisons) -> ComparedPairs:
        """Return the compared pairs, or name an object that was not in the fit."""
        check_is_fitted(self)
        n_objects = len(self.gram_)
        largest = comparisons.rows.max(initial=0)
        check_in_fit(largest, n_objects, otherwise=", or place it with transform")
        return ComparedPairs(as_comparisons(comparisons.rows, n_objects=n_objects))

    def predict(self, X: Comparisons | ArrayLike, *, from_embedding: bool = False) -> NDArray[Any]:
        """Tell for each row whether it holds.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects.
        from_embedding : bool, default=False
            Measure on `embedding_` and not on `gram_`.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            The second of `classes_` where the first pair is nearer, else the first.
        """
        margins = self.decision_function(X, from_embedding=from_embedding)
        return predicted_answers(margins, self.classes_)

    def score(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        from_embedding: bool = False,
    ) -> float:
        """Return the share of comparisons that hold.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects, usually held out from the fit.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.
        from_embedding : bool, default=False
            Measure on `embedding_` and not on `gram_`.

        Returns
        -------
        float
            Weighted accuracy between 0 and 1.
        """
        comparisons = as_comparisons(X, y, weights=sample_weight)
        margins = self.decision_function(comparisons, from_embedding=from_embedding)
        return share_of(*weight_that_holds(margins, comparisons.weights))

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
        margins = self._pairs(as_comparisons(X, y)).margins(self.gram_)
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
