"""Questions chosen by what is known so far, by a process beside the server.

Answers on disk are the truth. The process reads them, fits a model, chooses some questions and
hands them over; the server gives them out one by one and never waits. Either may be killed at any
moment: the next start reads the same answers. Where no chosen question is ready, the random one of
the plan is asked, and its row says so.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ordinate.collect.store import Store
from ordinate.collect.study import Study
from ordinate.tasks import Key, Question, Task

FEWEST, MOST = 200, 1000
"""Questions that are chosen at a time; fewer take hardly less time than a fit needs anyway."""
PAUSE_SECONDS = 1.0
LONGEST_PAUSE = 30.0
"""After failures one upon another; each doubles the pause."""
LONGEST_CHOICE, MOST_PATIENCE = 120.0, 16
"""Seconds after which the process is taken for hung, and replaced; the next one gets twice as many,
up to so many times, because on a busy machine it may only have been slow."""
ALL_RANDOM, ALL_RANDOM_SECONDS = 40, 60.0
"""Adaptive questions that were random, and for how long, before the experimenter is warned."""
KILL_SECONDS = 10.0
_LONGEST_LINE = 2**24


@dataclass(frozen=True)
class Chosen:
    """A question that was chosen, by which rule, how good it is, and who chose it."""

    question: Question
    rule: str
    score: float | None
    model_version: int | None


class Stock:
    """Questions of one block that the last model chose, the best first.

    Each is handed out once: five people with the same question tell less than one person with it
    and four with random ones.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._ready: deque[tuple[Chosen, Key]] = deque()
        self._n_random, self._last_chosen = 0, time.monotonic()
        self._why = "no model has been fitted yet."
        self._asked_already = False
        self._n_wanted = 0
        self.model_version: int | None = None

    def __len__(self) -> int:
        return len(self._ready)

    def demand(self) -> int:
        """Return how many questions to choose, by how many were wanted since the last time."""
        number, self._n_wanted = min(max(FEWEST, 2 * self._n_wanted), MOST), 0
        return number

    def fill(self, reply: Mapping[str, Any]) -> None:
        """Put the questions of a new model in the place of the old ones."""
        version, ready = reply["model_version"], deque[tuple[Chosen, Key]]()
        for entry in reply["questions"]:
            question = Question(entry["reference"], tuple(entry["shown"]))
            chosen = Chosen(question, entry["rule"], entry["score"], version)
            ready.append((chosen, self._task.key(question.items)))
        self.model_version, self._ready = version, ready
        self._why = reply.get("why", "they were needed faster than a model chose them.")

    def take(self, number: int, taken: Set[Key]) -> list[Chosen]:
        """Return at most so many questions, none of which is among those taken."""
        found: list[tuple[Chosen, Key]] = []
        passed: deque[tuple[Chosen, Key]] = deque()
        while self._ready and len(found) < number:
            entry = self._ready.popleft()
            (passed if entry[1] in taken else found).append(entry)
        self._ready.extendleft(reversed(passed))
        self._n_wanted += number
        if found:
            self._n_random, self._last_chosen = 0, time.monotonic()
        else:
            self._n_random, self._asked_already = self._n_random + number, bool(passed)
        return [chosen for chosen, _ in found]

    def warning(self, problem: str) -> str:
        """Return what the experimenter must know: that nothing is adaptive any more, and why."""
        since = time.monotonic() - self._last_chosen
        if self._n_random < ALL_RANDOM or since < ALL_RANDOM_SECONDS:
            return ""
        why = "all that were chosen had been asked already." if self._asked_already else self._why
        said = f"The last {self._n_random:,} adaptive questions were random ones:"
        return f"{said} {problem or why}"


class Adaptive:
    """Questions chosen by a process that fits a model to the answers on disk, for each block."""

    def __init__(
        self, study: Study, store: Store, command: Sequence[str] = (), *, participant: str = ""
    ) -> None:
        self._stocks = {name: Stock(block.task) for name, block in study.adaptive_blocks.items()}
        own = ["-m", "ordinate.collect.refit", str(study.folder), store.which]
        own += [participant] if participant else []
        self._command = tuple(command) or (sys.executable, *own)
        self._news = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._n_failures = 0
        self.problem = ""

    def take(self, block: str, number: int, taken: Set[Key]) -> list[Chosen]:
        """Return at most so many questions of a block, none of which is among those taken."""
        return self._stocks[block].take(number, taken)

    def note_answers(self) -> None:
        """Hear that there are new answers."""
        self._news.set()

    @property
    def status(self) -> dict[str, Any]:
        """How many questions are ready, how many answers their models saw, what went wrong."""
        versions = [s.model_version for s in self._stocks.values() if s.model_version is not None]
        return {
            "n_ready": sum(map(len, self._stocks.values())),
            "model_version": sum(versions) if versions else None,
            "problem": self.problem,
            "warning": self.warning,
        }

    @property
    def warning(self) -> str:
        """What the experimenter must know: that nothing is adaptive any more, and why."""
        found = {name: stock.warning(self.problem) for name, stock in self._stocks.items()}
        several = len(found) > 1
        return " ".join(
            f"Block {n}: {said}" if several else said for n, said in found.items() if said
        )

    async def run(self) -> None:
        """Choose again whenever there are new answers; at most half of a processor's time."""
        self._news.set()  # there may be answers from before a restart
        while True:
            await self._news.wait()
            self._news.clear()
            began, warned = time.monotonic(), self.warning
            await self.refit()
            pause = max(PAUSE_SECONDS, time.monotonic() - began)
            if self.problem:
                pause = min(PAUSE_SECONDS * 2**self._n_failures, LONGEST_PAUSE)
                self._news.set()  # try again, whether anyone answers or not
            if self.warning and not warned:
                print(self.warning, file=sys.stderr, flush=True)
            await asyncio.sleep(pause)

    async def refit(self) -> None:
        """Let the process choose from the answers there are now, as many as were needed lately."""
        patience = LONGEST_CHOICE * min(2**self._n_failures, MOST_PATIENCE)
        try:
            async with asyncio.timeout(patience * len(self._stocks)):
                for block, stock in self._stocks.items():
                    stock.fill(await self._ask(block, stock.demand()))
        except Exception as error:  # whatever it was, people go on answering random questions
            said = str(error)
            if isinstance(error, TimeoutError):
                said = f"the process that fits the model hung for {patience:g} s and was ended."
            self.problem = f"No questions were chosen: {said or repr(error)}"
            self._n_failures += 1
            await self.close()
            return
        self.problem, self._n_failures = "", 0

    async def _ask(self, block: str, number: int) -> dict[str, Any]:
        if self._process is None:
            pipe = asyncio.subprocess.PIPE
            self._process = await start_process(*self._command, stdin=pipe, limit=_LONGEST_LINE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"block": block, "number": number}).encode() + b"\n")
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        if not line:
            raise OSError("the process that fits the model has ended; the terminal says why.")
        reply: dict[str, Any] = json.loads(line)
        return reply

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            await end_process(process)


async def start_process(*command: str, **more: Any) -> asyncio.subprocess.Process:
    """Start a program beside the server and read what it says."""
    # Ctrl-C is for the server; in a session of its own nice is void
    more |= {"stdout": asyncio.subprocess.PIPE, "process_group": 0}
    return await asyncio.create_subprocess_exec(*command, **more)


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Kill a process and wait for its end, but not for ever."""
    if process.returncode is None:
        process.kill()
    with suppress(TimeoutError):  # the system buries it later
        await asyncio.wait_for(process.wait(), KILL_SECONDS)
