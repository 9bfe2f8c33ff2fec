import numpy as np
import pytest

import ordinate as od
from ordinate.ratings.bprplus import PairwiseRanking, _flat, _lifted


def test_distances_rank_like_inner_products():
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(5, 3)), rng.normal(size=(20, 3))
    distances = np.linalg.norm(_flat(users)[:, None] - _lifted(items)[None], axis=2)
    np.testing.assert_array_equal(
        np.argsort(distances, axis=1), np.argsort(-users @ items.T, axis=1)
    )


def blocks():
    values = np.kron(np.eye(2), np.ones((15, 12))) * 4 + 1
    users, items = np.nonzero(values)
    return od.Ratings(users, items, values[users, items])


@pytest.mark.parametrize(
    ("direction", "accuracy"), [("users", "user_anchored"), ("items", "item_anchored")]
)
def test_two_camps_are_distinguished(direction, accuracy):
    model = od.BPRPlus(direction=direction, random_state=0).fit(blocks())
    assert model.user_embedding_.shape == (30, 2)
    assert getattr(od.coe_report(model).preservation, accuracy) > 0.95


def test_same_seed_same_map():
    one, two, other = (
        od.BPRPlus(random_state=seed, n_jobs=jobs, max_iter=3).fit(blocks())
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    )
    np.testing.assert_array_equal(one.item_embedding_, two.item_embedding_)
    assert not np.array_equal(one.item_embedding_, other.item_embedding_)


@pytest.mark.parametrize(
    "changes",
    [{"max_iter": 4}, {"learning_rate": 0.01}, {"penalty": 0.5}, {"direction": "items"}],
    ids=lambda changes: next(iter(changes)),
)
def test_every_parameter_reaches_the_fit(changes):
    common = {"random_state": 1, "max_iter": 3}
    one, two = (od.BPRPlus(**(common | part)).fit(blocks()) for part in ({}, changes))
    assert not np.array_equal(one.item_embedding_, two.item_embedding_)


def test_one_dimension_is_too_few():
    with pytest.raises(od.InputError, match="n_components must be an integer >= 2"):
        od.BPRPlus(n_components=1).fit(blocks())


def log_posterior(points, row, penalty):
    anchor, better, worse = points[row]
    lead = anchor @ (better - worse)
    return -np.log1p(np.exp(-lead)) - penalty / 2 * np.square(points[row]).sum()


def test_a_step_follows_the_gradient_by_finite_differences():
    rng = np.random.default_rng(0)
    points, row, penalty = rng.normal(size=(4, 3)), np.array([2, 0, 3]), 0.2
    expected = np.zeros_like(points)
    for at in np.ndindex(points.shape):
        ends = []
        for sign in (1, -1):
            shifted = points.copy()
            shifted[at] += sign * 1e-5
            ends.append(log_posterior(shifted, row, penalty))
        expected[at] = (ends[0] - ends[1]) / 2e-5
    moved = points.copy()
    PairwiseRanking(penalty)(moved, row[None].astype(np.uint32), 1e-6)
    np.testing.assert_allclose((moved - points) / 1e-6, expected, atol=1e-8)


def test_inner_products_come_to_rank_as_asked():
    points = np.random.default_rng(1).normal(size=(3, 1))
    PairwiseRanking(0.0)(points, np.tile(np.array([0, 1, 2], dtype=np.uint32), (200, 1)), 0.5)
    assert points[0, 0] * points[1, 0] > points[0, 0] * points[2, 0] + 1
