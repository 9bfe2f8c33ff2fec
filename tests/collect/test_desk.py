"""What an experimenter decides, limits and repeats: sessions in or out, quotas, waves, time."""

import csv

import pytest

import ordinate as od
from ordinate.collect.export import answers_to, export_tables
from ordinate.collect.folder import read_study
from ordinate.collect.prepare import check_study

CONDITIONS = """
[design]
conditions = ["calm", "loud"]
"""
GENDER = """
[[before]]
name = "gender"
kind = "choice"
ask = "You are"
options = ["woman", "man"]
"""


def take_part(person, **params):
    assert person.begin(params=params).status_code == 201
    trials = person.answer_all()
    assert person.post("/api/finish").status_code == 200
    return trials


def append(folder, text):
    with (folder / "study.toml").open("a") as file:
        file.write(text)
    return folder


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def execute(person, statement):
    """Change the database as time would."""
    person.store.submit(lambda connection: connection.execute(statement)).result()


def test_a_decision_is_kept_with_its_reason_and_followed_everywhere(join, experimenter, tmp_path):
    person = join()
    people = [person, join(person), join(person)]
    for one in people:
        take_part(one)
    desk = experimenter(person)
    names = [s["session_id"] for s in desk.get("/experimenter/status").json()["sessions"]]

    def decide(name, **body):
        return desk.post(f"/experimenter/sessions/{name}/decide", json=body)

    assert decide(names[0], decision="rejected", reason=" ").json()["error"] == "reason"
    assert decide(names[0], decision="gone", reason="x").status_code == 400
    assert decide("none", decision="rejected", reason="x").status_code == 409
    assert decide(names[0], decision="rejected", reason="slept").status_code == 200
    assert decide(names[1], decision="included", reason="looked at").status_code == 200
    execute(person, f"UPDATE sessions SET status='failed' WHERE session_id='{names[1]}'")
    assert desk.get("/experimenter/status").json()["n_answers"] == 14
    assert len(answers_to(person.store.reader, person.study, "main")) == 14
    found = export_tables(person.study.folder, tmp_path / "answers.csv", complete_only=True)
    assert (found.counts["n_rejected"], found.counts["n_comparisons"]) == (1, 14)
    assert "Sessions rejected: 1, left out" in str(found)
    rows = {row["session_id"]: row for row in read(tmp_path / "sessions.csv")}
    assert [rows[name]["decision"] for name in names] == ["rejected", "included", ""]
    assert rows[names[0]]["reason"] == "slept"
    assert decide(names[0], decision="", reason="").status_code == 200
    assert len(answers_to(person.store.reader, person.study, "main")) == 21
    execute(person, f"UPDATE sessions SET status='returned' WHERE session_id='{names[1]}'")
    assert len(answers_to(person.store.reader, person.study, "main")) == 14
    assert decide(names[1], decision="included", reason="x").status_code == 409


def test_nobody_decides_without_the_token(join):
    person = join()
    person.begin()
    path = "/experimenter/sessions/x/decide"
    assert person.post(path, {"decision": "rejected", "reason": "x"}).status_code == 401


def test_a_condition_that_is_full_takes_nobody(make_folder, edit, join, experimenter):
    folder = append(make_folder(), CONDITIONS)
    edit(folder, limits__quotas={})
    text = (folder / "study.toml").read_text()
    quota = "quotas = { condition = { calm = 1 } }"
    (folder / "study.toml").write_text(text.replace("quotas = {}", quota, 1))
    person = join(folder=folder)
    people = [person, *(join(person) for _ in range(4))]
    for one in people:
        assert one.begin().status_code == 201
    rows = person.store.reader.execute("SELECT condition FROM sessions").fetchall()
    assert sorted(row[0] for row in rows) == ["calm", *["loud"] * 4]
    status = experimenter(person).get("/experimenter/status").json()
    assert status["quotas"] == [["condition", "calm", 1, 1]]


def test_an_answer_of_which_there_are_enough_screens_out(make_folder, join):
    folder = append(make_folder(), GENDER)
    text = (folder / "study.toml").read_text()
    quota = "quotas = { gender = { woman = 1 } }"
    (folder / "study.toml").write_text(text.replace("quotas = {}", quota, 1))
    person = join(folder=folder)

    def come(gender, one):
        one.begin()
        said = {"moment": "before", "answers": {"gender": gender}}
        return one.post("/api/questionnaire", said).json()["status"]

    assert come("woman", person) == "open"
    assert come("woman", join(person)) == "screened"
    assert come("man", join(person)) == "open"
    person.post("/api/withdraw")
    assert come("woman", join(person)) == "open", "who stops makes room"


@pytest.mark.parametrize(
    ("quotas", "said"),
    [
        ("{ colour = { red = 1 } }", "limits.quotas.colour: expected numbers"),
        ("{ condition = { mild = 1 } }", "got 'mild' = 1"),
        ("{ gender = { woman = -1 } }", "got 'woman' = -1"),
        ("{ gender = 3 }", "limits.quotas.gender: expected"),
    ],
)
def test_wrong_quotas_are_mistakes(make_folder, quotas, said):
    folder = append(make_folder(), CONDITIONS + GENDER)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("quotas = {}", f"quotas = {quotas}", 1))
    (mistake,) = (f.sentence for f in check_study(folder).findings if f.is_mistake)
    assert said in mistake


def test_a_second_wave_has_the_same_person_condition_and_questions(make_folder, join, tmp_path):
    rules = {"sessions__waves": 2, "sessions__ids": "required"}
    folder = append(make_folder(**rules), CONDITIONS)
    person = join(folder=folder)
    first = take_part(person, participant="bob")
    again = join(person)
    assert again.begin(params={"participant": "Bob "}).json()["error"] == "too_early"
    assert person.client.get("/api/state?participant=bob").json()["session"]["status"] == "complete"
    execute(person, "UPDATE sessions SET finished_at='2020-01-01T00:00:00.000Z'")
    assert person.client.get("/api/state?participant=bob").json()["session"] is None
    second = take_part(again, participant="bob")
    assert [t["shown"] for t in first] == [t["shown"] for t in second]
    assert join(person).begin(params={"participant": "bob"}).json()["error"] == "already"
    export_tables(folder, tmp_path / "answers.csv")
    rows = read(tmp_path / "sessions.csv")
    assert [row["wave"] for row in rows] == ["1", "2"]
    assert len({(row["participant"], row["condition"]) for row in rows}) == 1
    record = od.read_comparisons(tmp_path / "answers.csv")
    assert set(record.groups["wave"].astype(str)) == {"1", "2"}
    assert {"condition", "wave"} <= set(read(tmp_path / "answers.csv")[0])
    said = str(od.analyze(record, "SOE", 2, error_folds=0, verbose=False))
    assert "Test–retest: 77.8% of 9 answers of 1 participant are the same" in said


def test_waves_need_to_know_who_comes(make_folder):
    checked = check_study(make_folder(sessions__waves=2))
    assert any("sessions.waves needs to know" in f.sentence for f in checked.findings)


def test_a_session_ends_when_its_time_is_over(join, experimenter):
    person = join(sessions__time_limit_minutes=30.0)
    person.begin()
    (name,) = person.store.reader.execute("SELECT session_id FROM sessions").fetchone()
    execute(person, "UPDATE sessions SET started_at='2020-01-01T00:00:00.000Z'")
    assert person.post("/api/trials").json()["error"] == "expired"
    desk = experimenter(person)
    assert desk.post(f"/experimenter/sessions/{name}/release", json={}).status_code == 409


def test_the_link_to_go_on_is_a_qr_code_for_its_owner(join):
    person = join()
    link = {"address": "https://study.example/#return=s1.abc"}
    assert person.post("/api/qr", link).status_code == 401
    person.begin()
    assert person.post("/api/qr", link).json()["svg"].startswith("<svg")
    for wrong in ({}, {"address": 3}, {"address": "x" * 2000}):
        assert person.post("/api/qr", wrong).status_code == 400
    assert person.post("/api/qr", link).status_code == 200
    assert person.post("/api/qr", link).status_code == 429, "others wait while it is drawn"


def test_a_gap_that_no_recruiter_filled_leads_nowhere(join):
    address = "https://prolific.example/?pid={PROLIFIC_PID}"
    person = join(finish__redirect=address)
    person.begin(params={"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"})
    person.answer_all()
    assert person.post("/api/finish").json()["redirect"] == ""


def test_the_settings_are_read(make_folder):
    study = read_study(make_folder(sessions__time_limit_minutes=5.0))
    assert study.sessions.time_limit_minutes == 5.0
