import numpy as np
import pytest

from ordinate.solvers.sgd import stochastic_gradient


def noisy_step(seed):
    """A step with randomness of its own in each lane, as real ones have."""
    rngs = [np.random.default_rng([seed, lane]) for lane in range(4)]

    def step(lane, points, rate):
        points -= rate * (points - 3 + rngs[lane].normal(size=points.shape))

    return step


def run(n_threads=1, **changes):
    options = {"n_rounds": 400, "learning_rate": 0.05, "n_lanes": 4, "n_threads": n_threads}
    return stochastic_gradient(noisy_step(0), np.zeros((5, 2)), **(options | changes))


def test_it_converges_to_the_optimum():
    np.testing.assert_allclose(run(), 3, atol=0.1)


@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bits(n_threads):
    np.testing.assert_array_equal(run(n_threads), run())


def test_moves_of_all_lanes_add_up():
    def step(lane, points, rate):
        points += lane + 1

    end = stochastic_gradient(step, np.zeros((1, 1)), n_rounds=2, learning_rate=1, n_lanes=3)
    assert end[0, 0] == 12


def test_the_rate_falls_to_zero_as_a_square():
    rates = []
    stochastic_gradient(
        lambda lane, points, rate: rates.append(rate), np.zeros((1, 1)), n_rounds=4, learning_rate=8
    )
    assert rates == [8, 4.5, 2, 0.5]


def test_the_callback_can_stop_and_the_start_stays():
    start = np.zeros((2, 2))
    seen = []
    end = stochastic_gradient(
        noisy_step(1),
        start,
        n_rounds=10,
        learning_rate=0.1,
        callback=lambda number, points: seen.append(number) or number == 3,
    )
    assert seen == [1, 2, 3]
    assert (start == 0).all()
    assert not np.array_equal(end, start)
