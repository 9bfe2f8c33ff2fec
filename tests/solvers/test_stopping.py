import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from ordinate.solvers.stopping import Result, StoppingRule, warn_unless_converged

HERE = np.zeros((2, 1))


def test_ten_iterations_together_must_lower_the_loss():
    rule = StoppingRule(tol=0.01)
    rule.begin(100.0)
    values = [100.0 - 0.05 * number for number in range(1, 20)]
    ended = [rule.ends(value, HERE) for value in values]
    assert ended.index(True) == 9  # the tenth: 0.5 in ten iterations is less than 1 % of 100


def test_steady_progress_continues():
    rule = StoppingRule(tol=0.01)
    rule.begin(100.0)
    assert not any(rule.ends(100.0 * 0.99**number, HERE) for number in range(1, 50))


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_scale_of_the_loss_does_not_matter(scale):
    lengths = []
    for factor in (1.0, scale):
        rule = StoppingRule(tol=1e-3)
        rule.begin(factor)
        values = (factor * (1 + 1 / number**2) for number in range(1, 1000))
        lengths.append(next(i for i, value in enumerate(values) if rule.ends(value, HERE)))
    assert lengths[0] == lengths[1]


def test_the_callback_gets_every_iteration_and_may_stop():
    seen = []

    def callback(number, value, points):
        seen.append((number, value))
        return number == 2

    rule = StoppingRule(tol=0.0, callback=callback)
    rule.begin(9.0)
    assert [rule.ends(value, HERE) for value in (8.0, 7.0)] == [False, True]
    assert seen == [(1, 8.0), (2, 7.0)]


def test_a_long_run_is_judged_by_its_last_tenth():
    rule = StoppingRule(tol=1e-4)
    rule.begin(1.0)
    values = 1.0 - 5e-6 * np.arange(1, 1_001)  # ten iterations lower it by half of tol
    ends = [rule.ends(value, np.zeros((1, 1))) for value in values[:300]]
    assert ends[9]
    assert not ends[299]


def test_flat_means_flat_in_units_of_the_map_and_the_loss():
    rule = StoppingRule(tol=1e-4)
    rule.begin(10.0)
    assert rule.is_flat(np.full((2, 1), 5.0), np.full((2, 1), 5e-5))
    assert not rule.is_flat(np.full((2, 1), 5.0), np.full((2, 1), 5e-3))
    nearly = StoppingRule(tol=1e-4, floor=2.0)
    nearly.begin(10.0)
    assert nearly.is_flat(np.full((2, 1), 5.0), np.full((2, 1), 1.0))


@pytest.mark.parametrize(
    ("n_iter", "message"),
    [
        (
            7,
            r"SOE stopped after max_iter=7 iterations before it converged \(half\); raise max_iter",
        ),
        (3, r"SOE stopped after 3 iterations before it converged \(half\): no step lowers"),
    ],
)
def test_a_warning_says_what_to_do(n_iter, message):
    with pytest.warns(ConvergenceWarning, match=message):
        warn_unless_converged("SOE", False, n_iter, 7, detail="half")


def test_no_warning_where_a_fit_converged():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_unless_converged("SOE", True, 7, 7)


def test_iterations_are_counted_without_the_start():
    result = Result(np.zeros((2, 1)), 1.0, np.array([3.0, 2.0, 1.0]), True)
    assert result.n_iter == 2
