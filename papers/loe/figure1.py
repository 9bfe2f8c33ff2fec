"""Figure 1: how the error of the map depends on the number of neighbours (two squares, n = 500)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from experiment import arguments, print_table, recovered_graph, write_rows

import ordinate as od
from ordinate.plots import save_figure


def difference(points: np.ndarray, truth: np.ndarray) -> float:
    """Return the squared Frobenius distance to the truth after the best similarity."""
    return float(np.sum((od.metrics.procrustes_align(points, truth) - truth) ** 2))


def one_row(truth: np.ndarray, k: int) -> dict[str, float]:
    """Fit one graph."""
    graph = od.NeighborGraph.from_points(truth, k)
    model = od.LOE(2, random_state=0).fit(graph)
    return {
        "k": k,
        "comparisons": graph.n_comparisons,
        "difference": difference(model.embedding_, truth),
        "procrustes": od.metrics.procrustes_distance(model.embedding_, truth),
        "GARI": recovered_graph(graph, model.embedding_),
        "density": od.metrics.density_preservation(model.embedding_, truth),
    }


def main() -> None:
    """Print and draw the error for each k."""
    chosen = arguments(__doc__)
    n = 150 if chosen.quick else 500
    shares = (0.05, 0.2, 0.5) if chosen.quick else (
        *(0.016, 0.024, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.96, 0.99),
    )  # fmt: skip
    truth = od.datasets.make_two_squares(n, random_state=0).points
    rows = [one_row(truth, round(share * n)) for share in shares]
    print_table(rows)
    print(
        "Paper: the error falls, stays about the same for a wide range of k, and rises at the end."
    )
    write_rows(chosen.output / "figure1", rows)
    figure, ax = plt.subplots(figsize=(5, 3.4))
    ax.plot([row["k"] for row in rows], [row["difference"] for row in rows], "o-", ms=3)
    ax.set_xlabel("neighbours k")
    ax.set_ylabel("squared distance to the truth")
    ax.set_yscale("log")
    save_figure(ax, chosen.output / "figure1.png")
    plt.close(figure)


if __name__ == "__main__":
    main()
