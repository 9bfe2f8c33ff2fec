"""`ordinate graph`: lay out a graph, or the k-NN graph of points, so that neighbours are near."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate.cli._appearance import Appearance
from ordinate.cli._fitting import SHARED_OPTIONS, Settings, read_settings
from ordinate.cli._options import Header, Jobs, Json, Seed, flag, option, split_list, threads
from ordinate.cli._results import Results

if TYPE_CHECKING:
    from ordinate.graphs.description import GraphDescription
    from ordinate.graphs.loe import LOE
    from ordinate.graphs.neighbor_graph import NeighborGraph


@dataclass(frozen=True)
class GraphFile:
    """A file of edges or of points."""

    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV or Parquet file: an edge per row, or with --neighbors a point.",
            show_default=False,
        ),
    ]
    neighbors: Annotated[
        int | None, option("Rows are points; join each to its N nearest neighbours.", "N", min=1)
    ] = None
    directed: Annotated[
        bool, flag("--directed", "Only the second end of an edge is a neighbour of the first.")
    ] = False

    columns: Annotated[
        str | None,
        option("Columns of the two ends, where an edge has other columns too.", "FROM,TO"),
    ] = None
    header: Header = None

    def read(self) -> NeighborGraph:
        """Read the file into one validated graph."""
        from ordinate.graphs.files import read_graph

        return read_graph(
            self.file,
            n_neighbors=self.neighbors,
            directed=self.directed,
            columns=split_list(self.columns),
            header=self.header,
        )


@dataclass(frozen=True)
class Drawing:
    """How the map is made."""

    dim: Annotated[int, option("Dimension of the map.", None, "--dim", "-d", min=1)] = 2
    starts: Annotated[int | None, option("Starts, the best of which is kept.", "N", min=1)] = None
    settings: Settings = None
    seed: Seed = 0
    jobs: Jobs = None

    def estimator(self) -> LOE:
        """Build the estimator that was asked for, not yet fitted."""
        from ordinate.graphs.loe import LOE

        options = SHARED_OPTIONS | {"n_init": "--starts"}
        return LOE(
            self.dim,
            n_init=self.starts,
            random_state=self.seed,
            n_jobs=threads(self.jobs),
            verbose=True,
            **read_settings("LOE", self.settings, options),
        )


POOR = 0.5
"""Below this index the map shows less than half of what it could of the graph."""


@dataclass(frozen=True)
class GraphReport:
    """Figures of one run of `ordinate graph`."""

    description: GraphDescription
    dimension: int
    seed: int
    gari: float
    stress: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "dimension": self.dimension,
            "seed": self.seed,
            "gari": self.gari,
            "stress": self.stress,
            "seconds": self.seconds,
            "graph": self.description.to_dict(),
        }

    def __str__(self) -> str:
        plural = "s" if self.dimension > 1 else ""
        lines = [
            f"LOE in {self.dimension} dimension{plural} in {self.seconds:.1f} s",
            str(self.description),
            f"  graph recovered       {self.gari:.3f} (adjusted Rand index: 1 is all, 0 is chance)",
            f"  stress                {self.stress:.4g}",
        ]
        if self.gari < POOR:
            lines.append(
                f"  → {self.dimension} dimension{plural} may be too few: try more (--dim)."
            )
        return "\n".join(lines)


def graph(
    source: GraphFile,
    drawing: Drawing,
    results: Results,
    appearance: Appearance,
    json: Json = False,
) -> None:
    """Draw a graph so that neighbours are nearest.

    Directed edges to the k nearest of each node (--directed) also tell the
    density of points in few dimensions; symmetric edges do not.

    Example: ordinate graph edges.csv --dim 2 -o layout.csv --plot layout.png
    """
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.metrics import graph_adjusted_rand_index
    from ordinate.plots import save_map

    start = time.perf_counter()
    results.check(source.file, *appearance.files)
    neighbors = source.read()
    look = appearance.look_up(neighbors.names or range(neighbors.n_objects))
    model = drawing.estimator().fit(neighbors)
    points = model.embedding_
    saved = results.save(
        "coordinates",
        coordinate_columns(points, neighbors.names),
        lambda path: save_map(path, points, neighbors.names, edges=neighbors, **vars(look)),
    )
    report = GraphReport(
        description=neighbors.describe(),
        dimension=drawing.dim,
        seed=drawing.seed,
        gari=graph_adjusted_rand_index(neighbors.adjacency, embedding=points),
        stress=model.loss_,
        seconds=time.perf_counter() - start,
    )
    saved.show(report, json=json)
