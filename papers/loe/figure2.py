"""Figure 2: two dense squares drawn from their neighbour graph by every method."""

from __future__ import annotations

import time

import ordinate as od
from papers._common import Run, print_table
from papers.loe.baselines import DRAWN_FROM_GRAPH
from papers.loe.experiment import draw_maps, measures, shown


def one_size(run: Run, n: int, k: int) -> None:
    """Measure and draw the maps of one graph."""
    truth = od.datasets.make_two_squares(n, random_state=run.seed).points
    graph = od.NeighborGraph.from_points(truth, k)
    maps = {"original": truth}
    with run.table(f"figure2-{n}", total=len(DRAWN_FROM_GRAPH)) as table:
        for name, draw in DRAWN_FROM_GRAPH.items():
            begin = time.process_time()
            points = run.points(f"figure2-{n}-{name}", lambda draw=draw: draw(graph, run.seed))
            seconds = time.process_time() - begin
            maps[name] = od.metrics.procrustes_align(points, truth)
            table.row(
                {"seed": run.seed, "n": n, "k": k, "method": name},
                lambda points=points, seconds=seconds: {
                    **measures(graph, points, truth),
                    "processor seconds": seconds,
                },
            )
    print_table(table.found)
    caption = f"two squares, {n} points, k = {k}, one draw"
    run.page(table, caption, (shown(row) for row in table.found))
    draw_maps(run.path(f"figure2-{n}.png"), maps, truth[:, 0] + 0.3 * truth[:, 1], 3)


def main(run: Run) -> None:
    """Measure and draw the maps of both graphs."""
    for n, k in run.size([(200, 20)], [(2000, 204), (5000, 17)]):
        one_size(run, n, k)
    print("Paper: LOE is the only method that keeps the density (no numbers are given).")
