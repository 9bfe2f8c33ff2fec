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
