"""How a study goes, in figures: per session and as a whole; nobody is excluded by them."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ordinate.collect.sessions import EXPIRED, OPEN, RETURNED, USED, is_expired, question_of
from ordinate.collect.store import PERSON, ago, unpacked
from ordinate.collect.study import Study

ENOUGH_TO_JUDGE = 8
"""Answers from which on somebody may be called too fast or one-sided."""
FEWEST_WRONG = 2
"""Catch questions that must go wrong before anyone is flagged: once is a slip."""
COMPARING_POOLS = ("random", "validation", "repeat", "adaptive")
"""Pools whose answers are comparisons; practice and catch questions are not."""
GONE_MINUTES = 30
"""Somebody who has not finished and was not seen for so long has probably left."""
FRESH_SECONDS = 10
"""Sessions that sent something so lately are counted again at every look."""
SESSIONS = f"SELECT *, {USED} AS used FROM sessions ORDER BY ordinal"
"""All sessions, the oldest first, and whether their answers are used."""
TrialRow = Mapping[str, Any]
"""A question and its answer, by the names of their columns."""


Figures = Mapping[str, Any]
"""What one session has done so far, as sessions.csv has it; rates are None if nothing was asked."""


def among(values: Sequence[object]) -> str:
    """Return what stands behind IN in a query: a question mark for each of the values."""
    return f"({','.join('?' * len(values))})"


def sessions_of(connection: sqlite3.Connection) -> Iterator[tuple[sqlite3.Row, list[TrialRow]]]:
    """Go through the sessions, oldest first, each with its questions and their answers."""
    for session in connection.execute(SESSIONS):
        yield session, trials_of(connection, session["session_id"])


def trials_of(connection: sqlite3.Connection, session: str) -> list[TrialRow]:
    """Return the questions of a session in order, each with its answer if there is one."""
    cursor = connection.cursor()
    cursor.row_factory = None  # a Row looks for a name from the first column on, every time
    cursor.execute(
        "SELECT t.*, a.outcome, a.chosen, a.received_at, a.rt_ms, a.click_ms, a.hidden_ms, a.input,"
        " a.presentations FROM trials t LEFT JOIN answers a ON a.trial_id=t.trial_id"
        " WHERE t.session_id=? ORDER BY t.place",
        (session,),
    )
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


@dataclass(frozen=True)
class Tally:
    """What was counted in the questions of a session, whatever calls for a flag."""

    n_skipped: int
    answered: Mapping[str, int]
    """By pool."""
    n_fallback: int
    """Adaptive questions among them that were random for want of a model."""
    times: tuple[int, ...]
    one_side: float
    """Share of answers that begin at the most frequent position."""
    hours: Mapping[str, int]
    """Answers by the hour in which they came, such as 2026-11-17T03."""
    blocks: Counter[tuple[str, str]]
    """What was asked and answered in each block, by the name of the block and of the count."""

    @property
    def counts(self) -> Counter[str]:
        """What was asked and answered in all blocks together."""
        return sum((Counter({what: n}) for (_, what), n in self.blocks.items()), Counter[str]())

    @property
    def n_answered(self) -> int:
        """Questions answered after practice."""
        return sum(count for pool, count in self.answered.items() if pool != "practice")


def tally_of(rows: Sequence[TrialRow], study: Study) -> Tally:
    """Count what the questions of a session say."""
    answered = [row for row in rows if row["outcome"] == "answered"]
    judged = {row["trial_id"]: row for row in answered if row["pool"] != "practice"}
    places = Counter[int]()
    blocks = Counter((row["block"], "n_trials") for row in rows)
    blocks.update((row["block"], "n_done") for row in rows if row["outcome"] is not None)
    for row in judged.values():
        places[unpacked(row["chosen"])[0]] += 1
        own = row["block"]
        blocks[own, "n_answers"] += row["pool"] in COMPARING_POOLS
        if row["pool"] == "catch":
            blocks[own, "n_catch"] += 1
            blocks[own, "n_right"] += set(unpacked(row["expected"])) <= set(unpacked(row["chosen"]))
        elif (first := judged.get(row["repeat_of"])) is not None:
            two = [(question_of(one), unpacked(one["chosen"])) for one in (first, row)]
            blocks[own, "n_repeats"] += 1
            blocks[own, "n_same"] += study.blocks[own].task.same_choice(*two[0], *two[1])
    return Tally(
        n_skipped=sum(row["outcome"] == "skipped" for row in rows),
        answered=Counter(row["pool"] for row in answered),
        n_fallback=sum(r["pool"] == "adaptive" and r["sampler"] == "random" for r in answered),
        times=tuple(row["rt_ms"] for row in judged.values() if row["rt_ms"] is not None),
        one_side=max(places.values(), default=0) / max(len(judged), 1),
        hours=Counter(row["received_at"][:13] for row in answered),
        blocks=blocks,
    )


_OF_SESSION = (
    *("session_id", "participant", "recruiter", "answered_by", "condition", "wave"),
    *("decision", "reason", "started_at", "last_seen_at"),
)


def figures_of(session: sqlite3.Row, tally: Tally, study: Study) -> Figures:
    """Return the figures of a session."""
    limits, n_answered = study.flags, tally.n_answered
    enough = n_answered >= ENOUGH_TO_JUDGE
    fast = _mean([ms < limits.fast_ms for ms in tally.times]) if enough else None
    single = all(block.task.n_select == 1 for block in study.blocks.values())
    side = tally.one_side if enough and single else None
    counts = tally.counts
    n_catch = counts["n_catch"]
    wrong = n_catch - counts["n_right"]
    flags = {
        "fast": session["answered_by"] == PERSON and fast is not None and fast > limits.fast_share,
        "one_sided": side is not None and side > limits.one_side_share,
        "failed_catch": wrong >= FEWEST_WRONG and wrong > limits.catch_wrong_share * n_catch,
    }
    return {
        **{name: session[name] for name in _OF_SESSION},
        "status": EXPIRED if is_expired(session, study) else session["status"],
        "n_trials": counts["n_trials"],
        "n_done": counts["n_done"],
        "n_answered": n_answered,
        "n_skipped": tally.n_skipped,
        "catch_right": _ratio(counts, "n_right", "n_catch"),
        "repeat_same": _ratio(counts, "n_same", "n_repeats"),
        "median_rt_ms": round(median(tally.times)) if tally.times else None,
        "fast_share": fast,
        "one_side_share": side,
        "flags": tuple(name for name, raised in flags.items() if raised),
    }


class Tallies:
    """The tallies of a study that is looked at again and again.

    Only sessions that have sent something since the last look are counted again: a look costs
    little however many have finished.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Tally]] = {}

    def look(
        self, connection: sqlite3.Connection, study: Study
    ) -> Iterator[tuple[sqlite3.Row, Tally]]:
        """Go through the sessions, oldest first, each with its tally."""
        # two changes within a moment may bear the same time, so what is fresh is not kept
        settled = ago(seconds=FRESH_SECONDS)
        known, self._known = self._known, {}
        for session in connection.execute(SESSIONS).fetchall():
            name, seen = session["session_id"], session["last_seen_at"]
            last, tally = known.get(name, ("", None))
            if tally is None or last != seen:
                tally = tally_of(trials_of(connection, name), study)
            if seen < settled:
                self._known[name] = (seen, tally)
            yield session, tally


def study_figures(
    connection: sqlite3.Connection, study: Study, tallies: Tallies | None = None
) -> dict[str, Any]:
    """Return the figures of a study as plain values, ready for JSON."""
    people: list[Figures] = []
    parts: dict[str, Counter[tuple[str, str]]] = {}
    counts, hours, n_fallback = Counter[str](), Counter[str](), 0
    for session, tally in (tallies or Tallies()).look(connection, study):
        people.append(figures_of(session, tally, study))
        if session["used"]:
            if session["answered_by"] == PERSON:
                parts.setdefault(session["condition"], Counter()).update(tally.blocks)
            counts.update(tally.answered)
            hours.update(tally.hours)
            n_fallback += tally.n_fallback
    times = [f["median_rt_ms"] for f in people if f["median_rt_ms"] is not None]
    n_items = len(study.items)
    gone = ago(minutes=GONE_MINUTES)
    left = Counter(
        f["n_done"]
        for f in people
        if f["n_done"] < f["n_trials"] and not (f["status"] == OPEN and f["last_seen_at"] >= gone)
    )
    return {
        "title": study.general.title,
        "task": next(iter(study.blocks.values())).task.name,
        "study_hash": study.hash,
        "n_items": n_items,
        "n_sessions": len(people),
        "statuses": dict(Counter(figures["status"] for figures in people)),
        "n_flagged": sum(bool(figures["flags"]) for figures in people),
        "n_answers": sum(counts[pool] for pool in COMPARING_POOLS),
        "answers_by_pool": dict(counts),
        "answers_by_hour": dict(sorted(hours.items())),
        "left_after": dict(sorted(left.items())),
        "n_fallback": n_fallback,
        "n_least": math.ceil(n_items * study.dimension * math.log2(n_items)),
        "catch_right": _mean([f["catch_right"] for f in people]),
        "repeat_same": _mean([f["repeat_same"] for f in people]),
        "median_rt_ms": round(median(times)) if times else None,
        "parts": list(_parts(study, people, parts)),
        "responses": response_figures(connection, study),
        "sessions": people,
    }


def _parts(
    study: Study, people: Sequence[Figures], counted: Mapping[str, Counter[tuple[str, str]]]
) -> Iterator[dict[str, Any]]:
    """Yield how people in each condition and block get on, if there are several."""
    several = len(study.conditions) * len(study.blocks) > 1
    for condition in study.conditions if several else ():
        own = [f for f in people if f["condition"] == condition and f["answered_by"] == PERSON]
        for block in study.blocks_of(condition):
            count = {what: n for (of, what), n in counted.get(condition, {}).items() if of == block}
            yield {
                "condition": condition,
                "block": block if len(study.blocks) > 1 else "",
                "statuses": dict(Counter(f["status"] for f in own)),
                **{name: count.get(name, 0) for name in ("n_trials", "n_done", "n_answers")},
                "catch_right": _ratio(count, "n_right", "n_catch"),
                "repeat_same": _ratio(count, "n_same", "n_repeats"),
            }


def _ratio(count: Mapping[str, int], some: str, of: str) -> float | None:
    return count.get(some, 0) / count[of] if count.get(of) else None


def response_figures(connection: sqlite3.Connection, study: Study) -> list[dict[str, Any]]:
    """Return what people of each condition answered in questionnaires; of texts only how many."""
    said: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for moment, name, condition, answer in connection.execute(
        "SELECT moment, name, condition, answer FROM responses JOIN sessions USING (session_id)"
        " WHERE outcome='answered' AND status!=? ORDER BY ordinal",
        (RETURNED,),
    ):
        own = said.setdefault((moment, name), {}).setdefault(condition, [])
        own.append(json.loads(answer))
    asks = {ask.name: ask for asked in study.questionnaires.values() for ask in asked}
    return [
        {"moment": moment, "name": name, "ask": asks[name].ask}
        | {"answers": {condition: asks[name].summary(own) for condition, own in found.items()}}
        for (moment, name), found in said.items()
    ]


def _mean(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return sum(known) / len(known) if known else None
