"""Figures of sessions and studies, against answers that are known."""

import pytest

from ordinate.collect.figures import answered_trials, session_figures, study_figures
from ordinate.collect.sessions import question_of


def rows_of(person):
    rows = person.store.reader.execute("SELECT * FROM trials ORDER BY session_id, place")
    return {row["trial_id"]: row for row in rows}


def answer_by(person, choose, rt_ms=800):
    """Answer everything by a function of the trial's row and question."""
    person.begin()
    rows = rows_of(person)
    while trials := person.trials():
        answers = []
        for trial in trials:
            row = rows[trial["trial"]]
            chosen = choose(row, question_of(row))
            answers.append(person.answer(trial, chosen=[chosen], rt_ms=rt_ms))
        person.send(*answers)


def figures(person):
    (found,) = session_figures(person.store.reader, person.study)
    return found


SIZES = {"pools__catch": 2, "pools__random": 10, "pools__repeat": 3}


def careful(row, question):
    if question.expected:
        return question.expected[0]
    return question.shown.index(min(question.shown))


def test_a_careful_person(join):
    person = join(**SIZES)
    answer_by(person, careful)
    found = figures(person)
    assert (found.catch_right, found.repeat_same, found.median_rt_ms) == (1.0, 1.0, 800)
    assert (found.n_done, found.n_answered, found.flags) == (18, 17, ())
    assert found.one_side_share < 0.9


def test_someone_who_always_clicks_the_left(join):
    person = join(**SIZES)
    answer_by(person, lambda row, question: 0, rt_ms=100)
    found = figures(person)
    assert found.one_side_share == 1.0
    assert found.repeat_same == 0.0, "sides are swapped, so the same side is another answer"
    assert set(found.flags) >= {"fast", "one_sided"}
    assert found.fast_share == 1.0


def test_someone_who_fails_catch_questions(join):
    person = join(**SIZES)
    answer_by(
        person,
        lambda row, question: (
            1 - question.expected[0] if row["pool"] == "catch" else careful(row, question)
        ),
    )
    found = figures(person)
    assert found.catch_right == 0.0
    assert found.flags == ("failed_catch",)


def test_nobody_is_judged_by_a_few_answers(join):
    person = join()
    person.begin()
    person.send(*(person.answer(trial, rt_ms=10) for trial in person.trials()[:4]))
    found = figures(person)
    assert (found.fast_share, found.one_side_share) == (None, None)
    assert "fast" not in found.flags


def test_someone_who_never_came_back(join):
    person = join()
    person.begin()
    assert figures(person).status == "open"
    old = "2020-01-01T00:00:00.000Z"
    person.store.submit(lambda c: c.execute("UPDATE sessions SET last_seen_at=?", (old,))).result()
    assert figures(person).status == "expired"


def test_of_a_study_without_answers(join):
    person = join()
    found = study_figures(person.store.reader, person.study)
    assert (found["n_sessions"], found["n_answers"], found["catch_right"]) == (0, 0, None)


@pytest.mark.parametrize("pools", [("random",), ("catch", "practice")])
def test_answers_of_some_pools(join, pools):
    person = join()
    answer_by(person, careful)
    found = [row["pool"] for row, _ in answered_trials(person.store.reader, pools)]
    assert set(found) == set(pools)
