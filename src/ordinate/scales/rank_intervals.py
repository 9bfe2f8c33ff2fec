"""Which items can be distinguished, and which ranks each may have, all statements at once.

Up to `MOST_PAIRWISE` items every pair is tested, with the joint distribution of all differences and
in steps (Romano and Wolf), so that the chance of one or more false statements is at most
1 - level. The rank of an item then lies between one more than the number of items above it and one
less than the number that are not below (Mogstad, Romano, Shaikh and Wilhelm 2024). More items are
compared by simultaneous intervals of their scores (Klein, Wright and Wieczorek 2020), which are
wider.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from ordinate._arrays import Floats

MOST_PAIRWISE = 300
_N_DRAWS = 2_000
_CHUNK = 100
"""Pairs whose draws are compared at a time, few enough for the processor's cache."""


class RankIntervals(NamedTuple):
    """Ranks that items may have, and which were distinguished."""

    lowest: NDArray[np.intp]
    """The best rank of each item, from 1."""
    highest: NDArray[np.intp]
    distinguishable: NDArray[np.bool_] | None
    """Shape (n, n): True where the item of the row is above or below that of the column."""


def quantile(level: float, df: float) -> float:
    """Return the two-sided quantile of the normal or of Student's t distribution."""
    tail = 0.5 + level / 2
    return float(ndtri(tail) if np.isinf(df) else stdtrit(df, tail))


def rank_intervals(
    intervals: Callable[[float], Floats],
    covariance: Floats | None,
    gaps: Callable[[NDArray[np.intp], NDArray[np.intp]], Floats],
    level: float,
    df: float,
    rng: np.random.Generator,
) -> RankIntervals:
    """Return simultaneous intervals of the ranks, highest score first.

    `intervals` gives intervals of the scores by their level; `gaps` how far items are above others,
    as quantiles of the normal or t distribution.
    """
    if covariance is None or len(covariance) > MOST_PAIRWISE:
        n = len(intervals(level))
        low, high = intervals(1 - (1 - level) / n).T
        n_above = n - np.searchsorted(np.sort(low), high, side="right")
        n_below = np.searchsorted(np.sort(high), low, side="left")
        return RankIntervals(1 + n_above, n - n_below, None)
    n = len(covariance)
    i, j = np.triu_indices(n, 1)
    above = _above(gaps(i, j), covariance, level, df, rng)
    return RankIntervals(1 + above.sum(axis=0), n - above.sum(axis=1), above | above.T)


def normal_draws(covariance: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw from the normal distribution around 0 with a covariance that may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((n_draws, len(half))) @ half.T)


def _above(
    gap: Floats, covariance: Floats, level: float, df: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which items are above which, with one level for all statements."""
    n = len(covariance)
    i, j = np.triu_indices(n, 1)
    variance = np.diag(covariance)
    size = np.sqrt(np.maximum(variance[i] + variance[j] - 2 * covariance[i, j], 1e-300))
    draws = normal_draws(covariance, _N_DRAWS, rng).T.copy()  # an item's draws side by side
    if np.isfinite(df):
        draws /= np.sqrt(rng.chisquare(df, _N_DRAWS) / df)
    left = np.ones(len(i), dtype=bool)
    while left.any():
        places = np.flatnonzero(left)
        largest = np.zeros(_N_DRAWS)
        for start in range(0, len(places), _CHUNK):
            at = places[start : start + _CHUNK]
            part = np.abs(draws[i[at]] - draws[j[at]]) / size[at, None]
            np.maximum(largest, part.max(axis=0), out=largest)
        new = left & (np.abs(gap) > np.quantile(largest, level))
        if not new.any():
            break
        left &= ~new
    above = np.zeros((n, n), dtype=bool)
    sure = ~left
    above[i[sure & (gap > 0)], j[sure & (gap > 0)]] = True
    above[j[sure & (gap < 0)], i[sure & (gap < 0)]] = True
    return above


def indistinguishable_groups(
    distinguishable: NDArray[np.bool_], order: NDArray[np.intp]
) -> list[NDArray[np.intp]]:
    """Return groups of items such that two share one exactly if they are not distinguished."""
    alike = ~distinguishable[np.ix_(order, order)]
    open_pairs = alike.copy()
    np.fill_diagonal(open_pairs, False)
    groups: list[NDArray[np.intp]] = []
    covered = np.zeros(len(order), dtype=bool)
    for first in range(len(order)):
        while open_pairs[first, first + 1 :].any() or not covered[first]:
            ahead = np.flatnonzero(open_pairs[first, first + 1 :]) + first + 1
            members = [first, *ahead[:1].tolist()]
            for candidate in range(len(order)):
                if candidate not in members and alike[candidate, members].all():
                    members.append(candidate)
            open_pairs[np.ix_(members, members)] = False
            covered[members] = True
            groups.append(np.sort(members))
    return [order[group] for group in groups]


def name_groups_by_letters(groups: list[NDArray[np.intp]], n_items: int) -> list[str]:
    """Return for each item the letters of its groups: a, b, …, z, aa, ab, …."""
    found = [""] * n_items
    for number, group in enumerate(groups):
        name = _letter(number)
        for item in group.tolist():
            found[item] += name if len(name) == 1 and " " not in found[item] else f" {name}"
    return [text.strip() for text in found]


def _letter(number: int) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    if number < len(alphabet):
        return alphabet[number]
    return _letter(number // len(alphabet) - 1) + alphabet[number % len(alphabet)]
