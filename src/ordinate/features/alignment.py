"""Which row of features belongs to which object of the answers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import parameter
from ordinate._checks import InputError, on_host, refuse_comparisons
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.record import Comparisons

if TYPE_CHECKING:
    from ordinate.features.files import Features


def rows_of_objects(record: Answers, features: Any) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Match features to the objects of answers."""
    labels = labels_of_rows(features)
    rows = _checked(features)
    known = record.names or tuple(map(str, range(record.n_objects)))
    if labels is None:
        if len(rows) < record.n_objects:
            raise InputError(
                f"features has {len(rows)} rows; the answers are about {record.n_objects} objects."
                " Add rows (of NaN where there are no features), or pass a data frame whose index"
                " holds the objects' names."
            )
        more = tuple(map(str, range(record.n_objects, len(rows))))
        return rows, record.names and (*record.names, *more)
    rows, names = align_by_name(known, labels, rows)
    return rows, record.names if len(names) == record.n_objects else names


def join_features(record: Comparisons, features: Any) -> tuple[Comparisons, NDArray[Any]]:
    """Return answers about all objects that have features, and a row of features for each."""
    rows, names = rows_of_objects(record, features)
    return _about(record, len(rows), names), rows


def join_named_features(
    record: Comparisons, labels: Sequence[str], rows: NDArray[Any]
) -> tuple[Comparisons, NDArray[Any]]:
    """Return the same for rows of features that have labels."""
    known = record.names or tuple(map(str, range(record.n_objects)))
    rows, names = align_by_name(known, labels, rows)
    return _about(record, len(rows), names), rows


def _about(record: Comparisons, n_objects: int, names: tuple[str, ...] | None) -> Comparisons:
    """Return the record with objects that nobody was asked about."""
    return Comparisons(
        record.rows, n_objects=n_objects, weights=record.weights, groups=record.groups, names=names
    )


def labels_of_rows(features: Any) -> tuple[str, ...] | None:
    """Return what a pandas data frame calls its rows, or None for an array."""
    if not (hasattr(features, "index") and hasattr(features, "columns")):
        return None
    return tuple(str(label) for label in features.index)


def align_by_name(
    known: Sequence[str], labels: Sequence[str], rows: NDArray[Any]
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Put rows of features into the order of the objects; new ones follow."""
    if len(set(labels)) < len(labels):
        twice = next(label for at, label in enumerate(labels) if label in labels[:at])
        raise InputError(f"The features name {twice!r} twice; give each object one row.")
    number = {name: at for at, name in enumerate(known)}
    if not set(labels) & set(known):
        raise InputError(
            f"No object of the answers has features: objects are called {known[0]!r} in the answers"
            f" and {labels[0]!r} in the features. Call them the same, in the index of a data frame"
            " or in the column 'object' of a file."
        )
    places = [number.setdefault(label, len(number)) for label in labels]
    all_rows = np.full((len(number), rows.shape[1]), np.nan, dtype=rows.dtype)
    all_rows[places] = rows
    return all_rows, tuple(number)


def _checked(features: Any) -> NDArray[Any]:
    """Return features as floats; a row may be all NaN, but no other entry."""
    refuse_comparisons("features", features)
    try:
        rows = np.asarray(on_host(features))
        rows = rows if rows.dtype == np.float32 else rows.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"features must be a 2-D array of numbers; {error}.") from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(
            f"features must be a 2-D array with one row per object; got shape {rows.shape}."
        )
    finite = np.isfinite(rows)
    partly = ~finite & (finite.any(axis=1, keepdims=True) | np.isinf(rows))
    if partly.any():
        row, column = np.argwhere(partly)[0]
        raise InputError(
            f"features must be finite; row {row}, column {column} is {rows[row, column]}. Fill it"
            " in, or make the whole row NaN for an object without features."
        )
    return rows


def matched_rows(
    record: Answers, features: Features, labels: Sequence[str] | None
) -> NDArray[np.float64]:
    """Put the rows of a file of features into the order of the answers' objects."""
    names, points = names_of_rows(record, features, labels), features.dense()
    known = record.names or tuple(map(str, range(record.n_objects)))
    return align_by_name(known, names, points)[0][: record.n_objects]


def named_rows(features: Features, labels: Sequence[str] | None) -> Sequence[str] | None:
    """Return the names of the rows of a file, from it or from labels; None without either."""
    if features.names is not None:
        if "" in features.names:
            row = features.names.index("") + 1
            raise InputError(f"The name of object {row} is empty; give it one, or leave it out.")
        return [str(name) for name in features.names]
    n_rows = features.points.shape[0]
    if labels is not None and len(labels) != n_rows:
        raise InputError(
            f"There are {n_rows} rows and {len(labels)} labels in {parameter('objects')}; give one"
            " label per row."
        )
    return labels


def names_of_rows(
    record: Answers, features: Features, labels: Sequence[str] | None
) -> Sequence[str]:
    """Return which objects the rows of a file of features are about.

    `labels` name the rows of a file that names none; without them, rows are matched by number.
    """
    n_rows, names = features.points.shape[0], named_rows(features, labels)
    if names is not None:
        return names
    known = record.names or tuple(map(str, range(record.n_objects)))
    first = _first_number(known, n_rows)
    warnings.warn(
        f"Rows of features have no labels; row {first} is taken for object {first}, and so on.",
        stacklevel=3,
    )
    return [str(first + row) for row in range(n_rows)]


def _first_number(known: Sequence[str], n_rows: int) -> int:
    """Return the number of the first row if the answers number objects: 0 or 1."""
    objects = parameter("objects")
    if not all(name.isdecimal() for name in known):
        raise InputError(
            f"The answers call objects {known[0]!r} and so on, but the rows have no labels. Name"
            f" them in a column 'object' (in .npz, an array beside the matrix), or give {objects}."
        )
    numbers = [int(name) for name in known]
    fitting = [first for first in (0, 1) if first <= min(numbers) and max(numbers) < n_rows + first]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise InputError(
            f"There are {n_rows} rows, and the answers number objects {min(numbers)} to"
            f" {max(numbers)}. Add rows, or give {objects}."
        )
    raise InputError(
        f"The answers number objects {min(numbers)} to {max(numbers)}, and {n_rows} rows without"
        f" labels may count from 0 or from 1. Give the labels of the rows in {objects}."
    )
