"""`ordinate graph`: lay out a graph, or the k-NN graph of points, so that neighbours are near."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ordinate.cli._fitting import SHARED_OPTIONS, Settings, method_opt, read_settings
from ordinate.cli._options import Appearance, Json, Running, header_opt, split_list
from ordinate.cli._results import ResultFiles
from ordinate.cli._typer import arg, opt


@dataclass(frozen=True)
class GraphFile:
    """A file of edges or of points."""

    file: Path = arg("CSV, TSV or Parquet file: an edge per row, or with --neighbors a point.")
    neighbors: int | None = opt(
        "Rows are points; join each to its N nearest neighbours.", "N", min=1
    )
    directed: bool | None = opt(
        "Whether only the second end of an edge is a neighbour of the first.",
        None,
        "--directed/--undirected",
        show_default="if the file lists equally many neighbours of every object",
    )
    columns: str | None = opt("Columns of the two ends, if there are other columns too.", "FROM,TO")
    weight: str | None = opt("Weights of the edges, for --method GraphTSTE.", "COLUMN")
    header: bool | None = header_opt()


@dataclass(frozen=True)
class Drawing:
    """How the map is made."""

    dim: int = opt("Dimension of the map.", None, "-d", default=2, min=1)
    method: str = method_opt(
        "LOE for k-NN graphs, GraphTSTE for networks", default="LOE", takes="graph"
    )
    settings: Settings = None


def graph(
    source: GraphFile,
    drawing: Drawing,
    running: Running,
    results: ResultFiles,
    appearance: Appearance,
    json: Json = False,
) -> None:
    """Draw a graph so that neighbours are nearest.

    Directed edges to the k nearest of each node (--directed) also show the
    density of points in few dimensions; symmetric edges do not. For networks
    with hubs, long links or branches choose --method GraphTSTE, which
    preserves more neighbours.

    Example: ordinate graph edges.csv --dim 2 -o layout.csv --plot layout.png
    """
    from ordinate.graphs.files import read_graph
    from ordinate.verbs.draw_graph import draw_graph

    results.check(source.file, *appearance.files)
    graph = read_graph(
        source.file,
        n_neighbors=source.neighbors,
        directed=source.directed,
        columns=split_list(source.columns),
        weight=source.weight,
        header=source.header,
    )
    display = appearance.look_up(graph.names or range(graph.n_objects))
    result = draw_graph(
        graph,
        drawing.dim,
        method=drawing.method,
        **running.running,
        **read_settings(drawing.method, drawing.settings, SHARED_OPTIONS),
    )
    named = replace(result.provenance, name=source.file.name, files=[source.file])
    results.write_and_show(replace(result, display=display, provenance=named), json=json)
