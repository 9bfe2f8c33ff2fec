"""Rules against brute force."""

import numpy as np
import pytest

import ordinate as od
from ordinate.questions.model import MapDraws
from ordinate.questions.rules import (
    AnswerDesign,
    Candidates,
    ckl,
    measured_answers,
    posterior,
    uncertainty,
)
from ordinate.tasks import make_task

RNG = np.random.default_rng(0)
DRAWS = RNG.standard_normal((200, 8, 2))
MAPS = MapDraws(DRAWS[0], DRAWS[0], DRAWS, 0.1, DRAWS[:4])
NONE_OUT = np.empty((0, 1, 200))


def candidates(name="triplet", size=30, n_out=0):
    task = make_task(name, shown=4, choose=2)
    items = task.draw(8, size + n_out, np.random.default_rng(1))
    answers = od.Comparisons([[0, 1, 2], [0, 3, 4], [1, 0, 5], [2, 7, 6]], n_objects=8)
    return Candidates(task, items[n_out:], items[:n_out], answers, MAPS)


@pytest.mark.parametrize("name", ["triplet", "odd-one-out", "choose-k"])
def test_asking_conditions_as_the_normal_distribution_does(name):
    """Rank-one downdates of draws against Σ − Σ_q (I + Σ_qq)⁻¹ Σ_q of the whole covariance."""
    given = candidates(name, size=6)
    measured = measured_answers(given.task, given.items, MAPS)
    flat = measured.reshape(-1, measured.shape[2])
    covariance = flat @ flat.T
    width = measured.shape[1]
    design = AnswerDesign(measured, measured[4:])  # the last two are out
    design.ask(2)
    for question in (4, 5, 2):
        own = slice(question * width, (question + 1) * width)
        inner = np.linalg.inv(np.eye(width) + covariance[own, own])
        covariance = covariance - covariance[:, own] @ inner @ covariance[own]
    for question in range(6):
        own = slice(question * width, (question + 1) * width)
        assert design.covariances[question] == pytest.approx(covariance[own, own], abs=1e-9)


def test_a_question_alone_gains_its_mutual_information():
    given = candidates(size=20)
    gains = AnswerDesign(measured_answers(given.task, given.items, MAPS), NONE_OUT).gains()
    margins = given.task.margins(given.items, DRAWS)[:, 0]
    p = 0.05 + 0.9 / (1 + np.exp(-margins))

    def entropy(p):
        return -p * np.log(p) - (1 - p) * np.log(1 - p)

    assert gains == pytest.approx(entropy(p.mean(axis=1)) - entropy(p).mean(axis=1))


def test_answers_are_as_alike_as_their_chances():
    given = candidates(size=5)
    measured = measured_answers(given.task, given.items, MAPS)[:, 0]
    chances = 1 / (1 + np.exp(-given.task.margins(given.items, DRAWS)[:, 0]))
    assert np.corrcoef(measured) == pytest.approx(np.corrcoef(chances))


def test_gains_among_several_choices_are_near_the_mutual_information():
    given = candidates("odd-one-out", size=40)
    gains = AnswerDesign(measured_answers(given.task, given.items, MAPS), NONE_OUT).gains()
    chances = given.task.probabilities(given.task.margins(given.items, DRAWS), MAPS.lapse)
    mean = chances.mean(axis=2)
    entropies = -(chances * np.log(chances)).sum(axis=1).mean(axis=1)
    expected = -(mean * np.log(mean)).sum(axis=1) - entropies
    assert gains == pytest.approx(expected, rel=0.1)


def test_a_batch_gains_as_much_as_its_determinant_says():
    """The sum of greedy gains is ½ log det(I + V) of the batch; out questions come off first."""
    given = candidates(size=30, n_out=3)
    choice = posterior(given, 5)
    assert len(set(choice.chosen.tolist())) == 5

    def gain(items):
        flat = measured_answers(given.task, items, MAPS)[:, 0]
        return np.linalg.slogdet(np.eye(len(flat)) + flat @ flat.T)[1] / 2

    both = np.concatenate([given.out, given.items[choice.chosen]])
    assert choice.scores.sum() == pytest.approx(gain(both) - gain(given.out))
    counts = np.bincount(np.concatenate([given.answers.rows[:, 0], given.out[:, 0]]), minlength=8)
    due = [item for item in given.items if counts[item[0]] < counts.sum() // 8 + 1]
    others = [np.concatenate([given.out, item[None]]) for item in due]
    assert choice.scores[0] == pytest.approx(max(map(gain, others)) - gain(given.out))


def test_only_those_that_tell_most_alone_are_looked_at(monkeypatch):
    monkeypatch.setattr("ordinate.questions.rules._SCREENED", 12)
    monkeypatch.setattr("ordinate.questions.rules._PER_QUESTION", 2)
    monkeypatch.setattr("ordinate.questions.rules._SCREENING_DRAWS", 200)
    given = candidates("odd-one-out", size=60)  # without anchors that take turns
    alone = AnswerDesign(
        measured_answers(given.task, given.items, MAPS), np.empty((0, 2, 200))
    ).gains()
    best = np.argsort(-alone)
    assert len(set(posterior(given, 3).chosen) & set(best[:8])) >= 2
    assert not set(posterior(given, 10).chosen) <= set(best[:10])  # together they tell more


def test_each_anchor_keeps_its_best_candidates(monkeypatch):
    monkeypatch.setattr("ordinate.questions.rules._SCREENED", 20)
    monkeypatch.setattr("ordinate.questions.rules._PER_QUESTION", 2)
    monkeypatch.setattr("ordinate.questions.rules._PER_ANCHOR", 1)
    monkeypatch.setattr("ordinate.questions.rules._SCREENING_DRAWS", 200)
    given = candidates(size=60)
    alone = AnswerDesign(measured_answers(given.task, given.items, MAPS), NONE_OUT).gains()
    best = [max(np.flatnonzero(given.items[:, 0] == at), key=lambda q: alone[q]) for at in range(8)]
    # anchors 0, 1 and 2 were asked about; the others come before they come again
    assert set(posterior(given, 4).chosen) <= set(best[3:])


def test_anchors_that_were_asked_about_less_come_first():
    given = candidates(size=30)  # 0 twice, 1 and 2 once among four answers about eight objects
    anchors = given.items[posterior(given, 9).chosen, 0]
    counts = np.array([2, 1, 1, 0, 0, 0, 0, 0])
    for anchor in anchors:
        quota = counts.sum() // 8 + 1
        free = [q for q in range(8) if counts[q] < quota and (given.items[:, 0] == q).any()]
        assert anchor in free or not free
        counts[anchor] += 1


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
