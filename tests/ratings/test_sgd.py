from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.ratings.coe_step import Ascent
from ordinate.ratings.sgd import AscentPlan, stochastic_gradient
from ordinate.ratings.triples import RowSampler


class Noisy:
    """Steps towards 3, with randomness of its own in each part, as real ones have."""

    n_parts = 4

    def __init__(self, seed):
        self.rngs = [np.random.default_rng([seed, part]) for part in range(self.n_parts)]
        self.noise = np.empty((2, self.n_parts))

    def draw(self, part, buffer):
        self.noise[buffer, part] = self.rngs[part].normal()

    def move(self, points, buffer, rate):
        for noise in self.noise[buffer]:
            points -= rate * (points - 3 + noise)


class Recorded:
    """Notes what happens, in order."""

    n_parts = 2

    def __init__(self):
        self.events = []

    def draw(self, part, buffer):
        self.events.append(("draw", part, buffer))

    def move(self, points, buffer, rate):
        self.events.append(("move", buffer, rate))


def run(n_threads=1, rounds=None, **changes):
    options = {"n_rounds": 400, "learning_rate": 0.05, "n_threads": n_threads}
    return stochastic_gradient(rounds or Noisy(0), np.zeros((5, 2)), **(options | changes))


def test_it_converges_to_the_optimum():
    np.testing.assert_allclose(run(), 3, atol=0.1)


@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bits(n_threads):
    np.testing.assert_array_equal(run(n_threads), run())


def test_each_round_is_drawn_whole_before_its_steps_and_none_is_wasted():
    rounds = Recorded()
    run(rounds=rounds, n_rounds=3)
    kinds = [event[0] for event in rounds.events]
    assert kinds == ["draw"] * 2 + ["move"] + ["draw"] * 2 + ["move"] + ["draw"] * 2 + ["move"]
    buffers = [event[1] for event in rounds.events if event[0] == "move"]
    assert buffers == [0, 1, 0]
    assert rounds.events[3:5] == [("draw", 0, 1), ("draw", 1, 1)]


def test_the_rate_falls_to_zero_as_a_square():
    rounds = Recorded()
    run(rounds=rounds, n_rounds=4, learning_rate=8)
    assert [event[2] for event in rounds.events if event[0] == "move"] == [8, 4.5, 2, 0.5]


def test_every_round_is_told_and_the_start_stays():
    start, told = np.zeros((2, 2)), []
    end = stochastic_gradient(
        Noisy(1), start, n_rounds=10, learning_rate=0.1, callback=lambda: told.append(1)
    )
    assert len(told) == 10
    assert (start == 0).all()
    assert not np.array_equal(end, start)


PLAN = AscentPlan("COE", n_triples=3000, learning_rate=1.0)


def run_sgd(plan=PLAN, penalty=1e-3):
    points = np.random.default_rng(0).normal(size=(15, 2))
    triples = od.sources.random_triplets(points, 2000, random_state=0)
    start = 0.01 * np.random.default_rng(1).normal(size=(15, 2))
    step, rng = Ascent("sigmoid", penalty), np.random.default_rng(2)
    return triples, plan.run(step, RowSampler(triples), start, rng)


def test_the_map_keeps_the_triples():
    assert od.metrics.triplet_accuracy(*run_sgd()) > 0.9


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_and_the_progress_bar_change_nothing(n_threads):
    plan = replace(PLAN, n_threads=n_threads, verbose=True)
    np.testing.assert_array_equal(run_sgd(plan)[1], run_sgd()[1])


def test_a_map_without_bounds_is_refused():
    with pytest.raises(od.InputError, match="grew without bounds with learning_rate 1; lower"):
        run_sgd(penalty=1e4)
