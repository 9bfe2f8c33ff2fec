"""What the figures of the LOE paper share: measures of a map, and maps side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate.plots import save_figure
from papers._common import Row


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


def shown(row: Row) -> Row:
    """Return the measures of one map as a page shows them."""
    named = {"GARI": "gari", "Err": "err", "k-NN overlap": "knn_overlap", "density": "density"}
    line = {"method": row["method"], **{title: row[name] for title, name in named.items()}}
    return line | ({"Procrustes": row["procrustes"]} if row["procrustes"] != "" else {})


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
