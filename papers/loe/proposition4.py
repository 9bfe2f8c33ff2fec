"""Proposition 4: density and distances, estimated from an unweighted neighbour graph.

Points of a known density, uniform or falling from the middle, are joined to their k nearest. The
estimated reach r of a point gives the density up to a factor, 1 / r^p; shortest paths over edges as
long as the reach give the distances. Both are compared with the truth as n and k grow, k as n^0.6,
which the conditions of the proposition allow in two dimensions. A point near the border sees
neighbours on one side only, so the inner points are also judged by themselves.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

import ordinate as od
from ordinate.graphs.initialization import estimate_reach, path_lengths
from papers._common import Run, print_table

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


DENSITIES = {"uniform": uniform, "hill": hill}


def judge(points: np.ndarray, density: np.ndarray, k: int, rng: np.random.Generator) -> dict:
    """Compare estimates from the graph with the truth."""
    graph = od.NeighborGraph.from_points(points, k)
    reach = estimate_reach(graph, 2)
    inner = np.abs(points).max(axis=1) < 0.8
    errors = np.log(density) + 2 * np.log(reach)  # log f - log(1 / r^2): a constant if exact
    sources = rng.choice(len(points), min(N_SOURCES, len(points)), replace=False)
    found = path_lengths(graph, reach, sources)
    truth = cdist(points[sources], points)
    scale = float((found * truth).sum() / np.square(found).sum())
    varies = np.ptp(density) > 0
    return {
        "density rank correlation": spearmanr(density[inner], -reach[inner]).statistic
        if varies
        else "",
        "sd of log density error": float(errors.std()),
        "the same, inner points": float(errors[inner].std()),
        "largest distance error": float(np.abs(scale * found - truth).max()),
        "mean distance error": float(np.abs(scale * found - truth).mean()),
    }


def main(run: Run) -> None:
    """Print the errors for each density and size."""
    sizes = run.size((200, 500), (500, 1000, 2000, 5000, 10_000))
    with run.table("proposition4", total=len(DENSITIES) * len(sizes)) as table:
        for name, draw in DENSITIES.items():
            for n in sizes:
                rng = np.random.default_rng([run.seed, n])
                points, density = draw(n, rng)
                k = round(n**0.6)
                table.row(
                    {"seed": run.seed, "density": name, "n": n, "k": k},
                    lambda points=points, density=density, k=k, rng=rng: judge(
                        points, density, k, rng
                    ),
                )
    print_table(table.found)
    print("Paper: the distances converge uniformly (a proof; simulations in the supplement).")
