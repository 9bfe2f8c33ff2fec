"""What the figures of the LOE paper share: measures of a map, and maps side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate.plots import save_figure
from papers._common import Row, Run, Table, ranged

Method = Callable[[od.NeighborGraph, int], np.ndarray]
"""Draws a graph, from a seed."""


def recovered_graph(graph: od.NeighborGraph, embedding: np.ndarray) -> float:
    """Return the graph adjusted Rand index of a map."""
    return od.metrics.graph_adjusted_rand_index(graph.adjacency, embedding=embedding)


def measures(graph: od.NeighborGraph, embedding: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Measure a map against the graph it was made from and the points behind it."""
    k = int(np.median(graph.degrees))
    found = {
        "gari": recovered_graph(graph, embedding),
        "err": od.metrics.graph_error(graph, embedding=embedding),
        "knn_overlap": od.metrics.knn_overlap(embedding, truth, k),
        "density": od.metrics.density_preservation(embedding, truth),
    }
    same = truth.shape == embedding.shape
    found["procrustes"] = od.metrics.procrustes_distance(embedding, truth) if same else ""
    return found


def page_rows(found: list[Row], by: tuple[str, ...] = ("method",)) -> Iterator[Row]:
    """Yield the measures of each group of maps as a page shows them: mean and range over draws."""
    named = {"GARI": "gari", "Err": "err", "k-NN overlap": "knn_overlap", "density": "density"}
    if any(row["procrustes"] != "" for row in found):
        named["Procrustes"] = "procrustes"
    for key in dict.fromkeys(tuple(row[name] for name in by) for row in found):
        rows = [row for row in found if tuple(row[name] for name in by) == key]
        line = {**dict(zip(by, key, strict=True)), "draws": len(rows)}
        for title, name in named.items():
            form = ".2g" if name in ("err", "procrustes") else ".3f"
            line[title] = ranged([row[name] for row in rows], form)
        yield line


def draw_and_measure(
    run: Run,
    name: str,
    make: Callable[..., Any],
    sizes: tuple[int, int],
    methods: Mapping[str, Method],
) -> tuple[Table, dict[str, np.ndarray]]:
    """Measure the maps of five draws of points; return also those of the first draw.

    `make` draws n points, and each method draws the graph of their k nearest neighbours.
    """
    n, k = sizes
    seeds = run.seeds(1, 5)
    with run.table(name, total=len(seeds) * len(methods)) as table:
        for seed in seeds:
            truth = make(n, random_state=seed).points
            graph = od.NeighborGraph.from_points(truth, k)
            for method, draw in methods.items():

                def measured(draw=draw, graph=graph, truth=truth, seed=seed, method=method) -> Row:
                    begin = time.process_time()
                    points = draw(graph, seed)
                    seconds = time.process_time() - begin
                    if seed == run.seed:
                        np.save(run.path(f"{name}-{method}.npy"), points)
                    return {**measures(graph, points, truth), "processor seconds": seconds}

                table.row({"seed": seed, "n": n, "k": k, "method": method}, measured)
    files = {method: run.path(f"{name}-{method}.npy") for method in methods}
    return table, {method: np.load(file) for method, file in files.items() if file.exists()}


def draw_maps(
    path: Path,
    maps: dict[str, np.ndarray],
    colours: np.ndarray,
    n_columns: int = 4,
    graph: od.NeighborGraph | None = None,
) -> None:
    """Draw maps side by side, each object in the same colour in all, with a graph's edges."""
    n_rows = -(-len(maps) // n_columns)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(2.6 * n_columns, 2.7 * n_rows), squeeze=False
    )
    size = min(14.0, 4000 / len(colours))
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, (title, points) in zip(axes.flat, maps.items(), strict=False):
        if graph is not None:
            heads = np.repeat(np.arange(graph.n_objects), graph.degrees)
            for i, j in zip(heads, graph.indices, strict=True):
                ax.plot(*points[[i, j], :2].T, color="0.7", linewidth=0.8, zorder=0)
        ax.scatter(*points[:, :2].T, c=colours, s=size, cmap="viridis", linewidths=0)
        ax.set_title(title + _frame(ax, points[:, :2]), fontsize=10)
        ax.set_aspect("equal")
    figure.tight_layout()
    save_figure(axes[0, 0], path)
    plt.close(figure)


def _frame(ax: Any, points: np.ndarray) -> str:
    """Show all points but far outliers, which would shrink the rest; say how many those are."""
    low, high = np.quantile(points, [0.005, 0.995], axis=0)
    margin = 0.6 * (high - low).max()
    ax.set_xlim(*np.clip(np.quantile(points[:, 0], [0, 1]), low[0] - margin, high[0] + margin))
    ax.set_ylim(*np.clip(np.quantile(points[:, 1], [0, 1]), low[1] - margin, high[1] + margin))
    outside = (points < low - margin).any(axis=1) | (points > high + margin).any(axis=1)
    return f" ({outside.sum()} outside)" if outside.any() else ""
