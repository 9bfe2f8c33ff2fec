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
from dataclasses import dataclass
from typing import Any, Protocol

from ordinate.collect.store import Store
from ordinate.collect.study import Study
from ordinate.collect.tasks import Question

FEWEST, MOST = 40, 1000
"""Questions that are chosen at a time."""
PAUSE_SECONDS = 1.0
PAUSE_AFTER_FAILURE = 30.0
_LONGEST_LINE = 2**24


@dataclass(frozen=True)
class Chosen:
    """A question that was chosen, by which rule, how good it is, and who chose it.

    Attributes
    ----------
    question : Question
        What to show.
    rule : str
        Name of the rule.
    score : float or None
        What the rule thinks of it; the unit is the rule's own.
    model_version : int or None
        How many answers the model had seen.
    """

    question: Question
    rule: str
    score: float | None
    model_version: int | None


class Chooser(Protocol):
    """Whoever hands out chosen questions, at once or not at all."""

    def take(self, number: int, taken: Set[tuple[object, ...]]) -> list[Chosen]:
        """Return at most so many questions, none of which is among those taken."""

    def note_answers(self) -> None:
        """Hear that there are new answers."""


class NoChooser:
    """For studies without adaptive questions."""

    def take(self, number: int, taken: Set[tuple[object, ...]]) -> list[Chosen]:
        """Return nothing."""
        return []

    def note_answers(self) -> None:
        """Do nothing."""


class Adaptive:
    """Questions chosen by a process that fits a model to the answers on disk.

    Parameters
    ----------
    study : Study
        What is asked.
    store : Store
        Where answers are.
    command : sequence of str, optional
        The process; it reads a line of JSON with ``number``, and answers with one that has
        ``questions`` and ``model_version``, again and again.
    """

    def __init__(self, study: Study, store: Store, command: Sequence[str] = ()) -> None:
        self._task = study.task
        own = ("-m", "ordinate.collect.refit", str(study.folder), store.which)
        self._command = tuple(command) or (sys.executable, *own)
        self._ready: deque[Chosen] = deque()
        self._news = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._n_taken = 0
        self.model_version: int | None = None
        self.problem = ""

    def take(self, number: int, taken: Set[tuple[object, ...]]) -> list[Chosen]:
        """Return at most so many questions, none of which is among those taken."""
        found: list[Chosen] = []
        left: deque[Chosen] = deque()
        while self._ready and len(found) < number:
            chosen = self._ready.popleft()
            fits = self._task.key(chosen.question) not in taken
            (found if fits else left).append(chosen)
        self._ready.extendleft(reversed(left))
        self._n_taken += number
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
        }

    async def run(self) -> None:
        """Choose anew whenever there are new answers; at most half of a processor's time."""
        self._news.set()  # there may be answers from before a restart
        while True:
            await self._news.wait()
            self._news.clear()
            began = time.monotonic()
            await self.refit()
            pause = max(PAUSE_SECONDS, time.monotonic() - began)
            await asyncio.sleep(PAUSE_AFTER_FAILURE if self.problem else pause)

    async def refit(self) -> None:
        """Let the process choose from the answers there are now, as many as were needed lately."""
        number = min(max(FEWEST, 2 * self._n_taken), MOST)
        self._n_taken = 0
        try:
            reply = await self._ask(number)
        except (OSError, ValueError) as error:
            self.problem = f"No questions were chosen: {error}"
            await self.close()
            return
        self.problem, self.model_version = reply.get("problem", ""), reply["model_version"]
        self._ready = deque(
            Chosen(
                Question(entry["reference"], tuple(entry["shown"])),
                entry["rule"],
                entry["score"],
                self.model_version,
            )
            for entry in reply["questions"]
        )

    async def _ask(self, number: int) -> dict[str, Any]:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for the server, which ends it
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
        if self._process is not None:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()
            self._process = None
