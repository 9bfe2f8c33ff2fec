"""Figure 4: the Desargues graph in two dimensions by every method, and in three by LOE."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import networkx as nx
import numpy as np

import ordinate as od
from ordinate.graphs.objective import LocalObjective
from papers._common import Row, Run, print_table, ranged
from papers.loe.baselines import DRAWN_FROM_GRAPH, gnmds, structure_preserving_embedding
from papers.loe.experiment import draw_maps, recovered_graph

DELTA = 0.1
Drawing = Callable[[od.NeighborGraph, int], np.ndarray]
ONCE = ("LE", "SPE")
"""Methods without chance in them."""
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


def methods(run: Run) -> dict[str, Drawing]:
    """Name every way to draw the graph."""
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
    return methods


def measure(graph: od.NeighborGraph, points: np.ndarray) -> Row:
    """Return both figures that stand under a picture."""
    return {"GARI": recovered_graph(graph, points), "stress": least_stress(graph, points)}


def main(run: Run) -> None:
    """Print GARI and stress beside the paper's and draw the maps of the first seed."""
    graph = od.NeighborGraph.from_adjacency(nx.desargues_graph())
    found = {}
    with run.table("figure4") as table:
        for name, draw in methods(run).items():
            seeds = run.seeds(1, 1 if name in ONCE else 10)
            for seed in seeds:
                points = draw(graph, seed)
                found.setdefault(name, points)
                table.row(
                    {"seed": seed, "method": name},
                    lambda points=points: measure(graph, points),
                )
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, "mean (minimum to maximum) over seeds", rows)
    draw_maps(run.path("figure4.png"), found, np.arange(20), graph=graph)


def page_rows(found: list[Row]) -> Iterator[Row]:
    """Yield both figures of each method beside those in print."""
    for name, (gari, stress) in PUBLISHED.items():
        of_name = [row for row in found if row["method"] == name]
        if of_name:
            yield {
                "method": name,
                "seeds": len(of_name),
                "GARI": ranged([row["GARI"] for row in of_name]),
                "paper's GARI": f"{gari:.2f}",
                "stress": ranged([row["stress"] for row in of_name], ".3f"),
                "paper's stress": f"{stress:.2f}",
            }
