"""Parts of a record to hold out in turn, such that no object is ever unknown."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_integer
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons, as_comparisons


def split_folds(
    comparisons: Comparisons | ArrayLike,
    folds: int = 5,
    *,
    by: str | None = None,
    random_state: RandomState = None,
) -> list[NDArray[np.intp]]:
    """Deal the rows into parts; every object still occurs when any one part is taken away.

    Answers to the same question fall into the same part: a map that saw one of them would be
    tested on what it was told. See `Comparisons.question_groups`.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    folds : int
        How many parts.
    by : str, optional
        Name of a group; all rows of one group then fall into the same part.
    random_state : int, Generator or None
        Seed of the deal.

    Returns
    -------
    list of ndarray of int
        For each part the numbers of its rows, in order. Where all rows about an object would
        fall into one part, one question (with `by`, one whole group) is in no part at all.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Comparisons([[0, 1, 2], [1, 2, 0], [2, 1, 0], [0, 1, 3]])
    >>> od.selection.split_folds(answers, 2, random_state=0)
    [array([1]), array([0, 2])]
    """
    folds = check_integer("folds", folds, minimum=2)
    record = as_comparisons(comparisons)
    unit = record.question_groups(by, largest=1 / folds)
    n_units = int(unit.max()) + 1 if len(unit) else 0
    what = "questions" if by is None else f"groups of {by!r}"
    if n_units < folds:
        raise InputError(
            f"Too few answers: {folds} folds need at least {folds} {what}, and there are {n_units}."
        )
    # the largest units first, in turn, so that parts are of nearly the same size
    order = as_generator(random_state).permutation(n_units)
    order = order[np.argsort(-np.bincount(unit)[order], kind="stable")]
    fold_of_unit = np.empty(n_units, dtype=np.intp)
    fold_of_unit[order] = np.arange(n_units) % folds
    fold_of_unit[_needed_always(record, unit, fold_of_unit)] = -1
    fold = fold_of_unit[unit]
    parts = [np.flatnonzero(fold == number) for number in range(folds)]
    if any(len(part) == 0 for part in parts):
        raise InputError(
            f"Too few {what} are about objects that others are about too to hold out {folds} parts;"
            " use fewer folds" + (" or smaller groups." if by else " or collect more answers.")
        )
    return parts


def _needed_always(
    comparisons: Comparisons, unit: NDArray[np.intp], fold_of_unit: NDArray[np.intp]
) -> list[int]:
    """Choose units to keep in every training part, one for each object that needs it."""
    counts = slice(None) if comparisons.weights is None else comparisons.weights > 0
    rows = comparisons.rows[counts]
    objects = rows.ravel()
    units = np.repeat(unit[counts], rows.shape[1])
    folds = fold_of_unit[units]
    lowest = np.full(comparisons.n_objects, len(fold_of_unit))
    highest = np.full(comparisons.n_objects, -1)
    np.minimum.at(lowest, objects, folds)
    np.maximum.at(highest, objects, folds)
    by_object = np.argsort(objects, kind="stable")
    ends = np.cumsum(np.bincount(objects, minlength=comparisons.n_objects))
    kept: set[int] = set()
    for number in np.flatnonzero(lowest == highest).tolist():
        start = ends[number - 1] if number else 0
        its_units = units[by_object[start : ends[number]]].tolist()
        if kept.isdisjoint(its_units):
            kept.add(its_units[0])
    return sorted(kept)
