"""Studies that earlier versions launched: opened, brought up to date, and gone on with."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import ordinate as od
from ordinate.collect import arrivals, migrations, sessions
from ordinate.collect.export import export_tables
from ordinate.collect.folder import default_texts, read_study
from ordinate.collect.migrations import VERSION, version_of
from ordinate.collect.prepare import check_study
from ordinate.collect.store import Store, connect, database_path, forget, now

STUDIES = Path(__file__).parent.parent / "data" / "studies"
TOKENS = {
    0: "IG6OwlXPq9OKDfO_uZcsLtlWDDKW0Zhm",
    1: "1NY-2FM7oBHTQkkz3j1jCbjtftDUZ-sd",
    2: "1NY-2FM7oBHTQkkz3j1jCbjtftDUZ-sd",
    3: "1NY-2FM7oBHTQkkz3j1jCbjtftDUZ-sd",
    4: "1NY-2FM7oBHTQkkz3j1jCbjtftDUZ-sd",
    5: "1NY-2FM7oBHTQkkz3j1jCbjtftDUZ-sd",
}
"""Of the participant who had answered 5 of 9 questions, by layout of the database."""
HASH = "b51c09a5151a2623"


@pytest.fixture
def launched(tmp_path):
    """Write the folder of a study as an earlier version left it."""

    def make(version):
        folder = tmp_path / f"study-{version}"
        shutil.copytree(STUDIES / "study", folder)
        path = database_path(folder)
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript((STUDIES / f"version-{version}.sql").read_text())
            connection.execute("UPDATE sessions SET last_seen_at=?", (now(),))
            connection.commit()
            connection.execute("PRAGMA journal_mode=WAL")
        return folder

    return make


def test_there_is_a_study_of_every_layout():
    assert {f"version-{number}.sql" for number in range(VERSION)} == {
        path.name for path in STUDIES.glob("*.sql")
    }


@pytest.mark.parametrize("version", range(VERSION))
def test_a_study_continues_where_it_was(launched, open_store, tmp_path, version):
    folder = launched(version)
    store = open_store(read_study(folder))
    assert version_of(store.reader) == VERSION
    assert store.study.hash == HASH, "pages and tables know the study by it"
    assert store.study.page.appearance == "system", "as it was"
    session = sessions.find(store, TOKENS[version])
    assert sessions.n_left(store, session) == 4
    rows = sessions.next_trials(store, session, 20)
    answers = [{"trial": row["trial_id"], "outcome": "answered", "chosen": [0]} for row in rows]
    refused, stored = sessions.record(store, session, answers)
    assert (refused, set(stored.result().values())) == ({}, {True})
    assert sessions.finish(store, session).result()
    newcomer = arrivals.Arrival("c" * 16, store.study.consent_version)
    assert arrivals.begin(store, newcomer).result()
    ordinals = store.reader.execute("SELECT ordinal FROM sessions ORDER BY started_at").fetchall()
    assert [row[0] for row in ordinals] == [1, 2, 3]
    written = export_tables(folder, tmp_path / "answers.csv")
    assert (written.n_sessions, written.n_trials, written.n_comparisons) == (3, 18, 14)


def validation_of(store):
    """Return the validation questions of each session, however they were arranged."""
    rows = store.reader.execute("SELECT * FROM trials WHERE pool='validation'").fetchall()
    found = {}
    for row in rows:
        items = sessions.question_of(row).items
        task = store.study.blocks[row["block"]].task
        found.setdefault(row["session_id"], set()).add((task.name, task.key(items)))
    return list(found.values())


@pytest.mark.parametrize("version", range(VERSION))
def test_newcomers_get_the_validation_questions_of_the_others(launched, open_store, version):
    store = open_store(read_study(launched(version)))
    newcomer = arrivals.Arrival("c" * 16, store.study.consent_version)
    arrivals.begin(store, newcomer).result()
    first, *others = validation_of(store)
    assert len(first) == 2
    assert others == [first, first]


def test_a_study_with_the_former_names_of_its_tasks_continues(make_folder):
    """Its study.toml, its texts and its database call pair_against_pair pairs."""
    folder = make_folder("pair_against_pair", pools__validation=2)
    (folder / "texts.toml").write_text('question_pair_against_pair = "Which two?"\n')
    with (folder / "study.toml").open("a") as file:
        file.write('[[blocks]]\nname = "one"\n[[blocks]]\nname = "two"\n')
        file.write('task = { kind = "odd_one_out" }\n')
    store = Store(read_study(folder))
    arrivals.begin(store, arrivals.Arrival("c" * 16, store.study.consent_version)).result()
    store.close()

    def formerly(text):
        return text.replace("pair_against_pair", "pairs").replace("odd_one_out", "odd-one-out")

    for path in (folder / "study.toml", folder / "texts.toml"):
        path.write_text(formerly(path.read_text()))
    with closing(sqlite3.connect(database_path(folder))) as connection:
        (text,) = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
        assert '"texts.question_pair_against_pair"' in text
        # the names of texts had underscores then, too
        before = formerly(text).replace("question_odd-one-out", "question_odd_one_out")
        connection.execute("UPDATE meta SET value=? WHERE key='frozen'", (before,))
        connection.execute("UPDATE meta SET value='4' WHERE key='schema'")
        connection.execute("DROP TABLE replies")
        for column in ("answered_by", "front_end", "machine"):
            connection.execute(f"ALTER TABLE sessions DROP COLUMN {column}")
        connection.commit()
    store = Store(read_study(folder))
    assert [b.task.name for b in store.study.blocks.values()] == [
        "pair_against_pair",
        "odd_one_out",
    ]
    assert store.study.texts["question_pair_against_pair"] == "Which two?"
    arrivals.begin(store, arrivals.Arrival("d" * 16, store.study.consent_version)).result()
    first, second = validation_of(store)
    assert first == second
    store.close()


@pytest.mark.parametrize("version", range(VERSION))
def test_a_copy_is_made_before_each_step(launched, version):
    folder = launched(version)
    before = list(sqlite3.connect(database_path(folder)).iterdump())
    assert check_study(folder)[1] == check_study(folder)[1]
    backups = sorted(folder.glob("data/answers.layout-*.sqlite"))
    assert [path.name for path in backups] == [
        f"answers.layout-{number}.sqlite" for number in range(version, VERSION)
    ]
    assert all(path.stat().st_mode & 0o077 == 0 for path in backups)
    assert list(sqlite3.connect(backups[0]).iterdump()) == before


def test_a_step_that_fails_changes_nothing(launched, monkeypatch):
    folder = launched(1)

    def broken(connection):
        connection.execute("DELETE FROM answers")
        raise RuntimeError("broken")

    monkeypatch.setattr(migrations, "_STEPS", (*migrations._STEPS[:-1], broken))
    with pytest.raises(RuntimeError, match="broken"):
        Store(read_study(folder))
    monkeypatch.undo()
    store = Store(read_study(folder))
    assert store.reader.execute("SELECT COUNT(*) FROM answers").fetchone()[0] == 14
    store.close()


def test_copies_know_nobody_who_is_forgotten(launched):
    folder = launched(1)
    Store(read_study(folder)).close()
    with closing(connect(database_path(folder), read_only=True)) as connection:
        (session,) = connection.execute("SELECT session_id FROM sessions LIMIT 1").fetchone()
    forget(folder, session)
    assert not list(folder.glob("data/answers.layout-*.sqlite"))


def test_a_newer_layout_is_refused(launched):
    folder = launched(1)
    with closing(sqlite3.connect(database_path(folder))) as connection:
        connection.execute("UPDATE meta SET value='99' WHERE key='schema'")
        connection.commit()
    with pytest.raises(od.InputError, match="made by a newer version of Ordinate"):
        Store(read_study(folder))


@pytest.mark.parametrize("version", range(VERSION))
def test_other_defaults_are_not_a_change(launched, open_store, monkeypatch, version):
    """A new version brings another text and another default; running studies keep theirs."""
    folder = launched(version)
    texts = default_texts()
    monkeypatch.setattr(
        "ordinate.collect.folder.default_texts",
        lambda: {**texts, "skip": "Something else", "brand_new": "A new text"},
    )
    store = open_store(read_study(folder))
    assert store.study.texts["skip"] == texts["skip"]
    assert store.study.texts["brand_new"] == "A new text"
    assert store.study.texts["agree"] == "I agree, and I am 18 or older"


@pytest.mark.parametrize("version", range(VERSION))
def test_what_the_experimenter_changed_is_refused(launched, edit, version):
    folder = launched(version)
    edit(folder, pools__random=5)
    (folder / "texts.toml").write_text('agree = "Yes"\n')
    with pytest.raises(od.InputError, match=r"pools.random was 4, is 5; texts.agree was 'I agree"):
        Store(read_study(folder))
    edit(folder, pools__random=4)
    (folder / "texts.toml").unlink()
    (folder / "star.svg").write_text("<svg/>")
    with pytest.raises(od.InputError, match=r"items.star.sha256 was"):
        Store(read_study(folder))


@pytest.mark.parametrize("version", range(VERSION))
def test_no_setting_or_text_of_an_earlier_version_vanishes(launched, version):
    """A study has written them down: without them it could not be read."""
    folder = launched(version)
    with closing(sqlite3.connect(database_path(folder))) as connection:
        (text,) = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
    frozen = json.loads(text)
    lines = [f"{name} = {json.dumps(entry)}" for name, entry in frozen["general"].items()]
    for section in ("task", "pools", "answers", "sessions"):
        lines.append(f"[{section}]")
        lines += [f"{name} = {json.dumps(entry)}" for name, entry in frozen[section].items()]
    (folder / "study.toml").write_text("\n".join(lines))
    texts = [f"{name} = {json.dumps(entry)}" for name, entry in frozen["texts"].items()]
    (folder / "texts.toml").write_text("\n".join(texts))
    Store(read_study(folder)).close()


def test_settings_that_are_taken_away_after_the_launch_are_a_change(make_folder):
    folder = make_folder(pools__random=6)
    store = Store(read_study(folder))
    arrivals.begin(store, arrivals.Arrival("c" * 16, store.study.consent_version)).result()
    store.close()
    text = (folder / "study.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("random")]
    (folder / "study.toml").write_text("\n".join(lines))
    with pytest.raises(od.InputError, match=r"pools.random was 6, is 40"):
        Store(read_study(folder))
