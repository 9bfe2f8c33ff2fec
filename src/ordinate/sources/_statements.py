"""Comparisons from what people answer: odd one out, most central, choose k of n, pairs.

Objects are numbers counted from 0, or names; what follows from an answer is in `ordinate.tasks`.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from ordinate._checks import check_answers
from ordinate.comparisons.record import Comparisons
from ordinate.sources._trials import Labels, check_trials, expand, positions_of, stack_trials
from ordinate.tasks import make_task


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
    at, labels = positions_of("odd", trials, chosen), Labels(participant, trial)
    return expand(make_task("odd_one_out"), trials, at, labels, names, n_objects)


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
    participant, trial, names, n_objects
        As for `from_odd_one_out`.

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
    at, labels = positions_of("central", trials, chosen), Labels(participant, trial)
    return expand(make_task("most_central"), trials, at, labels, names, n_objects)


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
    participant, trial, names, n_objects
        As for `from_odd_one_out`.

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
    at, labels = positions_of("chosen", trials, selected), Labels(participant, trial)
    items = stack_trials(probe=check_trials("probe", probe, 1), shown=trials)
    task = make_task("choose_k", shown=trials.shape[1], choose=1)
    return expand(task, items, at, labels, names, n_objects, ranked=ranked)


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
    participant, trial, names, n_objects
        As for `from_odd_one_out`.

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
    items, labels = stack_trials(first=one, second=two), Labels(participant, trial)
    return expand(make_task("pair_against_pair"), items, 1 - holds, labels, names, n_objects)
