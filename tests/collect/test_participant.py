"""The requests of participants over HTTP: a whole session, and what they might try."""

import json

import pytest

from ordinate.collect.participant import COOKIE
from ordinate.collect.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_a_whole_session(join, task):
    person = join(task=task, finish__code="DONE")
    assert person.client.get("/api/state").json() == {"paused": False, "session": None}
    assert person.begin().status_code == 201
    asked = person.answer_all()
    assert len({trial["trial"] for trial in asked}) == 9
    assert person.post("/api/finish").json() == {"code": "DONE", "redirect": ""}
    assert person.client.get("/api/state").json()["session"]["status"] == "complete"


def test_the_page_knows_neither_names_nor_pools_nor_right_answers(join):
    person = join()
    person.begin()
    practice, *trials = person.trials()
    assert set(practice) == {"trial", "place", "block", "shown", "reference", "expected"}
    for trial in trials:
        assert set(trial) == {"trial", "place", "block", "shown", "reference"}
        assert set(trial["reference"]) == {"kind", "alt", "text"}


def test_questions_stay_until_they_are_answered(join):
    person = join()
    person.begin()
    first = person.trials()
    assert person.trials() == first
    person.send(person.answer(first[0]))
    assert person.trials() == first[1:]


def test_resuming_and_two_tabs_share_one_session(join):
    person = join()
    session = person.begin().json()["session"]
    other = join(person)
    other.client.cookies = person.client.cookies
    assert other.begin().json()["session"] == session
    trial = person.trials()[0]
    assert person.send(person.answer(trial)).json()["stored"] == {trial["trial"]: True}
    assert other.send(other.answer(trial)).json()["stored"] == {trial["trial"]: False}


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(join):
    cookie = join().begin().headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age=86400" in cookie


def test_a_page_that_is_refused_its_session(join):
    person = join()
    for path in ("/api/trials", "/api/answers", "/api/finish", "/api/withdraw"):
        assert person.post(path).status_code == 401
    person.client.cookies.set(COOKIE, "x" * 32)
    assert person.post("/api/trials").status_code == 401


def test_replays_forgeries_and_foreign_questions_are_refused(join):
    one = join()
    two = join(one)
    one.begin()
    two.begin()
    mine, theirs = one.trials()[0], two.trials()[0]
    reply = one.send(one.answer(mine), one.answer(theirs), one.answer({"trial": "tforged"})).json()
    assert reply["stored"] == {mine["trial"]: True}
    assert set(reply["refused"]) == {theirs["trial"], "tforged"}
    for _ in range(3):
        replay = one.send(one.answer(mine, chosen=[1])).json()
        assert replay["stored"] == {mine["trial"]: False}
    rows = one.store.reader.execute("SELECT chosen FROM answers").fetchall()
    assert [row[0] for row in rows] == ["[0]"]


def test_no_session_without_consent(join):
    person = join()
    assert person.begin(consent=False).status_code == 400
    assert person.begin(consent="yes").status_code == 400
    assert person.begin(request="short").status_code == 400
    assert person.begin(params=[]).status_code == 400
    assert person.begin(consent_version="other").status_code == 409
    assert person.client.get("/api/state").json()["session"] is None


def test_what_is_too_long_is_cut(join):
    person = join()
    person.begin(params={"x" * 99: "y" * 999}, viewport="z" * 99, pixel_ratio="w")
    row = person.store.reader.execute("SELECT * FROM sessions JOIN identities").fetchone()
    assert json.loads(row["url_params"]) == {"x" * 60: "y" * 200}
    assert (len(row["viewport"]), row["pixel_ratio"]) == (20, None)


def test_a_full_disk_is_told_and_the_answer_counts_later(join):
    person = join()
    person.begin()
    trials = person.trials()
    connection = person.store._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages}")
    padding = {"click_ms": [123456789] * 200}
    replies = [person.send(person.answer(trial, **padding)) for trial in trials]
    full = [reply.status_code == 507 for reply in replies]
    assert full[-1]
    assert replies[-1].json()["error"] == "storage"
    stored = person.store.reader.execute("SELECT COUNT(*) FROM answers").fetchone()[0]
    assert stored == full.count(False)
    connection.execute("PRAGMA max_page_count=100000")
    assert person.send(*map(person.answer, trials)).status_code == 200
    assert person.post("/api/finish").status_code == 200


def test_paused(join, experimenter):
    person = join()
    person.begin()
    trial = person.trials()[0]
    assert (
        experimenter(person).post("/experimenter/pause", json={"paused": True}).status_code == 200
    )
    assert person.post("/api/trials").json()["error"] == "paused"
    assert join(person).begin().status_code == 503
    assert person.send(person.answer(trial)).json()["stored"] == {trial["trial"]: True}
    experimenter(person).post("/experimenter/pause", json={"paused": False})
    assert person.post("/api/trials").status_code == 200


def test_withdrawing(join):
    person = join()
    person.begin()
    assert person.post("/api/withdraw").json() == {"status": "returned"}
    assert person.post("/api/trials").json()["error"] == "returned"
