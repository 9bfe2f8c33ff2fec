import numpy as np
import pytest

import ordinate as od


@pytest.fixture
def model():
    """User 7 at 0 rated a and b; items lie at 1, 2, 3 and 4."""
    frame = {"user": [7, 7, 8, 8], "item": ["a", "b", "c", "d"], "rating": [1, 2, 3, 4]}
    ratings = od.Ratings.from_frame(frame)
    return od.COE()._store(ratings, np.array([[0.0], [9.0]]), np.array([[1.0], [2], [3], [4]]))


def test_nearest_items_leave_out_what_was_rated(model):
    found = model.nearest_items(7, k=2)
    assert found.names == ["c", "d"]
    np.testing.assert_array_equal(found.distances, [3, 4])
    assert model.nearest_items(7, k=2, exclude_rated=False).names == ["a", "b"]
    assert model.nearest_items(7, k=99).names == ["c", "d"]


def test_nearest_users_leave_out_who_rated(model):
    assert model.nearest_users("d").names == [7]
    assert model.nearest_users("d", exclude_rated=False).names == [7, 8]


def test_many_neighbours_are_those_by_brute_force():
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(5, 3)), rng.normal(size=(300, 3))
    ratings = od.Ratings([0, 0, 4], [0, 299, 1], [1, 2, 3])
    found = od.COE()._store(ratings, users, items).nearest_items(2, 20)
    distances = np.linalg.norm(items - users[2], axis=1)
    assert found.names == np.argsort(distances)[:20].tolist()


def test_unknown_names_and_bad_k_are_refused(model):
    with pytest.raises(od.InputError, match="no user 'x'; users are called 7, 8"):
        model.nearest_items("x")
    with pytest.raises(od.InputError, match="no item 'z'"):
        model.nearest_users("z")
    with pytest.raises(od.InputError, match="k must be an integer >= 1"):
        model.nearest_items(7, k=0)
