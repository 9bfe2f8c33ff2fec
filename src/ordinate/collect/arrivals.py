"""Who may take part, and how a session begins: its participant, condition, blocks and questions."""

from __future__ import annotations

import hmac
import json
import math
import secrets
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ordinate.collect.folder import listed_ids
from ordinate.collect.plan import orders_of, plan_session
from ordinate.collect.sessions import (
    COMPLETE,
    EXPIRED,
    OPEN,
    Refusal,
    Session,
    is_expired,
    oldest_open,
    source_of,
    token_hash,
)
from ordinate.collect.store import PERSON, PREVIEW, REAL, Store, ago, now
from ordinate.collect.study import Sessions, Study
from ordinate.questions.lists import Planned

DEVICE = {
    **dict.fromkeys(("width", "height", "px_per_mm"), (int, float)),
    **dict.fromkeys(("phone", "keyboard", "sound"), (bool, type(None))),
}
"""What is kept about a device, and its types."""
LARGEST_SIZE = 100_000


_AS_SAID = ("request", "consent_version", "user_agent", "viewport", "pixel_ratio", "front_end")
"""What of an arrival its session keeps as it is."""


@dataclass(frozen=True)
class Arrival:
    """Somebody who agreed to take part; `request` makes a repeated request harmless."""

    request: str
    consent_version: str
    user_agent: str = ""
    viewport: str = ""
    pixel_ratio: float | None = None
    language: str = ""
    device: Mapping[str, Any] = field(default_factory=dict)
    """What the page found out about the device."""
    params: Mapping[str, str] = field(default_factory=dict)
    front_end: str = ""
    """The program that asks instead of our page; consent and device are its business."""


def begin(store: Store, arrival: Arrival) -> Future[str]:
    """Make a session with all its questions; the result is its token.

    Names and questions follow from the key of the store and the request: they are the same in
    whatever order people come, and nobody without the key can tell them beforehand.
    """
    study, token = store.study, secrets.token_urlsafe(24)
    drawn = Random(hmac.digest(store.key.encode(), arrival.request.encode(), "sha256"))
    session, pseudonym = f"s{drawn.getrandbits(48):012x}", f"p{drawn.getrandbits(40):010x}"
    seed = drawn.getrandbits(48)
    fixed = len(study.blocks) == 1 and not study.design.conditions
    plan = plan_session(study, seed, list(study.blocks)) if fixed else None
    language = arrival.language if arrival.language in study.languages else study.languages[0]
    own_page = not arrival.front_end
    if own_page and arrival.consent_version != study.in_language(language).consent_version:
        raise Refusal(409, "consent_changed", "The consent text has changed; reload the page.")
    if refusal := refusal_of(store, arrival.params):
        raise refusal
    if own_page and (reason := study.device.refusal(arrival.device)):
        raise Refusal(403, reason, study.texts[reason])
    device = {name: arrival.device[name] for name in DEVICE if name in arrival.device}
    for name, value in device.items():
        if type(value) not in DEVICE[name] or not 0 <= (value or 0) <= LARGEST_SIZE:
            raise Refusal(400, "malformed", f"{name} of the device is not what was expected.")
    recruiter, external = source_of(arrival.params)

    def change(connection: sqlite3.Connection) -> str:
        again = connection.execute(
            "UPDATE sessions SET token_hash=? WHERE request=? AND status='open'",
            (token_hash(token), arrival.request),
        )
        if again.rowcount:  # the reply got lost, and the page asks once more
            return token
        if connection.execute("SELECT 1 FROM sessions WHERE session_id=?", (session,)).fetchone():
            raise Refusal(409, "already", study.texts["already"])
        released = connection.execute(
            "UPDATE sessions SET token_hash=?, request=?, last_seen_at=? WHERE status='open' AND"
            " request IS NULL AND session_id IN"
            " (SELECT session_id FROM identities WHERE external_id=?)",
            (token_hash(token), arrival.request, now(), external),
        )
        if released.rowcount:
            return token
        before = _known(connection, study, external)
        wish = arrival.params.get("condition") if store.which == PREVIEW else None
        if before is not None and study.sessions.waves > 1:  # the same questions once more
            own, wish = before["seed"], before["condition"]
        else:
            own = seed
            _refuse_if_full(connection, study)
        condition, blocks = assign(connection, study, drawn, wish)
        questions = plan if plan and own == seed else plan_session(study, own, blocks)
        entries = {
            **{name: getattr(arrival, name) for name in _AS_SAID},
            **{"session_id": session, "token_hash": token_hash(token), "study_hash": study.hash},
            "participant": before["participant"] if before is not None else pseudonym,
            "wave": before["wave"] + 1 if before is not None else 1,
            **{"recruiter": recruiter, "seed": own, "language": language},
            **{"condition": condition, "block_order": ";".join(blocks)},
            "device": json.dumps(device),
        }
        insert_session(connection, entries, questions, drawn)
        who = (session, external, json.dumps(dict(arrival.params)))
        connection.execute("INSERT INTO identities VALUES (?,?,?)", who)
        return token

    return store.submit(change)


def insert_session(
    connection: sqlite3.Connection,
    entries: Mapping[str, Any],
    plan: Sequence[tuple[str, Planned]],
    drawn: Random,
) -> None:
    """Write the row of a session that begins now, and all its questions."""
    session, time = entries["session_id"], now()
    times = dict.fromkeys(("consent_at", "started_at", "last_seen_at"), time)
    entries = {**entries, **times, "status": OPEN}
    query = f"INSERT INTO sessions (ordinal, {', '.join(entries)})"
    query += f" SELECT COALESCE(MAX(ordinal), 0) + 1{', ?' * len(entries)} FROM sessions"
    connection.execute(query, tuple(entries.values()))
    # what is asked and answered together lies together on disk, in the order of asking
    common = f"t{drawn.getrandbits(48):012x}"
    names = [f"{common}{at:04x}{drawn.getrandbits(32):08x}" for at in range(len(plan))]
    connection.executemany(
        "INSERT INTO trials (trial_id, session_id, place, phase, pool, reference, shown, expected,"
        " sampler, repeat_of, block) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        [
            (
                *(names[place], session, place, planned.phase, planned.pool),
                *(planned.question.reference, json.dumps(planned.question.shown)),
                *(json.dumps(planned.question.expected), planned.sampler),
                None if planned.repeat_of is None else names[planned.repeat_of],
                block,
            )
            for place, (block, planned) in enumerate(plan)
        ],
    )


def _known(
    connection: sqlite3.Connection, study: Study, external: str | None
) -> sqlite3.Row | None:
    """Return the last session of someone who has been here before, and may come again."""
    known: sqlite3.Row | None = connection.execute(
        "SELECT * FROM identities JOIN sessions USING (session_id)"
        " WHERE external_id IS NOT NULL AND external_id=? ORDER BY ordinal DESC",
        (external,),
    ).fetchone()
    rules = study.sessions
    if known is None or rules.again:
        return known
    if known["status"] == COMPLETE and known["wave"] < rules.waves:
        if _is_next_due(known, rules):
            return known
        raise Refusal(409, "too_early", study.texts["too_early"])
    standing = EXPIRED if is_expired(known, study) else known["status"]
    reason = {OPEN: "elsewhere", EXPIRED: "expired_elsewhere"}.get(standing, "already")
    raise Refusal(409, reason, study.texts[reason])


def is_due_again(store: Store, session: Session) -> bool:
    """Whether somebody who has finished may take part once more by now."""
    query = "SELECT wave, finished_at FROM sessions WHERE session_id=?"
    row = store.row(query, session.session_id)
    return session.status == COMPLETE and _is_next_due(row, store.study.sessions)


def _is_next_due(row: sqlite3.Row, rules: Sessions) -> bool:
    is_time: bool = row["finished_at"] <= ago(days=rules.days_between)
    return row["wave"] < rules.waves and is_time


def refusal_of(store: Store, params: Mapping[str, str]) -> Refusal | None:
    """Return why somebody may not take part by the address they came with, if so."""
    study, (_, external) = store.study, source_of(params)
    if study.sessions.ids == "optional":
        return None
    if external is None:
        return Refusal(403, "no_id", study.texts["no_id"])
    listed = study.sessions.ids == "listed" and store.which == REAL  # rehearsals have their own
    if listed and external.partition(":")[2] not in listed_ids(study.folder):
        return Refusal(403, "not_listed", study.texts["not_listed"])
    return None


_COUNT = (
    "(answered_by=? AND wave=1 AND decision!='rejected'"
    " AND (status='complete' OR (status='open' AND last_seen_at>=?)))"
)
"""Sessions of people, or of a machine, that are complete or may still be; each person once."""


def assign(
    connection: sqlite3.Connection,
    study: Study,
    rng: Random,
    wish: str | None = None,
    answered_by: str = PERSON,
) -> tuple[str, tuple[str, ...]]:
    """Return a condition and an order of blocks that the fewest have; chance decides among equals.

    Those who stopped, were screened out or stayed away do not count, so that others take their
    places.
    """
    query = f"SELECT condition, block_order, COUNT(*) FROM sessions WHERE {_COUNT} GROUP BY 1, 2"
    rows = connection.execute(query, (answered_by, oldest_open(study))).fetchall()
    counts, of_condition = Counter({(row[0], row[1]): row[2] for row in rows}), Counter[str]()
    for condition, _, count in rows:
        of_condition[condition] += count
    names = [wish] if wish in study.design.conditions else list(study.conditions)
    if wish is None and answered_by == PERSON:
        quota = study.limits.quotas.get("condition", {})
        names = [name for name in names if of_condition[name] < quota.get(name, math.inf)]
        if not names:
            raise Refusal(409, "full", study.texts["full"])
    condition = min(rng.sample(names, len(names)), key=lambda name: of_condition[name])
    orders = orders_of(study, condition, rng)
    shuffled = rng.sample(orders, len(orders))
    return condition, min(shuffled, key=lambda order: counts[condition, ";".join(order)])


def places(connection: sqlite3.Connection, study: Study) -> tuple[int, bool]:
    """Return how many may take part (0: any number), and whether nobody new may begin.

    What the experimenter said on the page while the study ran counts more than the study file.
    """
    query = "SELECT key, value FROM meta WHERE key IN ('participants', 'closed')"
    said = dict(connection.execute(query).fetchall())
    return int(said.get("participants", study.limits.participants)), said.get("closed") == "yes"


def _refuse_if_full(connection: sqlite3.Connection, study: Study) -> None:
    most, closed = places(connection, study)
    if most == 0 and not closed:
        return
    taken = connection.execute(
        f"SELECT COUNT(*) FROM sessions WHERE {_COUNT}", (PERSON, oldest_open(study))
    ).fetchone()[0]
    if closed or taken >= most:
        raise Refusal(409, "full", study.texts["full"])


def quota_is_full(
    connection: sqlite3.Connection, study: Study, session: str, answers: Mapping[str, Any]
) -> bool:
    """Whether there are enough other people with one of somebody's answers before the study."""
    quotas = study.limits.quotas
    return any(
        n_with_answer(connection, study, name, answer, session) >= quotas[name][answer]
        for name, answer in answers.items()
        if isinstance(answer, str) and answer in quotas.get(name, ())
    )


def n_with_answer(
    connection: sqlite3.Connection, study: Study, name: str, answer: str, but: str = ""
) -> int:
    """Return how many of those who count are in a condition, or gave an answer before the study."""
    own = (
        "condition=?"
        if name == "condition"
        else "session_id IN (SELECT session_id FROM responses WHERE moment='before' AND name=?"
        " AND answer=?)"
    )
    wanted = (answer,) if name == "condition" else (name, json.dumps(answer))
    (count,) = connection.execute(
        f"SELECT COUNT(*) FROM sessions WHERE {_COUNT} AND session_id!=? AND {own}",
        (PERSON, oldest_open(study), but, *wanted),
    ).fetchone()
    return int(count)
