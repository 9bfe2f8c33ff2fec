"""What is on disk: one writer, group commit, a full disk, kill -9, and being forgotten."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

import ordinate as od
from ordinate.collect import arrivals, sessions
from ordinate.collect.arrivals import Arrival
from ordinate.collect.experimenter import experimenter_token, is_experimenter
from ordinate.collect.export import export_tables
from ordinate.collect.folder import read_study
from ordinate.collect.prepare import check_study
from ordinate.collect.requests import on_disk
from ordinate.collect.store import (
    LAYOUT,
    PREVIEW,
    StorageError,
    Store,
    connect,
    database_path,
    forget,
)
from ordinate.collect.study import default_texts

from .serving import PATIENCE


@pytest.fixture
def store(make_folder, open_store):
    return open_store(read_study(make_folder()))


def begin(store, **params):
    arrival = Arrival(os.urandom(12).hex(), store.study.consent_version, "Browser/1", params=params)
    token = arrivals.begin(store, arrival).result()
    return token, sessions.find(store, token)


def test_the_file_is_private_and_durable(store):
    assert store.path.stat().st_mode & 0o077 == 0
    assert store.path.parent.stat().st_mode & 0o077 == 0
    assert store._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert store._connection.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


def test_what_is_acknowledged_can_be_read_at_once(store):
    store.set_meta("key", "value").result()
    assert store.meta("key") == "value"
    assert store.meta("nothing") is None


def test_changes_that_wait_share_a_commit_and_one_failure_undoes_only_itself(store):
    gate, commits = threading.Event(), []
    store._connection.set_trace_callback(
        lambda sql: commits.append(sql) if sql == "COMMIT" else None
    )
    first = store.submit(lambda connection: gate.wait(PATIENCE))

    def broken(connection):
        connection.execute("INSERT INTO meta VALUES ('broken', '1')")
        raise KeyError("broken")

    others = [store.set_meta(f"key{number}", "1") for number in range(50)]
    fails = store.submit(broken)
    gate.set()
    assert first.result()
    for other in others:
        other.result()
    with pytest.raises(KeyError):
        fails.result()
    assert len(commits) <= 2
    assert store.meta("key49") == "1"
    assert store.meta("broken") is None


def test_nothing_is_acknowledged_before_it_is_committed(store):
    done = []
    futures = []

    def watch(sql):
        if sql == "COMMIT":
            done.extend(future.done() for future in futures)

    store._connection.set_trace_callback(watch)
    gate = threading.Event()
    futures.append(store.submit(lambda connection: gate.wait(PATIENCE)))
    futures += [store.set_meta(f"key{number}", "1") for number in range(3)]
    gate.set()
    for future in futures:
        future.result()
    assert done[:4] == [False] * 4


def test_a_full_disk_acknowledges_nothing_and_loses_nothing(store):
    store.set_meta("before", "1").result()
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count={pages + 1}")
    with pytest.raises(StorageError, match="full"):
        store.set_meta("large", "x" * 100_000).result()
    assert store.meta("before") == "1"
    assert store.meta("large") is None
    store._connection.execute("PRAGMA max_page_count=100000")
    store.set_meta("large", "x" * 100_000).result()
    assert len(store.meta("large")) == 100_000


def test_a_second_server_of_the_same_study_is_refused(store):
    with pytest.raises(od.InputError, match="Another process serves this study"):
        Store(store.study)
    Store(store.study, PREVIEW).close()


def test_a_study_may_change_until_somebody_takes_part(store, edit):
    token = experimenter_token(store)
    store.close()
    edit(store.study.folder, pools__random=5)
    store.__init__(read_study(store.study.folder))
    assert store.study.pools.random == 5
    assert store.meta("study_hash") == read_study(store.study.folder).hash
    assert is_experimenter(store, token), "the experimenter's token stays"


def test_a_changed_study_is_refused_with_what_changed(store, edit):
    begin(store)
    store.close()
    edit(store.study.folder, pools__random=5)
    changed = read_study(store.study.folder)
    with pytest.raises(od.InputError, match=r"changed since its launch: pools.random was 4, is 5"):
        Store(changed)
    Store(changed, PREVIEW).close()
    edit(store.study.folder, pools__random=4)
    store.__init__(read_study(store.study.folder))


def test_settings_that_are_taken_away_after_the_launch_are_a_change(make_folder):
    folder = make_folder(pools__random=6)
    store = Store(read_study(folder))
    arrivals.begin(store, Arrival("c" * 16, store.study.consent_version)).result()
    store.close()
    path = folder / "study.toml"
    kept = [line for line in path.read_text().splitlines() if not line.startswith("random")]
    path.write_text("\n".join(kept))
    with pytest.raises(od.InputError, match=r"pools.random was 6, is 40"):
        Store(read_study(folder))


def test_other_defaults_are_no_change(make_folder, open_store, monkeypatch):
    """A new version brings another text; a study that runs keeps its own."""
    folder = make_folder()
    store = Store(read_study(folder))
    arrivals.begin(store, Arrival("c" * 16, store.study.consent_version)).result()
    store.close()
    texts = default_texts()
    monkeypatch.setattr(
        "ordinate.collect.study.default_texts",
        lambda: {**texts, "skip": "Something else", "brand_new": "A new text"},
    )
    study = open_store(read_study(folder)).study
    assert (study.texts["skip"], study.texts["brand_new"]) == (texts["skip"], "A new text")


@pytest.mark.parametrize("layout", ["1", "99"])
def test_another_layout_is_refused_with_its_number(make_folder, layout):
    folder = make_folder()
    Store(read_study(folder)).close()
    with closing(connect(database_path(folder))) as connection:
        connection.execute("UPDATE meta SET value=? WHERE key='schema'", (layout,))
    told = f"has layout {layout} of tables; this version of Ordinate reads layout {LAYOUT}"
    for use in (lambda: Store(read_study(folder)), lambda: forget(folder, "s0")):
        with pytest.raises(od.InputError, match=told):
            use()
    assert told in check_study(folder).findings[0].sentence


def test_a_preview_starts_again_when_the_study_changes(make_folder, edit):
    folder = make_folder()
    store = Store(read_study(folder), PREVIEW)
    begin(store)
    store.close()
    edit(folder, pools__random=5)
    store = Store(read_study(folder), PREVIEW)
    assert store.reader.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 0
    store.close()


def bytes_on_disk(store):
    return b"".join(path.read_bytes() for path in store.path.parent.glob("answers.sqlite*"))


def test_forget_leaves_no_trace_of_who_it_was(store):
    token, session = begin(store, PROLIFIC_PID="someone-unmistakable")
    rows = sessions.next_trials(store, session, 20)
    sessions.mark_served(store, session, [row["trial_id"] for row in rows]).result()
    answer = {"trial": rows[0]["trial_id"], "outcome": "answered", "chosen": [0]}
    sessions.record(store, session, [answer])[1].result()
    assert b"someone-unmistakable" in bytes_on_disk(store)
    before = store.reader.execute("SELECT participant FROM sessions").fetchone()[0]

    assert forget(store.study.folder, session.session_id) == 1
    assert b"someone-unmistakable" not in bytes_on_disk(store)
    assert b"Browser/1" not in bytes_on_disk(store)
    assert before.encode() not in bytes_on_disk(store)
    assert sessions.find(store, token) is None

    assert forget(store.study.folder, session.session_id, answers=True) == 0
    for table in ("sessions", "trials", "answers", "identities"):
        assert store.reader.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] == 0
    with pytest.raises(od.InputError, match="no session 's0'"):
        forget(store.study.folder, "s0")
    with pytest.raises(od.InputError, match=r"no session 's\?'"):
        forget(store.study.folder, "s\udcff")


def test_forget_by_the_code_that_someone_who_stopped_was_given(make_folder, open_store):
    store = open_store(read_study(make_folder()))
    for end in (sessions.withdraw, complete, complete):
        end(store, begin(store)[1]).result()
    (stopped,) = store.reader.execute(
        "SELECT session_id, code_issued FROM sessions WHERE status='returned'"
    ).fetchall()
    forget(store.study.folder, stopped["code_issued"], answers=True)
    left = store.reader.execute("SELECT session_id FROM sessions").fetchall()
    assert len(left) == 2
    assert stopped["session_id"] not in {row[0] for row in left}
    with pytest.raises(od.InputError, match=r"'SAME' is not one person's alone; give a session_id"):
        forget(store.study.folder, "SAME")


@pytest.mark.parametrize("code", ["SAME", "DEADBEEF"])
def test_forget_takes_no_fixed_code_even_if_one_person_has_it(make_folder, open_store, code):
    store = open_store(read_study(make_folder(finish__code=code)))
    session = begin(store)[1]
    complete(store, session, code).result()
    with pytest.raises(od.InputError, match=f"'{code}' is not one person's alone"):
        forget(store.study.folder, code)
    forget(store.study.folder, session.session_id)


def complete(store, session, code="SAME"):
    """End a session as if everything was answered."""
    change = "UPDATE sessions SET status='complete', code_issued=? WHERE session_id=?"
    return store.submit(lambda c: c.execute(change, (code, session.session_id)).rowcount)


WRITER = """
import sys
from pathlib import Path
from ordinate.collect.store import Store
from ordinate.collect.export import export_tables
from ordinate.collect.folder import read_study
from ordinate.collect.study import default_texts
from ordinate.collect.prepare import check_study
from ordinate.collect.requests import on_disk

store = Store(read_study(Path(sys.argv[1])))
start = int(sys.argv[2])
for number in range(start, start + 100_000):
    future = store.set_meta(f"k{number}", "x")
    if number % 3 == 0:
        future.result()
        print(number, flush=True)
"""


def test_kill_9_loses_nothing_that_was_acknowledged(make_folder):
    """Five kills of a writer; benchmarks/collect_kill.py does 200 of a server under load."""
    folder = make_folder()
    acknowledged = []
    for round_ in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), str(round_ * 1_000_000)],
            stdout=subprocess.PIPE,
            text=True,
        )
        seen = [process.stdout.readline() for _ in range(20 * (round_ + 1))]
        process.send_signal(signal.SIGKILL)
        seen += process.stdout.readlines()
        process.wait()
        process.stdout.close()
        acknowledged += [int(line) for line in seen if line.endswith("\n")]
        connection = connect(database_path(folder), read_only=True)
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        kept = {row[0] for row in connection.execute("SELECT key FROM meta")}
        connection.close()
        assert {f"k{number}" for number in acknowledged} <= kept
    assert len(acknowledged) >= 20 * (1 + 2 + 3 + 4 + 5)


def test_other_processes_can_read_while_it_is_written(store):
    begin(store)
    connection = connect(store.path, read_only=True)
    assert connection.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 1
    with pytest.raises(sqlite3.OperationalError):
        connection.execute("DELETE FROM sessions")
    connection.close()


def test_a_request_that_is_cancelled_is_written_and_stops_nobody(store):
    async def cancelled():
        gate = threading.Event()
        first = store.submit(lambda connection: gate.wait(PATIENCE))
        waiting = asyncio.create_task(on_disk(store.set_meta("left", "1")))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert waiting.cancelled()
        gate.set()
        first.result(PATIENCE)

    asyncio.run(cancelled())
    store.set_meta("after", "1").result(PATIENCE)
    assert (store.meta("left"), store.meta("after")) == ("1", "1")


def damage(path, how):
    content = path.read_bytes()
    if how == "empty":
        path.write_bytes(b"")
    elif how == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif how == "no database":
        path.write_bytes(b"x" * len(content))
    elif how == "a page overwritten":
        path.write_bytes(content[:8192] + b"\xff" * 4096 + content[12288:])
    else:
        connection = sqlite3.connect(path)
        connection.executescript("DROP TABLE answers" if how == "a table" else "DELETE FROM meta")
        connection.close()


@pytest.mark.parametrize(
    "how", ["empty", "truncated", "no database", "a page overwritten", "a table", "its entries"]
)
def test_a_damaged_database_is_refused_in_a_sentence_and_left_as_it_is(make_folder, how):
    folder = make_folder()
    store = Store(read_study(folder))
    begin(store)
    store.close()
    damage(store.path, how)
    before = store.path.read_bytes()
    with pytest.raises(od.InputError, match=r"Cannot read .*answers.sqlite: .*put back a backup"):
        Store(read_study(folder))
    with pytest.raises(od.InputError, match=r"Cannot read .*answers.sqlite"):
        export_tables(folder, folder.parent / "answers.csv")
    if how != "a page overwritten":  # to find that one takes reading everything
        assert any(finding.is_mistake for finding in check_study(folder)[1])
    assert store.path.read_bytes() == before


def test_a_log_without_its_database_is_refused(make_folder):
    folder = make_folder()
    Store(read_study(folder)).close()
    path = database_path(folder)
    path.rename(path.with_name("answers.sqlite-wal"))
    with pytest.raises(od.InputError, match=r"missing, but its log answers.sqlite-wal is there"):
        Store(read_study(folder))
    assert not path.exists()


def test_a_database_that_is_deleted_while_it_is_served_is_rescued(store):
    begin(store)
    store.path.unlink()
    with pytest.raises(StorageError, match=r"deleted or replaced .*answers.rescued.sqlite"):
        begin(store)
    rescued = connect(store.path.with_name("answers.rescued.sqlite"), read_only=True)
    assert rescued.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 1
    rescued.close()


def test_a_preview_leaves_nothing(make_folder):
    folder = make_folder()
    Store(read_study(folder), PREVIEW).close()
    assert list((folder / "data").iterdir()) == []
