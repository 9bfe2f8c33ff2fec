"""Starts: spectral ones show the map, odd input does not break them, scales are sensible."""

from functools import partial

import numpy as np
import pytest

import ordinate as od
from ordinate.engine.torch_objective import TorchObjective
from ordinate.sources import random_quadruplets, random_triplets
from ordinate.triplets import initialization as _starts
from ordinate.triplets.initialization import at_best_scale, random_start, spectral_start


@pytest.mark.parametrize("n_objects", [40, 300])
@pytest.mark.parametrize("draw", [random_triplets, random_quadruplets])
def test_spectral_start_is_near_the_map(n_objects, draw):
    points = np.random.default_rng([0]).normal(size=(n_objects, 2))
    comparisons = draw(points, 60 * n_objects, random_state=np.random.default_rng([1]))
    start = spectral_start(comparisons, 2, np.random.default_rng(2))
    assert od.metrics.procrustes_distance(points, start) < 0.3
    assert od.metrics.triplet_error(comparisons, start) < 0.25


def test_weights_count_as_repetitions():
    points = np.random.default_rng(0).normal(size=(30, 2))
    comparisons = random_triplets(points, 300, random_state=1)
    counts = np.random.default_rng(2).integers(1, 4, size=300)
    weighted = od.Comparisons(comparisons.rows, weights=counts, n_objects=30)
    repeated = od.Comparisons(np.repeat(comparisons.rows, counts, axis=0), n_objects=30)
    first, second = (spectral_start(c, 2, np.random.default_rng(3)) for c in (weighted, repeated))
    np.testing.assert_allclose(first, second, atol=1e-9)


@pytest.mark.usual_data
@pytest.mark.parametrize("n_objects", [4, 200])
def test_statements_that_cancel_leave_a_random_start(n_objects):
    nothing = od.Comparisons([[0, 1, 2], [0, 2, 1]], n_objects=n_objects)
    start = spectral_start(nothing, 2, np.random.default_rng(0))
    assert np.isfinite(start).all()
    assert (start.std(axis=0) > 0.1).all()


def test_more_dimensions_than_objects():
    start = spectral_start(od.Comparisons([[0, 1, 2]]), 5, np.random.default_rng(0))
    assert start.shape == (3, 5)
    assert np.isfinite(start).all()


def test_the_best_scale_is_found_from_any_start():
    start = random_start(10, 2, np.random.default_rng(0))
    for factor in (1e-6, 1.0, 1e6):
        scaled = at_best_scale(factor * start, lambda points: (np.std(points) - 3.0) ** 2)
        assert np.std(scaled) == pytest.approx(3.0, rel=0.2)
    forever = at_best_scale(start, lambda points: 1 / (1 + np.std(points)))
    assert 1e3 < np.std(forever) < 1e6
    np.testing.assert_array_equal(at_best_scale(np.ones((3, 2)), np.sum), np.ones((3, 2)))


@pytest.mark.parametrize("delta", [1e-3, 1.0, 1e3])
def test_the_margin_of_soe_is_only_a_scale(delta, points):
    noise = od.sources.FlippedAnswers(0.1)  # without it, maps of many sizes have no loss
    answers = od.sources.random_triplets(points, 1500, noise=noise, random_state=1)
    unit = od.SOE(random_state=0).fit(answers)
    other = od.SOE(delta=delta, random_state=0).fit(answers)
    assert other.loss_ == pytest.approx(delta**2 * unit.loss_, rel=0.01)
    assert other.embedding_.std() == pytest.approx(delta * unit.embedding_.std(), rel=0.01)


@pytest.mark.parametrize("n_columns", [3, 4], ids=["triplets", "quadruplets"])
def test_products_by_gradients_are_those_of_the_sparse_matrix(n_columns, monkeypatch):
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    rows = [rng.permutation(9)[:n_columns] for _ in range(80)]
    comparisons = od.Comparisons(rows, weights=rng.random(80))
    by_matrix = _starts._SignedGraph(comparisons, "cpu")
    on_cpu = partial(TorchObjective, precision="float64")
    monkeypatch.setattr(
        _starts, "make_objective", lambda *given, device: on_cpu(*given, device="cpu")
    )
    by_gradient = _starts._SignedGraph(comparisons, "cuda")
    np.testing.assert_allclose(by_gradient._scale, by_matrix._scale)
    for x in (rng.normal(size=9), rng.normal(size=(9, 2))):
        np.testing.assert_allclose(by_gradient._times(x), by_matrix._times(x), atol=1e-12)


def test_answers_that_do_not_count_do_not_judge_starts():
    points = np.random.default_rng(0).normal(size=(10, 2))
    counting = od.sources.random_triplets(points, 500, random_state=0)
    nonsense = od.Comparisons(np.tile([[0, 1, 2]], (20_000, 1)), n_objects=10)
    weights = np.repeat([0.0, 1.0], [20_000, 500])
    both = od.Comparisons(np.concatenate([nonsense.rows, counting.rows]), weights=weights)
    alone = spectral_start(counting, 2, np.random.default_rng(0))
    np.testing.assert_allclose(spectral_start(both, 2, np.random.default_rng(0)), alone)
    assert od.SOE(random_state=0).fit(both).score(counting) > 0.95
