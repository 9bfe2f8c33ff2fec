"""What is in a neighbour graph, and what in it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ordinate._notebooks import ShownAsTable

if TYPE_CHECKING:
    from ordinate.graphs.neighbor_graph import NeighborGraph

_FEWEST_NEIGHBORS = 3
_SHARE_OF_SMALLEST = 0.01
"""Share of the objects that nobody else names, so that they have k neighbours and no more."""
_CLUSTERED = 0.3
"""Share of the pairs of neighbours that are neighbours: about .5 for points of a plane."""
_SAMPLE = 200


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


def symmetrized_neighbors(graph: NeighborGraph) -> int | None:
    """Return k if a graph looks like a k-nearest-neighbour graph that was made symmetric.

    Then k is the smallest degree, the mean is at most 2 k, and neighbours are neighbours of one
    another. The graphs of social networks and those with equal degrees are not like that.
    """
    degrees = graph.degrees
    k = int(degrees.min())
    likely = _FEWEST_NEIGHBORS <= k < degrees.mean() <= 2 * k
    if not likely or np.mean(degrees == k) < _SHARE_OF_SMALLEST:
        return None
    adjacency = graph.adjacency.astype(np.float64)
    if adjacency.multiply(adjacency.T).nnz < graph.n_edges:
        return None
    sampled = adjacency[np.linspace(0, graph.n_objects - 1, _SAMPLE).astype(np.intp)]
    joined = float(((sampled @ adjacency).multiply(sampled)).sum())
    size = np.diff(sampled.indptr)
    return k if joined >= _CLUSTERED * float((size * (size - 1)).sum()) else None
