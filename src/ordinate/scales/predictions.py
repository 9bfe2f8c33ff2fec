"""What follows from chances of win, tie and loss: the likelier winner, scores of predictions."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Floats
from ordinate._checks import InputError, check_weights, refuse_zero_weights, shortened
from ordinate.comparisons.inputs import in_memory
from ordinate.comparisons.pairs import Pairs
from ordinate.io.read import read_pairs
from ordinate.io.tables import is_frame


class PredictsPairs:
    """What follows from the chances of win, tie and loss."""

    _has_ties: bool
    """Whether a tie is an outcome of its own."""

    def predict_proba(self, X: Pairs | ArrayLike) -> NDArray[np.float64]:
        """Return how likely the first item wins, ties and loses."""
        raise NotImplementedError

    def predict(self, X: Pairs | ArrayLike) -> NDArray[np.int64]:
        """Return the likelier winner of each pair: 1 for the first item, -1 for the second.

        Parameters
        ----------
        X : Pairs or array-like of shape (n_pairs, 2)
            Pairs of items.

        Returns
        -------
        ndarray of int, shape (n_pairs,)
            1 or -1; 0 where both are equally likely.
        """
        chances = self.predict_proba(X)
        return np.sign(chances[:, 0] - chances[:, 2]).astype(np.int64)

    def score(
        self,
        X: Pairs | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the share of answers in which the likelier item won; a tie counts one half.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        float
            Between 0 and 1.
        """
        pairs = as_pairs(X, y, sample_weight)
        right = 0.5 + 0.5 * self.predict(pairs) * pairs.outcomes
        return float(np.average(right, weights=pairs.weights))

    def log_loss(self, X: Pairs | ArrayLike, y: ArrayLike | None = None) -> float:
        """Return minus the mean logarithm of the chance that the answers had.

        Parameters
        ----------
        X, y
            As for `fit`.

        Returns
        -------
        float
            In natural logarithms; a tie in a model without ties counts half a win, half a loss.
        """
        pairs = as_pairs(X, y)
        return float(np.average(self._losses(pairs), weights=pairs.weights))

    def _losses(self, pairs: Pairs) -> Floats:
        with np.errstate(divide="ignore"):
            logs = np.log(self.predict_proba(pairs))
        if not self._has_ties:
            logs[:, 1] = 0.5 * (logs[:, 0] + logs[:, 2])
        return np.asarray(-logs[np.arange(len(pairs)), 1 - pairs.outcomes])


def as_pairs(
    X: Pairs | ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> Pairs:
    """Return the record itself, one with other outcomes and weights, or one made of arrays.

    A file or a frame is read, unless outcomes are given beside it.
    """
    in_memory(X)
    if y is None and (isinstance(X, (str, os.PathLike)) or is_frame(X)):
        X = read_pairs(X)
    if not isinstance(X, Pairs):
        if isinstance(X, Mapping) or not hasattr(X, "__len__"):
            raise InputError(
                "Expected answers about pairs: a record (od.Pairs), a file, a frame, or two columns"
                f" of items; got {shortened(X)}."
            )
        return Pairs(X, y, weights=sample_weight)
    if y is None and sample_weight is None:
        return X
    weights = X.weights if sample_weight is None else check_weights(sample_weight, len(X))
    refuse_zero_weights(weights)
    outcomes = X.outcomes if y is None else Pairs(X.rows, y, n_objects=X.n_objects).outcomes
    return X._with(outcomes=outcomes, weights=weights)
