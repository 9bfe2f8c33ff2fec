"""Edges of graphs as people have them: lists, matrices, and objects of networkx and igraph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError


def check_ends(ends: NDArray[Any], n_objects: int | None) -> NDArray[np.int64]:
    """Return the ends of edges as integers, each an object's number."""
    if ends.size and ends.dtype.kind not in "iuf":
        raise InputError(f"edges must hold numbers or names of objects; got dtype {ends.dtype}.")

    def refuse(wrong: NDArray[np.bool_], rule: str) -> None:
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise InputError(f"Edge {row}, column {column} is {ends[row, column]!s}; {rule}.")

    refuse(~np.isfinite(ends) | (ends != np.floor(ends)), "object numbers must be whole")
    refuse(ends < 0, "object numbers start at 0")
    if n_objects is not None:
        refuse(ends >= n_objects, f"n_objects is {n_objects}, so numbers end at {n_objects - 1}")
    return ends.astype(np.int64)


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


def edges_of_matrix(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Heads, tails and number of objects of an adjacency matrix."""
    from scipy.sparse import coo_array, issparse

    if not issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"adjacency must be square, one row and column per object; got shape {matrix.shape}."
        )
    edges = coo_array(matrix)
    if not np.isin(edges.data, (0, 1)).all():
        wrong = edges.data[~np.isin(edges.data, (0, 1))][0]
        raise InputError(
            f"adjacency must hold 0 and 1 only; found {wrong}. For weighted edges pass"
            " `adjacency != 0`."
        )
    present = edges.data == 1
    return edges.row[present], edges.col[present], matrix.shape[0]


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
