"""Equation (15), with its bound on the rank, beside (23), which replaces the bound by the trace.

The points, draws and errors are those of Table 1. Some rows have flipped answers, which the
paper's discussion asks about.
"""

from itertools import product

import numpy as np

import ordinate as od
from papers._common import Run, print_table
from papers.dmoe.experiment import DIMENSIONS, Task, errors, margins_of, split

CAPTION = "held-out error: median (minimum to maximum) over draws"


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
    cells = run.size([(200, 0.0)], [*product((200, 1000), (0.0, 0.1, 0.2)), (10_000, 0.0)])
    with run.table("rank_bound") as table:
        for seed in run.seeds(1, 10):
            for (size, flipped), method in product(cells, estimators(0)):
                table.row(
                    {"answers": size, "flipped": flipped, "method": method, "seed": seed},
                    lambda cell=(method, size, flipped, seed): measure(*cell),
                )
    rows = list(page_rows(table.found, cells))
    print_table(rows)
    run.page(table, CAPTION, rows)


def page_rows(found, cells):
    """Return a row for each size and share of flipped answers, with a column for each method."""
    for size, flipped in cells:
        line = {"answers": f"{size:,}", "flipped": f"{flipped:.0%}"}
        for method in estimators(0):
            key = {"answers": size, "flipped": flipped, "method": method}
            chosen = [row for row in found if all(row[name] == key[name] for name in key)]
            values = [row["error"] for row in chosen]
            if values:
                low, high = min(values), max(values)
                line[method] = f"{np.median(values):.3f} ({low:.3f} to {high:.3f})"
                line["draws"] = len(values)
        yield line
