"""Proposition 4: density and distances, estimated from an unweighted neighbour graph.

Points of a known density, uniform or falling from the middle, are joined to their k nearest. The
estimated reach r of a point gives the density up to a factor, 1 / r^p; shortest paths over edges as
long as the reach give the distances. Both are compared with the truth as n and k grow, k as n^0.6
and n^0.75. The conditions of the proposition in two dimensions, k / n → 0 and
k^4 / (n² log² n) → ∞, allow both, but with n^0.6 the second ratio is below 1 up to 100,000 points.
A point near the border has neighbours on one side only, so inner points are also judged alone.

The reach that LOE starts from does not estimate a smooth density consistently. It regresses on all
edges, but only those near the rim of a neighbourhood have a direction, and across the rim the reach
changes most. For a wave of the log reach its answer is too large by (1 − s) / (1 − b), the means of
the wave over a sphere and over a ball: by (p + 2) / p for long waves, by nothing for noise. With
1 − s ≈ (1 − b)(1 + 2 b / p), and b the mean over the neighbours, `smooth_log_reach` corrects it.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import eye_array
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import gmres
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

import ordinate as od
from ordinate.graphs.initialization import estimate_reach, reach_lengths
from papers._common import Run, print_table, summarise

N_COMPONENTS = 2
N_SOURCES = 50
"""Points from which shortest paths are followed."""


def uniform(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw points of a square, and return the density at them."""
    return rng.uniform(-1, 1, (n, 2)), np.full(n, 0.25)


def hill(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw points of a square of which the middle is five times as dense as the corners."""
    points = rng.uniform(-1, 1, (20 * n, 2))
    height = 1 + 4 * np.prod(np.cos(np.pi * points / 2) ** 2, axis=1)
    chosen = np.flatnonzero(rng.random(len(points)) < height / 5)[:n]
    return points[chosen], height[chosen] / 8  # its integral over the square is 8


EXPONENTS = (0.6, 0.75)
DENSITIES = {"uniform": uniform, "hill": hill}


def smooth_log_reach(graph: od.NeighborGraph, reach: np.ndarray) -> np.ndarray:
    """Return the log of the reach such that it converges for a smooth density."""
    adjacency = graph.adjacency.astype(np.float64).tocsr()
    mean_over_neighbors = adjacency.multiply(1 / adjacency.sum(axis=1)[:, None]).tocsr()
    system = eye_array(graph.n_objects) + 2 / N_COMPONENTS * mean_over_neighbors
    return gmres(system.tocsr(), np.log(reach), rtol=1e-4)[0]


def judge(points: np.ndarray, density: np.ndarray, k: int, rng: np.random.Generator) -> dict:
    """Compare estimates from the graph with the truth."""
    graph = od.NeighborGraph.from_points(points, k)
    reach = estimate_reach(graph, N_COMPONENTS)
    inner = np.abs(points).max(axis=1) < 0.8

    def errors(log_reach: np.ndarray) -> np.ndarray:
        """Return log f − log(1 / r^2), which is a constant if exact."""
        return np.log(density) + N_COMPONENTS * log_reach

    of_start, of_smooth = errors(np.log(reach)), errors(smooth_log_reach(graph, reach))
    varies = np.ptp(density) > 0
    rank_correlation = spearmanr(density[inner], -reach[inner]).statistic if varies else np.nan
    sources = rng.choice(len(points), min(N_SOURCES, len(points)), replace=False)
    found = dijkstra(reach_lengths(graph, reach), indices=sources)
    truth = cdist(points[sources], points)
    scale = float((found * truth).sum() / np.square(found).sum())
    return {
        "sd of log density error": float(of_smooth.std()),
        "inner points": float(of_smooth[inner].std()),
        "start's reach, inner points": float(of_start[inner].std()),
        "largest distance error": float(np.abs(scale * found - truth).max()),
        "mean distance error": float(np.abs(scale * found - truth).mean()),
        "density rank correlation": rank_correlation,
    }


def main(run: Run) -> None:
    """Print the errors for each density, size and exponent."""
    sizes = run.size((200, 500), (500, 1000, 2000, 5000, 10_000))
    with run.table("proposition4") as table:
        for seed in run.seeds(1, 5):
            for name, draw in DENSITIES.items():
                for n in sizes:
                    for exponent in EXPONENTS:
                        rng = np.random.default_rng([seed, n])
                        points, density = draw(n, rng)
                        given = points, density, round(n**exponent), rng
                        table.row(
                            {"density": name, "k": f"n^{exponent}", "n": n, "seed": seed},
                            lambda given=given: judge(*given),
                        )
    measured = [name for name in table.found[0] if name not in ("density", "k", "n", "seed")]
    rows = summarise(table.found, ["density", "k", "n"], measured)
    print_table(rows)
    run.page(table, "errors of density and distances from the graph; a square of side 2", rows)
    print("Paper: the distances converge uniformly (a proof; simulations in the supplement).")
