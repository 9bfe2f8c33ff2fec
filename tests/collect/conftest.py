"""Small studies, their databases, and a client that speaks to their server in this process."""

import json
import re
import secrets
import socket
import subprocess
import sys
import time
from random import Random

import pytest

pytest.importorskip("starlette")

from ordinate.collect.experimenter import experimenter_token
from ordinate.collect.folder import read_study
from ordinate.collect.participant import HEADER
from ordinate.collect.prepare import new_study
from ordinate.collect.server import make_app
from ordinate.collect.store import Store


@pytest.fixture(autouse=True)
def _same_keys_in_every_run(monkeypatch):
    """Draw the keys of studies from a seed: questions, and who gets them, follow from these."""
    drawn = Random(0)
    monkeypatch.setattr(secrets, "token_hex", lambda n_bytes: drawn.randbytes(n_bytes).hex())


def _edit(folder, **settings):
    """Change entries of study.toml, such as ``pools__random=4``; a section comes before ``__``."""
    path = folder / "study.toml"
    text = path.read_text()
    for name, value in settings.items():
        section, _, key = name.rpartition("__")
        shown = json.dumps(value, ensure_ascii=False)
        start = text.index(f"[{section}]") if section else 0
        text = text[:start] + re.sub(
            rf"^{key} = [^#\n]*", f"{key} = {shown}  ", text[start:], count=1, flags=re.M
        )
    path.write_text(text)


@pytest.fixture
def edit():
    return _edit


def write_study(folder, task="triplet", **settings):
    """Write the folder of a small study: by default 8 triplets, a practice and no break."""
    new_study(folder, task)
    small = {"practice": 1, "random": 4, "validation": 2, "catch": 1, "repeat": 1}
    _edit(folder, **{f"pools__{pool}": count for pool, count in small.items()})
    _edit(folder, contact="lab@university.example", **settings)
    return folder


@pytest.fixture
def make_folder(tmp_path):
    """Write the folder of a small study in a folder of the test's own."""

    def make(task="triplet", name="study", **settings):
        return write_study(tmp_path / name, task, **settings)

    return make


@pytest.fixture
def open_store():
    """Open the database of a study, and close it at the end."""
    opened = []

    def open_(study, which="answers"):
        opened.append(Store(study, which))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def start_server(free_port):
    """Serve a study from a process of its own, which a test may kill."""
    processes = []

    def start(folder):
        command = "from ordinate.cli import main; main()"
        arguments = ["collect", "serve", str(folder), "--port", str(free_port)]
        process = subprocess.Popen(
            [sys.executable, "-c", command, *arguments], stdout=subprocess.PIPE, text=True
        )
        processes.append(process)
        while not process.stdout.readline().startswith("Stop"):
            assert process.poll() is None
        while True:
            try:
                socket.create_connection(("127.0.0.1", free_port)).close()
                return process, free_port
            except OSError:
                assert process.poll() is None
                time.sleep(0.05)

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


class Person:
    """A browser with one participant."""

    def __init__(self, study, store, client):
        self.study, self.store, self.client = study, store, client

    def post(self, path, body=None, **kwargs):
        return self.client.post(path, json={} if body is None else body, **kwargs)

    def begin(self, **more):
        body = {
            "consent": True,
            "consent_version": self.study.consent_version,
            "request": secrets.token_hex(16),
            "params": {},
        }
        reply = self.post("/api/session", {**body, **more})
        if reply.status_code == 201:
            self.client.headers[HEADER] = reply.json()["token"]
        return reply

    def trials(self):
        return self.post("/api/trials").json()["trials"]

    def send(self, *answers):
        return self.post("/api/answers", {"answers": list(answers)})

    def answer(self, trial, **more):
        chosen = list(range(self.study.task.n_select))
        return {"trial": trial["trial"], "outcome": "answered", "chosen": chosen, **more}

    def answer_all(self):
        """Choose the first of everything until there is nothing left; return all trials."""
        seen = []
        while trials := self.trials():
            self.send(*(self.answer(trial, rt_ms=900) for trial in trials))
            seen += trials
        return seen


@pytest.fixture
def join(make_folder, open_store):
    """Serve a study to somebody; call it again with a person to get another one there."""
    from starlette.testclient import TestClient

    def joined(where=None, *, folder=None, task="triplet", chooser=None, **settings):
        if where is None:
            study = read_study(folder or make_folder(task, **settings))
            store = open_store(study)
            app = make_app(store, live=False, chooser=chooser)
            where = Person(study, store, TestClient(app))
        client = TestClient(where.client.app)
        return Person(where.study, where.store, client)

    return joined


@pytest.fixture
def experimenter(join):
    """The experimenter of a study that somebody has joined: a client with the token."""

    def enter(person):
        token = experimenter_token(person.store, renew=True)
        client = join(person).client
        client.headers["authorization"] = f"Bearer {token}"
        return client

    return enter
