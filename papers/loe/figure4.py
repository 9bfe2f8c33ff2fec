"""Figure 4: the Desargues graph in two dimensions by every method, and in three by LOE."""

from __future__ import annotations

import networkx as nx
import numpy as np

import ordinate as od
from ordinate.graphs.objective import LocalObjective
from papers._common import Run, print_table
from papers.loe.baselines import DRAWN_FROM_GRAPH, gnmds, structure_preserving_embedding
from papers.loe.experiment import draw_maps, recovered_graph

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


def maps(graph: od.NeighborGraph, run: Run) -> dict[str, np.ndarray]:
    """Draw the graph by every method."""
    methods = {name: draw for name, draw in DRAWN_FROM_GRAPH.items() if name != "LOE"}
    methods["GNMDS"] = gnmds
    if not run.quick:
        methods["SPE"] = lambda graph, seed: structure_preserving_embedding(graph)
    for dimension in (2, 3):
        methods[f"LOE-{dimension}D"] = lambda graph, seed, dimension=dimension: (
            od.LOE(dimension, delta=DELTA, n_init=run.size(5, 30), tol=1e-6, random_state=seed)
            .fit(graph)
            .embedding_
        )
    return {
        name: run.points(f"figure4-{name}", lambda draw=draw: draw(graph, run.seed))
        for name, draw in methods.items()
    }


def main(run: Run) -> None:
    """Print GARI and stress beside the paper's and draw the maps."""
    graph = od.NeighborGraph.from_adjacency(nx.desargues_graph())
    found = maps(graph, run)
    with run.table("figure4", total=len(found)) as table:
        for name, points in found.items():
            gari, stress = PUBLISHED[name]
            table.row(
                {"seed": run.seed, "method": name},
                lambda points=points, gari=gari, stress=stress: {
                    "GARI": recovered_graph(graph, points),
                    "paper's GARI": gari,
                    "stress": least_stress(graph, points),
                    "paper's stress": stress,
                },
            )
    print_table(table.found)
    draw_maps(run.path("figure4.png"), found, np.arange(20), graph=graph)
