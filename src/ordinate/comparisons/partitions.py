"""Comparisons that lie elsewhere: in many files, or in the memory of a cluster's workers."""

from __future__ import annotations

import copy
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import pairwise
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_integer
from ordinate._random import RandomState, as_generator
from ordinate.comparisons import dask_tasks as _dask
from ordinate.comparisons.record import Comparisons, as_comparisons

Pieces: TypeAlias = Iterable[Comparisons]
"""The comparisons of one partition, a piece after the other."""

_NOT_IN_MEMORY = (
    "This needs comparisons in memory, and these lie in partitions elsewhere; pass a sample of"
    " them, such as scan_parquet(...).sample(1_000_000), or all of them, scan_parquet(...)[:]."
)
_SHARE_OF_MEMORY = 0.5
"""Partitions are kept in memory if they need no more than this share of it."""


class PartitionedComparisons:
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

    @property
    def names(self) -> tuple[str, ...] | None:
        """The objects' names, or None when they only have numbers."""
        return self._names

    @property
    def n_objects(self) -> int:
        """How many objects there are, counting those that occur in no row."""
        return self._n_objects

    @property
    def kind(self) -> str:
        """Either ``"triplet"`` or ``"quadruplet"``."""
        return "triplet" if self._n_columns == 3 else "quadruplet"

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
        raise InputError(_NOT_IN_MEMORY)

    def __getitem__(self, key: slice | NDArray[np.integer[Any]]) -> Comparisons:
        """Bring the rows of a slice, or those with the given numbers, into memory."""
        wanted: Any = range(*key.indices(len(self))) if isinstance(key, slice) else np.asarray(key)
        order: Any
        if isinstance(wanted, range):  # small, however many rows it stands for
            order = slice(None, None, 1 if wanted.step > 0 else -1)
        else:
            order = np.argsort(wanted, kind="stable")
        ordered = wanted[order]
        bounds = [bisect_left(ordered, start) for start in self._starts]
        found = _dask.compute(
            [
                _dask.task(_on_partition, pieces, self._read, _take, (ordered[low:high], start))
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
        return Comparisons._trusted(rows, weights, {}, self._names, self._n_objects)

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
            it is read anew each time it is used. Dask reads again what is lost with a worker.
        """
        bytes_per_row = 4 * self._n_columns + 8 * self._weighted
        other = copy.copy(self)
        if len(self) * bytes_per_row <= _SHARE_OF_MEMORY * _dask.memory():
            with _dask.kept_with_workers(self._tasks(list)) as partitions:
                other._partitions, other._read = partitions, _dask.as_is
                yield other
        else:
            with _dask.kept_with_workers([_dask.share(self._read)]) as (read,):
                other._read = read
                yield other

    def _tasks(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return a Dask task per partition that calls a function of its pieces."""
        shared = _dask.share_if_large(arguments)
        return [
            _dask.task(_on_partition, pieces, self._read, function, shared)
            for pieces in self._partitions
        ]


Record: TypeAlias = Comparisons | PartitionedComparisons
"""What estimators that minimise a loss over comparisons take."""


@contextmanager
def kept(comparisons: Record) -> Iterator[Record]:
    """Keep comparisons in memory while the block runs, as far as there is room."""
    if isinstance(comparisons, PartitionedComparisons):
        with comparisons.kept() as held:
            yield held
    else:
        yield comparisons


def in_memory(comparisons: Record | ArrayLike) -> Comparisons | ArrayLike:
    """Return comparisons that are in memory, and refuse those that lie elsewhere."""
    if isinstance(comparisons, PartitionedComparisons) or hasattr(comparisons, "__dask_graph__"):
        raise InputError(_NOT_IN_MEMORY)
    return comparisons


def _on_partition(
    pieces: Iterable[Any],
    read: Callable[[Any], Comparisons],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> Any:
    return function(map(read, pieces), *arguments)


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


def as_record(
    comparisons: Any, answers: ArrayLike | None = None, *, weights: ArrayLike | None = None
) -> Record:
    """Return what a method was given as a record, in memory or in partitions.

    Parameters
    ----------
    comparisons : Comparisons, PartitionedComparisons or array-like
        What a method was given.
    answers : array-like of bool or +1/-1, optional
        Whether each row holds as written; only for comparisons in memory.
    weights : array-like, optional
        Weights that replace those of the record; only for comparisons in memory.

    Returns
    -------
    Comparisons or PartitionedComparisons
        One validated record.
    """
    if not isinstance(comparisons, PartitionedComparisons):
        return as_comparisons(comparisons, answers, weights=weights)
    if answers is not None or weights is not None:
        raise InputError(
            "Answers and weights of comparisons in partitions must be columns of the same table;"
            " name them with answer=... and weight=... in scan_parquet or from_dask."
        )
    return comparisons
