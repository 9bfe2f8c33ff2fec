"""Chances of win, tie and loss: they add up to 1, and their derivatives are right."""

import numpy as np
import pytest

from ordinate.scales.outcomes import LINKS, TIES, AnswerModel

AHEAD = np.array([-6.0, -1.0, -0.2, 0.0, 0.3, 2.0, 5.0])


@pytest.mark.parametrize("lapse", [None, -2.0])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("model", LINKS)
def test_derivatives_by_finite_differences(model, ties, lapse):
    answers, step = AnswerModel(model, ties), 1e-5
    at = [AHEAD, -0.3, -2.0]

    def logs(place):
        return answers.log_chances(place[0], place[1], None if lapse is None else place[2])

    values, slopes, curves = logs(at)
    for parameter in range(2 if lapse is None else 3):
        high, low = list(at), list(at)
        high[parameter] = high[parameter] + step
        low[parameter] = low[parameter] - step
        (value_high, slope_high, _), (value_low, slope_low, _) = logs(high), logs(low)
        np.testing.assert_allclose(
            (value_high - value_low) / 2 / step, slopes[:, parameter], atol=1e-7
        )
        np.testing.assert_allclose(
            (slope_high - slope_low) / 2 / step, curves[:, :, parameter], atol=1e-7
        )
    chances = answers.chances(*at[:2], lapse)
    np.testing.assert_allclose(chances.sum(axis=0), 1)
    np.testing.assert_allclose(chances[::-1], answers.chances(-AHEAD, -0.3, lapse))
    np.testing.assert_allclose(values[[0, 2]], np.log(chances[[0, 2]]))


def test_davidson_and_rao_kupper_as_published():
    strong, weak, nu, theta = 3.0, 0.5, 1.7, 2.2
    ahead = np.log([strong / weak])
    davidson = AnswerModel("bradley-terry", "davidson").chances(ahead, np.log(nu), None)[:, 0]
    total = strong + weak + nu * np.sqrt(strong * weak)
    np.testing.assert_allclose(
        davidson, [strong / total, nu * np.sqrt(strong * weak) / total, weak / total]
    )
    bar = np.log(np.log(theta))
    kupper = AnswerModel("bradley-terry", "rao-kupper").chances(ahead, bar, None)[:, 0]
    tie = strong * weak * (theta**2 - 1) / (strong + theta * weak) / (theta * strong + weak)
    np.testing.assert_allclose(
        kupper, [strong / (strong + theta * weak), tie, weak / (weak + theta * strong)]
    )
