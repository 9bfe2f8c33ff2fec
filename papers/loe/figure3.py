"""Figure 3: mixtures of three Gaussians in five dimensions, drawn in two by every method."""

from __future__ import annotations

import numpy as np
from baselines import DRAWN_FROM_GRAPH, gnmds, random
from experiment import arguments, draw_maps, measures, print_table, write_rows

import ordinate as od

FEW = 10
"""Data sets for GNMDS, as many as the paper managed."""


def small_data_sets(n_sets: int) -> list[dict[str, object]]:
    """Measure every method on many data sets of 90 objects."""
    methods = {"RND": random, **DRAWN_FROM_GRAPH, "GNMDS": gnmds}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in methods}
    for seed in range(n_sets):
        points = od.datasets.make_mixture(90, random_state=seed).points
        graph = od.NeighborGraph.from_points(points, 8)
        for name, draw in methods.items():
            if name != "GNMDS" or seed < FEW:
                found[name].append(measures(graph, draw(graph, seed), points))
    rows: list[dict[str, object]] = []
    for name, results in found.items():
        row: dict[str, object] = {"method": name, "data sets": len(results)}
        for measure in ("gari", "err", "density"):
            values = [result[measure] for result in results]
            row[measure] = float(np.mean(values))
            row[f"{measure} sd"] = float(np.std(values))
        rows.append(row)
    return rows


def main() -> None:
    """Print mean measures, and draw one larger data set."""
    chosen = arguments(__doc__)
    rows = small_data_sets(2 if chosen.quick else chosen.sets)
    print_table(rows)
    print("Paper: LOE and t-SNE have the highest GARI (a plot without numbers).")
    write_rows(chosen.output / "figure3a", rows)
    n, k = (200, 10) if chosen.quick else (1500, 14)
    data = od.datasets.make_mixture(n, random_state=0)
    graph = od.NeighborGraph.from_points(data.points, k)
    _, _, axes = np.linalg.svd(data.points - data.points.mean(axis=0), full_matrices=False)
    maps = {"original, projected": data.points @ axes[:2].T}
    rows = []
    for name, draw in DRAWN_FROM_GRAPH.items():
        points = draw(graph, 0)
        maps[name] = od.metrics.procrustes_align(points, maps["original, projected"])
        rows.append({"n": n, "k": k, "method": name, **measures(graph, points, data.points)})
    print_table(rows)
    write_rows(chosen.output / "figure3b", rows)
    draw_maps(chosen.output / "figure3b.png", maps, np.asarray(data.labels), 3)


if __name__ == "__main__":
    main()
