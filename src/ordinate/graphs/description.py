"""What is in a neighbour graph, and what in it says nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ordinate._notebooks import ShownAsTable

if TYPE_CHECKING:
    from ordinate.graphs.neighbor_graph import NeighborGraph


@dataclass(frozen=True)
class GraphDescription(ShownAsTable):
    """Figures about a neighbour graph."""

    n_objects: int
    n_edges: int
    n_comparisons: int
    mutual: float
    degrees: tuple[float, float, float]
    n_without: int
    n_with_all: int
    component_sizes: tuple[int, ...]
    n_loops: int
    n_repeats: int

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        low, median, high = self.degrees
        # an undirected edge is stored once in each direction, and written once
        undirected = self.mutual == 1
        edges = f"{self.n_edges // 2:,} edges" if undirected else f"{self.n_edges:,} directed edges"
        components = f"{len(self.component_sizes):,}"
        if len(self.component_sizes) > 1:
            components += f", the largest of {self.component_sizes[0]:,} objects"
        return "\n".join(
            [
                f"{edges} between {self.n_objects:,} objects",
                f"  comparisons           {self.n_comparisons:,}",
                f"  mutual edges          {self.mutual:.1%}",
                f"  neighbours            {low:,.0f} to {high:,.0f}, median {median:,.0f}",
                f"  without neighbours    {self.n_without:,}",
                f"  with all others       {self.n_with_all:,}",
                f"  connected components  {components}",
                f"  left out              {self.n_loops:,} loops,"
                f" {self.n_repeats:,} repeated edges",
            ]
        )


def describe_graph(graph: NeighborGraph) -> GraphDescription:
    """Count what is in a graph."""
    degrees = graph.degrees
    adjacency = graph.adjacency
    sizes = np.bincount(graph.connected_components())
    return GraphDescription(
        n_objects=graph.n_objects,
        n_edges=graph.n_edges,
        n_comparisons=graph.n_comparisons,
        mutual=float(adjacency.multiply(adjacency.T).sum()) / max(graph.n_edges, 1),
        degrees=(float(degrees.min()), float(np.median(degrees)), float(degrees.max())),
        n_without=int((degrees == 0).sum()),
        n_with_all=int((degrees == graph.n_objects - 1).sum()),
        component_sizes=tuple(sizes.tolist()),
        n_loops=graph.n_loops,
        n_repeats=graph.n_repeats,
    )
