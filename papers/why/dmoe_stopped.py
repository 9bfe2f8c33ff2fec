"""DMOE, Tables 1 and 2: Algorithm 1 stopped after a few iterations.

The authors' program takes the number of iterations as an argument; its stopping rule is commented
out. Here it begins at zero with λ = 1 and stops after 5, 10 or 300 iterations; the others of its
parameters are the program's defaults.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ordinate.gram.dmoe import two_sided_proximal
from ordinate.gram.objective import MarginOperator
from papers._common import Row, Run, print_table
from papers.dmoe.experiment import Task, errors, margins_of, split
from papers.dmoe.published_splitting import published_splitting
from papers.dmoe.tables import PAPER, SIZES

N_ITER = (5, 10, 300)


def measure(data: str, n_train: int, n_iter: int, seed: int) -> Row:
    """Run the authors' iteration for so long; return the share of all other answers denied."""
    train, test = split(Task(data, n_train, seed))
    gram = published_splitting(
        MarginOperator(train),
        two_sided_proximal(1, 0.0),  # the program takes both sides, so ν = 1
        np.zeros((train.n_objects,) * 2),
        margin=1.0,
        penalty=1.0,
        n_iter=n_iter,
    )
    return errors(margins_of(test, gram))


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield median and range over draws by the number of iterations, and what the paper prints."""
    for data in dict.fromkeys(row["data"] for row in rows):
        of_data = [row for row in rows if row["data"] == data]
        for n_iter in dict.fromkeys(row["n_iter"] for row in of_data):
            line = {"data": data, "iterations": n_iter}
            for size in SIZES[data]:
                found = [
                    row["error"]
                    for row in of_data
                    if (row["n_iter"], row["n_train"]) == (n_iter, size)
                ]
                if found:
                    median, low, high = np.median(found), min(found), max(found)
                    line[f"{size:,}"] = f"{median:.3f} ({low:.3f} to {high:.3f})"
                    line["draws"] = len(found)
            yield line
        printed = {
            f"{size:,}": f"{median:.3f} ({low:.3f} to {high:.3f})"
            for size, (low, median, high, _) in PAPER[data]["DMOE"].items()
        }
        yield {"data": data, "iterations": "*paper*", "draws": "", **printed}


def main(run: Run) -> None:
    """Print the errors of both data sets."""
    sizes = run.size({"synthetic": (200,)}, SIZES)
    keys = [
        {"data": data, "n_train": size, "n_iter": n_iter, "seed": seed}
        for seed in run.seeds(2, 10)
        for data, of_data in sizes.items()
        for size in of_data
        for n_iter in run.size(N_ITER[:1], N_ITER)
    ]
    with run.table("dmoe_stopped", total=len(keys)) as table:
        table.fill(keys, measure)
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, "held-out error: median (range) over draws, by training answers", lines)
