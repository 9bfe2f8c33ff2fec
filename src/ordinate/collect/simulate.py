"""Scripted participants who take a study through the server's real HTTP interface."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError, check_integer, check_real
from ordinate._progress import Advance, progress
from ordinate.collect.server import Address, make_server
from ordinate.collect.store import SIMULATED, Store, database_path, remove_database
from ordinate.collect.study import Limits, Study
from ordinate.collect.tasks import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 20
UNLIMITED = 1_000_000_000


@dataclass(frozen=True)
class Simulation:
    """What simulated participants did, and the map they had in mind."""

    n_participants: int
    n_answers: int
    planted: Mapping[str, NDArray[np.float64]]


class Client:
    """One browser: a connection that stays open, and a cookie. No more of HTTP than needed here."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.cookie = ""

    async def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request with a JSON body, and return status and JSON value of the reply."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._address)
        reader, writer = self._streams
        content = b"" if body is None else json.dumps(body).encode()
        head = [f"{method} {path} HTTP/1.1", f"host: {self._address[0]}"]
        head += [f"content-length: {len(content)}", "content-type: application/json"]
        if self.cookie:
            head.append(f"cookie: {self.cookie}")
        writer.write("\r\n".join([*head, "", ""]).encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in answer[1:] if ": " in line)
        for line in answer[1:]:
            if line.lower().startswith("set-cookie: "):
                self.cookie = line[12:].split(";")[0]
        reply = await reader.readexactly(int(headers["content-length"]))
        return int(answer[0].split()[1]), json.loads(reply)

    async def post(self, path: str, body: Any) -> Any:
        """Send a request that must succeed."""
        status, reply = await self.request("POST", path, body)
        if status >= 300:
            raise InputError(f"The server refused {path}: {reply['message']}")
        return reply

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def plant_map(study: Study, rng: Random) -> dict[str, NDArray[np.float64]]:
    """Put the items at random places, for simulated participants to have in mind."""
    import numpy as np

    places = np.random.default_rng(rng.getrandbits(64))
    points = places.normal(size=(len(study.items), study.general.dimension))
    return dict(zip(study.items, points, strict=True))


def simulate(study: Study, *, participants: int, noise: float, seed: int = 0) -> Simulation:
    """Serve the study to scripted participants, into a data base of its own.

    Parameters
    ----------
    study : Study
        What is asked.
    participants : int
        How many take part.
    noise : float
        Share of answers that are not the one of the planted map.
    seed : int
        Seed of the map and the noise. Which questions are asked is up to the server.

    Returns
    -------
    Simulation
        Earlier simulations of the study are replaced.
    """
    check_integer("participants", participants, minimum=1, maximum=10_000)
    check_real("noise", noise, minimum=0, maximum=1)
    free = Limits(0, UNLIMITED, UNLIMITED, UNLIMITED)
    study = replace(study, limits=free)
    remove_database(database_path(study.folder, SIMULATED))
    store = Store(study, SIMULATED)
    try:
        with progress("Simulating", total=participants) as advance:
            return asyncio.run(_run(store, participants, noise, seed, advance))
    finally:
        store.close()


async def _run(
    store: Store, participants: int, noise: float, seed: int, advance: Advance
) -> Simulation:
    planted = plant_map(store.study, Random(seed))
    server = make_server(store.study, store, Address(port=0), live=False)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        if serving.done():
            await serving
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    room = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> int:
        async with room:
            count = await _take_part(store, planted, noise, Random(f"{seed}-{number}"), port)
        advance()
        return count

    try:
        counts = await asyncio.gather(*(one(number) for number in range(participants)))
    finally:
        server.should_exit = True
        await serving
    return Simulation(participants, sum(counts), planted)


async def _take_part(
    store: Store, planted: Mapping[str, NDArray[np.float64]], noise: float, rng: Random, port: int
) -> int:
    """Go through a whole session and return how many questions were answered."""
    client = Client("127.0.0.1", port)
    consent = {"consent": True, "consent_version": store.study.consent_version}
    await client.post("/api/session", {**consent, "request": secrets.token_hex(16)})
    count = 0
    while trials := (await client.post("/api/trials", {}))["trials"]:
        answers = [answer_of(store, trial["trial"], planted, noise, rng) for trial in trials]
        reply = await client.post("/api/answers", {"answers": answers})
        if reply["refused"]:
            raise InputError(f"The server refused an answer: {reply['refused']}")
        count += len(answers)
    await client.post("/api/finish", {})
    client.close()
    return count


def answer_of(
    store: Store,
    trial: str,
    planted: Mapping[str, NDArray[np.float64]],
    noise: float,
    rng: Random,
) -> dict[str, Any]:
    """Answer a question by the planted map; the page knows no item ids, so the store is asked."""
    from ordinate.collect.sessions import question_of

    row = store.reader.execute("SELECT * FROM trials WHERE trial_id=?", (trial,)).fetchone()
    chosen = choose(store.study, question_of(row), planted, noise, rng)
    rt = 400 + rng.expovariate(1 / 600)
    return {
        "trial": trial,
        "outcome": "answered",
        "chosen": chosen,
        "rt_ms": rt,
        "click_ms": [rt] * len(chosen),
        "input": "mouse",
    }


def choose(
    study: Study,
    question: Question,
    planted: Mapping[str, NDArray[np.float64]],
    noise: float,
    rng: Random,
) -> Sequence[int]:
    """Return the choice of the planted map, or with the probability `noise` another one."""
    strain = study.task.strain(question, planted)
    right = sorted(range(len(strain)), key=lambda place: strain[place])[: study.task.n_select]
    if rng.random() >= noise:
        return right
    others = [place for place in range(len(strain)) if place not in right]
    return [rng.choice(others), *right[1:]]


def write_planted(simulation: Simulation, path: Path) -> None:
    """Write the map that simulated participants had in mind."""
    import numpy as np

    from ordinate.io.coordinates import write_coordinates

    points = np.array(list(simulation.planted.values()))
    write_coordinates(path, points, list(simulation.planted))
