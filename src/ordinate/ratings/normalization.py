"""What makes the values of different users comparable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._arrays import Floats
from ordinate._checks import InputError, check_choice

_SCORE_DECIMALS = 9
"""Standard scores that agree to so many decimals are tied: the rest is rounding error."""

NORMALIZATIONS = ("zscore", "share", "none")


class UserItemValues(Protocol):
    """What is asked of a table of ratings here, below the record itself."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: Floats

    @property
    def n_users(self) -> int:
        """How many users there are."""

    @property
    def n_items(self) -> int:
        """How many items there are."""


@dataclass(frozen=True)
class Normalization:
    """For each user what to subtract from its values, and what to divide them by."""

    how: str
    shift: Floats
    scale: Floats

    @classmethod
    def of(cls, how: str, *tables: UserItemValues) -> Self:
        """Measure the users of one table, or of several parts of one."""
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
                f"{argument('normalize', 'share')} is for counts, which are not negative; the"
                " lowest value is"
                f" {values.min():g}. Use {argument('normalize', 'zscore')}."
            )
        measure = _standard_scores if how == "zscore" else _shares
        return cls(how, *measure(users, values, n_users))

    def scores(self, ratings: UserItemValues) -> Floats:
        """Return what is compared: the values after normalisation, shape (n_ratings,)."""
        return self(ratings.users, ratings.values)

    def __call__(self, users: NDArray[Any], values: Floats) -> Floats:
        """Normalise values, shape (n,), that these users gave, perhaps to new items."""
        if self.how == "none":
            return values
        scores: Floats = values - self.shift[users]
        scores /= self.scale[users]
        if self.how == "zscore":
            np.round(scores, _SCORE_DECIMALS, out=scores)
        return scores


def _standard_scores(
    users: NDArray[np.int32], values: Floats, n_users: int
) -> tuple[Floats, Floats]:
    counts = np.maximum(np.bincount(users, minlength=n_users), 1)
    mean = np.bincount(users, values, minlength=n_users) / counts
    squares = values - mean[users]
    squares *= squares
    deviation = np.sqrt(np.bincount(users, squares, minlength=n_users) / counts)
    constant = deviation <= 1e-9 * np.abs(mean)
    return mean, np.where(constant, 1.0, deviation)


def _shares(users: NDArray[np.int32], values: Floats, n_users: int) -> tuple[Floats, Floats]:
    total = np.bincount(users, values, minlength=n_users)
    return np.zeros(n_users), np.where(total > 0, total, 1.0)
