"""Chosen questions: who hands them out, what is stored of them, and what happens without any."""

import asyncio
import csv
import json
import os
import sys

import pytest

from ordinate.collect import adaptive, sessions
from ordinate.collect.adaptive import Adaptive, Chosen
from ordinate.collect.export import export_tables
from ordinate.collect.figures import study_figures
from ordinate.collect.folder import read_study
from ordinate.collect.participant import HEADER
from ordinate.collect.simulate import Client
from ordinate.collect.store import open_for_reading
from ordinate.collect.study import MAIN
from ordinate.tasks import TASKS, Question

from .serving import PATIENCE

POOLS = {"pools__adaptive": 5, "pools__practice": 0}


class Stub:
    """Somebody who chose questions beforehand."""

    def __init__(self, *questions):
        self.chosen = [Chosen(question, "stub", 0.25, 7) for question in questions]
        self.taken, self.n_notes = [], 0

    def take(self, block, number, taken):
        self.taken.append(taken)
        found, self.chosen = self.chosen[:number], self.chosen[number:]
        return found

    def note_answers(self):
        self.n_notes += 1


CHOSEN = [
    Question("apple", ("rice", "cake")),
    Question("pear", ("rice", "bread")),
    Question("lemon", ("onion", "honey")),
]


def adaptive_rows(person):
    rows = person.store.reader.execute("SELECT * FROM trials WHERE pool='adaptive' ORDER BY place")
    return rows.fetchall()


def test_chosen_questions_take_the_places_and_the_rest_is_random_and_says_so(join, tmp_path):
    stub = Stub(*CHOSEN)
    person = join(chooser=stub, **POOLS)
    person.begin()
    planned = adaptive_rows(person)
    assert {row["sampler"] for row in planned} == {"random"}
    trials = person.trials()
    rows = adaptive_rows(person)
    assert [row["sampler"] for row in rows] == ["stub"] * 3 + ["random"] * 2
    assert [(row["score"], row["model_version"]) for row in rows] == [(0.25, 7)] * 3 + [
        (None, None)
    ] * 2
    assert [row["reference"] for row in rows[:3]] == ["apple", "pear", "lemon"]
    assert [set(json.loads(row["shown"])) for row in rows[:3]] == [set(q.shown) for q in CHOSEN]
    assert [tuple(row)[:8] for row in rows[3:]] == [tuple(row)[:8] for row in planned[3:]]
    on_screen = {trial["trial"]: trial for trial in trials}
    for row in rows:
        items = [person.study.items[name].source for name in json.loads(row["shown"])]
        assert [item["text"] for item in on_screen[row["trial_id"]]["shown"]] == items

    person.answer_all()
    assert stub.n_notes == 1
    figures = study_figures(person.store.reader, person.study)
    assert (figures["answers_by_pool"]["adaptive"], figures["n_fallback"]) == (5, 2)
    assert figures["n_answers"] == 12
    export_tables(person.study.folder, tmp_path / "answers.csv")
    with (tmp_path / "trials.csv").open(newline="") as file:
        table = [row for row in csv.DictReader(file) if row["pool"] == "adaptive"]
    assert [row["fallback"] for row in table] == ["false"] * 3 + ["true"] * 2
    assert [row["model_version"] for row in table] == ["7"] * 3 + [""] * 2
    with (tmp_path / "answers.csv").open(newline="") as file:
        assert [row["pool"] for row in csv.DictReader(file)].count("adaptive") == 5


def test_what_was_served_stays_what_it_is(join):
    person = join(chooser=Stub(*CHOSEN), **POOLS)
    person.begin()
    first = person.trials()
    assert person.trials() == first
    trial = adaptive_rows(person)[0]["trial_id"]
    late = Chosen(Question("cake", ("honey", "rice")), "late", 1.0, 9)
    session = sessions.find(person.store, person.client.headers[HEADER])
    sessions.mark_served(person.store, session, [trial], {trial: late}).result()
    assert person.trials() == first


def test_nobody_is_offered_what_they_are_asked_anyway(join):
    stub = Stub()
    person = join(chooser=stub, **POOLS)
    person.begin()
    person.trials()
    keys = {
        person.study.task.key((row["reference"], *json.loads(row["shown"])))
        for row in person.store.reader.execute("SELECT * FROM trials WHERE pool!='adaptive'")
    }
    assert stub.taken == [keys]


STUB_PROCESS = """
import json, sys
for number, line in enumerate(sys.stdin):
    wanted = json.loads(line)["number"]
    if number == 2:
        sys.exit(1)
    names = ["rice", "cake", "bread", "onion"][: wanted]
    questions = [
        {"reference": "apple", "shown": [name, "pear"], "rule": "stub", "score": 0.5 + number}
        for name in names
    ]
    print(json.dumps({"questions": questions, "model_version": 10 * number}), flush=True)
"""


@pytest.fixture
def choosing(make_folder, open_store):
    study = read_study(make_folder(**POOLS))
    return Adaptive(study, open_store(study), [sys.executable, "-c", STUB_PROCESS])


def test_a_process_chooses_and_is_started_again_when_it_dies(choosing):
    task = choosing._stocks[MAIN]._task

    async def use():
        assert choosing.take(MAIN, 3, set()) == [], "there is no model yet"
        await choosing.refit()
        first = choosing._process.pid
        assert os.getsid(first) == os.getsid(0), "among sessions, being nice counts for nothing"
        assert os.getpgid(first) == first, "Ctrl-C would end it before the server does"
        taken = {task.key(("apple", "cake", "pear"))}
        found = choosing.take(MAIN, 2, taken)
        assert [chosen.question.shown[0] for chosen in found] == ["rice", "bread"]
        assert [(c.rule, c.score, c.model_version) for c in found] == [("stub", 0.5, 0)] * 2
        left = choosing.take(MAIN, 9, set())
        assert [chosen.question.shown[0] for chosen in left] == ["cake", "onion"]
        await choosing.refit()
        assert choosing._process.pid == first
        assert choosing.status == {
            "n_ready": 4,
            "model_version": 10,
            "problem": "",
            "warning": "",
        }
        await choosing.refit()
        assert "has ended" in choosing.problem
        assert len(choosing.take(MAIN, 2, set())) == 2, "what was chosen before is still good"
        await choosing.refit()
        assert choosing.problem == ""
        assert choosing._process.pid != first
        await choosing.close()

    asyncio.run(use())


def test_a_hung_process_is_noticed_and_replaced(choosing, monkeypatch):
    hung = "import sys, time; sys.stdin.readline(); time.sleep(600)"
    working, choosing._command = choosing._command, (sys.executable, "-c", hung)
    monkeypatch.setattr(adaptive, "LONGEST_CHOICE", 0.2)
    monkeypatch.setattr(adaptive, "PAUSE_SECONDS", 0.0)

    async def use():
        running = asyncio.create_task(choosing.run())
        while not choosing.problem:
            await asyncio.sleep(0.01)
        assert "hung for 0.2 s and was ended" in choosing.problem
        while "hung for 0.4 s" not in choosing.problem:  # it may have been slow, not hung
            await asyncio.sleep(0.01)
        choosing._command = working
        monkeypatch.setattr(adaptive, "LONGEST_CHOICE", PATIENCE)
        while (
            choosing.status["model_version"] is None
        ):  # nobody answers meanwhile: it tries again by itself
            await asyncio.sleep(0.01)
        assert choosing.problem == ""
        running.cancel()
        await choosing.close()

    asyncio.run(asyncio.wait_for(use(), PATIENCE))


@pytest.mark.parametrize("line", ["no JSON", "[]", "{}", '{"questions": 3, "model_version": 1}'])
def test_a_process_that_says_something_else_stops_nothing(choosing, line):
    choosing._command = (sys.executable, "-c", f"print({line!r}); input(); input()")

    async def use():
        await choosing.refit()
        assert choosing.problem.startswith("No questions were chosen: ")
        assert choosing._process is None

    asyncio.run(use())


def test_the_experimenter_sees_when_nothing_is_adaptive(choosing, monkeypatch):
    replies = [
        {"questions": [], "model_version": None, "why": "a model needs 32 answers."},
        {
            "questions": [
                {"reference": "apple", "shown": ["rice", "pear"], "rule": "stub", "score": 1.0}
            ],
            "model_version": 40,
        },
    ]

    async def ask(block, number):
        return replies[0]

    choosing._ask = ask

    async def use():
        await choosing.refit()
        choosing.take(MAIN, adaptive.ALL_RANDOM, set())
        assert choosing.warning == "", "a model may be on its way"
        monkeypatch.setattr(adaptive, "ALL_RANDOM_SECONDS", 0.0)
        assert choosing.status["warning"] == (
            "The last 40 adaptive questions were random ones: a model needs 32 answers."
        )
        del replies[0]
        await choosing.refit()
        taken = {choosing._stocks[MAIN]._task.key(("apple", "rice", "pear"))}
        choosing.take(MAIN, 1, taken)
        assert choosing.warning.endswith(
            "41 adaptive questions were random ones: all that were chosen had been asked already."
        )
        choosing.take(MAIN, 1, set())
        assert choosing.warning == ""

    asyncio.run(use())


def test_it_chooses_whenever_there_are_answers(choosing, monkeypatch):
    monkeypatch.setattr(adaptive, "PAUSE_SECONDS", 0.0)

    async def use():
        running = asyncio.create_task(choosing.run())
        while choosing.status["model_version"] != 0:
            await asyncio.sleep(0.01)
        choosing.note_answers()
        while choosing.status["model_version"] != 10:
            await asyncio.sleep(0.01)
        running.cancel()
        await choosing.close()

    asyncio.run(asyncio.wait_for(use(), PATIENCE))


def test_more_are_chosen_where_more_are_needed(choosing):
    asked = []

    async def ask(block, number):
        asked.append(number)
        return {"questions": [], "model_version": 1}

    choosing._ask = ask

    async def use():
        for taken in (0, 150, 5000):
            choosing.take(MAIN, taken, set())
            await choosing.refit()

    asyncio.run(use())
    assert asked == [200, 300, 1000]


@pytest.mark.parametrize("task", TASKS)
def test_a_chosen_question_of_every_task_can_be_answered(join, task):
    person = join(task=task, **POOLS)
    items = list(person.study.items)
    reference = items.pop() if person.study.task.has_reference else None
    chosen = Question(reference, tuple(items[: person.study.task.n_shown]))
    stub = Stub(chosen)
    person.store.close()
    person = join(folder=person.study.folder, chooser=stub)
    person.begin()
    person.answer_all()
    row = adaptive_rows(person)[0]
    assert (row["sampler"], row["reference"]) == ("stub", reference)
    assert sorted(json.loads(row["shown"])) == sorted(chosen.shown)


def chosen_so_far(folder):
    connection = open_for_reading(folder)
    (count,) = connection.execute(
        "SELECT COUNT(*) FROM trials WHERE model_version IS NOT NULL"
    ).fetchone()
    connection.close()
    return count


async def answer_until_chosen(folder, port, enough):
    """Take part until so many chosen questions were served; return what was acknowledged."""
    consent = {"consent": True, "consent_version": read_study(folder).consent_version}
    acknowledged = set()
    while chosen_so_far(folder) < enough:
        client = Client("127.0.0.1", port)
        await client.post("/api/session", {**consent, "request": os.urandom(16).hex()})
        while trials := (await client.post("/api/trials", {}))["trials"]:
            for trial in trials[:10]:
                answer = {"trial": trial["trial"], "outcome": "answered", "chosen": [0]}
                await client.post("/api/answers", {"answers": [answer]})
                acknowledged.add(trial["trial"])
        client.close()
        await asyncio.sleep(0.5)
    return acknowledged


def test_a_killed_server_chooses_again_from_the_answers_on_disk(make_folder, start_server):
    # however many it takes until a busy machine has chosen
    crowd = {"limits__address_per_minute": 10**9}
    crowd |= {"limits__new_sessions_per_address_per_hour": 10**9}
    folder = make_folder(pools__random=20, pools__adaptive=20, **crowd)
    acknowledged = set()
    for _ in range(2):
        process, port = start_server(folder)
        before = chosen_so_far(folder)
        answering = answer_until_chosen(folder, port, before + 5)
        acknowledged |= asyncio.run(asyncio.wait_for(answering, PATIENCE))
        process.kill()
        process.wait()
        connection = open_for_reading(folder)
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        stored = {row[0] for row in connection.execute("SELECT trial_id FROM answers")}
        connection.close()
        assert stored == acknowledged
