"""Figure 1: how the error of the map depends on the number of neighbours (two squares, n = 500)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate.plots import save_figure
from papers._common import Run, print_table
from papers.loe.experiment import recovered_graph

SHARES = (0.016, 0.024, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.96, 0.99)


def difference(points: np.ndarray, truth: np.ndarray) -> float:
    """Return the squared Frobenius distance to the truth after the best similarity."""
    return float(np.sum((od.metrics.procrustes_align(points, truth) - truth) ** 2))


def one_row(truth: np.ndarray, k: int, seed: int) -> dict[str, float]:
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
    truth = od.datasets.make_two_squares(n, random_state=run.seed).points
    with run.table("figure1", total=len(shares)) as table:
        for k in (round(share * n) for share in shares):
            table.row({"seed": run.seed, "n": n, "k": k}, lambda k=k: one_row(truth, k, run.seed))
    rows = table.found
    print_table(rows)
    print(
        "Paper: the error falls, stays about the same for a wide range of k, and rises at the end."
    )
    figure, ax = plt.subplots(figsize=(5, 3.4))
    ax.plot([row["k"] for row in rows], [row["difference"] for row in rows], "o-", ms=3)
    ax.set_xlabel("neighbours k")
    ax.set_ylabel("squared distance to the truth")
    ax.set_yscale("log")
    save_figure(ax, run.path("figure1.png"))
    plt.close(figure)
