"""Answers as entries of feature vectors: which object, which question, how it leans.

The entry of one object for one question is (yes − no) / (yes + no): +1 or −1 where all answers
agree, less where they contradict each other. The kernels differ only in who is asked what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import INT32_LIMIT, InputError
from ordinate.comparisons.record import Comparisons

Rows: TypeAlias = NDArray[np.int32]
Numbers: TypeAlias = NDArray[np.signedinteger[Any]]
Reals: TypeAlias = NDArray[np.float64]

_CHUNK = 2**16
"""Rows read at a time: what is computed from them stays in the cache."""
_BLOCK = 2**17
"""Answers merged at a time, about; for the same reason."""


class Statements(NamedTuple):
    """Objects that say yes to the question (left, right), or deny it."""

    objects: Rows
    left: Rows
    right: Rows
    denied: NDArray[np.bool_]


Reading: TypeAlias = Callable[[Rows, Rows], Statements]


def number_questions(pairs: NDArray[Any], n_places: int) -> Numbers:
    """Return the number of each question (i, j), which is i·n_places + j."""
    left, right = pairs.astype(np.int64).T
    numbers: Numbers = left * n_places + right
    return numbers


class Entries(NamedTuple):
    """Nonzero entries, sorted by object and question; the squares of an object sum to 1."""

    objects: Numbers
    questions: Numbers
    values: Reals


def unit_entries(
    comparisons: Comparisons, read: Reading, place: Rows, n_places: int
) -> Iterator[Entries]:
    """Weigh up the answers of every object to every question.

    Parameters
    ----------
    comparisons : Comparisons
        Triplets; weights say how often each answer was given.
    read : callable
        Takes triplets, and again with the numbers that objects have in questions; says who
        answers what. With two answers per triplet it lists all first ones before the second.
    place : ndarray of int32, shape (n_objects,)
        The number of each object in questions, or -1 if no question is about it: what is said
        of such a question does not count.
    n_places : int
        How many such numbers there are; see `number_questions`.

    Yields
    ------
    Entries
        Of one range of objects after the other.
    """
    n_objects, n_questions = len(place), n_places**2
    if 2 * n_objects * n_questions > np.iinfo(np.int64).max:
        raise InputError(
            f"Among {n_objects} objects there are more questions than can be numbered; choose"
            " landmarks and ask about them only."
        )
    keys, weights = _sorted_keys(comparisons, read, place, n_places)
    n_blocks = min(-(-len(keys) // _BLOCK), n_objects)
    bounds = np.linspace(0, n_objects, n_blocks + 1).astype(np.int64)
    cuts = np.searchsorted(keys, (2 * n_questions * bounds).astype(keys.dtype))
    for start, stop in pairwise(cuts):
        if start < stop:
            part = slice(start, stop)
            yield _entries(keys[part], None if weights is None else weights[part], n_questions)


def _sorted_keys(
    comparisons: Comparisons, read: Reading, place: Rows, n_places: int
) -> tuple[Numbers, Reals | None]:
    """Write each answer as one number: by object, then question, then yes (0) or no (1)."""
    weights = comparisons.weights
    most = 2 * len(comparisons)
    # 32 bits, where they are enough, sort twice as fast; what is never written takes no memory
    number: Any = np.int32 if 2 * len(place) * n_places**2 < INT32_LIMIT else np.int64
    keys = np.empty(most, dtype=number)
    key_weights = np.empty(0 if weights is None else most)
    size = 0
    for start in range(0, len(comparisons), _CHUNK):
        rows = comparisons.rows[start : start + _CHUNK]
        objects, left, right, denied = read(rows, place[rows])
        known = np.flatnonzero((left >= 0) & (right >= 0))
        filled = slice(size, size + len(known))
        cells = (objects.astype(number) * n_places + left) * n_places + right
        keys[filled] = (2 * cells + denied)[known]
        if weights is not None:
            repeated = np.resize(weights[start : start + _CHUNK], len(objects))
            key_weights[filled] = repeated[known]
        size = filled.stop
    keys = keys[:size]
    if weights is None:
        keys.sort()
        return keys, None
    order = np.argsort(keys, kind="stable")
    return keys[order], key_weights[order]


def _entries(keys: Numbers, weights: Reals | None, n_questions: int) -> Entries:
    """Merge the answers of an object to a question and scale each object to unit norm."""
    cells = keys >> 1
    new = np.ones(len(cells), dtype=np.bool_)
    np.not_equal(cells[1:], cells[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    votes: NDArray[Any] = 1 - 2 * (keys & 1)
    if weights is None:
        totals = np.diff(starts, append=len(keys))
    else:
        votes = votes * weights
        totals = np.add.reduceat(weights, starts)
    sums = np.add.reduceat(votes, starts)
    leaning = np.flatnonzero(sums)  # ties and weights of zero say nothing
    cells = cells[starts[leaning]]
    values = sums[leaning] / totals[leaning]
    objects = cells // n_questions
    first = objects[:1].sum()  # 0 if there are ties only
    norms = np.sqrt(np.bincount(objects - first, values**2))
    values /= norms[objects - first]
    return Entries(objects, cells - n_questions * objects, values)
