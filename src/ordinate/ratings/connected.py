"""How ratings are normalised, and which of them a filter or a split takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]


def has_pairs(owners: Numbers, scores: NDArray[np.float64]) -> bool:
    """Tell whether any owner has two different scores."""
    low, high = np.full(owners.max() + 1, np.inf), np.full(owners.max() + 1, -np.inf)
    np.minimum.at(low, owners, scores)
    np.maximum.at(high, owners, scores)
    return bool((high > low).any())


def with_enough(
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


def _standard_scores(
    users: Numbers, values: NDArray[np.float64], n_users: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    counts = np.maximum(np.bincount(users, minlength=n_users), 1)
    mean = np.bincount(users, values, minlength=n_users) / counts
    squares = values - mean[users]
    squares *= squares
    deviation = np.sqrt(np.bincount(users, squares, minlength=n_users) / counts)
    constant = deviation <= 1e-9 * np.abs(mean)
    return mean, np.where(constant, 1.0, deviation)


def _shares(
    users: Numbers, values: NDArray[np.float64], n_users: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    total = np.bincount(users, values, minlength=n_users)
    return np.zeros(n_users), np.where(total > 0, total, 1.0)


def _as_they_are(
    users: Numbers, values: NDArray[np.float64], n_users: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.zeros(n_users), np.ones(n_users)


SCALES = {"zscore": _standard_scores, "share": _shares, "none": _as_they_are}
"""How to find, for each user, what to subtract from its values and what to divide them by."""
