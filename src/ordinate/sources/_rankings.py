"""Comparisons from rankings: objects in order of their distance from an anchor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, as_text_or_numbers
from ordinate.comparisons.labels import number_objects
from ordinate.comparisons.record import Comparisons
from ordinate.sources._trials import Labels, check_trials


def from_rankings(
    anchors: ArrayLike,
    rankings: Iterable[ArrayLike],
    *,
    unranked_are_farther: bool = False,
    adjacent_only: bool = False,
    participant: ArrayLike | None = None,
    trial: ArrayLike | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
) -> Comparisons:
    """Take rankings of objects around an anchor, nearest first, as comparisons.

    Parameters
    ----------
    anchors : array-like of int or str, shape (n_rankings,)
        The object around which the others were ranked.
    rankings : iterable of array-like of int or str
        For each anchor some or all other objects, nearest first; they may differ in length.
    unranked_are_farther : bool, default=False
        Whether the objects that a ranking leaves out are farther than those it names, as when
        people list the nearest few of all. Otherwise nothing is said about them.
    adjacent_only : bool, default=False
        Whether only neighbours in the ranking are compared, from which all other comparisons
        follow: m-1 instead of m(m-1)/2 rows for m ranked objects.
    participant, trial, names, n_objects
        As for `from_odd_one_out`, by ranking.

    Returns
    -------
    Comparisons
        Triplets (anchor, earlier, later), one ranking after the other.

    See Also
    --------
    from_choices : Of which only some are chosen.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.from_rankings([0, 3], [[1, 3, 2], [2]]).rows
    array([[0, 1, 3],
           [0, 1, 2],
           [0, 3, 2]], dtype=int32)
    >>> od.sources.from_rankings([3], [[2]], unranked_are_farther=True).rows
    array([[3, 2, 0],
           [3, 2, 1]], dtype=int32)
    """
    starts, ranked, names = _numbered(anchors, rankings, names)
    if n_objects is None:
        n_objects = max(np.max(starts), *map(np.max, ranked)) + 1 if names is None else len(names)
    everyone = np.arange(n_objects)
    blocks = []
    for anchor, ranking in zip(starts, ranked, strict=True):
        rest = everyone[:0]
        if unranked_are_farther:
            rest = np.setdiff1d(everyone, np.append(ranking, anchor), assume_unique=True)
        ordered = np.concatenate([ranking, rest])
        if adjacent_only:
            far = np.arange(1, len(ordered))
            near = np.minimum(far, len(ranking)) - 1
        else:
            near, far = np.triu_indices(len(ranking), k=1, m=len(ordered))
        blocks.append(np.column_stack([np.full(len(near), anchor), ordered[near], ordered[far]]))
    groups = Labels(participant, trial).groups(len(starts), [len(block) for block in blocks])
    return Comparisons(np.concatenate(blocks), groups=groups, names=names, n_objects=n_objects)


def _numbered(
    anchors: ArrayLike, rankings: Iterable[ArrayLike], names: Sequence[object] | None
) -> tuple[NDArray[Any], list[NDArray[Any]], Sequence[object] | None]:
    """Return anchors and rankings as numbers of objects, checked."""
    starts = check_trials("anchors", anchors, 1)[:, 0]
    ranked = [as_text_or_numbers(ranking) for ranking in rankings]
    if len(ranked) != len(starts):
        raise InputError(
            f"There must be one ranking per anchor; got {len(starts)} anchors and {len(ranked)}"
            " rankings."
        )
    for number, (anchor, ranking) in enumerate(zip(starts, ranked, strict=True)):
        if ranking.ndim != 1 or len(ranking) == 0:
            raise InputError(
                f"Ranking {number} must be a list of objects, nearest first; got shape"
                f" {ranking.shape}."
            )
        if len(np.unique(np.append(ranking, anchor))) <= len(ranking):
            raise InputError(
                f"Ranking {number} around {anchor.item()!r} must name other objects, each once;"
                f" got {ranking.tolist()}."
            )
    numbers, names = number_objects([starts, *ranked], names)
    return numbers[0], numbers[1:], names
