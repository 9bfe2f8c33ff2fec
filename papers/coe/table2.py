"""Table 2: COE and SOE on 100,000 triples of MovieLens."""

from __future__ import annotations

from experiment import arguments, on_map, run
from table3 import movielens

import ordinate as od
from ordinate import sample_triples

N_TRIPLES = 100_000

PUBLISHED = {
    "COE-S": (70.1, 57.3, 63.0, 62.7, 57.4, 59.9, 4.38, 3.66, 3.99, 4.24, 3.48, 3.82),
    "COE-G": (70.0, 57.5, 63.2, 62.8, 57.9, 60.2, 4.41, 3.67, 4.01, 4.24, 3.48, 3.82),
    "SOE": (69.4, 55.9, 61.9, 62.5, 56.0, 59.1, 4.29, 3.44, 3.82, 4.22, 3.38, 3.75),
}


def fitted_to_sample(estimator):
    """Fit an estimator of comparisons to a sample of the observed triples."""

    def method(train, seed):
        triples = sample_triples(train, N_TRIPLES, random_state=seed)
        points = estimator(seed).fit(triples).embedding_
        return on_map(train, points[: train.n_users], points[train.n_users :])

    return method


METHODS = {
    "COE-S": fitted_to_sample(lambda seed: od.COE(random_state=seed)),
    "COE-G": fitted_to_sample(lambda seed: od.COE(probability="gompertz", random_state=seed)),
    "SOE": fitted_to_sample(lambda seed: od.SOE(random_state=seed, max_iter=2000)),
}


if __name__ == "__main__":
    chosen = arguments(__doc__)
    run(
        "Table 2: MovieLens, a sample of 100,000 triples",
        movielens(),
        METHODS,
        PUBLISHED,
        n_splits=1 if chosen.quick else 10,
        output=chosen.output / "table2.csv",
    )
