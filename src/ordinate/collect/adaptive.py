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
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from ordinate.collect.store import Store
from ordinate.collect.study import Study
from ordinate.tasks import Key, Question

FEWEST, MOST = 40, 1000
"""Questions that are chosen at a time."""
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


class Chooser(Protocol):
    """Whoever hands out chosen questions, at once or not at all."""

    def take(self, number: int, taken: Set[Key]) -> list[Chosen]:
        """Return at most so many questions, none of which is among those taken."""

    def note_answers(self) -> None:
        """Hear that there are new answers."""


class NoChooser:
    """For studies without adaptive questions."""

    def take(self, number: int, taken: Set[Key]) -> list[Chosen]:
        """Return nothing."""
        return []

    def note_answers(self) -> None:
        """Do nothing."""


class Adaptive:
    """Questions chosen by a process that fits a model to the answers on disk."""

    def __init__(self, study: Study, store: Store, command: Sequence[str] = ()) -> None:
        self._task = study.task
        own = ("-m", "ordinate.collect.refit", str(study.folder), store.which)
        self._command = tuple(command) or (sys.executable, *own)
        self._ready: deque[Chosen] = deque()
        self._news = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._n_taken = 0
        self._n_failures = 0
        self._n_random, self._last_chosen = 0, time.monotonic()
        self._why = "no model has been fitted yet."
        self._asked_already = False
        self.model_version: int | None = None
        self.problem = ""

    def take(self, number: int, taken: Set[Key]) -> list[Chosen]:
        """Return at most so many questions, none of which is among those taken."""
        found: list[Chosen] = []
        left: deque[Chosen] = deque()
        while self._ready and len(found) < number:
            chosen = self._ready.popleft()
            fits = self._task.key(chosen.question.items) not in taken
            (found if fits else left).append(chosen)
        self._ready.extendleft(reversed(left))
        self._n_taken += number
        if found:
            self._n_random, self._last_chosen = 0, time.monotonic()
        else:
            self._n_random, self._asked_already = self._n_random + number, bool(left)
        return found

    def note_answers(self) -> None:
        """Hear that there are new answers."""
        self._news.set()

    @property
    def status(self) -> dict[str, Any]:
        """How many questions are ready, how many answers their model saw, what went wrong."""
        return {
            "n_ready": len(self._ready),
            "model_version": self.model_version,
            "problem": self.problem,
            "warning": self.warning,
        }

    @property
    def warning(self) -> str:
        """What the experimenter must know: that nothing is adaptive any more, and why."""
        since = time.monotonic() - self._last_chosen
        if self._n_random < ALL_RANDOM or since < ALL_RANDOM_SECONDS:
            return ""
        why = "all that were chosen had been asked already." if self._asked_already else self._why
        said = f"The last {self._n_random:,} adaptive questions were random ones:"
        return f"{said} {self.problem or why}"

    async def run(self) -> None:
        """Choose anew whenever there are new answers; at most half of a processor's time."""
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
        number = min(max(FEWEST, 2 * self._n_taken), MOST)
        self._n_taken = 0
        patience = LONGEST_CHOICE * min(2**self._n_failures, MOST_PATIENCE)
        try:
            async with asyncio.timeout(patience):
                reply = await self._ask(number)
            version = reply["model_version"]
            ready = deque(
                Chosen(
                    Question(entry["reference"], tuple(entry["shown"])),
                    entry["rule"],
                    entry["score"],
                    version,
                )
                for entry in reply["questions"]
            )
        except Exception as error:  # whatever it was, people go on answering random questions
            said = str(error)
            if isinstance(error, TimeoutError):
                said = f"the process that fits the model hung for {patience:g} s and was ended."
            self.problem = f"No questions were chosen: {said or repr(error)}"
            self._n_failures += 1
            await self.close()
            return
        self.problem, self._n_failures = "", 0
        self.model_version, self._ready = version, ready
        self._why = reply.get("why", "they were needed faster than a model chose them.")

    async def _ask(self, number: int) -> dict[str, Any]:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                process_group=0,  # Ctrl-C is for the server; in a session of its own nice is void
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"number": number}).encode() + b"\n")
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


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Kill a process and wait for its end, but not for ever."""
    if process.returncode is None:
        process.kill()
    with suppress(TimeoutError):  # the system buries it later
        await asyncio.wait_for(process.wait(), KILL_SECONDS)
