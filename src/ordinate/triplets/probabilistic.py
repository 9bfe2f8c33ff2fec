"""Methods whose loss is, or comes from, the probability of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arguments import argument
from ordinate._arrays import Points
from ordinate._checks import check_choice, check_real
from ordinate._estimator import sharing
from ordinate.comparisons.inputs import Record
from ordinate.engine.distances import record_distances
from ordinate.losses import Loss
from ordinate.triplets.embedding import SHARED_PARAMETERS, EmbeddingEstimator

_T = TypeVar("_T")

_LARGEST_RADIUS = 300.0
"""Root mean square of the distances to the centre, beyond which only the shape of a map counts:
growing on would lower most of these losses for ever, and by almost nothing."""
_DIVERGING_RADIUS = _LARGEST_RADIUS / 30
"""From here on a map grows because no size of it is the best one."""

_PENALTY = """
    penalty : float{auto}, default={default}
        Weight of the sum of squared coordinates, which is added to the sum of all losses: a normal
        prior with the variance 1 / (2 penalty). Without it, at 0, the method is the published one:
        maximum likelihood. Where answers are few, maps that can satisfy nearly all of them grow
        and predict new ones badly; a penalty prevents that, and lets axes vanish that the answers
        do not speak for. With many answers it changes almost nothing.{rule}"""

_AUTO = """ "auto" is
        2 for up to three answers per object, 4 for twelve, at most 8, and in between as their
        square root."""
_CHOSEN = """    penalty_ : float
        The penalty, as given or as the number of answers suggests.
"""


_PENALTIES = 2.0, 8.0
"""Of STE: with few answers and with many."""
_FEW_PER_OBJECT = 3.0
"""Answers per object, up to which the smaller penalty is the best."""


def penalty_for(given: float | str, per_object: float) -> float:
    """Return the penalty given or, for "auto", the one that suits so many answers per object.

    It was chosen on cars, food and music, by the error on answers left out: 3 answers per object
    suit 2, 12 suit 4, and 50 suit 8 (at 12: .217 → .199 on food in four dimensions).
    """
    if not isinstance(given, str):
        return float(given)
    return float(np.clip(_PENALTIES[0] * np.sqrt(per_object / _FEW_PER_OBJECT), *_PENALTIES))


def document_parameters(cls: type[_T]) -> type[_T]:
    """Put the parameters that these methods share, each with its own penalty, where it says so."""
    default = cls.penalty  # type: ignore[attr-defined]
    auto = {"auto": ' or "auto"', "rule": _AUTO} if default == "auto" else {"auto": "", "rule": ""}
    shown = '"auto"' if default == "auto" else f"{default:g}"
    return sharing(_PENALTY.format(default=shown, **auto) + SHARED_PARAMETERS + _CHOSEN)(cls)


@dataclass(eq=False, repr=False, kw_only=True)
class ProbabilisticEmbedding(EmbeddingEstimator):
    """Adds `predict_proba` to an estimator, and a normal prior of the coordinates."""

    penalty: float | str = 0.0

    def _check_parameters(self, comparisons: Record) -> None:
        super()._check_parameters(comparisons)
        if isinstance(self.penalty, str):
            check_choice("penalty", self.penalty, ("auto",))
        else:
            check_real("penalty", self.penalty, minimum=0)
        self.penalty_ = penalty_for(self.penalty, len(comparisons) / comparisons.n_objects)

    def _negative_log_likelihood(self) -> tuple[Loss, Sequence[float]]:
        """Return the loss whose value is −log of an answer's probability."""
        return self._loss()

    def _posterior_likelihood(self) -> tuple[Loss, Sequence[float]]:
        return self._negative_log_likelihood()

    def _largest_radius(self) -> float:
        return _LARGEST_RADIUS

    def _why_it_may_not_converge(self, points: Points) -> str:
        if self.penalty_ > 0 or np.sqrt(np.mean(np.sum(points**2, axis=1))) < _DIVERGING_RADIUS:
            return ""
        remedy = argument("penalty", 0.5)
        return f"the answers are so few that the map grows without end; {remedy} prevents it"

    def _coordinate_penalty(self) -> float:
        return self.penalty_

    def predict_proba(self, X: Record | ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities that each row is false and that it is true.

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
        squared = record_distances(self._matched(X), self.embedding_)
        holds = np.exp(-loss(*squared, *parameters)[0])
        return np.column_stack([1.0 - holds, holds])
