"""The tables: complete, readable by every command, and harmless in a spreadsheet."""

import csv

import pytest

import ordinate as od
from ordinate.collect.export import (
    ITEM_COLUMNS,
    SESSION_COLUMNS,
    TRIAL_COLUMNS,
    _entry,
    export_identities,
    export_tables,
)
from ordinate.collect.tasks import TASKS


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "answers.csv"


@pytest.mark.parametrize(("task", "per_trial"), list(zip(TASKS, (1, 2, 13, 1), strict=True)))
def test_comparisons_of_every_task_are_read_back(join, out, task, per_trial):
    person = join(task=task)
    person.begin()
    person.answer_all()
    written = export_tables(person.study.folder, out)
    record = od.read_comparisons(out)
    assert len(record) == written.n_comparisons == 7 * per_trial
    assert set(record.groups) == {"participant", "trial"}
    trials = {row["trial_id"]: row for row in read(out.with_name("trials.csv"))}
    pools = {trials[str(trial)]["pool"] for trial in record.groups["trial"]}
    assert pools == {"random", "validation", "repeat"}


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
    assert list(rows[0]) == list(TRIAL_COLUMNS)
    assert [row["index"] for row in rows] == [str(n) for n in range(9)]
    assert [row["outcome"] for row in rows] == ["answered"] * 5 + ["abandoned"] * 4
    row = rows[0]
    assert row["study_hash"] == person.study.hash
    assert (row["rt_ms"], row["click_ms"], row["input"]) == ("777", "777", "touch")
    assert (row["hidden_ms"], row["presentations"], row["schema"]) == ("5", "2", "1")
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
    tables = {"trials": TRIAL_COLUMNS, "sessions": SESSION_COLUMNS, "items": ITEM_COLUMNS}
    for name, columns in tables.items():
        assert list(read(out.with_name(f"{name}.csv"))[0]) == list(columns)
        assert {(f"{name}.csv", column) for column in columns} <= known


def test_flagged_sessions_can_be_left_out_of_the_comparisons(join, out):
    careful = join(flags__one_side_share=1.0, flags__catch_wrong_share=1.0)
    hasty = join(careful)
    for person, rt in ((careful, 900), (hasty, 20)):
        person.begin()
        person.send(*(person.answer(trial, rt_ms=rt) for trial in person.trials()))
    folder = careful.study.folder
    assert export_tables(folder, out).n_comparisons == 14
    written = export_tables(folder, out, without_flagged=True)
    assert (written.n_comparisons, written.n_left_out, written.n_trials) == (7, 1, 18)


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


def test_refuses(make_folder, join, tmp_path, out):
    with pytest.raises(od.InputError, match="has no answers yet; collect some with"):
        export_tables(make_folder(name="other"), out)
    person = join()
    with pytest.raises(od.InputError, match="no answers that are comparisons yet"):
        export_tables(person.study.folder, out)
    person.begin()
    person.answer_all()
    with pytest.raises(od.InputError, match=r"trials.csv is the name of another table"):
        export_tables(person.study.folder, tmp_path / "trials.csv")
