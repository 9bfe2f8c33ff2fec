import numpy as np
import pytest
from scipy.stats import binomtest

from ordinate.solvers.intervals import HeldOutMean, held_out_mean


def test_share_interval_is_wilsons():
    wrong = np.arange(200) < 30
    found = held_out_mean(wrong, np.arange(200))
    wilson = binomtest(30, 200).proportion_ci(0.9, method="wilson")
    assert found.share_interval() == pytest.approx((wilson.low, wilson.high), abs=2e-4)


def test_no_mistake_among_few_answers_proves_little():
    low, high = held_out_mean(np.zeros(20), np.arange(20)).share_interval()
    assert low == 0
    assert high == pytest.approx(binomtest(0, 20).proportion_ci(0.9, method="wilson").high)


def test_answers_held_out_together_count_as_one():
    wrong = np.repeat(np.arange(50) < 10, 4)
    alone = held_out_mean(wrong[::4], np.arange(50))
    together = held_out_mean(wrong, np.repeat(np.arange(50), 4))
    assert together.standard_error == pytest.approx(alone.standard_error)
    assert held_out_mean(wrong, np.arange(200)).standard_error < 0.6 * alone.standard_error


def test_splits_do_not_make_more_answers():
    # over many splits each answer is wrong half of the time: the map of all may still err in any
    low, high = held_out_mean(np.full(100, 0.5), np.arange(100)).share_interval()
    assert high - low > 0.15


def test_weights_and_answers_never_held_out():
    values = np.array([1.0, 0.0, np.nan, 1.0, 0.0])
    weights = np.array([3.0, 1.0, 9.0, 1.0, 1.0])
    found = held_out_mean(values, np.arange(5), weights)
    assert found.mean == pytest.approx(4 / 6)
    deviations = np.array([3, -0, 1, 1]) * (np.array([1, 0, 1, 0]) - 4 / 6)
    deviations[1] = -4 / 6
    assert found.standard_error == pytest.approx(np.sqrt(4 / 3 * deviations @ deviations) / 6)


@pytest.mark.parametrize(("value", "p"), [(0.1, 0.0), (0.0, 1.0), (-0.1, 1.0)])
def test_values_that_all_agree_leave_no_doubt(value, p):
    assert held_out_mean([value] * 4, np.arange(4)).p_above_zero() == p


def test_interval_of_a_difference():
    assert HeldOutMean(0.1, 0.05, 9).interval(0.95) == pytest.approx((0.002, 0.198), abs=1e-3)


def test_an_interval_of_a_share_holds_it_where_all_or_none_are_right():
    for n in range(1, 400):
        assert HeldOutMean(1.0, 0.0, n).share_interval()[1] == 1
        assert HeldOutMean(0.0, 0.0, n).share_interval()[0] == 0
