"""The sum over comparisons against brute force, and its invariances."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordinate as od
from ordinate import losses
from ordinate.engine import cpu
from ordinate.engine.cpu import CPUObjective, chunk_bounds, compiled_kernel

LOSSES = [
    (losses.soe, (1.0,)),
    (losses.gnmds, ()),
    (losses.ckl, (0.05,)),
    (losses.ste, ()),
    (losses.tste, (1.0,)),
    (losses.tete, (1.5, 1.5)),
]
every_loss = pytest.mark.parametrize(
    ("loss", "parameters"), LOSSES, ids=[loss.__name__ for loss, _ in LOSSES]
)
# A loss sees two distances and never the rows: each is compiled for few triplets, which other
# tests need too, and one of them for every kind of row, for any dimension and for two alone.
SHAPES = [(3, 1), (3, 2), (3, 13), (4, 1), (4, 2), (4, 13)]


def random_rows(rng, n_objects, n_rows, n_columns):
    rows = np.array([rng.permutation(n_objects)[:n_columns] for _ in range(n_rows)])
    return rows.astype(np.int32)


def brute_force(rows, points, loss, parameters, weights):
    value, gradient = 0.0, np.zeros_like(points)
    for row, weight in zip(rows, weights, strict=True):
        i, j, k, l = row if len(row) == 4 else (row[0], row[1], row[0], row[2])  # noqa: E741
        u, v = points[i] - points[j], points[k] - points[l]
        part, p, q = loss(u @ u, v @ v, *parameters)
        value += weight * part
        for index, change in ((i, p * u), (j, -p * u), (k, q * v), (l, -q * v)):
            gradient[index] += 2 * weight * change
    return value, gradient


@every_loss
def test_every_loss_equals_brute_force(loss, parameters):
    check_against_brute_force(loss, parameters, 3, 2)


@pytest.mark.parametrize(("n_columns", "dimension"), SHAPES)
def test_every_shape_equals_brute_force(n_columns, dimension, monkeypatch):
    monkeypatch.setattr(cpu, "_FEWEST_UNROLLED", 0)
    check_against_brute_force(losses.soe, (1.0,), n_columns, dimension)


def check_against_brute_force(loss, parameters, n_columns, dimension):
    rng = np.random.default_rng(dimension)
    rows = random_rows(rng, 9, 200, n_columns)
    weights = rng.random(200)
    points = rng.normal(size=(9, dimension))
    comparisons = od.Comparisons(rows, weights=weights)
    value, gradient = CPUObjective(comparisons, loss, parameters)(points)
    expected, expected_gradient = brute_force(rows, points, loss, parameters, weights)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-10, atol=1e-12)


@every_loss
@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_gradient_by_finite_differences(loss, parameters, scale):
    rng = np.random.default_rng(3)
    objective = CPUObjective(od.Comparisons(random_rows(rng, 6, 40, 3)), loss, parameters)
    points = scale * rng.normal(size=(6, 2))
    value, gradient = objective(points)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    direction = rng.normal(size=points.shape)
    step = 1e-6 * scale
    measured = (
        objective(points + step * direction)[0] - objective(points - step * direction)[0]
    ) / (2 * step)
    noise = 1e-10 * abs(value) / step
    assert np.sum(gradient * direction) == pytest.approx(measured, rel=2e-4, abs=noise + 1e-12)


@every_loss
def test_coincident_points_are_finite(loss, parameters):
    objective = CPUObjective(od.Comparisons([[0, 1, 2], [1, 2, 3]]), loss, parameters)
    for points in (np.zeros((4, 2)), np.array([[0.0, 0], [0, 0], [1, 0], [1, 0]])):
        value, gradient = objective(points)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


@pytest.mark.compiled
def test_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 50, size=(200_000, 3))
    rows = rows[(np.diff(np.sort(rows)) > 0).all(axis=1)]
    comparisons = od.Comparisons(rows, n_objects=50)
    points = rng.normal(size=(50, 2))
    assert len(chunk_bounds(len(rows), points.size)) > 8
    results = [
        CPUObjective(comparisons, losses.tste, [1.0], n_threads=t)(points) for t in (1, 2, 8)
    ]
    for value, gradient in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    shift=st.floats(-10, 10),
    angle=st.floats(0, 2 * np.pi),
)
def test_the_loss_does_not_change_with_motions(seed, shift, angle):
    loss, parameters = losses.soe, (1.0,)
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 7, 60, 3)
    points = rng.normal(size=(7, 2))
    value, gradient = CPUObjective(od.Comparisons(rows, n_objects=7), loss, parameters)(points)

    def check(other, expected_gradient=None):
        assert other[0] == pytest.approx(value, rel=1e-9)
        if expected_gradient is not None:
            np.testing.assert_allclose(other[1], expected_gradient, rtol=1e-7, atol=1e-8)

    objective = CPUObjective(od.Comparisons(rows, n_objects=7), loss, parameters)
    check(objective(points + shift), gradient)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    check(objective(points @ turn), gradient @ turn)
    relabel = rng.permutation(7)
    moved = np.empty_like(points)
    moved[relabel] = points
    check(CPUObjective(od.Comparisons(relabel[rows], n_objects=7), loss, parameters)(moved))
    as_quadruplets = od.Comparisons(rows, n_objects=7).to_quadruplets()
    check(CPUObjective(as_quadruplets, loss, parameters)(points), gradient)
    counts = rng.integers(0, 4, size=60)
    repeated = CPUObjective(
        od.Comparisons(np.repeat(rows, counts, axis=0), n_objects=7), loss, parameters
    )
    weighted = CPUObjective(od.Comparisons(rows, n_objects=7, weights=counts), loss, parameters)
    assert weighted(points)[0] == pytest.approx(repeated(points)[0], rel=1e-9)
    np.testing.assert_allclose(weighted(points)[1], repeated(points)[1], rtol=1e-7, atol=1e-9)


def test_with_parameters_changes_only_the_parameters():
    comparisons = od.Comparisons([[0, 1, 2]])
    points = np.array([[0.0], [1.0], [1.5]])
    objective = CPUObjective(comparisons, losses.soe, [1.0])
    assert (
        objective.with_parameters([2.0])(points)[0]
        == CPUObjective(comparisons, losses.soe, [2.0])(points)[0]
    )
    assert objective(points)[0] == 0.25


@pytest.mark.compiled
def test_one_compiled_loop_takes_few_answers_with_and_without_weights_in_any_dimension():
    def one_answer(weights, dimension):
        record = od.Comparisons([[0, 1, 2]], weights=weights)
        CPUObjective(record, losses.soe, [1.0])(np.zeros((3, dimension)))

    one_answer(None, 2)
    compiled = len(compiled_kernel(losses.soe, 0, 3).signatures)  # other tests may compile more
    one_answer([2.0], 2)
    one_answer(None, 3)
    assert len(compiled_kernel(losses.soe, 0, 3).signatures) == compiled


@pytest.mark.compiled
def test_a_loop_for_one_dimension_gives_the_same_bits(monkeypatch):
    rng = np.random.default_rng(0)
    objective = CPUObjective(od.Comparisons(random_rows(rng, 9, 300, 3)), losses.ckl, [0.05])
    points = rng.normal(size=(9, 3))
    value, gradient = objective(points)
    monkeypatch.setattr(cpu, "_FEWEST_UNROLLED", 0)
    alone = objective(points)
    assert compiled_kernel(losses.ckl, 3, 3).signatures
    assert alone[0] == value
    np.testing.assert_array_equal(alone[1], gradient)


@pytest.mark.compiled
def test_only_own_losses_are_cached_on_disk():
    def mine(near2, far2):
        return near2 - far2, 1.0, -1.0

    assert compiled_kernel(losses.soe, 0, 3).stats.cache_path
    CPUObjective(od.Comparisons([[0, 1, 2]]), mine)(np.zeros((3, 2)))
    assert type(compiled_kernel(mine, 0, 3)._cache).__name__ == "NullCache"


def test_a_loss_must_be_a_function():
    with pytest.raises(od.InputError, match="plain Python function"):
        CPUObjective(od.Comparisons([[0, 1, 2]]), np.exp)


def test_chunks_depend_on_the_data_alone():
    assert list(chunk_bounds(10, 4)) == [0, 10]
    assert len(chunk_bounds(10**7, 200)) == cpu._MOST_CHUNKS + 1
    assert len(chunk_bounds(10**6, 10**6)) == 2


def test_points_of_the_wrong_number_are_refused():
    with pytest.raises(od.InputError, match="points has 2 rows; expected 3"):
        CPUObjective(od.Comparisons([[0, 1, 2]]), losses.soe, [1.0])(np.zeros((2, 2)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    def work(chunk):
        return float(chunk)

    assert cpu.run_chunks(work, 4, 2) == [0.0, 1.0, 2.0, 3.0]
    child = os.fork()
    if child == 0:
        os._exit(0 if cpu.run_chunks(work, 4, 2) == [0.0, 1.0, 2.0, 3.0] else 1)
    assert os.waitpid(child, 0)[1] == 0
