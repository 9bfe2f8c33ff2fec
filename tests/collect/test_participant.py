"""The requests of participants over HTTP: a whole session, and what they might try."""

import json
import re

import pytest

import ordinate as od
from ordinate.collect import participant, sessions
from ordinate.collect.export import export_tables
from ordinate.collect.participant import HEADER, Participants
from ordinate.collect.store import PREVIEW
from ordinate.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_a_whole_session(join, task):
    person = join(task=task, finish__code="DONE")
    assert person.client.get("/api/state").json() == {
        **{"paused": False, "named": False},
        "session": None,
        "refused": "",
        "ways": {"declined": "", "full": "", "screened": ""},
    }
    assert person.begin().status_code == 201
    asked = person.answer_all()
    assert len({trial["trial"] for trial in asked}) == 9
    assert person.post("/api/finish").json() == {"code": "DONE", "redirect": ""}
    assert person.client.get("/api/state").json()["session"]["status"] == "complete"


def test_the_page_knows_neither_names_nor_pools_nor_right_answers(join):
    person = join()
    person.begin()
    practice, *trials = person.trials()
    known = {"trial", "place", "phase", "number", "total", "block", "block_number", "opens"}
    known |= {"shown", "reference"}
    assert set(practice) == {*known, "expected"}
    for trial in trials:
        assert set(trial) == known
        assert trial["block"] == trial["block_number"] == 0
        assert set(trial["reference"]) == {"kind", "alt", "text"}


def test_questions_stay_until_they_are_answered(join):
    person = join()
    person.begin()
    first = person.trials()
    assert person.trials() == first
    person.send(person.answer(first[0]))
    assert person.trials() == first[1:]


def test_an_answer_that_lands_during_a_refill_hides_no_question(join, monkeypatch):
    person = join(pools__random=18)
    person.begin()
    *two, meanwhile = person.trials()[:3]
    person.send(*map(person.answer, two))
    wait = participant.on_disk

    async def wait_and_answer(change):
        row = (meanwhile["trial"], "answered", "[0]", "", 1, "[]", 0, "key", 1)
        insert = "INSERT INTO answers VALUES (?,?,?,?,?,?,?,?,?)"
        person.store.submit(lambda connection: connection.execute(insert, row).rowcount).result()
        return await wait(change)

    monkeypatch.setattr(participant, "on_disk", wait_and_answer)
    reply = person.post("/api/trials").json()
    shown = {trial["trial"] for trial in reply["trials"]}
    unanswered = person.store.reader.execute(
        "SELECT trial_id FROM trials LEFT JOIN answers USING (trial_id) WHERE outcome IS NULL"
    )
    assert {row[0] for row in unanswered} <= shown or reply["left"] > len(shown)


def test_resuming_and_two_tabs_share_one_session(join):
    person = join()
    session = person.begin().json()["session"]
    other = join(person)
    other.client.headers[HEADER] = person.client.headers[HEADER]
    assert other.begin().json()["session"] == session
    trial = person.trials()[0]
    assert person.send(person.answer(trial)).json()["stored"] == {trial["trial"]: True}
    assert other.send(other.answer(trial)).json()["stored"] == {trial["trial"]: False}


def test_a_session_is_known_by_a_token_that_browsers_send_nowhere_by_themselves(join):
    person = join()
    reply = person.begin()
    assert "set-cookie" not in reply.headers
    assert sessions.find(person.store, reply.json()["token"]).session_id == reply.json()["session"]


def test_a_browser_that_several_people_used_finds_the_session_of_each(join):
    shared = join()
    one = shared.begin(params={"participant": "one"}).json()
    two = shared.begin(params={"participant": "two"}).json()
    shared.client.headers[HEADER] = f"{two['token']} {one['token']}"

    def found(params):
        return shared.client.get("/api/state", params=params).json()

    assert found({"participant": "one"})["session"]["id"] == one["session"]
    assert found({"participant": "two"})["session"]["id"] == two["session"]
    assert found({})["session"]["id"] == two["session"], "the newest"
    three = found({"participant": "three"})
    assert (three["paused"], three["named"], three["session"]) == (False, True, None)


def test_a_browser_keeps_a_preview_apart_from_the_real_study(join, open_store):
    person = join()
    preview = Participants(person.study, open_store(person.study, PREVIEW))
    real = Participants(person.study, person.store)
    places = [
        re.search(r"place&#34;: &#34;(.*?)&#34;", page.pages["en"].decode())[1]
        for page in (preview, real)
    ]
    assert places[0] != places[1]
    assert all(place.startswith(person.study.hash) for place in places)


def test_someone_whose_browser_forgot_the_session_learns_where_it_is(join):
    person = join()
    person.begin(params={"participant": "one"})
    reply = join(person).begin(params={"participant": "one"})
    assert (reply.status_code, reply.json()["error"]) == (409, "elsewhere")


def test_a_page_that_is_refused_its_session(join):
    person = join()
    for path in ("/api/trials", "/api/answers", "/api/finish", "/api/withdraw"):
        assert person.post(path).status_code == 401
    person.client.headers[HEADER] = "x" * 32
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


def test_a_full_disk_is_reported_and_the_answer_counts_later(join):
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


def test_a_paused_study_takes_no_answers(join, experimenter):
    person = join()
    person.begin()
    trial = person.trials()[0]
    assert (
        experimenter(person).post("/experimenter/settings", json={"paused": True}).status_code
        == 200
    )
    assert person.post("/api/trials").json()["error"] == "paused"
    assert join(person).begin().status_code == 503
    assert person.send(person.answer(trial)).json()["stored"] == {trial["trial"]: True}
    experimenter(person).post("/experimenter/settings", json={"paused": False})
    assert person.post("/api/trials").status_code == 200


def test_a_participant_can_withdraw(join):
    person = join()
    person.begin()
    assert person.post("/api/withdraw").json() == {"status": "returned"}
    assert person.post("/api/trials").json()["error"] == "returned"
    assert len(person.client.get("/api/state").json()["code"]) == 8


def test_without_an_id_nobody_enters_where_ids_are_required(join):
    person = join(sessions__ids="required")
    state = person.client.get("/api/state").json()
    assert state["refused"] == "no_id"
    reply = person.begin()
    assert (reply.status_code, reply.json()["error"]) == (403, "no_id")
    named = {"PROLIFIC_PID": "p1"}
    assert person.client.get("/api/state", params=named).json()["refused"] == ""
    assert person.begin(params=named).status_code == 201
    assert join(person).begin(params=named).status_code == 409, "each takes part once"


def test_only_listed_ids_enter_and_the_list_may_grow(join, make_folder):
    folder = make_folder(sessions__ids="listed")
    (folder / "participants.txt").write_text("anna\n bert \n")
    person = join(folder=folder)
    reply = person.begin(params={"participant": "carl"})
    assert (reply.status_code, reply.json()["error"]) == (403, "not_listed")
    assert person.begin(params={"participant": "bert"}).status_code == 201
    with (folder / "participants.txt").open("a") as file:
        file.write("carl\n")
    assert join(person).begin(params={"participant": "carl"}).status_code == 201


def test_every_way_out_has_an_address(join):
    person = join(
        finish__redirect="https://x.org/?id={participant}&way=done",
        finish__redirect_declined="https://x.org/?id={participant}&way=no",
        finish__redirect_full="https://x.org/?id={participant}&way=full",
        finish__redirect_withdrawn="https://x.org/?id={participant}&way=stop",
    )
    named = {"participant": "a b"}
    ways = person.client.get("/api/state", params=named).json()["ways"]
    assert ways == {
        "declined": "https://x.org/?id=a%20b&way=no",
        "full": "https://x.org/?id=a%20b&way=full",
        "screened": "",
    }
    person.begin(params=named)
    person.post("/api/withdraw")
    state = person.client.get("/api/state", params=named).json()
    assert state["redirect"] == "https://x.org/?id=a%20b&way=stop"
    other = join(person)
    other.begin(params={"participant": "c"})
    other.answer_all()
    assert other.post("/api/finish").json()["redirect"] == "https://x.org/?id=c&way=done"


def test_a_code_takes_answers_back_long_after_the_end(join, tmp_path):
    person = join()
    person.begin()
    person.answer_all()
    code = person.post("/api/finish").json()["code"]
    later = join(person)  # in another browser
    assert later.post("/api/withdraw-by-code", {"code": "00000000"}).json()["error"] == "code"
    assert later.post("/api/withdraw-by-code", {"code": 7}).status_code == 400
    assert later.post("/api/withdraw-by-code", {"code": f" {code.lower()} "}).status_code == 200
    with pytest.raises(od.InputError, match="no answers that are comparisons"):
        export_tables(person.study.folder, tmp_path / "answers.csv")
    for _ in range(participant.TRIES_PER_MINUTE):
        reply = later.post("/api/withdraw-by-code", {"code": "00000000"})
    assert reply.status_code == 429, "nobody may try them all"


def test_a_code_that_everyone_has_takes_nothing_back(join):
    person = join(finish__code="DONE")
    for one in (person, join(person)):
        one.begin()
        one.answer_all()
        assert one.post("/api/finish").json()["code"] == "DONE"
        reply = join(person).post("/api/withdraw-by-code", {"code": "done"})
        assert reply.status_code == 404, "also while one person only has it"
        assert "lab@university.example" in reply.json()["message"], "another way"
    stored = person.store.reader.execute("SELECT status FROM sessions").fetchall()
    assert [row["status"] for row in stored] == ["complete", "complete"]
