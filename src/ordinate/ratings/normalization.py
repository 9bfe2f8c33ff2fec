"""What makes the values of different users comparable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_choice
from ordinate.ratings.record import Ratings

_SCORE_DECIMALS = 9
"""Standard scores that agree to so many decimals are tied: the rest is rounding error."""

NORMALIZATIONS = ("zscore", "share", "none")
Values: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Normalization:
    """For each user what to subtract from its values, and what to divide them by.

    Attributes
    ----------
    how : {"zscore", "share", "none"}
        Standard scores of each user (for ratings), shares in the user's total (for counts), or
        the values as they are.
    shift, scale : ndarray of shape (n_users,)
        What is subtracted, and the divisor.

    Examples
    --------
    >>> import ordinate as od
    >>> from ordinate.ratings.normalization import Normalization
    >>> ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 3, 2, 8])
    >>> Normalization.of("share", ratings).scores(ratings)
    array([0.625, 0.375, 0.2  , 0.8  ])
    """

    how: str
    shift: Values
    scale: Values

    @classmethod
    def of(cls, how: str, *tables: Ratings) -> Self:
        """Measure the users of one table, or of several parts of one.

        Parameters
        ----------
        how : {"zscore", "share", "none"}
            The kind.
        *tables : Ratings
            All with the same users.

        Returns
        -------
        Normalization
            To be used for these tables and for other values of the same users.
        """
        check_choice("normalize", how, NORMALIZATIONS)
        n_users = tables[0].n_users
        if how == "none":
            return cls(how, np.zeros(n_users), np.ones(n_users))
        users, values = tables[0].users, tables[0].values
        if len(tables) > 1:  # a single table, which may be large, is not copied
            users = np.concatenate([table.users for table in tables])
            values = np.concatenate([table.values for table in tables])
        if how == "share" and values.min() < 0:
            raise InputError(
                "normalize='share' is for counts, which are not negative; the lowest value is"
                f" {values.min():g}. Use normalize='zscore'."
            )
        measure = _standard_scores if how == "zscore" else _shares
        return cls(how, *measure(users, values, n_users))

    def scores(self, ratings: Ratings) -> Values:
        """Return what is compared: the values after normalisation, shape (n_ratings,)."""
        return self(ratings.users, ratings.values)

    def __call__(self, users: NDArray[Any], values: Values) -> Values:
        """Normalise values, shape (n,), that these users gave, perhaps to new items."""
        if self.how == "none":
            return values
        scores: Values = values - self.shift[users]
        scores /= self.scale[users]
        if self.how == "zscore":
            np.round(scores, _SCORE_DECIMALS, out=scores)
        return scores


def _standard_scores(
    users: NDArray[np.int32], values: Values, n_users: int
) -> tuple[Values, Values]:
    counts = np.maximum(np.bincount(users, minlength=n_users), 1)
    mean = np.bincount(users, values, minlength=n_users) / counts
    squares = values - mean[users]
    squares *= squares
    deviation = np.sqrt(np.bincount(users, squares, minlength=n_users) / counts)
    constant = deviation <= 1e-9 * np.abs(mean)
    return mean, np.where(constant, 1.0, deviation)


def _shares(users: NDArray[np.int32], values: Values, n_users: int) -> tuple[Values, Values]:
    total = np.bincount(users, values, minlength=n_users)
    return np.zeros(n_users), np.where(total > 0, total, 1.0)
