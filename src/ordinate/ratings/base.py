"""What methods that put users and items on one map have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError, check_integer
from ordinate._estimator import BaseEstimator, EmbeddingMixin, check_is_fitted
from ordinate._notebooks import ShownAsTable
from ordinate._progress import progress
from ordinate._random import RandomState
from ordinate.io.tables import as_table, is_frame
from ordinate.ratings.pair_counts import count_right
from ordinate.ratings.ranked_lists import RankedLists
from ordinate.ratings.record import Ratings, read_ratings
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function, warn_unless_converged

_TOLERANCE = 1e-5
_SHOWN = 5
"""Users, and items of each, that recommendations show when printed."""
_BLOCK = 2**22
"""Distances that are looked at together, so that a million users need no more memory."""


class NearestObjects(NamedTuple):
    """The nearest objects, nearest first."""

    names: list[Hashable]
    distances: NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Recommendations(ShownAsTable):
    """The items nearest to each of many users; printing it shows the first few."""

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
        """Return user, rank, item and distance, a row for each recommendation."""
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

    def fit(self, X: Any, y: None = None) -> Self:
        """Place users and items on one map.

        Parameters
        ----------
        X : Ratings or data frame with the columns user, item and rating
            What to fit.
        y : None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted estimator.
        """
        ratings = check_ratings(X)
        check_integer("n_components", self.n_components, minimum=1)
        self._store(ratings, *self._placed_by(ratings))
        return self

    def _placed_by(self, ratings: Ratings) -> tuple[Points, Points]:
        """Return the coordinates of users and of items."""
        raise NotImplementedError

    def recommend(
        self,
        users: Iterable[Hashable] | Ratings | None = None,
        k: int = 10,
        *,
        exclude_rated: bool = True,
        min_ratings: int = 0,
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
        min_ratings : int, default=0
            Leave out items with fewer ratings, about which little is known.

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
        known = self._items_with(min_ratings)
        place = np.full(ratings.n_items, -1)
        place[known] = np.arange(len(known))
        its = place[rated.others] >= 0
        rated = Rated(rated.owners[its], place[rated.others[its]])
        offsets = self._offsets_of("item")
        numbers, distances = nearest_of(
            points,
            self.item_embedding_[known],
            k,
            rated if exclude_rated else None,
            None if offsets is None else offsets[known],
        )
        found = np.where(numbers < 0, -1, known[numbers])
        return Recommendations(names, found, distances, ratings.item_names)

    def _items_with(self, min_ratings: int) -> NDArray[np.intp]:
        """Return the items with so many ratings, or say that there is none."""
        ratings = self._fitted_ratings()
        counts = np.bincount(ratings.items, minlength=ratings.n_items)
        known = np.flatnonzero(counts >= check_integer("min_ratings", min_ratings, minimum=0))
        if len(known) == 0:
            raise InputError(
                f"No item has {min_ratings} ratings or more, so none can be recommended; the most"
                f" that one has is {counts.max()}. Lower min_ratings."
            )
        return known

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

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of pairs of a user's ratings whose better item is nearer to the user.

        Parameters
        ----------
        X : Ratings or data frame with the columns user, item and rating
            Ratings of fitted users and items, usually held out from the fit; matched by name.
        y, sample_weight : None
            Not used; scikit-learn's searches pass them.

        Returns
        -------
        float
            Between 0 and 1; 0.5 is guessing. Pairs of equal value do not count.
        """
        known, given = self._fitted_ratings(), check_ratings(X)
        columns = *self._numbers_of(given), given.values
        lists = RankedLists(*columns, known.n_users, known.n_items)
        offsets = self._offsets_of("item")
        if offsets is not None:
            offsets = np.concatenate([np.zeros(known.n_users), offsets])
        counts = count_right(lists, self.embedding_, offsets)
        n_pairs = int(counts.pairs[: known.n_users].sum())
        if n_pairs == 0:
            raise InputError(
                "No user has two ratings of different value; there is nothing to score."
            )
        return float(counts.right[: known.n_users].sum() / n_pairs)

    def _numbers_of(self, ratings: Ratings) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the numbers that users and items of other ratings have in the fit."""
        known = self._fitted_ratings()
        users, items = np.unique(ratings.users), np.unique(ratings.items)
        of_user, of_item = np.zeros(ratings.n_users, np.int32), np.zeros(ratings.n_items, np.int32)
        of_user[users] = [known.user_number(ratings.user_names[user]) for user in users]
        of_item[items] = [known.item_number(ratings.item_names[item]) for item in items]
        return of_user[ratings.users], of_item[ratings.items]

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

    def _object_index(self) -> dict[str, Any]:
        """Return pairs such as ("user", "Ann"): a user and an item may have the same name."""
        ratings = getattr(self, "ratings_", None)
        if ratings is None:
            return super()._object_index()
        types = np.repeat(["user", "item"], [ratings.n_users, ratings.n_items])
        return {"type": types, "object": list(self.names_ or ())}


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
        warn_unless_converged(name, found.converged, n_iter, self.max_iter, limits=["max_iter"])
        return found.points


def check_ratings(X: object) -> Ratings:
    """Return `X` as a table of ratings, or say how to make one."""
    if isinstance(X, Ratings):
        return X
    if not is_frame(X):
        raise InputError(
            f"Expected Ratings; got {type(X).__name__}. Make them with"
            " ordinate.read_ratings(frame, user=..., item=..., value=...)."
        )
    table = as_table(X)
    if not {"user", "item", "rating"} <= set(table.names):
        there = ", ".join(repr(name) for name in table.names)
        raise InputError(
            f"Expected a frame with the columns 'user', 'item' and 'rating'; got {there}. Say which"
            " is which: ordinate.read_ratings(frame, user=..., item=..., value=...)."
        )
    return read_ratings(X)


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
