"""Who gave the answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons


def participants_of(comparisons: Comparisons, by: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the labels of those who answered, and who gave each answer.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    by : str
        Name of the group that holds the participants.

    Returns
    -------
    labels : ndarray of shape (n_participants,)
        Sorted, each once.
    people : ndarray of int, shape (n_comparisons,)
        The place in `labels` of each answer's.

    Examples
    --------
    >>> import ordinate as od
    >>> from ordinate.people.participants import participants_of
    >>> rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    >>> answers = od.Comparisons(rows, groups={"participant": ["Bo", "Al", "Bo"]})
    >>> [part.tolist() for part in participants_of(answers, "participant")]
    [['Al', 'Bo'], [1, 0, 1]]
    """
    if not isinstance(by, str) or by not in comparisons.groups:
        there = ", ".join(repr(name) for name in comparisons.groups) or "none"
        raise InputError(
            f"There is no group {by!r} that says who gave each answer (the groups are: {there});"
            " name the column of participants with by=..., or give the record"
            " groups={'participant': ...}."
        )
    labels, people = np.unique(comparisons.groups[by], return_inverse=True)
    if len(labels) < 2:
        raise InputError(
            f"All answers are by one participant ({labels[0]}); how people differ takes at least"
            " two. For one person fit a map of their own, such as STE."
        )
    if len(labels) == len(people):
        raise InputError(
            f"Each of the {len(labels):,} participants gave one answer, so {by!r} may not be the"
            " column of participants; how people differ takes several answers of each."
        )
    return labels, people.astype(np.intp)


def known_people(comparisons: Comparisons, by: str, known: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each answer's participant in a fit; for others, one beyond the last.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    by : str
        Name of the group that holds the participants; without it, none is known.
    known : ndarray of shape (n_participants,)
        Labels of the fit, sorted.

    Returns
    -------
    ndarray of int, shape (n_comparisons,)
        From 0 to n_participants.
    """
    if by not in comparisons.groups:
        return np.full(len(comparisons), len(known))
    labels = comparisons.groups[by]
    if labels.dtype.kind != known.dtype.kind:  # numbers beside text: compare as text
        order = np.argsort(known.astype(str))
        place = _place_among(labels.astype(str), known.astype(str)[order])
        return np.append(order, len(known))[place]
    return _place_among(labels, known)


def shares_by_person(
    holds: NDArray[np.bool_], comparisons: Comparisons, by: str, known: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the share of every participant's answers that are as expected.

    Parameters
    ----------
    holds : ndarray of bool, shape (n_comparisons,)
        Whether each answer is.
    comparisons : Comparisons
        The answers.
    by : str
        Name of the group that holds the participants.
    known : ndarray of shape (n_participants,)
        Labels of the fit, sorted.

    Returns
    -------
    ndarray of shape (n_participants,)
        Weighted shares; NaN for those without an answer here.
    """
    people = known_people(comparisons, by, known)
    counts = np.ones(len(people)) if comparisons.weights is None else comparisons.weights
    size = len(known) + 1
    right = np.bincount(people, counts * holds, minlength=size)
    total = np.bincount(people, counts, minlength=size)
    shares: NDArray[np.float64] = np.divide(
        right, total, out=np.full(size, np.nan), where=total > 0
    )
    return shares[:-1]


def _place_among(labels: NDArray[Any], known: NDArray[Any]) -> NDArray[np.intp]:
    """Return where labels are among sorted ones, or their number where they are not."""
    place = np.minimum(np.searchsorted(known, labels), len(known) - 1)
    return np.where(known[place] == labels, place, len(known)).astype(np.intp)
