"""What statements and rankings share: objects shown in trials, and who answered them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, as_text_or_numbers, is_text
from ordinate.comparisons.labels import number_objects
from ordinate.comparisons.record import Comparisons
from ordinate.tasks import Task, repeats_within


class Labels(NamedTuple):
    """Who answered, and in which trial; trials are numbered if they have no labels."""

    participant: ArrayLike | None
    trial: ArrayLike | None

    def groups(
        self, n_trials: int, n_rows: int | Sequence[int] | NDArray[np.intp]
    ) -> dict[str, NDArray[Any]]:
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
    task: Task,
    items: NDArray[Any],
    chosen: NDArray[np.intp],
    labels: Labels,
    names: Sequence[object] | None,
    n_objects: int | None,
    *,
    ranked: bool = False,
) -> Comparisons:
    """Turn answers to questions about objects, by name or number, into comparisons."""
    (numbers,), names = number_objects([items], names)
    rows, question = task.rows(numbers, chosen, ranked=ranked)
    groups = labels.groups(len(items), np.bincount(question, minlength=len(items)))
    return Comparisons(rows, groups=groups, names=names, n_objects=n_objects)


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
    repeats = repeats_within(array, absent=None)
    if repeats.any():
        trial = int(np.argmax(repeats))
        raise InputError(f"Trial {trial}: {name} has an object twice: {array[trial].tolist()}.")
    return array


def positions_of(name: str, shown: NDArray[Any], chosen: NDArray[Any]) -> NDArray[np.intp]:
    """Return where the objects that were chosen stand among those that were shown."""
    stack_trials(shown=shown, **{name: chosen})
    is_chosen = shown[:, :, None] == chosen[:, None, :]
    unknown = ~is_chosen.any(axis=1).all(axis=1)
    if unknown.any():
        trial = int(np.argmax(unknown))
        raise InputError(
            f"Trial {trial}: {name} is {', '.join(map(repr, chosen[trial].tolist()))}, but shown"
            f" were {shown[trial].tolist()}; give objects, not positions."
        )
    positions: NDArray[np.intp] = np.argmax(is_chosen, axis=1)
    return positions
