"""The four tasks: questions drawn, turned, answered and read as comparisons."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from ordinate.collect.tasks import TASKS, Answered, Question, make_task

ITEMS = [f"i{number}" for number in range(9)]
EVERY = [make_task(kind, shown=5, choose=2) for kind in TASKS]


@pytest.mark.parametrize("task", EVERY, ids=TASKS)
def test_a_question_shows_different_items(task):
    rng = Random(0)
    for _ in range(50):
        question = task.draw(ITEMS, rng)
        named = [*question.shown, *([question.reference] if question.reference else [])]
        assert len(set(named)) == len(named) == task.n_needed


@pytest.mark.parametrize("task", EVERY, ids=TASKS)
def test_every_item_stands_at_every_place_as_often(task):
    rng = Random(1)
    counts = [Counter() for _ in range(task.n_shown)]
    for _ in range(3000):
        for place, item in enumerate(task.draw(ITEMS, rng).shown):
            counts[place][item] += 1
    share = np.array([[count[item] for item in ITEMS] for count in counts]) / 3000
    np.testing.assert_allclose(share, 1 / 9, atol=0.03)


@pytest.mark.parametrize("task", EVERY, ids=TASKS)
def test_turning_a_question_keeps_the_question_and_its_right_answer(task):
    rng = Random(2)
    for _ in range(40):
        question = task.draw_catch(ITEMS, rng)
        for turned in (task.swapped(question), task.shuffled(question, rng)):
            assert task.key(turned) == task.key(question)
            before = Answered(question, question.expected, "p", "t")
            after = Answered(turned, turned.expected, "p", "t")
            assert task.same_choice(before, after)


def test_swapping_sides_moves_everything_that_can_move():
    for task in EVERY:
        question = task.draw(ITEMS, Random(3))
        swapped = task.swapped(question)
        moved = [a != b for a, b in zip(question.shown, swapped.shown, strict=True)]
        assert sum(moved) >= task.n_shown - task.n_shown % 2


def test_catch_questions_show_an_item_twice():
    triplet, odd, choose, pairs = (task.draw_catch(ITEMS, Random(4)) for task in EVERY)
    assert triplet.shown[triplet.expected[0]] == triplet.reference
    assert choose.shown[choose.expected[0]] == choose.reference
    assert Counter(odd.shown)[odd.shown[odd.expected[0]]] == 1
    assert len(set(odd.shown)) == 2
    start = 2 * pairs.expected[0]
    assert pairs.shown[start] == pairs.shown[start + 1]


@pytest.mark.parametrize(
    ("task", "chosen", "fine"),
    [
        (0, [1], True),
        (0, [2], False),
        (0, [-1], False),
        (0, [], False),
        (0, [0, 1], False),
        (1, [2], True),
        (2, [4, 0], True),
        (2, [4, 4], False),
        (2, [4], False),
        (3, [1], True),
        (3, [2], False),
    ],
)
def test_which_answers_a_screen_allows(task, chosen, fine):
    assert EVERY[task].accepts(chosen) is fine


def test_a_wrong_choice_is_not_right():
    for task in EVERY:
        question = task.draw_catch(ITEMS, Random(5))
        wrong = [place for place in range(task.n_choices) if place not in question.expected]
        assert task.is_right(question, question.expected)
        assert not task.is_right(question, wrong[: task.n_select])


def test_how_many_questions_there_are():
    for task in EVERY[:2] + EVERY[3:]:
        rng, items = Random(6), ITEMS[:5]
        seen = {task.key(task.draw(items, rng)) for _ in range(3000)}
        assert len(seen) == task.n_possible(5)


def rows(task, question, chosen):
    answered = Answered(question, chosen, "p1", "t1")
    record = task.comparisons([answered], ["a", "b", "c", "d", "e"])
    assert record.groups["participant"][0] == "p1"
    assert record.groups["trial"][0] == "t1"
    return {"".join("abcde"[number] for number in row) for row in record.rows}


def test_what_answers_say():
    triplet, odd, _, pairs = EVERY
    assert rows(triplet, Question("a", ("b", "c")), (1,)) == {"acb"}
    assert rows(odd, Question(None, ("a", "b", "c")), (0,)) == {"bca", "cba"}
    assert rows(pairs, Question(None, ("a", "b", "c", "d")), (1,)) == {"cdab"}
    three = make_task("choose_k", shown=3, choose=2, ranked=False)
    assert rows(three, Question("a", ("b", "c", "d")), (2, 0)) == {"adc", "abc"}
    ranked = make_task("choose_k", shown=3, choose=2, ranked=True)
    assert rows(ranked, Question("a", ("b", "c", "d")), (2, 0)) == {"adc", "abc", "adb"}


def test_a_planted_map_answers_by_distance():
    points = {name: np.array([x]) for name, x in zip("abcd", (0.0, 1.0, 3.0, 7.0), strict=True)}
    triplet, odd, _, pairs = EVERY
    assert triplet.strain(Question("a", ("c", "b")), points) == [3.0, 1.0]
    assert np.argmin(odd.strain(Question(None, ("a", "d", "b")), points)) == 1
    assert pairs.strain(Question(None, ("a", "b", "c", "d")), points) == [1.0, 4.0]
