"""The experimenter's requests: the token, the figures, pause and download."""

import asyncio
import csv
import io
import signal
import zipfile

from ordinate.collect import experimenter as module
from ordinate.collect.experimenter import experimenter_token, is_experimenter

PATHS = ("/experimenter/status", "/experimenter/export")


def test_nothing_without_the_token(join, experimenter):
    person = join()
    experimenter_token(person.store)
    for token in ("", "Bearer", "Bearer wrong", "Basic x", "Bearer " + "x" * 5000):
        headers = {"authorization": token}
        for path in PATHS:
            assert person.client.get(path, headers=headers).status_code == 401
        reply = person.post("/experimenter/pause", {"paused": True}, headers=headers)
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
    assert desk.post("/experimenter/pause", json={"paused": "yes"}).status_code == 400
    assert desk.post("/experimenter/pause", json={"paused": True}).json() == {"paused": True}
    assert desk.get(PATHS[0]).json()["paused"]


def test_download(join, experimenter):
    person = join()
    person.begin(params={"workerId": "secret-id"})
    person.answer_all()
    archive = zipfile.ZipFile(io.BytesIO(experimenter(person).get(PATHS[1]).content))
    names = {"answers.csv", "trials.csv", "sessions.csv", "items.csv", "dictionary.csv"}
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

    assert "map" in asyncio.run(fit())


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
