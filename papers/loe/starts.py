"""What the start is worth: LOE, and plain L-BFGS from the Laplacian start the paper suggests."""

from __future__ import annotations

import numpy as np
from baselines import laplacian_eigenmaps
from experiment import arguments, measures, print_table, write_rows

import ordinate as od
from ordinate.graphs.objective import LocalObjective
from ordinate.solvers.lbfgs import lbfgs

MAX_ITER = 500


def from_laplacian(graph: od.NeighborGraph) -> np.ndarray:
    """Minimise the stress from Laplacian eigenmaps, at the scale where it is lowest."""
    objective = LocalObjective(graph.indptr, graph.indices, n_threads=2)
    start = laplacian_eigenmaps(graph, 0)
    start = (start - start.mean(axis=0)) / start.std()
    scales = np.geomspace(0.1, 1000, 41)
    best = min(scales, key=lambda scale: objective(scale * start)[0])
    return lbfgs(objective, best * start, max_iter=MAX_ITER, tol=1e-6).points


def main() -> None:
    """Measure both maps of two dense squares for several n."""
    chosen = arguments(__doc__)
    rows = []
    for n in (200,) if chosen.quick else (500, 2000, 5000):
        truth = od.datasets.make_two_squares(n, random_state=0).points
        graph = od.NeighborGraph.from_points(truth, int(2 * np.log(n)))
        maps = {
            "LOE": od.LOE(2, random_state=0).fit(graph).embedding_,
            "Laplacian start": from_laplacian(graph),
        }
        for name, points in maps.items():
            rows.append({"n": n, "method": name, **measures(graph, points, truth)})
    print_table(rows)
    write_rows(chosen.output / "starts", rows)


if __name__ == "__main__":
    main()
