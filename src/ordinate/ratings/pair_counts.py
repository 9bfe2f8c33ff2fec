"""Count exactly, over all pairs of ranked lists, what a map gets right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._compiler import njit
from ordinate.ratings.ranked_lists import N_CHUNKS, RankedLists


class PairCounts(NamedTuple):
    """How many pairs of its list each object has, and how many of them a map gets right."""

    right: NDArray[np.int64]
    pairs: NDArray[np.int64]
    right_in: NDArray[np.int64]
    pairs_in: NDArray[np.int64]

    def __sub__(self, other: PairCounts) -> PairCounts:
        """Count the pairs that the other lists do not have."""
        return PairCounts(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


def count_right(
    lists: RankedLists, points: Points, offsets: NDArray[np.float64] | None = None
) -> PairCounts:
    """Count the pairs of each list whose better member is nearer to the list's owner.

    Each list is sorted by distance, and a tree of counts by rank tells for each entry how many
    nearer ones rank lower: O(k log k) for a list of k.
    """
    if offsets is None:
        offsets = np.empty(0)
    of_owner = np.zeros((lists.n_objects, 2), dtype=np.int64)
    of_member = np.zeros((N_CHUNKS, lists.n_objects, 2), dtype=np.int64)

    def work(first: int, last: int, chunk: int) -> None:
        _count(
            lists.offsets, lists.entries, points, offsets, first, last, of_owner, of_member[chunk]
        )

    lists.share(work)
    members = of_member.sum(axis=0)
    return PairCounts(of_owner[:, 0], of_owner[:, 1], members[:, 0], members[:, 1])


@njit(nogil=True, cache=True, error_model="numpy")
def _count(
    starts: Any,
    entries: Any,
    points: Any,
    offsets: Any,
    first: int,
    last: int,
    of_owner: Any,
    of_member: Any,
) -> None:
    """Add right and all pairs of the lists of objects first … last to the two tables.

    Two Fenwick trees hold the ranks of the entries that are nearer than the present one, and of
    those that are not farther.
    """
    longest = 0
    for owner in range(first, last):
        longest = max(longest, starts[owner + 1] - starts[owner])
    all_lower = np.empty(longest + 1, dtype=np.int64)
    nearer = np.empty(longest + 1, dtype=np.int64)
    not_farther = np.empty(longest + 1, dtype=np.int64)
    for owner in range(first, last):
        members = entries[starts[owner] : starts[owner + 1]]
        distance = _distances(points, offsets, owner, members)
        order = np.argsort(distance)
        n_ranks = _count_lower(members, all_lower)
        nearer[: n_ranks + 1] = 0
        not_farther[: n_ranks + 1] = 0
        n_nearer = 0
        n_not_farther = 0
        for e in order:
            while distance[order[n_nearer]] < distance[e]:
                _add(nearer, n_ranks, members[order[n_nearer], 1])
                n_nearer += 1
            while n_not_farther < len(order) and distance[order[n_not_farther]] <= distance[e]:
                _add(not_farther, n_ranks, members[order[n_not_farther], 1])
                n_not_farther += 1
            rank: Any = np.int64(members[e, 1])
            nearer_and_better = n_nearer - _below(nearer, rank + 1)
            farther_and_worse = all_lower[rank] - _below(not_farther, rank)
            pairs = len(order) - (all_lower[rank + 1] - all_lower[rank])
            of_owner[owner, 0] += nearer_and_better
            of_owner[owner, 1] += pairs
            of_member[members[e, 0], 0] += nearer_and_better + farther_and_worse
            of_member[members[e, 0], 1] += pairs
        of_owner[owner, 1] //= 2


@njit(nogil=True, cache=True, error_model="numpy")
def _distances(points: Any, offsets: Any, owner: int, members: Any) -> Any:
    """Return the distance of each member to the owner, squared if there are no offsets."""
    distance2 = np.zeros(len(members))
    for e in range(len(members)):
        for s in range(points.shape[1]):
            step = points[members[e, 0], s] - points[owner, s]
            distance2[e] += step * step
        if len(offsets):
            distance2[e] = np.sqrt(distance2[e]) + offsets[members[e, 0]]
    return distance2


@njit(nogil=True, cache=True, error_model="numpy")
def _count_lower(members: Any, all_lower: Any) -> int:
    """Write how many members rank below each rank, then how many there are; count ranks."""
    n_ranks = 0
    for e in range(len(members)):
        if e == 0 or members[e, 1] != members[e - 1, 1]:
            all_lower[n_ranks] = e
            n_ranks += 1
    all_lower[n_ranks] = len(members)
    return n_ranks


@njit(nogil=True, cache=True, error_model="numpy")
def _add(tree: Any, size: int, rank: int) -> None:
    """Count one more with this rank in a Fenwick tree of `size` ranks."""
    at = np.int64(rank) + 1
    while at <= size:
        tree[at] += 1
        at += at & -at


@njit(nogil=True, cache=True, error_model="numpy")
def _below(tree: Any, rank: int) -> int:
    """Return how many were counted with a rank below this one."""
    at = rank
    total = 0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total
