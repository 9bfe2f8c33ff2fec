"""Figure 2: two dense squares drawn from their neighbour graph by every method."""

from __future__ import annotations

import ordinate as od
from papers._common import Run, print_table
from papers.loe.baselines import DRAWN_FROM_GRAPH
from papers.loe.experiment import draw_and_measure, draw_maps, page_rows


def one_size(run: Run, n: int, k: int) -> None:
    """Measure the maps of all draws, and show those of the first."""
    make = od.datasets.make_two_squares
    table, found = draw_and_measure(run, f"figure2-{n}", make, (n, k), DRAWN_FROM_GRAPH)
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, f"two squares, {n} points, k = {k}: mean (range) over draws", rows)
    truth = make(n, random_state=run.seed).points
    aligned = {m: od.metrics.procrustes_align(points, truth) for m, points in found.items()}
    maps = {"original": truth, **aligned}
    draw_maps(run.path(f"figure2-{n}.png"), maps, truth[:, 0] + 0.3 * truth[:, 1], 3)


def main(run: Run) -> None:
    """Measure and draw the maps of both graphs."""
    for n, k in run.size([(200, 20)], [(2000, 204), (5000, 17)]):
        one_size(run, n, k)
    print("Paper: LOE is the only method that keeps the density (no numbers are given).")
