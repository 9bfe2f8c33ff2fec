"""Comparisons from what people answer: odd one out, most central, choose k of n, pairs.

Every statement says the same thing: put the objects of a trial in some order, and certain
positions of that order compare with one another. Objects are numbers counted from 0, or names.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import check_answers
from ordinate.comparisons.record import Comparisons
from ordinate.sources._trials import (
    Labels,
    before_after,
    check_trials,
    expand,
    left_over,
    stack_trials,
)


def from_odd_one_out(
    shown: ArrayLike,
    odd: ArrayLike,
    *,
    participant: ArrayLike | None = None,
    trial: ArrayLike | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
) -> Comparisons:
    """Take "which of the three is the odd one out?" as comparisons.

    If c is the odd one of a, b, c, then a and b are nearer to each other than either is to c:
    the triplets (a, b, c) and (b, a, c).

    Parameters
    ----------
    shown : array-like of int or str, shape (n_trials, 3)
        The objects shown in each trial.
    odd : array-like of int or str, shape (n_trials,)
        The object (not its position) that was chosen.
    participant : array-like, shape (n_trials,), optional
        Who answered; becomes the group ``"participant"``.
    trial : array-like, shape (n_trials,), optional
        A label for each trial, by default its number; becomes the group ``"trial"``.
    names : sequence of str, optional
        All names in the order of their numbers; by default those that occur, sorted.
    n_objects : int, optional
        How many objects there are, if not all of them occur.

    Returns
    -------
    Comparisons
        Two triplets per trial.

    See Also
    --------
    from_most_central, from_choices, from_pair_choices : Other questions.
    ordinate.read_comparisons : From files.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.sources.from_odd_one_out([["cat", "car", "dog"]], ["car"])
    >>> answers.names
    ('car', 'cat', 'dog')
    >>> answers.rows
    array([[1, 2, 0],
           [2, 1, 0]], dtype=int32)
    """
    trials, chosen = check_trials("shown", shown, 3), check_trials("odd", odd, 1)
    ordered = np.column_stack([left_over("odd", trials, chosen), chosen])
    return expand(ordered, [(0, 1, 2), (1, 0, 2)], Labels(participant, trial), names, n_objects)


def from_most_central(
    shown: ArrayLike,
    central: ArrayLike,
    *,
    participant: ArrayLike | None = None,
    trial: ArrayLike | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
) -> Comparisons:
    """Take "which of the three is the most central?" as comparisons.

    If a is the most central of a, b, c, then b and c are both nearer to a than to each other:
    the triplets (b, a, c) and (c, a, b).

    Parameters
    ----------
    shown : array-like of int or str, shape (n_trials, 3)
        The objects shown in each trial.
    central : array-like of int or str, shape (n_trials,)
        The object (not its position) that was chosen.
    participant : array-like, shape (n_trials,), optional
        Who answered; becomes the group ``"participant"``.
    trial : array-like, shape (n_trials,), optional
        A label for each trial, by default its number; becomes the group ``"trial"``.
    names : sequence of str, optional
        All names in the order of their numbers; by default those that occur, sorted.
    n_objects : int, optional
        How many objects there are, if not all of them occur.

    Returns
    -------
    Comparisons
        Two triplets per trial.

    See Also
    --------
    from_odd_one_out, from_choices, from_pair_choices : Other questions.
    ordinate.read_comparisons : From files.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.from_most_central([[4, 7, 9]], [7]).rows
    array([[4, 7, 9],
           [9, 7, 4]], dtype=int32)
    """
    trials, chosen = check_trials("shown", shown, 3), check_trials("central", central, 1)
    ordered = np.column_stack([chosen, left_over("central", trials, chosen)])
    return expand(ordered, [(1, 0, 2), (2, 0, 1)], Labels(participant, trial), names, n_objects)


def from_choices(
    probe: ArrayLike,
    shown: ArrayLike,
    chosen: ArrayLike,
    *,
    ranked: bool = False,
    participant: ArrayLike | None = None,
    trial: ArrayLike | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
) -> Comparisons:
    """Take "which k of these n are most like the probe?" as comparisons.

    Every chosen object is nearer to the probe than every object left over. If the choices
    are ranked, an earlier one is also nearer than a later one.

    Parameters
    ----------
    probe : array-like of int or str, shape (n_trials,)
        The object that the others were compared with.
    shown : array-like of int or str, shape (n_trials, n)
        The objects to choose from.
    chosen : array-like of int or str, shape (n_trials, k) or (n_trials,)
        The objects (not their positions) that were chosen, most similar first if `ranked`.
    ranked : bool, default=False
        Whether the order of the chosen objects counts.
    participant : array-like, shape (n_trials,), optional
        Who answered; becomes the group ``"participant"``.
    trial : array-like, shape (n_trials,), optional
        A label for each trial, by default its number; becomes the group ``"trial"``.
    names : sequence of str, optional
        All names in the order of their numbers; by default those that occur, sorted.
    n_objects : int, optional
        How many objects there are, if not all of them occur.

    Returns
    -------
    Comparisons
        k(n-k) triplets per trial, and k(k-1)/2 more if `ranked`.

    See Also
    --------
    from_odd_one_out, from_most_central, from_pair_choices : Other questions.
    ordinate.read_comparisons : From files.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.from_choices([0], [[1, 2, 3]], [[3, 1]], ranked=True).rows
    array([[0, 3, 1],
           [0, 3, 2],
           [0, 1, 2]], dtype=int32)
    """
    trials, selected = check_trials("shown", shown), check_trials("chosen", chosen)
    others = left_over("chosen", trials, selected)
    near, far = before_after(selected.shape[1], others.shape[1])
    if not ranked:
        across = far >= selected.shape[1]
        near, far = near[across], far[across]
    # the probe stands at position 0, so that the others move up by one
    template = np.column_stack([np.zeros_like(near), near + 1, far + 1])
    ordered = stack_trials(probe=check_trials("probe", probe, 1), chosen=selected, shown=others)
    return expand(ordered, template, Labels(participant, trial), names, n_objects)


def from_pair_choices(
    first: ArrayLike,
    second: ArrayLike,
    first_is_nearer: ArrayLike,
    *,
    participant: ArrayLike | None = None,
    trial: ArrayLike | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
) -> Comparisons:
    """Take "which of these two pairs is more alike?" as comparisons.

    Parameters
    ----------
    first, second : array-like of int or str, shape (n_trials, 2)
        The two pairs of each trial; they may share an object.
    first_is_nearer : array-like of bool or +1/-1, shape (n_trials,)
        Whether the first pair was chosen.
    participant : array-like, shape (n_trials,), optional
        Who answered; becomes the group ``"participant"``.
    trial : array-like, shape (n_trials,), optional
        A label for each trial, by default its number; becomes the group ``"trial"``.
    names : sequence of str, optional
        All names in the order of their numbers; by default those that occur, sorted.
    n_objects : int, optional
        How many objects there are, if not all of them occur.

    Returns
    -------
    Comparisons
        One quadruplet per trial.

    See Also
    --------
    from_odd_one_out, from_most_central, from_choices : Other questions.
    ordinate.read_comparisons : From files.

    Examples
    --------
    >>> import ordinate as od
    >>> od.sources.from_pair_choices([[0, 1]], [[2, 3]], [False]).rows
    array([[2, 3, 0, 1]], dtype=int32)
    """
    one, two = check_trials("first", first, 2), check_trials("second", second, 2)
    holds = check_answers(first_is_nearer, len(one))[:, None]
    ordered = np.where(holds, stack_trials(first=one, second=two), np.column_stack([two, one]))
    return expand(ordered, [(0, 1, 2, 3)], Labels(participant, trial), names, n_objects)
