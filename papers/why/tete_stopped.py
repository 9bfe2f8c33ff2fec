"""t-ETE, Figures 3(a) and 5: all methods stopped after few iterations from a start near one point.

The paper does not say when a fit ends. Figure 3(a): 1000 digits, 100 triplets each, outliers as the
text says, t = t' as in the program. Figure 5: music artists with t = t' = 2, whose 1-NN error is
also measured without the rock artists, 59 % of all. Iterations are those of our solver; t-ETE runs
as many for each of its five temperatures.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import ordinate as od
from papers._common import Row, Run, print_table, ranged
from papers.tete.protocol import digits, draw_triplets, methods, neighbor_order

START = 1e-4
"""Scale of the start in the authors' program."""
COMPARED = ("STE", "t-STE", "t-ETE, t = t'")


def measure(data: str, dimension: int, method: str, iterations: int, seed: int, n: int) -> Row:
    """Fit one method; return the error on other answers, and 1-NN errors."""
    if data == "music":
        loaded = od.datasets.load_music400()
        answers, labels = loaded.comparisons, np.asarray(loaded.labels)
        small = labels != np.argmax(np.bincount(labels))
    else:
        points, labels = digits(n, seed)
        order, rng = neighbor_order(points), np.random.default_rng([seed, 1])
        answers, small = draw_triplets(order, rng, outliers="text"), np.ones(n, dtype=bool)
    train, test = answers.train_test_split(0.1, random_state=seed)
    start = START * np.random.default_rng(seed).standard_normal((answers.n_objects, dimension))
    t = 2.0 if data == "music" else min(1.45 + 1.1 / dimension, 2.0)
    model = methods(dimension, t)[method]
    model.set_params(init=start, max_iter=iterations, random_state=seed).fit(train)
    placed = model.embedding_
    return {
        "error": 1 - model.score(test),
        "1-NN error": od.metrics.nearest_neighbor_error(placed, labels),
        "1-NN error without rock": od.metrics.nearest_neighbor_error(placed[small], labels[small]),
    }


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield mean and range over draws, in percent, by the number of iterations."""
    for data, dimension, what, decimals in (
        *(("digits", d, "error", 1) for d in (2, 5, 10)),
        ("music", 2, "1-NN error", 0),
        ("music", 2, "1-NN error without rock", 0),
    ):
        for method in COMPARED:
            of = [
                row
                for row in rows
                if (row["data"], row["dimension"], row["method"]) == (data, dimension, method)
            ]
            line: Row = {"data": data, "dimension": dimension, "measure": what, "method": method}
            for n_iter in dict.fromkeys(row["iterations"] for row in of):
                found = [100 * row[what] for row in of if row["iterations"] == n_iter]
                line |= {
                    "draws": len(found),
                    f"{n_iter} iterations": ranged(found, f".{decimals}f"),
                }
            if of:
                yield line


def main(run: Run) -> None:
    """Print both figures by the number of iterations."""
    cells = [("music", 2), *(("digits", d) for d in run.size((2,), (2, 5, 10)))]
    keys = [
        {"data": data, "dimension": d, "method": method, "iterations": n_iter, "seed": seed, "n": n}
        for n in (run.size(60, 1000),)
        for seed in run.seeds(1, 10)
        for data, d in cells
        for method in COMPARED
        for n_iter in run.size((20,), (20, 50, 1000))
    ]
    with run.table("tete_stopped", total=len(keys)) as table:
        table.fill(keys, measure)
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, "errors in percent: mean (range) over draws", lines)
