"""Read neighbour graphs from tables of edges or of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.io.columns import as_floats, as_objects, encode_column
from ordinate.io.delimited_text import TextTable
from ordinate.io.layout_table import find_column, find_label_column
from ordinate.io.tables import Table, table_of

if TYPE_CHECKING:
    import pyarrow as pa


_WEIGHTS = ("weight", "weights")
"""What a third column is called that holds weights."""


def read_graph(
    source: Any,
    *,
    n_neighbors: int | None = None,
    directed: bool | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    header: bool | None = None,
) -> NeighborGraph:
    """Read a graph from a file or a frame with one row per edge, or one row per object.

    Parameters
    ----------
    source : path or frame
        A pandas, polars or PyArrow table, a mapping of columns, or a file ending in
        .csv, .tsv, .csv.gz or .tsv.gz (with comma, semicolon or tab between entries, or blanks
        in .txt) or .parquet. With two columns, the labels of the ends of an edge, where a first
        line that names objects of other lines is an edge too; with `n_neighbors`, the
        coordinates of an object, where the column ``object``, ``id`` or ``name``, or else a
        column of text, holds its label.
    n_neighbors : int, optional
        Take the rows as points and join each to so many nearest ones.
    directed : bool, optional
        Whether only the second end of an edge is a neighbour of the first. By default, if the file
        lists the nearest neighbours of every object: as many for each, and some pairs twice.
    columns : sequence of two str, optional
        Columns of the two ends of an edge, where a file has others too; without a header
        columns are called "0", "1", ….
    weight : str, optional
        Column with the weights of the edges. A larger weight is a stronger tie. By default the
        third column if it is called ``weight``.
    header : bool, optional
        Whether the first line of text names the columns; by default unless it holds numbers or
        names objects of other lines.

    Returns
    -------
    NeighborGraph
        The graph.

    See Also
    --------
    NeighborGraph : The record that is returned.
    LOE : What is fitted to it.

    Examples
    --------
    >>> import ordinate as od
    >>> od.read_graph("edges.csv")  # doctest: +SKIP
    NeighborGraph(34 objects, 156 edges)
    """
    with table_of(source, header) as table:
        if n_neighbors is None:
            return _graph_of_edges(table, directed, columns, weight, fixed=header is not None)
        if columns is not None or weight is not None:
            raise InputError("columns and weight are those of edges; leave them out for points.")
        if directed is not None:
            raise InputError("directed is for edges; the edges of nearest neighbours always are.")
        points, names = _points_of(table)
        return NeighborGraph.from_points(points, n_neighbors, names=names)


def _graph_of_edges(
    table: Table,
    directed: bool | None,
    wanted: Sequence[str] | None,
    weight: str | None,
    *,
    fixed: bool,
) -> NeighborGraph:
    """Read edges; `fixed` says that it is known whether the first line is a header."""
    if weight is not None:
        weight = find_column(table.names, weight, "weight")
    elif wanted is None and len(table.names) == 3:
        weight = next((name for name in table.names if name.lower() in _WEIGHTS), None)
    others = [name for name in table.names if name != weight]
    named = list(others if wanted is None else wanted)
    if len(named) != 2:
        there = ", ".join(map(repr, table.names))
        two = argument("columns", others[:2])
        raise InputError(
            f"An edge has two ends, so two columns are expected; got {len(named)} ({there})."
            f" Name the two, such as {two}, or for a table of points say how many"
            f" neighbours each gets with {argument('n_neighbors')}."
        )
    at = [table.names.index(find_column(table.names, name, "columns")) for name in named]
    columns = table.read(named)
    if isinstance(table, TextTable) and not fixed and _names_objects(named, columns):
        table = table.without_header()
        columns = table.read([table.names[place] for place in at])
        if weight is not None:
            raise InputError(
                f"The first line names objects, so no column is called {weight!r}. Give the columns"
                f" names, or pass {argument('header', False)}."
            )
    ends = dict(zip(columns.column_names, columns.columns, strict=True))
    for name, column in ends.items():
        if column.null_count:
            row = int(np.argmax(column.is_null().to_numpy()))
            raise InputError(f"{table.place(row)} misses an end: it has no entry in {name!r}.")
    edges, labels = as_objects(ends, None, table.place)
    weights = None
    if weight is not None:
        weights = as_floats(table.read([], [weight]).column(0))
        if weights is None:
            raise InputError(f"Column {weight!r} holds text; weights are numbers above 0.")
    graph = NeighborGraph.from_edges(edges, directed=True, names=labels, weights=weights)
    if directed or (directed is None and lists_nearest(graph)):
        return graph
    return NeighborGraph.from_edges(edges, names=labels, weights=weights)


def lists_nearest(graph: NeighborGraph) -> bool:
    """Say whether edges are those of a k-NN graph: k from each object, of which some go both ways.

    A list of undirected edges has a pair once, or all of them twice.
    """
    k = int(graph.degrees[0])
    mutual = graph.adjacency.multiply(graph.adjacency.T).nnz
    return k > 1 and bool((graph.degrees == k).all()) and 0 < mutual < graph.n_edges


def _names_objects(header: Sequence[str], columns: pa.Table) -> bool:
    """Say whether what was taken for a header names objects that other lines name too."""
    labels = {str(label) for column in columns.columns for label in column.to_pylist()}
    return any(name in labels for name in header)


def _points_of(table: Table) -> tuple[NDArray[np.float64], list[str] | None]:
    """Coordinates from the columns that hold numbers, and names from one that does not."""
    named = find_label_column(table.names)
    labels = [] if named is None else [named]
    columns = table.read(labels, [name for name in table.names if name != named])
    names: list[str] | None = None
    coordinates = []
    for title, column in zip(columns.column_names, columns.columns, strict=True):
        numbers = None if title == named else as_floats(column)
        if numbers is not None:
            coordinates.append(numbers)
        elif names is None:
            words, codes = encode_column(title, column)
            names = [words[code] for code in codes]
        else:
            raise InputError(f"Column {title!r} holds text; only one column may, with the names.")
    if not coordinates:
        raise InputError("No column holds numbers; points need coordinates.")
    return np.column_stack(coordinates), names
