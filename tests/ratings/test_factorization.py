import numpy as np

from ordinate.ratings.factorization import PairwiseRanking


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
