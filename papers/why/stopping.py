"""DMOE and LOE: the stopping rules of the papers, and what is left to gain where they stop.

DMOE's Algorithm 1 ends when its objective changes by less than .001; it begins at zero with λ = 1,
as in `why.dmoe_stopped`. LOE's ends when the stress changes by less than ε, 1e-5 in the authors' R
package, where δ is .1; it begins at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, pairwise

import numpy as np

import ordinate as od
from ordinate.gram.dmoe import two_sided_proximal
from ordinate.gram.objective import MarginOperator
from ordinate.graphs.objective import LocalObjective
from papers._common import Row, Run, print_table, ranged
from papers.dmoe.experiment import Task, errors, margins_of, split
from papers.dmoe.published_splitting import published_iterates
from papers.loe.figure5 import graph_of

Path = tuple[list[float], Callable[[int], float]]
"""What is minimised after each iteration, and what gives the error then."""
DELTA = 0.1
CHANGES = {"DMOE": (1e-3,), "LOE": (1e-3, 1e-5)}
MOST = {"DMOE": 1_000, "LOE": 4_000}


def dmoe_path(n_train: int, seed: int) -> Path:
    """Follow Algorithm 1; the error is the share of all other answers that are denied."""
    train, test = split(Task("synthetic", n_train, seed))
    operator = MarginOperator(train)
    start = np.zeros((train.n_objects,) * 2)
    iterates = published_iterates(
        operator, two_sided_proximal(1, 0.0), start, margin=1.0, penalty=1.0
    )
    grams = list(islice(iterates, MOST["DMOE"]))
    objectives = [
        np.abs(1.0 - operator.margins(gram)).sum() + np.abs(np.linalg.eigvalsh(gram)).sum()
        for gram in grams
    ]
    return objectives, lambda at: errors(margins_of(test, grams[at]))["error"]


def loe_path(n: int, seed: int) -> Path:
    """Follow the sweeps of majorisation; the error is the share of neighbours that are lost."""
    graph = graph_of(n, seed)
    objective = LocalObjective(graph.indptr, graph.indices, n_threads=1)
    points = np.random.default_rng(seed).normal(size=(n, 2)) / DELTA
    stresses, maps = [], [points]
    for _ in range(MOST["LOE"]):
        value, better = objective.improve(maps[-1])
        stresses.append(value * DELTA**2)
        maps.append(better)
    return stresses, lambda at: 1 - od.metrics.neighborhood_jaccard(graph, maps[at])


PATHS = {"DMOE": dmoe_path, "LOE": loe_path}


def measure(method: str, size: int, seed: int) -> list[Row]:
    """Follow one path; return where each rule stops it, and its last point."""
    values, error = PATHS[method](size, seed)
    changes = [abs(after - before) for before, after in pairwise(values)]
    found = []
    for rule in (*CHANGES[method], 0.0):
        at = next((k for k, change in enumerate(changes, 1) if change < rule), len(changes))
        above = 100 * float(values[at] / min(values) - 1)
        found.append({"rule": rule, "iterations": at, "above": above, "error": error(at)})
    return found


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield mean and range over draws for each size and rule."""
    names = ("method", "size", "rule")
    for key in dict.fromkeys(tuple(row[name] for name in names) for row in rows):
        of = [row for row in rows if tuple(row[name] for name in names) == key]
        what = "answers" if key[0] == "DMOE" else "objects"
        yield {
            "method": key[0],
            "size": f"{key[1]:,} {what}",
            "change below": key[2] or f"never: {MOST[key[0]]:,} iterations",
            "draws": len(of),
            "iterations": ranged([row["iterations"] for row in of], ".0f"),
            "above the lowest, %": ranged([row["above"] for row in of], ".2g"),
            "error": ranged([row["error"] for row in of], ".3f"),
        }


def main(run: Run) -> None:
    """Follow both methods on several draws."""
    sizes = run.size({"DMOE": (200,)}, {"DMOE": (200, 1_000), "LOE": (200, 500)})
    keys = [
        {"method": method, "size": size, "seed": seed}
        for seed in run.seeds(1, 10)
        for method, of_method in sizes.items()
        for size in of_method
    ]
    with run.table("stopping", total=len(keys)) as table:
        table.fill(keys, measure)
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, "where the rules stop: mean (range) over draws", lines)
