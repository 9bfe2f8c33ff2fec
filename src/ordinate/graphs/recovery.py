"""How much of a graph the nearest objects on a map give back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from ordinate._checks import InputError, check_points
from ordinate._estimator import EmbeddingMixin, check_is_fitted
from ordinate.graphs.neighbor_graph import NeighborGraph

MOST_CANDIDATES = 2**22
"""Neighbours looked up together, so that memory does not grow with n times the degree."""


class RecoversGraph(EmbeddingMixin):
    """Gives an estimator of graphs its score."""

    def score(self, X: Any, y: None = None) -> float:
        """Return how much of a graph the map gives back, corrected for chance.

        Parameters
        ----------
        X : NeighborGraph, or whatever `NeighborGraph.from_adjacency` takes
            Who is whose neighbour, among the fitted objects; matched by name where both have
            names. Usually the graph of the fit.
        y : None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        float
            `ordinate.metrics.graph_adjusted_rand_index`: 1 if the neighbours of every object are
            its nearest ones, about 0 by chance.
        """
        check_is_fitted(self)
        graph = as_graph(X)
        points, names = self.embedding_, self.names_
        if graph.n_objects != len(points):
            raise InputError(
                f"The graph has {graph.n_objects} objects and the map {len(points)}; pass a graph"
                " of the same objects."
            )
        if graph.names is not None and names is not None and graph.names != names:
            place = {name: at for at, name in enumerate(names)}
            unknown = next((name for name in graph.names if name not in place), None)
            if unknown is not None:
                raise InputError(
                    f"Object {unknown!r} was not in the fit; pass a graph of its objects."
                )
            points = points[[place[name] for name in graph.names]]
        return adjusted_rand_index(check_graph("X", graph), None, points)


def as_graph(X: Any) -> NeighborGraph:
    """Return the record itself, or make one."""
    return X if isinstance(X, NeighborGraph) else NeighborGraph.from_adjacency(X)


def adjusted_rand_index(given: Any, recovered: Any, embedding: ArrayLike | None) -> float:
    """Return the agreement of two graphs, corrected for chance (Terada & von Luxburg 2014)."""
    n = given.shape[0]
    degree = np.diff(given.indptr).astype(np.int64)
    by_chance = float((2 * degree * (n - 1 - degree)).sum()) / (n - 1)
    if by_chance == 0:
        raise InputError(
            "Every object of adjacency has either no neighbour or all; there is nothing to recover."
        )
    return float(1 - disagreements(given, recovered, embedding) / by_chance)


def disagreements(given: Any, recovered: Any, embedding: ArrayLike | None) -> int:
    """Count the ordered pairs that are an edge of one of the two graphs only."""
    if (recovered is None) == (embedding is None):
        raise InputError(
            "Pass exactly one of recovered and embedding;"
            f" got {'none of them' if recovered is None else 'both'}."
        )
    if embedding is None:
        other = check_graph("recovered", recovered)
        if other.shape != given.shape:
            raise InputError(f"recovered has shape {other.shape}; adjacency has {given.shape}.")
        common, n_other = int(given.multiply(other).sum()), other.nnz
    else:
        points = check_points("embedding", embedding, n_rows=given.shape[0])
        degree = np.diff(given.indptr).astype(np.int64)
        common, n_other = int(neighbors_kept(given, degree, points).sum()), given.nnz
    return int(given.nnz + n_other - 2 * common)


def check_graph(name: str, graph: Any) -> Any:
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


def neighbors_kept(
    given: Any, degree: NDArray[np.int64], points: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Count the edges i → j of each i for which j is among the degree[i] points nearest to i."""
    from sklearn.neighbors import NearestNeighbors

    tree = NearestNeighbors().fit(points)
    kept = np.zeros(given.shape[0], dtype=np.int64)
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
        kept[objects] = given[objects].multiply(ends).sum(axis=1)
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
