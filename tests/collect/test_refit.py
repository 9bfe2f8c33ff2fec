"""The process that chooses: from answers on disk to questions that tell more than random ones."""

import json
import re
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from ordinate.collect.export import answers_to
from ordinate.collect.folder import read_study
from ordinate.collect.refit import Refit
from ordinate.collect.sessions import question_of
from ordinate.collect.simulate import simulate
from ordinate.collect.store import connect, database_path, open_for_reading
from ordinate.collect.study import MAIN
from ordinate.tasks import MAPPED, Question

NONE = {"pools__practice": 0, "pools__catch": 0, "pools__repeat": 0, "pools__validation": 0}


@pytest.fixture
def answered(make_folder):
    """A study with simulated answers to random questions, and its open database."""
    opened = []

    def answer(task="triplet", participants=4, **settings):
        study = read_study(make_folder(task, pools__random=20, **{**NONE, **settings}))
        simulate(study, participants=participants, noise=0.1, seed=1)
        opened.append(open_for_reading(study.folder, "simulated"))
        return study, opened[-1]

    yield answer
    for connection in opened:
        connection.close()


@pytest.mark.parametrize("task", MAPPED)
def test_questions_of_every_task_are_chosen(answered, task):
    study, connection = answered(task, task__shown=4)
    found = Refit(study).choose(connection, 12)
    assert found["model_version"] == 80
    asked = {study.task.key(question_of(row).items) for row in rows_of(connection)}
    chosen = [Question(q["reference"], tuple(q["shown"])) for q in found["questions"]]
    assert len({study.task.key(question.items) for question in chosen} - asked) == 12
    assert all((question.reference is not None) == study.task.has_reference for question in chosen)
    assert all(len(question.shown) == study.task.n_shown for question in chosen)
    assert all(len(set(question.items)) == study.task.n_items for question in chosen)
    scores = [entry["score"] for entry in found["questions"]]
    assert min(scores) > 0
    assert scores == sorted(scores, reverse=True)
    assert {entry["rule"] for entry in found["questions"]} == {"posterior"}


def test_pairs_are_chosen_by_the_scale(answered):
    study, connection = answered("pair")
    found = Refit(study).choose(connection, 12)
    assert found["model_version"] == 80
    assert {len(set(entry["shown"])) for entry in found["questions"]} == {2}
    scores = [entry["score"] for entry in found["questions"]]
    assert len(scores) == 12
    assert min(scores) > 0
    assert {entry["reference"] for entry in found["questions"]} == {None}


def rows_of(connection):
    return connection.execute("SELECT * FROM trials").fetchall()


def test_the_answers_on_disk_are_all_it_depends_on(answered):
    study, connection = answered()
    assert Refit(study).choose(connection, 9) == Refit(study).choose(connection, 9)


def test_too_few_answers_make_no_model(answered):
    study, connection = answered(participants=1)
    found = Refit(study).choose(connection, 9)
    assert (found["questions"], found["model_version"]) == ([], None)
    assert re.match(r"a model needs 32 answers, 2 per item; there are \d+\.", found["why"])


def test_when_everything_has_been_asked_what_was_asked_least_comes_again(answered, monkeypatch):
    study, connection = answered()
    chooser = Refit(study)
    taken = chooser._taken(connection)
    assert taken == set(chooser._task.keys(chooser._items(rows_of(connection))))
    monkeypatch.setattr(type(study.task), "n_possible", lambda task, n_items: 80)
    assert 0 < len(chooser._taken(connection)) < len(taken), "only what was asked twice"


def test_what_people_have_before_them_is_counted_on(answered, join):
    study, connection = answered()
    connection.close()
    person = join(folder=study.folder)
    person.begin()
    trials = person.trials()
    reader, chooser = person.store.reader, Refit(person.study)
    assert len(chooser._out(reader)) == 20
    person.send(*(person.answer(trial) for trial in trials[:5]))
    assert len(chooser._out(reader)) == 15
    old = "2020-01-01T00:00:00.000Z"
    person.store.submit(lambda c: c.execute("UPDATE sessions SET last_seen_at=?", (old,))).result()
    assert chooser._out(reader).shape == (0, 3)


def test_people_and_machines_are_asked_by_their_own_answers(answered):
    study, connection = answered()
    (machine,) = connection.execute("SELECT participant FROM sessions LIMIT 1").fetchone()
    path = database_path(study.folder, "simulated")
    with closing(connect(path)) as writer:
        writer.execute("UPDATE sessions SET answered_by='m' WHERE participant=?", (machine,))
    assert len(Refit(study)._answered(connection)) == 60
    assert len(Refit(study, MAIN, machine)._answered(connection)) == 20
    assert Refit(study, MAIN, machine).choose(connection, 3)["why"].endswith("there are 20.")


def test_the_process_answers_line_by_line(answered):
    study, connection = answered()
    command = [sys.executable, "-m", "ordinate.collect.refit", str(study.folder), "simulated"]
    lines = "".join(json.dumps({"block": MAIN, "number": number}) + "\n" for number in (3, 5))
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    first, second = (json.loads(line) for line in run.stdout.splitlines())
    assert [len(reply["questions"]) for reply in (first, second)] == [3, 5]
    same = Refit(study).choose(connection, 3)
    assert first["questions"] == same["questions"]
    np.testing.assert_equal(first["model_version"], 80)


def test_it_knows_the_answers_that_the_export_has(answered, tmp_path, monkeypatch):
    study, connection = answered()
    chooser = Refit(study)
    found = chooser._comparisons(chooser._answered(connection), seed=0)
    exported = answers_to(connection, study, "main")
    assert sorted(found.rows.tolist()) == sorted(exported.rows.tolist())
    assert set(found.groups["trial"]) == set(exported.groups["trial"])
    monkeypatch.setattr("ordinate.collect.refit.MOST_ROWS", 30)
    assert len(chooser._comparisons(chooser._answered(connection), seed=0)) == 30


def test_features_of_items_make_a_model_of_fewer_answers(answered):
    study, connection = answered(participants=1)
    n_items = len(study.items)
    alone = Refit(study)
    np.save(study.folder / "x.npy", np.random.default_rng(0).normal(size=(n_items, 3)))
    general = replace(study.general, features="x.npy")
    with_features = Refit(replace(study, general=general))
    assert with_features._features.shape == (n_items, 3)
    if 2 * n_items > 20:
        assert alone.choose(connection, 5)["questions"] == []
    assert len(with_features.choose(connection, 5)["questions"]) == 5
