"""LOE's stress of a neighbour graph and its gradient, exactly and without expanding it.

For one object i let a_j be the distances to its neighbours and b_l those to all others. The stress
is the sum over all j and l of max(0, a_j + δ − b_l)². Only objects nearer than the farthest
neighbour plus δ count; a grid finds them. Measured from that reach, u_j = max a − a_j and
w_l = max a + δ − b_l, a term is (w_l − u_j)² where u_j < w_l, so with the u sorted, prefix sums
give the loss and its partial derivatives in O(log k) per candidate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError
from ordinate._compiler import njit
from ordinate.engine.cpu import run_chunks

_MOST_AXES = 3
"""Axes that are cut into cells. In more dimensions the widest three still rule out many points, and
the others are scanned."""
_MOST_CELLS_PER_POINT = 2.0


class Grid(NamedTuple):
    """Points sorted by cell; the cells of one row follow one another in memory."""

    axes: NDArray[np.intp]
    columns: NDArray[np.float64]
    order: NDArray[np.int32]
    position: NDArray[np.int32]
    starts: NDArray[np.int32]
    corner: NDArray[np.float64]
    shape: NDArray[np.int64]
    width: float


def lay_grid(points: NDArray[np.float64], width: float) -> Grid:
    """Sort points into cells."""
    low = points.min(axis=0)
    extent = points.max(axis=0) - low
    axes = np.argsort(-extent, kind="stable")
    cut = axes[:_MOST_AXES]
    corner = np.zeros(_MOST_AXES)
    corner[: len(cut)] = low[cut]
    shape, width = _cells(extent[cut], width, _MOST_CELLS_PER_POINT * len(points))
    columns = np.ascontiguousarray(points.T[axes])
    order, position, starts = _sort_by_cell(columns[:_MOST_AXES], corner, shape, width)
    return Grid(axes, columns[:, order], order, position, starts, corner, shape, width)


def _cells(
    extent: NDArray[np.float64], width: float, most: float
) -> tuple[NDArray[np.int64], float]:
    """Count the cells along each axis, and widen them until they are not too many."""
    if not np.isfinite(extent).all():
        raise InputError("Coordinates must be finite; these are not, or overflow.")
    shape = np.ones(_MOST_AXES, dtype=np.int64)
    width = max(width, float(extent.max()) / most, np.finfo(np.float64).tiny)
    while True:
        per_axis = np.floor(extent / width) + 1
        if per_axis.prod() <= most or per_axis.max() == 1:
            shape[: len(extent)] = per_axis
            return shape, width
        width *= 1.25


@njit(nogil=True, cache=True, error_model="numpy")
def _sort_by_cell(columns: Any, corner: Any, shape: Any, width: float) -> Any:
    """Sort by cell, counting; points of one cell keep their order."""
    n_axes, n = columns.shape
    cell = np.empty(n, dtype=np.int32)
    starts = np.zeros(shape.prod() + 1, dtype=np.int32)
    for i in range(n):
        number = 0
        for s in range(n_axes - 1, -1, -1):
            along = int((columns[s, i] - corner[s]) / width)
            number = number * shape[s] + min(along, shape[s] - 1)
        cell[i] = number
        starts[number + 1] += 1
    for c in range(len(starts) - 1):
        starts[c + 1] += starts[c]
    order = np.empty(n, dtype=np.int32)
    position = np.empty(n, dtype=np.int32)
    free = starts.copy()
    for i in range(n):
        p = free[cell[i]]
        free[cell[i]] += 1
        order[p] = i
        position[i] = p
    return order, position, starts


_MOST_CHUNKS = 16
_SMALLEST_CHUNK = 128
_SAMPLE = 1000
"""Objects whose reach tells how large a cell of the grid should be."""
_CELLS_PER_REACH = 2.0

compiled = njit(nogil=True, cache=True, error_model="numpy")
_inlined = njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
_BLOCK = 256
"""Candidates whose distances are computed together, in a loop that vectorises."""
_COUNTED = 64
"""So many neighbours are counted one by one, eight at a time, faster than bisection guesses."""


class LocalObjective:
    """Σ max(0, d_ij + δ − d_il)² over objects i, their neighbours j and all others l.

    Calling it returns the value and the gradient. The objects are cut into chunks whose number
    depends on the data alone, so the result has the same bits for any number of threads.
    """

    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        delta: float = 1.0,
        *,
        n_threads: int = 1,
    ) -> None:
        self._indptr = _read_only(indptr, np.int64)
        self._indices = _read_only(indices, np.int32)
        self._delta = float(delta)
        self._n_threads = n_threads
        n_chunks = min(max((len(indptr) - 1) // _SMALLEST_CHUNK, 1), _MOST_CHUNKS)
        self._bounds = np.linspace(0, len(indptr) - 1, n_chunks + 1).astype(np.intp)

    def __call__(self, points: Points) -> tuple[float, Points]:
        """Return the value and the gradient at `points`, shape (n_objects, n_components)."""
        return self._evaluate(points, np.empty(0))

    def improve(self, points: Points) -> tuple[float, Points]:
        """Return the value and the result of one sweep over the paper's majorising quadratic.

        The quadratic Σ x'Lx − 2x'Hy touches the stress at y, so its gradient there, 2(Ly − Hy),
        is that of the stress. One Gauss–Seidel sweep from y towards its minimum is therefore
        y − ½ T⁻¹ ∇ with T the lower triangle of L, and H is never needed.
        """
        curvature = np.zeros(len(self._indices))
        value, gradient = self._evaluate(points, curvature)
        change = -0.5 * gradient
        _sweep(self._indptr, self._indices, curvature, change)
        return value, points + change

    def _evaluate(self, points: Points, curvature: NDArray[np.float64]) -> tuple[float, Points]:
        points = np.ascontiguousarray(points)
        sampled = np.linspace(0, len(points) - 1, min(_SAMPLE, len(points))).astype(np.intp)
        squares = _farthest_neighbors(points, self._indptr, self._indices, sampled)
        reach = float(np.sqrt(np.median(squares))) + self._delta
        grid = lay_grid(points, reach / _CELLS_PER_REACH)
        sums = np.zeros((len(self._bounds) - 1, *grid.columns.shape))

        def work(chunk: int) -> float:
            start, stop = self._bounds[chunk], self._bounds[chunk + 1]
            value: float = sum_over_objects(
                grid, self._indptr, self._indices, self._delta, start, stop, sums[chunk], curvature
            )
            return value

        value = sum(run_chunks(work, len(sums), self._n_threads))
        gradient = np.empty_like(points)
        gradient[:, grid.axes] = sums.sum(axis=0)[:, grid.position].T
        return float(value), gradient


def _read_only(array: NDArray[Any], dtype: type) -> NDArray[Any]:
    """Return a view of one and the same type, so that the loops are compiled only once."""
    view: NDArray[Any] = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


@compiled
def _farthest_neighbors(points: Any, indptr: Any, indices: Any, sampled: Any) -> Any:
    """Squared distances from objects to their farthest neighbours."""
    farthest = np.zeros(len(sampled))
    for number, i in enumerate(sampled):
        for e in range(indptr[i], indptr[i + 1]):
            apart = 0.0
            for s in range(points.shape[1]):
                apart += (points[i, s] - points[indices[e], s]) ** 2
            farthest[number] = max(farthest[number], apart)
    return farthest


@compiled
def _sweep(indptr: Any, indices: Any, curvature: Any, change: Any) -> None:
    """Divide `change` in place by T, the lower triangle of the majoriser's matrix L.

    L_ij = −(C_ij + C_ji) with C_ij = 2 k_i, twice the number of neighbours, where j is no
    neighbour of i, and the curvature where it is. So L is of rank two but for the edges.
    """
    n, dimension = change.shape
    n_edges = len(indices)
    diagonal = np.empty(n)
    for i in range(n):
        diagonal[i] = 2.0 * ((n - 2) * (indptr[i + 1] - indptr[i]) + n_edges)
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            extra = curvature[e] - 2.0 * (indptr[i + 1] - indptr[i])
            diagonal[i] += extra
            diagonal[indices[e]] += extra
    plain, weighted = np.zeros(dimension), np.zeros(dimension)
    for i in range(n):
        k = indptr[i + 1] - indptr[i]
        for s in range(dimension):
            change[i, s] += 2.0 * (k * plain[s] + weighted[s])
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] < i:
                for s in range(dimension):
                    change[i, s] += (curvature[e] - 2.0 * k) * change[indices[e], s]
        for s in range(dimension):
            # nothing holds or moves an object that no comparison is about
            change[i, s] = change[i, s] / diagonal[i] if diagonal[i] > 0.0 else 0.0
            plain[s] += change[i, s]
            weighted[s] += k * change[i, s]
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] > i:
                for s in range(dimension):
                    change[indices[e], s] += (curvature[e] - 2.0 * k) * change[i, s]


class _Scratch(NamedTuple):
    """Room for what is known about one object at a time."""

    near: Any
    """Distances to the neighbours."""
    u: Any
    """By how much neighbours are nearer than the farthest, sorted upwards."""
    rank: Any
    """Which neighbour each entry of `u` belongs to."""
    prefix: Any
    """Sums of the first entries of `u`."""
    count: Any
    """How many w exceed exactly so many of the u."""
    total: Any
    """The sum of those w."""
    found: Any
    """Sorted positions of the non-neighbours within reach."""
    far: Any
    """Distances to them."""
    excluded: Any
    """At each sorted position the last object for which it was no candidate."""
    squares: Any
    """Squared distances of one block of candidates."""


@compiled
def sum_over_objects(
    grid: Any,
    indptr: Any,
    indices: Any,
    delta: float,
    start: int,
    stop: int,
    gradient: Any,
    curvature: Any,
) -> float:
    """Add up the stress of the objects at sorted positions start … stop, and its gradient."""
    n = len(grid.order)
    most = 0
    for i in range(n):
        most = max(most, indptr[i + 1] - indptr[i])
    scratch = _Scratch(
        np.empty(most),
        np.empty(most),
        np.empty(most, dtype=np.int64),
        np.empty(most + 1),
        np.empty(most + 1),
        np.empty(most + 1),
        np.empty(n, dtype=np.int32),
        np.empty(n),
        np.full(n, -1, dtype=np.int32),
        np.empty(_BLOCK),
    )
    value = 0.0
    for p in range(start, stop):
        i = grid.order[p]
        ends = indices[indptr[i] : indptr[i + 1]]
        k = len(ends)
        if k == 0 or k == n - 1:
            continue
        farthest = _measure_neighbors(grid, p, ends, scratch)
        reach = farthest + delta
        m = _find_within(grid, p, reach, scratch)
        if curvature.size > 0:
            _add_curvature(scratch, k, m, delta, n - 1 - k, curvature[indptr[i] :])
        if m > 0:
            for j in range(k):
                scratch.u[j] = farthest - scratch.near[j]
            _sort(scratch.u[:k], scratch.rank)
            value += _push_away(grid, p, k, m, reach, scratch, gradient)
            value -= _pull_together(grid, p, ends, scratch, gradient)
    return value


@compiled
def _measure_neighbors(grid: Any, p: int, ends: Any, scratch: Any) -> float:
    """Fill in the distances to the neighbours, exclude them, and return the largest."""
    columns, position = grid.columns, grid.position
    near, excluded = scratch.near, scratch.excluded
    farthest = 0.0
    excluded[p] = p
    for j in range(len(ends)):
        q = position[ends[j]]
        excluded[q] = p
        apart = 0.0
        for s in range(columns.shape[0]):
            apart += (columns[s, p] - columns[s, q]) ** 2
        near[j] = np.sqrt(apart)
        farthest = max(farthest, near[j])
    return farthest


@_inlined
def _cells_within(grid: Any, s: int, p: int, reach: float) -> Any:
    """First and last cell along axis s that come within reach of the point at position p."""
    if s >= grid.columns.shape[0]:
        return 0, 0
    x = grid.columns[s, p] - grid.corner[s]
    first = int(max((x - reach) / grid.width, 0.0))
    last = int(min((x + reach) / grid.width, grid.shape[s] - 1.0))
    return min(first, last), last


@compiled
def _find_within(grid: Any, p: int, reach: float, scratch: Any) -> int:
    """List the points within reach of position p that are not excluded, and their distances."""
    columns, starts, shape = grid.columns, grid.starts, grid.shape
    found, far, excluded = scratch.found, scratch.far, scratch.excluded
    x_first, x_last = _cells_within(grid, 0, p, reach)
    y_first, y_last = _cells_within(grid, 1, p, reach)
    z_first, z_last = _cells_within(grid, 2, p, reach)
    squares = scratch.squares
    m = 0
    for z in range(z_first, z_last + 1):
        for y in range(y_first, y_last + 1):
            row = (z * shape[1] + y) * shape[0]
            end = starts[row + x_last + 1]
            for first in range(starts[row + x_first], end, _BLOCK):
                size = min(_BLOCK, end - first)
                x = columns[0, p]
                for b in range(size):
                    squares[b] = (columns[0, first + b] - x) ** 2
                for s in range(1, columns.shape[0]):
                    x = columns[s, p]
                    for b in range(size):
                        squares[b] += (columns[s, first + b] - x) ** 2
                for b in range(size):
                    if squares[b] < reach * reach and excluded[first + b] != p:
                        found[m] = first + b
                        far[m] = np.sqrt(squares[b])
                        m += 1
    return m


@compiled
def _sort(keys: Any, rank: Any) -> None:
    """Shell's sort, upwards and in place; rank tells where each key came from."""
    gap = 1
    while 9 * gap < len(keys):
        gap = 3 * gap + 1
    for j in range(len(keys)):
        rank[j] = j
    while gap > 0:
        for j in range(gap, len(keys)):
            key, origin = keys[j], rank[j]
            h = j
            while h >= gap and keys[h - gap] > key:
                keys[h] = keys[h - gap]
                rank[h] = rank[h - gap]
                h -= gap
            keys[h] = key
            rank[h] = origin
        gap //= 3


@_inlined
def _count_below(u: Any, k: int, w: float) -> int:
    """Count the first k entries of u, which rise, that are smaller than w."""
    if k <= _COUNTED:
        below = 0
        for j in range(k):
            below += u[j] < w
        return below
    low, high = 0, k
    while low < high:
        middle = (low + high) // 2
        if u[middle] < w:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _push_away(
    grid: Any, p: int, k: int, m: int, reach: float, scratch: Any, gradient: Any
) -> float:
    """Add the gradient by the distances to non-neighbours; return Σ w (w − u)."""
    columns, found, fars = grid.columns, scratch.found, scratch.far
    u, prefix, count, total = scratch.u, scratch.prefix, scratch.count, scratch.total
    prefix[0] = 0.0
    for j in range(k):
        prefix[j + 1] = prefix[j] + u[j]
    count[: k + 1] = 0.0
    total[: k + 1] = 0.0
    value = 0.0
    for c in range(m):
        far = fars[c]
        w = reach - far
        below = _count_below(u, k, w)
        count[below] += 1.0
        total[below] += w
        excess = below * w - prefix[below]
        value += excess * w
        if far > 0.0:
            q = found[c]
            pull = 2.0 * excess / far
            for s in range(columns.shape[0]):
                force = pull * (columns[s, p] - columns[s, q])
                gradient[s, p] -= force
                gradient[s, q] += force
    return value


@compiled
def _pull_together(grid: Any, p: int, ends: Any, scratch: Any, gradient: Any) -> float:
    """Add the gradient by the distances to neighbours; return Σ u (w − u)."""
    columns, position = grid.columns, grid.position
    u, nears, rank = scratch.u, scratch.near, scratch.rank
    count, total = scratch.count, scratch.total
    value, more, beyond = 0.0, 0.0, 0.0
    for j in range(len(ends) - 1, -1, -1):
        more += count[j + 1]
        beyond += total[j + 1]
        excess = beyond - more * u[j]
        value += excess * u[j]
        near = nears[rank[j]]
        if more > 0.0 and near > 0.0:
            q = position[ends[rank[j]]]
            pull = 2.0 * excess / near
            for s in range(columns.shape[0]):
                force = pull * (columns[s, p] - columns[s, q])
                gradient[s, p] += force
                gradient[s, q] -= force
    return value


@compiled
def _add_curvature(
    scratch: Any, k: int, m: int, delta: float, n_others: int, curvature: Any
) -> None:
    """Set the coefficients α of the squared distances to neighbours in the majoriser.

    They are 2 per non-neighbour, and more where the two distances add up to less than δ.
    """
    nears, far = scratch.near, scratch.far
    for j in range(k):
        near = nears[j]
        room = delta - near
        curvature[j] = 2.0 * n_others
        if room > 0.0 and near > 0.0:
            for c in range(m):
                curvature[j] += max(room - far[c], 0.0) / near
