"""Settling with Prolific, which a small server on this machine imitates."""

import json
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from ordinate._checks import InputError
from ordinate.cli import main
from ordinate.collect import prolific
from ordinate.collect.folder import read_study
from ordinate.collect.store import open_for_reading

STUDY, KEY = "65abc", "prolific-token-of-a-test"
RULES = {"prolific__study": STUDY, "prolific__bonus": 1.5, "prolific__bonus_catch_right": 0.9}


class Imitation(ThreadingHTTPServer):
    """Prolific as its documentation describes it, with pages of two submissions."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.submissions, self.bulks, self.paid, self.fails = {}, {}, [], ""
        self.address = f"http://127.0.0.1:{self.server_port}/api/v1"

    def submit(self, person, status, submission=None):
        name = submission or f"sub-{person}"
        self.submissions[name] = {"id": name, "participant_id": person, "status": status}

    def reply(self, method, path, body):
        if method == "GET" and path.startswith(f"/api/v1/submissions/?study={STUDY}"):
            start = int(path.partition("&offset=")[2] or 0)
            rows = list(self.submissions.values())
            more = f"{self.address}/submissions/?study={STUDY}&offset={start + 2}"
            following = {"href": more if start + 2 < len(rows) else None}
            return {"results": rows[start : start + 2], "_links": {"next": following}}
        *_, kind, name, action = ("", *path.strip("/").split("/"))
        if action == "transition" and body == {"action": "APPROVE"}:
            self.submissions[name]["status"] = "APPROVED"
            return self.submissions[name]
        if action == "bonus-payments" and body["study_id"] == STUDY:
            self.bulks["b1"] = [line.split(",") for line in body["csv_bonuses"].split("\n")]
            return {"id": "b1"}
        if (kind, action) == ("bulk-bonus-payments", "pay"):
            self.paid += self.bulks[name]
            return {}
        return None


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        size = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(size) or b"null")
        found = self.server.reply(self.command, self.path, body)
        status = 404 if found is None else 200
        if self.headers["authorization"] != f"Token {KEY}":
            status, found = 401, {"error": "bad token"}
        if self.server.fails and self.server.fails in self.path:
            status, found = 500, {"error": "out of order"}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    do_GET = do_POST = answer

    def log_message(self, *about):
        pass


@pytest.fixture
def there(monkeypatch):
    with Imitation() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setattr(prolific, "API", server.address)
        monkeypatch.setenv(prolific.TOKEN, KEY)
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def people(join, there):
    """Take part as four people, two of whom finish; Prolific knows all of them, and one more."""
    first = join(**RULES)
    found = {}
    for name in ("Ann", "Bob", "Cy", "Di"):
        person = found[name] = join(first)
        params = {"PROLIFIC_PID": name, "SESSION_ID": f"sub-{name}"}
        person.session = person.begin(params=params).json()["session"]
    for name in ("Ann", "Bob"):
        while trials := found[name].trials():
            for trial in trials:
                row = (
                    found[name]
                    .store.reader.execute(
                        "SELECT pool, expected FROM trials WHERE trial_id=?", (trial["trial"],)
                    )
                    .fetchone()
                )
                right = json.loads(row["expected"]) or [0]
                wrong = name == "Bob" and row["pool"] == "catch"
                chosen = [1 - right[0]] if wrong else right
                found[name].send({"trial": trial["trial"], "outcome": "answered", "chosen": chosen})
        found[name].post("/api/finish")
    there.submit("Ann", "AWAITING REVIEW")
    there.submit("Bob", "AWAITING REVIEW")
    there.submit("Cy", "RETURNED")
    there.submit("Di", "TIMED-OUT")
    there.submit("Eve", "AWAITING REVIEW")
    return found


def statuses(people):
    folder = people["Ann"].study.folder
    with closing(open_for_reading(folder)) as connection:
        known = dict(connection.execute("SELECT session_id, status FROM sessions"))
    return {name: known[person.session] for name, person in people.items()}


def settle(people, **options):
    folder = people["Ann"].study.folder
    found = prolific.settle(folder, read_study(folder), **options)
    names = {person.session: name for name, person in people.items()}
    return {what: [names[one] for one in own] for what, own in found.items()}


TO_DO = {"returned": ["Cy"], "expired": ["Di"], "approve": ["Ann", "Bob"]}
TO_DO |= {"bonus": ["Ann"], "review": []}


def test_nothing_changes_unless_it_is_asked_for(people, there):
    before = statuses(people)
    assert settle(people) == TO_DO
    assert statuses(people) == before
    assert there.paid == []
    assert there.submissions["sub-Ann"]["status"] == "AWAITING REVIEW"


def test_completion_return_time_out_and_bonus_are_settled_once(people, there):
    assert settle(people, pay=True) == TO_DO
    ends = {"Ann": "complete", "Bob": "complete", "Cy": "returned", "Di": "expired"}
    assert statuses(people) == ends
    assert there.paid == [["Ann", "1.50"]]
    assert there.submissions["sub-Bob"]["status"] == "APPROVED"
    assert there.submissions["sub-Eve"]["status"] == "AWAITING REVIEW"
    assert not any(settle(people, pay=True).values())
    assert there.paid == [["Ann", "1.50"]]


def test_a_payment_without_a_reply_is_not_sent_again(people, there):
    there.fails = "/pay/"
    with pytest.raises(InputError, match="look there whether it was made"):
        settle(people, pay=True)
    there.fails = ""
    assert settle(people, pay=True)["bonus"] == []
    assert there.paid == [["Ann", "1.50"]]  # it was made after all


def test_who_waits_there_and_is_not_complete_here_is_left_to_people(people, there):
    there.submit("Cy", "AWAITING REVIEW")
    assert settle(people, pay=True)["review"] == ["Cy"]
    assert there.submissions["sub-Cy"]["status"] == "AWAITING REVIEW"


def test_rejected_sessions_are_neither_approved_nor_paid(people, there, experimenter):
    own = people["Ann"].session
    body = {"decision": "rejected", "reason": "a robot"}
    experimenter(people["Ann"]).post(f"/experimenter/sessions/{own}/decide", json=body)
    found = settle(people)
    assert (found["approve"], found["bonus"], found["review"]) == (["Bob"], [], ["Ann"])


def test_links_without_the_submission_are_matched_by_person(join, there):
    person = join(**RULES)
    session = person.begin(params={"PROLIFIC_PID": "ANN"}).json()["session"]
    there.submit("ann", "RETURNED", "other-name")
    found = prolific.settle(person.study.folder, person.study)
    assert found["returned"] == {session: "other-name"}


def test_what_is_missing_or_refused_is_named(people, there, monkeypatch, edit):
    monkeypatch.setenv(prolific.TOKEN, "another")
    with pytest.raises(InputError, match=r"401.*bad token"):
        settle(people)
    monkeypatch.delenv(prolific.TOKEN)
    with pytest.raises(InputError, match="Expected a token of Prolific in the environment"):
        settle(people)
    edit(people["Ann"].study.folder, prolific__study="")
    with pytest.raises(InputError, match="which study it is at Prolific"):
        settle(people)


def test_the_command_says_what_there_is_to_do(people, there, capsys):
    def run(*options):
        with pytest.raises(SystemExit) as left:
            main(["collect", "prolific", str(people["Ann"].study.folder), *options])
        assert not left.value.code
        return capsys.readouterr().out

    said = run()
    assert "2 are complete here and await review there; they are approved:" in said
    assert "Bonuses: 1 of 1.50, together 1.50" in said
    assert said.endswith("Nothing was changed; --pay does it.\n")
    assert json.loads(run("--pay", "--json"))["done"] is True
    assert run() == "There is nothing to settle.\n"
