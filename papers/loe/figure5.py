"""Figure 5: the time that 50 iterations take, by solver and number of objects."""

from __future__ import annotations

import time

import matplotlib.pyplot as plt
import numpy as np
from experiment import arguments, print_table, write_rows

import ordinate as od
from ordinate.plots import save_figure

SOLVERS = {"LOE-MM": "majorize", "LOE-SD": "steepest", "LOE-BFGS": "lbfgs"}
N_ITER = 50


def seconds(graph: od.NeighborGraph, solver: str, start: np.ndarray) -> float:
    """Time 50 iterations from a given start."""
    model = od.LOE(2, delta=0.1, solver=solver, init=start, n_init=1, max_iter=N_ITER, tol=0.0)
    begin = time.perf_counter()
    model.fit(graph)
    return time.perf_counter() - begin


def main() -> None:
    """Print and draw the times from a random start, as the paper's."""
    chosen = arguments(__doc__)
    rows = []
    for n in (50, 100) if chosen.quick else (100, 200, 500, 1000, 2000, 3000, 5000):
        points = od.datasets.make_mixture(n, random_state=0).points
        graph = od.NeighborGraph.from_points(points, round(2 * np.log(n)))
        start = np.random.default_rng(0).standard_normal((n, 2))
        if not rows:
            for solver in SOLVERS.values():  # compile before the clock starts
                seconds(graph, solver, start)
        times = {name: seconds(graph, solver, start) for name, solver in SOLVERS.items()}
        rows.append({"n": n, **times})
        print_table(rows[-1:])
    print_table(rows)
    print("Paper: MM is the fastest of the three (a plot without numbers).")
    write_rows(chosen.output / "figure5", rows)
    figure, ax = plt.subplots(figsize=(5, 3.4))
    for name in SOLVERS:
        ax.loglog([row["n"] for row in rows], [row[name] for row in rows], "o-", ms=3, label=name)
    ax.set_xlabel("objects")
    ax.set_ylabel(f"seconds for {N_ITER} iterations")
    ax.legend()
    save_figure(ax, chosen.output / "figure5.png")
    plt.close(figure)


if __name__ == "__main__":
    main()
