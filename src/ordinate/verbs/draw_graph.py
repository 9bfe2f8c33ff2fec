"""`ordinate.draw_graph`: a graph drawn as a map, and how much of the graph the map shows."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from numpy.typing import NDArray

from ordinate._arguments import argument, parameter
from ordinate._notebooks import in_dimensions
from ordinate._random import RandomState
from ordinate.graphs.files import lists_nearest, read_graph
from ordinate.graphs.graph_stress import GraphStress
from ordinate.graphs.graph_tste import GraphTSTE
from ordinate.graphs.loe import LOE
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.io.tables import is_frame
from ordinate.methods import load_method
from ordinate.metrics import graph_adjusted_rand_index, neighborhood_jaccard
from ordinate.results.finding import Finding
from ordinate.results.map_result import MapResult
from ordinate.results.object_display import ObjectDisplay, read_display
from ordinate.results.provenance import Provenance, provenance_of

POOR = 0.5
"""Below this index the map shows less than half of what it could of the graph."""


@dataclass(frozen=True, eq=False)
class GraphDrawing(MapResult):
    """A graph drawn as a map, and how much of the graph the map shows.

    Attributes
    ----------
    graph : NeighborGraph
        The graph.
    model : GraphStress, LOE or GraphTSTE
        The estimator, fitted to the graph.
    gari : float
        Adjusted Rand index of the graph of nearest neighbours on the map: 1 is all, 0 is chance.
    jaccard : float
        Mean share of a node's neighbours and nearest nodes that are both.
    seconds : float
        How long the fit took.
    reason : str
        Why the method was chosen; empty if it was asked for.

    Examples
    --------
    >>> import ordinate as od
    >>> od.draw_graph([[0, 1], [1, 2], [2, 3], [3, 0]], random_state=0).points.shape
    (4, 2)
    """

    heading: ClassVar[str] = "Drawing of"

    graph: NeighborGraph
    model: GraphStress | LOE | GraphTSTE
    gari: float
    jaccard: float
    seconds: float
    reason: str = ""
    provenance: Provenance = field(default_factory=Provenance, repr=False)
    display: ObjectDisplay = field(default_factory=ObjectDisplay, repr=False)

    @property
    def points(self) -> NDArray[Any]:
        """The coordinates, shape (n_objects, dimension)."""
        return self.model.embedding_

    @property
    def names(self) -> Sequence[str] | None:
        """The labels of the nodes."""
        return self.graph.names

    @property
    def edges(self) -> NeighborGraph:
        """The graph itself."""
        return self.graph

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        model, described = self.model, self.graph.describe()
        method, dimensions = type(model).__name__, in_dimensions(model.n_components)
        text = f"{method} drew the graph in {dimensions}, in {self.seconds:.1f} s"
        text += f": {self.reason}." if self.reason else "."
        yield Finding("seconds", self.seconds, text, unit="seconds")
        yield Finding("graph", described.to_dict(), str(described), section="data")
        yield Finding("method", method)
        yield Finding("dimension", model.n_components)
        yield Finding("seed", model.random_state)
        text = (
            f"Neighbourhoods preserved: {self.jaccard:.0%}, every node counting the same (Jaccard)."
        )
        yield Finding("jaccard", self.jaccard, text, section="trust")
        text = f"Edges recovered: {self.gari:.3f}, every edge counting the same (adjusted Rand"
        yield Finding("gari", self.gari, f"{text} index: 1 is all, 0 is chance).", section="trust")
        yield Finding("loss", model.loss_)
        if self.gari < POOR:
            other = f" or {argument('method', 'GraphTSTE')}" if method == "LOE" else ""
            more = f"try more ({parameter('n_components')}){other}"
            text = f"{dimensions} may be too few: {more}."
            yield Finding("poor", text=text, kind="warning", section="trust")


def draw_graph(
    graph: Any,
    n_components: int = 2,
    *,
    method: str = "auto",
    n_neighbors: int | None = None,
    directed: bool | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    header: bool | None = None,
    objects: str | os.PathLike[str] | None = None,
    color: str | None = None,
    images: str | os.PathLike[str] | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    **parameters: Any,
) -> GraphDrawing:
    """Draw a graph so that neighbours are nearest.

    Networks are drawn by `GraphStress`: distances follow the lengths of paths, neighbours are
    nearest, and no node hides another. A directed list of the k nearest of each node is drawn by
    `LOE`, which also shows the density of points.

    Parameters
    ----------
    graph : path, frame, array-like, sparse matrix, NeighborGraph, networkx.Graph or igraph.Graph
        A file, frame or array of edges (with `n_neighbors`, of points), an adjacency matrix or a
        graph.
    n_components : int, default=2
        Dimension of the map.
    method : {"auto", "LOE", "GraphTSTE", "stress"}, default="auto"
        How to draw: stress for networks, LOE for nearest neighbours, GraphTSTE for the most
        neighbours, where groups may collapse. By default chosen by what the graph is.
    n_neighbors : int, optional
        Rows are points; join each to its nearest neighbours.
    directed : bool, optional
        Whether only the second end of an edge is a neighbour of the first; by default if the file
        lists equally many neighbours of every object.
    columns : sequence of str, optional
        Columns of the two ends, if there are other columns too.
    weight : str, optional
        Column of the weights of the edges; by default a third column called weight.
    header : bool, optional
        Whether the first line of a file names the columns; by default unless it holds numbers.
    objects : path, optional
        Table about the objects, with their names in the column 'object' or the first one; a
        column 'image' holds files of pictures.
    color : str, optional
        Column of that table that colours the map.
    images : path, optional
        Folder of pictures named after the objects.
    random_state : int, Generator or None, default=0
        Seed of the fit.
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; never changes the result.
    verbose : bool, default=False
        Show a progress bar.
    **parameters
        Further parameters of the method, such as ``n_init``.

    Returns
    -------
    GraphDrawing
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    GraphStress, LOE, GraphTSTE : The estimators.

    Examples
    --------
    >>> import ordinate as od
    >>> result = od.draw_graph([[0, 1], [1, 2], [2, 3], [3, 0]], random_state=0)
    >>> result.gari
    1.0
    """
    asked = dict(locals()) | parameters
    read = _as_graph(
        graph, n_neighbors=n_neighbors, directed=directed, columns=columns, weight=weight,
        header=header,
    )  # fmt: skip
    chosen, reason = choose_drawing(read) if method == "auto" else (method, "")
    model = load_method(chosen, takes="graph")(
        n_components, random_state=random_state, n_jobs=n_jobs, verbose=verbose, **parameters
    )
    display = read_display(read.names or range(read.n_objects), objects, color, images)
    start = time.perf_counter()
    model.fit(read)
    seconds = time.perf_counter() - start
    gari = graph_adjusted_rand_index(read.adjacency, embedding=model.embedding_)
    jaccard = neighborhood_jaccard(read.adjacency, model.embedding_)
    return GraphDrawing(
        read, model, gari, jaccard, seconds, reason, provenance_of(draw_graph, asked), display
    )


def choose_drawing(graph: NeighborGraph) -> tuple[str, str]:
    """Return the drawing that suits a graph, and why."""
    if graph.weights is None and lists_nearest(graph):
        k = graph.degrees[0]
        return "LOE", f"each object names its {k} nearest, and LOE preserves how dense they lie"
    return "stress", "it shows paths and neighbours of a network, and hides no node"


def _as_graph(graph: Any, **reading: Any) -> NeighborGraph:
    """Return a graph as the record that methods take; read what is a file or a frame."""
    if isinstance(graph, NeighborGraph):
        return graph
    if isinstance(graph, str | os.PathLike) or is_frame(graph):
        return read_graph(graph, **reading)
    if reading["n_neighbors"] is not None:
        return NeighborGraph.from_points(graph, reading["n_neighbors"])
    if isinstance(graph, list | tuple):
        return NeighborGraph.from_edges(graph, directed=bool(reading["directed"]))
    return NeighborGraph.from_adjacency(graph, weighted=reading["weight"] is not None)
