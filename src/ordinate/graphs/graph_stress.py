"""Stress of a graph: distances follow paths, neighbours are nearest, no node hides another."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from ordinate._arrays import Points
from ordinate._checks import check_integer, check_real
from ordinate._compiler import njit
from ordinate._threads import effective_n_jobs
from ordinate.engine.cpu import chunk_bounds, run_chunks
from ordinate.graphs.adam_drawing import AdamDrawing, DrawingObjective
from ordinate.graphs.choices import is_neighbor, kernel_between, move_pair, shares_of_edges
from ordinate.graphs.initialization import distances_to_pivots, pivot_mds
from ordinate.graphs.neighbor_graph import NeighborGraph

_STEP = 0.03
"""First step of Adam, as a share of the width of the start."""
_LOCAL_STEP = 0.5
"""The same for a start from a drawing of half of the graph, in lengths of an edge."""
_JITTER = 0.1
"""Noise that separates objects placed as one."""
_ALL_PAIRS = 500
"""Up to this many objects every one is a pivot: the stress is that of all pairs."""
_PIVOTS_AT_ONCE = 20
"""Pivots that an iteration looks at in larger graphs."""
_NEAREST = 15
"""Objects on the drawing that neighbours are chosen over, and that must keep their distance."""
_REFRESH = 10
"""Iterations after which the nearest objects on the drawing are found again."""
_APART = 0.006
"""Distance that objects keep, as a share of the width of the drawing."""
_APART_LIMITS = 0.2, 0.5
"""The same in lengths of an edge, at least and at most."""
_ONE, _TINY = np.float32(1), np.float32(1e-12)


@dataclass(eq=False, repr=False)
class GraphStress(AdamDrawing):
    """Drawing of a network: distances follow the lengths of paths, and neighbours are nearest.

    The loss adds three terms: the stress of the distances on the drawing, with the numbers of
    steps between nodes as targets; t-STE's loss of each neighbour against the nearest other
    nodes on the drawing; and a penalty for nodes that would cover each other.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the drawing.
    neighbor_weight : float, default=0.1
        Weight of the neighbours beside the stress. 0 gives a stress layout, as Kamada and Kawai
        draw; more preserves more neighbourhoods and bends long paths.
    n_pivots : int, default=100
        Nodes to which path lengths are computed in graphs of more than 500 nodes.
    init : {"geodesic", "spectral", "random"} or array-like of coordinates, default="geodesic"
        Where to begin: from path lengths; from the eigenvectors of the graph's Laplacian; at
        random; or at given coordinates.
    max_iter : int, default=400
        Number of iterations. Their steps shrink to zero.
    random_state : int, Generator or None, default=None
        Seed. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The coordinates, centred; an edge is about 1 long.
    names_ : tuple of str or None
        The objects' names, if the graph has any.
    loss_ : float
        The loss at the end, for the largest connected component.
    n_iter_ : int
        Iterations.
    history_ : ndarray of shape (n_iterations,)
        The loss before each iteration, of the largest connected component.
    converged_ : bool
        Whether the second half of the iterations gained little; if not, the fit has warned.
    n_connected_components_ : int
        Connected parts of the graph. They are laid out side by side; their places relative to
        one another mean nothing.

    See Also
    --------
    LOE : Preserves the density of directed nearest-neighbour graphs.
    GraphTSTE : Preserves more neighbours; groups may collapse.
    draw_graph : Chooses among them.

    Notes
    -----
    Time and memory are linear in the nodes. Weights of edges say how much a neighbour counts,
    not how long an edge is.

    References
    ----------
    Kamada & Kawai, An algorithm for drawing general undirected graphs, Information Processing
    Letters 31, 1989 (stress). Ortmann, Klimenta & Brandes, A sparse stress model, Graph Drawing
    2016 (pivots).

    Examples
    --------
    >>> import ordinate as od
    >>> ring = [[i, (i + 1) % 30] for i in range(30)]
    >>> od.GraphStress(random_state=0).fit(od.NeighborGraph.from_edges(ring)).embedding_.shape
    (30, 2)
    """

    _: KW_ONLY
    neighbor_weight: float = 0.1
    n_pivots: int = 100

    def _check_parameters(self, graph: NeighborGraph) -> None:
        super()._check_parameters(graph)
        check_real("neighbor_weight", self.neighbor_weight, minimum=0)
        check_integer("n_pivots", self.n_pivots, minimum=1)

    def _begin(
        self, graph: NeighborGraph, rng: np.random.Generator
    ) -> tuple[DrawingObjective, Points, float]:
        """Compute path lengths; a large graph begins at a drawing of half of it."""
        adjacency = graph.adjacency
        steps = csr_array(((adjacency + adjacency.T) > 0).astype(np.float64))
        is_large = graph.n_objects > _ALL_PAIRS
        if is_large:
            pivots, paths = distances_to_pivots(steps, self.n_pivots, rng)
        else:
            pivots, paths = np.arange(graph.n_objects), dijkstra(steps, unweighted=True)
        if not isinstance(self.init, str) or self.init != "geodesic":
            start = self._start(graph, rng)
        elif is_large:
            start = self._from_half(steps, rng)
        else:
            start = pivot_mds(paths, self.n_components, rng)
        if isinstance(self.init, str):
            start = start * _best_scale(start, pivots, paths)
        objective = StressObjective(
            graph, pivots, paths, self.neighbor_weight, effective_n_jobs(self.n_jobs)
        )
        width = float(np.ptp(start, axis=0).max())
        return objective, start, _LOCAL_STEP if is_large else _STEP * width

    def _from_half(self, steps: Any, rng: np.random.Generator) -> Points:
        """Draw the graph with neighbours merged in pairs, and put both where the pair is."""
        n = steps.shape[0]
        parents, n_merged = merge_neighbors(steps.indptr, steps.indices, rng.permutation(n))
        members = csr_array((np.ones(n), (np.arange(n), parents)), shape=(n, n_merged))
        merged = (members.T @ steps @ members).tolil()
        merged.setdiag(0)
        coarse = self._descend(
            NeighborGraph.from_adjacency(merged.tocsr() > 0), rng, -(-self.max_iter // 2)
        )[0]
        start: Points = coarse[parents] + _JITTER * rng.standard_normal((n, self.n_components))
        return start


@njit(cache=True)
def merge_neighbors(indptr: Any, indices: Any, order: Any) -> Any:
    """Join each object with the neighbour of fewest edges, and return the numbers of the pairs.

    Who finds all neighbours taken joins one of their pairs.
    """
    parents = np.full(len(order), -1)
    n_merged = 0
    for i in order:
        if parents[i] >= 0:
            continue
        chosen, is_free, fewest = i, False, len(order) + 1
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            free, degree = parents[j] < 0, indptr[j + 1] - indptr[j]
            if j != i and (free, -degree) > (is_free, -fewest):
                chosen, is_free, fewest = j, free, degree
        if not is_free and chosen != i:
            parents[i] = parents[chosen]
        else:
            parents[i] = parents[chosen] = n_merged
            n_merged += 1
    return parents, n_merged


def _best_scale(points: Points, pivots: NDArray[np.intp], paths: NDArray[np.float64]) -> float:
    """Return the factor of the coordinates at which their stress is least."""
    some = slice(None, None, max(len(pivots) // _PIVOTS_AT_ONCE, 1))
    far = paths[:, some] > 0
    gaps = np.linalg.norm(points[:, None] - points[pivots[some]], axis=2)
    ratio = gaps[far] / paths[:, some][far]
    return float(ratio.sum() / (ratio**2).sum())


class StressObjective:
    """The loss and its gradient; the pivots in turn, and the nearest objects found now and then.

    Chunks depend on the data alone, so the result has the same bits for any number of threads.
    """

    def __init__(
        self,
        graph: NeighborGraph,
        pivots: NDArray[np.intp],
        paths: NDArray[np.float64],
        neighbor_weight: float,
        n_threads: int,
    ) -> None:
        n = graph.n_objects
        self._indptr, self._indices = graph.indptr, graph.indices
        self._shares = (neighbor_weight * shares_of_edges(graph)).astype(np.float32)
        counts = np.ones(len(pivots)) if len(pivots) == n else _represented(paths)
        weights = np.divide(counts, paths**2, out=np.zeros_like(paths), where=paths > 0)
        # each object's own stress counts the same: a mean over pairs of (distance / path - 1)²
        total = (weights * paths**2).sum(axis=1) + (0 if len(pivots) == n else graph.degrees)
        self._weights = (weights / total[:, None]).astype(np.float32)
        self._edge_weights = (float(len(pivots) < n) / total).astype(np.float32)
        self._pivots, self._paths = pivots.astype(np.int64), paths.astype(np.float32)
        self._at_once = len(pivots) if len(pivots) == n else min(_PIVOTS_AT_ONCE, len(pivots))
        self._n_threads, self._calls = n_threads, 0

    def to_device(self, points: Points) -> NDArray[np.float32]:
        """Return coordinates in the precision of the loops."""
        return points.astype(np.float32)

    def to_host(self, points: NDArray[np.float32]) -> Points:
        """Return coordinates in the precision of maps."""
        return points.astype(np.float64)

    def __call__(self, points: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """Return the loss, and its gradient times the number of objects."""
        if self._calls % _REFRESH == 0:
            self._find_nearest(points)
        first = self._calls * self._at_once % len(self._pivots)
        self._calls += 1
        return self._at(points, first, self._at_once)

    def judged(self, points: NDArray[np.float32]) -> float:
        """Return the loss with all pivots."""
        self._find_nearest(points)
        return self._at(points, 0, len(self._pivots))[0]

    def _find_nearest(self, points: NDArray[np.float32]) -> None:
        """Find the nearest objects on the drawing, and how far objects are to keep apart."""
        k = min(_NEAREST, len(points) - 1)
        near = np.asarray(cKDTree(points).query(points, k=k + 1, workers=self._n_threads)[1])
        self._near = near[:, 1:].astype(np.int64)
        width = float(np.ptp(points, axis=0).max())
        self._apart = np.float32(np.clip(_APART * width, *_APART_LIMITS))

    def _at(
        self, points: NDArray[np.float32], first: int, n_pivots: int
    ) -> tuple[float, NDArray[np.float32]]:
        n = len(points)
        n_each = n_pivots + self._near.shape[1] + max(len(self._indices) // n, 1)
        bounds = chunk_bounds(n * n_each, points.size) // n_each
        sums = np.zeros((len(bounds) - 1, *points.shape), dtype=np.float32)
        factor = np.float32(len(self._pivots) / n_pivots)

        def work(chunk: int) -> float:
            part = bounds[chunk], bounds[chunk + 1], sums[chunk]
            stress = add_stress(
                points, self._pivots, self._paths, self._weights, first, n_pivots, factor,
                self._indptr, self._indices, self._edge_weights, *part,
            )  # fmt: skip
            near = add_near(
                points, self._indptr, self._indices, self._shares, self._near, self._apart, *part
            )
            return float(stress + near)

        value = sum(run_chunks(work, len(sums), self._n_threads)) / n
        return value, sums.sum(axis=0)


def _represented(paths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count for each object and pivot the objects that the pivot stands for.

    They are nearest to the pivot, and at most half as far from it as the object is.
    """
    region = paths.argmin(axis=1)
    found = np.empty_like(paths)
    for pivot in range(paths.shape[1]):
        reach = np.sort(paths[region == pivot, pivot])
        found[:, pivot] = np.searchsorted(reach, paths[:, pivot] / 2, side="right")
    return found


_compiled = njit(nogil=True, cache=True, error_model="numpy")


@_compiled
def add_stress(
    points: Any,
    pivots: Any,
    paths: Any,
    weights: Any,
    first: int,
    n_pivots: int,
    factor: Any,
    indptr: Any,
    indices: Any,
    edge_weights: Any,
    start: int,
    stop: int,
    gradient: Any,
) -> float:
    """Add the gradient of the stress of the objects start … stop, and return the stress.

    Pairs stand in the rows of both their objects, so that a row moves its own object only.
    """
    value = 0.0
    for i in range(start, stop):
        for t in range(n_pivots):
            column = (first + t) % len(pivots)
            weight = factor * weights[i, column]
            if weight > 0:
                value += _pull(points, i, pivots[column], paths[i, column], weight, gradient)
        if edge_weights[i] > 0:
            for e in range(indptr[i], indptr[i + 1]):
                value += _pull(points, i, indices[e], _ONE, edge_weights[i], gradient)
    return value


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def _pull(points: Any, i: Any, j: Any, length: Any, weight: Any, gradient: Any) -> Any:
    """Move an object towards its distance from another, and return the stress."""
    squared = _TINY
    for s in range(points.shape[1]):
        gap = points[i, s] - points[j, s]
        squared += gap * gap
    distance = np.sqrt(squared)
    miss = distance - length
    slope = np.float32(4) * weight * miss / distance
    for s in range(points.shape[1]):
        gradient[i, s] += slope * (points[i, s] - points[j, s])
    return weight * miss * miss


@_compiled
def add_near(
    points: Any,
    indptr: Any,
    indices: Any,
    shares: Any,
    near: Any,
    apart: Any,
    start: int,
    stop: int,
    gradient: Any,
) -> float:
    """Add the gradient of neighbours against the nearest others, and of covered objects."""
    kernels = np.empty(near.shape[1], dtype=np.float32)
    value = 0.0
    for i in range(start, stop):
        low, high = indptr[i], indptr[i + 1]
        total = np.float32(0)
        for t in range(near.shape[1]):
            kernel = kernel_between(points, i, near[i, t])
            distance = np.sqrt(max(_ONE / kernel - _ONE, _TINY))
            if distance < apart:
                covered = (apart - distance) / apart
                value += covered * covered / 8
                slope = covered / (apart * distance) / 2
                for s in range(points.shape[1]):
                    gradient[i, s] -= slope * (points[i, s] - points[near[i, t], s])
            kernels[t] = kernel
            if is_neighbor(indices, low, high, near[i, t]):
                kernels[t] = 0
            total += kernels[t]
        if total == 0:
            continue
        pressure = np.float32(0)
        for e in range(low, high):
            kernel = kernel_between(points, i, indices[e])
            inverse = shares[e] / (kernel + total)
            value -= shares[e] * np.log(kernel / (kernel + total))
            pressure += inverse
            move_pair(points, i, indices[e], inverse * total * kernel, gradient)
        for t in range(near.shape[1]):
            if kernels[t] > 0:
                move_pair(points, i, near[i, t], -pressure * kernels[t] * kernels[t], gradient)
    return value
