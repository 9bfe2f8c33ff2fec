"""The questions of one participant: numbers, order, repeats."""

from collections import Counter

import pytest

from ordinate.collect.folder import read_study
from ordinate.collect.plan import make_plan, validation_questions
from ordinate.tasks import TASKS

BIG = {"practice": 3, "random": 20, "validation": 9, "catch": 5, "repeat": 6, "adaptive": 8}


@pytest.fixture(params=TASKS)
def study(request, make_folder):
    return read_study(make_folder(request.param, **{f"pools__{k}": n for k, n in BIG.items()}))


def test_quotas_are_exact(study):
    for seed in range(20):
        plan = make_plan(study, seed)
        assert Counter(planned.pool for planned in plan) == BIG
        assert [planned.phase for planned in plan[:4]] == ["practice"] * 3 + ["main"]


def test_nobody_is_asked_the_same_twice_but_for_repeats(study):
    for seed in range(10):
        plan = make_plan(study, seed)
        fresh = [p.question for p in plan if p.pool in ("random", "validation", "adaptive")]
        assert len({study.task.key(question.items) for question in fresh}) == len(fresh)


def test_repeats_come_late_with_sides_swapped(study):
    for seed in range(20):
        plan = make_plan(study, seed)
        for place, planned in enumerate(plan):
            if planned.pool == "repeat":
                first = plan[planned.repeat_of]
                assert first.pool in ("random", "validation")
                assert planned.question == study.task.reorder(first.question, study.task.swap)
                assert place - planned.repeat_of >= 0.2 * study.pools.total


def test_catch_questions_are_spread(study):
    for seed in range(20):
        places = [place for place, p in enumerate(make_plan(study, seed)) if p.pool == "catch"]
        assert places[0] < 20
        assert places[-1] >= 30


def test_everyone_has_the_same_validation_questions_in_other_places(study):
    plans = [make_plan(study, seed) for seed in range(6)]
    asked = [[p.question for p in plan if p.pool == "validation"] for plan in plans]
    keys = [{study.task.key(question.items) for question in questions} for questions in asked]
    assert all(these == keys[0] for these in keys)
    assert keys[0] == {study.task.key(question.items) for question in validation_questions(study)}
    assert any(questions != asked[0] for questions in asked)


def test_same_seed_same_plan(study):
    assert make_plan(study, 5) == make_plan(study, 5)
    assert make_plan(study, 5) != make_plan(study, 6)


def test_questions_written_down_come_first(make_folder):
    folder = make_folder("triplet")
    (folder / "questions.csv").write_text(
        "pool,reference,shown,expected\npractice,apple,pear;cake,pear\nvalidation,apple,pear;rice,\n"
    )
    study = read_study(folder)
    plan = make_plan(study, 0)
    assert plan[0].question.reference == "apple"
    assert plan[0].question.shown[plan[0].question.expected[0]] == "pear"
    written = study.task.key(("apple", "rice", "pear"))
    assert written in {study.task.key(p.question.items) for p in plan}
