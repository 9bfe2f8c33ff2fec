"""Folds of answers to hold out, in which no object is unknown and no question is seen before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_integer, refuse_zero_weights
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.grouped_rows import GroupedRows
from ordinate.comparisons.inputs import as_comparisons


def split_folds(
    comparisons: GroupedRows | ArrayLike,
    folds: int = 5,
    *,
    by: str | None = None,
    random_state: RandomState = None,
) -> list[NDArray[np.intp]]:
    """Split the comparisons into folds; every object still occurs when any one is held out.

    Answers to the same question fall into the same fold: a map that saw one of them would be
    tested on what it was told. See `Comparisons.question_groups`.

    Parameters
    ----------
    comparisons : Comparisons, Pairs or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    folds : int, default=5
        Number of folds.
    by : str, optional
        Name of a group; all rows of one group then fall into the same fold.
    random_state : int, Generator or None, default=None
        Seed of the folds.

    Returns
    -------
    list of ndarray of int
        For each fold the numbers of its rows, in order. Where all rows about an object would
        fall into one fold, one question (with `by`, one whole group) is in no fold at all.

    See Also
    --------
    ordinate.Comparisons.train_test_split : One part held out.
    ordinate.compare : Methods on the same folds.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.Comparisons([[0, 1, 2], [1, 2, 0], [2, 1, 0], [0, 1, 3]])
    >>> od.selection.split_folds(answers, 2, random_state=0)
    [array([1]), array([0, 2])]
    """
    folds = check_integer("folds", folds, minimum=2)
    record: Any = (
        comparisons if isinstance(comparisons, GroupedRows) else as_comparisons(comparisons)
    )
    refuse_zero_weights(record.weights)
    unit = record.question_groups(by, largest=1 / folds)
    n_units = int(unit.max()) + 1 if len(unit) else 0
    what = "questions" if by is None else f"groups of {by!r}"
    if n_units < folds:
        raise InputError(
            f"Too few answers: {folds} folds need at least {folds} {what}, and there are {n_units};"
            " collect more."
        )
    # the largest units first, in turn, so that folds are of nearly the same size
    order = as_generator(random_state).permutation(n_units)
    order = order[np.argsort(-np.bincount(unit)[order], kind="stable")]
    fold_of_unit = np.empty(n_units, dtype=np.intp)
    fold_of_unit[order] = np.arange(n_units) % folds
    fold_of_unit[_needed_always(record, unit, fold_of_unit)] = -1
    fold = fold_of_unit[unit]
    parts = [np.flatnonzero(fold == number) for number in range(folds)]
    if any(len(part) == 0 for part in parts):
        raise InputError(
            f"Too few {what} share objects with the others to hold out {folds} parts;"
            " use fewer folds" + (" or smaller groups." if by else " or collect more answers.")
        )
    return parts


def _needed_always(
    comparisons: Any, unit: NDArray[np.intp], fold_of_unit: NDArray[np.intp]
) -> list[int]:
    """Choose units to keep in every training set, one for each object that needs it."""
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


@dataclass(frozen=True)
class Fold:
    """Rows held out together, the seed of every fit to the others, and rows kept from the fit."""

    held_out: NDArray[np.intp]
    seed: int
    left_out: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))


def make_folds(
    comparisons: GroupedRows, folds: int, by: str | None, random_state: RandomState
) -> list[Fold]:
    """Split the comparisons into folds and seed the fits."""
    rng = as_generator(random_state)
    parts = split_folds(comparisons, folds, by=by, random_state=rng)
    questions = None if by is None else comparisons.question_groups()
    return [
        Fold(part, int(rng.integers(2**31)), _answers_to_same_questions(questions, part))
        for part in parts
    ]


def _answers_to_same_questions(
    questions: NDArray[np.intp] | None, part: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Find rows outside of a part that answer its questions, unless most of the others do.

    Groups that share questions with many others cannot be held out together with all of these;
    then the fit leaves out the answers that would give the test away. Where that would take
    most of them, as when all participants answer the same questions, the test is one of new
    groups and not of new questions.
    """
    if questions is None:
        return np.empty(0, dtype=np.intp)
    asked = np.zeros(int(questions.max()) + 1, dtype=bool)
    asked[questions[part]] = True
    repeats = asked[questions]
    repeats[part] = False
    rows = np.flatnonzero(repeats)
    return rows if 2 * len(rows) < len(questions) - len(part) else rows[:0]


def rows_to_fit(comparisons: GroupedRows, fold: Fold) -> NDArray[np.bool_]:
    """Return which rows a map is fitted to when a fold is held out."""
    left = np.ones(len(comparisons), dtype=bool)
    left[fold.held_out] = left[fold.left_out] = False
    return left
