"""COE, Table 2 and Figure 4: parts standardised apart, and the ratings that a fit sees.

SOE begins at random and stops after 100 iterations, or begins and ends as the library's does. The
three users of Figure 4 are compared on the films that all three have in the observed 80 %.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import ordinate as od
from papers._common import Row, Run, print_table, ranged
from papers.coe.experiment import COLUMNS, fitted_to_sample, measure_split
from papers.coe.figure4 import PUBLISHED as CORRELATIONS
from papers.coe.figure4 import common_films, correlation
from papers.coe.table2 import PUBLISHED
from papers.coe.table3 import movielens
from papers.why.coe_apart import standardised


class SOEFromRandom:
    """SOE from one random start, for so many iterations."""

    def __init__(self, seed: int, max_iter: int = 100) -> None:
        self.seed, self.max_iter = seed, max_iter

    def fit(self, triples: od.Comparisons) -> od.SOE:
        """Fit the library's estimator."""
        start = np.random.default_rng(self.seed).normal(size=(triples.n_objects, 2))
        model = od.SOE(2, init=start, n_init=1, max_iter=self.max_iter, random_state=self.seed)
        return model.fit(triples)


METHODS = {
    "COE-S": lambda seed: od.COE(random_state=seed),
    "COE-G": lambda seed: od.COE(probability="gompertz", random_state=seed),
    "SOE": lambda seed: od.SOE(random_state=seed, max_iter=2000),
    "SOE, 100 iterations": SOEFromRandom,
}
NAMES = ("films", *(f"{one}, {other}" for one, other in CORRELATIONS))
PRINTED = (17, *CORRELATIONS.values())


def measure(method: str, scores: str, seed: int) -> Row:
    """Fit to one split."""
    parts = movielens().train_test_split(0.2, random_state=seed)
    train, test = standardised(parts, "zscore", apart=scores == "apart")
    fit = fitted_to_sample(METHODS[method], normalize="none")
    found = measure_split(fit, train, test, "none", seed)
    return {name: found[name] for name in COLUMNS[:6]}


def compare_users(seed: int) -> Row:
    """Compare the three users by the observed part of a split."""
    observed = movielens().train_test_split(0.2, random_state=seed)[0]
    films = common_films(observed)
    values = [correlation(observed, films, *users) for users in CORRELATIONS]
    return dict(zip(NAMES, (len(films), *values), strict=True))


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield mean and range over splits, below them what the paper prints."""
    for method, scores in dict.fromkeys((row["method"], row["scores"]) for row in rows):
        of = [row for row in rows if (row["method"], row["scores"]) == (method, scores)]
        line = {"method": method, "standardised": scores, "splits": len(of)}
        yield {**line, **{name: ranged([row[name] for row in of], ".1f") for name in COLUMNS[:6]}}
        if scores == "apart" and method in PUBLISHED:
            line |= {"standardised": "*paper*", "splits": ""}
            yield {**line, **dict(zip(COLUMNS, PUBLISHED[method][:6], strict=False))}


def main(run: Run) -> None:
    """Fit every method to the same splits, both ways; compare the users."""
    seeds = run.seeds(1, 10)
    keys = [
        {"method": method, "scores": scores, "seed": seed}
        for seed in seeds
        for method in run.size(("COE-S",), METHODS)
        for scores in ("together", "apart")
    ]
    with run.table("coe_triples", total=len(keys)) as table:
        table.fill(keys, measure)
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, "Table 2, accuracies in percent: mean (range) over splits", lines)
    with run.table("coe_users", total=len(seeds)) as table:
        table.fill([{"seed": seed} for seed in seeds], compare_users)
    found = {
        name: ranged([row[name] for row in table.found], ".0f" if name == "films" else ".2f")
        for name in NAMES
    }
    lines = [
        {"ratings": "observed 80 %", "splits": len(table.found), **found},
        {"ratings": "*paper*", "splits": "", **dict(zip(NAMES, PRINTED, strict=True))},
    ]
    print_table(lines)
    run.page(table, "Figure 4, films and correlations: mean (range) over splits", lines)
