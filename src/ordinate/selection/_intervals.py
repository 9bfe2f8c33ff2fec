"""Shares of held-out answers with intervals that hold.

Every answer is predicted by a map that was not fitted to it. For the mean of such a figure over the
answers the central limit theorem holds although the maps share most of what they were fitted to
(Bayle, Bayle, Janson & Mackey, Cross-validation Confidence Intervals for Test Error, NeurIPS 2020),
so its variance is that of the answers. Answers that were held out together, such as those to one
question, are not independent: their deviations are added up before they are squared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

CONFIDENCE = 0.9
"""Of all intervals that are printed."""


class HeldOutMean(NamedTuple):
    """A mean over held-out answers and what is known about it."""

    mean: float
    standard_error: float
    n_answers: float
    """How many answers it is a mean of; of weighted ones, as many equal ones as say as much."""

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return the two ends of the confidence interval."""
        half = float(norm.ppf(0.5 + confidence / 2)) * self.standard_error
        return self.mean - half, self.mean + half

    def share_interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return the two ends of Wilson's interval of a share, which lies between 0 and 1.

        It is that of as many independent answers as would have the same standard error, but of
        no more than there are: several deals tell more about a way of making maps, not about
        the one map of all answers.
        """
        spread = self.mean * (1 - self.mean)
        n_independent = self.n_answers
        if spread > 0 and self.standard_error > 0:
            n_independent = min(spread / self.standard_error**2, n_independent)
        z2 = float(norm.ppf(0.5 + confidence / 2)) ** 2
        middle = (self.mean + z2 / (2 * n_independent)) / (1 + z2 / n_independent)
        half = np.sqrt(z2 * spread / n_independent + z2**2 / (4 * n_independent**2))
        half /= 1 + z2 / n_independent
        return max(float(middle - half), 0.0), min(float(middle + half), 1.0)

    def p_above_zero(self) -> float:
        """Return the one-sided p value against "the true mean is not above zero"."""
        if self.standard_error == 0:
            return 0.0 if self.mean > 0 else 1.0
        return float(norm.sf(self.mean / self.standard_error))


def held_out_mean(
    values: ArrayLike, units: NDArray[np.intp], weights: NDArray[np.float64] | None = None
) -> HeldOutMean:
    """Average one value per held-out answer.

    Parameters
    ----------
    values : array-like of float, shape (n_answers,)
        Such as 1 where a map was wrong; NaN for answers that were never held out.
    units : ndarray of int, shape (n_answers,)
        Equal numbers for answers that were held out together.
    weights : ndarray of float, shape (n_answers,), optional
        How much each answer counts.

    Returns
    -------
    HeldOutMean
        The mean with its standard error.
    """
    array = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(array)
    weight = np.ones(known.sum()) if weights is None else weights[known]
    total = weight.sum()
    mean = float(weight @ array[known] / total)
    deviations = np.bincount(units[known], weights=weight * (array[known] - mean))
    n_units = int(np.count_nonzero(np.bincount(units[known])))
    variance = float(deviations @ deviations) * n_units / max(n_units - 1, 1)
    n_answers = float(total**2 / (weight @ weight))
    return HeldOutMean(mean, float(np.sqrt(variance) / total), n_answers)


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """What several ways of making maps got wrong among the same held-out answers.

    Attributes
    ----------
    wrong : ndarray of float, shape (n_ways, n_answers)
        How often each answer was predicted wrongly, as a share of the times it was held out; NaN
        where that was never.
    units : ndarray of int, shape (n_answers,)
        Equal numbers for answers that were held out together.
    weights : ndarray of float, shape (n_answers,), or None
        How much each answer counts.
    """

    wrong: NDArray[np.float32]
    units: NDArray[np.intp]
    weights: NDArray[np.float64] | None

    def error(self, way: int) -> HeldOutMean:
        """Return the held-out error of one of the ways."""
        return held_out_mean(self.wrong[way], self.units, self.weights)

    def difference(self, way: int, other: int) -> HeldOutMean:
        """Return by how much the error of one way exceeds that of another, answer by answer."""
        return held_out_mean(self.wrong[way] - self.wrong[other], self.units, self.weights)
