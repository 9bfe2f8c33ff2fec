"""A start for maps of neighbour graphs that does not fold: shortest paths of estimated length.

Hops in a neighbour graph are longer where points are sparse, so a map of hop counts spreads all
points evenly. How much longer can be read off the edges' directions: an edge i → j without its
reverse says that j lies within the reach rᵢ of i, the distance to its farthest neighbour, but not
conversely, so rᵢ > rⱼ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, eye_array, triu
from scipy.sparse.csgraph import dijkstra, laplacian
from scipy.sparse.linalg import eigsh, lsmr

from ordinate.graphs.neighbor_graph import NeighborGraph

_LANDMARKS = 50
_DENSE = 300
"""Up to this many objects all eigenvectors are computed."""
_JITTER = 0.01
"""Noise, in units of the reach, that separates objects with the same neighbours."""


def estimate_reach(graph: NeighborGraph, n_components: int) -> NDArray[np.float64]:
    """Estimate the distance of every object to its farthest neighbour, up to a common factor.

    Of two adjacent points in d dimensions with reaches rᵢ > rⱼ, a share of about
    d (log rᵢ − log rⱼ) of the edges goes from i to j only. The least-squares solution of
    log rᵢ − log rⱼ = (aᵢⱼ − aⱼᵢ) / d over all edges averages out the noise of single ones.
    """
    adjacency = graph.adjacency.astype(np.float64)
    # 3 and 2 in place of 1 distinguish the directions: 5 is mutual, 3 is i → j only, 2 j → i only
    joined = triu(3 * adjacency + 2 * adjacency.T).tocoo()
    surplus = np.where(joined.data == 5, 0, np.where(joined.data == 3, 1.0, -1.0))
    if not surplus.any():
        return np.ones(graph.n_objects)
    number = np.arange(joined.nnz)
    ones = np.ones(joined.nnz)
    differences = coo_array(
        (
            np.concatenate([ones, -ones]),
            (np.concatenate([number, number]), np.concatenate([joined.row, joined.col])),
        ),
        shape=(joined.nnz, graph.n_objects),
    ).tocsr()
    solution = lsmr(differences, surplus / n_components, atol=1e-3, btol=1e-3)[0]
    reach: NDArray[np.float64] = np.exp(solution - solution.mean())
    return reach


def geodesic_start(
    graph: NeighborGraph, n_components: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Scale the shortest paths from landmarks to coordinates, as landmark MDS does.

    Terada & von Luxburg, Local Ordinal Embedding, ICML 2014, Proposition 4: such shortest paths
    converge to the true distances. Brandes & Pich, Eigensolver Methods for Progressive
    Multidimensional Scaling of Large Data, GD 2006: from landmarks to coordinates.
    """
    lengths = reach_lengths(graph, estimate_reach(graph, n_components))
    return pivot_mds(distances_to_pivots(lengths, _LANDMARKS, rng)[1], n_components, rng)


def pivot_mds(
    distances: NDArray[np.float64], n_components: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return coordinates from the distances to pivots, shape (n_objects, n_pivots)."""
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    values, vectors = np.linalg.eigh(centred.T @ centred)
    points = rng.standard_normal((len(squares), n_components))
    used = [s for s in range(min(n_components, len(values))) if values[-1 - s] > 1e-9 * values[-1]]
    points *= 1e-3 * np.sqrt(squares.mean())
    for s in used:
        points[:, s] += centred @ vectors[:, -1 - s] / np.sqrt(np.sqrt(values[-1 - s]))
    return points


def spectral_start(
    graph: NeighborGraph, n_components: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Take the slowest eigenvectors of the Laplacian of the graph without directions.

    Each is divided by the root of its eigenvalue, so that distances are those of commute times:
    a long map is long from the start, and does not have to become so.

    Belkin & Niyogi, Laplacian Eigenmaps for Dimensionality Reduction and Data Representation,
    Neural Computation 2003; the start of the R package ``loe``. Saerens et al., The Principal
    Components Analysis of a Graph, ECML 2004 (commute times).
    """
    n = graph.n_objects
    adjacency = graph.adjacency
    joined: Any = csr_array(((adjacency + adjacency.T) > 0).astype(np.float64))
    differences: Any = laplacian(joined)
    points: NDArray[np.float64] = 1e-3 * rng.standard_normal((n, n_components)) / np.sqrt(n)
    kept = min(n_components, n - 1)
    if n <= _DENSE or kept + 1 >= n:
        values, vectors = np.linalg.eigh(differences.toarray())
    else:
        shifted = (differences + 1e-6 * eye_array(n)).tocsc()  # its kernel would be singular
        values, vectors = eigsh(shifted, kept + 1, sigma=0, v0=rng.standard_normal(n))
    points[:, :kept] += vectors[:, 1 : kept + 1] * np.sqrt(values[1] / values[1 : kept + 1])
    return points


def random_start(
    graph: NeighborGraph, n_components: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw coordinates from a normal distribution."""
    return rng.standard_normal((graph.n_objects, n_components))


STARTS = {"geodesic": geodesic_start, "spectral": spectral_start, "random": random_start}
"""Initializations by name."""


def reach_lengths(graph: NeighborGraph, reach: NDArray[np.float64]) -> Any:
    """Return a graph whose edges are as long as the reach of their ends."""
    adjacency = graph.adjacency
    joined = (adjacency + adjacency.T).tocoo()
    lengths = np.sqrt(reach[joined.row] * reach[joined.col])
    return csr_array((lengths, (joined.row, joined.col)), shape=adjacency.shape)


def distances_to_pivots(
    lengths: Any, n_pivots: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return pivots, each as far as possible from those before it, and paths to them."""
    n = lengths.shape[0]
    nearest = np.full(n, np.inf)
    pivots = [int(rng.integers(n))]
    columns: list[NDArray[np.float64]] = []
    for _ in range(min(n_pivots, n)):
        columns.append(dijkstra(lengths, indices=[pivots[-1]])[0])
        nearest = np.minimum(nearest, columns[-1])
        pivots.append(int(nearest.argmax()))
    return np.array(pivots[:-1]), np.column_stack(columns)


def at_neighbor_gaps(
    points: NDArray[np.float64], graph: NeighborGraph, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Scale a start so that neighbours of successive rank differ by 1 on average.

    Within a reach r there are k points, and the last two of them differ by r / (d k) in distance
    to the middle. At this scale a margin of 1 can be met; at a smaller one the map would first
    have to grow, and would be distorted by it.
    """
    lengths = edge_lengths(graph, points)
    occupied = graph.degrees > 0
    reach = float(np.median(np.maximum.reduceat(lengths, graph.indptr[:-1][occupied])))
    wanted = points.shape[1] * float(np.median(graph.degrees))
    if reach > 0:
        points = points * (wanted / reach)
    shaken: NDArray[np.float64] = points + _JITTER * wanted * rng.standard_normal(points.shape)
    return shaken


def edge_lengths(graph: NeighborGraph, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of the ends of each edge, shape (n_edges,)."""
    heads = np.repeat(np.arange(graph.n_objects), graph.degrees)
    squares: NDArray[np.float64] = np.zeros(graph.n_edges)
    for column in points.T:
        squares += (column[heads] - column[graph.indices]) ** 2
    lengths: NDArray[np.float64] = np.sqrt(squares)
    return lengths
