"""What a participant does, as changes of the store: come, be asked, answer, finish or stop.

Nothing here knows HTTP. What comes from outside is checked against what the session was shown.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import numpy as np

from ordinate.collect.adaptive import Adaptive, Chosen
from ordinate.collect.folder import normalise_id
from ordinate.collect.questionnaires import Ask, read_responses
from ordinate.collect.store import PERSON, Store, ago, errors_of, now, unpacked
from ordinate.collect.study import MAIN, Study, random_code
from ordinate.tasks import Key, Question, Task

RECRUITERS = {
    **{"PROLIFIC_PID": "prolific", "workerId": "mturk"},
    **{"survey_code": "sona", "sona_id": "sona", "participant": "link"},
}
"""URL parameters that say who comes, and from where."""
IS_OVER = "this session has ended"
INPUTS = ("mouse", "touch", "pen", "key", "")
LONGEST_MS = 7 * 24 * 3600 * 1000
MOST_ERRORS = 50
"""Of participants' browsers that are kept, the newest."""
MACHINES_OUTCOMES = ("unparsable", "lost")
"""What may become of a question to a machine besides an answer."""
OPEN, COMPLETE, RETURNED, EXPIRED = "open", "complete", "returned", "expired"
SCREENED, FAILED = "screened", "failed"
OVER = (COMPLETE, RETURNED, SCREENED, FAILED)
"""Ways in which a session ends for good."""
NOT_USED = (RETURNED, SCREENED, FAILED)
"""Sessions that take no further answers, and whose answers are not used unless it is decided."""
INCLUDED, REJECTED = "included", "rejected"
"""What an experimenter may decide about a session, with a reason."""
USED = (
    f"(status!='{RETURNED}' AND (decision='{INCLUDED}'"
    f" OR (decision='' AND status NOT IN ('{SCREENED}', '{FAILED}'))))"
)
"""Of a row of sessions: whether its answers make maps and rankings."""


_GAP = re.compile(r"\{\w+\}|\{\{")
"""What stands in an address for a URL parameter, ours or the recruiter's own."""


class Refusal(Exception):
    """A request that is refused: `reason` is a word for programs, the message is for people."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Session:
    """A session as the server sees it."""

    session_id: str
    status: str
    code: str | None
    blocks: tuple[str, ...]
    """Names of its blocks in the order in which they are asked."""
    language: str
    answered_by: str = PERSON
    front_end: str = ""


def token_hash(token: str) -> str:
    """Return what is stored of a token; the token itself is only with its owner."""
    return hashlib.sha256(token.encode()).hexdigest()


def oldest_open(study: Study) -> str:
    """Return the time since which somebody must have been seen to come back."""
    return ago(hours=study.sessions.resume_hours)


def source_of(params: Mapping[str, str]) -> tuple[str, str | None]:
    """Return where somebody comes from, and who it is according to the recruiter."""
    for name, recruiter in RECRUITERS.items():
        if known := normalise_id(params.get(name, "")):
            return recruiter, f"{recruiter}:{known}"
    return "", None


def find(
    store: Store, token: str | None, params: Mapping[str, str] | None = None
) -> Session | None:
    """Return the session of a token, unless the URL names somebody else on the same device."""
    if not token:
        return None
    row = store.row(
        "SELECT s.*, external_id FROM sessions s LEFT JOIN identities USING (session_id)"
        " WHERE token_hash=?",
        token_hash(token),
    )
    external = source_of(params or {})[1]
    if row is None or external not in (None, row["external_id"]):
        return None
    return session_of(row, store.study)


def find_of_front_end(store: Store, front_end: str, params: Mapping[str, str]) -> Session | None:
    """Return the newest session of somebody whom a front end asks."""
    row = store.row(
        "SELECT s.* FROM identities JOIN sessions s USING (session_id)"
        " WHERE external_id=? AND front_end=? ORDER BY ordinal DESC LIMIT 1",
        *(source_of(params)[1], front_end),
    )
    return None if row is None else session_of(row, store.study)


def session_of(row: sqlite3.Row, study: Study) -> Session:
    """Return the session of a row of their table."""
    expired = is_expired(row, study)
    blocks = tuple(row["block_order"].split(";")) if row["block_order"] else (MAIN,)
    known = study.languages
    return Session(
        row["session_id"],
        EXPIRED if expired else row["status"],
        row["code_issued"],
        blocks,
        row["language"] if row["language"] in known else known[0],
        row["answered_by"],
        row["front_end"],
    )


def is_expired(row: sqlite3.Row, study: Study) -> bool:
    """Whether somebody stayed away too long, or the time of a session is over; not for machines."""
    if row["status"] != OPEN or row["answered_by"] != PERSON:
        return False
    minutes = study.sessions.time_limit_minutes
    is_late = minutes > 0 and row["started_at"] < ago(minutes=minutes)
    return bool(is_late or row["last_seen_at"] < oldest_open(study))


def n_left(store: Store, session: Session) -> int:
    """Return how many questions of a session have no answer yet."""
    query = "SELECT COUNT(*) - COUNT(a.trial_id) FROM trials t LEFT JOIN answers a USING (trial_id)"
    return int(store.row(f"{query} WHERE t.session_id=?", session.session_id)[0])


def next_trials(store: Store, session: Session, number: int) -> list[sqlite3.Row]:
    """Return the next questions without an answer; `n_left` of each counts all of them."""
    return store.rows(
        "SELECT t.*, COUNT(*) OVER () AS n_left FROM trials t LEFT JOIN answers a USING (trial_id)"
        " WHERE t.session_id=? AND a.trial_id IS NULL ORDER BY t.place LIMIT ?",
        *(session.session_id, number),
    )


def choose_adaptive(
    store: Store, session: Session, rows: Sequence[sqlite3.Row], chooser: Adaptive | None
) -> dict[str, Chosen]:
    """Return better questions for adaptive ones that were never served, as far as there are any."""
    waiting: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        if chooser and row["pool"] == "adaptive" and row["served_at"] is None:
            waiting.setdefault(row["block"], []).append(row)
    found: dict[str, Chosen] = {}
    for block, places in waiting.items():
        task, replaced = store.study.blocks[block].task, {row["trial_id"] for row in places}
        query = "SELECT trial_id, reference, shown FROM trials WHERE session_id=? AND block=?"
        others = store.rows(query, session.session_id, block)
        key = _keys(task)
        taken = {key(row[1], row[2]) for row in others if row[0] not in replaced}
        assert chooser is not None
        chosen = chooser.take(block, len(places), taken)
        seed = list(places[0]["trial_id"].encode())
        orders = task.orders(len(chosen), np.random.default_rng(seed)).tolist()
        for row, better, order in zip(places, chosen, orders, strict=False):
            question = task.reorder(better.question, order)
            found[row["trial_id"]] = replace(better, question=question)
    return found


@lru_cache
def _keys(task: Task) -> Callable[[str | None, str], Key]:
    """Return what gives the key of a question as its row has it; the same few come again."""

    @lru_cache(maxsize=2**16)
    def key(reference: str | None, shown: str) -> Key:
        return task.key(Question(reference, unpacked(shown)).items)

    return key


def mark_served(
    store: Store,
    session: Session,
    trials: Sequence[str],
    chosen: Mapping[str, Chosen] = MappingProxyType({}),
) -> Future[None]:
    """Keep when questions left the server, and what they are; only then may they be answered."""
    time, own = now(), session.session_id
    better = [
        (c.question.reference, json.dumps(c.question.shown), c.rule, c.score, c.model_version, name)
        for name, c in chosen.items()
    ]

    def change(connection: sqlite3.Connection) -> None:
        where = "WHERE trial_id=? AND served_at IS NULL"
        new = "reference=?, shown=?, sampler=?, score=?, model_version=?"
        connection.executemany(f"UPDATE trials SET {new} {where}", better)
        served = [(time, trial) for trial in trials]
        connection.executemany(f"UPDATE trials SET served_at=? {where}", served)
        connection.execute("UPDATE sessions SET last_seen_at=? WHERE session_id=?", (time, own))

    return store.submit(change)


def question_of(row: Mapping[str, Any] | sqlite3.Row) -> Question:
    """Return the question of a row of the table of trials."""
    return Question(row["reference"], unpacked(row["shown"]), unpacked(row["expected"]))


def record(
    store: Store, session: Session, answers: Sequence[Any]
) -> tuple[dict[str, str], Future[dict[str, bool]]]:
    """Check answers and hand the good ones to the writer.

    What comes after a session has ended is refused, also if that happens on the way. Answers that
    come too late are kept, and the session stays expired.
    """
    refused: dict[str, str] = {}
    rows: list[tuple[Any, ...]] = []
    for answer in answers:
        trial = answer.get("trial") if isinstance(answer, dict) else None
        try:
            rows.append(_checked(store, session, answer, trial))
        except ValueError as error:
            refused[str(trial)[:64]] = str(error)
    time = now()

    def change(connection: sqlite3.Connection) -> dict[str, bool]:
        stored = {}
        limit = store.study.sessions.catch_wrong if session.answered_by == PERSON else 0
        for row in rows:
            if _status(connection, session) in NOT_USED:
                refused[str(row[0])] = IS_OVER
                continue
            query = "INSERT OR IGNORE INTO answers VALUES (?,?,?,?,?,?,?,?,?)"
            added = connection.execute(query, row)
            stored[str(row[0])] = added.rowcount == 1
            if limit and _n_catch_wrong(connection, session) >= limit:
                _end(connection, store.study, session, FAILED)
        connection.execute(
            "UPDATE sessions SET last_seen_at=?, status=CASE WHEN ? AND status='open' THEN"
            " 'expired' ELSE status END WHERE session_id=?",
            (time, session.status == EXPIRED, session.session_id),
        )
        return stored

    return refused, store.submit(change)


def _status(connection: sqlite3.Connection, session: Session) -> str:
    query = "SELECT status FROM sessions WHERE session_id=?"
    row = connection.execute(query, (session.session_id,)).fetchone()
    return "" if row is None else str(row[0])


def _n_catch_wrong(connection: sqlite3.Connection, session: Session) -> int:
    """Return how many catch questions a session has answered other than expected."""
    rows = connection.execute(
        "SELECT expected, chosen FROM trials JOIN answers USING (trial_id)"
        " WHERE session_id=? AND pool='catch' AND outcome='answered'",
        (session.session_id,),
    )
    return sum(not set(unpacked(right)) <= set(unpacked(chosen)) for right, chosen in rows)


def _checked(store: Store, session: Session, answer: Any, trial: Any) -> tuple[Any, ...]:
    """Return the row of an answer, or raise ValueError with what is wrong with it."""
    if not isinstance(trial, str):
        raise ValueError("an answer needs the id of its trial")
    shown = store.row("SELECT session_id, served_at, block FROM trials WHERE trial_id=?", trial)
    if shown is None or shown["session_id"] != session.session_id or shown["served_at"] is None:
        raise ValueError("this question was not shown to this session")
    if session.status in NOT_USED:
        raise ValueError(IS_OVER)
    rules, task = store.study.answers, store.study.blocks[shown["block"]].task
    outcomes = {"answered": True, "media_failed": True, "skipped": rules.skip}
    outcomes["timed_out"] = rules.time_limit_s > 0
    outcomes |= dict.fromkeys(MACHINES_OUTCOMES, session.answered_by != PERSON)
    outcome, chosen = answer.get("outcome"), answer.get("chosen", [])
    if not isinstance(outcome, str) or not outcomes.get(outcome):
        raise ValueError("this outcome does not exist in this study")
    if not isinstance(chosen, list) or not all(type(place) is int for place in chosen):
        raise ValueError("chosen must be a list of positions")
    if not (task.accepts(chosen) if outcome == "answered" else chosen == []):
        raise ValueError("the choice does not fit the question")
    device = answer.get("input", "")
    if device not in INPUTS:
        raise ValueError("input is not a device that is known")
    clicks = answer.get("click_ms", [])
    if not isinstance(clicks, list) or len(clicks) > 200:
        raise ValueError("click_ms must be a list of times")
    return (
        *(trial, outcome, json.dumps(chosen), now(), _milliseconds(answer.get("rt_ms"))),
        *(json.dumps([_milliseconds(click) for click in clicks]),),
        *(_milliseconds(answer.get("hidden_ms")) or 0, device),
        min(_milliseconds(answer.get("presentations")) or 1, 1000),
    )


def _milliseconds(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= LONGEST_MS:
        raise ValueError("times must be milliseconds, 0 or more")
    return round(float(value))


def moments_of(study: Study, session: Session) -> list[str]:
    """Return the questionnaires of a session: before, between-1, between-2, … and after."""
    between = [f"between-{number}" for number in range(1, len(session.blocks))]
    return [m for m in ("before", *between, "after") if _asks(study, m)]


def _asks(study: Study, moment: str) -> tuple[Ask, ...]:
    return study.questionnaires[moment.partition("-")[0]]


def responses_of(store: Store, session: Session) -> dict[str, dict[str, Any]]:
    """Return what a session has answered in questionnaires, by moment and name."""
    found: dict[str, dict[str, Any]] = {}
    query = "SELECT moment, name, answer FROM responses WHERE session_id=? ORDER BY received_at"
    for moment, name, answer in store.rows(query, session.session_id):
        found.setdefault(moment, {})[name] = json.loads(answer)
    return found


def respond(
    store: Store,
    session: Session,
    moment: Any,
    given: Any,
    rt_ms: Any,
    is_full: Callable[[sqlite3.Connection, Study, str, Mapping[str, Any]], bool],
) -> Future[tuple[str, str]]:
    """Keep the answers to a questionnaire; the result is how the session stands, and its code.

    They are kept once: what is sent again changes nothing. `is_full` says whether there are enough
    people with such answers before the study.
    """
    if moment not in moments_of(store.study, session) or not isinstance(given, dict):
        raise Refusal(400, "malformed", "Expected the answers to a questionnaire of this session.")
    earlier = {
        name: answer
        for answers in responses_of(store, session).values()
        for name, answer in answers.items()
        if answer is not None
    }
    try:
        responses, screened = read_responses(_asks(store.study, moment), given, earlier)
        took = _milliseconds(rt_ms)
    except ValueError as error:
        raise Refusal(400, "answer", f"{error}.") from None
    time, own = now(), session.session_id
    rows = [(own, moment, r.name, r.outcome, json.dumps(r.answer), time, took) for r in responses]
    answers = {response.name: response.answer for response in responses}

    def change(connection: sqlite3.Connection) -> tuple[str, str]:
        query = "INSERT OR IGNORE INTO responses VALUES (?,?,?,?,?,?,?)"
        added = connection.executemany(query, rows)
        connection.execute("UPDATE sessions SET last_seen_at=? WHERE session_id=?", (time, own))
        too_many = moment == "before" and is_full(connection, store.study, own, answers)
        if (screened or too_many) and added.rowcount:
            return SCREENED, _end(connection, store.study, session, SCREENED)
        return session.status, session.code or ""

    return store.submit(change)


def _end(connection: sqlite3.Connection, study: Study, session: Session, status: str) -> str:
    """End a session that is open or expired, and return the code that its participant is given."""
    finish = study.finish
    codes = {COMPLETE: finish.code, SCREENED: finish.code_screened, FAILED: finish.code_failed}
    fixed, time = codes.get(status, "random"), now()
    connection.execute(
        "UPDATE sessions SET status=?, finished_at=?, last_seen_at=?, code_issued=?"
        " WHERE session_id=? AND status IN ('open', 'expired')",
        (status, time, time, random_code() if fixed == "random" else fixed, session.session_id),
    )
    row = connection.execute(
        "SELECT code_issued FROM sessions WHERE session_id=?", (session.session_id,)
    ).fetchone()
    return str(row[0] or "")


def finish(store: Store, session: Session) -> Future[str]:
    """Complete a session that has answered everything; the result is its completion code."""
    if session.status == EXPIRED:
        raise Refusal(409, EXPIRED, store.study.texts[EXPIRED])
    if left := n_left(store, session):
        raise Refusal(409, "not_finished", f"{left} questions have no answer yet.")
    missing = set(moments_of(store.study, session)) - set(responses_of(store, session))
    if session.answered_by != PERSON or session.front_end:
        missing = set()  # questionnaires are for those who sit before our page
    if missing and session.status == OPEN:
        raise Refusal(409, "not_finished", f"The questionnaire {min(missing)} has no answers yet.")
    return store.submit(lambda connection: _end(connection, store.study, session, COMPLETE))


def redirect_of(store: Store, session: Session) -> str:
    """Return where the participant of a session that is over goes."""
    finish = store.study.finish
    row = store.row("SELECT url_params FROM identities WHERE session_id=?", session.session_id)
    ways = {RETURNED: finish.redirect_withdrawn, SCREENED: finish.redirect_screened}
    ways[FAILED] = finish.redirect_failed
    address = ways.get(session.status, finish.redirect)
    return fill_address(address, json.loads(row["url_params"]) if row else {})


def fill_address(address: str, params: Mapping[str, str]) -> str:
    """Return an address with URL parameters filled in, or none if one is missing."""
    for name, value in params.items():
        if "{" not in value:  # a gap that a recruiter has not filled
            address = address.replace("{" + name + "}", quote(value, safe=""))
    return "" if _GAP.search(address) else address


def decide(store: Store, session_id: str, decision: Any, reason: Any) -> Future[None]:
    """Keep what the experimenter decided about a session, and why; the wish of those who left wins.

    An empty decision takes an earlier one back.
    """
    if decision not in ("", INCLUDED, REJECTED) or not isinstance(reason, str):
        raise Refusal(400, "malformed", f"Expected {INCLUDED}, {REJECTED} or nothing, and why.")
    if decision and not reason.strip():
        raise Refusal(400, "reason", "Please give a reason; it is kept in sessions.csv.")
    query = "UPDATE sessions SET decision=?, reason=? WHERE session_id=? AND status!=?"
    why = reason.strip()[:500] if decision else ""
    gone = Refusal(409, "over", "There is no such session, or its participant withdrew.")
    return store.write(query, decision, why, session_id, RETURNED, otherwise=gone)


def release(store: Store, session_id: str) -> Future[None]:
    """Open a session again, also one that expired, for its participant on any device.

    Without a request it belongs to the next one who comes with the same id.
    """
    minutes = store.study.sessions.time_limit_minutes
    query = (
        "UPDATE sessions SET status='open', last_seen_at=?, request=NULL WHERE session_id=?"
        " AND status IN ('open', 'expired') AND answered_by=? AND started_at>=?"
    )
    since = ago(minutes=minutes) if minutes else ""
    gone = Refusal(409, "over", "There is no such session, or it has ended for good.")
    return store.write(query, now(), session_id, PERSON, since, otherwise=gone)


def withdraw(store: Store, session: Session) -> Future[str]:
    """End a session at the participant's wish; the result is a code to ask for its deletion.

    What was answered stays until it is forgotten, and is not exported.
    """
    return store.submit(lambda connection: _end(connection, store.study, session, RETURNED))


def withdraw_by_code(store: Store, code: str) -> Future[None]:
    """Take back all answers of somebody who has the code of a session, also when it is over."""
    study = store.study
    if not study.finish.is_personal(code):
        # a stranger may have it too; those who run the study know who is who
        told = study.texts["withdraw_code_unknown"]
        if contact := study.general.contact:
            told += " " + study.texts["contact"].replace("{contact}", contact)
        raise Refusal(404, "code", told)

    def change(connection: sqlite3.Connection) -> None:
        found = connection.execute(
            "SELECT session_id FROM sessions WHERE UPPER(code_issued)=?", (code,)
        ).fetchall()
        if len(found) != 1:
            raise Refusal(404, "code", study.texts["withdraw_code_unknown"])
        connection.execute(
            "UPDATE sessions SET status='returned', finished_at=? WHERE session_id=?",
            (now(), found[0][0]),
        )

    return store.submit(change)


def note_error(store: Store, session: Session | None, error: Mapping[str, str]) -> Future[None]:
    """Keep what went wrong in a participant's browser; the same error again is counted."""
    entry = {**error, "session_id": session.session_id if session else ""}

    def change(connection: sqlite3.Connection) -> None:
        known = errors_of(connection)
        same = next((old for old in known if {**old, **entry} == old), None)
        if same is not None:
            known.remove(same)
        count = 1 if same is None else same["count"] + 1
        known = [*known, {**entry, "time": now(), "count": count}][-MOST_ERRORS:]
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('errors', ?)", (json.dumps(known),))

    return store.submit(change)
