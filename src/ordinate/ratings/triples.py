"""Triples drawn from a table of ratings, as comparisons for methods that take those."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import check_integer
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons

if TYPE_CHECKING:
    from ordinate.ratings.record import Ratings


def sample_triples(ratings: Ratings, size: int, *, random_state: RandomState = None) -> Comparisons:
    """Draw triples of both types, each triple of the ratings being equally likely.

    Parameters
    ----------
    ratings : Ratings
        What the triples are about.
    size : int
        How many to draw, with replacement.
    random_state : int, Generator or None
        Seed of the draw.

    Returns
    -------
    Comparisons
        Triplets of ``n_users + n_items`` objects, users first: (user, preferred item, other
        item) for type A and (item, keener user, other user) for type B.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0], [0, 1], [5.0, 3.0])
    >>> od.sample_triples(ratings, 2, random_state=0).rows
    array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    check_integer("size", size, minimum=1)
    rng = as_generator(random_state)
    by_item = np.argsort(ratings.items, kind="stable")
    ratings_of = np.concatenate([np.arange(len(ratings)), by_item])
    owners = np.concatenate([ratings.users, ratings.n_users + ratings.items[by_item]])
    others = np.concatenate([ratings.n_users + ratings.items, ratings.users[by_item]])
    scores = ratings.scores[ratings_of]
    counts = np.bincount(owners, minlength=ratings.n_users + ratings.n_items)
    found: list[NDArray[np.int32]] = []
    missing = size
    while missing > 0:
        pairs = _random_pairs(counts, 2 * missing, rng)
        better, worse = np.where(scores[pairs[0]] > scores[pairs[1]], pairs, pairs[::-1])
        untied = scores[better] > scores[worse]
        rows = np.column_stack([owners[better], others[better], others[worse]])[untied]
        found.append(rows[:missing].astype(np.int32))
        missing -= len(found[-1])
    return Comparisons(np.concatenate(found), n_objects=ratings.n_users + ratings.n_items)


def _random_pairs(
    counts: NDArray[np.intp], size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw pairs of entries that have the same owner, all pairs being equally likely."""
    # an owner is drawn as often as it has ordered pairs, its own with itself among them
    ends = np.cumsum(counts.astype(np.float64) ** 2)
    owner = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
    first = (np.cumsum(counts) - counts)[owner]
    pairs: NDArray[np.int64] = first + (rng.random((2, size)) * counts[owner]).astype(np.int64)
    return pairs
