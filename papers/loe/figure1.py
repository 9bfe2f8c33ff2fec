"""Figure 1: how the error of the map depends on the number of neighbours (two squares, n = 500)."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate.plots import save_figure
from papers._common import Row, Run, print_table, ranged
from papers.loe.experiment import recovered_graph

SHARES = (0.99, 0.016, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.024, 0.06, 0.15, 0.3, 0.5, 0.7, 0.96)
"""Of n, in the order in which they are measured: the ends of the curve first."""


def difference(points: np.ndarray, truth: np.ndarray) -> float:
    """Return the squared Frobenius distance to the truth after the best similarity."""
    return float(np.sum((od.metrics.procrustes_align(points, truth) - truth) ** 2))


def one_row(truth: np.ndarray, k: int, seed: int) -> Row:
    """Fit one graph."""
    graph = od.NeighborGraph.from_points(truth, k)
    model = od.LOE(2, random_state=seed).fit(graph)
    return {
        "comparisons": graph.n_comparisons,
        "difference": difference(model.embedding_, truth),
        "procrustes": od.metrics.procrustes_distance(model.embedding_, truth),
        "GARI": recovered_graph(graph, model.embedding_),
        "density": od.metrics.density_preservation(model.embedding_, truth),
    }


def main(run: Run) -> None:
    """Print and draw the error for each k."""
    n, shares = run.size((120, (0.07, 0.2, 0.5)), (500, SHARES))
    seeds = run.seeds(1, 10)
    with run.table("figure1", total=len(shares) * len(seeds)) as table:
        for k in (round(share * n) for share in shares):
            for seed in seeds:
                truth = od.datasets.make_two_squares(n, random_state=seed).points
                table.row(
                    {"seed": seed, "n": n, "k": k},
                    lambda truth=truth, k=k, seed=seed: one_row(truth, k, seed),
                )
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, "mean (minimum to maximum) over draws of 500 points", rows)
    print(
        "Paper: the error falls, stays about the same for a wide range of k, and rises at the end."
    )
    draw(run, table.found)


def page_rows(found: list[Row]) -> Iterator[Row]:
    """Yield both measures of each k."""
    for k in sorted({row["k"] for row in found}):
        of_k = [row for row in found if row["k"] == k]
        yield {
            "k": k,
            "draws": len(of_k),
            "difference": ranged([row["difference"] for row in of_k], ".3g"),
            "GARI": ranged([row["GARI"] for row in of_k]),
        }


def draw(run: Run, found: list[Row]) -> None:
    """Draw the error of each fit and the curve of the medians."""
    figure, ax = plt.subplots(figsize=(5, 3.4))
    ax.plot([row["k"] for row in found], [row["difference"] for row in found], ".", ms=3)
    ks = sorted({row["k"] for row in found})
    medians = [np.median([row["difference"] for row in found if row["k"] == k]) for k in ks]
    ax.plot(ks, medians, "-")
    ax.set_xlabel("neighbours k")
    ax.set_ylabel("squared distance to the truth")
    ax.set_yscale("log")
    save_figure(ax, run.path("figure1.png"))
    plt.close(figure)
