"""Loss and gradient over neighbours × outliers, beside the general engine over listed triplets."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from ordinate import Comparisons, InputError, losses
from ordinate.engine.cpu import CPUObjective
from ordinate.features import objective as neighbor_objective
from ordinate.features.objective import (
    AnnealedObjective,
    MarginSchedule,
    ReductionObjective,
    WeightedTriplets,
    add_gradient,
    fixed_outliers,
    squared_spacing,
)

N, M, C = 150, 4, 3


@pytest.fixture
def triplets():
    rng = np.random.default_rng(0)
    neighbors = np.array(
        [rng.choice(np.delete(np.arange(N), i), M, replace=False) for i in range(N)], dtype=np.int32
    )
    return WeightedTriplets(
        neighbors=neighbors,
        near_weights=rng.random((N, M), dtype=np.float32),
        n_outliers=C,
        outliers=fixed_outliers(neighbors, C, seed=1),
        far_weights=rng.random((N, C), dtype=np.float32),
        offset=0.25,
    )


def listed(triplets):
    """The same triplets as rows, and their weights."""
    i, j, k = np.indices((N, M, C)).reshape(3, -1)
    rows = np.column_stack([i, triplets.neighbors[i, j], triplets.outliers[i, k]])
    weights = triplets.near_weights[i, j] * triplets.far_weights[i, k] + triplets.offset
    return Comparisons(rows, weights=weights, n_objects=N)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_it_equals_the_sum_over_listed_triplets(triplets, n_components):
    points = np.random.default_rng(2).normal(size=(N, n_components)).astype(np.float32)
    value, gradient = ReductionObjective(triplets)(points)
    record = listed(triplets)
    expected, slopes = CPUObjective(record, losses.tete, (2.0, 2.0))(points.astype(np.float64))
    total = record.weights.sum()
    assert value == pytest.approx(expected / total, rel=1e-5)
    np.testing.assert_allclose(gradient, slopes * N / total, atol=2e-5)


def test_the_margin_multiplies_near_squared_distances(triplets):
    points = np.random.default_rng(2).normal(size=(N, 2))
    record = listed(triplets)
    anchor, near, far = record.rows.T

    def expected(flat):
        at = flat.reshape(N, 2)
        a, b = (np.square(at[anchor] - at[other]).sum(axis=1) for other in (near, far))
        values = losses.tete(4 * a, b, 2.0, 2.0)[0]
        return (record.weights * values).sum() / record.weights.sum()

    objective = ReductionObjective(triplets, margin=4.0)
    value, gradient = objective(points.astype(np.float32))
    assert value == pytest.approx(expected(points.ravel()), rel=1e-5)
    slopes = approx_fprime(points.ravel(), expected, 1e-6).reshape(N, 2)
    np.testing.assert_allclose(gradient, N * slopes, atol=5e-4)


@pytest.mark.parametrize("radius", [0.1, 100.0])
def test_the_margin_grows_from_one_and_falls_as_the_size_of_the_map_asks(triplets, radius):
    angles = np.linspace(0, 2 * np.pi, N, endpoint=False)
    points = (radius * np.column_stack([np.cos(angles), np.sin(angles)])).astype(np.float32)
    changing = ReductionObjective(triplets, margin=MarginSchedule(5.0, 10))
    values = [changing(points)[0] for _ in range(12)]
    # an even disc with this mean square has the area 2 π radius²
    end = min(5**0.5, N / (2 * np.pi * radius**2))
    margins = [*np.linspace(1, 5, 7), *np.geomspace(5, end, 5)[1:], end]
    constant = [ReductionObjective(triplets, margin=margin)(points)[0] for margin in margins]
    np.testing.assert_allclose(values, constant, rtol=1e-5)


def test_the_spacing_of_an_even_map_is_found():
    line = np.arange(200, dtype=np.float32)[:, None]
    grid = np.stack(np.meshgrid(np.arange(60.0), np.arange(60.0)), axis=-1).reshape(-1, 2)
    disc = grid[np.linalg.norm(grid - 29.5, axis=1) < 29]
    assert squared_spacing(3 * line) == pytest.approx(9, rel=0.01)
    assert squared_spacing(3 * disc) == pytest.approx(9, rel=0.01)
    flat = np.column_stack([disc, np.zeros((len(disc), 3))])
    assert squared_spacing(flat) == squared_spacing(disc)


def test_a_margin_without_a_plan_or_a_map_of_one_place():
    constant, rising = MarginSchedule(3.0), MarginSchedule(4.0, 2)
    at = np.zeros((5, 2), np.float32)
    assert [constant(at) for _ in range(3)] == [3, 3, 3]
    assert [rising(at) for _ in range(3)] == pytest.approx([1, 1 + 3 * 0.5 / 0.6, 2])
    assert rising.last == 2


@pytest.mark.compiled
def test_threads_change_no_bit():
    n = 8000
    neighbors = (np.arange(n)[:, None] + np.arange(1, 9)).astype(np.int32) % n
    triplets = WeightedTriplets(neighbors, np.ones((n, 8), np.float32), n_outliers=8)
    points = np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
    one = ReductionObjective(triplets, seed=3, n_threads=1)
    four = ReductionObjective(triplets, seed=3, n_threads=4)
    for _ in range(2):
        (value, gradient), (other, its_gradient) = one(points), four(points)
        assert value == other
        np.testing.assert_array_equal(gradient, its_gradient)


def test_outliers_are_drawn_again_at_each_call_and_by_seed(triplets):
    fresh = WeightedTriplets(triplets.neighbors, triplets.near_weights, n_outliers=C)
    points = np.random.default_rng(0).normal(size=(N, 2)).astype(np.float32)
    first, second = ReductionObjective(fresh, seed=1), ReductionObjective(fresh, seed=2)
    values = [first(points)[0], first(points)[0], second(points)[0]]
    assert len(set(values)) == 3
    assert ReductionObjective(fresh, seed=1)(points)[0] == values[0]
    fixed = ReductionObjective(triplets)
    assert fixed(points)[0] == fixed(points)[0]


def test_outliers_are_uniform_among_those_that_are_not_neighbours():
    neighbors = np.array([[1, 2], [0, 3], [5, 4], [0, 1], [1, 2], [0, 1]], dtype=np.int32)
    drawn = fixed_outliers(neighbors, 30_000, seed=0)
    for i, row in enumerate(drawn):
        allowed = sorted(set(range(6)) - {i, *neighbors[i].tolist()})
        found, counts = np.unique(row, return_counts=True)
        assert found.tolist() == allowed
        np.testing.assert_allclose(counts / len(row), 1 / 3, atol=0.015)


def test_anchors_after_placed_objects_only_meet_those(triplets):
    placed = np.random.default_rng(0).normal(size=(N, 2)).astype(np.float32)
    new = WeightedTriplets(triplets.neighbors[:2], triplets.near_weights[:2], n_outliers=C)
    both = ReductionObjective(new, first=N)(np.vstack([placed, placed[:2] + 1]))[1]
    assert np.abs(both[-1]).max() > 0
    alone = WeightedTriplets(triplets.neighbors[1:2], triplets.near_weights[1:2], n_outliers=C)
    objective = ReductionObjective(alone, first=N)
    single = objective(np.vstack([placed, placed[1:2] + 1]))[1]
    direction = single[-1] / np.abs(single[-1]).max()
    np.testing.assert_allclose(both[-1] / np.abs(both[-1]).max(), direction, rtol=1e-5)


def test_the_passing_term_fades_with_the_square_of_what_is_left():
    def lasting(points):
        return 1.0, points.copy()

    def passing(points):
        return 10.0, np.ones_like(points)

    objective = AnnealedObjective(lasting, passing, weight=0.5, n_calls=5)
    points = np.full((2, 2), 7, dtype=np.float32)
    for weight in 0.5 * np.array([1, 9 / 16, 4 / 16, 1 / 16, 0]):
        value, gradient = objective(points)
        assert value == pytest.approx(1 + 10 * weight)
        np.testing.assert_allclose(gradient, 7 + weight, rtol=1e-6)


@pytest.mark.parametrize("crowd", [0, neighbor_objective._CROWD])
def test_drawn_outliers_stand_as_many_places_further_for_a_block_of_anchors(
    triplets, monkeypatch, crowd
):
    if crowd == 0 and hasattr(add_gradient, "py_func"):
        pytest.skip("a compiled constant cannot be changed")
    monkeypatch.setattr(neighbor_objective, "_CROWD", crowd)
    points = np.random.default_rng(0).normal(size=(N, 2)).astype(np.float32)
    neighbors, near_weights = triplets.neighbors, triplets.near_weights
    drawn = np.random.default_rng([5]).integers(1, N, size=(3, C), dtype=np.uint64)  # as below
    shifts = np.repeat(drawn.astype(np.int64), 64, axis=0)[:N]
    outliers = ((np.arange(N)[:, None] + shifts) % N).astype(np.int32)
    # among few objects, an outlier that is a neighbour does not count
    counted = ~((outliers[:, :, None] == neighbors[:, None]).any(axis=2) & (crowd > 0))
    far_weights = counted.astype(np.float32)
    listed = WeightedTriplets(neighbors, near_weights, C, outliers, far_weights)
    drawn = ReductionObjective(WeightedTriplets(neighbors, near_weights, n_outliers=C), seed=5)
    share = (near_weights.sum(axis=1) @ far_weights.sum(axis=1)) / (near_weights.sum() * C)
    assert (share < 1) == (crowd > 0)
    value, gradient = drawn(points)
    expected, its_gradient = ReductionObjective(listed)(points)
    assert value == pytest.approx(expected * share, rel=1e-5)
    np.testing.assert_allclose(gradient, its_gradient * share, atol=1e-6)


def test_another_order_of_objects_changes_nothing_but_the_order(triplets):
    points = np.random.default_rng(0).normal(size=(N, 2)).astype(np.float32)
    order = np.random.default_rng(1).permutation(N).astype(np.int32)
    value, gradient = ReductionObjective(triplets)(points)
    same, reordered = ReductionObjective(triplets.in_order(order))(points[order])
    assert same == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(reordered, gradient[order], atol=1e-6)


def test_one_triplet_on_a_line():
    # squared distances 1 and 4 cost 2 / 7; slopes on them are 5 / 49 and -2 / 49
    loss, pull, push = 2 / 7, 5 / 49, 2 / 49
    points = np.array([[0], [1], [-2]], dtype=np.float32)
    one = np.ones((1, 1), dtype=np.float32)
    gradient = np.zeros((3, 1), dtype=np.float32)
    found = add_gradient(
        points, np.array([[1]], dtype=np.uint32), np.array([[2]], dtype=np.uint32), one, one,
        np.float32(0), np.float32(1), 0, np.ones((1, 1), dtype=np.uint64), 0, 1, (0,),
        gradient,
    )  # fmt: skip
    assert found == pytest.approx(loss, rel=1e-6)
    np.testing.assert_allclose(
        gradient.ravel(), [-2 * pull - 4 * push, 2 * pull, 4 * push], rtol=1e-5
    )


@pytest.mark.parametrize("wrong", [-1, 3])
def test_no_number_of_an_object_enters_the_loop_unchecked(wrong):
    neighbors = np.array([[1], [0], [wrong]], dtype=np.int32)
    weights = np.ones((3, 1), dtype=np.float32)
    for triplets in (
        WeightedTriplets(neighbors, weights, n_outliers=1),
        WeightedTriplets(np.abs(neighbors) % 3, weights, 1, outliers=neighbors),
    ):
        with pytest.raises(InputError, match="objects outside of the 3 that have coordinates"):
            ReductionObjective(triplets)(np.zeros((3, 2), dtype=np.float32))
