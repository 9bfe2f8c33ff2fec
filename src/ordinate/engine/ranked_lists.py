"""For every user the items, and for every item the users, with their ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ordinate.engine.cpu import Points, run_chunks

_CHUNKS = 16


class PairCounts(NamedTuple):
    """How many pairs of its list each object has, and how many of them a map gets right.

    Attributes
    ----------
    right, pairs : ndarray of int64, shape (n_objects,)
        For each owner of a list: pairs with different ranks, and those of them whose better
        member is strictly nearer.
    right_in, pairs_in : ndarray of int64, shape (n_objects,)
        The same for each object as a member of such pairs in others' lists.
    """

    right: NDArray[np.int64]
    pairs: NDArray[np.int64]
    right_in: NDArray[np.int64]
    pairs_in: NDArray[np.int64]

    def __sub__(self, other: PairCounts) -> PairCounts:
        """Count the pairs that the other lists do not have."""
        return PairCounts(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


class RankedLists:
    """Objects that each object was rated with or by, and how highly.

    Users come first in the numbering of objects, then items. A list of a user with its items
    stands for triples of type A, a list of an item with its users for type B; a pair of entries
    with different ranks is one triple.

    Parameters
    ----------
    users, items : ndarray of int32, shape (n_ratings,)
        Sorted by user.
    scores : ndarray of float, shape (n_ratings,)
        What is compared.
    n_users, n_items : int
        How many there are.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_objects + 1,)
        Where the list of each object begins in `entries`.
    entries : ndarray of uint32, shape (2 * n_ratings, 2)
        The other object, and the rank of the score among all scores; within a list the rank
        increases.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.engine.ranked_lists import RankedLists
    >>> lists = RankedLists(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([5, 3, 4.0]), 2, 2)
    >>> lists.count_pairs()
    array([1, 0, 0, 1])
    >>> lists.count_right(np.array([[0.0], [3.0], [1.0], [2.0]])).right
    array([1, 0, 0, 1])
    """

    def __init__(
        self,
        users: NDArray[np.int32],
        items: NDArray[np.int32],
        scores: NDArray[np.float64],
        n_users: int,
        n_items: int,
    ) -> None:
        self.n_users, self.n_items = n_users, n_items
        n_ratings = len(users)
        by_score = np.argsort(scores, kind="stable")
        ordered = scores[by_score]
        ranks = np.zeros(n_ratings, dtype=np.uint32)
        np.cumsum(ordered[1:] != ordered[:-1], out=ranks[1:])
        self.entries = np.empty((2 * n_ratings, 2), dtype=np.uint32)
        sizes = []
        halves = (self.entries[:n_ratings], self.entries[n_ratings:])
        for half, owners, others, n_owners in (
            (halves[0], users, items, n_users),
            (halves[1], items, users, n_items),
        ):
            grouped = _grouped(owners[by_score], n_owners)
            half[:, 0] = others[by_score[grouped]]
            half[:, 1] = ranks[grouped]
            sizes.append(np.bincount(owners, minlength=n_owners))
        halves[0][:, 0] += np.uint32(n_users)
        self.offsets = np.append(0, np.cumsum(np.concatenate(sizes)))

    @property
    def n_objects(self) -> int:
        """Users and items together."""
        return self.n_users + self.n_items

    def count_pairs(self, n_threads: int = 1) -> NDArray[np.int64]:
        """Count the triples of each object's list.

        Parameters
        ----------
        n_threads : int
            Threads that share the lists.

        Returns
        -------
        ndarray of int64, shape (n_objects,)
            Pairs of entries with different ranks.
        """
        pairs = np.zeros(self.n_objects, dtype=np.int64)

        def work(first: int, last: int, chunk: int) -> None:
            _count_untied(self.offsets, self.entries, first, last, pairs)

        self._share(work, n_threads)
        return pairs

    def _share(self, work: Callable[[int, int, int], None], n_threads: int) -> None:
        """Do the work of all lists in chunks with about as many entries each."""
        ends = np.linspace(0, self.offsets[-1], _CHUNKS + 1)
        bounds = np.searchsorted(self.offsets, ends, side="left")
        bounds[0], bounds[-1] = 0, self.n_objects

        def chunk_work(chunk: int) -> float:
            work(bounds[chunk], bounds[chunk + 1], chunk)
            return 0.0

        run_chunks(chunk_work, _CHUNKS, n_threads)

    def count_right(self, points: Points, n_threads: int = 1) -> PairCounts:
        """Count exactly, over all triples, what a map gets right.

        Each list is sorted by distance, and a tree of counts by rank tells for each entry how
        many nearer ones rank lower: O(k log k) for a list of k.

        Parameters
        ----------
        points : ndarray of shape (n_objects, n_components)
            Coordinates of users, then of items.
        n_threads : int
            Threads that share the lists.

        Returns
        -------
        PairCounts
            Figures of each object, the same for any number of threads.
        """
        of_owner = np.zeros((self.n_objects, 2), dtype=np.int64)
        of_member = np.zeros((_CHUNKS, self.n_objects, 2), dtype=np.int64)

        def work(first: int, last: int, chunk: int) -> None:
            offsets = self.offsets[first : last + 1] - self.offsets[first]
            entries = self.entries[self.offsets[first] : self.offsets[last]]
            owners = np.repeat(np.arange(first, last), np.diff(offsets))
            distance2 = np.square(points[owners] - points[entries[:, 0]]).sum(axis=1)
            order = np.lexsort((distance2, owners))
            _count_right(offsets, entries, distance2, order, of_owner[first:last], of_member[chunk])

        self._share(work, n_threads)
        members = of_member.sum(axis=0)
        return PairCounts(of_owner[:, 0], of_owner[:, 1], members[:, 0], members[:, 1])


def _grouped(owners: NDArray[np.int32], n_owners: int) -> NDArray[np.int32]:
    """Return positions sorted by owner, in linear time; within an owner they increase."""
    n = len(owners)
    rows = csr_array((np.ones(n, np.int8), owners, np.arange(n + 1)), shape=(n, n_owners))
    grouped: NDArray[np.int32] = rows.tocsc().indices
    return grouped


@njit(nogil=True, cache=True, error_model="numpy")
def _add(tree: Any, size: int, at: int) -> None:
    """Count one more at position `at` of a Fenwick tree of `size` positions."""
    at += 1
    while at <= size:
        tree[at] += 1
        at += at & -at


@njit(nogil=True, cache=True, error_model="numpy")
def _below(tree: Any, at: int) -> int:
    """Return how many were counted at positions below `at`."""
    total = 0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def _count_untied(offsets: Any, entries: Any, first: int, last: int, pairs: Any) -> None:
    """Write the number of pairs with different ranks in the lists of objects first … last."""
    for owner in range(first, last):
        start = offsets[owner]
        lower = 0
        for e in range(start, offsets[owner + 1]):
            if e > start and entries[e, 1] != entries[e - 1, 1]:
                lower = e - start
            pairs[owner] += lower


@njit(nogil=True, cache=True, error_model="numpy")
def _number_ranks(entries: Any, start: int, stop: int, local: Any, lower: Any) -> int:
    """Give the ranks of one list numbers from 0; count the entries below each, and all."""
    number = -1
    for e in range(start, stop):
        if e == start or entries[e, 1] != entries[e - 1, 1]:
            number += 1
            lower[number] = e - start
        local[e - start] = number
    lower[number + 1] = stop - start
    return number + 1


@njit(nogil=True, cache=True, error_model="numpy")
def _count_right(
    offsets: Any, entries: Any, distance2: Any, order: Any, of_owner: Any, of_member: Any
) -> None:
    """Add right and all pairs of each list to the two tables.

    `order` sorts the entries by owner and distance. Two Fenwick trees hold the ranks of the
    entries that are nearer than the present one, and of those that are not farther.
    """
    longest = 0
    for owner in range(len(offsets) - 1):
        longest = max(longest, offsets[owner + 1] - offsets[owner])
    local = np.empty(longest, dtype=np.int64)
    lower = np.empty(longest + 1, dtype=np.int64)
    nearer = np.empty(longest + 1, dtype=np.int64)
    not_farther = np.empty(longest + 1, dtype=np.int64)
    for owner in range(len(offsets) - 1):
        start, stop = offsets[owner], offsets[owner + 1]
        n_ranks = _number_ranks(entries, start, stop, local, lower)
        nearer[: n_ranks + 1] = 0
        not_farther[: n_ranks + 1] = 0
        n_nearer = start
        n_not_farther = start
        for place in range(start, stop):
            e = order[place]
            while distance2[order[n_nearer]] < distance2[e]:
                _add(nearer, n_ranks, local[order[n_nearer] - start])
                n_nearer += 1
            while n_not_farther < stop and distance2[order[n_not_farther]] <= distance2[e]:
                _add(not_farther, n_ranks, local[order[n_not_farther] - start])
                n_not_farther += 1
            rank = local[e - start]
            nearer_and_better = n_nearer - start - _below(nearer, rank + 1)
            farther_and_worse = lower[rank] - _below(not_farther, rank)
            pairs = stop - start - (lower[rank + 1] - lower[rank])
            of_owner[owner, 0] += nearer_and_better
            of_owner[owner, 1] += pairs
            of_member[entries[e, 0], 0] += nearer_and_better + farther_and_worse
            of_member[entries[e, 0], 1] += pairs
        of_owner[owner, 1] //= 2
