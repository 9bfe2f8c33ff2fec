"""What statements and rankings share: trials of objects in order, and positions that compare."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, as_text_or_numbers, is_text
from ordinate.comparisons.labels import number_objects
from ordinate.comparisons.record import Comparisons

_FEW = 6
"""Objects of a trial up to which each is compared with each."""


class Labels(NamedTuple):
    """Who answered, and in which trial; trials are numbered if they have no labels."""

    participant: ArrayLike | None
    trial: ArrayLike | None

    def groups(self, n_trials: int, n_rows: int | Sequence[int]) -> dict[str, NDArray[Any]]:
        """Repeat the labels of each trial for each of its rows."""
        trial = np.arange(n_trials) if self.trial is None else self.trial
        given = {"participant": self.participant, "trial": trial}
        groups = {}
        for name, labels in given.items():
            if labels is not None:
                array = np.asarray(labels)
                if array.shape != (n_trials,):
                    raise InputError(
                        f"{name} must have one entry per trial, shape ({n_trials},); got shape"
                        f" {array.shape}."
                    )
                groups[name] = np.repeat(array, n_rows)
        return groups


def expand(
    ordered: NDArray[Any],
    template: ArrayLike,
    labels: Labels,
    names: Sequence[object] | None,
    n_objects: int | None,
) -> Comparisons:
    """Turn every trial into comparisons of the same positions.

    Parameters
    ----------
    ordered : ndarray of int or str, shape (n_trials, n_positions)
        Objects of each trial, put in an order.
    template : array-like of int, shape (n_rows, 3) or (n_rows, 4)
        Positions that make one comparison each.
    labels : Labels
        Who answered, in which trial.
    names, n_objects
        As for `Comparisons`.

    Returns
    -------
    Comparisons
        n_rows comparisons per trial, one trial after the other.
    """
    (numbers,), names = number_objects([ordered], names)
    positions = np.asarray(template)
    rows = numbers[:, positions].reshape(-1, positions.shape[1])
    groups = labels.groups(len(ordered), len(positions))
    return Comparisons(rows, groups=groups, names=names, n_objects=n_objects)


def before_after(n_ordered: int, n_rest: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of positions, the first before the second, when only the first ones have an order.

    Parameters
    ----------
    n_ordered : int
        How many come in order.
    n_rest : int
        How many come after all of those, in no order among themselves.

    Returns
    -------
    before, after : ndarray of int
        All pairs that are in order.
    """
    before, after = np.triu_indices(n_ordered, k=1, m=n_ordered + n_rest)
    return before, after


def stack_trials(**arrays: NDArray[Any]) -> NDArray[Any]:
    """Put the objects of each trial side by side; all arrays hold as many trials and one kind."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"All arrays must have one entry per trial; got {listed}.")
    if len({is_text(array) for array in arrays.values()}) > 1:
        listed = ", ".join(f"{name} {array.dtype}" for name, array in arrays.items())
        raise InputError(f"Objects must be all names or all numbers; got {listed}.")
    return np.column_stack(list(arrays.values()))


def check_trials(name: str, objects: ArrayLike, n_columns: int | None = None) -> NDArray[Any]:
    """Return the objects of each trial as a 2-D array; one object per trial may come as 1-D."""
    array = as_text_or_numbers(objects)
    if array.ndim == 1 and n_columns in (1, None):
        array = array[:, None]
    if array.ndim != 2 or array.size == 0 or n_columns not in (array.shape[1], None):
        shape = f"(n_trials, {n_columns or 'n'})" if n_columns != 1 else "(n_trials,)"
        raise InputError(f"{name} must have shape {shape}; got {array.shape}.")
    if array.dtype.kind not in "iu" and not is_text(array):
        raise InputError(
            f"{name} must hold objects, as whole numbers or names; got dtype {array.dtype}."
        )
    repeats = repeats_within(array)
    if repeats.any():
        trial = int(np.argmax(repeats))
        raise InputError(f"Trial {trial}: {name} has an object twice: {array[trial].tolist()}.")
    return array


def repeats_within(trials: NDArray[Any], *, absent: int | None = None) -> NDArray[np.bool_]:
    """Mark trials in which an object stands twice.

    Parameters
    ----------
    trials : ndarray of int or str, shape (n_trials, n)
        Objects of each trial.
    absent : int, optional
        What stands where a trial has fewer objects.

    Returns
    -------
    ndarray of bool, shape (n_trials,)
        Whether there is an object that occurs more than once.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.sources._trials import repeats_within
    >>> repeats_within(np.array([[4, 7, 4], [4, -1, -1]]), absent=-1)
    array([ True, False])
    """
    n_trials, n = trials.shape
    if n > _FEW:
        trials = np.sort(trials, axis=1)
        pairs = [(at, at + 1) for at in range(n - 1)]
    else:  # so few that looking at all pairs is quicker than sorting
        pairs = list(combinations(range(n), 2))
    found = np.zeros(n_trials, dtype=bool)
    for one, other in pairs:
        same = trials[:, one] == trials[:, other]
        found |= same if absent is None else same & (trials[:, one] != absent)
    return found


def left_over(name: str, shown: NDArray[Any], chosen: NDArray[Any]) -> NDArray[Any]:
    """Return the objects of each trial that were shown but not chosen."""
    stack_trials(shown=shown, **{name: chosen})
    is_chosen = (shown[:, :, None] == chosen[:, None, :]).any(axis=2)
    unknown = is_chosen.sum(axis=1) != chosen.shape[1]
    if unknown.any():
        trial = int(np.argmax(unknown))
        raise InputError(
            f"Trial {trial}: {name} is {', '.join(map(repr, chosen[trial].tolist()))}, but shown"
            f" were {shown[trial].tolist()}; give objects, not positions."
        )
    others: NDArray[Any] = shown[~is_chosen].reshape(len(shown), -1)
    return others
