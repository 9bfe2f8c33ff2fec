"""Table 2: COE and SOE on 100,000 triples of MovieLens."""

from __future__ import annotations

import ordinate as od
from papers._common import Run
from papers.coe.experiment import fitted_to_sample, run_table
from papers.coe.table3 import movielens

PUBLISHED = {
    "COE-S": (70.1, 57.3, 63.0, 62.7, 57.4, 59.9, 4.38, 3.66, 3.99, 4.24, 3.48, 3.82),
    "COE-G": (70.0, 57.5, 63.2, 62.8, 57.9, 60.2, 4.41, 3.67, 4.01, 4.24, 3.48, 3.82),
    "SOE": (69.4, 55.9, 61.9, 62.5, 56.0, 59.1, 4.29, 3.44, 3.82, 4.22, 3.38, 3.75),
}


METHODS = {
    "COE-S": fitted_to_sample(lambda seed: od.COE(random_state=seed)),
    "COE-G": fitted_to_sample(lambda seed: od.COE(probability="gompertz", random_state=seed)),
    "SOE": fitted_to_sample(lambda seed: od.SOE(random_state=seed, max_iter=2000)),
}


def main(run: Run) -> None:
    """Run ten splits, or one."""
    run_table(run, "table2", movielens(), METHODS, PUBLISHED)
