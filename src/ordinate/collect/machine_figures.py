"""What a machine's answers are worth: its leaning to a position, whether it agrees with itself."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ordinate.collect.figures import COMPARING_POOLS, TrialRow, tally_of, trials_of
from ordinate.collect.machine import (
    PICTURE_TOKENS,
    Budget,
    Machine,
    Spending,
    first_plan,
    shortened,
)
from ordinate.collect.prompts import LETTERS
from ordinate.collect.sessions import question_of
from ordinate.collect.store import unpacked
from ordinate.collect.study import Study

TOKEN_BYTES = 4
"""Bytes of a token of English text, about."""
SHORT_REPLY = 10
"""Tokens of a reply that is a letter, about."""


@dataclass(frozen=True)
class Share:
    """A share of so many, with its 90 % interval."""

    count: int
    of: int
    share: float | None
    low: float
    high: float

    @property
    def percent(self) -> str:
        """The share in percent with its interval."""
        return f"{100 * (self.share or 0):.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"

    def __str__(self) -> str:
        return f"{self.percent}, {self.count:,} of {self.of:,}" if self.of else "0 of 0"


@dataclass(frozen=True)
class MachineFigures:
    """What the answers of a machine say about it; those to catch questions count apart."""

    participant: str
    n_sessions: int
    n_answered: int
    n_unparsable: int
    n_lost: int
    unparsable: Share
    example: str
    """The beginning of a reply that is no answer."""
    positions: dict[str, Share]
    """Answers by the letter that was chosen (first); without a leaning all are alike."""
    agreement: Share
    """Questions asked twice, in opposite orders, that were answered alike."""
    same_position: dict[str, int]
    """Those answered otherwise: which position was chosen both times, if it was the same one."""
    catch_right: Share
    input_tokens: int
    output_tokens: int
    cost: float

    def __str__(self) -> str:
        return "\n".join(f"  {title:16} {text}" for title, text in self._rows())

    def _rows(self) -> Iterator[tuple[str, str]]:
        said = f"; the first: {self.example!r}" if self.example else ""
        yield "unparsable", f"{self.unparsable}{said}"
        yield "lost", f"{self.n_lost:,} without a whole reply, not asked again"
        if self.positions:
            leaning = ", ".join(f"{name} {its.percent}" for name, its in self.positions.items())
            yield "by position", f"{leaning} of {self.n_answered:,}"
        twice = self.agreement
        if twice.of:
            n_other = twice.of - twice.count
            both = ", ".join(f"{name} {n:,}" for name, n in self.same_position.items())
            other = f"; of the other {n_other:,} the same position both times: {both}"
            yield "asked twice", f"same answer {twice} in the opposite order{other if both else ''}"
        if self.catch_right.of:
            yield "catch questions", f"right {self.catch_right}"
        cost = f"; cost {self.cost:.4g}" if self.cost else ""
        yield "tokens", f"{self.input_tokens:,} in, {self.output_tokens:,} out{cost}"


def share(count: int, of: int) -> Share:
    """Return a share with Wilson's interval."""
    from ordinate.solvers.intervals import CONFIDENCE, wilson

    low, high = map(float, wilson(count, of, CONFIDENCE)) if of else (0.0, 1.0)
    return Share(count, of, count / of if of else None, low, high)


def machine_figures(
    connection: sqlite3.Connection, study: Study, participant: str
) -> MachineFigures:
    """Return what the answers of a machine say about it."""
    own = connection.execute(
        "SELECT session_id FROM sessions WHERE participant=? ORDER BY ordinal", (participant,)
    ).fetchall()
    by_session = [trials_of(connection, name) for (name,) in own]
    counts = sum((tally_of(rows, study).counts for rows in by_session), Counter[str]())
    outcomes = Counter(row["outcome"] for rows in by_session for row in rows)
    answered = {r["trial_id"]: r for rows in by_session for r in rows if r["outcome"] == "answered"}
    compared = [row for row in answered.values() if row["pool"] in COMPARING_POOLS]
    first = Counter(LETTERS[unpacked(row["chosen"])[0]] for row in compared)
    most = max((study.blocks[row["block"]].task.n_choices for row in compared), default=0)
    said = connection.execute(
        "SELECT body FROM replies JOIN answers USING (trial_id) JOIN trials USING (trial_id)"
        " JOIN sessions USING (session_id) WHERE participant=? AND outcome='unparsable' LIMIT 1",
        (participant,),
    ).fetchone()
    spent = connection.execute(
        "SELECT TOTAL(input_tokens), TOTAL(output_tokens), TOTAL(cost) FROM replies"
        " JOIN trials USING (trial_id) JOIN sessions USING (session_id) WHERE participant=?",
        (participant,),
    ).fetchone()
    heard = outcomes["answered"] + outcomes["unparsable"]
    return MachineFigures(
        participant=participant,
        n_sessions=len(own),
        n_answered=len(compared),
        n_unparsable=outcomes["unparsable"],
        n_lost=outcomes["lost"],
        unparsable=share(outcomes["unparsable"], heard),
        example=shortened(said[0]) if said else "",
        positions={letter: share(first[letter], len(compared)) for letter in LETTERS[:most]},
        agreement=share(counts["n_same"], counts["n_repeats"]),
        same_position=_same_position(answered, study),
        catch_right=share(counts["n_right"], counts["n_catch"]),
        input_tokens=int(spent[0]),
        output_tokens=int(spent[1]),
        cost=spent[2],
    )


def _same_position(answered: dict[str, TrialRow], study: Study) -> dict[str, int]:
    """Count which position was chosen in both orders of a question: another item each time."""
    found = Counter[str]()
    for row in answered.values():
        if earlier := answered.get(row["repeat_of"] or ""):
            one, other = (unpacked(r["chosen"]) for r in (earlier, row))
            same = study.blocks[row["block"]].task.same_choice
            if one[0] == other[0] and not same(question_of(earlier), one, question_of(row), other):
                found[LETTERS[one[0]]] += 1
    return dict(sorted(found.items()))


def estimate(study: Study, machine: Machine, wanted: int, budget: Budget) -> dict[str, float]:
    """Return about how many tokens so many answers take, and at most how many."""
    plan = first_plan(study, machine)
    spending = Spending(budget)
    bodies = [machine.body(study.blocks[block], planned.question) for block, planned in plan]
    bounds = [spending.bound(body) for body in bodies]
    n_counted = sum(planned.pool in COMPARING_POOLS for _, planned in plan)
    n_questions = -(-wanted * len(plan) // max(n_counted, 1))
    pictures = sum(json.dumps(body).count('"data:image/') for body in bodies) / len(bodies)
    most_in = sum(tokens for tokens, _ in bounds) / len(bounds)
    most_out = max(tokens for _, tokens in bounds)
    text = most_in - pictures * PICTURE_TOKENS
    about_in = round(n_questions * (text / TOKEN_BYTES + pictures * PICTURE_TOKENS / 2))
    about_out = n_questions * min(SHORT_REPLY, most_out)
    at_most = (round(n_questions * most_in), n_questions * most_out)
    return {
        **{"n_questions": n_questions, "input_tokens": about_in, "output_tokens": about_out},
        **{"cost": budget.cost(about_in, about_out), "most_tokens": sum(at_most)},
        "most_cost": budget.cost(*at_most),
    }
