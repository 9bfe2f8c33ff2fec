"""LOE's stress of a neighbour graph and its gradient, exactly and without expanding it.

For one object i let a_j be the distances to its neighbours and b_l those to all others. The stress
is the sum over all j and l of max(0, a_j + δ − b_l)². Only objects nearer than the farthest
neighbour plus δ count; a grid finds them. Measured from that reach, u_j = max a − a_j and
w_l = max a + δ − b_l, a term is (w_l − u_j)² where u_j < w_l, so with the u sorted, prefix sums
give the value and both slopes in O(log k) per candidate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate.engine.cpu import Points, run_chunks
from ordinate.graphs.grid import lay_grid
from ordinate.graphs.kernels import compiled, sum_over_objects

_MOST_CHUNKS = 16
_SMALLEST_CHUNK = 128
_SAMPLE = 1000
"""Objects whose reach tells how large a cell of the grid should be."""
_CELLS_PER_REACH = 2.0


class LocalObjective:
    """Σ max(0, d_ij + δ − d_il)² over objects i, their neighbours j and all others l.

    Calling it returns the value and the gradient. The objects are cut into chunks whose number
    depends on the data alone, so the result has the same bits for any number of threads.

    Parameters
    ----------
    indptr : ndarray of int64, shape (n_objects + 1,)
        Where the neighbours of each object begin in `indices`.
    indices : ndarray of int32, shape (n_edges,)
        The neighbours: no object is its own, and none occurs twice.
    delta : float
        By how much others should be farther than neighbours.
    n_threads : int
        Threads that share the chunks.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.graphs.objective import LocalObjective
    >>> indptr, indices = np.array([0, 1, 1, 1]), np.array([1], dtype=np.int32)
    >>> value, gradient = LocalObjective(indptr, indices)(np.array([[0.0], [1.0], [1.5]]))
    >>> value, gradient.ravel()
    (0.25, array([ 0.,  1., -1.]))
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
                grid,
                self._indptr,
                self._indices,
                self._delta,
                start,
                stop,
                sums[chunk],
                curvature,
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
