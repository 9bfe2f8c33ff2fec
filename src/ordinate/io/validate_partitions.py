"""Go once through all pieces of a partitioned record: check them and number their objects."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ordinate._checks import InputError, check_choice, check_integer, check_names
from ordinate.comparisons.dask_tasks import compute, share, task, tree
from ordinate.comparisons.labels import number_labels
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.io.columns import NO_ROWS, DroppedRowsWarning
from ordinate.io.layouts import FoundLayout
from ordinate.io.partition_reader import (
    Checked,
    Piece,
    PieceReader,
    Vocabulary,
    distinct_words,
    union_of_words,
)

Partition: TypeAlias = "Sequence[Piece | Any]"
"""Pieces, or Dask tasks that become pieces."""


def validate_partitions(
    partitions: Sequence[Partition],
    found: FoundLayout,
    *,
    positions: bool,
    names: Sequence[object] | None,
    n_objects: int | None,
    on_invalid: str,
) -> PartitionedComparisons:
    """Check every row where it is and return the record.

    Parameters
    ----------
    partitions : sequence of sequences of pieces
        Where the rows are.
    found : FoundLayout
        Which columns hold what.
    positions : bool
        Whether the object columns hold positions, as arrays do, and not labels.
    names, n_objects, on_invalid
        As for `read_comparisons`.

    Returns
    -------
    PartitionedComparisons
        Objects are numbered alike in all partitions: positions stay, labels get the numbers of
        their natural order or of their place in `names`.
    """
    check_choice("on_invalid", on_invalid, ("raise", "drop"))
    labels = None if names is None else check_names(names)
    vocabulary = None
    if not partitions:
        raise InputError(NO_ROWS)
    if not positions:
        if n_objects is not None and labels is None:
            raise InputError(
                "n_objects counts the positions of an array, but these objects have labels; name"
                " those that occur in no row with names=[...]."
            )
        labels, vocabulary = _number_words(partitions, found.objects, labels)
    if labels is not None:
        if n_objects is not None and n_objects != len(labels):
            raise InputError(f"names has {len(labels)} entries; n_objects is {n_objects}.")
        n_objects = len(labels)
    elif n_objects is not None:
        n_objects = check_integer("n_objects", n_objects, minimum=2)
    reader = PieceReader(found, vocabulary, labels, n_objects, on_invalid)
    checked = _check_all(partitions, reader)
    if n_objects is None:
        n_objects = max(part.largest for part in checked) + 1
    return PartitionedComparisons(
        partitions,
        [part.n_rows for part in checked],
        share(PieceReader(found, vocabulary, None, n_objects, on_invalid)),
        n_objects=n_objects,
        n_columns=len(found.objects),
        names=labels,
        weighted=found.weight is not None,
    )


def _number_words(
    partitions: Sequence[Partition], columns: Sequence[str], names: tuple[str, ...] | None
) -> tuple[tuple[str, ...], Vocabulary | None]:
    """Give the labels of all pieces numbers; labels 0, 1, … are the numbers themselves."""
    import pyarrow as pa

    shared = share(names)
    tasks = [task(_words_of, pieces, columns, shared) for pieces in partitions]
    words = _first_error_raised(compute([tree(tasks, _union)]))[0]
    texts = words.cast(pa.large_string()).to_pylist()
    labels, (numbers,) = number_labels([texts], names)
    if pa.types.is_integer(words.type) and np.array_equal(words.to_numpy(), numbers):
        return labels, None
    return labels, Vocabulary(words, numbers)


def _words_of(
    pieces: Sequence[Piece], columns: Sequence[str], names: tuple[str, ...] | None
) -> Any:
    try:
        return _union([distinct_words(piece, columns, names) for piece in pieces])
    except InputError as error:
        return error


def _union(parts: Sequence[Any]) -> Any:
    error = next((part for part in parts if isinstance(part, InputError)), None)
    return error or union_of_words(parts)


def _check_all(partitions: Sequence[Partition], reader: PieceReader) -> list[Checked]:
    """Check all partitions, raise the first error there is, and say what was dropped."""
    shared = share(reader)
    tasks = [task(_check_partition, pieces, shared) for pieces in partitions]
    checked: list[Checked] = _first_error_raised(compute(tasks))
    n_left = sum(part.n_rows for part in checked)
    n_dropped = sum(part.n_dropped for part in checked)
    if n_left == 0:
        raise InputError(NO_ROWS)
    if n_dropped:
        warnings.warn(
            f"Dropped {n_dropped} of {n_left + n_dropped} rows, which had a missing entry or an"
            " object or pair twice.",
            DroppedRowsWarning,
            stacklevel=4,
        )
    return checked


def _check_partition(pieces: Sequence[Piece], reader: PieceReader) -> Checked | InputError:
    try:
        checked = [reader.check(piece) for piece in pieces]
    except InputError as error:
        return error
    rows, dropped, largest = zip(*checked, strict=True)
    return Checked(sum(rows), sum(dropped), max(largest))


def _first_error_raised(results: list[Any]) -> list[Any]:
    """Raise the first of the errors that tasks returned, so that it is always the same one."""
    for result in results:
        if isinstance(result, InputError):
            raise result
    return results
