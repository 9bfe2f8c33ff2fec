import itertools
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import ordinate as od


def a_map(users, items, ratings):
    return SimpleNamespace(
        ratings_=ratings,
        user_embedding_=np.array(users, dtype=float),
        item_embedding_=np.array(items, dtype=float),
    )


@pytest.fixture
def whole():
    users, items = np.nonzero(np.ones((3, 3)))
    return od.Ratings(users, items, [5, 4, 1, 1, 2, 3, 2, 2, 5])


def test_figures_are_those_by_hand(whole):
    report = od.coe_report(
        a_map([[0], [9], [4]], [[1], [2], [3]], whole), normalize="none", neighbors=[1, 2]
    )
    # user 0: all right; user 1 prefers 2 to 1 to 0, all right; user 2: 2 over 0 and 1, tie
    assert report.preservation.user_anchored == 1
    # distances to item 0: 1, 8, 3 for values 5, 1, 2; item 1: 2, 7, 2 for 4, 2, 2 (tied)
    # item 2: 3, 6, 1 for 1, 3, 5: user 2 is right twice, user 1 over user 0 is wrong
    assert report.preservation.item_anchored == pytest.approx((3 / 3 + 1 / 2 + 2 / 3) / 3)
    by_user = [(2 + 1 + 1) / 6, (2 + 1 + 1) / 5, (2 + 0 + 2) / 5]
    assert report.preservation.item_anchored_by_user == pytest.approx(np.mean(by_user))
    nearest = report.neighbors[0]
    assert nearest.users == pytest.approx((5 + 3 + 5) / 3)
    assert report.neighbors[1].users == pytest.approx((9 / 2 + 5 / 2 + 7 / 2) / 3)
    assert report.neighbors[0].h_mean == pytest.approx(2 / (1 / nearest.users + 1 / nearest.items))


def zscores(ratings):
    values, users = ratings.values, ratings.users
    mean = np.array([values[users == user].mean() for user in range(ratings.n_users)])
    deviation = np.array([values[users == user].std() for user in range(ratings.n_users)])
    return np.round((values - mean[users]) / deviation[users], 9)


def accuracy_by_hand(whole, points, side, chosen):
    """Mean over users (0) or items (1) of the share of chosen pairs that hold."""
    right, pairs = np.zeros(9), np.zeros(9)
    entries = list(zip(whole.users, whole.items, zscores(whole), strict=True))
    for one, two in itertools.combinations(entries, 2):
        if one[side] != two[side] or one[2] == two[2] or not chosen(one[:2], two[:2]):
            continue
        near, far = (np.linalg.norm(points[u] - points[9 + i]) for u, i, _ in (one, two))
        pairs[one[side]] += 1
        right[one[side]] += (near < far) == (one[2] > two[2])
    some = pairs > 0
    return np.mean(right[some] / pairs[some])


def test_predicted_and_unseen_triples_are_those_by_hand():
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((9, 9)) < 0.8)
    whole = od.Ratings(users, items, rng.integers(1, 6, len(users)))
    train, test = whole.train_test_split(0.4, random_state=0)
    points = rng.normal(size=(18, 2))
    report = od.coe_report(a_map(points[:9], points[9:], train), test)
    hidden = set(zip(test.users, test.items, strict=True))
    for found, chosen in (
        (report.preservation, lambda one, two: one not in hidden and two not in hidden),
        (report.prediction, lambda one, two: one in hidden or two in hidden),
        (report.unseen, lambda one, two: one in hidden and two in hidden),
    ):
        assert found.user_anchored == pytest.approx(accuracy_by_hand(whole, points, 0, chosen))
        assert found.item_anchored == pytest.approx(accuracy_by_hand(whole, points, 1, chosen))


def test_noise_is_not_predicted_where_guessing_gives_a_half():
    rng = np.random.default_rng([0])  # the deviation of the share is about 0.013
    users, items = np.nonzero(rng.random((150, 120)) < 0.3)
    train, test = od.Ratings(users, items, rng.integers(1, 6, len(users))).train_test_split(
        0.2, random_state=rng
    )
    report = od.coe_report(od.COE(random_state=rng, draws_per_object=300).fit(train), test)
    assert report.unseen.h_mean == pytest.approx(0.5, abs=0.025)
    assert report.prediction.h_mean > 0.53


def test_neighbours_are_sought_among_fitted_and_held_out_ratings(whole):
    train, test = whole.train_test_split(1 / 3, random_state=0)
    points = np.random.default_rng(0).normal(size=(6, 2))
    both = od.coe_report(a_map(points[:3], points[3:], whole))
    parts = od.coe_report(a_map(points[:3], points[3:], train), test)
    assert [average.users for average in parts.neighbors] == [
        pytest.approx(average.users) for average in both.neighbors
    ]
    assert both.prediction is None
    assert both.unseen is None


def test_counts_are_averaged_as_shares():
    ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [1, 3, 1, 1])
    report = od.coe_report(a_map([[0], [1]], [[5], [1]], ratings), normalize="share", neighbors=[1])
    assert report.neighbors[0].users == pytest.approx((0.75 + 0.5) / 2)


def test_report_prints_and_goes_to_json(whole):
    train, test = whole.train_test_split(1 / 3, random_state=0)
    report = od.coe_report(a_map([[0], [9], [4]], [[1], [2], [3]], train), test)
    text = str(report)
    assert "\n  fitted " in text
    assert "held out" in text
    assert "5-NN average" in text
    figures = json.loads(json.dumps(report.to_dict()))
    assert figures["preservation"]["h_mean"] == pytest.approx(report.preservation.h_mean)
    assert [average["k"] for average in figures["neighbors"]] == [1, 5]


def test_threads_change_nothing(whole):
    model = a_map([[0], [9], [4]], [[1], [2], [3]], whole)
    assert od.coe_report(model, n_jobs=2) == od.coe_report(model)


def test_other_users_are_refused(whole):
    other = od.Ratings([0, 0], [0, 1], [1, 2])
    with pytest.raises(od.InputError, match="take both from one train_test_split"):
        od.coe_report(a_map([[0], [9], [4]], [[1], [2], [3]], whole), other)


def test_triples_do_not_judge_a_map_of_ratings(whole):
    model = a_map([[0], [9], [4]], [[1], [2], [3]], whole)
    with pytest.raises(od.InputError, match="held_out must be Ratings too; got list"):
        od.coe_report(model, [[0, 1, 2]])
    with pytest.raises(od.InputError, match="COE is not fitted yet"):
        od.coe_report(od.COE())


def test_notebooks_show_a_table(whole):
    shown = od.coe_report(a_map([[0], [9], [4]], [[1], [2], [3]], whole))._repr_html_()
    assert '<th scope="row">fitted</th><td>100.0%</td>' in shown
    assert shown.count("<tr>") == 4


def test_item_means_are_a_baseline_for_new_ratings():
    # all users prefer item 0 to 1 to 2; what is fitted says so, and so do the held-out ratings
    users, items = np.repeat(np.arange(6), 3), np.tile(np.arange(3), 6)
    values = 5.0 - items
    fitted = np.arange(18) < 9
    parts = [
        od.Ratings(
            np.where(part, users, 0)[part],
            items[part],
            values[part],
            user_names=range(6),
            item_names=range(3),
        )
        for part in (fitted, ~fitted)
    ]
    model = od.COE(draws_per_object=50, random_state=0).fit(parts[0])
    report = od.coe_report(model, parts[1])
    assert report.item_means == 1
    assert "by item means    100.0%" in str(report)
    assert od.coe_report(model).item_means is None


def test_a_map_that_may_be_guessing_is_not_said_to_predict():
    rng = np.random.default_rng([0])
    users, items = np.repeat(np.arange(30), 20), np.tile(np.arange(20), 30)
    ratings = od.Ratings(users, items, rng.integers(1, 6, 600))
    accuracy = od.coembed(ratings, random_state=0).accuracy
    unsure = replace(accuracy.unseen, user_anchored=0.56, item_anchored=0.56, standard_error=0.04)
    assert "hardly predicts new ratings" in replace(accuracy, unseen=unsure).verdict
    sure = replace(unsure, standard_error=0.01)
    assert "a little" in replace(accuracy, unseen=sure, item_means=0.5).verdict
