"""What methods that put users and items on one map have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ordinate._checks import InputError, check_integer
from ordinate._estimator import EmbeddingMixin
from ordinate._notebooks import ShownAsTable
from ordinate._progress import progress
from ordinate._random import RandomState
from ordinate.engine.cpu import Points
from ordinate.ratings.ranked_lists import RankedLists
from ordinate.ratings.record import Ratings
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function, warn_unless_converged

_TOLERANCE = 1e-5
_SHOWN = 5
"""Users, and items of each, that recommendations show when printed."""
_BLOCK = 2**22
"""Distances that are looked at together, so that a million users need no more memory."""


class NearestObjects(NamedTuple):
    """The nearest objects, nearest first.

    Attributes
    ----------
    names : list
        What the objects are called in the ratings.
    distances : ndarray of shape (k,)
        How far they are, with their offsets where the map has any.
    """

    names: list[Hashable]
    distances: NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Recommendations(ShownAsTable):
    """The items nearest to each of many users; printing it shows the first few.

    Attributes
    ----------
    users : list
        What the users are called.
    numbers : ndarray of int, shape (n_users, k)
        Numbers of the items, nearest first; -1 where there are no more.
    distances : ndarray of float, shape (n_users, k)
        How far they are, with their offsets where the map has any; infinite where there are no
        more.
    item_names : sequence
        What the items are called, by number.
    """

    users: list[Hashable]
    numbers: NDArray[np.intp]
    distances: NDArray[np.float64]
    item_names: Sequence[Hashable]

    def __len__(self) -> int:
        return len(self.users)

    def __repr__(self) -> str:
        return f"Recommendations({len(self):,} users, up to {self.numbers.shape[1]} items each)"

    def __str__(self) -> str:
        lines = [repr(self), "  user  nearest items  distance of the first"]
        for row, user in enumerate(self.users[:_SHOWN]):
            names, distances = self[row]
            if names:
                some = ", ".join(str(name) for name in names[:_SHOWN])
                more = ", …" if len(names) > _SHOWN else ""
                lines.append(f"  {user}  {some}{more}  {distances[0]:.3g}")
        return "\n".join(lines)

    def __getitem__(self, row: int) -> NearestObjects:
        """Return the items of one user, by the place of the user in `users`."""
        if not isinstance(row, int | np.integer):
            raise InputError(
                f"Recommendations are numbered by place in users; got {row!r}. For one user by name"
                f" call nearest_items({row!r})."
            )
        there = self.numbers[row] >= 0
        names = [self.item_names[number] for number in self.numbers[row][there].tolist()]
        return NearestObjects(names, self.distances[row][there])

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return user, rank, item and distance, a row for each recommendation.

        Returns
        -------
        dict of str to ndarray
            Columns that ``pandas.DataFrame`` takes.
        """
        row, rank = np.nonzero(self.numbers >= 0)
        users, names = (_objects(names) for names in (self.users, self.item_names))
        return {
            "user": users[row],
            "rank": rank + 1,
            "item": names[self.numbers[row, rank]],
            "distance": self.distances[row, rank],
        }


@dataclass(eq=False, repr=False)
class CoEmbedding(EmbeddingMixin, BaseEstimator):
    """Base of `COE`, `CFEE`, `BPRPlus` and `CODE`: users and items on one map."""

    n_components: int = 2

    def recommend(
        self,
        users: Iterable[Hashable] | Ratings | None = None,
        k: int = 10,
        *,
        exclude_rated: bool = True,
    ) -> Recommendations:
        """Find the items nearest to each of many users, which the map says they like best.

        Parameters
        ----------
        users : array-like of names, Ratings or None, default=None
            Users that were fitted, by name; ratings of new users, who are placed by them
            (`COE` only); or all fitted users.
        k : int, default=10
            How many items for each.
        exclude_rated : bool, default=True
            Leave out items that a user has rated.

        Returns
        -------
        Recommendations
            Numbers and distances of items; ``recommendations[0]`` has the names of the first.
        """
        ratings = self._fitted_ratings()
        if isinstance(users, Ratings):
            points, rated = self._placed(users)
            names = list(users.user_names)
        else:
            names = list(ratings.user_names) if users is None else _as_names(users)
            numbers = np.array([ratings.user_number(name) for name in names], dtype=np.intp)
            points = self.user_embedding_[numbers]
            owners, rows = _rows_of(ratings.users, numbers)
            rated = Rated(owners, ratings.items[rows])
        excluded, offsets = rated if exclude_rated else None, self._offsets_of("item")
        found = nearest_of(points, self.item_embedding_, k, excluded, offsets)
        return Recommendations(names, *found, ratings.item_names)

    def _offsets_of(self, type: str) -> NDArray[np.float64] | None:
        """Return what is added to the distances of users or of items, if anything is."""
        return None

    def _placed(self, new: Ratings) -> tuple[Points, Rated]:
        """Place new users, and say which fitted items they have rated."""
        raise InputError(
            f"{type(self).__name__} does not place new users; fit it to their ratings too, or use"
            " COE."
        )

    def nearest_items(
        self, user: Hashable, k: int = 10, *, exclude_rated: bool = True
    ) -> NearestObjects:
        """Find the items nearest to a user, which the map says are liked best.

        Parameters
        ----------
        user : hashable
            The user's name as in the ratings.
        k : int, default=10
            How many items; fewer are returned only if there are no more.
        exclude_rated : bool, default=True
            Leave out items that the user has rated.

        Returns
        -------
        NearestObjects
            Names and distances, nearest first.
        """
        return self.recommend([user], k, exclude_rated=exclude_rated)[0]

    def nearest_users(
        self, item: Hashable, k: int = 10, *, exclude_rated: bool = True
    ) -> NearestObjects:
        """Find the users nearest to an item, who the map says like it best.

        Parameters
        ----------
        item : hashable
            The item's name as in the ratings.
        k : int, default=10
            How many users; fewer are returned only if there are no more.
        exclude_rated : bool, default=True
            Leave out users that have rated the item.

        Returns
        -------
        NearestObjects
            Names and distances, nearest first.
        """
        ratings = self._fitted_ratings()
        number = ratings.item_number(item)
        raters = ratings.users[ratings.items == number]
        rated = Rated(np.zeros(len(raters), np.intp), raters) if exclude_rated else None
        points, offsets = self.item_embedding_[[number]], self._offsets_of("user")
        found = nearest_of(points, self.user_embedding_, k, rated, offsets)
        return Recommendations([item], *found, ratings.user_names)[0]

    def _fitted_ratings(self) -> Ratings:
        check_is_fitted(self)
        if not hasattr(self, "ratings_"):
            raise InputError(
                f"This {type(self).__name__} was fitted to explicit triples; users and items are"
                " known only after a fit to Ratings."
            )
        return self.ratings_

    def _store(self, ratings: Ratings, users: Points, items: Points) -> Self:
        """Keep a fit to ratings."""
        self.ratings_ = ratings
        self.user_embedding_, self.item_embedding_ = users, items
        self.embedding_: Points = np.concatenate([users, items])
        self.names_ = (*ratings.user_names, *ratings.item_names)
        return self

    def _object_index(self) -> Any:
        """Return pairs such as ("user", "Ann"): a user and an item may have the same name."""
        ratings = getattr(self, "ratings_", None)
        if ratings is None:
            return super()._object_index()
        import pandas as pd

        types = np.repeat(["user", "item"], [ratings.n_users, ratings.n_items])
        return pd.MultiIndex.from_arrays([types, self.names_], names=["type", "object"])


@dataclass(eq=False, repr=False)
class SmoothCoEmbedding(CoEmbedding):
    """Base of `CFEE` and `CODE`, which minimise a smooth function of all coordinates."""

    _: KW_ONLY
    max_iter: int = 300
    random_state: RandomState = None
    verbose: bool = False

    def _minimize(self, objective: Function, start: Points) -> Points:
        """Return where L-BFGS ends, and keep what tells how it came there."""
        check_integer("max_iter", self.max_iter, minimum=1)
        with progress(type(self).__name__, total=self.max_iter, enabled=self.verbose) as advance:
            found = lbfgs(
                objective,
                start,
                max_iter=self.max_iter,
                tol=_TOLERANCE,
                callback=lambda number, value, points: advance(1, note=f"loss {value:.6g}"),
            )
        self.loss_, self.n_iter_, self.history_ = found.value, found.n_iter, found.history
        self.converged_ = found.converged
        name, n_iter = type(self).__name__, found.n_iter
        warn_unless_converged(name, found.converged, n_iter, self.max_iter, limits="max_iter")
        return found.points


def check_ratings(X: object) -> Ratings:
    """Return `X` if it is a table of ratings, or say how to make one."""
    if not isinstance(X, Ratings):
        raise InputError(
            f"Expected Ratings; got {type(X).__name__}. Make them with"
            " ordinate.Ratings.from_frame(frame, user=..., item=..., value=...)."
        )
    return X


def ranked_lists(ratings: Ratings, scores: NDArray[np.float64], n_threads: int = 1) -> RankedLists:
    """Return the lists that a table of ratings with these scores stands for."""
    columns = ratings.users, ratings.items, scores
    return RankedLists(*columns, ratings.n_users, ratings.n_items, n_threads)


class Rated(NamedTuple):
    """Pairs that are not to be recommended: a row of the points asked about, and an object."""

    owners: NDArray[np.intp]
    others: NDArray[Any]


def _objects(names: Sequence[Hashable]) -> NDArray[Any]:
    """Return names as they are: one long one does not widen the others."""
    column = np.empty(len(names), dtype=object)
    column[:] = names
    return column


def _as_names(users: Iterable[Hashable]) -> list[Hashable]:
    if isinstance(users, str) or not isinstance(users, Iterable):
        raise InputError(
            f"users must be a list of names; got {users!r}. For one user pass [{users!r}], or call"
            " nearest_items."
        )
    return [name.item() if isinstance(name, np.generic) else name for name in users]


def _rows_of(
    sorted_owners: NDArray[np.int32], numbers: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of a sorted column that hold one of the numbers, and before it which one."""
    first, last = (np.searchsorted(sorted_owners, numbers, side=side) for side in ("left", "right"))
    counts = last - first
    owners = np.repeat(np.arange(len(numbers)), counts)
    starts = np.repeat(first - np.cumsum(counts) + counts, counts)
    return owners, starts + np.arange(len(owners))


def nearest_of(
    points: Points,
    others: Points,
    k: int,
    excluded: Rated | None,
    offsets: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Find the k nearest of others to each point, in blocks of points, and their distances.

    Offsets, one for each of the others, are added to their distances.
    """
    k = check_integer("k", k, minimum=1)
    k = min(k, len(others))
    numbers = np.full((len(points), k), -1, dtype=np.intp)
    distances = np.full((len(points), k), np.inf)
    lengths = np.square(others).sum(axis=1)
    size = max(1, _BLOCK // len(others))
    for start in range(0, len(points), size):
        block = points[start : start + size]
        # squared distances less the point's own squared length, which does not change the order
        order = lengths - 2 * (block @ others.T)
        if offsets is not None:
            order += np.square(block).sum(axis=1)[:, None]
            order = np.sqrt(np.maximum(order, 0)) + offsets
        if excluded is not None:
            first, last = np.searchsorted(excluded.owners, [start, start + len(block)])
            order[excluded.owners[first:last] - start, excluded.others[first:last]] = np.inf
        chosen = np.argpartition(order, k - 1, axis=1)[:, :k]
        there = np.isfinite(np.take_along_axis(order, chosen, axis=1))
        far = np.linalg.norm(block[:, None] - others[chosen], axis=2)
        if offsets is not None:
            far += offsets[chosen]
        far[~there] = np.inf
        by_distance = np.lexsort((chosen, far), axis=1)
        rows = slice(start, start + len(block))
        distances[rows] = np.take_along_axis(far, by_distance, axis=1)
        found = np.where(there, chosen, -1)
        numbers[rows] = np.take_along_axis(found, by_distance, axis=1)
    return numbers, distances
