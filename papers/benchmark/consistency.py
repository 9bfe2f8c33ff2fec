"""Consistency: whether the map tends to the points as their number grows.

Points of a square are placed again by LOE from neighbour graphs and by SOE and STE from random
triplets. Theory asks for k⁴ / (n² log² n) → ∞ (LOE, in two dimensions) and for answers that grow
faster than n log n; n log₂ n times a constant is the number below which no method can do it. The
error is the mean distance to the truth after the best similarity, in units of the half side.
"""

from __future__ import annotations

import numpy as np

import ordinate as od
from papers._common import Row, Run, print_table, ranged

SIZES = (50, 100, 200, 400)
GROWTH = {
    "graph, k = 10": lambda n: 10,
    "graph, k = n^0.75": lambda n: round(n**0.75),
    "4 n log₂ n triplets": lambda n: round(4 * n * np.log2(n)),
    "n² triplets": lambda n: n * n,
}
METHODS = {"SOE": od.SOE, "STE": lambda d, **given: od.STE(d, penalty=0, **given)}
"""Fitted to triplets; STE as published, without a penalty."""


def measure(method: str, growth: str, flipped: float, n: int, seed: int) -> Row:
    """Place the points of one draw."""
    points = np.random.default_rng([seed, n]).uniform(-1, 1, (n, 2))
    size = GROWTH[growth](n)
    if method == "LOE":
        model = od.LOE(2, random_state=seed).fit(od.NeighborGraph.from_points(points, size))
    else:
        noise = od.sources.FlippedAnswers(flipped)
        answers = od.sources.random_triplets(points, size, noise=noise, random_state=seed)
        model = METHODS[method](2, random_state=seed).fit(answers)
    aligned = od.metrics.procrustes_align(model.embedding_, points)
    return {"error": float(np.linalg.norm(aligned - points, axis=1).mean())}


def settings() -> list[tuple[str, str, float]]:
    """Return every method with what it is given and the share of flipped answers."""
    graphs = [("LOE", growth, 0.0) for growth in GROWTH if "graph" in growth]
    return graphs + [
        (method, growth, flipped)
        for flipped in (0.0, 0.1)
        for method in METHODS
        for growth in GROWTH
        if "triplets" in growth
    ]


def main(run: Run) -> None:
    """Print the error of each method against the number of points."""
    with run.table("consistency") as table:
        for n in run.size((30,), SIZES):
            for method, growth, flipped in settings():
                for seed in run.seeds(1, 5):
                    given = method, growth, flipped, n, seed
                    names = ("method", "given", "flipped", "n", "seed")
                    table.row(
                        dict(zip(names, given, strict=True)), lambda given=given: measure(*given)
                    )
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, "mean distance to the truth: mean (range) of five draws, by n", rows)


def page_rows(found: list[Row]) -> list[Row]:
    """Return a row for each setting, with a column for each number of points."""
    lines = []
    for method, growth, flipped in settings():
        line = {"method": method, "given": growth, "flipped": f"{flipped:.0%}"}
        for n in sorted({row["n"] for row in found}):
            key = {"method": method, "given": growth, "flipped": flipped, "n": n}
            errors = [row["error"] for row in found if all(row[name] == key[name] for name in key)]
            line[f"{n}"] = ranged(errors)
        lines.append(line)
    return lines
