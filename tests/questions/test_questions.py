"""Questions: pools, answers in any order, state, objects that come later."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import ordinate as od
from ordinate.engine.distances import squared_distances
from ordinate.questions.batch import Asked, QuestionBatch
from ordinate.questions.model import draw_maps
from ordinate.questions.prepare import (
    PER_QUESTION,
    choosing_dimension,
    left_out_score,
    mixture,
    prepare,
)
from ordinate.questions.rules import RULES, posterior

POINTS = np.random.default_rng(3).standard_normal((10, 2))


def answers_to(batch, points=POINTS):
    """Answer triplets as the truth does."""
    items = np.array([row.items for row in batch])
    left, right = (np.sum((points[items[:, 0]] - points[items[:, at]]) ** 2, 1) for at in (1, 2))
    return (right < left).astype(int)


def begun(n_answers=24, **options):
    questions = od.Questions(10, random_state=0, **options)
    batch = questions.ask(n_answers)
    questions.tell(batch.id, answers_to(batch))
    return questions


def test_questions_are_random_until_a_map_can_be_fitted():
    questions = od.Questions(10, random_state=0)
    batch = questions.ask(9)
    assert set(batch["pool"]) == {"random"}
    assert set(batch["rule"]) == {"random"}
    assert set(batch["fallback"]) == {"too few answers"}
    questions.tell(batch.id, answers_to(batch))
    assert questions.ask(1)["fallback"] == ["too few answers"]
    questions = begun(10)
    batch = questions.ask(20)
    assert batch["pool"].count("adaptive") == 18
    assert set(batch["model_version"]) == {0, 1}
    assert questions.map.shape == (10, 2)


def test_no_question_is_asked_twice_and_sides_are_shuffled():
    questions = begun()
    keys, first = set(), []
    for _ in range(5):
        batch = questions.ask(20)
        questions.tell(batch.id, answers_to(batch))
        keys |= {(row.items[0], frozenset(row.items[1:])) for row in batch}
        first += [row.items[1] < row.items[2] for row in batch]
    assert len(keys) == 100
    assert 25 < sum(first) < 75


def test_questions_that_are_out_are_not_asked_again():
    questions = begun()
    first = {(row.items[0], frozenset(row.items[1:])) for row in questions.ask(20)}
    questions.update()
    again = {(row.items[0], frozenset(row.items[1:])) for row in questions.ask(20)}
    assert not first & again


def test_repeats_go_to_other_participants():
    questions = begun(repeats=2, random_share=0.0)
    first = questions.ask(10, "ann", wait=False)
    assert set(first["fallback"]) == {"none prepared"} or questions.model_version == 0
    questions.update()
    of_ann = {frozenset(row.items) for row in questions.ask(10, "ann")}
    of_bob = {frozenset(row.items) for row in questions.ask(10, "bob", wait=False)}
    assert of_ann == of_bob
    again = {frozenset(row.items) for row in questions.ask(10, "cid", wait=False)}
    assert again != of_ann


def test_everyone_gets_the_validation_questions():
    questions = od.Questions(10, validation=4, random_state=0)
    for who in ("ann", "bob"):
        batch = questions.ask(8, who)
        assert batch["pool"].count("validation") == 2
        batch2 = questions.ask(8, who)
        assert batch2["pool"].count("validation") == 2
        assert questions.ask(8, who)["pool"].count("validation") == 0
        found = [row for row in [*batch, *batch2] if row.pool == "validation"]
        assert len({(row.items[0], frozenset(row.items[1:])) for row in found}) == 4


def test_answers_come_late_in_any_order_or_not_at_all():
    questions = od.Questions(["a", "b", "c", "d", "e"], random_state=0)
    batch = questions.ask(6)
    questions.tell(batch.id[4], batch.items[4][2])
    questions.tell([batch.id[1], batch.id[0]], [None, "left"], participant=["ann", "bob"])
    questions.tell([batch.id[0]], ["right"], "ann")  # another opinion is data
    made = questions.comparisons()
    assert [made.names[number] for number in made.rows[0]] == [
        batch.items[4][0],
        batch.items[4][2],
        batch.items[4][1],
    ]
    assert len(made) == 3
    assert made.groups["participant"].tolist() == ["", "bob", "ann"]
    assert len(made.contradictions()) == 1
    progress = questions.progress()
    assert (progress.n_asked, progress.n_answered, progress.n_skipped) == (6, 3, 1)
    assert progress.n_out == 3


def test_a_batch_is_told_as_it_is():
    questions, again = (od.Questions(list("abcde"), random_state=0) for _ in range(2))
    batch = questions.ask(6)
    questions.tell(batch, ["left"] * 6)
    again.ask(6)
    again.tell(batch.id, ["left"] * 6)
    assert questions.comparisons() == again.comparisons()
    questions.tell(batch[0], "right")
    questions.tell(batch[1:3], ["right", None])
    assert len(questions.comparisons()) == 8


def test_columns_of_a_batch_are_attributes():
    batch = od.Questions(list("abcde"), random_state=0).ask(3)
    assert batch.anchor == batch["anchor"] == [items[0] for items in batch.items]
    assert batch.pool == ["random"] * 3
    assert pickle.loads(pickle.dumps(batch)).right == batch.right
    with pytest.raises(AttributeError, match="no column or attribute 'reference'"):
        _ = batch.reference


def test_a_wrong_answer_among_right_ones_loses_nothing():
    questions = od.Questions(10, random_state=0)
    batch = questions.ask(3)
    before = questions.state()
    with pytest.raises(od.InputError, match="Question 17 was never asked: ids run from 0 to 2"):
        questions.tell([0, 17], [0, 1])
    with pytest.raises(od.InputError, match="a choice from 0 to 1"):
        questions.tell(batch, [0, 1, 7])
    with pytest.raises(od.InputError, match="got 3 questions and 2 answers"):
        questions.tell(batch.id, [0, 1])
    with pytest.raises(od.InputError, match="got 2 for 3 answers"):
        questions.tell(batch.id, [0, 1, 1], ["ann", "bob"])
    with pytest.raises(od.InputError, match="An id is a whole number"):
        questions.tell(["0"], [0])
    with pytest.raises(od.InputError, match="a batch and its answers, or an id and its answer"):
        questions.tell(1.5, [0])
    assert questions.state() == before
    with pytest.raises(od.InputError, match="none was so far"):
        od.Questions(10).tell(0, 1)


@pytest.mark.parametrize(
    ("objects", "options", "message"),
    [
        (2, {}, "needs 3 objects; got 2"),
        (8, {"task": "choose_k"}, "needs 9 objects; got 8"),
        (3, {"task": "pair_against_pair"}, "needs 4 objects; got 3"),
        ("abc", {}, "labels or how many"),
        (None, {}, "labels or how many there are; got None"),
        (["a", "b", "a"], {}, "'a' occurs more than once"),
        (5, {"task": "quiz"}, "task must be one of"),
        (5, {"rule": "best"}, "rule must be one of"),
        (5, {"task": "odd_one_out", "rule": "ckl"}, "is for triplets"),
        (5, {"random_share": 1.5}, "random_share"),
        (5, {"given": od.Comparisons([[0, 1, 7]])}, "given has 8 objects"),
        (5, {"given": od.Comparisons([[0, 1, 2]], names=list("xyz"))}, "answers about 'x'"),
        (5, {"given": [[0, 1, 2]]}, "given must be a Comparisons"),
    ],
)
def test_mistakes_are_explained(objects, options, message):
    with pytest.raises(od.InputError, match=message):
        od.Questions(objects, **options)


def test_all_questions_asked_is_reported():
    questions = od.Questions(4, rule="random", random_state=0)
    questions.ask(12)
    with pytest.raises(od.InputError, match="All questions about 4 objects have been asked"):
        questions.ask(1)


def play(questions, n_rounds, *, kill):
    """Ask and answer; with `kill` everything passes through JSON between any two calls."""

    def reborn(questions):
        return od.Questions.from_state(json.loads(json.dumps(questions.state())))

    asked = []
    for _ in range(n_rounds):
        batch = questions.ask(6, "ann")
        asked.append(batch.to_dict())
        questions = reborn(questions) if kill else questions
        questions.tell(batch.id[:4], answers_to(batch)[:4])
        questions = reborn(questions) if kill else questions
        questions.tell(batch.id[5], None)
    return asked, questions


@pytest.mark.parametrize("rule", ["posterior", "ckl", "random"])
def test_a_killed_process_continues_with_the_same_questions(rule):
    options = {"rule": rule, "validation": 2, "random_state": 4, "given": GIVEN}
    alive, one = play(od.Questions(10, **options), 3, kill=False)
    reborn, other = play(od.Questions(10, **options), 3, kill=True)
    assert str(alive) == str(reborn)  # as text: NaN is not equal to itself
    assert one.state() == other.state()
    assert one.progress() == other.progress()


GIVEN = od.sources.random_triplets(POINTS, 20, random_state=0)


def test_states_that_are_none_are_refused():
    with pytest.raises(od.InputError, match="not the state of Questions"):
        od.Questions.from_state({"a": 1})
    state = od.Questions(5).state()
    with pytest.raises(od.InputError, match="version 7; this Ordinate reads version 5"):
        od.Questions.from_state(state | {"version": 7})
    damaged = [
        {key: state[key] for key in ("format", "version", "settings")},
        state | {"seed": -1},
        state | {"validation": ["x"]},
        state | {"given": np.array([1, 2])},
    ]
    for one in damaged:
        with pytest.raises(od.InputError, match="damaged"):
            od.Questions.from_state(one)
    with pytest.raises(od.InputError, match="n must be an integer"):
        od.Questions(5).update(None)


def test_given_answers_are_matched_by_label():
    given = od.Comparisons([[0, 1, 2]] * 8, names=["c", "b", "a"])
    questions = od.Questions(["a", "b", "c", "d"], given=given, random_state=0)
    assert questions.comparisons().rows[0].tolist() == [2, 1, 0]
    assert questions.ask(1, wait=True).to_dict()["model_version"] == [1]
    assert questions.progress().accuracy is None  # nobody knows how they were chosen


def test_a_new_fit_waits_for_enough_new_answers():
    given = od.sources.random_triplets(POINTS, 200, random_state=0)
    questions = od.Questions(10, given=given, random_state=0)
    versions = []
    for _ in range(7):
        batch = questions.ask(1)
        questions.tell(batch.id, answers_to(batch))
        versions.append(questions.model_version)
    assert versions == [1, 1, 1, 1, 1, 2, 2]  # more than 2 % of 200


def test_questions_are_chosen_by_maps_of_more_dimensions(monkeypatch):
    assert choosing_dimension(2, 100) == 8
    assert choosing_dimension(10, 100) == 10
    assert choosing_dimension(2, 6) == 5
    drawn = []

    def note(answers, n_components, *args, **options):
        drawn.append(n_components)
        return draw_maps(answers, n_components, *args, **options)

    monkeypatch.setattr("ordinate.questions.prepare.draw_maps", note)
    questions = begun()
    questions.ask(4)
    assert drawn == [2, 8]
    assert questions.map.shape == (10, 2)


def test_draws_are_mixed_by_how_well_they_predict():
    """Points in the plane are better predicted by flat maps, points in 6-D by larger ones."""
    for dimension, most_are_flat in ((2, True), (6, False)):
        rng = np.random.default_rng([dimension])  # fixed: a few answers may favour the other
        points = 3 * rng.standard_normal((15, dimension))
        answers = od.sources.random_triplets(points, 900, random_state=np.random.default_rng([0]))
        flat, more = draw_maps(answers, 2, rng), draw_maps(answers, 8, rng)
        assert (left_out_score(answers, flat) > left_out_score(answers, more)) == most_are_flat
        mixed = mixture(flat, more, answers, rng)
        n_flat = np.sum(~mixed.draws[:, :, 2:].any(axis=(1, 2)))
        assert mixed.draws.shape == (64, 15, 8)
        assert n_flat == (58 if most_are_flat else 6)  # at least a tenth of either


def test_the_score_of_answers_left_out_is_that_of_fits_without_them():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((8, 2))
    answers = od.sources.random_triplets(
        points, 60, noise=od.sources.FlippedAnswers(0.2), random_state=0
    )
    maps = draw_maps(answers, 2, rng, n_draws=160)
    exact = []
    for left_out in range(0, 60, 12):
        others = np.delete(np.arange(60), left_out)
        made = draw_maps(answers[others], 2, rng, n_draws=160, lapse=maps.lapse)
        near2, far2 = np.transpose(
            [squared_distances(x, answers.rows[[left_out]]) for x in made.draws], (1, 0, 2)
        )
        chances = made.lapse / 2 + (1 - made.lapse) / (1 + np.exp(near2 - far2))
        exact.append(np.log(chances.mean()))
    assert left_out_score(answers[::12], maps) == pytest.approx(np.sum(exact), rel=0.25)


def test_the_first_questions_are_balanced():
    for task in ("triplet", "odd_one_out"):
        questions = od.Questions(10, task=task, random_state=0)
        items = np.array([row.items for row in [*questions.ask(4), *questions.ask(6)]])
        if task == "triplet":
            assert sorted(items[:, 0]) == list(range(10))
            assert set(np.bincount(items[:, 1:].ravel())) <= {1, 2, 3}
        assert len({tuple(sorted(row)) for row in items}) == 10
        counts = np.bincount(items.ravel())
        assert set(counts) <= {2, 3, 4}
    few = od.Questions(4, random_state=0).ask(12)  # all that there are
    assert len({(row.items[0], frozenset(row.items[1:])) for row in few}) == 12


def test_anchors_take_turns():
    questions = begun(random_share=0.0)
    for _ in range(3):
        batch = questions.ask(20)
        questions.tell(batch.id, answers_to(batch))
    anchors = [row.items[0] for row in questions._ledger.asked]
    assert max(np.bincount(anchors)) - min(np.bincount(anchors)) <= 1


def test_new_objects_are_asked_about():
    questions = begun()
    questions.ask(2)
    questions.add_objects(["new"])
    with pytest.raises(od.InputError, match="'new' occurs more than once"):
        questions.add_objects(["new"])
    batch = questions.ask(10)
    about = [row for row in batch if 10 in row.items and row.pool == "adaptive"]
    assert len(about) >= 2  # one question in five is about any given object
    assert questions.map.shape == (11, 2)


def test_ask_continues_while_another_thread_fits():
    questions = begun()
    snapshot = questions.snapshot()
    before = questions.ask(3, wait=False)  # from what was prepared, here nothing
    assert set(before["fallback"]) <= {"", "too few answers"}
    with ThreadPoolExecutor(1) as pool:
        prepared = pool.submit(prepare, pickle.loads(pickle.dumps(snapshot))).result()
    questions.install(prepared)
    queue = questions.ask(20, wait=False)
    assert "adaptive" in queue["pool"]
    version = questions.model_version
    questions.install(prepared)  # an old fit changes nothing
    assert questions.model_version == version
    asked = {(row.items[0], frozenset(row.items[1:])) for row in before}
    assert not asked & {(row.items[0], frozenset(row.items[1:])) for row in queue}


@pytest.mark.usual_data
@pytest.mark.parametrize("task", ["odd_one_out", "choose_k", "pair_against_pair"])
def test_other_tasks_lead_to_a_map_as_well(task):
    questions = od.Questions(10, task=task, shown=4, choose=2, random_state=0)
    for _ in range(2):
        batch = questions.ask(15)
        items = np.array([row.items for row in batch])
        margins = np.pad(questions._task.margins(items, POINTS[None])[:, :, 0], ((0, 0), (0, 1)))
        chosen = np.argsort(-margins, axis=1)[:, : questions._task.n_select]
        questions.tell(batch.id, chosen if task == "choose_k" else chosen[:, 0])
    batch = questions.ask(5)
    assert batch["pool"].count("adaptive") >= 4
    assert od.metrics.triplet_error(questions.comparisons(), questions.map) < 0.15


def test_tables_print_and_convert():
    pytest.importorskip("pandas")
    batch = od.Questions(["tea", "milk", "wine", "beer"], random_state=0).ask(12)
    frame = batch.to_frame()
    assert frame.columns.tolist() == [
        *("id", "anchor", "left", "right", "pool", "score", "rule", "model_version", "fallback")
    ]
    assert batch["left"] == frame["left"].tolist()
    assert repr(batch).splitlines()[0].split() == ["id", "anchor", "left", "right", "pool", "score"]
    assert len(batch[:2]) == 2


def test_a_batch_shows_scores_however_small_they_are():
    row = Asked(0, (0, 1, 2), "adaptive", 0.000231, "posterior", 1)
    batch = QuestionBatch((row,), ("anchor", "left", "right"), ("tea", "milk", "soup"))
    assert repr(batch).split()[-1] == "0.000231"


def objects_with_features(n_objects=30):
    rng = np.random.default_rng([1])
    points = rng.normal(size=(n_objects, 2))
    return points, np.hstack([points, rng.normal(size=(n_objects, 1))])


def test_with_features_the_first_question_is_chosen_and_the_map_knows_something():
    points, features = objects_with_features()
    questions = od.Questions(30, features=features, random_state=0)
    batch = questions.ask(10)
    assert batch["pool"].count("adaptive") == 9
    test = od.sources.random_triplets(points, 2000, random_state=0)
    assert od.metrics.triplet_error(test, questions.map) < 0.4
    rows = np.array([row.items for row in batch])
    near, far = (np.square(points[rows[:, 0]] - points[rows[:, k]]).sum(axis=1) for k in (1, 2))
    questions.tell(batch, (near > far).astype(int).tolist())
    again = od.Questions.from_state(json.loads(json.dumps(questions.state())))
    assert again.ask(10).to_dict() == questions.ask(10).to_dict()
    questions.add_objects(["new"])
    assert len(questions.ask(10)) == 10
    assert questions.map.shape == (31, 2)


def test_rows_of_features_are_matched_by_label():
    _, features = objects_with_features(6)
    names = list("abcdef")
    frame = pd.DataFrame(features, index=names).drop("c").iloc[::-1]
    features[2] = np.nan
    plain = od.Questions(names, features=features, random_state=0)
    labelled = od.Questions(names, features=frame, random_state=0)
    assert labelled.ask(5).to_dict() == plain.ask(5).to_dict()


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (np.ones((4, 2)), r"features must have a row per object, 5; got shape \(4, 2\)"),
        (np.full((5, 2), np.nan), "No object has features"),
        ([[1, np.nan], *[[0, 1]] * 4], "features must be finite; make a row NaN"),
    ],
)
def test_features_that_do_not_fit_are_refused(features, words):
    with pytest.raises(od.InputError, match=words):
        od.Questions(5, features=features)


def test_a_question_is_the_best_of_few(monkeypatch):
    """With features too, and even if a list of what can be asked is long."""
    seen = []

    def rule(candidates, size):
        seen.append(candidates.items)
        return posterior(candidates, size)

    monkeypatch.setitem(RULES, "posterior", rule)
    features = np.random.default_rng(0).normal(size=(40, 3))
    questions = od.Questions(40, features=features, random_state=0)
    snapshot = questions.snapshot(20)
    prepare(snapshot)
    assert 14 * 40 < len(seen[0]) <= PER_QUESTION * 40
    among = snapshot.task.draw(40, 5000, np.random.default_rng(1))
    chosen = prepare(replace(snapshot, among=among)).items
    assert 14 * 40 < len(seen[1]) <= PER_QUESTION * 40
    assert len(np.unique(seen[1][:, 0])) == 40  # drawn, not the first of the list
    assert {*map(tuple, chosen)} <= {*map(tuple, among)}
