"""Means over folds with an honest spread: training parts overlap, so folds are not independent.

Nadeau & Bengio, Inference for the Generalization Error, Machine Learning 52, 2003: the variance of
the mean of J values is estimated as (1/J + n_test/n_train) times their variance, not 1/J times it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student


class FoldMean(NamedTuple):
    """A mean over folds and what is known about it."""

    mean: float
    standard_error: float
    degrees: int

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the two ends of the confidence interval."""
        half = float(student.ppf(0.5 + confidence / 2, self.degrees)) * self.standard_error
        return self.mean - half, self.mean + half

    def share_interval(self) -> tuple[float, float]:
        """Return the two ends of the 95 % interval of a share, which lies between 0 and 1."""
        low, high = self.interval()
        return max(low, 0.0), min(high, 1.0)

    def p_above_zero(self) -> float:
        """Return the one-sided p value against "the true mean is not above zero"."""
        if self.standard_error == 0:
            return 0.0 if self.mean > 0 else 1.0
        return float(student.sf(self.mean / self.standard_error, self.degrees))


def fold_mean(values: ArrayLike, folds: int) -> FoldMean:
    """Average one value per fold.

    Parameters
    ----------
    values : array-like of float, shape (n_values,)
        One value for each fold of each repetition.
    folds : int
        Into how many parts the data were dealt; a test part is 1 / (folds - 1) of its
        training part.

    Returns
    -------
    FoldMean
        The mean with its corrected standard error and degrees of freedom.
    """
    array = np.asarray(values, dtype=np.float64)
    corrected = 1 / len(array) + 1 / (folds - 1)
    error = float(np.sqrt(corrected * array.var(ddof=1)))
    return FoldMean(float(array.mean()), error, len(array) - 1)
