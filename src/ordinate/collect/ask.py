"""Let a machine answer a study: a rehearsal that says what it would cost, and the run itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from ordinate._arguments import parameter
from ordinate._progress import progress
from ordinate.collect.chat import Chat
from ordinate.collect.machine import Asking, Budget, Machine, Stop, first_plan
from ordinate.collect.machine_figures import MachineFigures, estimate, machine_figures
from ordinate.collect.store import Store
from ordinate.collect.study import Study

SHOWN = 2
"""Prompts that a rehearsal shows."""


@dataclass(frozen=True)
class Rehearsal:
    """What would be asked first, and what all of it would cost; prints the prompts."""

    prompts: list[dict[str, Any]]
    wanted: int
    priced: bool
    estimate: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return prompts and figures as plain values."""
        return {"prompts": self.prompts, **self.estimate}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        found = self.estimate
        for number, body in enumerate(self.prompts, start=1):
            yield f"Prompt {number} of {found['n_questions']:,}"
            for message in body["messages"]:
                yield f"[{message['role']}]\n{_as_text(message['content'])}"
            yield ""
        rest = {name: value for name, value in self.prompts[-1].items() if name != "messages"}
        yield f"Sent with it: {json.dumps(rest)}"
        yield (
            f"{found['n_questions']:,} questions for {self.wanted:,} answers: about"
            f" {found['input_tokens']:,} tokens of prompts and {found['output_tokens']:,} of"
            f" replies, at most {found['most_tokens']:,} in all."
        )
        if self.priced:
            yield f"Price: about {found['cost']:.2f}, at most {found['most_cost']:.2f}."
        else:
            prices = f"{parameter('price_in')} and {parameter('price_out')}"
            yield f"Price: give {prices}, what a million tokens cost."
        yield "Nothing was asked or stored."


def _as_text(content: Any) -> str:
    """Return the content of a message with pictures by their sizes."""
    if isinstance(content, str):
        return content
    return "".join(
        part.get("text") or f"<picture, {len(part['image_url']['url']) * 3 // 4 / 1000:.0f} kB>"
        for part in content
    )


def rehearse(study: Study, machine: Machine, wanted: int, budget: Budget) -> Rehearsal:
    """Return what would be asked first, and what all of it would cost; nothing is asked."""
    plan = first_plan(study, machine)[:SHOWN]
    prompts = [machine.body(study.blocks[block], planned.question) for block, planned in plan]
    priced = budget.price_in > 0 or budget.price_out > 0
    return Rehearsal(prompts, wanted, priced, estimate(study, machine, wanted, budget))


def ask_machine(
    study: Study, machine: Machine, chat: Chat, *, wanted: int, **limits: Any
) -> tuple[MachineFigures, str]:
    """Ask within limits; return what is known of the machine, and why it ended if early."""

    async def run(store: Store) -> str:
        try:
            with progress(f"Asking {machine.model}", total=wanted) as advance:
                asking = Asking(store, machine, chat, wanted=wanted, advance=advance, **limits)
                await asking.run()
        except Stop as stop:
            return str(stop)
        finally:
            await chat.close()
        return ""

    with closing(Store(study)) as store:
        stopped = asyncio.run(run(store))
        return machine_figures(store.reader, store.study, machine.participant), stopped
