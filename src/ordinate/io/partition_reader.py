"""How a piece of a partitioned record becomes comparisons: checked once, then read quickly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import check_answers, check_index_rows, degenerate_rows
from ordinate.comparisons.record import SWAPPED_COLUMNS, Comparisons
from ordinate.io.columns import Parts, as_answers, as_numbers, as_objects
from ordinate.io.layouts import FoundLayout
from ordinate.io.tables import errors_naming

if TYPE_CHECKING:
    import pyarrow as pa


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


@dataclass(frozen=True)
class PieceReader:
    """Reads pieces into comparisons whose objects are numbered alike in all of them.

    Parameters
    ----------
    found : FoundLayout
        Which columns hold what.
    vocabulary : Vocabulary or None
        Numbers of objects that come as text; without it the columns hold the numbers.
    names : sequence of str or None
        Names of the objects, for messages.
    n_objects : int or None
        How many objects there are, if that is known.
    on_invalid : {"raise", "drop"}
        What to do with rows that say nothing.
    """

    found: FoundLayout
    vocabulary: Vocabulary | None
    names: Sequence[str] | None
    n_objects: int | None
    on_invalid: str

    def __call__(self, piece: Piece) -> Comparisons:
        """Return the comparisons of a piece that has been checked."""
        parts = self._parts(piece)
        if self.on_invalid == "drop":
            parts = _without_invalid(parts, np.asarray(parts.rows, dtype=np.int32))
        rows = np.ascontiguousarray(parts.rows, dtype=np.int32)
        if parts.answers is not None:
            flip = ~check_answers(parts.answers, len(rows))
            rows[flip] = rows[flip][:, SWAPPED_COLUMNS[rows.shape[1]]]
        weights = None if parts.weights is None else parts.weights.astype(np.float64)
        assert self.n_objects is not None
        return Comparisons._trusted(rows, weights, {}, None, self.n_objects)

    def check(self, piece: Piece) -> Checked:
        """Refuse what does not belong into comparisons, naming the piece and the row."""
        with errors_naming(piece.name):
            parts = self._parts(piece)
            n_rows = len(parts.rows)
            if n_rows and self.on_invalid == "drop":
                rows = check_index_rows(parts.rows, self.n_objects, parts.place)
                parts = _without_invalid(parts, rows)
            n_left = len(parts.rows)
            largest = int(parts.build("raise").rows.max()) if n_left else -1
        return Checked(n_left, n_rows - n_left, largest)

    def _parts(self, piece: Piece) -> Parts:
        table = piece.table(self.found.used)
        columns = {name: table.column(name) for name in self.found.used}
        answer, weight = self.found.answer, self.found.weight
        return Parts(
            np.column_stack([self._objects(columns[name]) for name in self.found.objects]),
            None if answer is None else as_answers(answer, columns[answer]),
            None if weight is None else as_numbers(weight, columns[weight], "weights"),
            names=self.names,
            n_objects=self.n_objects,
            missing={n: c.is_null().to_numpy() for n, c in columns.items() if c.null_count},
            positions=self.vocabulary is None,
        )

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
    """Return the different entries of the object columns of one piece.

    Parameters
    ----------
    piece : Piece
        What to read.
    columns : sequence of str
        The object columns.
    names : sequence of str or None
        Labels of all objects, if they were given.

    Returns
    -------
    pyarrow.Array
        Whole numbers or text; they have been checked as far as one piece allows.
    """
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


def _without_invalid(parts: Parts, rows: NDArray[np.int32]) -> Parts:
    """Leave out rows with missing entries and rows that say nothing."""
    missing = np.any([*parts.missing.values(), np.zeros(len(rows), dtype=bool)], axis=0)
    keep = ~(missing | degenerate_rows(rows))
    return replace(
        parts,
        rows=rows[keep],
        answers=None if parts.answers is None else parts.answers[keep],
        weights=None if parts.weights is None else parts.weights[keep],
        missing={},
    )
