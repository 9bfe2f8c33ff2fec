"""The experimenter's requests: the token, the figures, pause and download."""

import asyncio
import csv
import io
import signal
import sys
import zipfile

import pytest

from ordinate.collect import arrivals
from ordinate.collect import experimenter as module
from ordinate.collect import figures as counting
from ordinate.collect.experimenter import experimenter_token, is_experimenter
from ordinate.collect.export import TABLES
from ordinate.collect.figures import trials_of
from ordinate.collect.store import errors_of, forget

PATHS = ("/experimenter/status", "/experimenter/export")


def test_nothing_without_the_token(join, experimenter):
    person = join()
    experimenter_token(person.store)
    for token in ("", "Bearer", "Bearer wrong", "Basic x", "Bearer " + "x" * 5000):
        headers = {"authorization": token}
        for path in PATHS:
            assert person.client.get(path, headers=headers).status_code == 401
        reply = person.post("/experimenter/settings", {"paused": True}, headers=headers)
        assert reply.status_code == 401
    assert person.client.get("/experimenter").status_code == 200


def test_wrong_tokens_are_counted_and_the_right_one_still_works(join, experimenter):
    person = join()
    desk = experimenter(person)
    codes = [
        person.client.get(PATHS[0], headers={"authorization": f"Bearer {n}"}).status_code
        for n in range(module.TRIES_PER_MINUTE + 2)
    ]
    assert codes[-3:] == [401, 429, 429]
    assert desk.get(PATHS[0]).status_code == 200


def test_the_token_is_made_once_and_only_its_hash_is_kept(join):
    store = join().store
    token = experimenter_token(store)
    assert len(token) >= 32
    assert experimenter_token(store) is None
    assert is_experimenter(store, token)
    assert token.encode() not in store.path.read_bytes()
    renewed = experimenter_token(store, renew=True)
    assert is_experimenter(store, renewed)
    assert not is_experimenter(store, token)


def test_figures_while_people_answer(join, experimenter, monkeypatch):
    monkeypatch.setattr(module, "FIGURES_SECONDS", -1.0)
    monkeypatch.setattr(module, "FIGURES_REST", -1.0)
    person = join()
    desk = experimenter(person)
    assert desk.get(PATHS[0]).json()["n_sessions"] == 0
    person.begin(params={"PROLIFIC_PID": "secret-id"})
    person.send(*(person.answer(trial, rt_ms=100) for trial in person.trials()))
    person.post("/api/finish")
    reply = desk.get(PATHS[0])
    assert "secret-id" not in reply.text
    status = reply.json()
    assert status["statuses"] == {"complete": 1}
    assert status["n_answers"] == 7
    assert status["answers_by_pool"] == {
        "practice": 1,
        "random": 4,
        "validation": 2,
        "catch": 1,
        "repeat": 1,
    }
    assert status["n_least"] == 128
    (session,) = status["sessions"]
    assert session["n_done"] == 9
    assert "fast" in session["flags"]
    assert status["fit"] == {"running": False, "result": None}


def test_pause_needs_true_or_false(join, experimenter):
    desk = experimenter(join())
    assert desk.post("/experimenter/settings", json={"paused": "yes"}).status_code == 400
    assert desk.post("/experimenter/settings", json={"paused": True}).json() == {"paused": True}
    assert desk.get(PATHS[0]).json()["paused"]


def test_the_experimenter_downloads_an_archive(join, experimenter):
    person = join()
    person.begin(params={"workerId": "secret-id"})
    person.answer_all()
    archive = zipfile.ZipFile(io.BytesIO(experimenter(person).get(PATHS[1]).content))
    names = {"answers.csv", *(f"{name}.csv" for name in TABLES)}
    assert set(archive.namelist()) == names
    assert all(b"secret-id" not in archive.read(name) for name in names)
    rows = list(csv.DictReader(io.TextIOWrapper(archive.open("trials.csv"))))
    assert len(rows) == 9


def test_a_fit_runs_apart_from_the_server(join):
    person = join(pools__random=30, pools__validation=0, task="odd_one_out")
    person.begin()
    person.answer_all()

    async def fit():
        desk = module.Experimenter(person.study, person.store)
        desk._refit(30)
        await desk._fitting
        desk._refit(30)
        assert desk._fitting is None, "there is nothing new to fit"
        return desk._fit

    (part,) = asyncio.run(fit())["parts"]
    assert "map" in part


@pytest.fixture
def endless_fit(tmp_path, monkeypatch):
    """Let a program that never ends take the place of the fit."""
    program = tmp_path / "endless"
    program.write_text("#!/bin/sh\nexec sleep 6000\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))


@pytest.mark.usefixtures("endless_fit")
def test_a_fit_ends_with_the_server(join):
    person = join()

    async def fit_and_close():
        desk = module.Experimenter(person.study, person.store)
        desk._refit(30)
        while desk._process is None:
            await asyncio.sleep(0.01)
        process = desk._process
        await desk.close()
        return process.returncode

    assert asyncio.run(fit_and_close()) == -signal.SIGKILL


@pytest.mark.usefixtures("endless_fit")
def test_a_fit_that_hangs_is_ended(join, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_FIT", 0.0)
    person = join()

    async def fit():
        desk = module.Experimenter(person.study, person.store)
        desk._refit(30)
        await desk._fitting
        return desk._fit

    assert asyncio.run(fit())["advice"] == "The fit was ended: it took longer than 0 s."


def test_the_experimenter_sees_why_answers_are_not_stored(join, experimenter, monkeypatch):
    monkeypatch.setattr(module, "FIGURES_SECONDS", -1.0)
    monkeypatch.setattr(module, "FIGURES_REST", -1.0)
    person = join()
    desk = experimenter(person)
    assert desk.get(PATHS[1]).json()["message"].startswith("The study has no answers that are")
    person.begin()
    trials = person.trials()
    assert desk.get(PATHS[0]).json()["warnings"] == []
    connection = person.store._connection
    connection.execute("PRAGMA query_only=ON")
    assert person.send(person.answer(trials[0])).status_code == 507
    (warning,) = desk.get(PATHS[0]).json()["warnings"]
    assert "Cannot write answers.sqlite: attempt to write a readonly database" in warning
    connection.execute("PRAGMA query_only=OFF")
    assert person.send(person.answer(trials[0])).json()["stored"]
    assert desk.get(PATHS[0]).json()["warnings"] == []
    person.store.path.unlink()
    assert person.send(person.answer(trials[1])).status_code == 507
    reply = desk.get(PATHS[0])
    assert reply.status_code == 409
    assert "deleted or replaced" in reply.json()["message"]


def test_a_server_counts_what_there_is_before_anyone_looks(join, monkeypatch):
    person = join()
    person.begin()
    person.answer_all()
    long_ago = "UPDATE sessions SET last_seen_at='2020-01-01T00:00:00.000Z'"
    person.store.submit(lambda connection: connection.execute(long_ago)).result()
    counted = []
    monkeypatch.setattr(
        counting, "trials_of", lambda *about: counted.append(about) or trials_of(*about)
    )
    desk = module.Experimenter(person.study, person.store, live=False)
    asyncio.run(desk.count_ahead())
    assert len(counted) == 1
    assert desk.count()["n_sessions"] == 1
    assert len(counted) == 1, "the look counts nothing again"


def test_places_are_set_on_the_page_and_outlive_the_server(join, experimenter, make_folder):
    person = join(limits__participants=1)
    desk = experimenter(person)
    assert person.begin().status_code == 201
    assert join(person).begin().json()["error"] == "full"
    status = desk.get(PATHS[0]).json()
    assert (status["participants"], status["closed"]) == (1, False)
    assert desk.post("/experimenter/settings", json={"participants": 3, "closed": False}).json()
    assert join(person).begin().status_code == 201
    assert desk.post("/experimenter/settings", json={"participants": 3, "closed": True}).json()
    assert join(person).begin().json()["error"] == "full", "nobody new"
    assert person.trials(), "who has begun goes on"
    assert arrivals.places(person.store.reader, person.study) == (3, True)
    for wrong in ({}, {"participants": -1, "closed": False}, {"participants": 2.5, "closed": True}):
        assert desk.post("/experimenter/settings", json=wrong).status_code == 400
    assert person.post("/experimenter/settings", {"participants": 9, "closed": False}).is_error


def test_one_session_is_shown_question_by_question(join, experimenter):
    person = join()
    desk = experimenter(person)
    name = person.begin(params={"PROLIFIC_PID": "secret-id"}).json()["session"]
    (first, *_) = person.trials()
    person.send(person.answer(first, rt_ms=700))
    reply = desk.get(f"/experimenter/sessions/{name}")
    assert "secret-id" not in reply.text
    trials = reply.json()["trials"]
    assert len(trials) == 9
    assert (trials[0]["outcome"], trials[0]["rt_ms"]) == ("answered", 700)
    assert trials[0]["chosen"] == [[trials[0]["shown"][0]]]
    assert (trials[1]["outcome"], trials[1]["chosen"]) == (None, [])
    assert desk.get("/experimenter/sessions/other").status_code == 404
    assert person.client.get(f"/experimenter/sessions/{name}").status_code == 401


def test_errors_of_browsers_reach_the_experimenter_until_the_person_is_forgotten(
    join, experimenter
):
    person = join()
    desk = experimenter(person)
    name = person.begin().json()["session"]
    error = {"message": "x is undefined", "where": "participant.js:1", "phase": "trial"}
    for _ in range(2):
        assert person.post("/api/error", error).status_code == 200
    join(person).post("/api/error", {"message": "y" * 999, "where": ["no", "text"]})
    (old, new) = desk.get(PATHS[0]).json()["errors"]
    assert (old["message"], old["session_id"], old["count"]) == ("x is undefined", name, 2)
    assert (new["message"], new["session_id"], new["count"]) == ("y" * 300, "", 1)
    for number in range(module.TRIES_PER_MINUTE):
        person.post("/api/error", {"message": str(number)})
    assert person.post("/api/error", error).status_code == 429
    forget(person.study.folder, name)
    assert [error["session_id"] for error in errors_of(person.store.reader)] == [""]


def test_answers_per_hour_and_where_people_leave(join):
    person = join()
    person.begin()
    person.answer_all()
    person.post("/api/finish")
    gone = join(person)
    gone.begin()
    gone.send(*(gone.answer(trial) for trial in gone.trials()[:4]))
    look = counting.study_figures(person.store.reader, person.study)
    assert sum(look["answers_by_hour"].values()) == 13
    assert look["left_after"] == {}, "who was here a moment ago has not left"
    gone.post("/api/withdraw")
    look = counting.study_figures(person.store.reader, person.study)
    assert (sum(look["answers_by_hour"].values()), look["left_after"]) == (9, {4: 1})


def test_a_session_is_released_with_the_token_only(join, experimenter):
    person = join()
    name = person.begin(params={"participant": "bob"}).json()["session"]
    path = f"/experimenter/sessions/{name}/release"
    assert person.post(path).status_code == 401
    desk = experimenter(person)
    assert desk.post(path, json={}).json() == {"status": "open"}
    other = join(person)
    assert other.begin(params={"participant": "BOB "}).json()["session"] == name
    assert desk.post("/experimenter/sessions/none/release", json={}).status_code == 409
