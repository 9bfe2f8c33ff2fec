"""Equation (15), with its bound on the rank, beside (23), which replaces the bound by the trace.

The points, draws and errors are those of Table 1. Some rows have flipped answers, which the
paper's discussion asks about.
"""

from itertools import product

import numpy as np

import ordinate as od
from papers._common import Run, print_table, ranged
from papers.dmoe.experiment import DIMENSIONS, Task, errors, margins_of, split

CAPTION = "held-out error: mean (minimum to maximum) over draws"


def estimators(seed):
    """Return both problems with and without the second side of the loss."""
    shared = {"n_components": DIMENSIONS["synthetic"], "random_state": seed, "n_jobs": 1}
    return {
        "DMOE, (23)": od.DMOE(nu=1.0, **shared),
        "DMOE, (15)": od.GramEmbedding(loss="dmoe", nu=1.0, **shared),
        "GNMDS, (23) with nu = 0": od.DMOE(nu=0.0, **shared),
        "GNMDS, (7)": od.GramEmbedding(loss="gnmds", **shared),
        "STE-p": od.GramEmbedding(loss="ste", **shared),
    }


def measure(method, size, flipped, seed):
    """Fit one draw; return the error on all answers that were not drawn, none of them flipped."""
    train, test = split(Task("synthetic", size, seed))
    wrong = np.random.default_rng([seed, 15]).random(len(train)) < flipped
    rows = np.where(wrong[:, None], train.rows[:, [0, 2, 1]], train.rows)
    train = od.Comparisons(rows, n_objects=train.n_objects)
    model = estimators(seed)[method].fit(train)
    return {"error": errors(margins_of(test, model.gram_))["error"]}


def main(run: Run) -> None:
    """Fit and print; the page has a row for each method and share of flipped answers."""
    shares = {200: (0.0, 0.1, 0.2), 1000: (0.0, 0.1, 0.2), 10_000: (0.0,)}
    cells = [(size, share) for size in run.size([200], shares) for share in shares[size]]
    cells = cells[: run.size(1, len(cells))]
    with run.table("rank_bound") as table:
        # a draw of 10,000 answers takes most of the time: all draws of fewer come before it
        for size in dict.fromkeys(size for size, _ in cells):
            flips = [share for of, share in cells if of == size]
            for seed, flipped, method in product(run.seeds(1, 10), flips, estimators(0)):
                table.row(
                    {"answers": size, "flipped": flipped, "method": method, "seed": seed},
                    lambda cell=(method, size, flipped, seed): measure(*cell),
                )
    rows = list(page_rows(table.found, cells))
    print_table(rows)
    run.page(table, CAPTION, rows)


def page_rows(found, cells):
    """Yield a row for each size and share of flipped answers, from the draws all methods have."""
    for size, flipped in cells:
        errors = {
            method: {
                row["seed"]: row["error"]
                for row in found
                if (row["answers"], row["flipped"], row["method"]) == (size, flipped, method)
            }
            for method in estimators(0)
        }
        seeds = set.intersection(*(set(of_method) for of_method in errors.values()))
        if seeds:
            shown = {name: ranged([e[seed] for seed in seeds]) for name, e in errors.items()}
            yield {
                "answers": f"{size:,}",
                "flipped": f"{flipped:.0%}",
                "draws": len(seeds),
                **shown,
            }
