"""LOE, Figure 5: 50 iterations of majorisation, dense BFGS and steepest descent.

R's ``optim``, which the authors call, keeps a dense matrix of all coordinates; the library's L-BFGS
keeps ten vectors.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import ordinate as od
from ordinate.graphs.objective import LocalObjective
from papers._common import Row, Run, print_table, ranged
from papers.loe.figure5 import N_ITER, SOLVERS, fifty_iterations, graph_of, seconds

Points = NDArray[np.float64]
NAMES = {"LOE-MM": "LOE-MM", "LOE-BFGS": "LOE-BFGS, limited memory", "LOE-SD": "LOE-SD"}


def dense_bfgs(graph: od.NeighborGraph, start: Points) -> None:
    """Go a way down with a dense inverse Hessian, as R's variable metric method does.

    A step is cut to a fifth until the loss falls; updates cost the square of the
    number of coordinates. SciPy's BFGS, which multiplies whole matrices, would cost the cube.
    """
    objective = LocalObjective(graph.indptr, graph.indices, n_threads=1)
    points = start / 0.1
    value, gradient = objective(points)
    inverse = np.eye(points.size)
    for _ in range(N_ITER):
        direction = -(inverse @ gradient.ravel()).reshape(points.shape)
        slope, step = float(np.sum(direction * gradient)), 1.0
        trial = points + direction
        new_value, new_gradient = objective(trial)
        while new_value > value + 1e-4 * step * slope and step > 1e-12:
            step *= 0.2
            trial = points + step * direction
            new_value, new_gradient = objective(trial)
        moved, turned = (trial - points).ravel(), (new_gradient - gradient).ravel()
        points, value, gradient = trial, new_value, new_gradient
        curvature = float(moved @ turned)
        if curvature <= 0:
            inverse = np.eye(points.size)
            continue
        product = inverse @ turned
        cross = np.outer(moved, product)
        inverse += (
            (1 + float(product @ turned) / curvature) * np.outer(moved, moved) - cross - cross.T
        ) / curvature


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield mean and range over draws, a column for each size."""
    for method in dict.fromkeys(row["method"] for row in rows):
        line: Row = {"method": method}
        for n in dict.fromkeys(row["n"] for row in rows):
            found = [row["seconds"] for row in rows if (row["method"], row["n"]) == (method, n)]
            line |= {"draws": len(found), f"{n:,}": ranged(found, ".2f")}
        yield line


def main(run: Run) -> None:
    """Time the solvers one after another: times of fits side by side say nothing."""
    sizes, seeds = run.size((50,), (200, 500, 1000, 2000)), run.seeds(1, 5)
    start = np.random.default_rng(0).normal(size=(30, 2))
    for solver in SOLVERS.values():  # compile before the clock starts
        fifty_iterations(graph_of(30, 0), solver, start)
    with run.table("loe_dense_bfgs", total=len(sizes) * len(seeds) * 4) as table:
        for seed in seeds:
            for n in sizes:
                graph, start = graph_of(n, seed), np.random.default_rng(seed).normal(size=(n, 2))
                acts = {
                    NAMES[name]: lambda solver=solver, graph=graph, start=start: fifty_iterations(
                        graph, solver, start
                    )
                    for name, solver in SOLVERS.items()
                }
                acts["LOE-BFGS, dense"] = lambda graph=graph, start=start: dense_bfgs(graph, start)
                for method, act in acts.items():
                    key = {"n": n, "method": method, "seed": seed}
                    table.row(key, lambda act=act: seconds(act))
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, f"processor seconds of {N_ITER} iterations: mean (range), by objects", lines)
