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
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from ordinate._checks import InputError
from ordinate.collect.folder import thaw
from ordinate.collect.study import FREE_AFTER_LAUNCH, Study, changes_told
from ordinate.io.atomic import atomic_path

FOLDER = "data"
REAL, PREVIEW, SIMULATED = "answers", "preview", "simulated"
"""Names of databases: real participants, somebody trying the study, scripted participants."""
PERSON = "person"
"""Who answered, if it was no machine; a machine is called by the name of its model."""
_MOST_AT_ONCE = 500
_ITS_OWN = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError)
"""Errors of one change; all others are the disk's."""
LAYOUT = 8
"""The layout of tables that this version of Ordinate reads and writes."""
_NEEDED = {"meta", "sessions", "identities", "trials", "answers"}
"""Tables of every layout."""
_R = TypeVar("_R")


class StorageError(RuntimeError):
    """The disk did not take a change; nothing of it was kept and nobody was told otherwise."""


def now() -> str:
    """Return the time in UTC as text that sorts, with milliseconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def ago(**span: float) -> str:
    """Return the time so many hours, minutes or seconds ago, to be compared with that of `now`."""
    return (datetime.now(UTC) - timedelta(**span)).strftime("%Y-%m-%dT%H:%M:%S")


@lru_cache(maxsize=2**14)
def unpacked(text: str) -> tuple[Any, ...]:
    """Return a list that a column holds as JSON; the same few come again and again."""
    return tuple(json.loads(text))


def database_path(folder: Path, which: str = REAL) -> Path:
    """Return where a study keeps its answers."""
    return folder / FOLDER / f"{which}.sqlite"


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a database such that a commit is on disk when it returns."""
    address = path.resolve().as_uri() + ("?mode=ro" if read_only else "?mode=rw")
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
    path = _existing(folder, which)
    with damage_told(path):
        connection = connect(path, read_only=True)
        _check_whole(connection, path)
    return connection


@contextmanager
def reading(folder: Path, which: str = REAL) -> Iterator[sqlite3.Connection]:
    """Read what a study has gathered; damage that is met on the way is told in a sentence."""
    connection = open_for_reading(folder, which)
    with closing(connection), damage_told(database_path(folder, which)):
        yield connection


def study_of(connection: sqlite3.Connection, folder: Path) -> Study:
    """Return the study that a database belongs to, as it was launched."""
    meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    return thaw(json.loads(meta["frozen"]), folder, meta["study_hash"])


def has_participants(connection: sqlite3.Connection) -> bool:
    """Whether anybody has taken part: from then on a study may not change."""
    return connection.execute("SELECT 1 FROM sessions LIMIT 1").fetchone() is not None


def errors_of(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Return what went wrong in participants' browsers, the newest last."""
    row = connection.execute("SELECT value FROM meta WHERE key='errors'").fetchone()
    found: list[dict[str, Any]] = [] if row is None else json.loads(row[0])
    return found


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Say in a sentence that a database cannot be read, and change nothing about it."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise InputError(
            f"Cannot read {path}: {error}. If no other program uses it, it is damaged: keep a copy"
            " of the folder, then put back a backup or rescue the rest with sqlite3's .recover."
        ) from None


def _check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse another layout; raise sqlite3.DatabaseError if a table or an entry is missing."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    if missing := _NEEDED - tables:
        raise sqlite3.DatabaseError(f"the table {min(missing)} is missing")
    known = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    if missing := {"schema", "frozen", "study_hash"} - set(known):
        raise sqlite3.DatabaseError(f"the entry {min(missing)} of the table meta is missing")
    if known["schema"] != str(LAYOUT):
        raise InputError(
            f"{path} has layout {known['schema']} of tables; this version of Ordinate reads layout"
            f" {LAYOUT}. Open it with the version that made it."
        )


def _existing(folder: Path, which: str) -> Path:
    """Return where the answers are, or say how to get some."""
    path = database_path(folder, which)
    if path.exists():
        return path
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}; expected that of a study.")
    begin = f"ordinate collect serve {folder}"
    if which == SIMULATED:
        begin = f"ordinate collect simulate {folder}"
    elif database_path(folder, SIMULATED).exists():
        begin += ", or add --simulated for the simulated ones"
    raise InputError(f"{folder} has no answers yet; collect some with: {begin}")


class Store:
    """The answers of a study, for the one process that serves it."""

    def __init__(self, study: Study, which: str = REAL, *, key: str | None = None) -> None:
        self.which = which
        self.path = database_path(study.folder, which)
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        self._lock = _lock(self.path.with_suffix(".lock"))
        try:
            self._connection = self._open(study, key or secrets.token_hex(16))
            self.study = self._launched(study)
        except BaseException:
            self._lock.close()
            raise
        self.problem = ""
        """Why the last change was not written, if it was not."""
        self._inode = os.stat(self.path).st_ino
        self.reader = connect(self.path, read_only=True)
        self.key = self.meta("key") or ""
        self._waiting: queue.SimpleQueue[_Change | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="ordinate-writer", daemon=True)
        self._thread.start()

    def _open(self, study: Study, key: str) -> sqlite3.Connection:
        if self.which != REAL:
            remove_database(self.path)  # what an earlier preview or simulation left
        if not self.path.exists():
            _create(self.path, study, key)
        with damage_told(self.path):
            with closing(connect(self.path, read_only=True)) as connection:
                _check_whole(connection, self.path)
                (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
                if verdict != "ok":
                    raise sqlite3.DatabaseError(verdict.splitlines()[-1])
            return connect(self.path)

    def _launched(self, study: Study) -> Study:
        """Return the study as it was launched, with what may change as it is now."""
        if not has_participants(self._connection):
            self._connection.execute("BEGIN IMMEDIATE")
            _freeze(self._connection, study)
            self._connection.execute("COMMIT")
        launched = study_of(self._connection, study.folder)
        if changed := changes_told(launched, study):
            raise InputError(changed)
        return replace(launched, **{name: getattr(study, name) for name in FREE_AFTER_LAUNCH})

    def submit(self, change: Callable[[sqlite3.Connection], _R]) -> Future[_R]:
        """Hand a change to the writer; the future is done when it is on disk."""
        future: Future[_R] = Future()
        # a waiting request may be cancelled; what was handed in is written all the same
        future.set_running_or_notify_cancel()
        self._waiting.put((change, future))
        return future

    def write(
        self, query: str, *values: object, otherwise: Exception | None = None
    ) -> Future[None]:
        """Hand one statement to the writer; if it changes no row, it fails as said."""

        def change(connection: sqlite3.Connection) -> None:
            if connection.execute(query, values).rowcount == 0 and otherwise:
                raise otherwise

        return self.submit(change)

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
            self._require_same_file()
            self._connection.execute("BEGIN IMMEDIATE")
            for change, future in batch:
                self._connection.execute("SAVEPOINT one")
                try:
                    results.append((future, change(self._connection), None))
                except Exception as error:
                    if isinstance(error, sqlite3.Error) and not isinstance(error, _ITS_OWN):
                        raise  # the disk, not this change
                    self._connection.execute("ROLLBACK TO one")
                    results.append((future, None, error))
                self._connection.execute("RELEASE one")
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            problem = f"Cannot write {self.path.name}: {error}."
            if problem != self.problem:
                print(problem, file=sys.stderr, flush=True)
            self.problem = problem
            for _, future in batch:
                future.set_exception(StorageError(problem))
            return
        self.problem = ""
        for future, result, fault in results:
            if fault is not None:
                future.set_exception(fault)
            else:
                future.set_result(result)

    def _require_same_file(self) -> None:
        """Refuse to write into a file that was deleted or replaced; keep what it held."""
        with suppress(OSError):
            if os.stat(self.path).st_ino == self._inode:
                return
        rescued = self.path.with_name(f"{self.path.stem}.rescued.sqlite")
        if not rescued.exists() and rescued.parent.is_dir():
            back_up(self._connection, rescued)
        raise sqlite3.OperationalError(
            f"it was deleted or replaced while the study was served; what it held is in {rescued}"
        )

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Return what a query finds."""
        return self.reader.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> Any:
        """Return the first row that a query finds, or None."""
        return self.reader.execute(query, values).fetchone()

    def meta(self, key: str) -> str | None:
        """Return an entry about the study as a whole."""
        row = self.row("SELECT value FROM meta WHERE key=?", key)
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> Future[None]:
        """Keep an entry about the study as a whole."""
        return self.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)

    def close(self) -> None:
        """Write what is waiting, and let others serve the study; of a preview nothing is left."""
        self._waiting.put(None)
        self._thread.join()
        self.reader.close()
        self._connection.close()
        if self.which == PREVIEW:
            remove_database(self.path)
            for suffix in (".token", ".lock"):
                self.path.with_suffix(suffix).unlink(missing_ok=True)
        self._lock.close()


_Change = tuple[Callable[[sqlite3.Connection], Any], Future[Any]]


def _create(path: Path, study: Study, key: str) -> None:
    """Write the database of a study that nobody has taken part in, whole or not at all."""
    log = path.with_name(path.name + "-wal")
    if log.exists():
        raise InputError(
            f"{path} is missing, but its log {log.name} is there and may hold answers; put the"
            " file back, or delete the log to start again."
        )
    entries = {"schema": str(LAYOUT), "key": key}
    with atomic_path(path) as temporary:
        os.close(os.open(temporary, os.O_CREAT | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            tables = files("ordinate.collect") / "tables.sql"
            connection.executescript(tables.read_text("utf-8"))
            connection.executemany("INSERT INTO meta VALUES (?, ?)", list(entries.items()))
            _freeze(connection, study)


def _freeze(connection: sqlite3.Connection, study: Study) -> None:
    """Keep what participants will be asked, as it is now."""
    frozen = {"frozen": json.dumps(study.frozen()), "study_hash": study.hash, "launched_at": now()}
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(frozen.items()))


def back_up(connection: sqlite3.Connection, target: Path) -> None:
    """Copy a database, also while it is used; the copy is private and whole or not there."""
    with atomic_path(target) as temporary:
        os.close(os.open(temporary, os.O_CREAT | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(temporary)) as copy:
            connection.backup(copy)


def remove_database(path: Path) -> None:
    """Delete a database with its log."""
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


def forget(folder: Path, session: str, *, answers: bool = False, which: str = REAL) -> int:
    """Delete what identifies the person of a session, and on request the answers too."""
    open_for_reading(folder, which).close()  # refuses one that is damaged
    path = database_path(folder, which)
    session = session.encode("utf-8", "replace").decode()  # as a command line may have it
    with closing(connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        found = connection.execute(
            "SELECT session_id FROM sessions WHERE ? IN (session_id, code_issued)", (session,)
        ).fetchall()
        if not found:
            raise InputError(f"There is no session {session!r}; sessions.csv lists them.")
        finish = study_of(connection, folder).finish
        if session not in found[0] and (len(found) > 1 or not finish.is_personal(session)):
            raise InputError(
                f"The code {session!r} is not one person's alone; give a session_id of"
                " sessions.csv instead. `export --identities` says whose it is."
            )
        session = found[0][0]
        connection.execute("DELETE FROM identities WHERE session_id=?", (session,))
        others = [error for error in errors_of(connection) if error["session_id"] != session]
        connection.execute("UPDATE meta SET value=? WHERE key='errors'", (json.dumps(others),))
        # what was written or ticked may say who it was
        connection.execute("DELETE FROM responses WHERE session_id=?", (session,))
        if answers:
            own = "(SELECT trial_id FROM trials WHERE session_id=?)"
            for table in ("answers", "replies"):
                connection.execute(f"DELETE FROM {table} WHERE trial_id IN {own}", (session,))
            connection.execute("DELETE FROM trials WHERE session_id=?", (session,))
            connection.execute("DELETE FROM sessions WHERE session_id=?", (session,))
        else:
            connection.execute(
                "UPDATE sessions SET token_hash=NULL, request=NULL, user_agent='', viewport='',"
                " pixel_ratio=NULL, device='{}', code_issued=NULL,"
                " participant='p' || lower(hex(randomblob(5))) WHERE session_id=?",
                (session,),
            )
        query = "SELECT COUNT(*) FROM answers JOIN trials USING (trial_id) WHERE session_id=?"
        (left,) = connection.execute(query, (session,)).fetchone()
        connection.execute("COMMIT")
        # the log still holds the old pages until it is written back and emptied
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(left)
