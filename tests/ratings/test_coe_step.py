import json
from pathlib import Path

import numpy as np
import pytest

from ordinate.ratings.coe_step import LARGEST_GROWTH, OFFSET_PENALTY, Ascent, sgd_step

FIXTURE = json.loads((Path(__file__).parents[1] / "data" / "coe_gradients.json").read_text())


def fixture_rows(n_users):
    a = [(u, n_users + i, n_users + j) for u, i, j in FIXTURE["type_A_uij"]]
    b = [(n_users + i, u, v) for u, v, i in FIXTURE["type_B_uvi"]]
    return np.array(a + b, dtype=np.uint32)


def gradient(points, rows, link, largest):
    """The paper's gradient, with the exponent of Gompertz cut at `largest`."""
    total = np.zeros_like(points)
    for anchor, near, far in rows:
        to_near, to_far = points[near] - points[anchor], points[far] - points[anchor]
        near_d, far_d = np.linalg.norm(to_near), np.linalg.norm(to_far)
        growth = near_d - far_d
        if link == "sigmoid":
            slope = 1 / (1 + np.exp(-growth))
        else:
            slope = np.log(2) * np.exp(min(growth, largest))
        total[anchor] += slope * (to_near / near_d - to_far / far_d)
        total[near] -= slope * to_near / near_d
        total[far] += slope * to_far / far_d
    return total


@pytest.mark.parametrize(
    "run", FIXTURE["runs"], ids=lambda run: f"{run['link']}-{run['scale']}-{run['eta']}"
)
def test_steps_follow_the_gradient_by_automatic_differentiation(run):
    users, items = np.array(FIXTURE["users"]), np.array(FIXTURE["items"])
    points = np.concatenate([users, items])
    rows = fixture_rows(len(users))
    link, scale = run["link"], run["scale"]
    start = scale * points  # a scale of the distances is the same as a larger map
    expected = np.concatenate([run["grad_users"], run["grad_items"]])
    by_formula = scale * gradient(start, rows, link, np.inf) - run["eta"] * points
    np.testing.assert_allclose(by_formula, expected, atol=1e-10)
    rate = 1e-6
    # all rows in one block: every step starts from the same points
    for largest in (LARGEST_GROWTH, np.inf):
        moved = start.copy()
        sgd_step(moved, rows, 0, rate, 0.0, link == "gompertz", len(rows), (0, 1), largest)
        expected = gradient(start, rows, link, largest)
        np.testing.assert_allclose((moved - start) / rate, expected, rtol=1e-6, atol=1e-8)


def test_the_published_step_is_that_of_algorithm_1():
    rng = np.random.default_rng(0)
    n_cut = 0
    for _ in range(100):
        points = 2 * rng.normal(size=(3, 2))
        row, rate, eta = np.array([[0, 1, 2]], dtype=np.uint32), 0.03, 3e-3
        moved = points.copy()
        Ascent("gompertz", eta, cut=False)(moved, row, rate)
        expected = points + rate * (gradient(points, row, "gompertz", np.inf) - eta * points)
        np.testing.assert_allclose(moved, expected, rtol=1e-9)
        ours = points.copy()
        Ascent("gompertz", eta)(ours, row, rate)
        n_cut += not np.allclose(ours, expected)
    assert n_cut > 10


@pytest.mark.parametrize("gompertz", [False, True])
def test_steps_with_offsets_follow_finite_differences(gompertz):
    rng = np.random.default_rng(0)
    # two axes and an offset, all so small that the exponent of Gompertz is not cut
    start = 0.3 * rng.normal(size=(4, 3))
    rows = np.array([[0, 1, 2], [3, 2, 1]], dtype=np.uint32)

    def log_posterior(points):
        total = 0.0
        for anchor, near, far in rows:
            near_d, far_d = (
                np.linalg.norm(points[anchor, :2] - points[other, :2]) + points[other, 2]
                for other in (near, far)
            )
            growth = near_d - far_d
            total -= np.log(2) * np.exp(growth) if gompertz else np.log1p(np.exp(growth))
            total -= 0.5 * OFFSET_PENALTY * np.sum(points[[near, far], 2] ** 2)
            total -= 0.5 * 0.1 * np.sum(points[[anchor, near, far], :2] ** 2)
        return total

    rate, step = 1e-6, 1e-5
    moved = start.copy()
    sgd_step(moved, rows, 0, rate, 0.1, gompertz, 1, (0, 1))
    slopes = np.zeros_like(start)
    for at in np.ndindex(*start.shape):
        up, down = start.copy(), start.copy()
        up[at] += step
        down[at] -= step
        slopes[at] = (log_posterior(up) - log_posterior(down)) / (2 * step)
    np.testing.assert_allclose((moved - start) / rate, slopes, atol=1e-4)


def test_penalty_shrinks_the_three_points_of_each_triple():
    points = np.array([[0.0, 0.0], [1e9, 0.0], [-1e9, 0.0], [5.0, 5.0]])
    # equal distances: the pull is bounded, so the shrinking shows
    sgd_step(points, np.array([[0, 1, 2]], dtype=np.uint32), 0, 0.5, 0.1, False, 1, (0, 1))
    np.testing.assert_allclose(points[1:3, 0] / 1e9, [0.95, -0.95])
    np.testing.assert_array_equal(points[3], 5)


@pytest.mark.parametrize("gompertz", [False, True])
def test_coincident_and_far_points_give_finite_bounded_steps(gompertz):
    points = np.array([[0.0], [0.0], [0.0], [1e4]])
    rows = np.array([[0, 1, 2], [0, 3, 1]], dtype=np.uint32)
    moved = points.copy()
    sgd_step(moved, rows, 0, 1.0, 0.0, gompertz, 1, (0,))
    assert np.isfinite(moved).all()
    assert np.abs(moved - points).max() <= 2 * np.exp(LARGEST_GROWTH)


def test_objects_before_the_first_free_one_stay():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6, 2))
    moved = points.copy()
    rows = np.array([[0, 1, 5], [5, 2, 3], [4, 5, 0]], dtype=np.uint32)
    sgd_step(moved, rows, 5, 0.1, 0.01, False, 2, (0, 1))
    np.testing.assert_array_equal(moved[:5], points[:5])
    assert not np.array_equal(moved[5], points[5])


def test_an_ascent_pulls_the_near_and_pushes_the_far():
    points = np.array([[0.0], [1.0], [1.0]])
    Ascent("sigmoid", 0.0)(points, np.array([[0, 1, 2]] * 5, dtype=np.uint32), 0.1)
    assert abs(points[0, 0] - points[1, 0]) < 1 < abs(points[0, 0] - points[2, 0])


def test_the_probability_and_the_penalty_reach_the_steps():
    rows = np.array([[0, 1, 2]], dtype=np.uint32)
    ends = []
    for ascent in (Ascent("sigmoid", 0.0), Ascent("gompertz", 0.0), Ascent("sigmoid", 0.1)):
        ends.append(np.array([[0.0], [1.0], [3.0]]))
        ascent(ends[-1], rows, 0.1)
    assert len({tuple(end.ravel()) for end in ends}) == 3
