"""A machine as a respondent of a study: a model that is asked what people are asked.

Its answers lie beside those of people, in sessions of its own. A question is noted as sent before
it leaves, and the reply as it came before anything is made of it. After a kill at any moment the
next run reads what is there: a reply is read again, never asked for again; a question that left
without a reply is `lost`, since nobody knows whether it was charged for.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any

from ordinate._checks import InputError
from ordinate._progress import Advance
from ordinate.collect import arrivals, sessions
from ordinate.collect.adaptive import Adaptive, Chosen
from ordinate.collect.chat import Busy, Chat, Lost, Rejected, Reply
from ordinate.collect.figures import COMPARING_POOLS, among
from ordinate.collect.plan import plan_session
from ordinate.collect.prompts import messages_of, read_answer, reply_text, schema_of
from ordinate.collect.requests import on_disk
from ordinate.collect.sessions import COMPLETE, OPEN, Session, question_of, session_of, token_hash
from ordinate.collect.store import Store, now
from ordinate.collect.study import Study
from ordinate.questions.lists import Planned
from ordinate.tasks import Question

SETTINGS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 100}
"""What is sent with every question, unless told otherwise."""
BOTH_ORDERS = "both-orders"
"""How a question was found that asks another one in the opposite order."""
MOST_TRIES = 8
MOST_IN_A_ROW = 20
"""Replies without an answer, one upon another, before a run ends: something is wrong."""
REFIT_EVERY = 20
"""Replies after which adaptive questions are chosen again."""
PICTURE_TOKENS = 2000
"""Tokens of a picture, before a server has told."""
UNBOUNDED_OUTPUT = 2000
"""Tokens of a reply, if no setting bounds them and no server has told."""


class Stop(Exception):
    """Why a run ends before it has all answers; the same command goes on."""


@dataclass(frozen=True)
class Machine:
    """A model with all that its answers depend on: together one respondent."""

    model: str
    template: str
    settings: Mapping[str, Any] = field(default_factory=lambda: dict(SETTINGS))
    schema: bool = True
    """Whether the server is asked to let nothing but allowed letters pass."""
    both_orders: bool = False

    def __post_init__(self) -> None:
        if not self.model.strip() or not self.model.isprintable():
            raise InputError(f"--model must be the name of a model; got {self.model!r}.")
        for name in self.settings:
            if name in ("model", "messages", "response_format", "stream", "n"):
                raise InputError(f"--setting {name} is set by Ordinate; leave it out.")
            if re.search("key|secret|password|authorization", name, re.I):
                raise InputError(
                    f"--setting {name} would be stored; keys come from the environment."
                )

    @cached_property
    def about(self) -> dict[str, Any]:
        """What the sessions of the machine say about it."""
        own = ("model", "settings", "schema", "both_orders", "template")
        return {name: getattr(self, name) for name in own}

    @cached_property
    def participant(self) -> str:
        """Its name among participants: the model, and a few digits of the settings."""
        text = json.dumps(self.about, sort_keys=True)
        name = re.sub("[^A-Za-z0-9.]+", "-", self.model).strip("-.")[:40]
        return f"m-{name}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"

    def body(self, study: Study, question: Question) -> dict[str, Any]:
        """Return the request that asks a question of a block."""
        forced = {"response_format": schema_of(study.task)} if self.schema else {}
        messages = messages_of(self.template, study, question)
        return {"model": self.model, "messages": messages, **forced, **self.settings}


@dataclass(frozen=True)
class Budget:
    """What tokens cost, per million, and how much may be spent; infinite if nothing is said."""

    price_in: float = 0.0
    price_out: float = 0.0
    max_cost: float = float("inf")
    max_tokens: float = float("inf")

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Return what tokens cost."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6


@dataclass
class Spending:
    """What was spent and what questions on their way may cost at most."""

    budget: Budget
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    reserved: dict[str, tuple[int, int]] = field(default_factory=dict)
    most_in: int = 0
    most_out: int = 0

    def fits(self, bound: tuple[int, int]) -> bool:
        """Whether a question that takes at most so many tokens may be asked."""
        held = [bound, *self.reserved.values()]
        more_in, more_out = (sum(side) for side in zip(*held, strict=True))
        tokens = self.tokens_in + self.tokens_out + more_in + more_out
        cost = self.cost + self.budget.cost(more_in, more_out)
        return tokens <= self.budget.max_tokens and cost <= self.budget.max_cost

    def add(self, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Count what a question has taken."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost += cost
        self.most_in, self.most_out = max(self.most_in, tokens_in), max(self.most_out, tokens_out)

    def bound(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """Return how many tokens a request and its reply have at most.

        A token of text has a byte or more. Pictures are taken for as large as the largest so far.
        """
        text, n_pictures = _without_pictures(body)
        tokens = len(text.encode())
        if n_pictures:
            tokens += max(PICTURE_TOKENS * n_pictures, 2 * self.most_in)
        limits = [body.get("max_tokens"), body.get("max_completion_tokens")]
        known = [limit for limit in limits if isinstance(limit, int)]
        return tokens, min(known, default=max(UNBOUNDED_OUTPUT, 2 * self.most_out))


def _without_pictures(body: Mapping[str, Any]) -> tuple[str, int]:
    """Return the text of a request, and how many pictures it has."""
    urls = re.compile(r'"data:image/[^"]*"')
    text, count = urls.subn('""', json.dumps(dict(body), ensure_ascii=False))
    return text, count


def machine_plan(
    study: Study, seed: int, blocks: Sequence[str], *, first: bool, both_orders: bool
) -> list[tuple[str, Planned]]:
    """Return the questions of a session of a machine: those of a person, without practice.

    Validation questions are in its first session only. With `both_orders` each question comes a
    second time in the opposite order, and there are no other repeats.
    """
    left_out = {"practice", "" if first else "validation", "repeat" if both_orders else ""}
    found: list[tuple[str, Planned]] = []
    places: dict[int, int] = {}
    for place, (block, planned) in enumerate(plan_session(study, seed, blocks)):
        if planned.pool in left_out:
            continue
        if planned.repeat_of is not None:
            if planned.repeat_of not in places:
                continue
            planned = replace(planned, repeat_of=places[planned.repeat_of])
        places[place] = len(found)
        found.append((block, planned))
        if both_orders and planned.pool != "catch":
            task = study.blocks[block].task
            turned = task.reorder(planned.question, task.swap)
            found.append((block, Planned("repeat", turned, BOTH_ORDERS, places[place])))
    return found


def first_plan(study: Study, machine: Machine) -> list[tuple[str, Planned]]:
    """Return questions as a first session has them, for a look ahead."""
    blocks = study.blocks_of(study.conditions[0])
    return machine_plan(study, 0, blocks, first=True, both_orders=machine.both_orders)


@dataclass
class Asking:
    """A run: one machine, one study, so many answers."""

    store: Store
    machine: Machine
    chat: Chat
    _: KW_ONLY
    wanted: int
    budget: Budget
    concurrency: int = 4
    advance: Advance | None = None

    def __post_init__(self) -> None:
        study, participant = self.store.study, self.machine.participant
        self._adaptive: Adaptive | None = None
        if study.adaptive_blocks:
            self._adaptive = Adaptive(study, self.store, participant=participant)
        self.spending = Spending(self.budget)
        self._sessions: dict[str, Session] = {}
        self._waiting: list[sqlite3.Row] = []
        self._out: dict[str, bool] = {}
        """Questions on their way, and whether they count among the answers wanted."""
        self._sending: set[str] = set()
        self._n_answered = self._in_a_row = self._n_heard = 0
        self._fit_at = 0
        """Replies at which questions are chosen again."""

    async def run(self) -> None:
        """Ask until there are as many answers as wanted; raises Stop if that cannot be."""
        await self._settle()
        tasks: dict[asyncio.Task[None], str] = {}
        try:
            while True:
                # one goes ahead, in case all is wrong
                width = self.concurrency if self._n_heard else 1
                while len(tasks) < width and (row := await self._next()) is not None:
                    tasks[asyncio.create_task(self._one(row))] = row["trial_id"]
                if not tasks:
                    break
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    del tasks[task]
                    task.result()
        finally:
            for task, trial in tasks.items():  # cancel unsent requests; await sent ones
                if trial not in self._sending:
                    task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._finish()
            if self._adaptive:
                await self._adaptive.close()

    async def _settle(self) -> None:
        """Read what earlier runs left: replies that nobody read, and questions without a reply."""
        own = self.machine.participant
        rows = self.store.rows("SELECT * FROM sessions WHERE participant=? ORDER BY ordinal", own)
        self._sessions = {r["session_id"]: session_of(r, self.store.study) for r in rows}
        for row in self.store.rows(
            "SELECT t.*, r.body, r.took_ms FROM trials t JOIN replies r USING (trial_id)"
            " JOIN sessions s USING (session_id) LEFT JOIN answers a USING (trial_id)"
            " WHERE s.participant=? AND a.trial_id IS NULL AND r.sent_at IS NOT NULL",
            own,
        ):
            if row["body"] is None:
                self.spending.reserved[row["trial_id"]] = self._bound(row)
                await self._keep(row, Lost("the last run ended before the reply came"))
            else:
                await self._record(row, row["body"], row["took_ms"])
        self.spending, self._in_a_row = Spending(self.spending.budget), 0
        spent = self.store.row(
            "SELECT TOTAL(input_tokens), TOTAL(output_tokens), TOTAL(cost), MAX(input_tokens),"
            " MAX(output_tokens) FROM replies JOIN trials USING (trial_id)"
            " JOIN sessions USING (session_id) WHERE participant=?",
            own,
        )
        self.spending.add(int(spent[0]), int(spent[1]), spent[2])
        self.spending.most_in, self.spending.most_out = spent[3] or 0, spent[4] or 0
        (self._n_answered,) = self.store.row(
            "SELECT COUNT(*) FROM answers JOIN trials USING (trial_id)"
            " JOIN sessions USING (session_id) WHERE participant=? AND outcome='answered'"
            f" AND pool IN {among(COMPARING_POOLS)}",
            *(own, *COMPARING_POOLS),
        )
        if self.advance and self._n_answered:
            self.advance(min(self._n_answered, self.wanted))

    async def _next(self) -> sqlite3.Row | None:
        """Return the next question, noted as served; None if none may leave for now."""
        if self._n_answered + sum(self._out.values()) >= self.wanted:
            return None
        if not self._waiting:
            await self._refill()
        row = self._waiting[0] = await self._serve(self._waiting[0])
        bound = self._bound(row)
        if not self.spending.fits(bound):
            if self._out:
                return None
            raise Stop(
                "The next question might exceed --max-cost or --max-tokens; raise them to continue."
            )
        del self._waiting[0]
        self._out[row["trial_id"]] = row["pool"] in COMPARING_POOLS
        self.spending.reserved[row["trial_id"]] = bound
        return row

    def _body(self, row: sqlite3.Row) -> dict[str, Any]:
        return self.machine.body(self.store.study.blocks[row["block"]], question_of(row))

    def _bound(self, row: sqlite3.Row) -> tuple[int, int]:
        return self.spending.bound(self._body(row))

    async def _refill(self) -> None:
        """Take the questions of the first session that has some left, or begin another one."""
        await self._finish()
        for session in self._sessions.values():
            if session.status == OPEN:
                rows = sessions.next_trials(self.store, session, 10**6)
                self._waiting = [row for row in rows if row["trial_id"] not in self._out]
                if self._waiting:
                    return
        session = await on_disk(begin(self.store, self.machine, len(self._sessions)))
        self._sessions[session.session_id] = session
        self._waiting = sessions.next_trials(self.store, session, 10**6)

    async def _finish(self) -> None:
        """Complete the sessions that have answered everything."""
        for name, session in self._sessions.items():
            if session.status == OPEN and not sessions.n_left(self.store, session):
                code = await on_disk(sessions.finish(self.store, session))
                self._sessions[name] = replace(session, status=COMPLETE, code=code)

    async def _serve(self, row: sqlite3.Row) -> sqlite3.Row:
        """Note a question as served; a better one may take the place of an adaptive one.

        The second of two orders follows the first, which may have been chosen meanwhile.
        """
        if row["served_at"] is not None:
            return row
        session = self._sessions[row["session_id"]]
        chosen = {}
        if row["sampler"] == BOTH_ORDERS:
            chosen[row["trial_id"]] = self._turned(row)
        elif self._adaptive:
            if row["pool"] == "adaptive" and self._n_heard >= self._fit_at:
                await self._adaptive.refit()  # a machine can wait for it
                if self._adaptive.problem:
                    raise Stop(self._adaptive.problem)
                self._fit_at = self._n_heard + REFIT_EVERY
            chosen = sessions.choose_adaptive(self.store, session, [row], self._adaptive)
        await on_disk(sessions.mark_served(self.store, session, [row["trial_id"]], chosen))
        return self._trial(row["trial_id"])

    def _trial(self, name: str) -> sqlite3.Row:
        found: sqlite3.Row = self.store.row("SELECT * FROM trials WHERE trial_id=?", name)
        return found

    def _turned(self, row: sqlite3.Row) -> Chosen:
        first = self._trial(row["repeat_of"])
        task = self.store.study.blocks[row["block"]].task
        question = task.reorder(question_of(first), task.swap)
        return Chosen(question, BOTH_ORDERS, first["score"], first["model_version"])

    async def _write(self, query: str, *values: object) -> None:
        """Change something, and wait until it is on disk."""
        await on_disk(self.store.write(query, *values))

    async def _one(self, row: sqlite3.Row) -> None:
        """Ask one question until there is a reply, an end of patience, or nobody knows."""
        trial = row["trial_id"]
        body = json.dumps(self._body(row), ensure_ascii=False).encode()
        try:
            why = ""
            for attempt in range(MOST_TRIES):
                busy = await self._attempt(row, body)
                if busy is None:
                    return
                why = busy.why + (f", and it asks to wait {busy.wait:g} s" if busy.wait else "")
                if not self.chat.put_off(busy, attempt):
                    break
            raise Stop(f"The server does not answer: {why}. Try again later.")
        finally:
            self._out.pop(trial, None)
            self.spending.reserved.pop(trial, None)

    async def _attempt(self, row: sqlite3.Row, body: bytes) -> Busy | None:
        """Ask a question once; nothing is left to do unless the server is busy."""
        trial = row["trial_id"]
        await self.chat.turn()
        self._sending.add(trial)
        try:
            await self._write(
                "INSERT INTO replies VALUES (?,?,1,NULL,NULL,NULL,0,0,0) ON CONFLICT (trial_id)"
                " DO UPDATE SET sent_at=excluded.sent_at, n_tries=n_tries+1",
                *(trial, now()),
            )
            found = await self.chat.send(body, trial)
            if isinstance(found, Reply | Lost):
                await self._keep(row, found)
                return None
            await self._write("UPDATE replies SET sent_at=NULL WHERE trial_id=?", trial)
        finally:
            self._sending.discard(trial)
        if isinstance(found, Rejected):
            raise Stop(f"The server refuses the questions: {found.why}.")
        return found

    async def _keep(self, row: sqlite3.Row, found: Reply | Lost) -> None:
        """Keep a reply as it came, before anything is made of it; then read it."""
        trial, bound = row["trial_id"], self.spending.reserved[row["trial_id"]]
        body, took = (found.body, found.took_ms) if isinstance(found, Reply) else (None, None)
        used, told = usage_of(body, bound)
        cost = self.spending.budget.cost(*used) if told is None else told

        await self._write(
            "UPDATE replies SET received_at=?, took_ms=?, body=?, input_tokens=?, output_tokens=?,"
            " cost=? WHERE trial_id=?",
            *(now() if body is not None else None, took, body, *used, cost, trial),
        )
        self.spending.add(*used, cost)
        outcome = await self._record(row, body, took)
        self._n_heard += body is not None
        self._in_a_row = 0 if outcome == "answered" else self._in_a_row + 1
        if outcome == "answered" and row["pool"] in COMPARING_POOLS:
            self._n_answered += 1
            if self.advance:
                self.advance(note=f"cost {self.spending.cost:.2f}" if cost else "")
        if self._in_a_row >= MOST_IN_A_ROW:
            why = found.why if isinstance(found, Lost) else f"the last one is {shortened(body)!r}"
            raise Stop(
                f"{MOST_IN_A_ROW} questions in a row have no answer: {why}. Look at the prompt"
                " with --dry-run."
            )

    async def _record(self, row: sqlite3.Row, body: str | None, took: int | None) -> str:
        """Write what became of a question, by its reply if there is one."""
        session = self._sessions[row["session_id"]]
        task = self.store.study.blocks[row["block"]].task
        chosen = None if body is None else read_answer(reply_text(body), task)
        outcome = "lost" if body is None else "unparsable" if chosen is None else "answered"
        answer = {"trial": row["trial_id"], "outcome": outcome, "rt_ms": took}
        answer["chosen"] = list(chosen or ())
        refused, stored = sessions.record(self.store, session, [answer])
        if refused:
            raise Stop(f"An answer could not be stored: {min(refused.values())}.")
        await on_disk(stored)
        return outcome


def begin(store: Store, machine: Machine, number: int) -> Any:
    """Make the session of a machine with so many before it; the result is the session.

    It is the same one whenever it is made, so that a kill in between does no harm.
    """
    study, own = store.study, f"{machine.participant} {number}"
    request = f"machine {token_hash(own)}"  # longer than any that a page may send
    drawn = Random(hmac.digest(store.key.encode(), request.encode(), "sha256"))
    name, seed = f"s{drawn.getrandbits(48):012x}", drawn.getrandbits(48)

    def change(connection: sqlite3.Connection) -> Session:
        condition, blocks = arrivals.assign(connection, study, drawn, answered_by=machine.model)
        plan = machine_plan(study, seed, blocks, first=number == 0, both_orders=machine.both_orders)
        if not any(planned.pool in COMPARING_POOLS for _, planned in plan):
            raise Stop("The study has no further questions; raise random in [pools].")
        entries = {
            **{"session_id": name, "request": request, "study_hash": study.hash, "seed": seed},
            **{"participant": machine.participant, "recruiter": "", "consent_version": ""},
            **{"user_agent": "", "viewport": "", "condition": condition},
            **{"block_order": ";".join(blocks), "language": study.general.language},
            **{"answered_by": machine.model, "machine": json.dumps(machine.about)},
        }
        arrivals.insert_session(connection, entries, plan, drawn)
        row = connection.execute("SELECT * FROM sessions WHERE session_id=?", (name,)).fetchone()
        return session_of(row, study)

    return store.submit(change)


def usage_of(body: str | None, bound: tuple[int, int]) -> tuple[tuple[int, int], float | None]:
    """Return the tokens of a reply by the server's count, and the cost if it tells.

    If it is silent, they are as many as there can be: a cap holds in any case.
    """
    used, cost = bound, None
    with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
        usage = json.loads(body or "")["usage"]
        if type(usage.get("cost")) in (int, float) and usage["cost"] >= 0:
            cost = float(usage["cost"])
        counts = usage["prompt_tokens"], usage["completion_tokens"]
        if all(type(count) is int and count >= 0 for count in counts):
            used = counts
    return used, cost


def shortened(body: str | None) -> str:
    """Return the beginning of what a machine said."""
    said = " ".join((reply_text(body or "") or body or "").split())
    return said if len(said) <= 80 else said[:77] + "..."
