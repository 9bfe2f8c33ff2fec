"""Go once through all pieces of a partitioned record: check them and number their objects."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

from ordinate._checks import InputError, check_choice, check_integer, check_names
from ordinate.comparisons.dask_tasks import compute, share, task, tree
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.io.columns import as_objects
from ordinate.io.frames import DroppedRowsWarning
from ordinate.io.labels import is_number
from ordinate.io.layout import FoundLayout
from ordinate.io.partition_reader import Checked, Piece, PieceReader, Vocabulary, distinct_words

Partition: TypeAlias = "Sequence[Piece | Any]"
"""Pieces, or Dask tasks that become pieces."""

_NOTHING = "No comparisons; expected at least one row."


def survey(
    partitions: Sequence[Partition],
    found: FoundLayout,
    *,
    numeric: bool,
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
    numeric : bool
        Whether all object columns have the type of numbers.
    names, n_objects, on_invalid
        As for `read_comparisons`.

    Returns
    -------
    PartitionedComparisons
        Objects are numbered alike in all partitions: numbers stay, names get the numbers of
        their sorted order or of their place in `names`.
    """
    check_choice("on_invalid", on_invalid, ("raise", "drop"))
    labels = None if names is None else check_names(names)
    vocabulary = None
    if not partitions:
        raise InputError(_NOTHING)
    if labels is not None or not numeric:
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
) -> tuple[tuple[str, ...] | None, Vocabulary]:
    """Decide for all pieces together whether their words are names, and number them."""
    import pyarrow as pa

    shared = share(names)
    tasks = [task(_words_of, pieces, columns, shared) for pieces in partitions]
    words = sorted(_first_error_raised(compute([tree(tasks, _union)]))[0])
    numeric = {word for word in words if is_number(word)}
    if names is None and 0 < len(numeric) < len(words):
        raise InputError(
            f"Some objects are numbers, such as {min(numeric)!r}, and some are names, such as"
            f" {next(word for word in words if word not in numeric)!r}; correct them or, if all"
            " of them are names, list the names with names=[...]."
        )
    text = pa.array(words, pa.large_string())
    numbers, labels = as_objects({"0": pa.chunked_array([text])}, names, "Entry {}".format)
    return None if labels is None else check_names(labels), Vocabulary(text, numbers[:, 0])


def _words_of(
    pieces: Sequence[Piece], columns: Sequence[str], names: tuple[str, ...] | None
) -> set[str] | InputError:
    try:
        return _union([distinct_words(piece, columns, names) for piece in pieces])
    except InputError as error:
        return error


def _union(parts: Sequence[set[str] | InputError]) -> set[str] | InputError:
    error = next((part for part in parts if isinstance(part, InputError)), None)
    return error or set().union(*parts)  # type: ignore[arg-type]


def _check_all(partitions: Sequence[Partition], reader: PieceReader) -> list[Checked]:
    """Check all partitions, raise the first error there is, and say what was dropped."""
    shared = share(reader)
    tasks = [task(_check_partition, pieces, shared) for pieces in partitions]
    checked: list[Checked] = _first_error_raised(compute(tasks))
    n_left = sum(part.n_rows for part in checked)
    n_dropped = sum(part.n_dropped for part in checked)
    if n_left == 0:
        raise InputError(_NOTHING)
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
