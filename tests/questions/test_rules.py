"""Rules against brute force."""

import numpy as np
import pytest

import ordinate as od
from ordinate.questions.model import MapDraws
from ordinate.questions.rules import (
    AnswerDesign,
    Candidates,
    _open_chances,
    ckl,
    measured_answers,
    posterior,
)
from ordinate.tasks import make_task

RNG = np.random.default_rng(0)
DRAWS = RNG.standard_normal((200, 8, 2))
MAPS = MapDraws(DRAWS[0], DRAWS[0], DRAWS, 0.1, DRAWS[:4])
TARGETS = RNG.standard_normal((30, 200)) / 100


def candidates(name="triplet", size=30, n_out=0):
    task = make_task(name, shown=4, choose=2)
    items = task.draw(8, size + n_out, np.random.default_rng([1]))  # of every anchor
    answers = od.Comparisons([[0, 1, 2], [0, 3, 4], [1, 0, 5], [2, 7, 6]], n_objects=8)
    return Candidates(task, items[n_out:], items[:n_out], answers, MAPS)


def information(measured):
    """½ log det(I + V) of each question alone."""
    covariances = np.einsum("qis,qjs->qij", measured, measured)
    return np.linalg.slogdet(np.eye(measured.shape[1]) + covariances)[1] / 2


def variance_left(measured):
    """What normal answers to all of these questions leave of the variance of the targets."""
    flat = measured.reshape(-1, measured.shape[2])
    covariance = TARGETS @ flat.T
    taken = covariance @ np.linalg.solve(np.eye(len(flat)) + flat @ flat.T, covariance.T)
    return np.trace(TARGETS @ TARGETS.T - taken)


@pytest.mark.parametrize("name", ["triplet", "odd_one_out", "choose_k"])
def test_asking_conditions_as_the_normal_distribution_does(name):
    """Downdates of rank one against the joint normal distribution of answers and targets."""
    given = candidates(name, size=6)
    measured = measured_answers(given.task, given.items, MAPS)
    design = AnswerDesign(measured, measured[4:], TARGETS)  # the last two are out
    design.ask(2)
    asked = [4, 5, 2]
    expected = [
        variance_left(measured[asked]) - variance_left(measured[[*asked, question]])
        for question in range(6)
    ]
    assert design.gains() == pytest.approx(expected, abs=1e-9)
    assert design.gains().max() > 1e-6


def test_a_single_question_gains_its_mutual_information():
    given = candidates(size=20)
    margins = given.task.margins(given.items, DRAWS)[:, 0]
    p = 0.05 + 0.9 / (1 + np.exp(-margins))

    def entropy(p):
        return -p * np.log(p) - (1 - p) * np.log(1 - p)

    found = information(measured_answers(given.task, given.items, MAPS))
    assert found == pytest.approx(entropy(p.mean(axis=1)) - entropy(p).mean(axis=1))


def test_answers_are_as_alike_as_their_chances():
    given = candidates(size=5)
    measured = measured_answers(given.task, given.items, MAPS)[:, 0]
    chances = 1 / (1 + np.exp(-given.task.margins(given.items, DRAWS)[:, 0]))
    assert np.corrcoef(measured) == pytest.approx(np.corrcoef(chances))


def test_gains_among_several_choices_are_near_the_mutual_information():
    given = candidates("odd_one_out", size=40)
    gains = information(measured_answers(given.task, given.items, MAPS))
    chances = given.task.probabilities(given.task.margins(given.items, DRAWS), MAPS.lapse)
    mean = chances.mean(axis=2)
    entropies = -(chances * np.log(chances)).sum(axis=1).mean(axis=1)
    expected = -(mean * np.log(mean)).sum(axis=1) - entropies
    assert gains == pytest.approx(expected, rel=0.1)


def test_a_batch_takes_as_much_variance_as_its_scores_say(monkeypatch):
    """Greedy scores sum to what the batch takes from the targets; out questions come first."""
    monkeypatch.setattr("ordinate.questions.rules._open_chances", lambda candidates: TARGETS)
    given = candidates(size=30, n_out=3)
    choice = posterior(given, 5)
    assert len(set(choice.chosen.tolist())) == 5

    def left(items):
        return variance_left(measured_answers(given.task, items, MAPS))

    both = np.concatenate([given.out, given.items[choice.chosen]])
    assert choice.scores.sum() == pytest.approx(left(given.out) - left(both))
    counts = np.bincount(np.concatenate([given.answers.rows[:, 0], given.out[:, 0]]), minlength=8)
    due = [item for item in given.items if counts[item[0]] < counts.sum() // 8 + 1]
    others = [np.concatenate([given.out, item[None]]) for item in due]
    assert choice.scores[0] == pytest.approx(left(given.out) - min(map(left, others)))


def test_targets_are_the_chances_of_random_questions():
    given = candidates()
    items = given.task.draw(8, 2000, np.random.default_rng([len(given.answers)]))
    chances = given.task.probabilities(given.task.margins(items, DRAWS), 0.0)[:, 0]
    expected = np.var(chances, axis=1, ddof=1).mean()
    assert (_open_chances(given) ** 2).sum() == pytest.approx(expected)


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
