"""A graph drawn as a map, and how much of the graph the map shows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from ordinate._arguments import argument, parameter
from ordinate._notebooks import ShownAsTable, in_dimensions
from ordinate.graphs.graph_tste import GraphTSTE
from ordinate.graphs.loe import LOE
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.metrics import graph_adjusted_rand_index

POOR = 0.5
"""Below this index the map shows less than half of what it could of the graph."""


@dataclass(frozen=True, eq=False)
class GraphStudy(ShownAsTable):
    """A graph, the model that drew it, and how much of it the map shows; prints as a report."""

    graph: NeighborGraph
    model: LOE | GraphTSTE
    gari: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "graph": self.graph.describe().to_dict(),
            "method": type(self.model).__name__,
            "dimension": self.model.n_components,
            "seed": self.model.random_state,
            "gari": self.gari,
            "loss": self.model.loss_,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        method, dimensions = type(self.model).__name__, in_dimensions(self.model.n_components)
        lines = [
            f"{method} in {dimensions} in {self.seconds:.1f} s",
            str(self.graph.describe()),
            f"  graph recovered       {self.gari:.3f} (adjusted Rand index: 1 is all, 0 is chance)",
            f"  loss                  {self.model.loss_:.4g}",
        ]
        if self.gari < POOR:
            other = f" or {argument('method', 'GraphTSTE')}" if method == "LOE" else ""
            more = f"try more ({parameter('n_components')}){other}"
            lines.append(f"  → {dimensions} may be too few: {more}.")
        return "\n".join(lines)


def study_graph(graph: NeighborGraph, model: LOE | GraphTSTE) -> GraphStudy:
    """Draw a graph, and measure how much of it the map shows."""
    start = time.perf_counter()
    model.fit(graph)
    gari = graph_adjusted_rand_index(graph.adjacency, embedding=model.embedding_)
    return GraphStudy(graph, model, gari, time.perf_counter() - start)
