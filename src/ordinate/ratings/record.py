"""Ratings and counts: who gave which value to what."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_integer, check_real
from ordinate._random import RandomState, as_generator
from ordinate.io.tables import Table, as_table
from ordinate.ratings.columns import (
    check_numbers,
    check_values,
    frame_columns,
    sorted_pairs,
)
from ordinate.ratings.labels import NamedSides

if TYPE_CHECKING:
    from ordinate.ratings.description import RatingsDescription


Numbers = NDArray[np.int32]


class Ratings(NamedSides):
    """Values that users gave to items: ratings, counts, playing times, word frequencies.

    The record stands for all triples of two kinds, which are never written out: user-anchored,
    "user u prefers item i to item j", and item-anchored, "user u prefers item i more than user v
    does". How values of different users are compared is up to the method that is given them.

    Parameters
    ----------
    users, items : array-like of int, shape (n_ratings,)
        Numbers of the user and of the item, counted from 0.
    values : array-like of float, shape (n_ratings,)
        The ratings or counts; higher is better.
    user_names, item_names : sequence, optional
        One distinct name (text or number) per user and per item, by which methods call them; by
        default their numbers.
    on_duplicate : {"refuse", "mean", "last"}, default="refuse"
        What to do where a user has different values for one item: refuse them, take their mean,
        or the one given last.

    Attributes
    ----------
    users, items : ndarray of int32, shape (n_ratings,)
        Sorted by user, then by item; read-only.
    values : ndarray of float64, shape (n_ratings,)
        The values in that order; read-only.
    user_names, item_names : sequence
        The names, or the range of the numbers.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5.0, 3.0, 2.0, 4.0])
    >>> ratings
    Ratings(4 values, 2 users, 2 items)
    """

    def __init__(
        self,
        users: ArrayLike,
        items: ArrayLike,
        values: ArrayLike,
        *,
        user_names: Sequence[Hashable] | None = None,
        item_names: Sequence[Hashable] | None = None,
        on_duplicate: str = "refuse",
    ) -> None:
        numbers = check_values(values)
        user_numbers, self.user_names = check_numbers("user", users, user_names, len(numbers))
        item_numbers, self.item_names = check_numbers("item", items, item_names, len(numbers))
        names = self.user_names, self.item_names
        self._hold(*sorted_pairs(user_numbers, item_numbers, numbers, names, on_duplicate))

    def _hold(self, *columns: NDArray[Any]) -> None:
        for column in columns:
            column.flags.writeable = False
        self.users, self.items, self.values = columns

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        user: str = "user",
        item: str = "item",
        value: str = "rating",
        on_duplicate: str = "refuse",
    ) -> Self:
        """Take three columns of a frame.

        Parameters
        ----------
        frame : pandas, polars or PyArrow table, or mapping of str to arrays
            One row per rating.
        user, item, value : str, default="user", "item" and "rating"
            Names of the columns. Users and items are called what the columns call them.
        on_duplicate : {"refuse", "mean", "last"}, default="refuse"
            What to do where a user has different values for one item: refuse them, take their
            mean, or the one in the last row.

        Returns
        -------
        Ratings
            Users and items numbered in natural order.

        Examples
        --------
        >>> import ordinate as od
        >>> frame = {"user": ["Bo", "Al", "Al"], "item": [7, 7, 9], "rating": [1, 5, 4]}
        >>> od.Ratings.from_frame(frame).user_names
        ('Al', 'Bo')
        """
        return cls._from_table(as_table(frame), user, item, value, on_duplicate)

    @classmethod
    def _from_table(
        cls, table: Table, user: str, item: str, value: str, on_duplicate: str = "refuse"
    ) -> Self:
        (users, user_names), (items, item_names), values = frame_columns(table, user, item, value)
        return cls(
            users,
            items,
            values,
            user_names=user_names,
            item_names=item_names,
            on_duplicate=on_duplicate,
        )

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Ratings({len(self):,} values, {self.n_users:,} users, {self.n_items:,} items)"

    def filter(self, *, min_per_user: int = 1, min_per_item: int = 1) -> Ratings:
        """Leave out users and items with few ratings, until all that remain have enough.

        Parameters
        ----------
        min_per_user, min_per_item : int, default=1
            How many ratings each user and each item must have.

        Returns
        -------
        Ratings
            What remains, numbered anew.

        Examples
        --------
        >>> import ordinate as od
        >>> ratings = od.Ratings([0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [5, 4, 1, 2, 3])
        >>> ratings.filter(min_per_item=2)
        Ratings(4 values, 2 users, 2 items)
        """
        check_integer("min_per_user", min_per_user, minimum=1)
        check_integer("min_per_item", min_per_item, minimum=1)
        kept = with_enough(self.users, self.items, min_per_user, min_per_item)
        if not kept.any():
            raise InputError(
                f"No user with {min_per_user} ratings of items with {min_per_item} ratings is"
                " left; lower min_per_user or min_per_item."
            )
        known_users, users = np.unique(self.users[kept], return_inverse=True)
        known_items, items = np.unique(self.items[kept], return_inverse=True)
        return Ratings(
            users,
            items,
            self.values[kept],
            user_names=[self.user_names[number] for number in known_users],
            item_names=[self.item_names[number] for number in known_items],
        )

    def train_test_split(
        self, test_size: float = 0.2, *, random_state: RandomState = None
    ) -> tuple[Self, Self]:
        """Split the ratings of every user in the same ratio.

        Parameters
        ----------
        test_size : float, default=0.2
            Share of each user's ratings that go to the test part.
        random_state : int, Generator or None, default=None
            Seed of the split.

        Returns
        -------
        train, test : Ratings
            Two parts with the same users and items.

        Examples
        --------
        >>> import ordinate as od
        >>> ratings = od.Ratings([0, 0, 0, 0, 1, 1], [0, 1, 2, 3, 0, 1], [5, 4, 1, 2, 3, 4])
        >>> [len(part) for part in ratings.train_test_split(0.5, random_state=0)]
        [3, 3]
        """
        share = check_real(
            "test_size", test_size, minimum=0, maximum=1, open_minimum=True, open_maximum=True
        )
        hidden = same_share_of_each(self.users, share, as_generator(random_state))
        if not 0 < hidden.sum() < len(self):
            raise InputError(
                f"test_size {share:g} of each user's ratings leaves one part empty; change it."
            )
        return self._part(~hidden), self._part(hidden)

    def _part(self, mask: NDArray[np.bool_]) -> Self:
        part = type(self).__new__(type(self))
        part.__dict__ |= self.__dict__
        part._hold(self.users[mask], self.items[mask], self.values[mask])
        return part

    def describe(self, *, normalize: str = "zscore") -> RatingsDescription:
        """Count users, items, triples and what makes none.

        Parameters
        ----------
        normalize : {"zscore", "share", "none"}, default="zscore"
            What makes values of different users comparable, as for `COE`.

        Returns
        -------
        RatingsDescription
            Prints as a short report; its fields are the figures.
        """
        from ordinate.ratings.description import describe_ratings

        return describe_ratings(self, normalize)


def with_enough(
    users: Numbers, items: Numbers, min_per_user: int, min_per_item: int
) -> NDArray[np.bool_]:
    """Mark the ratings that remain when users and items with too few are left out."""
    kept = np.ones(len(users), dtype=bool)
    while True:
        per_user = np.bincount(users[kept], minlength=users.max() + 1)
        per_item = np.bincount(items[kept], minlength=items.max() + 1)
        enough = (per_user >= min_per_user)[users] & (per_item >= min_per_item)[items]
        if enough[kept].all():
            return kept
        kept &= enough


def same_share_of_each(users: Numbers, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark at random the same share of every user's ratings, which are sorted by user."""
    counts = np.bincount(users)
    place = np.arange(len(users)) - (np.cumsum(counts) - counts)[users]
    chosen = np.empty(len(users), dtype=bool)
    chosen[np.lexsort((rng.random(len(users)), users))] = place < np.round(share * counts)[users]
    return chosen
