"""Turn arrays and the columns of frames into what a record of ratings needs."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import INT32_LIMIT, InputError, check_choice
from ordinate.io.columns import DroppedRowsWarning, as_numbers, number_column
from ordinate.io.tables import Table

Numbered: TypeAlias = "tuple[NDArray[np.intp], tuple[Hashable, ...]]"
"""For each row a number, and the name of each number."""


ON_DUPLICATE = ("refuse", "mean", "last")
"""What can be done where a user has several values for one item."""


def check_values(values: ArrayLike) -> NDArray[np.float64]:
    """Return values as a new array of finite floats."""
    array = np.asarray(values)
    if array.ndim != 1 or len(array) == 0:
        raise InputError(f"values must be a list of at least one number; got shape {array.shape}.")
    if array.dtype.kind not in "iufb":
        raise InputError(f"values must be numbers; got dtype {array.dtype}.")
    array = array.astype(np.float64)
    wrong = ~np.isfinite(array)
    if wrong.any():
        raise InputError(
            f"Value {int(np.argmax(wrong))} is {array[wrong][0]} ({wrong.sum()} are not finite);"
            " leave such rows out."
        )
    return array


def check_numbers(
    kind: str, numbers: ArrayLike, names: Sequence[Hashable] | None, n_rows: int
) -> tuple[NDArray[np.int32], Sequence[Hashable]]:
    """Return the numbers of users or items as int32, and their names."""
    array = np.asarray(numbers)
    if array.shape != (n_rows,):
        raise InputError(
            f"{kind}s must have one entry per value, shape ({n_rows},); got shape {array.shape}."
        )
    if array.dtype.kind not in "iu":
        raise InputError(
            f"{kind}s must be whole numbers, counted from 0; got dtype {array.dtype}."
            " For names use Ratings.from_frame."
        )
    known = range(int(array.max()) + 1) if names is None else tuple(names)
    if names is not None and len(set(known)) < len(known):
        raise InputError(f"{kind}_names must differ; some occur more than once.")
    if array.min() < 0 or array.max() >= min(len(known), INT32_LIMIT):
        wrong = int(np.argmax((array < 0) | (array >= len(known))))
        raise InputError(
            f"{kind}s[{wrong}] is {array[wrong]}; numbers go from 0 to {len(known) - 1}."
        )
    return array.astype(np.int32), known


def sorted_pairs(
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    values: NDArray[np.float64],
    names: tuple[Sequence[Hashable], Sequence[Hashable]],
    on_duplicate: str = "refuse",
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Sort by user and item; make one value of those that a pair has, or refuse several."""
    check_choice("on_duplicate", on_duplicate, ON_DUPLICATE)
    same_user = users[1:] == users[:-1]
    if ((users[1:] > users[:-1]) | (same_user & (items[1:] > items[:-1]))).all():
        return users, items, values
    order = np.lexsort((items, users))  # keeps the order of rows within a pair
    users, items, values = users[order], items[order], values[order]
    repeated = np.append(False, (users[1:] == users[:-1]) & (items[1:] == items[:-1]))
    different = repeated & np.append(False, values[1:] != values[:-1])
    if different.any() and on_duplicate != "refuse":
        first = np.flatnonzero(~repeated)
        counts = np.diff(np.append(first, len(values)))
        if on_duplicate == "mean":
            values = np.add.reduceat(values, first) / counts
        else:
            values = values[first + counts - 1]
        return users[first], items[first], values
    if different.any():
        at = int(np.argmax(different))
        raise InputError(
            f"User {names[0][users[at]]!r} has {values[at - 1]:g} and {values[at]:g} for"
            f" item {names[1][items[at]]!r} (pairs like it: {different.sum()});"
            " keep one value per user and item, or pass on_duplicate='mean' or 'last'."
        )
    if repeated.any():
        warnings.warn(
            f"Dropped {repeated.sum()} of {len(values)} rows: each repeats an earlier one.",
            DroppedRowsWarning,
            stacklevel=4,
        )
    return users[~repeated], items[~repeated], values[~repeated]


def frame_columns(
    table: Table, user: str, item: str, value: str
) -> tuple[Numbered, Numbered, NDArray[Any]]:
    """Take users, items and values out of a table."""
    for parameter, name in (("user", user), ("item", item), ("value", value)):
        if name not in table.names:
            there = ", ".join(repr(known) for known in table.names)
            raise InputError(
                f"There is no column {name!r}; there are {there}. Choose one with {parameter}=."
            )
    columns = table.read([user, item], [value])
    for name in (user, item, value):
        column = columns.column(name)
        if column.null_count:
            row = int(np.argmax(column.is_null().to_numpy()))
            raise InputError(
                f"{table.place(row)} has no entry in column {name!r} ({column.null_count} missing"
                " in all); leave such rows out."
            )
    return (
        number_column(user, columns.column(user)),
        number_column(item, columns.column(item)),
        as_numbers(value, columns.column(value)),
    )
