from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.ratings.ascent_plan import AscentPlan
from ordinate.ratings.objective import Ascent
from ordinate.ratings.triple_sampling import RowSampler

PLAN = AscentPlan("COE", n_triples=3000, learning_rate=1.0)


def climb(plan=PLAN, validation=None, penalty=1e-3):
    points = np.random.default_rng(0).normal(size=(15, 2))
    triples = od.sources.random_triplets(points, 2000, random_state=0)
    start = 0.01 * np.random.default_rng(1).normal(size=(15, 2))
    step, rng = Ascent("sigmoid", penalty), np.random.default_rng(2)
    return triples, *plan.run(step, RowSampler(triples), start, rng, validation)


def test_the_map_keeps_the_triples():
    triples, points, scores = climb()
    assert od.metrics.triplet_accuracy(triples, points) > 0.9
    assert scores == []


def test_held_out_triples_are_watched():
    rows = climb()[0].rows.view(np.uint32)
    _, _, scores = climb(validation=rows)
    assert len(scores) > 5
    assert max(scores) > 0.9


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_and_the_progress_bar_change_nothing(n_threads):
    plan = replace(PLAN, n_threads=n_threads, verbose=True)
    np.testing.assert_array_equal(climb(plan)[1], climb()[1])


def test_a_map_without_bounds_is_refused():
    with pytest.raises(od.InputError, match="grew without bounds with learning_rate 1; lower"):
        climb(penalty=1e4)
