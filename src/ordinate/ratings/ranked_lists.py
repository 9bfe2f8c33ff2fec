"""For every user the items, and for every item the users, with their ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._compiler import njit
from ordinate.engine.cpu import run_chunks

N_CHUNKS = 16
"""Parts into which work on all lists is cut, whatever the number of threads."""


class RankedLists:
    """Objects that each object was rated with or by, and how highly.

    Users come first in the numbering of objects, then items. A list of a user with its items
    stands for triples whose anchor is the user, a list of an item with its users for triples
    whose anchor is the item; a pair of entries with different ranks is one triple.
    """

    def __init__(
        self,
        users: NDArray[np.int32],
        items: NDArray[np.int32],
        scores: NDArray[np.float64],
        n_users: int,
        n_items: int,
        n_threads: int = 1,
    ) -> None:
        self.n_users, self.n_items = n_users, n_items
        self._n_threads = n_threads
        sizes = [np.bincount(users, minlength=n_users), np.bincount(items, minlength=n_items)]
        self.offsets = np.append(0, np.cumsum(np.concatenate(sizes)))
        self.entries = np.empty((2 * len(users), 2), dtype=np.uint32)
        # one half after the other, so that there is only one copy of the scores at a time
        self._fill(users, items, scores, range(n_users), n_users)
        self._fill(items, users, scores, range(n_users, self.n_objects), 0)

    def _fill(
        self,
        owners: NDArray[np.int32],
        others: NDArray[np.int32],
        scores: NDArray[np.float64],
        objects: range,
        first_other: int,
    ) -> None:
        """Write the lists of some objects, in increasing order of score."""
        offsets = self.offsets[objects.start : objects.stop + 1]
        entries = self.entries[offsets[0] : offsets[-1]]
        offsets = offsets - offsets[0]
        listed = np.empty(len(scores))
        _distribute(owners, others, scores, first_other, offsets[:-1].copy(), entries, listed)

        def work(first: int, last: int, chunk: int) -> None:
            _rank(offsets, first, last, listed, entries)

        self._share(work, offsets)

    @property
    def n_objects(self) -> int:
        """Users and items together."""
        return self.n_users + self.n_items

    def count_pairs(self) -> NDArray[np.int64]:
        """Count the triples of each object's list."""
        pairs = np.zeros(self.n_objects, dtype=np.int64)

        def work(first: int, last: int, chunk: int) -> None:
            _count_untied(self.offsets, self.entries, first, last, pairs)

        self.share(work)
        return pairs

    def share(self, work: Callable[[int, int, int], None]) -> None:
        """Do some work on all lists."""
        self._share(work, self.offsets)

    def _share(self, work: Callable[[int, int, int], None], offsets: NDArray[np.int64]) -> None:
        """Cut lists into chunks with about as many entries each, and share them."""
        ends = np.linspace(0, offsets[-1], N_CHUNKS + 1)
        bounds = np.searchsorted(offsets, ends, side="left")
        bounds[0], bounds[-1] = 0, len(offsets) - 1

        def chunk_work(chunk: int) -> float:
            work(bounds[chunk], bounds[chunk + 1], chunk)
            return 0.0

        run_chunks(chunk_work, N_CHUNKS, self._n_threads)


@njit(nogil=True, cache=True, error_model="numpy")
def _distribute(
    owners: Any, others: Any, scores: Any, first_other: int, free: Any, entries: Any, listed: Any
) -> None:
    """Copy each rating to the next free place in the list of its owner."""
    for r in range(len(owners)):
        at = free[owners[r]]
        free[owners[r]] += 1
        entries[at, 0] = others[r] + first_other
        listed[at] = scores[r]


@njit(nogil=True, cache=True, error_model="numpy")
def _rank(offsets: Any, first: int, last: int, listed: Any, entries: Any) -> None:
    """Sort the lists of owners first … last by score, and write ranks."""
    for owner in range(first, last):
        start, stop = offsets[owner], offsets[owner + 1]
        # stable, so that ties stand in one order on every machine
        order = np.argsort(listed[start:stop], kind="mergesort")
        others = entries[start:stop, 0].copy()
        rank = 0
        for place in range(len(order)):
            if place > 0 and listed[start + order[place]] != listed[start + order[place - 1]]:
                rank += 1
            entries[start + place, 0] = others[order[place]]
            entries[start + place, 1] = rank


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
