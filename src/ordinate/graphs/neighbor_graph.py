"""Neighbour graphs: "every neighbour is nearer than every other object", never written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arguments import argument, parameter
from ordinate._checks import InputError, check_integer, check_names, check_object_numbers
from ordinate._distinct import distinct
from ordinate._notebooks import report_as_html
from ordinate.comparisons.labels import number_objects
from ordinate.comparisons.record import Comparisons
from ordinate.sources._distances import Distances, Metric

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ordinate.graphs.description import GraphDescription


MOST_ROWS = 10**8
"""More comparisons than this, a gigabyte of them, are not written out."""


class NeighborGraph:
    """A directed graph: each neighbour of i is nearer to i than each other object.

    It stands for Σ kᵢ (n − 1 − kᵢ) comparisons without holding them.

    Parameters
    ----------
    heads, tails : ndarray of int, shape (n_edges,)
        Edges: tails[e] is a neighbour of heads[e]. Loops and repeated edges say nothing new;
        they are left out and counted.
    n_objects : int
        How many objects there are, at least 2.
    names : sequence of str, optional
        One distinct name per object.
    weights : array-like of float, shape (n_edges,), optional
        How much each edge counts, above 0; `GraphTSTE` uses them. Those of repeated edges add up.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n_objects + 1,)
        Where the neighbours of each object begin in `indices`; read-only.
    indices : ndarray of int32, shape (n_edges,)
        The neighbours, in rising order for each object; read-only.
    weights : ndarray of float64, shape (n_edges,), or None
        The weights of the edges in the order of `indices`; read-only.
    names : tuple of str or None
        The objects' names.
    n_loops, n_repeats : int
        Loops and repeated edges that were left out.

    See Also
    --------
    LOE : What is fitted to it.
    read_graph : From a file of edges.

    Examples
    --------
    >>> import ordinate as od
    >>> graph = od.NeighborGraph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> graph
    NeighborGraph(4 objects, 6 edges)
    >>> graph.to_comparisons().rows[:3]
    array([[0, 1, 2],
           [0, 1, 3],
           [1, 0, 3]], dtype=int32)
    """

    def __init__(
        self,
        heads: NDArray[Any],
        tails: NDArray[Any],
        *,
        n_objects: int,
        names: Sequence[object] | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        n = check_integer("n_objects", n_objects, minimum=2, maximum=2**31 - 1)
        self.names = None if names is None else check_names(names)
        if self.names is not None and len(self.names) != n:
            raise InputError(f"names has {len(self.names)} entries; the graph has {n} objects.")
        heads, tails = check_ends(np.column_stack([heads, tails]), n).T
        codes = heads * n + tails
        loops = heads == tails
        edges = distinct(codes[~loops])
        self.weights: NDArray[np.float64] | None = None
        if weights is not None:
            given = check_weights(weights, len(codes))[~loops]
            self.weights = np.zeros(len(edges))
            np.add.at(self.weights, np.searchsorted(edges, codes[~loops]), given)
        self.n_loops = int(loops.sum())
        self.n_repeats = len(codes) - self.n_loops - len(edges)
        self.indptr = np.searchsorted(edges, n * np.arange(n + 1, dtype=np.int64))
        self.indices = (edges % n).astype(np.int32)
        for array in (self.indptr, self.indices, self.weights):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_points(
        cls,
        points: ArrayLike,
        n_neighbors: int = 15,
        *,
        metric: Metric = "euclidean",
        names: Sequence[object] | None = None,
    ) -> Self:
        """Join each object to its nearest ones.

        Parameters
        ----------
        points : array-like of float, shape (n_objects, n_features)
            Coordinates; or with ``metric="precomputed"`` distances, shape (n_objects, n_objects).
        n_neighbors : int, default=15
            How many neighbours each object gets; at most n_objects - 1.
        metric : str or callable, default="euclidean"
            A metric of `scipy.spatial.distance.cdist`, or ``"precomputed"``.
        names : sequence of str, optional
            One distinct name per object.

        Returns
        -------
        NeighborGraph
            With `n_neighbors` edges from each object; ties are broken arbitrarily.

        Examples
        --------
        >>> import ordinate as od
        >>> od.NeighborGraph.from_points([[0.0], [1.0], [3.0], [7.0]], n_neighbors=1).indices
        array([1, 0, 1, 2], dtype=int32)
        """
        distances = Distances(points, metric)
        n = distances.n_objects
        k = check_integer(parameter("n_neighbors"), n_neighbors, minimum=1, maximum=n - 1)
        heads = np.repeat(np.arange(n), k)
        return cls(heads, distances.nearest(k).ravel(), n_objects=n, names=names)

    @classmethod
    def from_adjacency(
        cls, adjacency: Any, *, names: Sequence[object] | None = None, weighted: bool = False
    ) -> Self:
        """Take a graph as a matrix or as an object of networkx or igraph.

        Parameters
        ----------
        adjacency : array-like, sparse array, networkx.Graph or igraph.Graph
            A square matrix with 1 or True where column j is a neighbour of row i, and 0
            elsewhere; or a graph. The ends of an undirected edge are neighbours of each other.
        names : sequence of str, optional
            One distinct name per object; by default those of the graph.
        weighted : bool, default=False
            Whether the entries of the matrix, or the attribute ``weight`` of a graph's edges, are
            weights. A larger weight is a stronger tie: distances are no weights.

        Returns
        -------
        NeighborGraph
            The same graph.

        Examples
        --------
        >>> import ordinate as od
        >>> od.NeighborGraph.from_adjacency([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
        NeighborGraph(3 objects, 3 edges)
        """
        if hasattr(adjacency, "is_directed"):
            edges, n, own_names = edges_of_graph(adjacency)
            return cls.from_edges(
                edges,
                directed=adjacency.is_directed(),
                n_objects=n,
                names=names or own_names,
                weights=weights_of_graph(adjacency) if weighted else None,
            )
        heads, tails, values, n = edges_of_matrix(adjacency, weighted)
        return cls(heads, tails, n_objects=n, names=names, weights=values if weighted else None)

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        *,
        directed: bool = False,
        n_objects: int | None = None,
        names: Sequence[object] | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Take a graph as a list of edges.

        Parameters
        ----------
        edges : array-like of int or str, shape (n_edges, 2)
            Numbers, from 0, or names of the two ends.
        directed : bool, default=False
            Whether only the second end is a neighbour of the first; by default both are
            neighbours of each other.
        n_objects : int, optional
            How many objects there are; by default the largest number plus one.
        names : sequence of str, optional
            Names in the order of their numbers; by default those that occur, sorted.
        weights : array-like of float, shape (n_edges,), optional
            How much each edge counts, above 0.

        Returns
        -------
        NeighborGraph
            The graph.

        Examples
        --------
        >>> import ordinate as od
        >>> graph = od.NeighborGraph.from_edges([["ant", "bee"], ["bee", "cat"]])
        >>> graph.names, graph.indices
        (('ant', 'bee', 'cat'), array([1, 0, 2, 1], dtype=int32))
        """
        (ends,), names = number_objects([edges], names)
        if ends.ndim != 2 or ends.shape[1] != 2:
            raise InputError(
                f"edges must have two columns, one per end of an edge; got shape {ends.shape}."
            )
        if n_objects is None and names is not None:
            n_objects = len(names)
        ends = check_ends(ends, n_objects)
        if n_objects is None:
            n_objects = int(ends.max(initial=0)) + 1
        if directed:
            heads, tails = ends.T
            return cls(heads, tails, n_objects=n_objects, names=names, weights=weights)
        heads, tails = np.concatenate([ends, ends[:, ::-1]]).T
        twice = None if weights is None else np.tile(check_weights(weights, len(ends)), 2)
        graph = cls(heads, tails, n_objects=n_objects, names=names, weights=twice)
        graph.n_loops //= 2
        graph.n_repeats //= 2
        return graph

    def __repr__(self) -> str:
        return f"NeighborGraph({self.n_objects:,} objects, {self.n_edges:,} edges)"

    def _repr_html_(self) -> str:
        return report_as_html(str(self.describe()) if self.n_edges <= 1_000_000 else repr(self))

    @property
    def n_objects(self) -> int:
        """How many objects there are, counting those without edges."""
        return len(self.indptr) - 1

    @property
    def n_edges(self) -> int:
        """Number of directed edges."""
        return len(self.indices)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each object, shape (n_objects,)."""
        return self.indptr[1:] - self.indptr[:-1]

    @property
    def n_comparisons(self) -> int:
        """How many comparisons the graph stands for."""
        return int((self.degrees * (self.n_objects - 1 - self.degrees)).sum())

    @property
    def adjacency(self) -> csr_array:
        """The graph as a sparse matrix of ones, shape (n_objects, n_objects)."""
        from scipy.sparse import csr_array

        ones = np.ones(self.n_edges, dtype=np.int8)
        # scikit-learn takes sparse matrices with 32-bit indices only
        indptr = self.indptr.astype(np.int32) if self.n_edges < 2**31 else self.indptr
        return csr_array((ones, self.indices, indptr), shape=(self.n_objects, self.n_objects))

    def connected_components(self) -> NDArray[np.int32]:
        """Label the objects by connected component, the largest first.

        Returns
        -------
        ndarray of int32, shape (n_objects,)
            Equal labels for objects that edges join, in whatever direction.
        """
        from scipy.sparse.csgraph import connected_components

        labels = connected_components(self.adjacency, directed=True, connection="weak")[1]
        rank = np.argsort(np.argsort(-np.bincount(labels), kind="stable"))
        return rank[labels].astype(np.int32)

    def subgraph(self, objects: NDArray[np.integer[Any]]) -> NeighborGraph:
        """Keep some of the objects, numbered 0, 1, … as given, and the edges among them.

        Parameters
        ----------
        objects : ndarray of int, shape (n_kept,)
            Numbers of the objects to keep.

        Returns
        -------
        NeighborGraph
            The smaller graph.
        """
        adjacency = self.adjacency
        if self.weights is not None:
            adjacency = adjacency.astype(np.float64)
            adjacency.data[:] = self.weights
        edges = adjacency[objects][:, objects].tocoo()
        names = None if self.names is None else [self.names[i] for i in objects]
        return NeighborGraph(
            edges.row,
            edges.col,
            n_objects=len(objects),
            names=names,
            weights=None if self.weights is None else edges.data,
        )

    def describe(self) -> GraphDescription:
        """Count what is in the graph, and what in it says nothing; prints as a report."""
        from ordinate.graphs.description import describe_graph

        return describe_graph(self)

    def to_comparisons(self) -> Comparisons:
        """Write out all triplets (object, neighbour, non-neighbour), for other methods."""
        if self.n_comparisons > MOST_ROWS:
            raise InputError(
                f"The graph stands for {self.n_comparisons:,} comparisons, more than the"
                f" {MOST_ROWS:,} that are written out; LOE takes the graph as it is."
            )
        rows = expand(self.indptr, self.indices)
        return Comparisons(rows, n_objects=self.n_objects, names=self.names)


def check_ends(ends: NDArray[Any], n_objects: int | None) -> NDArray[np.int64]:
    """Return the ends of edges as integers, each an object's number."""
    if ends.size and ends.dtype.kind not in "iuf":
        raise InputError(f"edges must hold numbers or names of objects; got dtype {ends.dtype}.")
    return check_object_numbers(ends, n_objects, "Edge {}".format).astype(np.int64)


def check_weights(weights: ArrayLike, n_edges: int) -> NDArray[np.float64]:
    """Return weights of edges, each positive."""
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_edges,):
        raise InputError(f"weights must have one entry per edge, {n_edges}; got {values.shape}.")
    wrong = ~(np.isfinite(values) & (values > 0))
    if wrong.any():
        raise InputError(
            f"Weights of edges must be above 0; found {values[wrong][0]:g}. Leave such edges out."
        )
    return values


def weights_of_graph(graph: Any) -> list[Any]:
    """Weights of the edges of a networkx or igraph graph."""
    if hasattr(graph, "es"):
        found: list[Any] = graph.es["weight"] if "weight" in graph.es.attributes() else [None]
    else:
        found = [weight for _, _, weight in graph.edges(data="weight")]
    if None in found:
        raise InputError("An edge has no attribute 'weight'; give every edge one.")
    return found


def edges_of_graph(graph: Any) -> tuple[NDArray[Any], int, list[str] | None]:
    """Edges, number of vertices and their names of a networkx or igraph graph."""
    if hasattr(graph, "vs"):
        edges = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        named = "name" in graph.vs.attributes()
        return edges, len(graph.vs), list(map(str, graph.vs["name"])) if named else None
    vertices = list(graph.nodes)
    number = {vertex: position for position, vertex in enumerate(vertices)}
    pairs = [(number[edge[0]], number[edge[1]]) for edge in graph.edges]
    edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    names = None if vertices == list(range(len(vertices))) else list(map(str, vertices))
    return edges, len(vertices), names


def edges_of_matrix(
    matrix: Any, weighted: bool = False
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
    """Heads, tails, entries and number of objects of an adjacency matrix."""
    from scipy.sparse import coo_array, issparse

    if not issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"adjacency must be square, one row and column per object; got shape {matrix.shape}."
            " A list of edges is read by `read_graph` (a file or a frame) or"
            " `NeighborGraph.from_edges`."
        )
    edges = coo_array(matrix)
    if not weighted and not np.isin(edges.data, (0, 1)).all():
        wrong = edges.data[~np.isin(edges.data, (0, 1))][0]
        raise InputError(
            f"adjacency must hold 0 and 1 only; found {wrong}. Pass"
            f" {argument('weighted', True)} if entries are weights, or `adjacency != 0`."
        )
    present = edges.data != 0
    return edges.row[present], edges.col[present], edges.data[present], matrix.shape[0]


def expand(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> NDArray[np.int32]:
    """Write out all triplets (object, neighbour, non-neighbour), shape (n_comparisons, 3)."""
    everyone = np.arange(len(indptr) - 1, dtype=np.int32)
    rows = []
    for i in everyone:
        near = indices[indptr[i] : indptr[i + 1]]
        far = np.delete(everyone, np.append(near, i))
        triplets = np.broadcast_arrays(i, near[:, None], far)
        rows.append(np.stack(triplets, axis=-1).reshape(-1, 3))
    return np.concatenate(rows)
