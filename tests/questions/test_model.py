"""Draws of the map: those of the posterior, from where the last chains ended."""

import numpy as np
import pytest

import ordinate as od
from ordinate.engine.distances import squared_distances
from ordinate.questions.model import N_CHAINS, MapDraws, compare_dimensions, draw_maps, flatten

POINTS = np.random.default_rng(0).standard_normal((16, 2))
ANSWERS = od.sources.random_triplets(POINTS, 400, random_state=0)


def test_a_map_of_few_answers_does_not_collapse():
    """The mode with the scale integrated out has all objects in one place."""
    maps = draw_maps(ANSWERS[:50], 2, np.random.default_rng(0))
    assert np.mean(maps.mode**2) > 0.1 * np.mean(maps.draws**2)
    assert od.metrics.triplet_error(ANSWERS[50:], maps.mode) < 0.4
    assert od.metrics.triplet_error(ANSWERS[50:], maps.mean) < 0.4


def test_chains_go_on_and_new_objects_begin_anywhere():
    first = draw_maps(ANSWERS[:100], 2, np.random.default_rng(0), n_draws=10)
    assert first.draws.shape == (12, 16, 2)  # as many of each chain
    assert first.ends.shape == (N_CHAINS, 16, 2)
    again = draw_maps(ANSWERS, 2, np.random.default_rng(1), ends=first.ends[:, :14], lapse=0.1)
    assert again.mode.shape == (16, 2)
    assert again.mode.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert od.metrics.triplet_error(ANSWERS, again.mode) < 0.1
    assert np.corrcoef(again.mean.ravel(), again.mode.ravel())[0, 1] > 0.98  # they lie alike
    assert again.lapse < 0.1


def test_a_dimension_that_is_missing_is_noticed():
    assert compare_dimensions(ANSWERS, 1, np.random.default_rng(0)) > 3
    assert compare_dimensions(ANSWERS, 2, np.random.default_rng(0)) < 1


def test_rows_of_a_trial_are_one_piece_of_evidence(monkeypatch):
    maps = {1: POINTS[:, :1], 2: POINTS}
    monkeypatch.setattr(
        "ordinate.questions.model.fit_mode", lambda _, dimension, __: maps[dimension]
    )
    trials = od.Comparisons(ANSWERS.rows, groups={"trial": np.repeat(np.arange(100), 4)})
    near, far = squared_distances(POINTS[:, :1], ANSWERS.rows)
    units = trials.question_groups("trial")
    gains = [(far < near)[units == unit].sum() for unit in range(units.max() + 1)]
    assert len(gains) <= 100  # the truth predicts all of them, so nothing is lost
    found = compare_dimensions(trials, 1, np.random.default_rng(0))
    assert found == pytest.approx(sum(gains) / np.sqrt(np.sum(np.square(gains))))


def test_a_flat_map_answers_random_questions_as_the_larger_one_does():
    rng = np.random.default_rng(1)
    solid = np.column_stack([3 * POINTS, 0.3 * rng.standard_normal(16)])
    draws = solid + 0.05 * rng.standard_normal((40, 16, 3))
    flat = flatten(MapDraws(solid, solid, draws, 0.2, draws[:4]), 2, rng)
    assert flat.shape == (16, 2)
    assert flat.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert od.metrics.procrustes_distance(flat, POINTS) < 0.1  # the two wide dimensions are kept
    assert od.metrics.triplet_error(ANSWERS, flat) < 0.06
