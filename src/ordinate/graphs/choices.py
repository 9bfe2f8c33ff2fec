"""A graph's neighbours as choices: each of an object's neighbours against some random others.

If a neighbour has the squared distance q from the object, its kernel is 1 / (1 + q), as in t-STE.
The probability that it is chosen is its share of the sum of its own kernel and those of the
others. The loss is the mean over objects of the mean of −log p over their neighbours, so that an
object with many neighbours counts no more than one with few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._compiler import njit
from ordinate.engine.cpu import chunk_bounds, run_chunks
from ordinate.graphs.neighbor_graph import NeighborGraph

_ONE, _TWO = np.float32(1), np.float32(2)
_STREAM = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
JUDGED = 5
"""Draws over which a loss is averaged before two maps are compared."""
_compiled = njit(nogil=True, cache=True, error_model="numpy")
_inlined = njit(nogil=True, cache=True, error_model="numpy", forceinline=True)


class NeighborChoices:
    """The loss and its gradient at some coordinates, with others that each call draws again.

    Draws depend on the seed, the call and the object only, and chunks on the data, so that the
    result has the same bits for any number of threads.
    """

    def __init__(
        self, graph: NeighborGraph, *, n_others: int, seed: int, n_threads: int = 1
    ) -> None:
        self._indptr, self._indices = graph.indptr, graph.indices
        self._shares = shares_of_edges(graph)
        self._n_others, self._n_threads = n_others, n_threads
        self._seed, self._draws = seed, np.random.default_rng(seed)

    def to_device(self, points: Points) -> NDArray[np.float32]:
        """Return coordinates in the precision of the loops."""
        return points.astype(np.float32)

    def to_host(self, points: NDArray[np.float32]) -> Points:
        """Return coordinates in the precision of maps."""
        return points.astype(np.float64)

    def __call__(self, points: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """Return the loss, and its gradient times the number of objects."""
        return self._at(points, self._draws)

    def judged(self, points: NDArray[np.float32]) -> float:
        """Return the mean loss over the first draws, the same for every map."""
        draws = np.random.default_rng(self._seed)
        return float(np.mean([self._at(points, draws)[0] for _ in range(JUDGED)]))

    def _at(
        self, points: NDArray[np.float32], draws: np.random.Generator
    ) -> tuple[float, NDArray[np.float32]]:
        n = len(points)
        seed = draws.integers(2**63, dtype=np.uint64)
        n_each = max(len(self._indices) // n, 1) + self._n_others
        bounds = chunk_bounds(n * n_each, points.size) // n_each
        sums = np.zeros((len(bounds) - 1, *points.shape), dtype=np.float32)

        def work(chunk: int) -> float:
            return float(
                add_choices(
                    points, self._indptr, self._indices, self._shares, self._n_others, seed,
                    bounds[chunk], bounds[chunk + 1], sums[chunk],
                )
            )  # fmt: skip

        value = sum(run_chunks(work, len(sums), self._n_threads)) / n
        return value, sums.sum(axis=0)


def shares_of_edges(graph: NeighborGraph) -> NDArray[np.float32]:
    """Return what each edge counts; those of an object add up to 1."""
    weights = np.ones(graph.n_edges) if graph.weights is None else graph.weights
    heads = np.repeat(np.arange(graph.n_objects), graph.degrees)
    totals = np.bincount(heads, weights, minlength=graph.n_objects)
    shares: NDArray[np.float32] = (weights / totals[heads]).astype(np.float32)
    return shares


@_inlined
def kernel_between(points: Any, i: Any, j: Any) -> Any:
    """Return 1 / (1 + d²)."""
    squared = _ONE
    for s in range(points.shape[1]):
        gap = points[i, s] - points[j, s]
        squared += gap * gap
    return _ONE / squared


@_inlined
def is_neighbor(indices: Any, low: Any, high: Any, other: Any) -> bool:
    """Look for an object among sorted neighbours."""
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < other:
            low = middle + 1
        elif indices[middle] > other:
            high = middle
        else:
            return True
    return False


@_inlined
def _scrambled(state: Any) -> Any:
    """Turn successive numbers into independent ones (splitmix64; Steele, Lea & Flood 2014)."""
    state = (state ^ (state >> np.uint64(30))) * _MIX_1
    state = (state ^ (state >> np.uint64(27))) * _MIX_2
    return state ^ (state >> np.uint64(31))


@_inlined
def move_pair(points: Any, i: Any, j: Any, slope: Any, gradient: Any) -> None:
    """Add the gradient of a term by its derivative in the squared distance."""
    for s in range(points.shape[1]):
        force = _TWO * slope * (points[i, s] - points[j, s])
        gradient[i, s] += force
        gradient[j, s] -= force


@_compiled
def add_choices(
    points: Any,
    indptr: Any,
    indices: Any,
    shares: Any,
    n_others: int,
    seed: Any,
    start: int,
    stop: int,
    gradient: Any,
) -> float:
    """Add the gradient of the objects start … stop to `gradient` and return their loss."""
    n = np.uint64(len(points))
    others, kernels = np.empty(n_others, dtype=np.int64), np.empty(n_others, dtype=np.float32)
    value = 0.0
    for i in range(start, stop):
        first, last = indptr[i], indptr[i + 1]
        if first == last:
            continue
        state = _scrambled(seed + np.uint64(i) * _STREAM)
        m, total = 0, np.float32(0)
        for _ in range(n_others):
            state += _STREAM
            # the upper half of the bits, as a fraction of n
            other = np.int64(((_scrambled(state) >> np.uint64(32)) * n) >> np.uint64(32))
            if other != i and not is_neighbor(indices, first, last, other):
                others[m] = other
                kernels[m] = kernel_between(points, i, other)
                total += kernels[m]
                m += 1
        if m == 0:
            continue
        pressure = np.float32(0)
        for e in range(first, last):
            j = indices[e]
            kernel = kernel_between(points, i, j)
            inverse = shares[e] / (kernel + total)
            value -= shares[e] * np.log(kernel / (kernel + total))
            pressure += inverse
            move_pair(points, i, j, inverse * total * kernel, gradient)
        for t in range(m):
            move_pair(points, i, others[t], -pressure * kernels[t] * kernels[t], gradient)
    return value
