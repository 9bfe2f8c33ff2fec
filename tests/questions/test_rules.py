"""Rules against brute force."""

import numpy as np
import pytest

import ordinate as od
from ordinate.questions.model import MapDraws
from ordinate.questions.rules import (
    Candidates,
    MarginDesign,
    ckl,
    measured_margins,
    posterior,
    uncertainty,
)
from ordinate.questions.tasks import make_task

RNG = np.random.default_rng(0)
DRAWS = RNG.standard_normal((200, 8, 2))
MAPS = MapDraws(DRAWS[0], DRAWS, 0.1, DRAWS[:4])


def candidates(name="triplet", size=30, n_out=0):
    task = make_task(name, shown=4, choose=2)
    items = task.draw(8, size + n_out, np.random.default_rng(1))
    answers = od.Comparisons([[0, 1, 2], [0, 3, 4], [1, 0, 5], [2, 7, 6]], n_objects=8)
    return Candidates(task, items[n_out:], items[:n_out], answers, MAPS)


@pytest.mark.parametrize("name", ["triplet", "odd_one_out", "choose_k"])
def test_asking_conditions_as_the_normal_distribution_does(name):
    """Rank-one downdates of draws against Σ − Σ_q (I + Σ_qq)⁻¹ Σ_q of the whole covariance."""
    given = candidates(name, size=6)
    measured = measured_margins(given.task, given.items, MAPS)
    flat = measured.reshape(-1, measured.shape[2])
    covariance = flat @ flat.T
    width = measured.shape[1]
    design = MarginDesign(measured)
    for question in (2, 0):
        own = slice(question * width, (question + 1) * width)
        inner = np.linalg.inv(np.eye(width) + covariance[own, own])
        covariance = covariance - covariance[:, own] @ inner @ covariance[own]
        design.ask(question)
    for question in range(6):
        own = slice(question * width, (question + 1) * width)
        assert design.covariances[question] == pytest.approx(covariance[own, own], abs=1e-9)


def test_measured_margins_have_the_covariance_of_margins_times_information():
    given = candidates(size=5)
    measured = measured_margins(given.task, given.items, MAPS)[:, 0]
    margins = given.task.margins(given.items, DRAWS)[:, 0]
    p = (1 / (1 + np.exp(-margins))).mean(axis=1)
    weight = (0.9 * p * (1 - p)) ** 2 / ((0.05 + 0.9 * p) * (1 - 0.05 - 0.9 * p))
    expected = np.sqrt(np.outer(weight, weight)) * np.cov(margins)
    assert measured @ measured.T == pytest.approx(expected)


def test_a_batch_gains_as_much_as_its_determinant_says():
    """The sum of greedy gains is log det(I + V) of the batch; out questions come off first."""
    given = candidates(size=30, n_out=3)
    choice = posterior(given, 5)
    assert len(set(choice.chosen.tolist())) == 5
    assert (np.diff(choice.scores) <= 1e-12).all()

    def gain(items):
        flat = measured_margins(given.task, items, MAPS)[:, 0]
        return np.linalg.slogdet(np.eye(len(flat)) + flat @ flat.T)[1]

    both = np.concatenate([given.out, given.items[choice.chosen]])
    assert choice.scores.sum() == pytest.approx(gain(both) - gain(given.out))
    others = [np.concatenate([given.out, item[None]]) for item in given.items]
    assert choice.scores[0] == pytest.approx(max(map(gain, others)) - gain(given.out))


def test_gains_of_several_margins_are_log_determinants():
    given = candidates("odd_one_out", size=4)
    measured = measured_margins(given.task, given.items, MAPS)
    expected = [np.log(np.linalg.det(np.eye(2) + own @ own.T)) for own in measured]
    assert MarginDesign(measured).gains() == pytest.approx(expected)


def test_ckl_is_the_information_about_the_place_of_the_anchor():
    given = candidates(size=12)
    choice = ckl(given, 12)
    points, lapse = MAPS.mode, MAPS.lapse

    def chance(place, near, far):
        margin = np.sum((place - points[far]) ** 2) - np.sum((place - points[near]) ** 2)
        return lapse / 2 + (1 - lapse) / (1 + np.exp(-margin))

    def entropy(p):
        return -p * np.log(p) - (1 - p) * np.log(1 - p)

    gains = []
    for anchor, left, right in given.items:
        weights = np.ones(8)
        for a, near, far in given.answers.rows:
            if a == anchor:
                weights *= [chance(place, near, far) for place in points]
        weights /= weights.sum()
        p = np.array([chance(place, left, right) for place in points])
        gains.append(entropy(weights @ p) - weights @ entropy(p))
    assert choice.scores == pytest.approx(sorted(gains, reverse=True))
    assert np.array(gains)[choice.chosen] == pytest.approx(choice.scores)


def test_uncertainty_takes_the_smallest_margin():
    given = candidates(size=12)
    choice = uncertainty(given, 3)
    margins = np.abs(given.task.margins(given.items, MAPS.mode[None])[:, 0, 0])
    assert choice.chosen.tolist() == np.argsort(margins)[:3].tolist()
