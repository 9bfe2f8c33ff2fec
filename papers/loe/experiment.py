"""What the figures share: arguments, graphs, measures, and tables beside the paper's numbers."""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.plots import save_figure


def arguments(description: str | None) -> argparse.Namespace:
    """Read the command line that all figures understand."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a small version, in seconds")
    parser.add_argument("--output", type=Path, default=Path("results/loe"), help="folder")
    parser.add_argument("--sets", type=int, default=100, help="data sets of figure 3")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", ConvergenceWarning)
    return chosen


def recovered_graph(graph: od.NeighborGraph, embedding: np.ndarray) -> float:
    """Return the graph adjusted Rand index of a map."""
    return od.metrics.graph_adjusted_rand_index(graph.adjacency, embedding=embedding)


def wrong_entries(graph: od.NeighborGraph, gari: float) -> float:
    """Return Err, the share of wrong entries of the adjacency matrix, which the index rescales."""
    n, k = graph.n_objects, graph.degrees
    return (1 - gari) * float((2 * k * (n - 1 - k)).sum()) / (n - 1) / (n * (n - 1))


def measures(graph: od.NeighborGraph, embedding: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Measure a map against the graph it was made from and the points behind it."""
    gari = recovered_graph(graph, embedding)
    k = int(np.median(graph.degrees))
    found = {
        "gari": gari,
        "err": wrong_entries(graph, gari),
        "knn_overlap": od.metrics.knn_overlap(embedding, truth, k),
        "density": od.metrics.density_preservation(embedding, truth),
    }
    if truth.shape == embedding.shape:
        found["procrustes"] = od.metrics.procrustes_distance(embedding, truth)
    return found


def print_table(rows: Iterable[dict[str, Any]]) -> None:
    """Print rows under their common header."""
    rows = list(rows)
    header = list(rows[0])
    cells = [header] + [[_cell(row.get(name)) for name in header] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for row in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as CSV and as JSON."""
    with path.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), restval="")
        writer.writeheader()
        writer.writerows(rows)
    path.with_suffix(".json").write_text(json.dumps(rows, indent=2) + "\n")


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
