import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from ordinate import InputError
from ordinate.sources import FlippedAnswers, GaussianNoise, LogisticNoise, answer_questions

# one question many times over: the distances are 1.0 and 1.5
N = 40_000
QUESTION = np.tile([0, 1, 2], (N, 1))
POINTS = [[0.0], [1.0], [-1.5]]


def share_wrong(noise):
    rows = answer_questions(QUESTION, POINTS, noise=noise, random_state=0).rows
    assert len(rows) == N
    return (rows[:, 1] == 2).mean()


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (FlippedAnswers(0.0), 0.0),
        (FlippedAnswers(0.2), 0.2),
        (FlippedAnswers(1.0), 1.0),
        (LogisticNoise(0.3), expit(-0.5 / 0.3)),
        (LogisticNoise(), expit(-0.5)),
        (GaussianNoise(0.0), 0.0),
        (GaussianNoise(0.4), norm.cdf(-0.5 / (0.4 * np.sqrt(2)))),
        ([FlippedAnswers(0.1), FlippedAnswers(0.3)], 0.1 * 0.7 + 0.9 * 0.3),
        ([GaussianNoise(0.4), FlippedAnswers(1.0)], norm.cdf(0.5 / (0.4 * np.sqrt(2)))),
    ],
    ids=str,
)
def test_share_of_wrong_answers(noise, expected):
    deviation = np.sqrt(expected * (1 - expected) / N)
    assert share_wrong(noise) == pytest.approx(expected, abs=4 * deviation + 1e-12)


def test_a_function_of_your_own_is_a_noise_model():
    assert share_wrong(lambda near, far, rng: (far, near)) == 1


def test_same_seed_same_answers():
    first, second, other = (
        answer_questions(QUESTION, POINTS, noise=GaussianNoise(1), random_state=seed)
        for seed in (0, 0, 1)
    )
    assert first == second
    assert first != other


@pytest.mark.parametrize(
    ("model", "wrong", "message"),
    [
        (FlippedAnswers, 1.5, r"probability must be a number in \[0, 1\]; got 1.5"),
        (FlippedAnswers, "0.1", r"probability must be a number in \[0, 1\]; got '0.1'"),
        (LogisticNoise, 0, r"scale must be a number in \(0, inf\); got 0"),
        (GaussianNoise, -1, r"scale must be a number in \[0, inf\); got -1"),
        (GaussianNoise, np.nan, r"scale must be a number in \[0, inf\); got nan"),
    ],
)
def test_bad_parameters_are_refused(model, wrong, message):
    with pytest.raises(InputError, match=message):
        model(wrong)


@pytest.mark.parametrize("noise", [0.1, [0.1]])
def test_noise_must_be_a_model(noise):
    with pytest.raises(InputError, match=r"noise must be a model such as FlippedAnswers.*got 0.1"):
        answer_questions([[0, 1, 2]], POINTS, noise=noise)
