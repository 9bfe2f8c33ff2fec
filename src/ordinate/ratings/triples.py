"""Draw triples at random, from ratings or from rows that are written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError, check_integer
from ordinate._compiler import njit
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.ratings.normalization import Normalization
from ordinate.ratings.ranked_lists import RankedLists

if TYPE_CHECKING:
    from ordinate.ratings.record import Ratings


State = NDArray[np.uint64]
"""One number, the state of a SplitMix64 generator; drawing changes it."""


TripleStep: TypeAlias = Callable[[Points, NDArray[np.uint32], float], None]
"""Moves coordinates in place: takes them, triples (anchor, near, far) and a learning rate."""


class Sampler(Protocol):
    """Where the triples of a stochastic method come from."""

    n_objects: int

    def draw(self, state: State, rows: NDArray[np.uint32]) -> None:
        """Fill `rows`, shape (n_rows, 3), with triples (anchor, near, far)."""


class ListSampler:
    """Draws triples from ranked lists."""

    def __init__(
        self,
        lists: RankedLists,
        by: str = "objects",
        user_anchored: float | None = 0.5,
        unrated: float = 0.0,
    ) -> None:
        self.n_objects = lists.n_objects
        self._lists = lists
        self._unrated = np.uint64(unrated * 2**32)
        self._anchors, self._limit, self._alias = _anchors_of(
            lists, lists.count_pairs(), by, user_anchored
        )

    def draw(self, state: State, rows: NDArray[np.uint32]) -> None:
        """Fill `rows`, shape (n_rows, 3), with triples (anchor, near, far)."""
        _draw_from_lists(
            self._lists.offsets, self._lists.entries, self._anchors, self._limit, self._alias,
            state, rows,
        )  # fmt: skip
        if self._unrated:
            _put_above_unrated(
                self._lists.offsets, self._lists.entries, self._lists.n_users, self._unrated, state,
                rows,
            )  # fmt: skip


class MemberSampler:
    """Draws triples of who stands in a list and who does not, for values that are all the same.

    A user goes better with an item that it has than with one that it has not, and an item with a
    user that has it than with another.
    """

    def __init__(
        self, lists: RankedLists, by: str = "objects", user_anchored: float | None = 0.5
    ) -> None:
        self.n_objects = lists.n_objects
        self._lists = lists
        sizes = np.diff(lists.offsets)
        n_others = np.repeat([lists.n_items, lists.n_users], [lists.n_users, lists.n_items])
        n_pairs = sizes * (n_others - sizes)
        self._anchors, self._limit, self._alias = _anchors_of(lists, n_pairs, by, user_anchored)

    def draw(self, state: State, rows: NDArray[np.uint32]) -> None:
        """Fill `rows`, shape (n_rows, 3), with triples (anchor, near, far)."""
        _draw_members(
            self._lists.offsets, self._lists.entries, self._lists.n_users, self._anchors,
            self._limit, self._alias, state, rows,
        )  # fmt: skip


def _anchors_of(
    lists: RankedLists, n_pairs: NDArray[np.int64], by: str, user_anchored: float | None
) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint32]]:
    """Return who is an anchor, and a table by which to draw one."""
    weights = n_pairs.astype(np.float64) if by == "triples" else (n_pairs > 0).astype(float)
    users, items = weights[: lists.n_users], weights[lists.n_users :]
    if user_anchored is not None and users.any() and items.any():
        users *= user_anchored / users.sum()
        items *= (1 - user_anchored) / items.sum()
    anchors = np.flatnonzero(weights).astype(np.uint32)
    return anchors, *alias_table(weights[anchors])


class RowSampler:
    """Draws triples from explicit ones, each as often as its weight says."""

    def __init__(self, comparisons: Comparisons) -> None:
        self.n_objects = comparisons.n_objects
        weights = comparisons.weights
        if weights is None:
            weights = np.ones(len(comparisons))
        self._rows = comparisons.rows[weights > 0].view(np.uint32)
        self._limit, self._alias = alias_table(weights[weights > 0])

    def draw(self, state: State, rows: NDArray[np.uint32]) -> None:
        """Fill `rows`, shape (n_rows, 3), with triples (anchor, near, far)."""
        _draw_from_rows(self._rows, self._limit, self._alias, state, rows)


class TripleRounds:
    """Rounds of drawn triples for a stochastic gradient (`ordinate.ratings.sgd.Rounds`)."""

    def __init__(
        self, sampler: Sampler, step: TripleStep, seeds: NDArray[np.uint64], rows_per_round: int
    ) -> None:
        self.n_parts = len(seeds)
        self._sampler = sampler
        self._step = step
        self._states: list[State] = [seeds[part : part + 1].copy() for part in range(len(seeds))]
        self._rows = np.empty((2, rows_per_round, 3), dtype=np.uint32)
        self._bounds = np.linspace(0, rows_per_round, self.n_parts + 1).astype(np.intp)

    def draw(self, part: int, buffer: int) -> None:
        """Draw one part of the triples of a round into one of two buffers."""
        rows = self._rows[buffer, self._bounds[part] : self._bounds[part + 1]]
        self._sampler.draw(self._states[part], rows)

    def move(self, points: Points, buffer: int, rate: float) -> None:
        """Take a step for each triple in a buffer, moving `points` in place."""
        self._step(points, self._rows[buffer], rate)


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Prepare draws in proportion to weights, in constant time each (Walker's alias method)."""
    if len(weights) == 0:
        raise InputError("There is no triple to draw: all scores are tied, or all weights are 0.")
    limit = np.full(len(weights), 2**32, dtype=np.uint64)
    alias = np.arange(len(weights), dtype=np.uint32)
    if weights.min() < weights.max():
        _fill_alias(weights * (len(weights) / weights.sum()), limit, alias)
    return limit, alias


@njit(cache=True, error_model="numpy")
def _fill_alias(share: Any, limit: Any, alias: Any) -> None:
    """Let each cell below the mean be filled up by one above it."""
    small = np.flatnonzero(share < 1.0)
    large = np.flatnonzero(share >= 1.0)
    waiting = np.empty(len(share), dtype=np.int64)
    for place in range(len(small)):  # a slice would compile the text of an error too: 2 s
        waiting[place] = small[place]
    n_waiting = len(small)
    at = 0
    while n_waiting > 0 and at < len(large):
        n_waiting -= 1
        cell = waiting[n_waiting]
        donor = large[at]
        limit[cell] = np.uint64(share[cell] * 4294967296.0)
        alias[cell] = donor
        share[donor] -= 1.0 - share[cell]
        if share[donor] < 1.0:
            waiting[n_waiting] = donor
            n_waiting += 1
            at += 1


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def _next_random(state: Any) -> Any:
    """Return 64 random bits (SplitMix64: Steele, Lea & Flood, OOPSLA 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def _draw_cell(limit: Any, alias: Any, state: Any) -> Any:
    bits = _next_random(state)
    cell = ((bits >> np.uint64(32)) * np.uint64(len(limit))) >> np.uint64(32)
    return cell if (bits & np.uint64(0xFFFFFFFF)) < limit[cell] else np.uint64(alias[cell])


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_from_lists(
    offsets: Any, entries: Any, anchors: Any, limit: Any, alias: Any, state: Any, rows: Any
) -> None:
    half = np.uint64(32)
    low = np.uint64(0xFFFFFFFF)
    for r in range(len(rows)):
        anchor = anchors[_draw_cell(limit, alias, state)]
        start = np.uint64(offsets[anchor])
        size = np.uint64(offsets[anchor + 1]) - start
        while True:
            bits = _next_random(state)
            p = start + (((bits >> half) * size) >> half)
            q = start + (((bits & low) * size) >> half)
            # ranks increase within a list, so that the later entry is the better one
            better = max(p, q)
            worse = min(p, q)
            if entries[better, 1] != entries[worse, 1]:
                break
        rows[r, 0] = anchor
        rows[r, 1] = entries[better, 0]
        rows[r, 2] = entries[worse, 0]


@njit(nogil=True, cache=True, error_model="numpy")
def _put_above_unrated(
    offsets: Any, entries: Any, n_users: int, share: Any, state: Any, rows: Any
) -> None:
    """Compare, in a share of the triples, who stands in the anchor's list with who does not."""
    low = np.uint64(0xFFFFFFFF)
    for r in range(len(rows)):
        if (_next_random(state) & low) < share:
            _draw_member(offsets, entries, n_users, rows[r, 0], state, rows[r])


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_members(
    offsets: Any,
    entries: Any,
    n_users: int,
    anchors: Any,
    limit: Any,
    alias: Any,
    state: Any,
    rows: Any,
) -> None:
    for r in range(len(rows)):
        anchor = anchors[_draw_cell(limit, alias, state)]
        _draw_member(offsets, entries, n_users, anchor, state, rows[r])


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_member(
    offsets: Any, entries: Any, n_users: int, anchor: Any, state: Any, row: Any
) -> None:
    """Draw who stands in a list and who does not, unless everybody stands in it."""
    half = np.uint64(32)
    n_objects = np.uint64(len(offsets) - 1)
    listed = entries[offsets[anchor] : offsets[anchor + 1], 0]
    first = np.uint64(n_users if anchor < n_users else 0)
    n_others = n_objects - first if anchor < n_users else np.uint64(n_users)
    if np.uint64(len(listed)) == n_others:
        return
    row[0] = anchor
    row[1] = listed[((_next_random(state) >> half) * np.uint64(len(listed))) >> half]
    while True:
        other = first + (((_next_random(state) >> half) * n_others) >> half)
        if not _contains(listed, other):
            break
    row[2] = other


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def _contains(members: Any, sought: Any) -> bool:
    # without leaving the loop early it is vectorised, and lists are short
    found = False
    for member in members:
        found |= member == sought
    return found


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_from_rows(source: Any, limit: Any, alias: Any, state: Any, rows: Any) -> None:
    for r in range(len(rows)):
        drawn = _draw_cell(limit, alias, state)
        for column in range(3):
            rows[r, column] = source[drawn, column]


def sample_triples(
    ratings: Ratings, size: int, *, normalize: str = "zscore", random_state: RandomState = None
) -> Comparisons:
    """Draw triples of both kinds, each triple of the ratings being equally likely.

    Parameters
    ----------
    ratings : Ratings
        What the triples are about.
    size : int
        How many to draw, with replacement.
    normalize : {"zscore", "share", "none"}, default="zscore"
        What makes values of different users comparable, as for `COE`.
    random_state : int, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    Comparisons
        Triplets of ``n_users + n_items`` objects, users first: (user, preferred item, other
        item) and (item, keener user, other user).

    See Also
    --------
    COE : Draws them by itself.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0], [0, 1], [5.0, 3.0])
    >>> od.sample_triples(ratings, 2, random_state=0).rows
    array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    check_integer("size", size, minimum=1)
    scores = Normalization.of(normalize, ratings).scores(ratings)
    columns = ratings.users, ratings.items, scores
    lists = RankedLists(*columns, ratings.n_users, ratings.n_items)
    rows = np.empty((size, 3), dtype=np.uint32)
    state = as_generator(random_state).integers(2**64, size=1, dtype=np.uint64)
    ListSampler(lists, "triples", None).draw(state, rows)
    return Comparisons(rows.astype(np.int32), n_objects=lists.n_objects)
