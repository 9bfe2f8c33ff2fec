"""A record in partitions: checked and its objects numbered once, then read quickly."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import (
    INT32_LIMIT,
    NO_ROWS,
    InputError,
    check_answers,
    check_index_rows,
    check_weights,
    degenerate_rows,
)
from ordinate.comparisons.dask_tasks import compute, share, task, tree
from ordinate.comparisons.labels import count_numbers, number_labels, warn_of_labels, warn_of_unseen
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.comparisons.record import SWAPPED_COLUMNS, Comparisons, check_size
from ordinate.io.columns import (
    LABELS_NOT_COUNTED,
    DroppedRowsWarning,
    as_numbers,
    as_objects,
    parse_truth_values,
    refuse_missing,
    valid_rows,
)
from ordinate.io.layout import Layout
from ordinate.io.layout_table import FoundLayout
from ordinate.io.tables import errors_naming

if TYPE_CHECKING:
    import pyarrow as pa

Partition: TypeAlias = "Sequence[Piece | Any]"
"""Pieces, or Dask tasks that become pieces."""


def validate_partitions(
    partitions: Sequence[Partition], found: FoundLayout, options: Layout, *, positions: bool
) -> PartitionedComparisons:
    """Check every row where it is and return the record."""
    labels, n_objects = check_size(options.names, options.n_objects)
    vocabulary = None
    if not partitions:
        raise InputError(NO_ROWS)
    if not positions:
        if n_objects is not None and labels is None:
            raise InputError(LABELS_NOT_COUNTED)
        labels, vocabulary = _number_words(partitions, found.objects, labels)
        n_objects = len(labels)
        warn_of_labels(labels)
    reader = PieceReader(found, vocabulary, labels, n_objects, options.on_invalid)
    checked = _check_all(partitions, reader)
    if n_objects is None:
        n_entries = sum(part.n_rows for part in checked) * len(found.objects)
        n_objects = count_numbers(max(part.largest for part in checked), n_entries)
        occurs = np.ones(n_objects, dtype=bool)
        occurs[: min(part.smallest for part in checked)] = False
        warn_of_unseen(occurs)
    return PartitionedComparisons(
        partitions,
        [part.n_rows for part in checked],
        share(PieceReader(found, vocabulary, None, n_objects, options.on_invalid)),
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
    rows, dropped, largest, smallest = zip(*checked, strict=True)
    return Checked(sum(rows), sum(dropped), max(largest), min(smallest))


def _first_error_raised(results: list[Any]) -> list[Any]:
    """Raise the first of the errors that tasks returned, so that it is always the same one."""
    for result in results:
        if isinstance(result, InputError):
            raise result
    return results


class Piece(Protocol):
    """A part of a table that can be read wherever it is needed."""

    @property
    def name(self) -> str:
        """Words for where the piece is, such as a file's name; messages begin with it."""

    def table(self, columns: Sequence[str]) -> pa.Table:
        """Read the columns."""


class Vocabulary(NamedTuple):
    """The labels in the object columns, and the number of the object that each means."""

    words: pa.Array
    numbers: NDArray[np.int32]


class Checked(NamedTuple):
    """What is known of a piece that has been read and checked."""

    n_rows: int
    n_dropped: int
    largest: int
    smallest: int


@dataclass(frozen=True)
class PieceReader:
    """Reads pieces into comparisons whose objects are numbered alike in all of them."""

    found: FoundLayout
    vocabulary: Vocabulary | None
    names: Sequence[str] | None
    n_objects: int | None
    on_invalid: str

    def __call__(self, piece: Piece) -> Comparisons:
        """Return the comparisons of a piece that has been checked."""
        rows, weights, _ = self._read(piece)
        assert self.n_objects is not None
        return Comparisons._from_validated(rows, weights, {}, None, self.n_objects)

    def check(self, piece: Piece) -> Checked:
        """Refuse what does not belong into comparisons, naming the piece and the row."""
        with errors_naming(piece.name):
            rows, _, n_dropped = self._read(piece, check=True)
        largest, smallest = rows.max(initial=-1), rows.min(initial=INT32_LIMIT - 1)
        return Checked(len(rows), n_dropped, int(largest), int(smallest))

    def _read(
        self, piece: Piece, *, check: bool = False
    ) -> tuple[NDArray[np.int32], NDArray[np.float64] | None, int]:
        """Return rows that hold as written, weights, and how many rows say nothing."""
        table = piece.table(self.found.used)
        columns = {name: table.column(name) for name in self.found.used}
        answer, weight = self.found.answer, self.found.weight
        missing = {n: c.is_null().to_numpy() for n, c in columns.items() if c.null_count}
        rows = np.column_stack([self._objects(columns[name]) for name in self.found.objects])
        if check and self.on_invalid == "raise":
            refuse_missing(missing, "Row {}".format)
        if check and self.vocabulary is None and len(rows):
            # one piece does not show how many there are
            rows = check_index_rows(rows, self.n_objects or INT32_LIMIT - 1)
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        if answer is not None:
            holds = parse_truth_values(answer, columns[answer], self.found.answer_given)
            flip = ~check_answers(holds, len(rows))
            rows[flip] = rows[flip][:, SWAPPED_COLUMNS[rows.shape[1]]]
        weights = None
        if weight is not None:
            weights = as_numbers(weight, columns[weight], "weights").astype(np.float64)
            weights = check_weights(weights, len(rows)) if check and len(rows) else weights
        if not check and self.on_invalid == "raise":
            return rows, weights, 0
        with warnings.catch_warnings():  # all partitions are counted together
            warnings.simplefilter("ignore", DroppedRowsWarning)
            keep = valid_rows(
                missing,
                degenerate_rows(rows),
                self.on_invalid,
                "Row {}".format,
                lambda row: tuple(rows[row].tolist()),
            )
        kept = rows[keep]
        weights = None if weights is None else weights[keep]
        return kept, weights, len(rows) - len(kept)

    def _objects(self, column: pa.ChunkedArray) -> NDArray[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.vocabulary is None:
            numbers: NDArray[Any] = column.fill_null(0).to_numpy()
            return numbers
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        parts = [np.empty(0, dtype=np.int32)]
        for chunk in column.chunks:
            words = as_words(chunk.dictionary).cast(self.vocabulary.words.type)
            # entries that no row has need not be in the vocabulary
            at = pc.index_in(words, value_set=self.vocabulary.words).fill_null(0)
            known = self.vocabulary.numbers[at.to_numpy()] if len(at) else np.zeros(1, np.int32)
            parts.append(known[chunk.indices.fill_null(0).to_numpy()])
        return np.concatenate(parts)


def as_words(entries: pa.Array) -> pa.Array:
    """Return entries as whole numbers, if they are, or else as text."""
    import pyarrow as pa

    if pa.types.is_floating(entries.type):
        numbers = entries.to_numpy(zero_copy_only=False)
        if not np.array_equal(numbers, np.floor(numbers), equal_nan=True):
            return pa.array([repr(number) for number in numbers.tolist()], pa.large_string())
    whole = pa.types.is_integer(entries.type) or pa.types.is_floating(entries.type)
    return entries.cast(pa.int64() if whole else pa.large_string())


def distinct_words(piece: Piece, columns: Sequence[str], names: Sequence[str] | None) -> pa.Array:
    """Return the different entries of the object columns of one piece."""
    table = piece.table(columns)
    objects = {name: table.column(name) for name in columns}
    with errors_naming(piece.name):
        as_objects(objects, names, "Row {}".format)
    return union_of_words([as_words(entries.unique()) for entries in _decoded(objects)])


def _decoded(columns: Mapping[str, pa.ChunkedArray]) -> Iterator[pa.ChunkedArray]:
    import pyarrow as pa

    for column in columns.values():
        if pa.types.is_dictionary(column.type):
            column = pa.chunked_array(
                [chunk.dictionary.take(chunk.indices.unique()) for chunk in column.chunks],
                type=column.type.value_type,
            )
        yield column


def union_of_words(parts: Sequence[pa.Array]) -> pa.Array:
    """Return the different words of all parts: whole numbers if all are, or else text."""
    import pyarrow as pa

    parts = [part.drop_null() for part in parts]
    parts = [part for part in parts if len(part)] or parts[:1]
    if len({part.type for part in parts}) > 1:
        parts = [part.cast(pa.large_string()) for part in parts]
    return pa.chunked_array(parts).unique()
