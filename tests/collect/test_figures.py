"""Figures of sessions and studies, against answers that are known."""

from datetime import UTC, datetime, timedelta

from ordinate.collect import figures as counting
from ordinate.collect.figures import Tallies, figures_of, sessions_of, study_figures, tally_of
from ordinate.collect.sessions import question_of

from .serving import PATIENCE


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
    ((session, rows),) = sessions_of(person.store.reader)
    return figures_of(session, tally_of(rows, person.study), person.study)


SIZES = {"pools__catch": 2, "pools__random": 10, "pools__repeat": 3}


def careful(row, question):
    if question.expected:
        return question.expected[0]
    return question.shown.index(min(question.shown))


def test_a_careful_person(join):
    person = join(**SIZES)
    answer_by(person, careful)
    found = figures(person)
    assert (found["catch_right"], found["repeat_same"], found["median_rt_ms"]) == (1.0, 1.0, 800)
    assert (found["n_done"], found["n_answered"], found["flags"]) == (18, 17, ())
    assert found["one_side_share"] < 0.9


def test_someone_who_always_clicks_the_left(join):
    person = join(**SIZES)
    answer_by(person, lambda row, question: 0, rt_ms=100)
    found = figures(person)
    assert found["one_side_share"] == 1.0
    assert found["repeat_same"] == 0.0, "sides are swapped, so the same side is another answer"
    assert set(found["flags"]) >= {"fast", "one_sided"}
    assert found["fast_share"] == 1.0


def test_someone_who_fails_catch_questions(join):
    person = join(**SIZES)
    answer_by(
        person,
        lambda row, question: (
            1 - question.expected[0] if row["pool"] == "catch" else careful(row, question)
        ),
    )
    found = figures(person)
    assert found["catch_right"] == 0.0
    assert found["flags"] == ("failed_catch",)


def test_nobody_is_judged_by_a_few_answers(join):
    person = join()
    person.begin()
    person.send(*(person.answer(trial, rt_ms=10) for trial in person.trials()[:4]))
    found = figures(person)
    assert (found["fast_share"], found["one_side_share"]) == (None, None)
    assert "fast" not in found["flags"]


def test_someone_who_never_came_back(join):
    person = join()
    person.begin()
    assert figures(person)["status"] == "open"
    old = "2020-01-01T00:00:00.000Z"
    person.store.submit(lambda c: c.execute("UPDATE sessions SET last_seen_at=?", (old,))).result()
    assert figures(person)["status"] == "expired"


def test_of_a_study_without_answers(join):
    person = join()
    found = study_figures(person.store.reader, person.study)
    assert (found["n_sessions"], found["n_answers"], found["catch_right"]) == (0, 0, None)


def test_a_second_look_counts_only_who_was_there_since(join, monkeypatch):
    first = join()
    second = join(first)
    for person in (first, second):
        person.begin()
        person.send(*(person.answer(trial) for trial in person.trials()[:5]))
    earlier = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    idle = "UPDATE sessions SET last_seen_at=?"
    first.store.submit(lambda connection: connection.execute(idle, (earlier,))).result()
    counted = []
    trials_of = counting.trials_of

    def watched(connection, session):
        counted.append(session)
        return trials_of(connection, session)

    monkeypatch.setattr(counting, "trials_of", watched)
    monkeypatch.setattr(counting, "FRESH_SECONDS", PATIENCE)
    tallies = Tallies()

    def look():
        counted.clear()
        found = study_figures(first.store.reader, first.study, tallies)
        assert found == study_figures(first.store.reader, first.study)
        return found["answers_by_pool"], len(counted) - found["n_sessions"]

    before, n_counted = look()
    assert n_counted == 2
    assert look() == (before, 0)
    second.send(*(second.answer(trial) for trial in second.trials()[:2]))
    after, n_counted = look()
    assert (sum(after.values()), n_counted) == (sum(before.values()) + 2, 1)
    assert look() == (after, 1), "what is fresh is counted at every look"
