import itertools

import numpy as np
import pytest

import ordinate as od
from ordinate.ratings import base


@pytest.fixture
def model():
    """User 7 at 0 rated a and b; items lie at 1, 2, 3 and 4."""
    frame = {"user": [7, 7, 8, 8], "item": ["a", "b", "c", "d"], "rating": [1, 2, 3, 4]}
    ratings = od.read_ratings(frame)
    return od.CFEE()._store(ratings, np.array([[0.0], [9.0]]), np.array([[1.0], [2], [3], [4]]))


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
    found = od.CFEE()._store(ratings, users, items).nearest_items(2, 20)
    distances = np.linalg.norm(items - users[2], axis=1)
    assert found.names == np.argsort(distances)[:20].tolist()


def test_unknown_names_and_bad_k_are_refused(model):
    with pytest.raises(od.InputError, match="no user 'x'; users are called 7, 8"):
        model.nearest_items("x")
    with pytest.raises(od.InputError, match="no item 'z'"):
        model.nearest_users("z")
    with pytest.raises(od.InputError, match="k must be an integer >= 1"):
        model.nearest_items(7, k=0)


def test_recommendations_of_many_users_are_those_of_each(monkeypatch):
    rng = np.random.default_rng(1)
    users, items = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    pairs = rng.permutation(40 * 30)[:300]
    ratings = od.Ratings(
        pairs // 30, pairs % 30, rng.normal(size=300), user_names=[f"u{u}" for u in range(40)]
    )
    model = od.CFEE()._store(ratings, users, items)
    monkeypatch.setattr(base, "_BLOCK", 7 * 30)  # several blocks
    found = model.recommend(k=6)
    assert len(found) == 40
    for number in (0, 6, 7, 39):
        rated = ratings.items[ratings.users == number]
        distances = np.linalg.norm(items - users[number], axis=1)
        distances[rated] = np.inf
        assert found[number].names == np.argsort(distances)[:6].tolist()
    some = model.recommend(np.array(["u3", "u1"]), k=6)
    np.testing.assert_array_equal(some.numbers, found.numbers[[3, 1]])
    assert some.users == ["u3", "u1"]
    everything = model.recommend(["u3"], k=99)
    n_rated = (ratings.users == 3).sum()
    assert len(everything[0].names) == 30 - n_rated
    assert (everything.numbers[0] == -1).sum() == n_rated
    columns = found.to_columns()
    assert columns["user"][:6].tolist() == ["u0"] * 6
    assert columns["rank"][:7].tolist() == [1, 2, 3, 4, 5, 6, 1]
    assert columns["item"][:6].tolist() == found[0].names


def test_recommend_takes_lists_and_only_coe_takes_new_users(model):
    with pytest.raises(od.InputError, match="users must be a list of names; got 'Ann'"):
        model.recommend("Ann")
    with pytest.raises(od.InputError, match="users must be a list of names; got 7"):
        model.recommend(7)
    other = od.CFEE()._store(model.ratings_, model.user_embedding_, model.item_embedding_)
    with pytest.raises(od.InputError, match="CFEE does not place new users"):
        other.recommend(model.ratings_)


def test_recommendations_are_shown_in_a_few_lines(model):
    found = model.recommend(k=2, exclude_rated=False)
    first = found[0]
    assert len(repr(found)) < 60
    lines = str(found).splitlines()
    assert lines[0] == repr(found)
    assert lines[2].split("  ")[1:3] == [str(found.users[0]), ", ".join(map(str, first.names))]
    assert len(lines) <= 7
    assert "<td>" in found._repr_html_()
    with pytest.raises(od.InputError, match="call nearest_items"):
        found["Ann"]


def test_items_with_few_ratings_are_left_out_on_request():
    users, items = np.zeros((3, 1)), np.arange(3.0)[:, None]
    ratings = od.Ratings([0, 0, 1, 1, 2], [0, 1, 1, 2, 2], [1, 2, 3, 4, 5])
    model = od.CFEE()._store(ratings, users, items)
    assert model.recommend([2], exclude_rated=False)[0].names == [0, 1, 2]
    assert model.recommend([2], exclude_rated=False, min_ratings=2)[0].names == [1, 2]
    assert model.recommend([2], min_ratings=2)[0].names == [1]
    with pytest.raises(od.InputError, match="No item has 3 ratings or more"):
        model.recommend([2], min_ratings=3)


def test_the_score_is_the_share_of_pairs_in_order_by_brute_force():
    rng = np.random.default_rng(1)
    users, items = np.divmod(np.arange(60), 10)
    names = [f"u{n}" for n in range(6)], [f"i{n}" for n in range(10)]
    given = {"user_names": names[0], "item_names": names[1]}
    ratings = od.Ratings(users, items, rng.integers(1, 6, 60), **given)
    model = od.COE(objective="predict", draws_per_object=50, random_state=0).fit(ratings)
    # other numbers, the same names
    test = od.read_ratings(
        {"user": ["u3"] * 4 + ["u0"] * 3, "item": ["i9", "i2", "i5", "i0", "i1", "i2", "i3"]}
        | {"rating": [1.0, 2.0, 2.0, 5.0, 3.0, 1.0, 3.0]}
    )
    right = total = 0
    for a, b in itertools.permutations(range(7), 2):
        if test.users[a] == test.users[b] and test.values[a] > test.values[b]:
            user = model.ratings_.user_number(test.user_names[test.users[a]])
            far = [
                np.linalg.norm(model.user_embedding_[user] - model.item_embedding_[item])
                + model.offsets_[6 + item]
                for item in (int(test.item_names[test.items[row]][1:]) for row in (a, b))
            ]
            right += far[0] < far[1]
            total += 1
    assert model.score(test) == right / total
    with pytest.raises(od.InputError, match="There is no user 'stranger'"):
        model.score({"user": ["stranger"], "item": ["i0"], "rating": [1]})
    with pytest.raises(od.InputError, match="two ratings of different value"):
        model.score(test[:1])
