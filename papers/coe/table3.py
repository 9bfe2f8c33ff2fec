"""Table 3: COE and its rivals on MovieLens."""

from __future__ import annotations

import ordinate as od
from papers._common import Run
from papers.coe.experiment import Method, coe, item_means, run_table

PUBLISHED = {
    "COE-S": (75.0, 65.0, 69.6, 64.0, 59.0, 61.4, 4.48, 3.93, 4.19, 4.33, 3.58, 3.92),
    "COE-G": (75.0, 65.0, 69.6, 64.0, 59.0, 61.4, 4.48, 3.87, 4.15, 4.33, 3.55, 3.90),
    "CFEE": (67.2, 62.4, 64.7, 59.7, 60.3, 60.0, 4.07, 3.63, 3.84, 4.03, 3.50, 3.75),
    "BPR+ for users": (68.4, 60.9, 64.5, 62.1, 59.1, 60.5, 4.14, 3.63, 3.87, 4.13, 3.40, 3.73),
}


def bpr_plus(**parameters: str) -> Method:
    """Factorise by pairwise ranking, then place."""
    return lambda train, seed: od.BPRPlus(random_state=seed, **parameters).fit(train)


METHODS = {
    "COE-S": coe("sigmoid"),
    "COE-G": coe("gompertz"),
    "COE-S, Algorithm 1": coe("sigmoid", objective="published"),
    "COE-G, Algorithm 1": coe("gompertz", objective="published"),
    "COE-S, to predict": coe("sigmoid", objective="predict"),
    "to predict, rated only": coe("sigmoid", objective="predict", unrated=0),
    "CFEE": lambda train, seed: od.CFEE(random_state=seed).fit(train),
    "CFEE, user offsets": lambda train, seed: od.CFEE(offsets="user", random_state=seed).fit(train),
    "BPR+ for users": bpr_plus(direction="users"),
    "BPR+ for items": bpr_plus(direction="items"),
    "BPR+ of implicit": bpr_plus(direction="users", against="unrated"),
    "item means": item_means(),
}


def movielens() -> od.Ratings:
    """MovieLens 100K, films with at least four ratings."""
    return od.datasets.load_movielens100k().ratings.filter(min_per_item=4)


def main(run: Run) -> None:
    """Run ten splits, or one."""
    run_table(run, "table3", movielens(), METHODS, PUBLISHED)
