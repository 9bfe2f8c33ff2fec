"""Kill the study server again and again under load: no acknowledged answer may be lost.

Each round starts the server, lets scripted participants answer, and ends it with SIGKILL at a
random moment. Then the data base must open and pass its own check, and hold every answer that
was acknowledged, exactly as it was sent and once. Participants keep what was not acknowledged
and send it again after the restart, as the page does. Every tenth round
lasts until the new server has handed out a question that a model chose, and a little longer, to see
how long that takes; the goal is 15 s. Servers are forked from this process, which has loaded
everything: loading again takes most of a short round. The process that chooses is started and
loaded each time, at low priority: on a busy machine it waits for the other programs, so only an
idle one shows how soon it is back. The result is written into the page.

    python benchmarks/collect_kill.py
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import multiprocessing
import os
import random
import secrets
import signal
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from pages import conditions, list_table, put_tables

from collect import PAGE, adaptive_counts, children_of, make_study  # the scripts beside this one
from ordinate._checks import InputError
from ordinate.cli import main as ordinate
from ordinate.collect.folder import read_study
from ordinate.collect.simulate import Client
from ordinate.collect.store import connect, database_path, now

BACK_WITHIN, LONGEST_WAIT = 15.0, 120.0
"""Seconds after which questions should be chosen again, and after which nobody waits any longer."""
LONGEST_ROUND = 1.0
THOUGHT = 0.05
"""Seconds between two answers; without any, twenty people finish before a model is there."""
EVERY = 10
TROUBLE = (OSError, asyncio.IncompleteReadError, InputError)


class Participant:
    """Somebody whose page survives the server."""

    def __init__(self, port: int, consent: str) -> None:
        self.port, self.token = port, ""
        self.agreed = {"consent": True, "consent_version": consent}
        self.request = secrets.token_hex(16)
        self.finished = False
        self.queue: list[dict[str, Any]] = []
        self.acknowledged: dict[str, list[int]] = {}

    async def take_part(self) -> None:
        """Answer until the server dies."""
        client = Client("127.0.0.1", self.port)
        client.token = self.token
        try:
            if not self.token:
                await client.post("/api/session", {**self.agreed, "request": self.request})
                self.token = client.token
            while True:
                await self.send(client)
                trials = (await client.post("/api/trials", {}))["trials"]
                if not trials:
                    self.finished = True
                    return
                for trial in trials[:5]:
                    chosen = [random.randrange(2)]
                    answer = {"trial": trial["trial"], "outcome": "answered", "chosen": chosen}
                    self.queue.append(answer)
                    await self.send(client)
                    await asyncio.sleep(random.expovariate(1 / THOUGHT))
        except TROUBLE:
            pass
        finally:
            client.close()

    async def send(self, client: Client) -> None:
        """Send what is in the queue, and forget it once it is acknowledged."""
        if not self.queue:
            return
        reply = await client.post("/api/answers", {"answers": self.queue})
        assert not reply["refused"], reply
        for answer in self.queue:
            assert answer["trial"] in reply["stored"]
            self.acknowledged[answer["trial"]] = answer["chosen"]
        self.queue = []


def check(folder: Path, people: list[Participant]) -> int:
    """Compare what is on disk with what was acknowledged, and return how much that is."""
    connection = connect(database_path(folder), read_only=True)
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    rows = connection.execute("SELECT trial_id, chosen FROM answers").fetchall()
    stored = dict(rows)
    assert len(stored) == len(rows), "answers are there twice"
    connection.close()
    acknowledged = {trial: chosen for one in people for trial, chosen in one.acknowledged.items()}
    lost = [trial for trial in acknowledged if trial not in stored]
    changed = [t for t, chosen in acknowledged.items() if json.loads(stored[t]) != chosen]
    assert not lost, f"{len(lost)} acknowledged answers are lost"
    assert not changed, f"{len(changed)} answers differ from what was sent"
    return len(acknowledged)


def start_server(folder: Path, port: int) -> Any:
    """Serve the study from a fork of this process, and wait until it listens."""
    server = multiprocessing.get_context("fork").Process(
        target=_serve, args=(folder, port), daemon=True
    )
    server.start()
    while True:
        assert server.is_alive(), "the server did not start"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server
        except OSError:
            time.sleep(0.01)


def _serve(folder: Path, port: int) -> None:
    sys.stdout = io.StringIO()  # its address and token, a hundred times
    sys.argv = ["ordinate", "collect", "serve", str(folder), "--port", str(port)]
    ordinate()


async def one_round(
    server: Any, began: float, people: list[Participant], chosen: Callable[[], bool] | None
) -> float | None:
    """Let people answer for a while, then kill the server; say when a question was chosen."""
    seconds = None
    tasks = [asyncio.create_task(one.take_part()) for one in people]
    while chosen and seconds is None:
        await asyncio.sleep(0.1)
        if chosen() or time.monotonic() - began > LONGEST_WAIT:
            seconds = time.monotonic() - began
    await asyncio.sleep(random.uniform(0.05, LONGEST_ROUND))
    started = children_of(server.pid)
    server.kill()
    for child in started:  # as a service manager does
        os.kill(child, signal.SIGKILL)
    await asyncio.gather(*tasks)
    return seconds


def any_chosen(folder: Path, since: str) -> bool:
    """Whether a question was served since then that a model chose."""
    with closing(connect(database_path(folder), read_only=True)) as connection:
        found = connection.execute(
            "SELECT 1 FROM trials WHERE model_version IS NOT NULL AND served_at>=? LIMIT 1",
            (since,),
        )
        return found.fetchone() is not None


HEAD = ("kills", "answers acknowledged", "lost, changed or twice", "adaptive questions chosen")
HEAD += ("starts watched", "chosen again after (s), median", "longest", f"within {BACK_WITHIN:g} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--participants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8798)
    options = parser.parse_args()
    random.seed(options.seed)
    start, total, back = time.monotonic(), 0, list[float]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study"
        make_study(folder, adaptive=True)
        consent = read_study(folder).consent_version
        people: list[Participant] = []
        for number in range(options.kills):
            active = [one for one in people if not one.finished]
            missing = options.participants - len(active)
            newcomers = [Participant(options.port, consent) for _ in range(missing)]
            people, active = people + newcomers, active + newcomers
            until = partial(any_chosen, folder, now()) if number % EVERY == EVERY - 1 else None
            began, server = time.monotonic(), start_server(folder, options.port)
            seconds = asyncio.run(one_round(server, began, active, until))
            back += [] if seconds is None else [seconds]
            server.join()
            total = check(folder, people)
            if (number + 1) % 20 == 0:
                took = time.monotonic() - start
                print(f"{number + 1} kills, {total:,} answers, {took:.0f} s", *back, flush=True)
        chosen, served, _ = adaptive_counts(folder)
    in_time = sum(seconds <= BACK_WITHIN for seconds in back)
    row = (options.kills, f"{total:,}", 0, f"{chosen:,} of {served:,}", len(back))
    row += (f"{statistics.median(back):.1f}", f"{max(back):.1f}", f"{in_time} of {len(back)}")
    print(*row, sep=" | ")
    how = f"{conditions()}; {time.monotonic() - start:.0f} s, seed {options.seed},"
    how += f" load at the end {os.getloadavg()[0]:.1f}."
    put_tables(PAGE, {"kills": f"{how}\n\n{list_table(HEAD, [row])}"})


if __name__ == "__main__":
    main()
