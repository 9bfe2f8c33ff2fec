"""How much of a neighbour graph a map gives back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from ordinate._checks import InputError, check_points
from ordinate.graphs.neighbor_graph import NeighborGraph

MOST_CANDIDATES = 2**22
"""Neighbours looked up together, so that memory does not grow with n times the degree."""


def graph_adjusted_rand_index(
    adjacency: Any,
    recovered: Any = None,
    *,
    embedding: ArrayLike | None = None,
) -> float:
    r"""Agreement of two directed graphs, corrected for chance.

    Parameters
    ----------
    adjacency : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects)
        The graph that was given: 1 or True where row i has column j as its neighbour.
    recovered : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects), optional
        The graph to compare with it; exactly one of `recovered` and `embedding` is needed.
    embedding : array-like of float, shape (n_objects, n_components), optional
        Coordinates, which give the graph back by joining each object to its :math:`k_i`
        nearest ones, :math:`k_i` being its number of neighbours in `adjacency`.

    Returns
    -------
    float
        1 if the graphs are equal, about 0 for unrelated ones, negative if they agree less
        than by chance. Loops are left out.

    See Also
    --------
    graph_error : Plain share of edges.
    ordinate.LOE : Makes maps of graphs.

    Notes
    -----
    With :math:`M_i` the number of objects other than i on which row i of the two graphs
    agrees, the index is :math:`\sum_i (M_i - E_i) / \sum_i (n - 1 - E_i)`, where
    :math:`E_i = n - 1 - 2 k_i (n - 1 - k_i) / (n - 1)` is what k_i neighbours drawn at random
    would give.

    References
    ----------
    Y. Terada and U. von Luxburg, "Local ordinal embedding", ICML 2014, section 6.1.

    Examples
    --------
    >>> import ordinate as od
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> od.metrics.graph_adjusted_rand_index(path, embedding=[[0], [1], [2], [3]])
    1.0
    >>> round(od.metrics.graph_adjusted_rand_index(path, embedding=[[0], [1], [3], [1.8]]), 2)
    0.25
    """
    given = _check_graph("adjacency", adjacency)
    n = given.shape[0]
    degree = np.diff(given.indptr).astype(np.int64)
    by_chance = float((2 * degree * (n - 1 - degree)).sum()) / (n - 1)
    if by_chance == 0:
        raise InputError(
            "Every object of adjacency has either no neighbour or all; there is nothing to recover."
        )
    return float(1 - _disagreements(given, recovered, embedding) / by_chance)


def graph_error(
    adjacency: Any,
    recovered: Any = None,
    *,
    embedding: ArrayLike | None = None,
) -> float:
    r"""Share of pairs on which two directed graphs disagree: 0 if they are equal.

    The error is small for every sparse graph, however wrong;
    `graph_adjusted_rand_index` corrects it for chance.

    Parameters
    ----------
    adjacency : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects)
        The graph that was given: 1 or True where row i has column j as its neighbour.
    recovered : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects), optional
        The graph to compare with it; exactly one of `recovered` and `embedding` is needed.
    embedding : array-like of float, shape (n_objects, n_components), optional
        Coordinates, which give the graph back by joining each object to its :math:`k_i`
        nearest ones, :math:`k_i` being its number of neighbours in `adjacency`.

    Returns
    -------
    float
        :math:`\lVert \hat A - A \rVert_F^2 / (n (n - 1))`. Loops are left out.

    See Also
    --------
    graph_adjusted_rand_index : Corrected for chance.
    ordinate.LOE : Makes maps of graphs.

    References
    ----------
    Y. Terada and U. von Luxburg, "Local ordinal embedding", ICML 2014, section 6.1 (Err).

    Examples
    --------
    >>> import ordinate as od
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> od.metrics.graph_error(path, embedding=[[0], [1], [2], [3]])
    0.0
    >>> round(od.metrics.graph_error(path, embedding=[[0], [1], [3], [1.8]]), 2)
    0.33
    """
    given = _check_graph("adjacency", adjacency)
    n = given.shape[0]
    return float(_disagreements(given, recovered, embedding) / (n * (n - 1)))


def _disagreements(given: Any, recovered: Any, embedding: ArrayLike | None) -> int:
    """Count the ordered pairs that are an edge of one of the two graphs only."""
    if (recovered is None) == (embedding is None):
        raise InputError(
            "Pass exactly one of recovered and embedding;"
            f" got {'none of them' if recovered is None else 'both'}."
        )
    if embedding is None:
        other = _check_graph("recovered", recovered)
        if other.shape != given.shape:
            raise InputError(f"recovered has shape {other.shape}; adjacency has {given.shape}.")
        common, n_other = int(given.multiply(other).sum()), other.nnz
    else:
        points = check_points("embedding", embedding, n_rows=given.shape[0])
        degree = np.diff(given.indptr).astype(np.int64)
        common, n_other = _edges_kept(given, degree, points), given.nnz
    return int(given.nnz + n_other - 2 * common)


def _check_graph(name: str, graph: Any) -> Any:
    """Return a 0/1 CSR array without loops."""
    if isinstance(graph, NeighborGraph):
        graph = graph.adjacency
    if not issparse(graph):
        graph = np.asarray(graph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1] or graph.shape[0] < 2:
        raise InputError(
            f"{name} must be square, one row and column per object; got shape {graph.shape}."
        )
    edges = csr_array(graph).tocoo()
    if not np.isin(edges.data, (0, 1)).all():
        wrong = edges.data[~np.isin(edges.data, (0, 1))][0]
        raise InputError(
            f"{name} must hold 0 and 1 only; found {wrong}. For weighted edges pass `{name} != 0`."
        )
    keep = (edges.data == 1) & (edges.row != edges.col)
    ones = np.ones(int(keep.sum()), dtype=np.int64)
    return csr_array((ones, (edges.row[keep], edges.col[keep])), shape=graph.shape)


def _edges_kept(given: Any, degree: NDArray[np.int64], points: NDArray[np.float64]) -> int:
    """Count the edges i → j for which j is among the degree[i] points nearest to i."""
    from sklearn.neighbors import NearestNeighbors

    tree = NearestNeighbors().fit(points)
    kept = 0
    for objects in _batches(degree):
        k = degree[objects]
        # one more than needed, because an object is found as its own neighbour
        nearest = tree.kneighbors(points[objects], int(k.max()) + 1, return_distance=False)
        other = nearest != objects[:, None]
        chosen = other & (np.cumsum(other, axis=1) <= k[:, None])
        row, column = np.nonzero(chosen)
        ends = csr_array(
            (np.ones(len(row), dtype=np.int64), (row, nearest[row, column])),
            shape=(len(objects), given.shape[0]),
        )
        kept += int(given[objects].multiply(ends).sum())
    return kept


def _batches(degree: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """Objects of similar degree together, so that one hub does not widen every row."""
    order = np.argsort(degree, kind="stable")
    order = order[degree[order] > 0]
    start = 0
    while start < len(order):
        # degrees increase: each batch is sized by its widest row, its last
        sizes = (degree[order[start:]] + 1) * np.arange(1, len(order) - start + 1)
        stop = start + max(1, int(np.searchsorted(sizes, MOST_CANDIDATES, side="right")))
        yield order[start:stop]
        start = stop
