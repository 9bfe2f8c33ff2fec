"""Shares of held-out answers with intervals that hold.

Every answer is predicted by a map that was not fitted to it. For the mean of such a figure over the
answers the central limit theorem holds although the maps share most of what they were fitted to
(Bayle, Bayle, Janson & Mackey, Cross-validation Confidence Intervals for Test Error, NeurIPS 2020),
and its variance is that of the answers, *if* a few answers more or less hardly change the map.
Where answers are few they do: each answer helps to decide about the others, so that their mistakes
come together, and the variance is up to twice that of independent answers. How far maps of
different folds disagree tells how much of that there is.

Answers that were held out together, such as those to one question, are not independent either:
their deviations are added up before they are squared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, ndtr, ndtri

from ordinate._checks import weighted_mean

CONFIDENCE = 0.9
"""Of all intervals that are printed."""


_PER_DISAGREEMENT = 2.0
"""What a unit of disagreement times √folds adds to the variance, in variances of the answers."""
_MOST_ADDED = 1.25
LARGEST_FACTOR = 1 + _MOST_ADDED
"""Of a variance: maps of different folds disagree about a quarter of new questions or more."""
_LOG_SHARPNESS = (-4.0, 4.0)
"""Bounds of the logarithm of the sharpness, for margins whose root mean square is one."""


class HeldOutMean(NamedTuple):
    """A mean over held-out answers and what is known about it."""

    mean: float
    standard_error: float
    n_answers: float
    """How many independent answers of equal weight would say as much."""

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return the two ends of the confidence interval."""
        half = float(ndtri(0.5 + confidence / 2)) * self.standard_error
        return self.mean - half, self.mean + half

    def share_interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return the two ends of Wilson's interval of a share, which lies between 0 and 1.

        It is that of as many independent answers as would have the same standard error, but of
        no more than there are: several splits tell more about a way of making maps, not about
        the one map of all answers.
        """
        spread = self.mean * (1 - self.mean)
        n_independent = self.n_answers
        if spread > 0 and self.standard_error > 0:
            n_independent = min(spread / self.standard_error**2, n_independent)
        low, high = wilson(self.mean * n_independent, n_independent, confidence)
        return float(low), float(high)

    def p_above_zero(self) -> float:
        """Return the one-sided p value against "the true mean is not above zero"."""
        if self.standard_error == 0:
            return 0.0 if self.mean > 0 else 1.0
        return float(ndtr(-self.mean / self.standard_error))


def wilson(count: ArrayLike, of: ArrayLike, confidence: float) -> NDArray[np.float64]:
    """Return lower and upper ends of Wilson's intervals of shares, shape (2, ...)."""
    n = np.asarray(of, dtype=np.float64)
    share = np.asarray(count) / n
    z2 = float(ndtri(0.5 + confidence / 2)) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * share * (1 - share) / n + z2**2 / (4 * n**2)) / (1 + z2 / n)
    # rounding may leave 0 and 1 outside
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    return np.stack([np.minimum(low, share), np.maximum(high, share)])


def variance_factor(
    predictions: NDArray[np.bool_], folds: int, most_added: float = _MOST_ADDED
) -> float:
    """Return by how much the variance of a held-out mean exceeds that of independent answers.

    Two maps of folds differ by the answers of two of them; the share of new questions about which
    they disagree grows with the square root of how many that are. The constants were found on
    simulated observers (1 + 1.25 at most), and judged on others: see the results in the
    documentation.
    """
    n_maps = len(predictions)
    if n_maps < 2 or predictions.size == 0:
        return 1.0
    share = predictions.mean(axis=0)
    disagreement = float(np.mean(2 * share * (1 - share))) * n_maps / (n_maps - 1)
    return 1 + min(_PER_DISAGREEMENT * float(np.sqrt(folds)) * disagreement, most_added)


def held_out_mean(
    values: ArrayLike,
    units: NDArray[np.intp],
    weights: NDArray[np.float64] | None = None,
    factor: float = 1.0,
) -> HeldOutMean:
    """Average one value per held-out answer."""
    array = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(array)
    weight = np.ones(known.sum()) if weights is None else weights[known]
    total = weight.sum()
    mean = float(weight @ array[known] / total)
    deviations = np.bincount(units[known], weights=weight * (array[known] - mean))
    n_units = int(np.count_nonzero(np.bincount(units[known])))
    variance = factor * float(deviations @ deviations) * n_units / max(n_units - 1, 1)
    n_answers = float(total**2 / (weight @ weight)) / factor
    return HeldOutMean(mean, float(np.sqrt(variance) / total), n_answers)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p values multiplied so that one false alarm among all is as improbable as they say."""
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    scaled = given[order] * np.arange(len(given), 0, -1)
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return corrected


def brier_scores(
    margins: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return for each held-out answer the squared error of the probability that it was given.

    An answer with the margin m on the map (far distance minus near distance) is taken to have the
    probability 1 / (1 + exp(−s·m)); the sharpness s is the one that suits the answers best. Unlike
    the share of wrong answers this tells a near miss from a blunder, so that it takes fewer
    answers to tell a better map from a worse one; and unlike a likelihood no single answer, such
    as a slip, can weigh more than 1.

    Brier, Verification of Forecasts Expressed in Terms of Probability, Monthly Weather Review
    78, 1950.
    """
    known = ~np.isnan(margins)
    unit = margins[known]
    unit = unit / (np.sqrt(np.mean(np.square(unit))) or 1.0)
    its_weights = None if weights is None else weights[known]

    def at(log_sharpness: float) -> NDArray[np.float64]:
        errors: NDArray[np.float64] = expit(-np.exp(log_sharpness) * unit)
        return errors**2

    found = minimize_scalar(
        lambda x: weighted_mean(at(x), its_weights), bounds=_LOG_SHARPNESS, method="bounded"
    )
    scores = np.full(len(margins), np.nan)
    scores[known] = at(found.x)
    return scores


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """One figure per held-out answer, for several ways of making maps."""

    values: NDArray[np.float32]
    units: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    factors: NDArray[np.float64] | None = None

    def mean(self, way: int) -> HeldOutMean:
        """Return the mean of one of the ways."""
        return self._mean(self.values[way], way)

    def difference(self, way: int, other: int) -> HeldOutMean:
        """Return by how much the mean of one way exceeds that of another, answer by answer."""
        return self._mean(self.values[way] - self.values[other], way, other)

    def of(self, ways: Sequence[int]) -> HeldOutAnswers:
        """Return the figures of some of the ways."""
        chosen = list(ways)
        factors = None if self.factors is None else self.factors[chosen]
        return replace(self, values=self.values[chosen], factors=factors)

    def _mean(self, values: NDArray[np.float32], *ways: int) -> HeldOutMean:
        factor = 1.0 if self.factors is None else float(max(self.factors[way] for way in ways))
        return held_out_mean(values, self.units, self.weights, factor)
