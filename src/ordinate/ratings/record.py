"""Ratings and counts: who gave which value to what."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Sequence
from functools import cached_property
from types import EllipsisType
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arguments import argument
from ordinate._checks import INT32_LIMIT, InputError, check_choice, check_integer, check_share
from ordinate._notebooks import report_as_html
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.grouped_rows import row_index
from ordinate.io.columns import DroppedRowsWarning, as_numbers, number_column
from ordinate.io.tables import Table, table_of
from ordinate.ratings.description import RatingsDescription, describe_ratings

Numbers = NDArray[np.int32]
Numbered: TypeAlias = "tuple[NDArray[np.intp], tuple[Hashable, ...]]"
"""For each row a number, and the name of each number."""

_DEFAULTS = ("user", "item", "rating")
_HEADINGS = {
    "user": {
        "userid", "users", "uid", "username", "reviewer", "reviewerid", "customer", "customerid",
    },
    "item": {
        "itemid", "items", "iid", "movie", "movieid", "film", "filmid", "artist", "artistid",
        "product", "productid", "asin", "book", "bookid", "isbn", "song", "songid", "track",
        "trackid", "title",
    },
    "rating": {
        "ratings", "score", "stars", "value", "weight", "count", "counts", "plays", "playcount",
        "listens", "overall",
    },
}  # fmt: skip
"""What columns are called in published sets, in small letters and nothing else."""
ON_DUPLICATE = ("refuse", "mean", "last")
"""What can be done where a user has several values for one item."""


class NamedSides:
    """The two sides of a table, users and items, and what each is called."""

    user_names: Sequence[Hashable]
    item_names: Sequence[Hashable]

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.user_names)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.item_names)

    def user_number(self, name: Hashable) -> int:
        """Return the number of the user with this name."""
        return _find("user", name, self._user_numbers)

    def item_number(self, name: Hashable) -> int:
        """Return the number of the item with this name."""
        return _find("item", name, self._item_numbers)

    @cached_property
    def _user_numbers(self) -> dict[Hashable, int]:
        return {name: number for number, name in enumerate(self.user_names)}

    @cached_property
    def _item_numbers(self) -> dict[Hashable, int]:
        return {name: number for number, name in enumerate(self.item_names)}


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

    See Also
    --------
    read_ratings : From a file or a frame.
    COE : Users and items on one map.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5.0, 3.0, 2.0, 4.0])
    >>> ratings
    Ratings(4 values, 2 users, 2 items)
    >>> ratings[:2]
    Ratings(2 values, 2 users, 2 items)
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

    @property
    def shape(self) -> tuple[int, int]:
        """Number of ratings, and 3 for user, item and value; scikit-learn's splitters read it."""
        return len(self), 3

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(
        self, key: int | slice | ArrayLike | tuple[int | slice | ArrayLike, EllipsisType]
    ) -> Self:
        """Ratings by row number, slice, list or mask, sorted; users and items stay the same."""
        chosen = np.sort(np.arange(len(self))[row_index(key)])
        repeated = chosen[1:] == chosen[:-1]
        if repeated.any():
            raise InputError(
                f"Row {chosen[1:][repeated][0]} is asked for more than once; a user has one value"
                " per item."
            )
        return self._part(chosen)

    def __repr__(self) -> str:
        return f"Ratings({len(self):,} values, {self.n_users:,} users, {self.n_items:,} items)"

    def _repr_html_(self) -> str:
        return report_as_html(str(self.describe()) if len(self) <= 1_000_000 else repr(self))

    def filter(self, *, min_per_user: int = 1, min_per_item: int = 1) -> Ratings:
        """Leave out users and items with few ratings, until all that remain have enough.

        Parameters
        ----------
        min_per_user, min_per_item : int, default=1
            How many ratings each user and each item must have.

        Returns
        -------
        Ratings
            What remains, renumbered.

        Examples
        --------
        >>> import ordinate as od
        >>> ratings = od.Ratings([0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [5, 4, 1, 2, 3])
        >>> ratings.filter(min_per_item=2)
        Ratings(4 values, 2 users, 2 items)
        """
        check_integer("min_per_user", min_per_user, minimum=1)
        check_integer("min_per_item", min_per_item, minimum=1)
        kept = rows_with_enough_ratings(self.users, self.items, min_per_user, min_per_item)
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
        share = check_share("test_size", test_size)
        hidden = same_share_of_each(self.users, share, as_generator(random_state))
        if not 0 < hidden.sum() < len(self):
            raise InputError(
                f"{argument('test_size', share)} of each user's ratings leaves one part empty;"
                " change it."
            )
        return self._part(~hidden), self._part(hidden)

    def _part(self, rows: NDArray[Any]) -> Self:
        part = type(self).__new__(type(self))
        part.__dict__ |= self.__dict__
        part._hold(self.users[rows], self.items[rows], self.values[rows])
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
        return describe_ratings(self, normalize)


def read_ratings(
    source: Any,
    *,
    user: str = "user",
    item: str = "item",
    value: str = "rating",
    header: bool | None = None,
    on_duplicate: str = "refuse",
) -> Ratings:
    """Read ratings or counts from a file or a frame with one row per rating.

    Parameters
    ----------
    source : path or frame
        A pandas, polars or PyArrow table, a mapping of columns, or a file ending in
        .csv, .tsv, .data, .dat, .csv.gz or .tsv.gz (with comma, semicolon, tab or :: between
        entries), .parquet or .xlsx.
    user, item, value : str, default="user", "item" and "rating"
        Names of the columns. If there is no such column, the only one with a usual heading is
        taken, such as userId, movieId or stars. Columns without a header are users, items,
        values and times, which are left out; more than four are called "0", "1", …. Where there
        are only users and items, all values are 1.
    header : bool, optional
        Whether the first line of text names the columns; by default unless it holds numbers.
    on_duplicate : {"refuse", "mean", "last"}, default="refuse"
        What to do where a user has different values for one item: refuse them, take their mean,
        or the one in the last row.

    Returns
    -------
    Ratings
        Users and items are called what the source calls them, in natural order.

    See Also
    --------
    Ratings : The record that is returned.

    Examples
    --------
    >>> import ordinate as od
    >>> od.read_ratings("ratings.csv", user="who", item="film", value="stars")  # doctest: +SKIP
    Ratings(99,543 values, 943 users, 1,413 items)
    >>> frame = {"user": ["Bo", "Al", "Al"], "item": [7, 7, 9], "rating": [1, 5, 4]}
    >>> od.read_ratings(frame).user_names
    ('Al', 'Bo')
    """
    with table_of(source, header) as table:
        columns = usual_columns(table.names, user, item, value)
        (users, user_names), (items, item_names), values = frame_columns(table, *columns)
        names = {"user_names": user_names, "item_names": item_names}
        return Ratings(users, items, values, **names, on_duplicate=on_duplicate)


def rows_with_enough_ratings(
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


def check_values(values: ArrayLike) -> NDArray[np.float64]:
    """Return values as a new array of finite floats."""
    array = np.asarray(values)
    if array.ndim != 1 or len(array) == 0:
        raise InputError(f"values must be a list of at least one number; got shape {array.shape}.")
    if array.dtype.kind not in "iufb":
        raise InputError(f"values must be numbers; got dtype {array.dtype}.")
    array = array.astype(np.float64)
    wrong = ~np.isfinite(array)
    if wrong.any():
        raise InputError(
            f"Value {int(np.argmax(wrong))} is {array[wrong][0]} ({wrong.sum()} are not finite);"
            " leave such rows out."
        )
    return array


def check_numbers(
    kind: str, numbers: ArrayLike, names: Sequence[Hashable] | None, n_rows: int
) -> tuple[NDArray[np.int32], Sequence[Hashable]]:
    """Return the numbers of users or items as int32, and their names."""
    array = np.asarray(numbers)
    if array.shape != (n_rows,):
        raise InputError(
            f"{kind}s must have one entry per value, shape ({n_rows},); got shape {array.shape}."
        )
    if array.dtype.kind not in "iu":
        raise InputError(
            f"{kind}s must be whole numbers, counted from 0; got dtype {array.dtype}."
            " For names use ordinate.read_ratings."
        )
    known = range(int(array.max()) + 1) if names is None else tuple(names)
    if names is not None and len(set(known)) < len(known):
        raise InputError(f"{kind}_names must differ; some occur more than once.")
    if array.min() < 0 or array.max() >= min(len(known), INT32_LIMIT):
        wrong = int(np.argmax((array < 0) | (array >= len(known))))
        raise InputError(
            f"{kind}s[{wrong}] is {array[wrong]}; numbers go from 0 to {len(known) - 1}."
        )
    return array.astype(np.int32), known


def sorted_pairs(
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    values: NDArray[np.float64],
    names: tuple[Sequence[Hashable], Sequence[Hashable]],
    on_duplicate: str = "refuse",
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Sort by user and item; make one value of those that a pair has, or refuse several."""
    check_choice("on_duplicate", on_duplicate, ON_DUPLICATE)
    same_user = users[1:] == users[:-1]
    if ((users[1:] > users[:-1]) | (same_user & (items[1:] > items[:-1]))).all():
        return users, items, values
    order = np.lexsort((items, users))  # keeps the order of rows within a pair
    users, items, values = users[order], items[order], values[order]
    repeated = np.append(False, (users[1:] == users[:-1]) & (items[1:] == items[:-1]))
    different = repeated & np.append(False, values[1:] != values[:-1])
    if different.any() and on_duplicate != "refuse":
        first = np.flatnonzero(~repeated)
        counts = np.diff(np.append(first, len(values)))
        if on_duplicate == "mean":
            values = np.add.reduceat(values, first) / counts
        else:
            values = values[first + counts - 1]
        return users[first], items[first], values
    if different.any():
        at = int(np.argmax(different))
        raise InputError(
            f"User {names[0][users[at]]!r} has {values[at - 1]:g} and {values[at]:g} for"
            f" item {names[1][items[at]]!r} (pairs like it: {different.sum()});"
            f" keep one value per user and item, or pass {argument('on_duplicate', 'mean')} or"
            f" {argument('on_duplicate', 'last')}."
        )
    if repeated.any():
        warnings.warn(
            f"Dropped {repeated.sum()} of {len(values)} rows: each repeats an earlier one.",
            DroppedRowsWarning,
            stacklevel=4,
        )
    return users[~repeated], items[~repeated], values[~repeated]


def usual_columns(
    names: Sequence[str], user: str, item: str, value: str
) -> tuple[str, str, str | None]:
    """Replace default names that are not there by usual headings, or by positions without any."""
    bare = list(names) == [str(number) for number in range(len(names))]
    if bare and 2 <= len(names) <= 4 and (user, item, value) == _DEFAULTS:
        return "0", "1", "2" if len(names) > 2 else None
    found = [
        _by_heading(names, name) if name == default else name
        for name, default in zip((user, item, value), _DEFAULTS, strict=True)
    ]
    no_values = len(names) == 2 and value == _DEFAULTS[2] and found[2] not in names
    return found[0], found[1], None if no_values else found[2]


def _by_heading(names: Sequence[str], default: str) -> str:
    """Return the default, or the only column whose heading means the same."""
    meant = [name for name in names if re.sub("[^a-z]", "", name.lower()) in _HEADINGS[default]]
    return meant[0] if default not in names and len(meant) == 1 else default


def frame_columns(
    table: Table, user: str, item: str, value: str | None
) -> tuple[Numbered, Numbered, NDArray[Any]]:
    """Take users, items and values out of a table; without a column of values they are 1."""
    asked = {"user": user, "item": item} | ({} if value is None else {"value": value})
    for parameter, name in asked.items():
        if name not in table.names:
            there = ", ".join(repr(known) for known in table.names)
            raise InputError(
                f"There is no column {name!r}; there are {there}. Each row must hold one rating;"
                f" choose the column with {argument(parameter)}."
            )
    columns = table.read([user, item], [] if value is None else [value])
    for name in asked.values():
        column = columns.column(name)
        if column.null_count:
            row = int(np.argmax(column.is_null().to_numpy()))
            raise InputError(
                f"{table.place(row)} has no entry in column {name!r} ({column.null_count} missing"
                " in all); leave such rows out."
            )
    return (
        number_column(user, columns.column(user)),
        number_column(item, columns.column(item)),
        np.ones(columns.num_rows) if value is None else as_numbers(value, columns.column(value)),
    )


def _find(kind: str, name: Hashable, numbers: dict[Hashable, int]) -> int:
    if name not in numbers:
        some = ", ".join(repr(known) for known in list(numbers)[:3])
        raise InputError(f"There is no {kind} {name!r}; {kind}s are called {some}, ….")
    return numbers[name]
