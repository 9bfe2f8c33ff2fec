"""Scripted participants who take a study through the server's real HTTP interface."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_integer, check_real
from ordinate._progress import Advance, progress
from ordinate.collect.adaptive import Adaptive
from ordinate.collect.folder import refuse_own_files
from ordinate.collect.participant import HEADER
from ordinate.collect.questionnaires import Ask
from ordinate.collect.server import Address, make_app, make_server
from ordinate.collect.sessions import OPEN, question_of
from ordinate.collect.store import SIMULATED, Store
from ordinate.collect.study import Limits, Study
from ordinate.io.coordinates import table_writer, write_coordinates
from ordinate.tasks import PAIR, Question, Task

AT_ONCE = 5
"""Participants who take turns; the next ones come when all of them have finished."""
UNLIMITED = 1_000_000_000
TIE = 0.5
"""Davidson's parameter of ties in simulated answers about two items."""


class Simulation(NamedTuple):
    """What simulated participants did, and the map they had in mind."""

    n_participants: int
    n_answers: int
    planted: Mapping[str, NDArray[np.float64]]


class Client:
    """One browser: a connection that stays open, and a token. No more of HTTP than needed here."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.token, self.header = "", HEADER

    async def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request with a JSON body, and return status and JSON value of the reply."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._address)
        reader, writer = self._streams
        content = b"" if body is None else json.dumps(body).encode()
        head = [f"{method} {path} HTTP/1.1", f"host: {self._address[0]}"]
        head += [f"content-length: {len(content)}", "content-type: application/json"]
        if self.token:
            head.append(f"{self.header}: {self.token}")
        writer.write("\r\n".join([*head, "", ""]).encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in answer[1:] if ": " in line)
        reply = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.token = reply.get("token", self.token)
        return int(answer[0].split()[1]), reply

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
    places = np.random.default_rng(rng.getrandbits(64))
    points = places.normal(size=(len(study.items), study.dimension))
    return dict(zip(study.items, points, strict=True))


def simulate(
    study: Study, *, participants: int, noise: float, seed: int = 0, truth: Path | None = None
) -> Simulation:
    """Serve the study to scripted participants, into a database of its own."""
    check_integer("participants", participants, minimum=1, maximum=10_000)
    check_real("noise", noise, minimum=0, maximum=1)
    if truth is not None:
        table_writer(truth)  # refuses an unknown ending before anyone takes part
        refuse_own_files(study, [truth])
    study = replace(study, limits=Limits(0, {}, UNLIMITED, UNLIMITED, UNLIMITED))
    with (
        closing(Store(study, SIMULATED, key=f"simulation {seed}")) as store,
        progress("Simulating", total=participants) as advance,
    ):
        done = asyncio.run(_run(store, participants, noise, seed, advance))
    if truth is not None:
        write_coordinates(list(done.planted.values()), truth, list(done.planted))
    return done


async def _run(
    store: Store, participants: int, noise: float, seed: int, advance: Advance
) -> Simulation:
    planted = plant_map(store.study, Random(seed))
    adaptive = Adaptive(store.study, store) if store.study.adaptive_blocks else None
    address = Address(port=0)
    server = make_server({"": make_app(store, address, live=False, chooser=adaptive)}, address)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        if serving.done():
            await serving
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    people = [Scripted(store, planted, noise, f"{seed}-{n}", port) for n in range(participants)]
    try:
        for start in range(0, participants, AT_ONCE):
            await _take_part(people[start : start + AT_ONCE], adaptive, advance)
    finally:
        if adaptive:
            await adaptive.close()
        server.should_exit = True
        await serving
    return Simulation(participants, sum(person.n_answers for person in people), planted)


async def _take_part(
    people: Sequence[Scripted], adaptive: Adaptive | None, advance: Advance
) -> None:
    """Let people answer in turns, so that the same seed has the same answers.

    Questions are chosen again after every turn; a server does so whenever it finds the time.
    """
    answering = list(people)
    for person in answering:
        await person.begin()
    while answering:
        if adaptive:
            await adaptive.refit()
            if adaptive.problem:
                raise InputError(adaptive.problem)
        still = []
        for person in answering:
            if await person.answer():
                still.append(person)
            else:
                await person.finish()
                advance()
        answering = still


class Scripted:
    """A participant who has a map in mind."""

    def __init__(
        self,
        store: Store,
        planted: Mapping[str, NDArray[np.float64]],
        noise: float,
        seed: str,
        port: int,
    ) -> None:
        self._store, self._planted, self._noise = store, planted, noise
        self._rng = Random(seed)
        self._client = Client("127.0.0.1", port)
        self._responses: dict[str, Any] = {}
        self.n_answers, self._ended = 0, False

    async def begin(self) -> None:
        """Agree to take part."""
        consent = {"consent": True, "consent_version": self._store.study.consent_version}
        request = f"{self._rng.getrandbits(128):032x}"
        named = {"params": {"participant": f"simulated-{request[:12]}"}}
        rules = self._store.study.device
        device = {"width": rules.width, "height": rules.height, "px_per_mm": 3.78}
        device |= {"phone": False, "keyboard": True, "sound": True}
        body = {**consent, **named, "request": request, "device": device}
        await self._client.post("/api/session", body)
        await self._fill_in("before")

    async def _fill_in(self, moment: str) -> None:
        """Answer a questionnaire at random, but not such that one may not take part."""
        asks, given = self._store.study.questionnaires[moment.partition("-")[0]], {}
        for ask in asks:
            if ask.is_shown(self._responses):
                given[ask.name] = self._responses[ask.name] = response_to(ask, self._rng)
        if asks:
            body = {"moment": moment, "answers": given, "rt_ms": 2000 * len(given)}
            await self._client.post("/api/questionnaire", body)

    async def answer(self) -> int:
        """Answer the questions that a page is given at once, and return how many are left."""
        given = await self._client.post("/api/trials", {})
        answers = [
            answer_of(self._store, trial["trial"], self._planted, self._noise, self._rng)
            for trial in given["trials"]
        ]
        for trial in given["trials"]:
            if trial["opens"] and trial["block_number"]:
                await self._fill_in(f"between-{trial['block_number']}")
        reply = await self._client.post("/api/answers", {"answers": answers})
        self._ended = reply["status"] != OPEN  # by wrong answers to catch questions
        if reply["refused"] and not self._ended:
            raise InputError(f"The server refused an answer: {reply['refused']}")
        self.n_answers += len(reply["stored"])
        return 0 if self._ended else int(given["left"]) - len(answers)

    async def finish(self) -> None:
        """Take the code and go."""
        if not self._ended:
            await self._fill_in("after")
            await self._client.post("/api/finish", {})
        self._client.close()


def response_to(ask: Ask, rng: Random) -> Any:
    """Return a random answer to a question of a questionnaire that lets one take part."""
    if ask.kind == "number":
        least = max(ask.minimum, ask.screen_out_below)
        low = least if least > -math.inf else min(0, ask.maximum, ask.screen_out_above)
        return rng.randint(
            math.ceil(low), math.floor(min(ask.maximum, ask.screen_out_above, low + 60))
        )
    if ask.kind == "text":
        return f"simulated answer {rng.randrange(1000)}"
    if ask.kind == "scale":
        return rng.randint(1, ask.points)
    allowed = [option for option in ask.options if option not in ask.screen_out]
    return rng.choice(allowed) if ask.kind == "choice" else [rng.choice(allowed)]


def answer_of(
    store: Store, trial: str, planted: Mapping[str, NDArray[np.float64]], noise: float, rng: Random
) -> dict[str, Any]:
    """Answer a question by the planted map; the page knows no item ids, so the store is asked."""
    row = store.row("SELECT * FROM trials WHERE trial_id=?", trial)
    chosen = choose(store.study.blocks[row["block"]], question_of(row), planted, noise, rng)
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
    task = study.task
    points = np.array([planted[item] for item in question.items])
    if task.name == PAIR:
        is_twice_the_same = question.items[0] == question.items[1]
        if is_twice_the_same and task.has_tie and rng.random() >= noise:
            return [task.n_choices - 1]
        return [_more(float(points[0, 0] - points[1, 0]), task, noise, rng)]
    apart = np.ravel(task.squares(np.arange(task.n_items, dtype=np.int32)[None], points[None]))
    right: list[int] = np.argsort(apart, kind="stable")[: task.n_select].tolist()
    if rng.random() >= noise:
        return right
    others = [place for place in range(task.n_choices) if place not in right]
    return [rng.choice(others), *right[1:]]


def _more(ahead: float, task: Task, noise: float, rng: Random) -> int:
    """Answer which of two items is more as a Bradley-Terry model does, with Davidson's ties."""
    ahead *= _slope(noise)
    ahead = max(-500.0, min(500.0, ahead))
    chances = [math.exp(ahead / 2), math.exp(-ahead / 2), TIE if task.has_tie else 0.0]
    return rng.choices(range(3), chances)[0]


@cache
def _slope(noise: float) -> float:
    """Return how strongly answers follow scores if so many of them are wrong on average."""
    gaps = np.abs(np.random.default_rng(0).normal(size=(1000, 2)) @ [1, -1])
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        wrong = np.mean(np.exp(-np.logaddexp(0, middle * gaps)))
        low, high = (middle, high) if wrong > noise else (low, middle)
    return middle
