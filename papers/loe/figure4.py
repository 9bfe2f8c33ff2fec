"""Figure 4: the Desargues graph in two dimensions by every method, and in three by LOE."""

from __future__ import annotations

import networkx as nx
import numpy as np
from baselines import DRAWN_FROM_GRAPH, gnmds, structure_preserving_embedding
from experiment import arguments, draw_maps, print_table, recovered_graph, write_rows

import ordinate as od
from ordinate.graphs.objective import LocalObjective

DELTA = 0.1
PUBLISHED = {
    "LE": (0.29, 4.10),
    "KK": (0.41, 4.22),
    "FR": (0.39, 4.21),
    "GNMDS": (0.49, 9.50),
    "SPE": (0.29, 4.30),
    "t-SNE": (0.68, 5.35),
    "LOE-2D": (0.33, 3.58),
    "LOE-3D": (1.00, 0.00),
}
"""GARI and stress as printed under the pictures."""


def least_stress(graph: od.NeighborGraph, points: np.ndarray) -> float:
    """Return the stress at the scale at which it is lowest; other maps have no scale."""
    objective = LocalObjective(graph.indptr, graph.indices, DELTA)
    unit = points / points.std()
    return min(objective(scale * unit)[0] for scale in DELTA * np.geomspace(0.01, 1000, 400))


def maps(graph: od.NeighborGraph, quick: bool) -> dict[str, np.ndarray]:
    """Draw the graph by every method."""
    found = {name: draw(graph, 0) for name, draw in DRAWN_FROM_GRAPH.items() if name != "LOE"}
    found["GNMDS"] = gnmds(graph, 0)
    if not quick:
        found["SPE"] = structure_preserving_embedding(graph)
    for dimension in (2, 3):
        model = od.LOE(
            dimension, delta=DELTA, n_init=5 if quick else 30, tol=1e-6, random_state=0
        ).fit(graph)
        found[f"LOE-{dimension}D"] = model.embedding_
    return found


def main() -> None:
    """Print GARI and stress beside the paper's and draw the maps."""
    chosen = arguments(__doc__)
    graph = od.NeighborGraph.from_adjacency(nx.desargues_graph())
    found = maps(graph, chosen.quick)
    rows = []
    for name, (gari, stress) in PUBLISHED.items():
        if name in found:
            points = found[name]
            rows.append(
                {
                    "method": name,
                    "GARI": recovered_graph(graph, points),
                    "paper's GARI": gari,
                    "stress": least_stress(graph, points),
                    "paper's stress": stress,
                }
            )
    print_table(rows)
    write_rows(chosen.output / "figure4", rows)
    draw_maps(chosen.output / "figure4.png", found, np.arange(20), graph=graph)


if __name__ == "__main__":
    main()
