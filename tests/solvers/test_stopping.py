import numpy as np
import pytest

from ordinate.solvers.stopping import Watch

HERE = np.zeros((2, 1))


def test_ten_iterations_together_must_lower_the_loss():
    watch = Watch(tol=0.01)
    watch.begin(100.0)
    values = [100.0 - 0.05 * number for number in range(1, 20)]
    ended = [watch.ends(value, HERE) for value in values]
    assert ended.index(True) == 9  # the tenth: 0.5 in ten iterations is less than 1 % of 100


def test_steady_progress_goes_on():
    watch = Watch(tol=0.01)
    watch.begin(100.0)
    assert not any(watch.ends(100.0 * 0.99**number, HERE) for number in range(1, 50))


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_scale_of_the_loss_does_not_matter(scale):
    lengths = []
    for factor in (1.0, scale):
        watch = Watch(tol=1e-3)
        watch.begin(factor)
        values = (factor * (1 + 1 / number**2) for number in range(1, 1000))
        lengths.append(next(i for i, value in enumerate(values) if watch.ends(value, HERE)))
    assert lengths[0] == lengths[1]


def test_the_callback_gets_every_iteration_and_may_stop():
    seen = []

    def callback(number, value, points):
        seen.append((number, value))
        return number == 2

    watch = Watch(tol=0.0, callback=callback)
    watch.begin(9.0)
    assert [watch.ends(value, HERE) for value in (8.0, 7.0)] == [False, True]
    assert seen == [(1, 8.0), (2, 7.0)]
