"""Stochastic triplet embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from ordinate import losses
from ordinate._arrays import Points
from ordinate._checks import InputError, check_real
from ordinate.comparisons.inputs import Record
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.solvers.stopping import Result
from ordinate.triplets.embedding import Problem
from ordinate.triplets.probabilistic import ProbabilisticEmbedding, document_parameters

_WIDEST_PRIOR = 6.0
"""Standard deviation of the margins, in units of the logistic noise, that a map may have by its
prior where people lapse. Of few answers the likeliest map without a prior is a huge
one, on which all that it cannot satisfy are lapses."""
_MOST_LAPSES = 0.9
"""With more, the answers would hardly tell anything."""
_ROUNDS = 30
_MOST_STEPS = 5.0
_RATE_TOLERANCE = 1e-3
"""Change of the lapse rate that is far below what answers can tell."""
_LOOKED_AT = 100_000
"""Answers that are enough to estimate a lapse rate: its standard error is below 0.003."""


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class STE(ProbabilisticEmbedding):
    """Stochastic triplet embedding: logistic loss on squared distances.

    An answer has the probability ℓ/2 + (1 − ℓ) / (1 + exp(d_near² − d_far²)), where the lapse rate
    ℓ is the share of random responses (lapses). Without lapses and without a penalty,
    ``lapse_rate=0, penalty=0``, it is the method as published.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    lapse_rate : float or "estimate", default=0.0
        The lapse rate ℓ, from 0 to below 1; "estimate" fits it along with the map, which begins
        without lapses and stays as it is if none are seen. Where ℓ is above 0, coordinates have
        a normal prior even with ``penalty=0``, of the variance 6 / √(12 n_components): `penalty`
        is at least 0.41 in the plane. The rate is estimated with this prior, whatever `penalty`.
    {shared}
    lapse_rate_ : float
        The lapse rate given or estimated.

    See Also
    --------
    TSTE : With a heavier tail, for answers about far objects.
    WeightedSpaces : For participants who differ.
    map_uncertainty : Confidence regions and intervals of the map.

    References
    ----------
    van der Maaten & Weinberger, Stochastic Triplet Embedding, MLSP 2012.

    Wichmann & Hill, The Psychometric Function: I, Perception & Psychophysics 2001 (lapse rate).

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> od.STE(n_components=2, random_state=0).fit(train).score(test) > 0.85
    True
    """

    penalty: float | str = "auto"
    lapse_rate: float | str = 0.0

    def _check_parameters(self, comparisons: Record) -> None:
        super()._check_parameters(comparisons)
        self.lapse_rate_ = 0.0 if self._is_estimated() else self._rate()

    def _is_estimated(self) -> bool:
        if isinstance(self.lapse_rate, str) and self.lapse_rate != "estimate":
            raise InputError(
                'lapse_rate must be a number from 0 to below 1 or "estimate"; got'
                f" {self.lapse_rate!r}."
            )
        return isinstance(self.lapse_rate, str)

    def _rate(self) -> float:
        if self._is_estimated():
            return self.lapse_rate_
        return check_real("lapse_rate", self.lapse_rate, minimum=0, maximum=1, open_maximum=True)

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        rate = self._rate()
        return (losses.ste_with_lapses, [rate]) if rate else (losses.ste, [])

    def _first_loss(self) -> tuple[losses.Loss, Sequence[float]]:
        # with lapses the loss is flat wherever an answer is badly violated
        return losses.ste, []

    def _posterior_likelihood(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.ste, []

    def _coordinate_penalty(self) -> float:
        given = super()._coordinate_penalty()
        return max(given, self._weakest_penalty()) if self._rate() else given

    def _weakest_penalty(self) -> float:
        """Return the penalty of the widest prior that a map may have beside lapses."""
        # margins of points with variance v per coordinate have the variance 12 n_components v²
        return float(np.sqrt(12 * self.n_components)) / (2 * _WIDEST_PRIOR)

    def _with_learned_parameters(self, best: Result, problem: Problem) -> Result:
        """Fit lapse rate and map to each other in turn, then the map that was asked for.

        The penalty shrinks a map so far that its noise explains what lapses did. So the rate is
        estimated beside the map with the weakest one.
        """
        if not self._is_estimated():
            return best
        weakest = self._weakest_penalty()
        (seen,) = self._lbfgs(problem, [best.points], penalty=weakest)
        comparisons = problem.comparisons
        places = np.unique(np.linspace(0, len(comparisons) - 1, _LOOKED_AT).astype(np.intp))
        looked_at = comparisons[:] if len(places) == len(comparisons) else comparisons[places]
        history = [best.history, seen.history[1:]]
        before, missing_before = 0.0, np.inf
        for _ in range(_ROUNDS):
            missing = _likeliest_on(seen.points, looked_at) - self.lapse_rate_
            if abs(missing) < _RATE_TOLERANCE:
                break
            # each round leaves nearly the same share of the error: go the whole way (secant rule)
            moved, gained = self.lapse_rate_ - before, missing_before - missing
            steps = np.clip(moved / gained, 1.0, _MOST_STEPS) if gained > 0 else 1.0
            before, missing_before = self.lapse_rate_, missing
            self.lapse_rate_ = float(np.clip(before + steps * missing, 0.0, _MOST_LAPSES))
            problem = problem._replace(objective=self._objective(comparisons))
            (seen,) = self._lbfgs(problem, [seen.points], penalty=weakest)
            history.append(seen.history[1:])
        if not self.lapse_rate_:
            return best
        if self._coordinate_penalty() > weakest:
            (seen,) = self._lbfgs(problem, [seen.points])
            history.append(seen.history[1:])
        return Result(seen.points, seen.value, np.concatenate(history), seen.converged)


def _likeliest_on(points: Points, comparisons: Comparisons) -> float:
    near2, far2 = squared_distances(points, comparisons.rows)
    weights = 1.0 if comparisons.weights is None else comparisons.weights
    return likeliest_lapse_rate(expit(far2 - near2), weights)


def likeliest_lapse_rate(holds: NDArray[np.float64], weights: NDArray[np.float64] | float) -> float:
    """Return the lapse rate that makes answers the likeliest: Σ log(ℓ/2 + (1 − ℓ) p) is concave."""

    def slope(rate: float) -> float:
        by_coin = 0.5 - holds
        return float(np.sum(weights * by_coin / np.maximum(holds + rate * by_coin, 1e-300)))

    if slope(0.0) <= 0:
        return 0.0
    return _MOST_LAPSES if slope(_MOST_LAPSES) >= 0 else float(brentq(slope, 0.0, _MOST_LAPSES))
