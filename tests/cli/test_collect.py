"""The commands of a study, one after another as they are typed."""

import csv
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing

import numpy as np
import pytest

pytest.importorskip("uvicorn")

import ordinate as od
from ordinate.collect.store import SIMULATED, connect, database_path


def rows(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


@pytest.fixture
def study(ordinate, tmp_path):
    folder = tmp_path / "study"
    assert ordinate("collect", "new", folder, "--task", "odd-one-out").code == 0
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("random = 40 ", "random = 70 "))
    return folder


def test_from_an_empty_folder_to_the_map(ordinate, study, tmp_path):
    checked = ordinate("collect", "check", study)
    assert checked.code == 0
    assert "odd one out, 16 items, 86 questions per participant" in checked.out
    assert re.search(r"Items \(16 text\):\n  apple +text +apple\n", checked.out)
    truth, answers, table = (tmp_path / name for name in ("truth.csv", "answers.csv", "map.csv"))
    run = ordinate("collect", "simulate", study, "--participants", 20, "--truth", truth)
    assert "20 simulated participants gave 1,760 answers" in run.out
    run = ordinate("collect", "export", study, "--simulated", "-o", answers)
    assert "3,320 comparisons from 1,760 trials of 20 sessions" in run.out
    assert "3,320 triplets about 16 objects" in ordinate("describe", answers).out
    assert ordinate("embed", answers, "--dim", 2, "-o", table).code == 0
    found, planted = (
        {row[0]: [float(x) for x in row[1:]] for row in rows(path)[1:]} for path in (table, truth)
    )
    both = [np.array([points[name] for name in planted]) for points in (found, planted)]
    assert od.metrics.procrustes_distance(*both) < 0.05


def test_export_says_who_is_left_out(ordinate, study, tmp_path):
    ordinate("collect", "simulate", study, "--participants", 3)
    with closing(connect(database_path(study, SIMULATED))) as connection:
        for ordinal, status in ((1, "returned"), (2, "open")):
            change = "UPDATE sessions SET status=? WHERE ordinal=?"
            connection.execute(change, (status, ordinal))
    export = ("collect", "export", study, "--simulated", "-o", tmp_path / "answers.csv")
    run = ordinate(*export)
    assert "Sessions withdrawn: 1, left out." in run.out
    assert "Sessions unfinished: 1, among the comparisons; --complete-only leaves" in run.out
    assert "Sessions unfinished: 1, left out." in ordinate(*export, "--complete-only").out


def test_machines_read_json(ordinate, study, tmp_path):
    checked = ordinate("collect", "check", study, "--json").json
    assert checked["ready"] is True
    assert checked["n_items"] == len(checked["items"]) == 16
    assert checked["left_out"] == {}
    done = ordinate("collect", "simulate", study, "--participants", 2, "--json").json
    assert done == {"n_participants": 2, "n_answers": 176}
    out = tmp_path / "answers.csv"
    people = tmp_path / "people.csv"
    arguments = ("--simulated", "-o", out, "--identities", people, "--json")
    written = ordinate("collect", "export", study, *arguments).json
    assert written["n_sessions"] == 2
    assert written["files"][-1] == str(people)


def test_mistakes_are_reported(ordinate, study, tmp_path):
    assert ordinate("collect", "new", study).code == 1
    run = ordinate("collect", "export", study, "-o", tmp_path / "answers.csv")
    assert run.code == 1
    assert "has no answers yet" in run.err
    assert "There is no folder" in ordinate("collect", "export", tmp_path / "other").err
    ordinate("collect", "simulate", study, "--participants", 1)
    run = ordinate("collect", "export", study, "-o", tmp_path / "answers.csv")
    assert "--simulated" in run.err
    run = ordinate("collect", "serve", study, "--host", "0.0.0.0")
    assert "answers would travel unencrypted" in run.err
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("adaptive = 0", "adaptive = 900"))
    checked = ordinate("collect", "check", study)
    assert checked.code == 1
    assert "Mistake: Everyone is asked 980 different questions" in checked.out


def test_forget_deletes_a_session(ordinate, study, tmp_path):
    ordinate("collect", "simulate", study, "--participants", 1)
    ordinate("collect", "export", study, "--simulated", "-o", tmp_path / "answers.csv")
    session = rows(tmp_path / "sessions.csv")[1][2]
    run = ordinate("collect", "forget", study, session, "--simulated")
    assert "its 88 answers stay, under a new pseudonym" in run.out
    run = ordinate("collect", "forget", study, session, "--simulated", "--answers")
    assert "no answer of it is left" in run.out
    assert ordinate("collect", "forget", study, session, "--simulated").code == 1


def test_serve_shows_the_token_once_and_refuses_a_second_server(study, free_port):
    command = [sys.executable, "-c", "from ordinate.cli import main; main()", "collect", "serve"]
    command += [str(study), "--port", str(free_port)]

    def started():
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        lines = []
        while not lines or not lines[-1].startswith("Stop"):
            lines.append(process.stdout.readline())
            assert lines[-1], "it has ended"
        return process, "".join(lines)

    def stop(process):
        process.terminate()
        return process.communicate()[1]

    process, said = started()
    try:
        file = study / "data" / "answers.token"
        assert file.stat().st_mode & 0o077 == 0
        token = file.read_text().strip()
        assert str(file) in said
        assert token not in said, "what a service prints is kept in a log"
        address = f"http://127.0.0.1:{free_port}/experimenter/status"
        request = urllib.request.Request(address, headers={"authorization": f"Bearer {token}"})
        while True:
            try:
                with urllib.request.urlopen(request) as reply:
                    assert reply.status == 200
                break
            except urllib.error.HTTPError:
                raise
            except OSError:  # not up yet
                assert process.poll() is None
                time.sleep(0.05)
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert "Another process serves this study" in second.stderr
    finally:
        errors = stop(process)
    assert token not in errors
    process, said = started()
    stop(process)
    assert "token shown at the first start" in said


def test_a_study_that_cannot_be_served_does_not_stop_the_others(study, tmp_path, free_port):
    other, broken = tmp_path / "other", tmp_path / "broken"
    for folder in (other, broken):
        shutil.copytree(study, folder)
    (broken / "study.toml").write_text('title = "Broken"\nlanguag = "en"\n')
    command = [sys.executable, "-c", "from ordinate.cli import main; main()", "collect", "serve"]
    command += ["--port", str(free_port)]
    process = subprocess.Popen(
        [*command, str(broken), str(study), str(other)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = []
    while not said or not said[-1].startswith("Stop"):
        said.append(process.stdout.readline())
        assert said[-1], process.stderr.read()
    process.terminate()
    errors = process.communicate()[1]
    assert [line.split("/")[-2] for line in said if line.startswith("Part")] == ["study", "other"]
    assert f"Left out: {broken}: study.toml has 'languag'" in errors
    none = subprocess.run(
        [*command, str(broken), str(tmp_path / "absent")], capture_output=True, text=True
    )
    assert none.returncode == 1
    assert "None of these studies can be served" in none.stderr
