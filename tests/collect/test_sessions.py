"""What a participant may do: answers are checked against what the session was shown."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from ordinate.collect import arrivals, sessions
from ordinate.collect.arrivals import Arrival
from ordinate.collect.folder import read_study
from ordinate.collect.sessions import Refusal


@pytest.fixture
def store(make_folder, open_store):
    return open_store(read_study(make_folder()))


def arrive(store, request="r" * 16, **params):
    arrival = Arrival(request, store.study.consent_version, params=params)
    token = arrivals.begin(store, arrival).result()
    return token, sessions.find(store, token)


def test_the_token_is_not_in_the_database(store):
    token, session = arrive(store)
    assert sessions.n_left(store, session) == 9
    assert token.encode() not in store.path.read_bytes()
    assert sessions.find(store, token + "x") is None
    assert sessions.find(store, None) is None


def test_what_a_session_is_asked_lies_together_on_disk_in_order(store):
    for letter in "abcd":
        arrive(store, letter * 16)
    rows = store.reader.execute("SELECT session_id, place FROM trials ORDER BY trial_id").fetchall()
    changes = sum(one[0] != next_[0] for one, next_ in pairwise(rows))
    assert changes == 3
    assert [row[1] for row in rows] == [*range(9)] * 4


def test_a_repeated_request_gives_the_same_session(store):
    first, session = arrive(store)
    second, again = arrive(store)
    assert again.session_id == session.session_id
    assert sessions.find(store, first) is None, "the lost reply's token still opens the session"
    assert sessions.find(store, second) is not None


def test_a_request_that_is_over_is_not_repeated(store):
    _, session = arrive(store)
    sessions.withdraw(store, session).result()
    with pytest.raises(Refusal, match="before"):
        arrive(store)


def test_questions_follow_from_the_key_and_the_request_in_whatever_order_people_come(
    make_folder, open_store
):
    def asked(name, key, requests):
        store = open_store(read_study(make_folder(name=name)))
        store.key = key
        for request in requests:
            arrive(store, request)
        rows = store.reader.execute("SELECT trial_id, session_id, shown FROM trials")
        return {tuple(row) for row in rows}

    forwards = asked("one", "key", ["a" * 16, "b" * 16])
    assert asked("two", "key", ["b" * 16, "a" * 16]) == forwards
    assert not asked("three", "other key", ["a" * 16, "b" * 16]) & forwards


def test_identities_are_apart_and_a_pseudonym_stands_for_them(store):
    arrive(store, PROLIFIC_PID="one-of-us", STUDY_ID="x")
    row = store.reader.execute("SELECT * FROM identities").fetchone()
    assert row["external_id"] == "prolific:one-of-us"
    assert '"STUDY_ID"' in row["url_params"]
    columns = [dict(row) for row in store.reader.execute("SELECT * FROM sessions")]
    assert "one-of-us" not in str(columns)
    assert columns[0]["recruiter"] == "prolific"


def test_nobody_takes_part_twice_unless_allowed(store, make_folder, open_store):
    _, session = arrive(store, PROLIFIC_PID="one")
    with pytest.raises(Refusal, match="another browser"):
        arrive(store, "s" * 16, PROLIFIC_PID="one")
    sessions.withdraw(store, session).result()
    with pytest.raises(Refusal, match="before") as refused:
        arrive(store, "s" * 16, PROLIFIC_PID="one")
    assert refused.value.reason == "already"
    arrive(store, "t" * 16, PROLIFIC_PID="two")
    arrive(store, "u" * 16)
    arrive(store, "v" * 16)
    again = open_store(read_study(make_folder(name="again", sessions__again=True)))
    for request in ("a" * 16, "b" * 16):
        arrive(again, request, workerId="w")
    (first, second) = again.reader.execute("SELECT participant FROM sessions").fetchall()
    assert first[0] == second[0]


def test_a_study_that_is_full(make_folder, open_store):
    store = open_store(read_study(make_folder(limits__participants=1)))
    arrive(store)
    with pytest.raises(Refusal) as refused:
        arrive(store, "s" * 16)
    assert refused.value.reason == "full"


def test_an_idle_session_expires(store):
    token, session = arrive(store)
    assert session.status == "open"
    old = (datetime.now(UTC) - timedelta(hours=25)).strftime("%Y-%m-%dT%H:%M:%S")
    store.submit(
        lambda c: c.execute("UPDATE sessions SET last_seen_at=?", (old,)) and None
    ).result()
    assert sessions.find(store, token).status == "expired"


def test_a_url_that_names_someone_else_needs_a_new_session(store):
    token, _ = arrive(store, participant="one")
    assert sessions.find(store, token, {"participant": "one"}) is not None
    assert sessions.find(store, token, {}) is not None
    assert sessions.find(store, token, {"participant": "two"}) is None


def serve(store, session, number=20):
    rows = sessions.next_trials(store, session, number)
    sessions.mark_served(store, session, [row["trial_id"] for row in rows]).result()
    return [row["trial_id"] for row in rows]


def test_the_first_answer_counts_and_the_second_does_not(store):
    _, session = arrive(store)
    trial = serve(store, session)[0]
    for chosen, new in ((0, True), (1, False)):
        answer = {"trial": trial, "outcome": "answered", "chosen": [chosen]}
        refused, stored = sessions.record(store, session, [answer])
        assert (refused, stored.result()) == ({}, {trial: new})
    (row,) = store.reader.execute("SELECT * FROM answers").fetchall()
    assert row["chosen"] == "[0]"


GOOD = {"outcome": "answered", "chosen": [0], "rt_ms": 812.6, "click_ms": [812.6], "input": "key"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"trial": "tforged"}, "not shown to this session"),
        ({"trial": None}, "needs the id"),
        ({"trial": ["x"]}, "needs the id"),
        ({"chosen": [2]}, "does not fit"),
        ({"chosen": [0, 1]}, "does not fit"),
        ({"chosen": []}, "does not fit"),
        ({"chosen": [True]}, "list of positions"),
        ({"chosen": ["0"]}, "list of positions"),
        ({"chosen": "0"}, "list of positions"),
        ({"outcome": "skipped", "chosen": []}, "outcome does not exist"),
        ({"outcome": "timed_out", "chosen": []}, "outcome does not exist"),
        ({"outcome": {}}, "outcome does not exist"),
        ({"outcome": "media_failed"}, "does not fit"),
        ({"rt_ms": -1}, "milliseconds"),
        ({"rt_ms": float("nan")}, "milliseconds"),
        ({"rt_ms": "1"}, "milliseconds"),
        ({"rt_ms": 10**12}, "milliseconds"),
        ({"click_ms": [1] * 500}, "list of times"),
        ({"click_ms": {}}, "list of times"),
        ({"input": "<script>"}, "device"),
    ],
)
def test_bad_answers_are_refused(store, change, reason):
    _, session = arrive(store)
    trial = serve(store, session)[0]
    refused, stored = sessions.record(store, session, [{"trial": trial, **GOOD, **change}])
    assert stored.result() == {}
    (given,) = refused.values()
    assert reason in given


def test_refuses_what_is_not_even_an_answer(store):
    _, session = arrive(store)
    refused, stored = sessions.record(store, session, [3, None, "x"])
    assert stored.result() == {}
    assert refused


def test_refuses_questions_of_others_and_those_never_served(store):
    _, session = arrive(store)
    _, other = arrive(store, "s" * 16)
    rows = sessions.next_trials(store, session, 1)
    unserved = {"trial": rows[0]["trial_id"], **GOOD}
    assert "not shown" in str(sessions.record(store, session, [unserved])[0])
    foreign = {"trial": serve(store, other)[0], **GOOD}
    assert "not shown" in str(sessions.record(store, session, [foreign])[0])


def test_outcomes_that_a_study_allows(make_folder, open_store):
    folder = make_folder(answers__skip=True, answers__time_limit_s=5)
    store = open_store(read_study(folder))
    _, session = arrive(store)
    trials = serve(store, session)
    outcomes = ("skipped", "timed_out", "media_failed")
    answers = [
        {"trial": trial, "outcome": outcome}
        for trial, outcome in zip(trials, outcomes, strict=False)
    ]
    refused, stored = sessions.record(store, session, answers)
    assert not refused
    assert all(stored.result().values())


def test_times_are_whole_milliseconds(store):
    _, session = arrive(store)
    trial = serve(store, session)[0]
    sessions.record(store, session, [{"trial": trial, **GOOD, "hidden_ms": 0.4}])[1].result()
    row = store.reader.execute("SELECT * FROM answers").fetchone()
    assert (row["rt_ms"], row["click_ms"], row["hidden_ms"]) == (813, "[813]", 0)


def test_the_code_comes_after_the_last_answer_and_stays(make_folder, open_store):
    redirect = "https://x.example/?id={PROLIFIC_PID}"
    store = open_store(read_study(make_folder(finish__redirect=redirect)))
    token, session = arrive(store, PROLIFIC_PID="a&b")
    with pytest.raises(Refusal, match="9 questions have no answer"):
        sessions.finish(store, session)
    answers = [{"trial": trial, **GOOD} for trial in serve(store, session)]
    sessions.record(store, session, answers)[1].result()
    code = sessions.finish(store, sessions.find(store, token)).result()
    assert len(code) == 8
    done = sessions.find(store, token)
    assert (done.status, done.code) == ("complete", code)
    assert sessions.finish(store, done).result() == code
    assert sessions.redirect_of(store, done) == "https://x.example/?id=a%26b"


def test_an_address_with_a_gap_is_none_and_an_unfilled_id_is_nobody():
    assert sessions.fill_address("https://x.example/?id={PROLIFIC_PID}", {"other": "x"}) == ""
    assert (
        sessions.fill_address("https://x.example/?id={{%PROLIFIC_PID%}}", {"PROLIFIC_PID": "x"})
        == ""
    )
    for unfilled in ("{{%PROLIFIC_PID%}}", "{PROLIFIC_PID}", " "):
        assert sessions.source_of({"PROLIFIC_PID": unfilled}) == ("", None)


@pytest.mark.parametrize("other", ["bob", "BOB", " Bob ", "ＢＯＢ"])
def test_ids_that_look_alike_are_one_person(store, other):
    arrive(store, participant="bob")
    with pytest.raises(Refusal) as refused:
        arrive(store, "s" * 16, participant=other)
    assert refused.value.reason == "elsewhere"


def test_a_released_session_goes_on_elsewhere(store):
    token, session = arrive(store, participant="bob")
    trial = serve(store, session)[0]
    sessions.record(store, session, [{"trial": trial, **GOOD}])[1].result()
    change = "UPDATE sessions SET last_seen_at='2020-01-01T00:00:00.000Z'"
    store.submit(lambda c: c.execute(change) and None).result()
    with pytest.raises(Refusal) as refused:
        arrive(store, "s" * 16, participant="bob")
    assert refused.value.reason == "expired_elsewhere"
    sessions.release(store, session.session_id).result()
    assert sessions.find(store, token).status == "open", "the first device may go on, too"
    new, again = arrive(store, "t" * 16, participant="bob")
    assert again.session_id == session.session_id
    assert sessions.n_left(store, again) == 8
    assert sessions.find(store, token) is None
    with pytest.raises(Refusal, match="another browser"):
        arrive(store, "u" * 16, participant="bob")
    sessions.withdraw(store, sessions.find(store, new)).result()
    with pytest.raises(Refusal, match="ended for good"):
        sessions.release(store, session.session_id).result()


def test_someone_who_stopped_cannot_continue(store):
    token, session = arrive(store)
    trial = serve(store, session)[0]
    sessions.withdraw(store, session).result()
    stopped = sessions.find(store, token)
    assert stopped.status == "returned"
    assert "ended" in str(sessions.record(store, stopped, [{"trial": trial, **GOOD}])[0])
