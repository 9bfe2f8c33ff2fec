"""The tables: complete, readable by every command, and harmless in a spreadsheet."""

import csv
from pathlib import Path

import pytest

import ordinate as od
from ordinate.collect import export
from ordinate.collect.export import _entry, answers_to, export_identities, export_tables
from ordinate.collect.figures import study_figures
from ordinate.collect.simulate import simulate
from ordinate.tasks import MAPPED, TASKS


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "answers.csv"


@pytest.mark.parametrize(("task", "per_trial"), list(zip(MAPPED, (1, 2, 13, 1), strict=True)))
def test_comparisons_of_every_task_are_read_back(join, out, task, per_trial):
    person = join(task=task)
    person.begin()
    person.answer_all()
    written = export_tables(person.study.folder, out)
    record = od.read_comparisons(out)
    assert len(record) == written.counts["n_comparisons"] == 7 * per_trial
    assert set(record.groups) == {"participant", "trial", "pool", "status"}
    trials = {row["trial_id"]: row for row in read(out.with_name("trials.csv"))}
    pools = {trials[str(trial)]["pool"] for trial in record.groups["trial"]}
    assert pools == {"random", "validation", "repeat"}


def test_pairs_are_read_back_as_they_were_answered(join, out):
    person = join(task="pair")
    person.begin()
    for place, trial in enumerate(person.trials()):
        person.send(person.answer(trial, chosen=[place % 3]))
    written = export_tables(person.study.folder, out)
    pairs = od.read_pairs(out, names=list(person.study.items))
    assert len(pairs) == written.counts["n_comparisons"] == 7
    assert set(pairs.groups) == {"participant", "trial", "pool", "status"}
    trials = {row["trial_id"]: row for row in read(out.with_name("trials.csv"))}
    for row, outcome, trial in zip(pairs.rows, pairs.outcomes, pairs.groups["trial"], strict=True):
        shown = trials[str(trial)]["shown"].split(";")
        assert [pairs.names[item] for item in row] == shown
        assert trials[str(trial)]["chosen"] == {1: shown[0], -1: shown[1], 0: ""}[int(outcome)]


def test_a_comparison_says_what_was_chosen(join, out):
    person = join()
    person.begin()
    person.answer_all()
    export_tables(person.study.folder, out)
    trials = {row["trial_id"]: row for row in read(out.with_name("trials.csv"))}
    for row in read(out):
        trial = trials[row["trial"]]
        first, second = trial["shown"].split(";")
        assert (trial["reference"], first, second) == (row["anchor"], row["near"], row["far"])
        assert trial["chosen"] == first
        assert trial["participant"] == row["participant"]
        assert trial["pool"] == row["pool"]


def test_one_row_per_presentation_with_everything_known(join, out):
    person = join()
    person.begin(params={"PROLIFIC_PID": "secret-id"})
    trials = person.trials()
    sent = {
        "rt_ms": 777.4,
        "click_ms": [777.4],
        "input": "touch",
        "hidden_ms": 5,
        "presentations": 2,
    }
    for trial in trials[:5]:
        person.send(person.answer(trial, **sent))
    export_tables(person.study.folder, out)
    rows = read(out.with_name("trials.csv"))
    assert list(rows[0]) == list(export.CODEBOOK["trials"])
    assert [row["index"] for row in rows] == [str(n) for n in range(9)]
    assert [row["outcome"] for row in rows] == ["answered"] * 5 + ["abandoned"] * 4
    row = rows[0]
    assert row["study_hash"] == person.study.hash
    assert (row["rt_ms"], row["click_ms"], row["input"]) == ("777", "777", "touch")
    assert (row["hidden_ms"], row["presentations"], row["schema"]) == ("5", "2", "2")
    assert row["served_at"] < row["received_at"]
    repeat = next(row for row in rows if row["pool"] == "repeat")
    first = next(row for row in rows if row["trial_id"] == repeat["repeat_of"])
    assert first["shown"].split(";") == repeat["shown"].split(";")[::-1]
    for path in out.parent.glob("*.csv"):
        assert "secret-id" not in path.read_text()


def test_the_dictionary_names_every_column(join, out):
    person = join()
    person.begin()
    person.answer_all()
    export_tables(person.study.folder, out)
    known = {(row["file"], row["column"]) for row in read(out.with_name("dictionary.csv"))}
    for name in ("trials", "sessions", "items"):
        columns = export.CODEBOOK[name]
        assert list(read(out.with_name(f"{name}.csv"))[0]) == list(columns)
        assert {(f"{name}.csv", column) for column in columns} <= known


def test_the_codebook_knows_every_task():
    assert export.CODEBOOK["trials"]["task"].values == "; ".join(TASKS)


def test_flagged_sessions_can_be_left_out_of_the_comparisons(join, out):
    careful = join(flags__one_side_share=1.0, flags__catch_wrong_share=1.0)
    hasty = join(careful)
    for person, rt in ((careful, 900), (hasty, 20)):
        person.begin()
        person.send(*(person.answer(trial, rt_ms=rt) for trial in person.trials()))
    folder = careful.study.folder
    assert export_tables(folder, out).counts["n_comparisons"] == 14
    written = export_tables(folder, out, without_flagged=True)
    count = written.counts
    assert (count["n_comparisons"], count["n_flagged"], count["n_trials"]) == (7, 1, 18)


def test_withdrawn_answers_are_in_no_table_and_unfinished_ones_by_choice(join, out):
    done = join()
    unfinished, stopped = join(done), join(done)
    for person in (done, unfinished, stopped):
        person.begin()
        person.send(*map(person.answer, person.trials()))
    done.post("/api/finish")
    stopped.post("/api/withdraw")
    folder = done.study.folder
    written = export_tables(folder, out)
    count = written.counts
    assert (count["n_sessions"], count["n_withdrawn"], count["n_unfinished"]) == (3, 1, 1)
    assert [row["status"] for row in read(out)] == ["complete"] * 7 + ["open"] * 7
    sessions = read(out.with_name("sessions.csv"))
    assert [row["status"] for row in sessions] == ["complete", "open", "returned"]
    trials = {row["session_id"] for row in read(out.with_name("trials.csv"))}
    assert trials == {row["session_id"] for row in sessions[:2]}
    assert len(answers_to(done.store.reader, done.study, "main")) == 14
    assert study_figures(done.store.reader, done.study)["n_answers"] == 14
    assert export_tables(folder, out, complete_only=True).counts["n_comparisons"] == 7
    assert {row["status"] for row in read(out)} == {"complete"}


def test_identities_only_on_request_and_private(join, tmp_path):
    person = join()
    person.begin(params={"PROLIFIC_PID": "=cmd()"})
    path = tmp_path / "identities.csv"
    assert export_identities(person.study.folder, path) == 1
    assert path.stat().st_mode & 0o077 == 0
    assert read(path)[0]["external_id"] == "prolific:=cmd()"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30", "'+49 30"),
        ("-cmd", "'-cmd"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=x", "'\t=x"),
        ("\r=x", "'\r=x"),
        ("-3.5", "-3.5"),
        ("plain", "plain"),
        (-2, -2),
        (None, ""),
    ],
)
def test_formulas_are_disarmed(value, written):
    assert _entry(value) == written


def test_formulas_from_participants_and_items_are_disarmed(join, make_folder, out):
    folder = make_folder()
    text = (folder / "items.csv").read_text()
    text = text.replace("alt\n", "alt,=size\n").replace("pear,pear,", "pear,=HYPERLINK(1),-7,@x")
    (folder / "items.csv").write_text(text)
    person = join(folder=folder)
    person.client.headers["user-agent"] = "=cmd|'/c calc'!A0"
    person.begin()
    person.answer_all()
    export_tables(folder, out)
    assert read(out.with_name("sessions.csv"))[0]["user_agent"] == "'=cmd|'/c calc'!A0"
    item = read(out.with_name("items.csv"))[1]
    assert (item["label"], item["alt"], item["'=size"]) == ("'=HYPERLINK(1)", "-7", "'@x")


def test_bad_arguments_are_refused(make_folder, join, tmp_path, out):
    with pytest.raises(od.InputError, match="has no answers yet; collect some with"):
        export_tables(make_folder(name="other"), out)
    person = join()
    with pytest.raises(od.InputError, match="no answers that are comparisons yet"):
        export_tables(person.study.folder, out)
    person.begin()
    person.answer_all()
    with pytest.raises(od.InputError, match=r"trials.csv is the name of another table"):
        export_tables(person.study.folder, tmp_path / "trials.csv")


def test_no_table_lies_on_the_files_of_the_study(join, make_folder, tmp_path, monkeypatch):
    folder = make_folder()
    (folder / "pictures").mkdir()
    (folder / "pictures" / "who.svg").write_text("<svg/>")
    with (folder / "items.csv").open("a") as file:
        file.write("who,,pictures/who.svg,,\n")
    person = join(folder=folder)
    person.begin()
    person.answer_all()
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    monkeypatch.chdir(folder)
    for name in ("answers.csv", "../study/new.csv", "data/answers.csv"):
        with pytest.raises(od.InputError, match="the study keeps its own files there"):
            export_tables(Path(), Path(name))
    for name in ("items.csv", "items/who.csv", "data/answers.sqlite", "pictures/who.svg"):
        with pytest.raises(od.InputError, match="the study keeps its own files there"):
            export_identities(Path(), Path(name))
    with pytest.raises(od.InputError, match="the study keeps its own files there"):
        simulate(person.study, participants=1, noise=0, truth=folder / "items.csv")
    assert before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    (folder / "tables").mkdir()
    assert export_tables(Path(), Path("tables/answers.csv")).counts["n_comparisons"] == 7


@pytest.mark.parametrize(
    "name", ["answers.csv", "answers.tsv.gz", "answers.parquet", "answers.npz"]
)
def test_parts_make_one_table(join, tmp_path, monkeypatch, name):
    """A large study is written in parts: the tables are those of all at once."""
    people = [join()]
    people += [join(people[0]), join(people[0])]
    for person in people:
        person.begin()
        person.answer_all()
    folder = people[0].study.folder
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for place, size in ((whole, 5000), (parts, 1)):
        monkeypatch.setattr(export, "PART", size)
        place.mkdir()
        assert export_tables(folder, place / name).counts["n_comparisons"] == 21
    records = [od.read_comparisons(place / name) for place in (whole, parts)]
    assert len(records[0]) == 21
    assert records[0].rows.tolist() == records[1].rows.tolist()
    for group in ("participant", "trial"):
        assert records[0].groups[group].tolist() == records[1].groups[group].tolist()
    if name == "answers.csv":
        assert (whole / name).read_bytes() == (parts / name).read_bytes()
    for table in ("trials.csv", "sessions.csv", "items.csv", "dictionary.csv"):
        assert (whole / table).read_bytes() == (parts / table).read_bytes()


def test_a_file_name_that_is_not_text_is_refused(join, tmp_path):
    person = join()
    person.begin()
    person.answer_all()
    export_tables(person.study.folder, tmp_path / "\udcff.csv")
    assert read(tmp_path / "dictionary.csv")[0]["file"] == "?.csv"


def test_one_session_at_a_time_is_in_memory(join, out, monkeypatch):
    people = [join()]
    people += [join(people[0]) for _ in range(4)]
    for person in people:
        person.begin()
        person.answer_all()
    alive, most = 0, 0
    sessions_of = export.sessions_of

    class Rows(list):
        def __init__(self, rows):
            super().__init__(rows)
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self):
            nonlocal alive
            alive -= 1

    monkeypatch.setattr(
        export,
        "sessions_of",
        lambda connection: ((session, Rows(rows)) for session, rows in sessions_of(connection)),
    )
    assert export_tables(people[0].study.folder, out).counts["n_sessions"] == 5
    assert most <= 2


def test_the_table_of_sessions_holds_questionnaires(join, make_folder, out):
    folder = make_folder()
    with (folder / "study.toml").open("a") as file:
        file.write(
            '[[before]]\nname = "age"\nkind = "number"\nask = "How old?"\n'
            '[[after]]\nname = "likes"\nkind = "choices"\nask = "Which?"\n'
            'options = ["a", "b", "c"]\n'
        )
    person = join(folder=folder)
    person.begin()
    person.post("/api/questionnaire", {"moment": "before", "answers": {"age": 33}})
    person.answer_all()
    person.post("/api/questionnaire", {"moment": "after", "answers": {"likes": ["c", "a"]}})
    person.post("/api/finish")
    export_tables(folder, out)
    (row,) = read(out.with_name("sessions.csv"))
    assert (row["q_age"], row["q_likes"], row["status"]) == ("33", "a;c", "complete")
    described = read(out.with_name("dictionary.csv"))
    known = {(row["file"], row["column"]): row for row in described}
    for name in ("trials", "sessions", "items"):
        columns = read(out.with_name(f"{name}.csv"))[0]
        assert {(f"{name}.csv", column) for column in columns} <= set(known)
    assert all(row["type"] and row["meaning"] for row in described)
    assert known["sessions.csv", "q_likes"]["values"] == "a; b; c"
    assert known["sessions.csv", "q_age"]["type"] == "number"
