"""Draws of the map: those of the posterior, from where the last chains ended."""

import numpy as np
import pytest

import ordinate as od
from ordinate.questions.model import N_CHAINS, draw_maps

POINTS = np.random.default_rng(0).standard_normal((16, 2))
ANSWERS = od.sources.random_triplets(POINTS, 400, random_state=0)


@pytest.mark.usual_data
def test_a_map_of_few_answers_does_not_collapse():
    """The mode with the scale integrated out has all objects in one place."""
    maps = draw_maps(ANSWERS[:50], 2, np.random.default_rng(0))
    assert np.mean(maps.mode**2) > 0.1 * np.mean(maps.draws**2)
    assert od.metrics.triplet_error(ANSWERS[50:], maps.mode) < 0.4
    assert od.metrics.triplet_error(ANSWERS[50:], maps.mean) < 0.4


def test_chains_continue_and_new_objects_begin_anywhere():
    first = draw_maps(ANSWERS[:100], 2, np.random.default_rng(0), n_draws=10)
    assert first.draws.shape == (12, 16, 2)  # as many of each chain
    assert first.ends.shape == (N_CHAINS, 16, 2)
    again = draw_maps(ANSWERS, 2, np.random.default_rng(1), ends=first.ends[:, :14], lapse=0.1)
    assert again.mode.shape == (16, 2)
    assert again.mode.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert od.metrics.triplet_error(ANSWERS, again.mode) < 0.1
    assert np.corrcoef(again.mean.ravel(), again.mode.ravel())[0, 1] > 0.98  # they lie alike
    assert again.lapse < 0.1


def test_chains_continue_in_more_dimensions():
    first = draw_maps(ANSWERS[:100], 2, np.random.default_rng(0), n_draws=4)
    again = draw_maps(ANSWERS[:100], 3, np.random.default_rng(0), ends=first.ends, n_draws=4)
    assert again.ends.shape == (N_CHAINS, 16, 3)
