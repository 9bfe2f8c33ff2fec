"""What methods that put users and items on one map have in common."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ordinate._checks import InputError, check_integer
from ordinate._estimator import EmbeddingMixin
from ordinate._progress import progress
from ordinate._random import RandomState
from ordinate.engine.cpu import Points
from ordinate.ratings.ranked_lists import RankedLists
from ordinate.ratings.record import Ratings
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function

_TOLERANCE = 1e-5


class NearestObjects(NamedTuple):
    """The nearest objects, nearest first.

    Attributes
    ----------
    names : list
        What the objects are called in the ratings.
    distances : ndarray of shape (k,)
        How far they are.
    """

    names: list[Hashable]
    distances: NDArray[np.float64]


@dataclass(eq=False, repr=False)
class CoEmbedding(EmbeddingMixin, BaseEstimator):
    """Base of `COE`, `CFEE`, `BPRPlus` and `CODE`: users and items on one map."""

    n_components: int = 2

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
        ratings = self._fitted_ratings()
        number = ratings.user_number(user)
        first, last = np.searchsorted(ratings.users, [number, number + 1])
        rated: Any = ratings.items[first:last] if exclude_rated else []
        return _nearest(self._item_tree, self.user_embedding_[number], k, rated, ratings.item_names)

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
        raters = ratings.users[ratings.items == number] if exclude_rated else []
        return _nearest(
            self._user_tree, self.item_embedding_[number], k, raters, ratings.user_names
        )

    def _fitted_ratings(self) -> Ratings:
        check_is_fitted(self)
        if not hasattr(self, "ratings_"):
            raise InputError(
                f"This {type(self).__name__} was fitted to explicit triples; users and items are"
                " known only after a fit to Ratings."
            )
        return self.ratings_

    def _store(self, ratings: Ratings, users: Points, items: Points) -> Self:
        """Keep a fit to ratings: coordinates, and trees that find neighbours."""
        self.ratings_ = ratings
        self.user_embedding_, self.item_embedding_ = users, items
        self.embedding_: Points = np.concatenate([users, items])
        self.names_ = (*ratings.user_names, *ratings.item_names)
        self._user_tree, self._item_tree = cKDTree(users), cKDTree(items)
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


def _nearest(
    tree: cKDTree,
    point: NDArray[np.float64],
    k: int,
    excluded: NDArray[np.int32] | Sequence[int],
    names: Sequence[Hashable],
) -> NearestObjects:
    check_integer("k", k, minimum=1)
    wanted = min(k + len(excluded), tree.n)
    found = tree.query(point, k=np.arange(1, wanted + 1))
    distances, numbers = (np.asarray(part) for part in found)
    kept = np.flatnonzero(~np.isin(numbers, excluded))[:k]
    return NearestObjects([names[number] for number in numbers[kept].tolist()], distances[kept])
