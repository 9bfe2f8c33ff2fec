"""Figure 3(a): mixtures of three Gaussians in five dimensions, drawn in two by every method.

Structure preserving embedding and GNMDS with the paper's search over 101 penalties take most of the
time, and are run for as many data sets as the paper managed.
"""

from __future__ import annotations

import ordinate as od
from papers._common import Run, print_table, summarise
from papers.loe.baselines import (
    DRAWN_FROM_GRAPH,
    gnmds,
    random,
    searched_gnmds,
    structure_preserving_embedding,
)
from papers.loe.experiment import measures

FEW = 10
"""Data sets for GNMDS and SPE, as many as the paper managed."""
PENALTIES = (0.5, *range(1, 101))
"""What the paper searches."""


def main(run: Run) -> None:
    """Measure every method on many data sets of 90 objects, and print means."""
    n, k = run.size((30, 5), (90, 8))
    penalties = run.size(PENALTIES[::40], PENALTIES)
    slow = {
        "GNMDS": gnmds,
        "GNMDS, searched": lambda graph, seed: searched_gnmds(graph, penalties),
        "SPE": lambda graph, seed: structure_preserving_embedding(graph),
    }
    fast = {"RND": random, **DRAWN_FROM_GRAPH}
    sets = {"fast": run.seeds(2, 100), "slow": run.seeds(1, FEW)}
    total = len(sets["fast"]) * len(fast) + len(sets["slow"]) * len(slow)
    with run.table("figure3a", total=total) as table:
        for name, draw in {**fast, **slow}.items():
            for seed in sets["slow" if name in slow else "fast"]:
                points = od.datasets.make_mixture(n, random_state=seed).points
                graph = od.NeighborGraph.from_points(points, k)
                table.row(
                    {"n": n, "method": name, "seed": seed},
                    lambda graph=graph, points=points, draw=draw, seed=seed: measures(
                        graph, draw(graph, seed), points
                    ),
                )
    # rows of a run that was stopped and went on are in the order in which they came
    found = sorted(table.found, key=lambda row: [*fast, *slow].index(row["method"]))
    summary = summarise(found, ("n", "method"), ("gari", "err", "density"))
    print_table(summary)
    run.page(table, "mean (standard deviation)", page_rows(summary))
    print("Paper: LOE and t-SNE have the highest GARI (a plot without numbers).")


def page_rows(summary):
    """Yield mean and deviation of each method in one cell."""
    for row in summary:
        of = {name: f"{row[name]:.3f} ({row[f'{name} sd']:.3f})" for name in ("gari", "err")}
        density = f"{row['density']:.3f} ({row['density sd']:.3f})"
        yield {"method": row["method"], "data sets": row["runs"], **of, "density": density}
