"""Questionnaires: what is refused, what is shown, what is stored and who is screened out."""

import json
import math
from random import Random

import pytest

import ordinate as od
from ordinate.collect.folder import read_study
from ordinate.collect.prepare import check_study
from ordinate.collect.questionnaires import read_questionnaires, read_responses
from ordinate.collect.simulate import response_to, simulate
from ordinate.collect.store import forget

WRITTEN = """
[[before]]
name = "age"
kind = "number"
ask = "How old are you?"
minimum = 1
maximum = 120
screen_out_below = 18

[[before]]
name = "vision"
kind = "choice"
ask = "Is your vision normal?"
options = ["yes", "no"]
required = false

[[before]]
name = "glasses"
kind = "choices"
ask = "Which of these do you use?"
options = ["glasses", "lenses", "none"]
screen_out = ["none"]
show_if = { vision = "no" }

[[after]]
name = "hard"
kind = "scale"
ask = "How hard was it?"
points = 5

[[after]]
name = "remarks"
kind = "text"
ask = "Anything else?"
required = false
show_if = { hard = [4, 5], vision = ["yes"] }
"""


def write(folder, text=WRITTEN):
    with (folder / "study.toml").open("a") as file:
        file.write(text)
    return folder


@pytest.fixture
def person(make_folder, join):
    return join(
        folder=write(make_folder(finish__redirect_screened="https://x.example/?p={PROLIFIC_PID}"))
    )


def fill_in(person, moment, **answers):
    return person.post("/api/questionnaire", {"moment": moment, "answers": answers, "rt_ms": 1234})


def stored(person):
    rows = person.store.reader.execute("SELECT * FROM responses ORDER BY moment, name").fetchall()
    return {
        (row["moment"], row["name"]): (row["outcome"], json.loads(row["answer"])) for row in rows
    }


def test_answers_are_stored_once_and_the_session_ends_with_all_of_them(person):
    person.begin()
    assert fill_in(person, "before", age=33, vision="yes").json() == {"status": "open"}
    assert fill_in(person, "before", age=44).status_code == 200  # sent again: changes nothing
    person.answer_all()
    early = person.post("/api/finish")
    assert (early.status_code, early.json()["error"]) == (409, "not_finished")
    assert fill_in(person, "after", hard=4, remarks=" none ").status_code == 200
    assert person.post("/api/finish").json()["code"]
    assert stored(person) == {
        ("before", "age"): ("answered", 33),
        ("before", "vision"): ("answered", "yes"),
        ("before", "glasses"): ("not_shown", None),
        ("after", "hard"): ("answered", 4),
        ("after", "remarks"): ("answered", "none"),
    }
    state = person.client.get("/api/state").json()
    assert state["session"]["responses"]["before"]["age"] == 33


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({}, "age needs an answer"),
        ({"age": 0}, "age must be a number, 1 or more, 120 or less"),
        ({"age": "33"}, "age must be a number"),
        ({"age": True}, "age must be a number"),
        ({"age": 33, "vision": "perhaps"}, "vision must be one of its options"),
        ({"age": 33, "vision": "no"}, "glasses needs an answer"),
        ({"age": 33, "vision": "no", "glasses": []}, "glasses must be one of its options"),
        ({"age": 33, "vision": "no", "glasses": ["lenses", "lenses"]}, "one of its options"),
        ({"age": 33, "shoes": 44}, "no question is called 'shoes'"),
    ],
)
def test_bad_answers_are_refused(person, answers, message):
    person.begin()
    reply = fill_in(person, "before", **answers)
    assert reply.status_code == 400
    assert message in reply.json()["message"]
    assert stored(person) == {}


def test_refuses_questionnaires_that_the_session_does_not_have(person):
    person.begin()
    for moment in ("between-1", "during", None, 3):
        assert fill_in(person, moment, age=33).status_code == 400


@pytest.mark.parametrize(
    "answers", [{"age": 17}, {"age": 33, "vision": "no", "glasses": ["lenses", "none"]}]
)
def test_an_answer_may_end_the_session(person, answers):
    person.begin(params={"PROLIFIC_PID": "me"})
    reply = fill_in(person, "before", **answers).json()
    assert (reply["status"], reply["redirect"]) == ("screened", "https://x.example/?p=me")
    assert reply["code"]
    assert person.post("/api/trials").json()["error"] == "screened"
    assert fill_in(person, "before", age=33).json()["error"] == "screened"
    state = person.client.get("/api/state").json()
    assert (state["session"]["status"], state["code"]) == ("screened", reply["code"])
    assert state["redirect"] == "https://x.example/?p=me"


def test_an_answer_that_no_longer_counts_shows_nothing():
    """A question that is hidden has no answer for those that depend on it."""
    tables = [
        {"name": "a", "kind": "choice", "ask": "?", "options": ["x", "y"]},
        {"name": "b", "kind": "choice", "ask": "?", "options": ["x", "y"], "show_if": {"a": "x"}},
        {"name": "c", "kind": "scale", "ask": "?", "show_if": {"b": "y"}},
    ]
    asks = read_questionnaires({"before": tables})["before"]
    responses, _ = read_responses(asks, {"a": "y", "b": "y", "c": 3}, {})
    assert [response.outcome for response in responses] == ["answered", "not_shown", "not_shown"]


BASE = {"name": "a", "kind": "choice", "ask": "?", "options": ["x", "y"]}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "age"}, r"kind must be one of 'number'.*got 'age'"),
        ({"ask": ""}, "it has no ask"),
        ({"name": "My age"}, "lower-case letters, digits and _"),
        ({"points": 3}, "a choice has no entry 'points'; it may have name, kind, ask"),
        ({"required": "no"}, "required must be true or false; got 'no'"),
        ({"options": ["x"]}, "options must be two or more different texts"),
        ({"options": ["x", 3]}, "options must be a list of texts"),
        ({"options": ["x", "y;z"]}, "holds ';'"),
        ({"options_de": ["x"]}, "options_de has 1 texts; options has 2"),
        ({"screen_out": ["z"]}, "screen_out names 'z', which is none of the options"),
        ({"screen_out": ["x", "y"]}, "nobody could take part"),
        ({"show_if": {"b": 1}}, "show_if names 'b', which no earlier question is called"),
        (
            {"show_if": {"first": 9}},
            "nobody can give: first must be a whole number from 1 to 7; got 9",
        ),
        ({"name": "first"}, "another question has this name"),
    ],
)
def test_bad_questions_are_refused(table, message):
    first = {"name": "first", "kind": "scale", "ask": "?"}
    with pytest.raises(od.InputError, match=rf"^\[\[before\]\], question 2.*: .*{message}"):
        read_questionnaires({"before": [first, {**BASE, **table}]})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "number", "minimum": 3, "maximum": 2}, "minimum is 3, which is above maximum"),
        ({"kind": "scale", "points": 1}, "points must be an integer >= 2"),
        ({"kind": "text", "lines": 0}, "lines must be an integer >= 1"),
    ],
)
def test_bad_limits_are_refused(table, message):
    with pytest.raises(od.InputError, match=message):
        read_questionnaires({"after": [{"name": "a", "ask": "?", **table}]})


def test_check_says_what_is_wrong(make_folder):
    folder = write(make_folder(), WRITTEN.replace("points = 5", "point = 5"))
    (finding,) = check_study(folder)[1]
    assert finding.sentence.startswith("[[after]], question 1 (hard): a scale has no entry 'point'")
    (folder / "study.toml").write_text('title = "x"\n[before]\nname = "age"\n')
    with pytest.raises(od.InputError, match=r"before must be written as \[\[before\]\]"):
        read_study(folder)


def test_questionnaires_are_frozen_and_part_of_the_hash(make_folder, open_store):
    plain, folder = make_folder(name="plain"), write(make_folder())
    assert read_study(folder).hash != read_study(plain).hash
    store = open_store(read_study(folder))
    assert store.study.questionnaires == read_study(folder).questionnaires


def test_simulated_participants_answer_them(make_folder):
    folder = write(make_folder(), WRITTEN.replace('name = "vision"', 'name = "vision"\n'))
    simulate(read_study(folder), participants=6, noise=0.1)
    from ordinate.collect.store import SIMULATED, reading

    with reading(folder, SIMULATED) as connection:
        statuses = [row[0] for row in connection.execute("SELECT status FROM sessions")]
        ages = connection.execute("SELECT answer FROM responses WHERE name='age'").fetchall()
    assert statuses == ["complete"] * 6
    assert all(18 <= json.loads(row[0]) <= 120 for row in ages)


def test_random_answers_are_answers(make_folder):
    rng = Random(1)
    for asks in read_study(write(make_folder())).questionnaires.values():
        for ask in asks:
            answer = response_to(ask, rng)
            assert ask.accept(answer) == answer
            assert not ask.screens_out(answer)


def test_forgetting_somebody_forgets_what_they_wrote(person):
    person.begin()
    fill_in(person, "before", age=33)
    (session,) = person.store.reader.execute("SELECT session_id FROM sessions").fetchone()
    forget(person.study.folder, session)
    assert stored(person) == {}


def test_infinite_limits_do_not_reach_the_page(make_folder):
    (age, *_), *_ = read_study(write(make_folder())).questionnaires.values()
    assert age.on_page("en")["minimum"] == 1
    assert math.inf not in age.on_page("en").values()
