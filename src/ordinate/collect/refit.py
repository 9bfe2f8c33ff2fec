"""The process that chooses adaptive questions, by a model of the answers on disk.

It reads a line with a number from the server and answers with a line of questions, again and again,
at low priority. All it remembers is where its last fit ended, to be quicker the next time.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate.collect.export import comparisons_of
from ordinate.collect.figures import COMPARING_POOLS, among
from ordinate.collect.live import MOST_ROWS
from ordinate.collect.sessions import RETURNED, question_of
from ordinate.collect.store import open_for_reading, study_of
from ordinate.collect.study import Study

if TYPE_CHECKING:
    from ordinate.questions.prepare import Fit
    from ordinate.tasks import Items, Key

RULE = "posterior"
FEWEST_PER_ITEM = 2
"""Comparisons per item before there is a model."""
AWAY = timedelta(minutes=30)
"""What people who are away for so long were asked last is not expected to be answered."""
MOST_OUT = 1000


class Refit:
    """A model of a study's answers that chooses the next questions."""

    def __init__(self, study: Study) -> None:
        self._study, self._task = study, study.task
        self._number = {name: number for number, name in enumerate(study.items)}
        self._last: Fit | None = None

    def choose(self, connection: sqlite3.Connection, number: int) -> dict[str, Any]:
        """Return the questions that tell most, by the answers there are now."""
        from ordinate.questions.prepare import Snapshot, prepare

        connection.execute("BEGIN")  # answers and open questions of the same moment
        try:
            n_answers, few = self._count(connection)
            if few:
                needed = FEWEST_PER_ITEM * len(self._number)
                why = f"a model needs {needed} answers, {FEWEST_PER_ITEM} per item; there are"
                return {"questions": [], "model_version": None, "why": f"{why} {n_answers}."}
            answers = comparisons_of(connection, self._study)
            out, taken = self._out(connection), self._taken(connection)
        finally:
            connection.execute("COMMIT")
        if len(answers) > MOST_ROWS:
            answers = answers.sample(MOST_ROWS, random_state=n_answers)
        snapshot = Snapshot(
            self._task,
            self._study.general.dimension,
            RULE,
            answers,
            out,
            taken,
            size=number,
            seed=(self._study.general.seed, n_answers),
            version=n_answers,
            n_told=n_answers,
            last=self._last,
        )
        found = prepare(snapshot)
        self._last = found.fit
        pairs = zip(found.items.tolist(), found.scores.tolist(), strict=True)
        entries = [self._entry(items, score) for items, score in pairs]
        chosen: dict[str, Any] = {"questions": entries, "model_version": n_answers}
        if not entries:
            chosen["why"] = "all questions there are have been asked."
        return chosen

    def _count(self, connection: sqlite3.Connection) -> tuple[int, bool]:
        """Return how many answers there are, and whether they are too few for a model."""
        (count,) = connection.execute(
            "SELECT COUNT(*) FROM sessions JOIN trials USING (session_id)"
            " JOIN answers USING (trial_id)"
            f" WHERE status!=? AND outcome='answered' AND pool IN {among(COMPARING_POOLS)}",
            (RETURNED, *COMPARING_POOLS),
        ).fetchone()
        return count, count < FEWEST_PER_ITEM * len(self._number)

    def _entry(self, items: list[int], score: float) -> dict[str, Any]:
        names = list(self._number)
        question = self._task.question([names[item] for item in items])
        asked = {"reference": question.reference, "shown": list(question.shown)}
        return {**asked, "rule": RULE, "score": score}

    def _out(self, connection: sqlite3.Connection) -> Items:
        """Return questions that somebody has before them: what they will tell is counted on."""
        since = (datetime.now(UTC) - AWAY).strftime("%Y-%m-%dT%H:%M:%S")
        rows = connection.execute(
            "SELECT t.* FROM trials t JOIN sessions s USING (session_id)"
            " LEFT JOIN answers a USING (trial_id) WHERE a.trial_id IS NULL"
            f" AND t.served_at IS NOT NULL AND t.pool IN {among(COMPARING_POOLS)}"
            " AND s.status='open' AND s.last_seen_at>=?"
            " ORDER BY s.ordinal DESC, t.place DESC LIMIT ?",
            (*COMPARING_POOLS, since, MOST_OUT),
        )
        return self._items(rows.fetchall())

    def _taken(self, connection: sqlite3.Connection) -> set[Key]:
        """Return the questions that were asked more often than all are on average."""
        rows = connection.execute(
            "SELECT * FROM trials WHERE served_at IS NOT NULL"
            f" AND pool IN {among(COMPARING_POOLS)}",
            COMPARING_POOLS,
        ).fetchall()
        times = Counter(self._task.keys(self._items(rows)))
        possible = self._task.n_possible(len(self._number))
        return {key for key, count in times.items() if count > times.total() / possible}

    def _items(self, rows: list[sqlite3.Row]) -> Items:
        import numpy as np

        questions = [question_of(row) for row in rows]
        items = [[self._number[name] for name in question.items] for question in questions]
        return np.array(items, dtype=np.int32).reshape(-1, self._task.n_items)


def main() -> None:
    """Choose questions of the study named on the command line, as long as somebody asks."""
    if hasattr(os, "nice"):
        os.nice(10)
    folder, which = Path(sys.argv[1]), sys.argv[2]
    connection = open_for_reading(folder, which)
    refit = Refit(study_of(connection, folder))
    for line in sys.stdin:
        chosen = refit.choose(connection, json.loads(line)["number"])
        try:
            print(json.dumps(chosen), flush=True)
        except BrokenPipeError:  # the server was killed meanwhile
            os._exit(0)


if __name__ == "__main__":
    main()
