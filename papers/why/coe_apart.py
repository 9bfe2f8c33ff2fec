"""COE, Tables 1, 3, 5 and 6: observed and hidden ratings standardised apart.

The paper does not say on which ratings a user's scores are standardised. Here each part of a split
has means and deviations (or totals, for counts) of its own, so that equal ratings in different
parts are no longer equal. Beside it the same fits with both parts standardised together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import ordinate as od
from ordinate.ratings.normalization import Normalization
from papers._common import Row, Run, print_table, ranged
from papers.coe import table3, table5
from papers.coe.experiment import COLUMNS, coe, measure_split

PRINTED = {
    "MovieLens": table3.PUBLISHED,
    "Last.fm": table5.PUBLISHED,
    "20 Newsgroups": {"COE-S": (78.9, 90.3, 84.3, 51.0, 69.2, 58.7)},
}
TYPE_A = {"MovieLens": 7.80, "Last.fm": 1.50}
"""User-anchored triples of Table 1, in millions."""
METHODS = {
    "COE-S": lambda: coe("sigmoid", objective="published", normalize="none"),
    "CFEE": lambda: lambda train, seed: od.CFEE(random_state=seed).fit(train),
    "BPR+ for users": lambda: table3.bpr_plus(direction="users"),
    "CODE": lambda: lambda train, seed: od.CODE(random_state=seed).fit(train),
}
FITTED = {
    "MovieLens": ("COE-S", "CFEE", "BPR+ for users"),
    "Last.fm": ("COE-S", "CODE"),
    "20 Newsgroups": ("COE-S",),
}


def newsgroups() -> od.Ratings:
    """Count words, by a library that the other sets do not need."""
    from papers.coe.table6 import newsgroups as count_words

    return count_words()


SETS: dict[str, tuple[Callable[[], od.Ratings], str]] = {
    "MovieLens": (table3.movielens, "zscore"),
    "Last.fm": (table5.lastfm, "share"),
    "20 Newsgroups": (newsgroups, "share"),
}


def standardised(
    parts: tuple[od.Ratings, od.Ratings], how: str, *, apart: bool
) -> list[od.Ratings]:
    """Replace ratings by scores, measured in each part or in both together."""
    return [
        od.Ratings(
            part.users,
            part.items,
            Normalization.of(how, *((part,) if apart else parts)).scores(part),
            user_names=part.user_names,
            item_names=part.item_names,
        )
        for part in parts
    ]


def measure(data: str, method: str, scores: str, seed: int) -> Row:
    """Fit to one split; return what is kept and predicted, and the triples of type A in it."""
    load, how = SETS[data]
    parts = load().train_test_split(0.2, random_state=seed)
    train, test = standardised(parts, how, apart=scores == "apart")
    both = (np.concatenate([getattr(part, name) for part in (train, test)]) for name in FIELDS)
    n_triples = od.Ratings(*both).describe(normalize="none").n_user_anchored
    found = measure_split(METHODS[method](), train, test, "none", seed)
    return {**{name: found[name] for name in COLUMNS[:6]}, "type A": n_triples / 1e6}


FIELDS = ("users", "items", "values")


def page_rows(rows: list[Row]) -> Iterator[Row]:
    """Yield mean and range over splits, below them what the paper prints."""
    for data, methods in FITTED.items():
        for method in methods:
            for scores in ("together", "apart"):
                of = [
                    r
                    for r in rows
                    if (r["data"], r["method"], r["scores"]) == (data, method, scores)
                ]
                if of:
                    line = {
                        "data": data,
                        "method": method,
                        "standardised": scores,
                        "splits": len(of),
                    }
                    for name in (*COLUMNS[:6], "type A"):
                        line[name] = ranged(
                            [row[name] for row in of], ".2f" if name == "type A" else ".1f"
                        )
                    yield line
            printed = dict(zip(COLUMNS[:6], PRINTED[data][method][:6], strict=True))
            yield {
                "data": data,
                "method": method,
                "standardised": "*paper*",
                "splits": "",
                **printed,
                "type A": TYPE_A.get(data, ""),
            }


def main(run: Run) -> None:
    """Fit every method to the same splits, both ways."""
    fitted = run.size({"MovieLens": ("COE-S",)}, FITTED)
    keys = [
        {"data": data, "method": method, "scores": scores, "seed": seed}
        for seed in run.seeds(1, 10)
        for data, methods in fitted.items()
        for method in methods
        for scores in ("together", "apart")
    ]
    with run.table("coe_apart", total=len(keys)) as table:
        table.fill(keys, measure)
    lines = list(page_rows(table.found))
    print_table(lines)
    run.page(table, "accuracies in percent: mean (range) over splits; type A in millions", lines)
