"""Tasks: questions drawn, turned, named and answered, and what follows from the answers."""

from collections import Counter

import numpy as np
import pytest

import ordinate as od
from ordinate.tasks import MAPPED, READ, TASKS, Question, make_task

RNG = np.random.default_rng(0)
MAPS = RNG.standard_normal((5, 12, 2))


@pytest.fixture(params=TASKS)
def task(request):
    return make_task(request.param, shown=4, choose=2)


@pytest.fixture(params=MAPPED)
def mapped(request):
    return make_task(request.param, shown=4, choose=2)


def test_every_name_is_a_task_and_says_so():
    assert set(MAPPED) < set(READ)
    assert set(TASKS) - set(MAPPED) == {"pair"}
    for name in READ:
        assert make_task(name).name == name
    for name in TASKS:
        assert make_task(name).ask
        assert make_task(name).answer
        assert make_task(name).instructions
    with pytest.raises(od.InputError, match="task must be one of 'triplet', 'odd_one_out'"):
        make_task("odd-one-out")


def test_questions_have_different_objects(task):
    items = task.draw(12, 500, np.random.default_rng(0))
    assert items.shape == (500, task.n_items)
    assert all(len(set(row)) == task.n_items for row in items.tolist())
    assert np.unique(items).tolist() == list(range(12))


def test_every_object_stands_at_every_place_as_often(task):
    rng = np.random.default_rng(1)
    shuffled = task.shuffled(np.tile(np.arange(task.n_items), (6000, 1)), rng)
    first = int(task.has_reference)
    assert (shuffled[:, :first] == np.arange(first)).all()
    for place in range(first, task.n_items):
        share = np.bincount(shuffled[:, place], minlength=task.n_items)[first:] / 6000
        # six standard errors: below 1e-7 for the 14 shares looked at
        assert share == pytest.approx(np.full(task.n_shown, 1 / task.n_shown), abs=0.04)


def test_the_same_question_has_the_same_key(task):
    rng = np.random.default_rng(0)
    items = task.draw(12, 50, rng)
    assert task.keys(task.shuffled(items, rng)) == task.keys(items)
    assert task.keys(items[:, task.swap]) == task.keys(items)
    assert (items[:, task.swap] != items).any(axis=1).all()
    assert len(set(task.keys(items))) > 25
    labels = [[f"i{item:02}" for item in row] for row in items.tolist()]
    by_key = {task.key(row): key for row, key in zip(labels, task.keys(items), strict=True)}
    assert len(by_key) == len(set(task.keys(items)))


def test_how_many_questions_there_are(task):
    items = task.draw(5, 4000, np.random.default_rng(6))
    assert len(set(task.keys(items))) == task.n_possible(5)


def test_turning_a_question_keeps_the_question_and_its_right_answer(task):
    rng = np.random.default_rng(2)
    for _ in range(40):
        question = task.draw_catch(9, rng)
        for order in (task.swap, task.orders(1, rng)[0].tolist()):
            turned = task.reorder(question, order)
            assert task.key(turned.items) == task.key(question.items)
            assert task.same_choice(question, question.expected, turned, turned.expected)


def test_catch_questions_show_an_object_twice():
    rng = np.random.default_rng(4)
    triplet, odd, choose, pairs, pair = (make_task(n, shown=5).draw_catch(9, rng) for n in TASKS)
    assert triplet.shown[triplet.expected[0]] == triplet.reference
    assert choose.shown[choose.expected[0]] == choose.reference
    assert Counter(odd.shown)[odd.shown[odd.expected[0]]] == 1
    assert len(set(odd.shown)) == 2
    ((one, other),) = make_task("pair_against_pair").objects(pairs, pairs.expected)
    assert one == other
    assert pair.shown[0] == pair.shown[1]
    assert make_task("pair").named(pair, pair.expected) == ["tie"]
    with pytest.raises(od.InputError, match="without ties has an obvious answer"):
        make_task("pair", ties=False).draw_catch(9, rng)


@pytest.mark.parametrize(
    ("name", "chosen", "fine"),
    [
        ("triplet", [1], True),
        ("triplet", [2], False),
        ("triplet", [-1], False),
        ("triplet", [], False),
        ("triplet", [0, 1], False),
        ("odd_one_out", [2], True),
        ("choose_k", [4, 0], True),
        ("choose_k", [4, 4], False),
        ("choose_k", [4], False),
        ("pair_against_pair", [1], True),
        ("pair_against_pair", [2], False),
        ("pair", [2], True),
        ("pair", [3], False),
    ],
)
def test_which_answers_a_screen_allows(name, chosen, fine):
    assert make_task(name, shown=5).accepts(chosen) is fine


def test_margins_compare_each_pair_with_the_last(mapped):
    task = mapped
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


def test_the_nearest_pairs_are_chosen_and_hold_on_the_map(mapped):
    task = mapped
    items = task.draw(12, 40, np.random.default_rng(0))
    margins = np.pad(task.margins(items, MAPS[:1])[:, :, 0], ((0, 0), (0, 1)))
    chosen = np.argsort(-margins, axis=1)[:, : task.n_select]
    rows, question = task.rows(items, chosen)
    assert question.tolist() == np.repeat(range(40), task.rows_per_answer).tolist()
    assert od.metrics.triplet_error(od.Comparisons(rows, n_objects=12), MAPS[0]) == 0


@pytest.mark.parametrize(
    ("name", "items", "chosen", "expected"),
    [
        ("triplet", [0, 1, 2], [1], [[0, 2, 1]]),
        ("odd_one_out", [0, 1, 2], [0], [[1, 2, 0], [2, 1, 0]]),
        ("most_central", [0, 1, 2], [0], [[1, 0, 2], [2, 0, 1]]),
        ("pair_against_pair", [0, 1, 2, 3], [1], [[2, 3, 0, 1]]),
        ("choose_k", [0, 1, 2, 3], [2, 0], [[0, 3, 2], [0, 1, 2]]),
        ("ranking", [0, 1, 2, 3], [0, 1, 2], [[0, 1, 2], [0, 1, 3], [0, 2, 3]]),
    ],
)
def test_what_follows_from_an_answer(name, items, chosen, expected):
    rows, question = make_task(name, shown=3).rows(np.array([items]), np.array([chosen]))
    assert rows.tolist() == expected
    assert question.tolist() == [0] * len(expected)


def test_the_order_of_choosing_counts_if_it_is_ranked():
    task = make_task("choose_k", shown=3, ranked=True)
    rows, _ = task.rows(np.array([[0, 1, 2, 3]]), np.array([[2, 0]]))
    assert rows.tolist() == [[0, 3, 1], [0, 3, 2], [0, 1, 2]]
    assert task.rows_per_answer == 3


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
    labels = ("a", "b", "c", "d", "e")[: task.n_items]
    assert task.read_answer(answer, labels) == chosen
    if chosen is not None:
        assert task.read_answer(task.named(task.question(labels), chosen), labels) == chosen


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


def test_a_task_need_not_be_about_distances():
    """Which of two is more …, left, right or neither: no pairs, and a choice without an object."""
    task = make_task("pair")
    items = task.draw(6, 200, np.random.default_rng(0))
    assert len(set(task.keys(items))) == task.n_possible(6) == 15
    assert (task.n_choices, task.n_shown, task.swap) == (3, 2, [1, 0])
    question = task.question(["tea", "milk"], (2,))
    assert task.reorder(question, task.swap) == task.question(["milk", "tea"], (2,))
    assert task.reorder(task.question("ab", (0,)), task.swap) == task.question("ba", (1,))
    assert task.objects(question, [1, 2]) == [("milk",), ()]
    assert task.named(question, [0, 2]) == ["left", "tie"]
    for answer, chosen in (("tie", (2,)), ("right", (1,)), ("tea", (0,)), (2, (2,))):
        assert task.read_answer(answer, ("tea", "milk")) == chosen
    with pytest.raises(od.InputError, match="from 0 to 2, 'left' or 'right' or 'tie', or None"):
        task.read_answer("wine", ("tea", "milk"))


def test_a_question_of_labels_keeps_its_reference_apart():
    assert make_task("triplet").question("abc") == Question("a", ("b", "c"))
    assert make_task("odd_one_out").question("abc", (2,)) == Question(None, ("a", "b", "c"), (2,))
