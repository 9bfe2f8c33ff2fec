"""`ordinate graph`: lay out a graph, or the k-NN graph of points, so that neighbours are near."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordinate.cli._fitting import Settings, build, method_opt
from ordinate.cli._options import Appearance, Json, Running, header_opt, split_list
from ordinate.cli._results import Results
from ordinate.cli._typer import arg, opt

if TYPE_CHECKING:
    from ordinate.graphs.graph_tste import GraphTSTE
    from ordinate.graphs.loe import LOE
    from ordinate.graphs.neighbor_graph import NeighborGraph


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

    def read(self) -> NeighborGraph:
        """Read the file into one validated graph."""
        from ordinate.graphs.files import read_graph

        return read_graph(
            self.file,
            n_neighbors=self.neighbors,
            directed=self.directed,
            columns=split_list(self.columns),
            weight=self.weight,
            header=self.header,
        )


@dataclass(frozen=True)
class Drawing:
    """How the map is made."""

    dim: int = opt("Dimension of the map.", None, "-d", default=2, min=1)
    method: str = method_opt(
        "LOE for k-NN graphs, GraphTSTE for networks", default="LOE", takes="graph"
    )
    settings: Settings = None

    def estimator(self, running: Running) -> LOE | GraphTSTE:
        """Build the estimator that was asked for, not yet fitted."""
        model: LOE | GraphTSTE = build(
            self.method, self.settings, n_components=self.dim, **running.running
        )
        return model


def graph(
    source: GraphFile,
    drawing: Drawing,
    running: Running,
    results: Results,
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
    from ordinate.analysis.graphs import study_graph
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.plots import save_map

    results.check(source.file, *appearance.files)
    neighbors = source.read()
    look = appearance.look_up(neighbors.names or range(neighbors.n_objects))
    study = study_graph(neighbors, drawing.estimator(running))
    points, names = study.model.embedding_, neighbors.names
    saved = results.save(
        "coordinates",
        coordinate_columns(points, names),
        lambda path: save_map(path, points, names, edges=neighbors, **vars(look)),
    )
    saved.show(study, json=json)
