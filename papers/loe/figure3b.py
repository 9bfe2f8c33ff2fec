"""Figure 3(b): mixtures of 1500 points in five dimensions, drawn in two by every method."""

from __future__ import annotations

import numpy as np

import ordinate as od
from papers._common import Run, print_table
from papers.loe.baselines import DRAWN_FROM_GRAPH
from papers.loe.experiment import draw_and_measure, draw_maps, page_rows


def main(run: Run) -> None:
    """Measure the maps of all draws, and show those of the first."""
    n, k = run.size((200, 10), (1500, 14))
    make = od.datasets.make_mixture
    table, found = draw_and_measure(run, "figure3b", make, (n, k), DRAWN_FROM_GRAPH)
    rows = list(page_rows(table.found))
    print_table(rows)
    caption = f"mixture in five dimensions, {n} points, k = {k}: mean (range) over draws"
    run.page(table, caption, rows)
    data = make(n, random_state=run.seed)
    _, _, axes = np.linalg.svd(data.points - data.points.mean(axis=0), full_matrices=False)
    projected = data.points @ axes[:2].T
    aligned = {m: od.metrics.procrustes_align(points, projected) for m, points in found.items()}
    maps = {"original, projected": projected, **aligned}
    draw_maps(run.path("figure3b.png"), maps, np.asarray(data.labels), 3)
