"""How a study goes, in figures: per session and as a whole; nobody is excluded by them."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from ordinate.collect.folder import thaw
from ordinate.collect.sessions import EXPIRED, OPEN, oldest_open, question_of
from ordinate.collect.study import Study
from ordinate.collect.tasks import Answered

ENOUGH_TO_JUDGE = 8
"""Answers from which on somebody may be called too fast or one-sided."""
FEWEST_WRONG = 2
"""Catch questions that must go wrong before anyone is flagged: once is a slip."""
COMPARING_POOLS = ("random", "validation", "repeat", "adaptive")
"""Pools whose answers are comparisons; practice and catch questions are not."""


@dataclass(frozen=True)
class SessionFigures:
    """What one session has done so far; rates are None where nothing was asked."""

    session_id: str
    participant: str
    recruiter: str
    status: str
    started_at: str
    last_seen_at: str
    n_trials: int
    n_done: int
    n_answered: int
    n_skipped: int
    catch_right: float | None
    repeat_same: float | None
    median_rt_ms: int | None
    fast_share: float | None
    one_side_share: float | None
    flags: tuple[str, ...]


def study_of(connection: sqlite3.Connection, folder: Any) -> Study:
    """Return the study that a data base belongs to, as it was launched."""
    frozen = connection.execute("SELECT value FROM meta WHERE key='frozen'").fetchone()
    return thaw(json.loads(frozen[0]), folder)


def among(values: Sequence[object]) -> str:
    """Return what stands behind IN in a query: a question mark for each of the values."""
    return f"({','.join('?' * len(values))})"


def answered_trials(
    connection: sqlite3.Connection, pools: Sequence[str] = COMPARING_POOLS
) -> Iterator[tuple[sqlite3.Row, Answered]]:
    """Go through the answers of some pools, in the order in which they were asked."""
    rows = connection.execute(
        "SELECT t.*, a.*, s.participant FROM trials t JOIN answers a USING (trial_id)"
        " JOIN sessions s USING (session_id)"
        f" WHERE a.outcome='answered' AND t.pool IN {among(pools)}"
        " ORDER BY s.ordinal, t.place",
        tuple(pools),
    )
    for row in rows:
        chosen = tuple(json.loads(row["chosen"]))
        yield row, Answered(question_of(row), chosen, row["participant"], row["trial_id"])


def session_figures(connection: sqlite3.Connection, study: Study) -> list[SessionFigures]:
    """Return the figures of every session, oldest first."""
    answers: dict[str, list[tuple[sqlite3.Row, Answered]]] = {}
    for row, answered in answered_trials(connection, (*COMPARING_POOLS, "catch")):
        answers.setdefault(row["session_id"], []).append((row, answered))
    rows = connection.execute(
        "SELECT s.*, COUNT(t.trial_id) AS n_trials, COUNT(a.trial_id) AS n_done,"
        " SUM(a.outcome='skipped') AS n_skipped FROM sessions s"
        " JOIN trials t USING (session_id) LEFT JOIN answers a USING (trial_id)"
        " GROUP BY s.session_id ORDER BY s.ordinal"
    )
    return [_figures(row, answers.get(row["session_id"], []), study) for row in rows]


def _figures(
    row: sqlite3.Row, answers: Sequence[tuple[sqlite3.Row, Answered]], study: Study
) -> SessionFigures:
    task, limits = study.task, study.flags
    by_trial = {trial["trial_id"]: answered for trial, answered in answers}
    catch = [
        task.is_right(a.question, a.chosen) for trial, a in answers if trial["pool"] == "catch"
    ]
    repeats = [
        task.same_choice(by_trial[trial["repeat_of"]], a)
        for trial, a in answers
        if trial["repeat_of"] in by_trial
    ]
    times = [trial["rt_ms"] for trial, _ in answers if trial["rt_ms"] is not None]
    enough = len(answers) >= ENOUGH_TO_JUDGE
    fast = _share([ms < limits.fast_ms for ms in times]) if enough else None
    side = _one_side(answers) if enough and task.n_select == 1 else None
    flags = {
        "fast": fast is not None and fast > limits.fast_share,
        "one_sided": side is not None and side > limits.one_side_share,
        "failed_catch": catch.count(False) >= FEWEST_WRONG
        and catch.count(False) > limits.catch_wrong_share * len(catch),
    }
    idle = row["status"] == OPEN and row["last_seen_at"] < oldest_open(study)
    return SessionFigures(
        **{name: row[name] for name in ("session_id", "participant", "recruiter")},
        status=EXPIRED if idle else row["status"],
        **{name: row[name] for name in ("started_at", "last_seen_at", "n_trials", "n_done")},
        n_answered=len(answers),
        n_skipped=row["n_skipped"] or 0,
        catch_right=_share(catch),
        repeat_same=_share(repeats),
        median_rt_ms=round(median(times)) if times else None,
        fast_share=fast,
        one_side_share=side,
        flags=tuple(name for name, raised in flags.items() if raised),
    )


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _one_side(answers: Sequence[tuple[sqlite3.Row, Answered]]) -> float:
    places = Counter(answered.chosen[0] for _, answered in answers)
    return places.most_common(1)[0][1] / len(answers)


def study_figures(connection: sqlite3.Connection, study: Study) -> dict[str, Any]:
    """Return the figures of a study as plain values, ready for JSON."""
    people = session_figures(connection, study)
    times = [figures.median_rt_ms for figures in people if figures.median_rt_ms is not None]
    by_pool = connection.execute(
        "SELECT pool, COUNT(*), SUM(sampler='random') FROM trials JOIN answers USING (trial_id)"
        " WHERE outcome='answered' GROUP BY pool"
    ).fetchall()
    counts = {pool: count for pool, count, _ in by_pool}
    n_items, dimension = len(study.items), study.general.dimension
    return {
        "title": study.general.title,
        "study_hash": study.hash,
        "n_items": n_items,
        "n_sessions": len(people),
        "statuses": dict(Counter(figures.status for figures in people)),
        "n_flagged": sum(bool(figures.flags) for figures in people),
        "n_answers": sum(counts.get(pool, 0) for pool in COMPARING_POOLS),
        "answers_by_pool": counts,
        "n_fallback": sum(random for pool, _, random in by_pool if pool == "adaptive"),
        "n_least": math.ceil(n_items * dimension * math.log2(n_items)),
        "catch_right": _mean([f.catch_right for f in people]),
        "repeat_same": _mean([f.repeat_same for f in people]),
        "median_rt_ms": round(median(times)) if times else None,
        "sessions": [asdict(figures) for figures in people],
    }


def _mean(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return sum(known) / len(known) if known else None
