"""What the start is worth: LOE, and plain L-BFGS from the Laplacian start the paper suggests."""

from __future__ import annotations

import numpy as np

import ordinate as od
from ordinate.graphs.objective import LocalObjective
from ordinate.solvers.lbfgs import lbfgs
from papers._common import Run, print_table
from papers.loe.baselines import laplacian_eigenmaps
from papers.loe.experiment import measures, shown

MAX_ITER = 500


def from_laplacian(graph: od.NeighborGraph) -> np.ndarray:
    """Minimise the stress from Laplacian eigenmaps, at the scale where it is lowest."""
    objective = LocalObjective(graph.indptr, graph.indices, n_threads=2)
    start = laplacian_eigenmaps(graph, 0)
    start = (start - start.mean(axis=0)) / start.std()
    scales = np.geomspace(0.1, 1000, 41)
    best = min(scales, key=lambda scale: objective(scale * start)[0])
    return lbfgs(objective, best * start, max_iter=MAX_ITER, tol=1e-6).points


def main(run: Run) -> None:
    """Measure both maps of two dense squares for several n."""
    sizes = run.size((200,), (500, 2000, 5000))
    methods = {
        "LOE": lambda graph: od.LOE(2, random_state=run.seed).fit(graph).embedding_,
        "Laplacian start": from_laplacian,
    }
    with run.table("starts", total=2 * len(sizes)) as table:
        for n in sizes:
            truth = od.datasets.make_two_squares(n, random_state=run.seed).points
            graph = od.NeighborGraph.from_points(truth, int(2 * np.log(n)))
            for name, draw in methods.items():
                table.row(
                    {"seed": run.seed, "n": n, "method": name},
                    lambda draw=draw, graph=graph, truth=truth: measures(graph, draw(graph), truth),
                )
    print_table(table.found)
    caption = "two squares by LOE, and by L-BFGS from the Laplacian start, one draw each"
    run.page(table, caption, ({"n": row["n"], **shown(row)} for row in table.found))
