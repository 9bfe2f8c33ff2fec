"""Prolific's side of a study: who returned it or ran out of time, who is paid, who earned a bonus.

Prolific's addresses and words are known here alone. Nothing changes unless it is asked for, and no
bonus is paid twice: Prolific would pay it again.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from ordinate._checks import InputError
from ordinate.collect.figures import SESSIONS, figures_of, tally_of, trials_of
from ordinate.collect.folder import normalise_id
from ordinate.collect.sessions import COMPLETE, EXPIRED, OPEN, REJECTED, RETURNED
from ordinate.collect.store import connect, database_path, open_for_reading
from ordinate.collect.study import Study

API = "https://api.prolific.com/api/v1"
TOKEN = "PROLIFIC_TOKEN"
"""Environment variable that holds the token."""
MOST_BONUSES = 200
"""That Prolific pays at once."""
HERE = {"RETURNED": RETURNED, "TIMED-OUT": EXPIRED}
"""What becomes of an unfinished session after what became of its submission there."""
WAITING, APPROVED = "AWAITING REVIEW", "APPROVED"
Found = dict[str, dict[str, str]]
"""By action: the id at Prolific (of the submission; for a bonus, of the person) by session."""


def settle(folder: Path, study: Study, *, pay: bool = False) -> Found:
    """Compare the sessions of a study with its submissions at Prolific; with `pay` act on it."""
    if not study.prolific.study:
        raise InputError("study.toml does not say which study it is at Prolific: [prolific] study.")
    submissions, page = list[Mapping[str, Any]](), f"/submissions/?study={study.prolific.study}"
    while page:
        reply = _call(page)
        submissions += reply["results"]
        following = (reply.get("_links") or {}).get("next") or {}
        page = (following.get("href") or "").removeprefix(API)
    with closing(open_for_reading(folder)) as connection:
        found = _compare(connection, study, submissions)
    if pay:
        with closing(connect(database_path(folder))) as connection:
            _act(connection, study, found)
    return found


def _compare(
    connection: sqlite3.Connection, study: Study, submissions: Sequence[Mapping[str, Any]]
) -> Found:
    """Return what becomes of which sessions."""
    found: Found = {what: {} for what in (RETURNED, EXPIRED, "approve", "bonus", "review")}
    rows = {row["session_id"]: row for row in connection.execute(SESSIONS).fetchall()}
    known = {}
    for name, person, params in connection.execute("SELECT * FROM identities").fetchall():
        known[person] = known[json.loads(params).get("SESSION_ID")] = name
    paid = {key for (key,) in connection.execute("SELECT key FROM meta WHERE key LIKE 'bonus %'")}
    for submission in submissions:
        person, its, word = (submission[name] for name in ("participant_id", "id", "status"))
        name = known.get(its) or known.get(f"prolific:{normalise_id(person)}")
        if name is None:
            continue
        row, here = rows[name], HERE.get(word, "")
        figures = figures_of(row, tally_of(trials_of(connection, name), study), study)
        is_good = figures["status"] == COMPLETE and row["decision"] != REJECTED
        if here and row["status"] in {OPEN, EXPIRED} - {here}:
            found[here][name] = its
        if word == WAITING:
            found["approve" if is_good else "review"][name] = its
        is_due = is_good and word in (WAITING, APPROVED) and f"bonus {name}" not in paid
        if is_due and study.prolific.earns_bonus(figures):
            found["bonus"][name] = person
    return found


def _act(connection: sqlite3.Connection, study: Study, found: Found) -> None:
    """End sessions here, approve submissions and pay bonuses there."""
    ended = [(status, name) for status in HERE.values() for name in found[status]]
    query = "UPDATE sessions SET status=? WHERE session_id=? AND status IN ('open', 'expired')"
    connection.executemany(query, ended)
    for submission in found["approve"].values():
        _call(f"/submissions/{submission}/transition/", {"action": "APPROVE"})
    earned, amount = list(found["bonus"].items()), f"{study.prolific.bonus:.2f}"
    for start in range(0, len(earned), MOST_BONUSES):
        part = earned[start : start + MOST_BONUSES]
        lines = "\n".join(f"{person},{amount}" for _, person in part)
        body = {"study_id": study.prolific.study, "csv_bonuses": lines}
        bulk = _call("/submissions/bonus-payments/", body)["id"]
        # noted before it is paid: without a reply nobody knows whether it was
        marks = [(f"bonus {name}", amount) for name, _ in part]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", marks)
        _call(f"/bulk-bonus-payments/{bulk}/pay/", {})


def _call(path: str, body: Mapping[str, Any] | None = None) -> Any:
    """Send a request to Prolific, and return the JSON value of the reply."""
    if not (token := os.environ.get(TOKEN, "").strip()):
        raise InputError(f"Expected a token of Prolific in the environment variable {TOKEN}.")
    headers = {"authorization": f"Token {token}", "content-type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(API + path, content, headers), timeout=60) as reply:
            return json.loads(reply.read() or b"{}")
    except (OSError, ValueError) as error:
        said = error.read(500).decode("utf-8", "replace") if isinstance(error, HTTPError) else ""
        raise InputError(
            f"Prolific did not do {path}: {error}. {' '.join(said.split())} A payment is not sent"
            " again; look there whether it was made."
        ) from None
