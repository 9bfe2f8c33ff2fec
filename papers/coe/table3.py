"""Table 3: COE and its rivals on MovieLens."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from scipy.sparse import csr_matrix

import ordinate as od
from papers._common import Run
from papers.coe.experiment import Method, coe, item_means, on_map, run_table

PUBLISHED = {
    "COE-S": (75.0, 65.0, 69.6, 64.0, 59.0, 61.4, 4.48, 3.93, 4.19, 4.33, 3.58, 3.92),
    "COE-G": (75.0, 65.0, 69.6, 64.0, 59.0, 61.4, 4.48, 3.87, 4.15, 4.33, 3.55, 3.90),
    "CFEE": (67.2, 62.4, 64.7, 59.7, 60.3, 60.0, 4.07, 3.63, 3.84, 4.03, 3.50, 3.75),
    "BPR+ for users": (68.4, 60.9, 64.5, 62.1, 59.1, 60.5, 4.14, 3.63, 3.87, 4.13, 3.40, 3.73),
}


def bpr_plus(direction: str) -> Method:
    """Factorise by pairwise ranking, then place."""
    return lambda train, seed: od.BPRPlus(direction=direction, random_state=seed).fit(train)


def bpr_of_implicit(train: od.Ratings, seed: int) -> SimpleNamespace:
    """Rank what is rated above the user's mean over items without a rating, as published.

    The library adds a bias to each item, so that its scores are cut down by one dimension.
    """
    from implicit.cpu.bpr import BayesianPersonalizedRanking

    means = np.bincount(train.users, train.values) / np.maximum(np.bincount(train.users), 1)
    liked = train.values > means[train.users]
    entries = np.ones(liked.sum(), np.float32), (train.users[liked], train.items[liked])
    model = BayesianPersonalizedRanking(
        factors=1,
        iterations=100,
        learning_rate=0.05,
        regularization=0.01,
        num_threads=1,  # several threads race, and the same seed gives other numbers
        random_state=int(np.random.default_rng(seed).integers(2**31)),
    )
    model.fit(csr_matrix(entries, shape=(train.n_users, train.n_items)), show_progress=False)
    users, items = leading_directions(model.user_factors, model.item_factors, 1)
    lengths = np.square(items).sum(axis=1)
    return on_map(
        train,
        np.column_stack([users, np.zeros(len(users))]),
        np.column_stack([items, np.sqrt(lengths.max() - lengths)]),
    )


def leading_directions(
    users: np.ndarray, items: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Approximate all inner products by the leading directions."""
    left, of_users = np.linalg.qr(np.asarray(users, dtype=np.float64))
    right, of_items = np.linalg.qr(np.asarray(items, dtype=np.float64))
    u, strength, v = np.linalg.svd(of_users @ of_items.T)
    root = np.sqrt(strength[:n])
    return left @ u[:, :n] * root, right @ v[:n].T * root


METHODS = {
    "COE-S": coe("sigmoid"),
    "COE-G": coe("gompertz"),
    "COE-S, Algorithm 1": coe("sigmoid", objective="published"),
    "COE-G, Algorithm 1": coe("gompertz", objective="published"),
    "COE-S, to predict": coe("sigmoid", objective="predict"),
    "to predict, rated only": coe("sigmoid", objective="predict", unrated=0),
    "CFEE": lambda train, seed: od.CFEE(random_state=seed).fit(train),
    "CFEE, user offsets": lambda train, seed: od.CFEE(offsets="user", random_state=seed).fit(train),
    "BPR+ for users": bpr_plus("users"),
    "BPR+ for items": bpr_plus("items"),
    "BPR+ of implicit": bpr_of_implicit,
    "item means": item_means(),
}


def movielens() -> od.Ratings:
    """MovieLens 100K, films with at least four ratings."""
    return od.datasets.load_movielens100k().ratings.filter(min_per_item=4)


def main(run: Run) -> None:
    """Run ten splits, or one."""
    run_table(run, "table3", movielens(), METHODS, PUBLISHED)
