"""Comparisons that lie elsewhere: in many files, or in the memory of a cluster's workers."""

from __future__ import annotations

import copy
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import pairwise
from types import EllipsisType
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_integer
from ordinate._random import RandomState, as_generator
from ordinate.comparisons import dask_tasks as _dask
from ordinate.comparisons.grouped_rows import row_index
from ordinate.comparisons.record import Comparisons, TripletsOrQuadruplets

Pieces: TypeAlias = Iterable[Comparisons]
"""The comparisons of one partition, a piece after the other."""

NOT_IN_MEMORY = (
    "This needs comparisons in memory, and these lie in partitions elsewhere; pass a sample of"
    " them, such as scan_parquet(...).sample(1_000_000), or all of them, scan_parquet(...)[:]."
)
_SHARE_OF_MEMORY = 0.5
"""Partitions are kept in memory if they need no more than this share of it."""


class PartitionedComparisons(TripletsOrQuadruplets):
    """Comparisons in partitions that are read where they are, when they are needed.

    `scan_parquet` and `from_dask` make such records, and the estimators that minimise a loss over
    comparisons fit them. Work on a partition is a Dask task: it runs on the workers of the Dask
    client if there is one, else in threads of this process. A partition consists of pieces that
    are read one at a time, so that it need not fit in memory.

    Parameters
    ----------
    partitions : sequence
        For each partition what `read` reads: a list of pieces, or a Dask object that becomes one.
    sizes : sequence of int
        Comparisons in each partition.
    read : callable, or a Dask task that becomes one
        Takes a piece and returns its comparisons, without names.
    n_objects : int
        How many objects there are.
    n_columns : int
        3 for triplets, 4 for quadruplets.
    names : sequence of str, optional
        One name per object.
    weighted : bool, default=False
        Whether the pieces have weights.

    See Also
    --------
    scan_parquet : From many files.
    from_dask : From Dask arrays and data frames.
    Comparisons : In memory.

    Examples
    --------
    >>> import dask.array, ordinate as od
    >>> rows = dask.array.from_array([[0, 1, 2], [2, 1, 0], [1, 0, 2]], chunks=(2, 3))
    >>> answers = od.from_dask(rows)
    >>> answers
    PartitionedComparisons(3 triplets in 2 partitions, 3 objects)
    >>> answers[1:].rows
    array([[2, 1, 0],
           [1, 0, 2]], dtype=int32)
    """

    _n_objects_inferred = True

    def __init__(
        self,
        partitions: Sequence[Any],
        sizes: Sequence[int],
        read: Any,
        *,
        n_objects: int,
        n_columns: int,
        names: tuple[str, ...] | None = None,
        weighted: bool = False,
    ) -> None:
        self._partitions = partitions
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self._read = read
        self._n_objects = n_objects
        self._n_columns = n_columns
        self._names = names
        self._weighted = weighted
        self._numbers: NDArray[np.int32] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of comparisons and of columns."""
        return len(self), self._n_columns

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __repr__(self) -> str:
        plural = "" if len(self) == 1 else "s"
        weighted = ", weighted" if self._weighted else ""
        return (
            f"PartitionedComparisons({len(self)} {self.kind}{plural} in {len(self._partitions)}"
            f" partitions, {self._n_objects} objects{weighted})"
        )

    @property
    def rows(self) -> NoReturn:
        """Refused: these comparisons are not in memory."""
        raise InputError(NOT_IN_MEMORY)

    def __getitem__(
        self, key: int | slice | ArrayLike | tuple[int | slice | ArrayLike, EllipsisType]
    ) -> Comparisons:
        """Bring rows into memory: by number, slice, list or mask, as in NumPy."""
        key = row_index(key)
        wanted: Any
        if isinstance(key, slice):
            wanted = range(*key.indices(len(self)))
        else:
            wanted = _row_numbers(key, len(self))
        order: Any
        if isinstance(wanted, range):  # small, however many rows it stands for
            order = slice(None, None, 1 if wanted.step > 0 else -1)
        else:
            order = np.argsort(wanted, kind="stable")
        ordered = wanted[order]
        bounds = [bisect_left(ordered, start) for start in self._starts]
        found = _dask.compute(
            [
                _dask.task(
                    _on_partition,
                    pieces,
                    self._read,
                    self._numbers,
                    _take,
                    (ordered[low:high], start),
                )
                for pieces, (low, high), start in zip(
                    self._partitions, pairwise(bounds), self._starts[:-1], strict=True
                )
                if low < high
            ]
        )
        rows = np.empty((len(wanted), self._n_columns), dtype=np.int32)
        weights = np.empty(len(wanted)) if self._weighted else None
        rows[order] = np.concatenate([rows[:0], *(rows for rows, _ in found)])
        if weights is not None:
            weights[order] = np.concatenate([weights[:0], *(weights for _, weights in found)])
        return Comparisons._from_validated(rows, weights, {}, self._names, self._n_objects)

    def __iter__(self) -> Iterator[Comparisons]:
        """Refused: rows one at a time would read their partition again for each."""
        raise InputError(NOT_IN_MEMORY)

    def occurring(self, objects: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some objects that occur in a row; labels come from rows, so all do."""
        return objects

    def renumbered(
        self, numbers: NDArray[np.int32], n_objects: int, names: tuple[str, ...] | None
    ) -> PartitionedComparisons:
        """Return the same rows about objects with other numbers and labels."""
        other = copy.copy(self)
        other._numbers = numbers if self._numbers is None else numbers[self._numbers]
        other._n_objects, other._names = n_objects, names
        return other

    def sample(self, size: int, *, random_state: RandomState = None) -> Comparisons:
        """Draw different rows at random and bring them into memory.

        Parameters
        ----------
        size : int
            How many rows.
        random_state : int, Generator or None, default=None
            Seed of the draw.

        Returns
        -------
        Comparisons
            The rows drawn, in the order of the partitions.
        """
        size = check_integer("size", size, minimum=1, maximum=len(self))
        rng = as_generator(random_state)
        return self[np.sort(rng.choice(len(self), size=size, replace=False))]

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Work on each piece where it is and bring the results here.

        Parameters
        ----------
        function : callable
            Takes the comparisons of a piece, then `arguments`.
        *arguments
            Sent to each worker once.

        Returns
        -------
        list
            One result per piece, in order.
        """
        parts = _dask.compute(self._tasks(_map_pieces, function, *arguments))
        return [result for part in parts for result in part]

    def sum(
        self, function: Callable[..., Any], *arguments: Any, n_threads: int | None = None
    ) -> tuple[Any, ...]:
        """Add up what a function returns for each piece, in an order that is always the same.

        Parameters
        ----------
        function : callable
            Takes the comparisons of a piece, then `arguments`; returns a tuple of numbers or
            arrays.
        *arguments
            Sent to each worker once.
        n_threads : int, optional
            Threads to use where there is no Dask client; by default one per core.

        Returns
        -------
        tuple
            The sums; the same bits whatever the number of workers and threads.
        """
        parts = self._tasks(_sum_pieces, function, *arguments)
        total: tuple[Any, ...] = _dask.compute([_dask.tree(parts, _add)], n_threads)[0]
        return total

    @contextmanager
    def kept(self) -> Iterator[PartitionedComparisons]:
        """Keep the partitions in memory while the block runs, if there is room for them.

        Yields
        ------
        PartitionedComparisons
            The same record; with room it is read once and then stays with the workers, otherwise
            it is read again each time it is used. Dask reads again what is lost with a worker.
        """
        bytes_per_row = 4 * self._n_columns + 8 * self._weighted
        other = copy.copy(self)
        if len(self) * bytes_per_row <= _SHARE_OF_MEMORY * _dask.memory():
            with _dask.kept_with_workers(self._tasks(list)) as partitions:
                other._partitions, other._read, other._numbers = partitions, _dask.as_is, None
                yield other
        else:
            with _dask.kept_with_workers([_dask.share(self._read)]) as (read,):
                other._read = read
                yield other

    def _tasks(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return a Dask task per partition that calls a function of its pieces."""
        shared = _dask.share_if_large(arguments)
        return [
            _dask.task(_on_partition, pieces, self._read, self._numbers, function, shared)
            for pieces in self._partitions
        ]


def _row_numbers(key: NDArray[Any], n_rows: int) -> NDArray[np.int64]:
    """Return the numbers that a list or a mask stands for, as NumPy reads them."""
    if key.dtype.kind == "b":
        if len(key) != n_rows:
            raise IndexError(f"The mask has {len(key)} entries; there are {n_rows} comparisons.")
        return np.flatnonzero(key)
    outside = (key < -n_rows) | (key >= n_rows)
    if outside.any():
        raise IndexError(f"There are {n_rows} comparisons; got row {key[outside][0]}.")
    return np.where(key < 0, key + n_rows, key).astype(np.int64)


def _on_partition(
    pieces: Iterable[Any],
    read: Callable[[Any], Comparisons],
    numbers: NDArray[np.int32] | None,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> Any:
    found: Iterable[Comparisons] = map(read, pieces)
    if numbers is not None:
        found = (piece.renumbered(numbers, int(numbers.max()) + 1, None) for piece in found)
    return function(found, *arguments)


def _take(pieces: Pieces, wanted: range | NDArray[np.int64], start: int) -> tuple[Any, Any]:
    """Return rows of a partition, whose first has the number `start`, and their weights."""
    rows, weights = [], []
    low = 0
    for piece in pieces:
        high = bisect_left(wanted, start + len(piece), low)
        here = np.asarray(wanted[low:high], dtype=np.int64) - start
        rows.append(piece.rows[here])
        weights.append(None if piece.weights is None else piece.weights[here])
        start, low = start + len(piece), high
        if high == len(wanted):  # what comes after need not be read
            break
    joined = None if weights[0] is None else np.concatenate([w for w in weights if w is not None])
    return np.concatenate(rows), joined


def _map_pieces(pieces: Pieces, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    return [function(piece, *arguments) for piece in pieces]


def _sum_pieces(pieces: Pieces, function: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    return _add(function(piece, *arguments) for piece in pieces)


def _add(parts: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Add tuples entry by entry, in order, holding no more than two of them at a time."""
    return reduce(lambda left, right: tuple(map(operator.add, left, right)), parts)
