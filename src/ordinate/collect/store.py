"""What is on disk: one SQLite file, one writer, and no answer acknowledged before it is there.

All changes go through one thread. It takes what has gathered, writes it as one transaction and
only then answers those who wait: many answers share one ``fsync``. Identities are in a table of
their own; everything else knows a participant by a pseudonym.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import sqlite3
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from ordinate._checks import InputError
from ordinate.collect.study import SCHEMA, Study, hash_of, what_changed

FOLDER = "data"
REAL, PREVIEW, SIMULATED = "answers", "preview", "simulated"
"""Names of data bases: real participants, somebody trying the study, scripted participants."""
_MOST_AT_ONCE = 500
_R = TypeVar("_R")

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    token_hash TEXT UNIQUE,
    request TEXT UNIQUE,
    study_hash TEXT NOT NULL,
    participant TEXT NOT NULL,
    recruiter TEXT NOT NULL,
    consent_version TEXT NOT NULL,
    consent_at TEXT NOT NULL,
    seed INTEGER NOT NULL,
    user_agent TEXT NOT NULL,
    viewport TEXT NOT NULL,
    pixel_ratio REAL,
    started_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    finished_at TEXT,
    status TEXT NOT NULL,
    code_issued TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS identities (
    session_id TEXT PRIMARY KEY REFERENCES sessions,
    external_id TEXT,
    url_params TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS identities_by_external_id ON identities (external_id);
CREATE TABLE IF NOT EXISTS trials (
    trial_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions,
    place INTEGER NOT NULL,
    block TEXT NOT NULL,
    pool TEXT NOT NULL,
    reference TEXT,
    shown TEXT NOT NULL,
    expected TEXT NOT NULL,
    sampler TEXT NOT NULL,
    score REAL,
    model_version INTEGER,
    repeat_of TEXT,
    served_at TEXT
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS trials_in_order ON trials (session_id, place);
CREATE TABLE IF NOT EXISTS answers (
    trial_id TEXT PRIMARY KEY REFERENCES trials,
    outcome TEXT NOT NULL,
    chosen TEXT NOT NULL,
    received_at TEXT NOT NULL,
    rt_ms INTEGER,
    click_ms TEXT NOT NULL,
    hidden_ms INTEGER NOT NULL,
    input TEXT NOT NULL,
    presentations INTEGER NOT NULL
) WITHOUT ROWID;
"""


class StorageError(RuntimeError):
    """The disk did not take a change; nothing of it was kept and nobody was told otherwise."""


def now() -> str:
    """Return the time in UTC as text that sorts, with milliseconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def database_path(folder: Path, which: str = REAL) -> Path:
    """Return where a study keeps its answers."""
    return folder / FOLDER / f"{which}.sqlite"


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a data base such that a commit is on disk when it returns."""
    address = path.resolve().as_uri() + ("?mode=ro" if read_only else "")
    connection = sqlite3.connect(
        address, uri=True, timeout=10, isolation_level=None, check_same_thread=False
    )
    if not read_only:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("PRAGMA foreign_keys=ON")
    connection.row_factory = sqlite3.Row
    return connection


def open_for_reading(folder: Path, which: str = REAL) -> sqlite3.Connection:
    """Open what a study has gathered, also while it is being served."""
    path = database_path(folder, which)
    if not path.exists():
        raise InputError(_nothing_there(folder, which))
    return connect(path, read_only=True)


def _nothing_there(folder: Path, which: str) -> str:
    begin = f"ordinate collect serve {folder}"
    if which == SIMULATED:
        begin = f"ordinate collect simulate {folder}"
    elif database_path(folder, SIMULATED).exists():
        begin += ", or add --simulated for the simulated ones"
    return f"{folder} has no answers yet; collect some with: {begin}"


class Store:
    """The answers of a study, for the one process that serves it.

    Parameters
    ----------
    study : Study
        What is served. It is frozen by the first call; a changed one is refused afterwards.
    which : str
        Which data base: the real one, a preview or a simulation.
    key : str, optional
        What names and orders of questions are derived from; by default a secret drawn once.

    Raises
    ------
    InputError
        If another process serves the study, or if the study has changed since its launch.
    """

    def __init__(self, study: Study, which: str = REAL, *, key: str | None = None) -> None:
        self.study, self.which = study, which
        self.path = database_path(study.folder, which)
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        self._lock = _lock(self.path.with_suffix(".lock"))
        try:
            self._connection = self._open(key or secrets.token_hex(16))
        except BaseException:
            self._lock.close()
            raise
        self.reader = connect(self.path, read_only=True)
        self.key = self.meta("key") or ""
        self._waiting: queue.SimpleQueue[_Change | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="ordinate-writer", daemon=True)
        self._thread.start()

    def _open(self, key: str) -> sqlite3.Connection:
        existed = self.path.exists()
        if existed and self.which != REAL and self._hash_on_disk() != self.study.hash:
            remove_database(self.path)  # a preview or simulation of what no longer is
            existed = False
        if not existed:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = connect(self.path)
        connection.executescript(_TABLES)
        frozen = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
        if frozen is None:
            entries = {
                "schema": str(SCHEMA),
                "frozen": json.dumps(self.study.frozen()),
                "study_hash": self.study.hash,
                "launched_at": now(),
                "key": key,
            }
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO meta VALUES (?, ?)", list(entries.items()))
            connection.execute("COMMIT")
        else:
            _refuse_changed(json.loads(frozen[0]), self.study)
        return connection

    def _hash_on_disk(self) -> str | None:
        connection = connect(self.path, read_only=True)
        try:
            row = connection.execute("SELECT value FROM meta WHERE key='study_hash'").fetchone()
            return None if row is None else str(row[0])
        except sqlite3.DatabaseError:
            return None
        finally:
            connection.close()

    def submit(self, change: Callable[[sqlite3.Connection], _R]) -> Future[_R]:
        """Hand a change to the writer; the future is done when it is on disk.

        Parameters
        ----------
        change : callable
            Takes the connection, changes the data base and returns something. It must not
            commit; if it raises, what it did is undone and the others of its batch stay.

        Returns
        -------
        concurrent.futures.Future
            What the change returned. It fails with StorageError if the disk refused.
        """
        future: Future[_R] = Future()
        self._waiting.put((change, future))
        return future

    def _write(self) -> None:
        """Write what has gathered, again and again: one transaction and one fsync per round."""
        while True:
            first = self._waiting.get()
            if first is None:
                return
            batch, last = [first], False
            while len(batch) < _MOST_AT_ONCE and not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    last = True
                    break
                batch.append(following)
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: list[_Change]) -> None:
        results: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for change, future in batch:
                self._connection.execute("SAVEPOINT one")
                try:
                    results.append((future, change(self._connection), None))
                except sqlite3.OperationalError:
                    raise  # the disk, not this change
                except Exception as error:
                    self._connection.execute("ROLLBACK TO one")
                    results.append((future, None, error))
                self._connection.execute("RELEASE one")
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            for _, future in batch:
                future.set_exception(StorageError(f"Cannot write {self.path.name}: {error}."))
            return
        for future, result, problem in results:
            if problem is not None:
                future.set_exception(problem)
            else:
                future.set_result(result)

    def meta(self, key: str) -> str | None:
        """Return an entry about the study as a whole."""
        row = self.reader.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> Future[None]:
        """Keep an entry about the study as a whole."""

        def change(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO meta VALUES (?, ?)"
                " ON CONFLICT (key) DO UPDATE SET value=excluded.value",
                (key, value),
            )

        return self.submit(change)

    def close(self) -> None:
        """Write what is waiting, and let others serve the study."""
        self._waiting.put(None)
        self._thread.join()
        self.reader.close()
        self._connection.close()
        self._lock.close()


_Change = tuple[Callable[[sqlite3.Connection], Any], Future[Any]]


def remove_database(path: Path) -> None:
    """Delete a data base with its log."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _lock(path: Path) -> sqlite3.Connection:
    """Hold a lock while the process lives; the system frees it however the process ends."""
    lock = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("PRAGMA locking_mode=EXCLUSIVE")
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise InputError(
            f"Another process serves this study ({path}); stop it first, or use its page."
        ) from None
    return lock


def _refuse_changed(frozen: Mapping[str, Any], study: Study) -> None:
    if hash_of(frozen) == study.hash:
        return
    changed = what_changed(frozen, study.frozen())
    more = f"; and {len(changed) - 5} more" if len(changed) > 5 else ""
    raise InputError(
        f"The study has changed since its launch: {'; '.join(changed[:5])}{more}. Put it back, or"
        " copy the folder without its folder data and run the new version as a study of its own."
    )


def forget(folder: Path, session: str, *, answers: bool = False, which: str = REAL) -> int:
    """Delete what identifies the person of a session, and on request the answers too.

    Parameters
    ----------
    folder : Path
        The study.
    session : str
        A session_id.
    answers : bool
        Whether to delete the session with all its questions and answers.
    which : str
        Which data base.

    Returns
    -------
    int
        How many answers of the session remain.
    """
    path = database_path(folder, which)
    if not path.exists():
        raise InputError(_nothing_there(folder, which))
    connection = connect(path)
    try:
        connection.execute("BEGIN IMMEDIATE")
        found = connection.execute(
            "SELECT 1 FROM sessions WHERE session_id=?", (session,)
        ).fetchone()
        if found is None:
            connection.execute("ROLLBACK")
            raise InputError(f"There is no session {session!r}; sessions.csv lists them.")
        connection.execute("DELETE FROM identities WHERE session_id=?", (session,))
        if answers:
            own = "(SELECT trial_id FROM trials WHERE session_id=?)"
            connection.execute(f"DELETE FROM answers WHERE trial_id IN {own}", (session,))
            connection.execute("DELETE FROM trials WHERE session_id=?", (session,))
            connection.execute("DELETE FROM sessions WHERE session_id=?", (session,))
        else:
            connection.execute(
                "UPDATE sessions SET token_hash=NULL, request=NULL, user_agent='', viewport='',"
                " pixel_ratio=NULL, code_issued=NULL,"
                " participant='p' || lower(hex(randomblob(5))) WHERE session_id=?",
                (session,),
            )
        left = connection.execute(
            "SELECT COUNT(*) FROM answers JOIN trials USING (trial_id) WHERE session_id=?",
            (session,),
        ).fetchone()[0]
        connection.execute("COMMIT")
        # the log still holds the old pages until it is written back and emptied
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(left)
    finally:
        connection.close()
