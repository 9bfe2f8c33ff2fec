"""What the start is worth: LOE, and plain L-BFGS from the Laplacian start the paper suggests."""

from __future__ import annotations

from itertools import product

import numpy as np

import ordinate as od
from ordinate.graphs.objective import LocalObjective
from ordinate.solvers.lbfgs import lbfgs
from papers._common import Run, print_table
from papers.loe.baselines import laplacian_eigenmaps
from papers.loe.experiment import measures, page_rows

MAX_ITER = 500


def package_start(graph: od.NeighborGraph) -> np.ndarray:
    """Return where the authors' R package begins: eigenvectors of the Laplacian of the arcs.

    It means to make the matrix symmetric, but does not; of complex eigenvectors the real parts
    remain. Dense, so for a few hundred objects.
    """
    arcs = np.zeros((graph.n_objects,) * 2)
    arcs[np.repeat(np.arange(graph.n_objects), np.diff(graph.indptr)), graph.indices] = 1.0
    values, vectors = np.linalg.eig(np.diag(arcs.sum(axis=1)) - arcs)
    return vectors[:, np.argsort(-np.abs(values), kind="stable")[-3:-1]].real


def from_start(graph: od.NeighborGraph, start: np.ndarray) -> np.ndarray:
    """Minimise the stress from a start, at the scale where it is lowest."""
    objective = LocalObjective(graph.indptr, graph.indices, n_threads=1)
    start = (start - start.mean(axis=0)) / start.std()
    scales = np.geomspace(0.1, 1000, 41)
    best = min(scales, key=lambda scale: objective(scale * start)[0])
    return lbfgs(objective, best * start, max_iter=MAX_ITER, tol=1e-6).points


def main(run: Run) -> None:
    """Measure both maps of two dense squares for several n."""
    sizes, seeds = run.size((200,), (500, 2000, 5000)), run.seeds(1, 5)
    methods = {
        "LOE": lambda graph, seed: od.LOE(2, random_state=seed).fit(graph).embedding_,
        "Laplacian start": lambda graph, seed: from_start(graph, laplacian_eigenmaps(graph, 0)),
        "start of the R package": lambda graph, seed: from_start(graph, package_start(graph)),
    }
    with run.table("starts", total=len(sizes) * len(seeds) * len(methods)) as table:
        for n, seed in product(sizes, seeds):
            truth = od.datasets.make_two_squares(n, random_state=seed).points
            graph = od.NeighborGraph.from_points(truth, int(2 * np.log(n)))
            for name, draw in methods.items():
                if draw is methods["start of the R package"] and n > 500:  # dense
                    continue
                table.row(
                    {"seed": seed, "n": n, "method": name},
                    lambda draw=draw, graph=graph, truth=truth, seed=seed: measures(
                        graph, draw(graph, seed), truth
                    ),
                )
    rows = list(page_rows(table.found, ("n", "method")))
    print_table(rows)
    caption = "two squares by LOE, and by L-BFGS from the Laplacian start: mean (range) over draws"
    run.page(table, caption, rows)
