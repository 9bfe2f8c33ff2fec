"""Tasks: margins, chances and what answers say, against plain loops."""

import numpy as np
import pytest

import ordinate as od
from ordinate.questions.tasks import TASKS, make_task

RNG = np.random.default_rng(0)
MAPS = RNG.standard_normal((5, 12, 2))


@pytest.fixture(params=TASKS)
def task(request):
    return make_task(request.param, shown=4, choose=2)


def test_questions_have_different_objects(task):
    items = task.draw(12, 500, np.random.default_rng(0))
    assert items.shape == (500, task.n_items)
    assert all(len(set(row)) == task.n_items for row in items.tolist())
    assert np.unique(items).tolist() == list(range(12))


def test_the_same_question_has_the_same_key(task):
    rng = np.random.default_rng(0)
    items = task.draw(12, 50, rng)
    assert task.keys(task.shuffled(items, rng)) == task.keys(items)
    assert task.keys(task.swapped(items)) == task.keys(items)
    assert (task.swapped(items) != items).any(axis=1).all()
    assert len(set(task.keys(items))) > 40


def test_margins_compare_each_pair_with_the_last(task):
    items = task.draw(12, 7, np.random.default_rng(0))
    margins = task.margins(items, MAPS)
    for q, row in enumerate(items):
        for s, points in enumerate(MAPS):
            squares = [np.sum((points[row[i]] - points[row[j]]) ** 2) for i, j in task.pairs]
            assert margins[q, :, s] == pytest.approx(squares[-1] - np.array(squares[:-1]))


def test_chances_are_a_softmax_with_lapses(task):
    margins = RNG.standard_normal((3, task.n_choices - 1, 5))
    odds = np.exp(np.concatenate([margins, np.zeros((3, 1, 5))], axis=1))
    expected = 0.2 / task.n_choices + 0.8 * odds / odds.sum(axis=1, keepdims=True)
    assert task.probabilities(margins, 0.2) == pytest.approx(expected)


def test_the_nearest_pairs_are_chosen_and_hold_on_the_map(task):
    items = task.draw(12, 40, np.random.default_rng(0))
    margins = np.pad(task.margins(items, MAPS[:1])[:, :, 0], ((0, 0), (0, 1)))
    chosen = np.argsort(-margins, axis=1)[:, : task.n_select]
    answers = task.comparisons(items, chosen, 12)
    assert len(answers) == 40 * task.rows_per_answer
    assert answers.groups["trial"].tolist() == np.repeat(range(40), task.rows_per_answer).tolist()
    assert od.metrics.triplet_error(answers, MAPS[0]) == 0


@pytest.mark.parametrize(
    ("name", "answer", "chosen"),
    [
        ("triplet", "c", (1,)),
        ("triplet", "left", (0,)),
        ("triplet", np.int64(1), (1,)),
        ("triplet", None, None),
        ("triplet", float("nan"), None),
        ("odd_one_out", "a", (0,)),
        ("odd_one_out", "third", (2,)),
        ("choose_k", ["e", 0], (3, 0)),
        ("pair_against_pair", "second", (1,)),
    ],
)
def test_answers_are_read_in_several_forms(name, answer, chosen):
    task = make_task(name, shown=4)
    assert task.read_answer(answer, ("a", "b", "c", "d", "e")[: task.n_items]) == chosen


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("triplet", "a", "one of 'b', 'c', or None .* got 'a'"),
        ("triplet", 2, "a choice from 0 to 1"),
        ("triplet", True, "a choice from 0 to 1"),
        ("triplet", ["b", "c"], "has 1 different choice; got"),
        ("choose_k", ["b", "b"], "has 2 different choices; got"),
        ("pair_against_pair", "a", "'first' or 'second'"),
    ],
)
def test_answers_that_cannot_be_are_refused(name, answer, message):
    task = make_task(name, shown=4)
    with pytest.raises(od.InputError, match=message):
        task.read_answer(answer, ("a", "b", "c", "d", "e")[: task.n_items])
