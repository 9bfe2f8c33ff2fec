"""Read neighbour graphs from files of edges or of points."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.io.formats import read_table

if TYPE_CHECKING:
    import pyarrow as pa


def read_graph(
    path: str | os.PathLike[str], *, n_neighbors: int | None = None, directed: bool = False
) -> NeighborGraph:
    """Read a graph from a file with one row per edge, or one row per object.

    Parameters
    ----------
    path : str or path-like
        A file ending in .csv, .tsv, .csv.gz or .tsv.gz (with comma, semicolon or tab between
        entries) or .parquet. With two columns, the ends of an edge, by name or number; with
        `n_neighbors`, the coordinates of an object, where a column of text holds its name.
    n_neighbors : int, optional
        Take the rows as points and join each to so many nearest ones.
    directed : bool
        Whether only the second end of an edge is a neighbour of the first.

    Returns
    -------
    NeighborGraph
        The graph.

    Examples
    --------
    >>> import ordinate as od
    >>> od.read_graph("edges.csv")  # doctest: +SKIP
    NeighborGraph(34 objects, 156 edges)
    """
    try:
        table = read_table(Path(path))
        if n_neighbors is None:
            return _graph_of_edges(table, directed)
        if directed:
            raise InputError("directed is for edges; the edges of nearest neighbours always are.")
        points, names = _points_of(table)
        return NeighborGraph.from_points(points, n_neighbors, names=names)
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error}") from None


def _graph_of_edges(table: pa.Table, directed: bool) -> NeighborGraph:
    if table.num_columns != 2:
        raise InputError(
            f"An edge has two ends, so two columns are expected; got {table.num_columns}."
            " For a table of points say how many neighbours each gets."
        )
    ends = [column.to_pylist() for column in table.columns]
    for row, edge in enumerate(zip(*ends, strict=True)):
        if None in edge:
            raise InputError(f"Row {row} misses an end: {edge}.")
    numbers = all(isinstance(end, int) for column in ends for end in column)
    edges = np.array(ends, dtype=np.int64 if numbers else np.str_).T
    return NeighborGraph.from_edges(edges, directed=directed)


def _points_of(table: pa.Table) -> tuple[NDArray[np.float64], list[str] | None]:
    """Coordinates from the columns that hold numbers, and names from one that does not."""
    names: list[str] | None = None
    coordinates = []
    for title, column in zip(table.column_names, table.columns, strict=True):
        try:
            coordinates.append(np.array(column.to_pylist(), dtype=np.float64))
        except (TypeError, ValueError):
            if names is not None:
                raise InputError(
                    f"Column {title!r} holds text; only one column may, with the names."
                ) from None
            names = [str(name) for name in column.to_pylist()]
    if not coordinates:
        raise InputError("No column holds numbers; points need coordinates.")
    return np.column_stack(coordinates), names
