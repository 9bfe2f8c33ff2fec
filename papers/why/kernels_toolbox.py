"""Triplet kernels, Figure 5: GNMDS as in the toolbox that the paper uses.

The toolbox descends along the plain gradient from 10⁻⁴ times normal numbers. Its steps grow by 1 %
and halve after a rise. Beside it the library's GNMDS on the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

import ordinate as od
from ordinate.engine.cpu import CPUObjective
from papers._common import Row, Run, print_table, ranged
from papers.kernels.clustering import SETTINGS, Task, answers_of, kmeans
from papers.kernels.figure5 import USPS_SIZES, usps_tasks

Points = NDArray[np.float64]
_MOST, _AT_LEAST, _PATIENCE, _TOL = 1000, 50, 5, 1e-7


def toolbox_gnmds(answers: od.Comparisons, dimension: int, seed: int) -> tuple[Points, float]:
    """Descend as the toolbox does; return the best map and its loss per answer."""
    objective = CPUObjective(answers, od.losses.gnmds, [])
    points = 1e-4 * np.random.default_rng(seed).standard_normal((answers.n_objects, dimension))
    step = answers.n_objects / len(answers)
    best, least, rises = points, np.inf, 0
    for iteration in range(_MOST):
        value, gradient = objective(points)
        if value < least - _TOL:
            best, least, rises, step = points, value, 0, 1.01 * step
        else:
            rises, step = rises + 1, 0.5 * step
        if rises >= _PATIENCE and iteration >= _AT_LEAST:
            break
        points = points - step * gradient
    return best, least / len(answers)


def library_gnmds(answers: od.Comparisons, dimension: int, seed: int) -> tuple[Points, float]:
    """Fit the library's estimator."""
    model = od.GNMDS(dimension, random_state=seed, n_jobs=1).fit(answers)
    return model.embedding_, float(model.loss_) / len(answers)


FITS: dict[str, Callable[[od.Comparisons, int, int], tuple[Points, float]]] = {
    "toolbox": toolbox_gnmds,
    "library": library_gnmds,
}


def measure(given: str, n_triplets: int, dimension: int, program: str, seed: int, n: int) -> Row:
    """Cluster one draw of digits by one program's map; answers have no errors."""
    task: Task = next(usps_tasks([seed], (n_triplets,), n, (dimension,)))
    points, loss = FITS[program](answers_of(task)[0][given], dimension, seed)
    purity = od.metrics.purity(task.labels, kmeans(task, points))
    by_chance = np.random.default_rng(seed).integers(3, size=n)
    return {
        "purity": purity,
        "random": od.metrics.purity(task.labels, by_chance),
        "loss": loss,
    }


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield mean and range over runs for each program, kind of answers and dimension."""
    names = ("given", "dimension", "program")
    for key in dict.fromkeys(tuple(row[name] for name in names) for row in rows):
        of = [row for row in rows if tuple(row[name] for name in names) == key]
        line: Row = {"triplets": SETTINGS[key[0]], "dimension": key[1], "program": key[2]}
        for size in dict.fromkeys(row["n_triplets"] for row in of):
            purities = [row["purity"] for row in of if row["n_triplets"] == size]
            line |= {"runs": len(purities), f"{size:,}": ranged(purities, ".2f")}
        yield {**line, "loss per triplet": ranged([row["loss"] for row in of])}
    yield {
        "triplets": "random labels",
        "loss per triplet": "",
        "runs": "",
        **{
            f"{size:,}": ranged([row["random"] for row in rows if row["n_triplets"] == size], ".2f")
            for size in dict.fromkeys(row["n_triplets"] for row in rows)
        },
    }


def main(run: Run) -> None:
    """Print purities of USPS digits 1, 2 and 3."""
    sizes, n = run.size(((2_000,), 60), (USPS_SIZES, 1000))
    keys = [
        {
            "given": given,
            "n_triplets": size,
            "dimension": dimension,
            "program": program,
            "seed": seed,
            "n": n,
        }
        for seed in run.seeds(1, 10)
        for given in ("k1", "random")
        for size in sizes
        for dimension in run.size((2,), (2, 10))
        for program in FITS
    ]
    with run.table("kernels_toolbox", total=len(keys)) as table:
        table.fill(keys, measure)
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, "purity: mean (range) over runs, by the number of triplets", lines)
