"""Figure 3(b): one mixture of 1500 points in five dimensions, drawn in two by every method."""

from __future__ import annotations

import numpy as np

import ordinate as od
from papers._common import Run, print_table
from papers.loe.baselines import DRAWN_FROM_GRAPH
from papers.loe.experiment import draw_maps, measures, shown


def main(run: Run) -> None:
    """Measure and draw the maps."""
    n, k = run.size((200, 10), (1500, 14))
    data = od.datasets.make_mixture(n, random_state=run.seed)
    graph = od.NeighborGraph.from_points(data.points, k)
    _, _, axes = np.linalg.svd(data.points - data.points.mean(axis=0), full_matrices=False)
    maps = {"original, projected": data.points @ axes[:2].T}
    with run.table("figure3b", total=len(DRAWN_FROM_GRAPH)) as table:
        for name, draw in DRAWN_FROM_GRAPH.items():
            points = run.points(f"figure3b-{n}-{name}", lambda draw=draw: draw(graph, run.seed))
            maps[name] = od.metrics.procrustes_align(points, maps["original, projected"])
            table.row(
                {"seed": run.seed, "n": n, "k": k, "method": name},
                lambda points=points: measures(graph, points, data.points),
            )
    print_table(table.found)
    caption = f"mixture in five dimensions, {n} points, k = {k}, one draw"
    run.page(table, caption, (shown(row) for row in table.found))
    draw_maps(run.path("figure3b.png"), maps, np.asarray(data.labels), 3)
