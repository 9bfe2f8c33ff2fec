"""Theorem 3: LOE recovers the points as n grows, with k as the theorem demands.

Points of a square, uniform or denser in the middle, are joined to their k nearest and placed again
by LOE from that graph alone. The theorem asks for k / n → 0 and k^4 / (n² log² n) → ∞ in two
dimensions, which n^0.6 and n^0.75 meet; a fixed k and k of the order log n do not. The error is
the mean distance to the truth after the best similarity, in units of the square's half side.
"""

from __future__ import annotations

import numpy as np

import ordinate as od
from papers._common import Run, print_table, summarise
from papers.loe.proposition4 import DENSITIES

GROWTH = {
    "10": lambda n: 10,
    "3 log n": lambda n: round(3 * np.log(n)),
    "n^0.6": lambda n: round(n**0.6),
    "n^0.75": lambda n: round(n**0.75),
}


def recovered(points: np.ndarray, k: int, seed: int) -> dict[str, float]:
    """Place points again from their neighbour graph."""
    model = od.LOE(2, random_state=seed).fit(od.NeighborGraph.from_points(points, k))
    aligned = od.metrics.procrustes_align(model.embedding_, points)
    return {
        "error": float(np.linalg.norm(aligned - points, axis=1).mean()),
        "procrustes": od.metrics.procrustes_distance(model.embedding_, points),
    }


def main(run: Run) -> None:
    """Print the error for each growth of k."""
    sizes = run.size((50, 100), (250, 500, 1000, 2000, 4000))
    with run.table("theorem3") as table:
        for seed in run.seeds(1, 5):
            for name, draw in DENSITIES.items():
                for n in sizes:
                    points, _ = draw(n, np.random.default_rng([seed, n]))
                    for growth, k in GROWTH.items():
                        given = points, k(n), seed
                        table.row(
                            {"density": name, "k": growth, "n": n, "seed": seed},
                            lambda given=given: recovered(*given),
                        )
    rows = summarise(table.found, ["density", "k", "n"], ["error", "procrustes"])
    print_table(rows)
    run.page(table, "LOE: mean distance to the truth, in units of the square's half side", rows)
    print("Paper: the error tends to 0 if k grows fast enough (a proof).")
