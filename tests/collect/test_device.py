"""Devices that a study needs, and sessions that end by wrong answers to catch questions."""

import json

import pytest

from ordinate._checks import InputError
from ordinate.collect.export import answers_to, export_tables
from ordinate.collect.figures import study_figures
from ordinate.collect.folder import read_study
from ordinate.collect.prepare import check_study
from ordinate.collect.simulate import simulate
from ordinate.collect.store import SIMULATED, reading

GOOD = {"width": 1280, "height": 720, "phone": False, "keyboard": True, "sound": True}
GOOD |= {"px_per_mm": 3.8}
RULES = {"device__width": 1000, "device__height": 600, "device__phones": False}
RULES |= {"device__keyboard": True, "device__sound": True, "device__card": True}


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"width": 999}, "too_small"),
        ({"height": 599}, "too_small"),
        ({"width": "1280"}, "too_small"),
        ({"phone": True}, "no_phones"),
        ({"keyboard": False}, "keyboard_needed"),
        ({"sound": None}, "sound_needed"),
        ({"px_per_mm": 0}, "card_check"),
        ({"px_per_mm": "3"}, "card_check"),
    ],
)
def test_bad_devices_are_refused(join, found, reason):
    person = join(**RULES)
    reply = person.begin(device={**GOOD, **found})
    assert (reply.status_code, reply.json()["error"]) == (403, reason)
    assert person.begin().status_code == 403
    assert person.store.reader.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 0


def test_keeps_what_was_found_and_no_more(join):
    person = join(finish__redirect_screened="https://x.example/", **RULES)
    assert person.client.get("/api/state").json()["ways"]["screened"] == "https://x.example/"
    assert person.begin(device={**GOOD, "serial": "secret"}).status_code == 201
    (kept,) = person.store.reader.execute("SELECT device FROM sessions").fetchone()
    assert json.loads(kept) == GOOD


def test_check_speaks_of_devices_and_catch_questions(make_folder):
    folder = make_folder(page__stimulus_mm=40.0, sessions__catch_wrong=3)
    sentences = [finding.sentence for finding in check_study(folder)[1]]
    assert (
        "page.stimulus_mm needs the size of the screen; set card = true in [device]." in sentences
    )
    assert any("nobody is asked more than 1 catch questions" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    "found", [{"width": "wide"}, {"width": [1]}, {"height": 10**30}, {"phone": "no"}, {"sound": 1}]
)
def test_what_a_page_says_of_a_device_is_checked(join, found):
    reply = join().begin(device=found)
    assert (reply.status_code, reply.json()["error"]) == (400, "malformed")


def catches(person):
    """Return the right answers of catch questions by their trials."""
    rows = person.store.reader.execute("SELECT trial_id, expected FROM trials WHERE pool='catch'")
    return {trial: json.loads(expected) for trial, expected in rows}


def test_wrong_answers_to_catch_questions_end_a_session(join):
    person = join(
        pools__catch=3,
        pools__random=8,
        sessions__catch_wrong=2,
        finish__redirect_failed="https://x.example/failed?p={PROLIFIC_PID}",
        finish__code_failed="FAILED",
    )
    person.begin(params={"PROLIFIC_PID": "me"})
    trials, right = person.trials(), catches(person)
    statuses = []
    for trial in trials:
        if trial["trial"] in right:
            chosen = [1 - right[trial["trial"]][0]]
            reply = person.send(person.answer(trial, chosen=chosen))
            statuses.append(reply.json()["status"])
    assert statuses == ["open", "failed", "failed"]
    assert person.post("/api/trials").json()["error"] == "failed"
    state = person.client.get("/api/state").json()
    assert (state["code"], state["redirect"]) == ("FAILED", "https://x.example/failed?p=me")


def fail(person):
    """Answer everything, all catch questions wrong; return the reply."""
    person.begin()
    trials, right = person.trials(), catches(person)
    wrong = {trial: [1 - expected[0]] for trial, expected in right.items()}
    return person.send(*(person.answer(t, chosen=wrong.get(t["trial"], [0])) for t in trials))


def test_sessions_that_failed_take_no_answers_and_feed_no_map(join, tmp_path):
    careful = join(pools__catch=3, pools__random=8, sessions__catch_wrong=1)
    careful.begin()
    right = catches(careful)
    careful.send(*(careful.answer(t, chosen=right.get(t["trial"], [0])) for t in careful.trials()))
    careful.post("/api/finish")
    failed = join(careful)
    reply = fail(failed).json()
    assert reply["status"] == "failed"
    assert set(reply["refused"].values()) == {"this session has ended"}
    (late,) = [*reply["refused"]][-1:]
    assert "ended" in failed.send({"trial": late, "outcome": "answered", "chosen": [0]}).text
    store, folder, out = careful.store, careful.study.folder, tmp_path / "out" / "answers.csv"
    out.parent.mkdir()
    used = len(answers_to(store.reader, careful.study, "main"))
    figures = study_figures(store.reader, careful.study)
    assert (used, figures["n_answers"]) == (11, 11)
    assert figures["statuses"] == {"complete": 1, "failed": 1}
    written = export_tables(folder, out)
    count = written.counts
    assert (count["n_comparisons"], count["n_failed"], count["n_unfinished"]) == (11, 1, 0)
    assert "Sessions failed: 1, left out; " in str(written)
    everyone = export_tables(folder, out, include=["failed"])
    assert everyone.counts["n_comparisons"] > 11
    with pytest.raises(InputError, match="include"):
        export_tables(folder, out, include=["returned"])


def test_late_answers_are_kept_and_the_session_stays_expired(join):
    person = join()
    person.begin()
    trials = person.trials()
    change = "UPDATE sessions SET last_seen_at='2020-01-01T00:00:00.000Z'"
    person.store.submit(lambda c: c.execute(change) and None).result()
    reply = person.send(*map(person.answer, trials)).json()
    assert (reply["status"], len(reply["stored"])) == ("expired", len(trials))
    assert person.client.get("/api/state").json()["session"]["status"] == "expired"
    assert person.post("/api/finish").json()["error"] == "expired"
    assert study_figures(person.store.reader, person.study)["statuses"] == {"expired": 1}
    assert person.post("/api/withdraw").json() == {"status": "returned"}


def test_right_answers_end_nothing(join):
    person = join(pools__catch=3, pools__random=8, sessions__catch_wrong=1)
    person.begin()
    trials, right = person.trials(), catches(person)
    person.send(*(person.answer(t, chosen=right.get(t["trial"], [0])) for t in trials))
    assert "code" in person.post("/api/finish").json()


def test_simulated_participants_meet_rules_and_fail_politely(make_folder):
    folder = make_folder(pools__catch=4, pools__random=8, sessions__catch_wrong=1, **RULES)
    simulate(read_study(folder), participants=6, noise=1.0)
    with reading(folder, SIMULATED) as connection:
        statuses = {row[0] for row in connection.execute("SELECT status FROM sessions")}
    assert statuses == {"failed"}
