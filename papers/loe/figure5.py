"""Figure 5: the time that 50 iterations take, by solver and size, beside other methods.

GNMDS and SPE have as many, up to the sizes that they manage; drawing by the other methods is not
cut off, as their libraries count other things. Times are processor seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate.plots import save_figure
from papers._common import Row, Run, print_table
from papers.loe.baselines import DRAWN_FROM_GRAPH, searched_gnmds, structure_preserving_embedding

SOLVERS = {"LOE-MM": "majorize", "LOE-SD": "steepest", "LOE-BFGS": "lbfgs"}
N_ITER = 50
OTHERS = {
    **{name: draw for name, draw in DRAWN_FROM_GRAPH.items() if name != "LOE"},
    "GNMDS": lambda graph, seed: searched_gnmds(graph, [1.0], N_ITER),
    "SPE": lambda graph, seed: structure_preserving_embedding(graph, max_iter=N_ITER),
}
LARGEST = {"GNMDS": 200, "SPE": 200}


def seconds(act: Callable[[], object]) -> dict[str, float]:
    """Measure the processor time of an act."""
    begin = time.process_time()
    act()
    return {"seconds": time.process_time() - begin}


def fifty_iterations(graph: od.NeighborGraph, solver: str, start: np.ndarray) -> None:
    """Go a way down from a given start."""
    model = od.LOE(2, delta=0.1, solver=solver, init=start, n_init=1, max_iter=N_ITER, tol=0.0)
    model.set_params(n_jobs=1).fit(graph)


def graph_of(n: int, seed: int) -> od.NeighborGraph:
    """Join the points of a mixture to 2 log n neighbours."""
    points = od.datasets.make_mixture(n, random_state=seed).points
    return od.NeighborGraph.from_points(points, round(2 * np.log(n)))


def page_rows(rows: list[Row]) -> list[Row]:
    """Return a row for each method, a column for each size."""
    lines: dict[str, Row] = {}
    for row in rows:
        line = lines.setdefault(row["method"], {"method": row["method"]})
        line[f"{row['n']:,}"] = f"{float(format(row['seconds'], '.2g')):g}"
    return list(lines.values())


def main(run: Run) -> None:
    """Print and draw the times from a random start, as the paper's."""
    sizes = run.size((50, 100), (100, 200, 500, 1000, 2000, 3000, 5000))
    for solver in SOLVERS.values():  # compile before the clock starts
        fifty_iterations(graph_of(30, 0), solver, np.random.default_rng(0).normal(size=(30, 2)))
    others = {name: draw for name, draw in OTHERS.items() if not (run.quick and name in LARGEST)}
    with run.table("figure5", total=len(sizes) * (len(SOLVERS) + len(others))) as table:
        for n in sizes:
            graph = graph_of(n, run.seed)
            start = np.random.default_rng(run.seed).standard_normal((n, 2))
            key = {"seed": run.seed, "n": n}
            for name, solver in SOLVERS.items():
                table.row(
                    {**key, "method": name},
                    lambda solver=solver, graph=graph, start=start: seconds(
                        lambda: fifty_iterations(graph, solver, start)
                    ),
                )
            for name, draw in others.items():
                if n <= LARGEST.get(name, n):
                    table.row(
                        {**key, "method": name},
                        lambda draw=draw, graph=graph: seconds(lambda: draw(graph, run.seed)),
                    )
    print_table(table.found)
    print("Paper: MM is the fastest of the three (a plot without numbers).")
    run.page(table, "processor seconds, by the number of objects", page_rows(table.found))
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    for name in (*SOLVERS, *others):
        rows = [row for row in table.found if row["method"] == name]
        ax.loglog(
            [row["n"] for row in rows], [row["seconds"] for row in rows], "o-", ms=3, label=name
        )
    ax.set_xlabel("objects")
    ax.set_ylabel(f"processor seconds; LOE: {N_ITER} iterations")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    save_figure(ax, run.path("figure5.png"))
    plt.close(figure)
