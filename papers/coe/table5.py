"""Table 5: COE and CODE on the listening counts of Last.fm."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from scipy.sparse import csr_matrix

import ordinate as od
from papers._common import Run
from papers.coe.experiment import (
    Method,
    coe,
    fitted_to_sample,
    item_means,
    on_map,
    run_table,
    user_means,
)

PUBLISHED = {
    "COE-S": (64.5, 85.6, 73.5, 51.7, 63.2, 56.9, 0.048, 0.047, 0.047, 0.041, 0.032, 0.036),
    "COE-G": (64.0, 85.7, 73.3, 51.4, 63.1, 56.6, 0.048, 0.047, 0.047, 0.040, 0.032, 0.036),
    "CODE": (53.3, 52.8, 53.1, 49.8, 54.7, 52.2, 0.032, 0.031, 0.032, 0.032, 0.032, 0.032),
}


def implicit_als(n_factors: int) -> Method:
    """Return a factorisation of the counts, zeros included, to see what a map might reach.

    One more axis turns inner products into distances, in the order of each user's items alone.
    """

    def method(train: od.Ratings, seed: int) -> SimpleNamespace:
        from implicit.als import AlternatingLeastSquares

        columns = 1 + np.log(train.values), (train.users, train.items)
        counts = csr_matrix(columns, shape=(train.n_users, train.n_items)).astype(np.float32)
        model = AlternatingLeastSquares(
            n_factors, regularization=0.1, alpha=1, iterations=8, random_state=seed, num_threads=1
        )
        model.fit(counts, show_progress=False)
        users, items = (np.asarray(model.user_factors), np.asarray(model.item_factors))
        lengths = np.square(items).sum(axis=1)
        last = np.sqrt(lengths.max() - lengths)
        return on_map(
            train, np.column_stack([users, np.zeros(len(users))]), np.column_stack([items, last])
        )

    return method


METHODS = {
    "COE-S": coe("sigmoid", normalize="share"),
    "COE-G": coe("gompertz", normalize="share"),
    "COE-S, Algorithm 1": coe("sigmoid", normalize="share", objective="published"),
    "COE-G, Algorithm 1": coe("gompertz", normalize="share", objective="published"),
    "COE-S, to predict": coe("sigmoid", normalize="share", objective="predict"),
    "to predict, rated only": coe("sigmoid", normalize="share", objective="predict", unrated=0),
    "CODE": lambda train, seed: od.CODE(normalize="share", random_state=seed).fit(train),
    "SOE, 100,000 triples": fitted_to_sample(
        lambda seed: od.SOE(random_state=seed, max_iter=2000), normalize="share"
    ),
    "ALS of implicit, 2-D": implicit_als(2),
    "ALS of implicit, 20-D": implicit_als(20),
    "item means": item_means("share"),
    "user means": user_means("share"),
}


def lastfm() -> od.Ratings:
    """Last.fm: first artists with four users, then users with twenty artists, as in Table 1."""
    ratings = od.datasets.load_lastfm2k().ratings
    return ratings.filter(min_per_item=4).filter(min_per_user=20)


def main(run: Run) -> None:
    """Run ten splits, or one."""
    run_table(run, "table5", lastfm(), METHODS, PUBLISHED, normalize="share")
