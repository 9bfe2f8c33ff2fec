import numpy as np
import pytest

import ordinate as od


@pytest.fixture(scope="module")
def planted():
    """Values by distance of 90 users and 90 items; the last 20 of each are new."""
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(90, 2)), rng.normal(size=(90, 2))
    known = od.Ratings(*_rated(rng, users[:70], items[:70]))
    model = od.COE(normalize="none", random_state=0, draws_per_object=3000).fit(known)
    return rng, users, items, model


def _rated(rng, users, items):
    u, i = np.nonzero(rng.random((len(users), len(items))) < 0.5)
    return u, i, -np.linalg.norm(users[u] - items[i], axis=1)


def _accuracy(model, users, items, ratings):
    """Shares of triples that hold for users placed anew."""
    placed = od.COE()._store(ratings, users, items)
    return od.coe_report(placed, normalize="none").preservation


def test_new_users_are_placed_where_they_belong(planted):
    rng, users, items, model = planted
    new = od.Ratings(*_rated(rng, users[70:], items[:70]))
    before = model.embedding_.copy()
    placed = model.transform_users(new)
    assert placed.shape == (20, 2)
    np.testing.assert_array_equal(model.embedding_, before)
    assert _accuracy(model, placed, model.item_embedding_, new).user_anchored > 0.95
    np.testing.assert_array_equal(model.transform_users(new), placed)


def test_new_items_are_placed_where_they_belong(planted):
    rng, users, items, model = planted
    new = od.Ratings(*_rated(rng, users[:70], items[70:]))
    placed = model.transform_items(new)
    assert placed.shape == (20, 2)
    assert _accuracy(model, model.user_embedding_, placed, new).item_anchored > 0.95


def test_unknown_items_and_users_are_refused(planted):
    model = planted[-1]
    with pytest.raises(od.InputError, match="None of the items that the new users have rated"):
        model.transform_users(od.Ratings([0, 0], [0, 1], [1, 2], item_names=["x", "y"]))
    with pytest.raises(od.InputError, match="no user 'x'"):
        model.transform_items(od.Ratings([0, 0], [0, 1], [1, 2], user_names=["x"]))


def visits(rng, n_users, kind_of_item):
    """Users of three kinds who have half of the items of their kind."""
    kinds = np.arange(n_users) % 3
    has = (kinds[:, None] == kind_of_item) & (rng.random((n_users, len(kind_of_item))) < 0.5)
    return od.Ratings(*np.nonzero(has), np.ones(has.sum())), kinds


@pytest.mark.parametrize("objective", ["map", "predict"])
def test_values_that_are_all_the_same_say_who_has_what(objective):
    rng = np.random.default_rng([5])
    kind_of_item = np.arange(45) % 3
    ratings, kinds = visits(rng, 60, kind_of_item)
    given = {"draws_per_object": 2000, "random_state": 0, "objective": objective}
    model = od.COE(**given).fit(ratings)
    recommended = model.recommend(k=5).numbers
    assert (kind_of_item[recommended] == kinds[:, None]).mean() > 0.95
    other = od.COE(**given, user_anchored=0.9).fit(ratings)
    assert not np.allclose(other.embedding_, model.embedding_, atol=0.1)
    # new users and new items find their kind without a fit
    new, new_kinds = visits(rng, 30, kind_of_item)
    assert (kind_of_item[model.recommend(new, k=5).numbers] == new_kinds[:, None]).mean() > 0.95
    u, i = np.nonzero((kinds[:, None] == np.arange(3)) & (rng.random((60, 3)) < 0.7))
    placed = model.transform_items(od.Ratings(u, i, np.ones(len(u))))
    middles = [model.item_embedding_[kind_of_item == kind].mean(axis=0) for kind in range(3)]
    away = np.linalg.norm(placed[:, None] - np.array(middles), axis=2)
    np.testing.assert_array_equal(away.argmin(axis=1), range(3))


def test_a_report_of_one_value_judges_lists():
    ratings, _ = visits(np.random.default_rng([6]), 60, np.arange(45) % 3)
    train, test = ratings.train_test_split(0.2, random_state=0)
    model = od.COE(draws_per_object=1000, random_state=0).fit(train)
    report = od.coe_report(model, test, normalize="share")
    assert report.top.ndcg > 2 * report.popular.ndcg
    assert "better than popularity" in report.verdict
    assert "nan" not in str(report)
    assert report.to_dict()["unseen"]["user_anchored"] is None
    recommended = model.recommend(k=10).numbers
    assert od.metrics.top_k(recommended, test) == report.top
    with pytest.raises(od.InputError, match="All values are 1"):
        od.COE(unrated=0).fit(train)
