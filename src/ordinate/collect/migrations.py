"""Databases that earlier versions of Ordinate left, brought up to date step by step.

Each step is one transaction, made after a copy of the database; a kill leaves either side of it.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ordinate._checks import InputError
from ordinate.collect.study import entries_of
from ordinate.io.atomic import atomic_path
from ordinate.tasks import Question, make_task


def version_of(connection: sqlite3.Connection) -> int:
    """Return which layout of tables a database has."""
    (version,) = connection.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
    columns = {row[1] for row in connection.execute("PRAGMA table_info(sessions)")}
    if version == "1" and "ordinal" not in columns:
        return 0  # the first layout called itself 1 too
    return int(version)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a database up to date; the caller holds its lock."""
    version = version_of(connection)
    if version > VERSION:
        raise InputError(
            f"{path} was made by a newer version of Ordinate (layout {version}, here {VERSION});"
            " install that version or a later one."
        )
    for number in range(version, VERSION):
        back_up(connection, path.with_name(f"{path.stem}.layout-{number}.sqlite"))
        connection.execute("BEGIN IMMEDIATE")
        try:
            _STEPS[number](connection)
            connection.execute("UPDATE meta SET value=? WHERE key='schema'", (str(number + 1),))
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def backups_of(path: Path) -> Iterator[Path]:
    """Return the copies of a database that were made before it was brought up to date."""
    return path.parent.glob(f"{path.stem}.layout-*.sqlite")


def back_up(connection: sqlite3.Connection, target: Path) -> None:
    """Copy a database, also while it is used; the copy is private and whole or not there."""
    with atomic_path(target) as temporary:
        os.close(os.open(temporary, os.O_CREAT | os.O_RDWR, 0o600))
        copy = sqlite3.connect(temporary)
        try:
            connection.backup(copy)
        finally:
            copy.close()


def _order_of_arrival(connection: sqlite3.Connection) -> None:
    """From 0: sessions are numbered, and questions may be chosen by a model."""
    connection.execute("ALTER TABLE sessions ADD COLUMN ordinal INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "UPDATE sessions SET ordinal=(SELECT COUNT(*) FROM sessions AS earlier WHERE"
        " (earlier.started_at, earlier.session_id)<=(sessions.started_at, sessions.session_id))"
    )
    connection.execute("CREATE UNIQUE INDEX sessions_by_ordinal ON sessions (ordinal)")
    connection.execute("ALTER TABLE trials ADD COLUMN score REAL")
    connection.execute("ALTER TABLE trials ADD COLUMN model_version INTEGER")
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('key', ?)", (secrets.token_hex(16),))


def _what_was_written(connection: sqlite3.Connection) -> None:
    """From 1: the frozen study says what of it the experimenter wrote, and how the page looks.

    Which settings were defaults was not kept, so none counts as written at the launch. Nor do
    items that were made of files that are none, such as Thumbs.db.
    """
    (text,) = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
    frozen = json.loads(text)
    del frozen["schema"]
    frozen["page"] = {"appearance": "system"}  # as it was, so that nobody's ground changes midway
    own = {name: frozen[name] for name in ("pages", "questions")}
    own["items"] = {
        name: {key: entry for key, entry in item.items() if key not in ("kind", "label")}
        for name, item in frozen["items"].items()
        if item["kind"] != "text" or not item["source"].startswith("items/")
    }
    frozen["written"] = sorted(name for name, _ in entries_of(own))
    connection.execute("UPDATE meta SET value=? WHERE key='frozen'", (json.dumps(frozen),))


def _validation_as_drawn(connection: sqlite3.Connection) -> None:
    """From 2: this version draws other validation questions from a seed; those drawn are kept."""
    (text,) = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
    frozen = json.loads(text)
    asked = connection.execute(
        "SELECT reference, shown FROM trials WHERE pool='validation' AND session_id="
        "(SELECT session_id FROM sessions ORDER BY ordinal LIMIT 1)"
    ).fetchall()
    task = make_task(frozen["task"]["kind"], shown=frozen["task"]["shown"])
    questions = [Question(reference, tuple(json.loads(shown))) for reference, shown in asked]
    given = frozen["questions"].get("validation", [])
    known = {task.key(Question(q["reference"], tuple(q["shown"])).items) for q in given}
    drawn = [asdict(q) for q in questions if task.key(q.items) not in known]
    if drawn:
        frozen["questions"]["drawn"] = drawn
    connection.execute("UPDATE meta SET value=? WHERE key='frozen'", (json.dumps(frozen),))


RESPONSES = """
CREATE TABLE responses (
    session_id TEXT NOT NULL REFERENCES sessions,
    moment TEXT NOT NULL,
    name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    answer TEXT NOT NULL,
    received_at TEXT NOT NULL,
    rt_ms INTEGER,
    PRIMARY KEY (session_id, moment, name)
) WITHOUT ROWID;
"""


def _questionnaires_and_blocks(connection: sqlite3.Connection) -> None:
    """From 3: questionnaires, conditions and blocks, languages and devices."""
    connection.execute(RESPONSES)
    connection.execute("ALTER TABLE trials RENAME COLUMN block TO phase")
    connection.execute("ALTER TABLE trials ADD COLUMN block TEXT NOT NULL DEFAULT 'main'")
    for column in ("condition", "block_order", "language"):
        connection.execute(f"ALTER TABLE sessions ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT '{}'")


_KINDS = {"odd-one-out": "odd_one_out", "choose-k": "choose_k", "pairs": "pair_against_pair"}
_TEXTS = {"question_pairs": "question_pair_against_pair"}


def with_present_names(entries: Any) -> Any:
    """Return entries of study.toml or texts.toml as they are called now, at any depth."""
    if isinstance(entries, list):
        return [with_present_names(entry) for entry in entries]
    if not isinstance(entries, dict):
        return entries
    renamed = {_TEXTS.get(name, name): with_present_names(e) for name, e in entries.items()}
    if isinstance(kind := renamed.get("kind"), str):
        renamed["kind"] = _KINDS.get(kind, kind)
    return renamed


def _names_of_tasks(connection: sqlite3.Connection) -> None:
    """From 4: tasks are called as everywhere else."""
    (text,) = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
    frozen = json.loads(text)
    for section in ("task", "arrays", "texts", "translations"):
        if section in frozen:
            frozen[section] = with_present_names(frozen[section])
    texts = {f"texts.{before}": f"texts.{now}" for before, now in _TEXTS.items()}
    frozen["written"] = [texts.get(name, name) for name in frozen["written"]]
    connection.execute("UPDATE meta SET value=? WHERE key='frozen'", (json.dumps(frozen),))


REPLIES = """
CREATE TABLE replies (
    trial_id TEXT PRIMARY KEY REFERENCES trials,
    sent_at TEXT,
    n_tries INTEGER NOT NULL,
    received_at TEXT,
    took_ms INTEGER,
    body TEXT,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL NOT NULL
) WITHOUT ROWID;
"""


def _machines_and_front_ends(connection: sqlite3.Connection) -> None:
    """From 5: machines answer too, and other programs than the page ask people."""
    connection.execute(REPLIES)
    for column, default in (("answered_by", "person"), ("front_end", ""), ("machine", "{}")):
        connection.execute(
            f"ALTER TABLE sessions ADD COLUMN {column} TEXT NOT NULL DEFAULT '{default}'"
        )


_STEPS = (
    _order_of_arrival,
    _what_was_written,
    _validation_as_drawn,
    _questionnaires_and_blocks,
    _names_of_tasks,
    _machines_and_front_ends,
)
"""What brings each layout to the next one."""
VERSION = len(_STEPS)
"""The layout of tables that this version of Ordinate reads and writes."""
