from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.ratings.coe_step import Ascent
from ordinate.ratings.sgd import AscentPlan, EarlyStopping, stochastic_gradient
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


def test_the_callback_can_stop_and_the_start_stays():
    start = np.zeros((2, 2))
    seen = []
    end = stochastic_gradient(
        Noisy(1),
        start,
        n_rounds=10,
        learning_rate=0.1,
        callback=lambda number, points: seen.append(number) or number == 3,
    )
    assert seen == [1, 2, 3]
    assert (start == 0).all()
    assert not np.array_equal(end, start)


def accuracy(points, rows=((0, 1, 2),)):
    anchor, near, far = points[np.array(rows).T]
    nearer = np.square(anchor - near).sum(axis=1) < np.square(anchor - far).sum(axis=1)
    return float(nearer.mean())


RIGHT, WRONG = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [2.0], [1.0]])


def test_it_stops_after_five_checks_without_a_gain_and_keeps_the_best():
    stopping = EarlyStopping(accuracy, 20)
    assert not stopping(1, RIGHT)
    assert [stopping(number, WRONG) for number in range(2, 7)] == [False] * 4 + [True]
    assert stopping.scores == [1, 0, 0, 0, 0, 0]
    np.testing.assert_array_equal(stopping.best, RIGHT)


def test_it_looks_only_now_and_then():
    stopping = EarlyStopping(accuracy, 200)
    for number in range(1, 21):
        stopping(number, RIGHT)
    assert len(stopping.scores) == 2


def test_without_triples_it_never_stops():
    stopping = EarlyStopping(None, 20)
    assert not any(stopping(number, WRONG) for number in range(1, 21))
    assert stopping.best is None


PLAN = AscentPlan("COE", n_triples=3000, learning_rate=1.0)


def run_sgd(plan=PLAN, validation=None, penalty=1e-3):
    points = np.random.default_rng(0).normal(size=(15, 2))
    triples = od.sources.random_triplets(points, 2000, random_state=0)
    start = 0.01 * np.random.default_rng(1).normal(size=(15, 2))
    step, rng = Ascent("sigmoid", penalty), np.random.default_rng(2)
    return triples, *plan.run(step, RowSampler(triples), start, rng, validation)


def test_the_map_keeps_the_triples():
    triples, points, scores = run_sgd()
    assert od.metrics.triplet_accuracy(triples, points) > 0.9
    assert scores == []


def test_held_out_triples_are_watched():
    rows = run_sgd()[0].rows
    _, _, scores = run_sgd(validation=lambda points: accuracy(points, rows))
    assert len(scores) > 5
    assert max(scores) > 0.9


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_and_the_progress_bar_change_nothing(n_threads):
    plan = replace(PLAN, n_threads=n_threads, verbose=True)
    np.testing.assert_array_equal(run_sgd(plan)[1], run_sgd()[1])


def test_a_map_without_bounds_is_refused():
    with pytest.raises(od.InputError, match="grew without bounds with learning_rate 1; lower"):
        run_sgd(penalty=1e4)
