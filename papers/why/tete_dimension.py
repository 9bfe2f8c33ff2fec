"""t-ETE, Figure 3(d): 1-NN error under flips in two, five and ten dimensions.

The paper does not say in which dimension it measures. 1000 digits, 100 triplets each, drawn as in
the authors' program; t = t' = 1.7.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from papers._common import Row, Run, print_table, ranged
from papers.tete.figure3 import NOISE_T, accuracies
from papers.tete.protocol import digits, draw_triplets, flip, methods, neighbor_order

COMPARED = ("t-STE", "t-ETE, t = t'")


def measure(dimension: int, method: str, flipped: float, seed: int, n: int) -> Row:
    """Fit one method to answers of which some are flipped."""
    points, labels = digits(n, seed)
    order, rng = neighbor_order(points), np.random.default_rng([seed, 1])
    train, test = (draw_triplets(order, rng, outliers="release") for _ in range(2))
    noisy = flip(train, flipped, rng)
    found = accuracies(methods(dimension, NOISE_T)[method], noisy, test, labels, seed)
    return {"error": 1 - found["accuracy"], "1-NN error": 1 - found["nn_accuracy"]}


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield mean and range of the 1-NN error over draws, by the share of flips."""
    for dimension in dict.fromkeys(row["dimension"] for row in rows):
        for method in COMPARED:
            of = [row for row in rows if (row["dimension"], row["method"]) == (dimension, method)]
            line: Row = {"dimension": dimension, "method": method}
            for share in dict.fromkeys(row["flipped"] for row in of):
                found = [100 * row["1-NN error"] for row in of if row["flipped"] == share]
                line |= {"draws": len(found), f"{100 * share:g} %": ranged(found, ".1f")}
            yield line


def main(run: Run) -> None:
    """Print both methods without flips and with up to 30 %."""
    keys = [
        {"dimension": dimension, "method": method, "flipped": share, "seed": seed, "n": n}
        for n in (run.size(60, 1000),)
        for seed in run.seeds(1, 10)
        for dimension in run.size((2,), (2, 5, 10))
        for method in COMPARED
        for share in run.size((0.0, 0.15), (0.0, 0.05, 0.15, 0.3))
    ]
    with run.table("tete_dimension", total=len(keys)) as table:
        table.fill(keys, measure)
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, "1-NN error in percent: mean (range) over draws, by flipped answers", lines)
