"""How a piece of a partitioned record becomes comparisons: checked once, then read quickly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_answers, check_index_rows, degenerate_rows
from ordinate.comparisons.record import SWAPPED_COLUMNS, Comparisons
from ordinate.io.columns import as_answers, as_objects, as_weights, encode_column
from ordinate.io.frames import Parts
from ordinate.io.layout import FoundLayout

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
    """The different entries of the object columns, and the number of the object each means."""

    words: pa.Array
    numbers: NDArray[np.int64]


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
        with errors_naming(piece):
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
            None if weight is None else as_weights(weight, columns[weight]),
            names=self.names,
            n_objects=self.n_objects,
            missing={n: c.is_null().to_numpy() for n, c in columns.items() if c.null_count},
        )

    def _objects(self, column: pa.ChunkedArray) -> NDArray[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.vocabulary is None:
            numbers: NDArray[Any] = column.fill_null(0).to_numpy()
            return numbers
        if not pa.types.is_dictionary(column.type):
            column = column.cast(self.vocabulary.words.type).dictionary_encode()
        parts = [np.empty(0, dtype=np.int64)]
        for chunk in column.chunks:
            words = chunk.dictionary.cast(self.vocabulary.words.type)
            # entries that no row has need not be in the vocabulary
            at = pc.index_in(words, value_set=self.vocabulary.words).fill_null(0)
            known = self.vocabulary.numbers[at.to_numpy()] if len(at) else np.zeros(1, np.int64)
            parts.append(known[chunk.indices.fill_null(0).to_numpy()])
        return np.concatenate(parts)


def distinct_words(piece: Piece, columns: Sequence[str], names: Sequence[str] | None) -> set[str]:
    """Return the different entries of the object columns of one piece.

    Parameters
    ----------
    piece : Piece
        What to read.
    columns : sequence of str
        The object columns.
    names : sequence of str or None
        Names of all objects, if they were given.

    Returns
    -------
    set of str
        Entries as text; they have been checked as far as one piece allows.
    """
    table = piece.table(columns)
    objects = {name: table.column(name) for name in columns}
    with errors_naming(piece):
        as_objects(objects, names, "Row {}".format)
    return {word for name, column in objects.items() for word in encode_column(name, column)[0]}


@contextmanager
def errors_naming(piece: Piece) -> Iterator[None]:
    """Begin the message of a mistake in a piece with the piece's name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{piece.name}: {error}") from None


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
