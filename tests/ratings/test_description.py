import itertools

import numpy as np

import ordinate as od


def test_triples_are_counted_as_by_hand():
    rng = np.random.default_rng(0)
    table = rng.integers(1, 4, (6, 5)).astype(float)
    users, items = np.nonzero(rng.random((6, 5)) < 0.7)
    ratings = od.Ratings(users, items, table[users, items])
    pairs = list(itertools.combinations(zip(users, items, strict=True), 2))
    a = sum(p[0] == q[0] and table[p] != table[q] for p, q in pairs)
    b = sum(p[1] == q[1] and table[p] != table[q] for p, q in pairs)
    description = ratings.describe(normalize="none")
    assert (description.n_user_anchored, description.n_item_anchored) == (a, b)
    assert description.to_dict()["n_ratings"] == len(users)


def test_users_and_items_without_triples_are_counted():
    ratings = od.Ratings([0, 0, 1, 2, 2], [0, 1, 0, 2, 3], [1, 2, 5, 3, 3])
    description = ratings.describe(normalize="none")
    assert description.users_without_triples == 2
    assert description.items_without_triples == 3
    assert "2 users make none" in str(description)
