"""The process that chooses adaptive questions, by a model of the answers on disk.

It reads a line with a block and a number from the server and answers with a line of questions,
again and again, at low priority. All it remembers is where its last fit of a block ended, to be
quicker the next time.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ordinate.collect.figures import COMPARING_POOLS, among
from ordinate.collect.live import MOST_ROWS, features_of
from ordinate.collect.sessions import USED
from ordinate.collect.store import PERSON, ago, open_for_reading, study_of, unpacked
from ordinate.collect.study import MAIN, Study
from ordinate.comparisons.pairs import Pairs
from ordinate.comparisons.record import Comparisons
from ordinate.questions.prepare import Fit, Snapshot, prepare
from ordinate.scales.next_pairs import choose_pairs
from ordinate.tasks import PAIR, Items, Key, Question

RULE = "posterior"
FEWEST_PER_ITEM = 2
"""Comparisons per item before there is a model."""
FEWEST_WITH_FEATURES = 20
"""Comparisons before there is a model of items with features."""
AWAY_MINUTES = 30
"""What people who are away for so long were asked last is not expected to be answered."""
MOST_OUT = 1000


class Refit:
    """A model of the answers to a block of a study that chooses its next questions."""

    def __init__(self, study: Study, block: str = MAIN, participant: str = "") -> None:
        self._study, self._block = study.blocks[block], block
        self._task = self._study.task
        # a machine is asked what its own answers leave open, people what theirs do
        self._whose = "s.participant=?" if participant else "s.answered_by=?"
        self._who = participant or PERSON
        self._number = {name: number for number, name in enumerate(self._study.items)}
        self._known: dict[tuple[str | None, str], list[int]] = {}
        self._last: Fit | None = None
        self._features = features_of(self._study)

    def choose(self, connection: sqlite3.Connection, number: int) -> dict[str, Any]:
        """Return the most informative questions, given the answers so far."""
        connection.execute("BEGIN")  # answers and open questions of the same moment
        try:
            found = self._answered(connection)
            out, taken = self._out(connection), self._taken(connection)
        finally:
            connection.execute("COMMIT")
        n_answers, needed = len(found), FEWEST_PER_ITEM * len(self._number)
        per_item = f", {FEWEST_PER_ITEM} per item"
        if self._features is not None:
            needed, per_item = min(needed, FEWEST_WITH_FEATURES), ""
        if n_answers < needed:
            why = f"a model needs {needed} answers{per_item}; there are"
            return {"questions": [], "model_version": None, "why": f"{why} {n_answers}."}
        if self._task.name == PAIR:
            return self._pairs(found, out, number)
        answers = self._comparisons(found, seed=n_answers)
        snapshot = Snapshot(
            self._task, self._study.general.dimension, RULE, answers, out, taken, size=number,
            seed=(self._study.general.seed, n_answers), version=n_answers, n_answered=n_answers,
            last=self._last, features=self._features,
        )  # fmt: skip
        prepared = prepare(snapshot)
        self._last = prepared.fit
        pairs = zip(prepared.items.tolist(), prepared.scores.tolist(), strict=True)
        entries = [self._entry(items, score) for items, score in pairs]
        chosen: dict[str, Any] = {"questions": entries, "model_version": n_answers}
        if not entries:
            chosen["why"] = "all questions there are have been asked."
        return chosen

    def _pairs(self, found: list[sqlite3.Row], out: Items, number: int) -> dict[str, Any]:
        """Choose pairs by a scale of the answers; a pair may be asked of many people."""
        chosen = np.array([unpacked(row["chosen"]) for row in found])
        outcomes = np.array([1, -1, 0])[chosen[:, 0]]
        picked = choose_pairs(
            Pairs(self._items(found), outcomes, n_objects=len(self._number)).counts(),
            len(self._number),
            number,
            waiting=out,
            random_state=np.random.default_rng([self._study.general.seed, len(found)]),
        )
        rows = zip(picked.pairs.tolist(), picked.gains.tolist(), strict=True)
        entries = [self._entry(items, score) for items, score in rows]
        return {"questions": entries, "model_version": len(found)}

    def _answered(self, connection: sqlite3.Connection) -> list[sqlite3.Row]:
        """Return the answers that are comparisons, without those of sessions that are not used."""
        return connection.execute(
            "SELECT trial_id, reference, shown, chosen FROM sessions s"
            " JOIN trials USING (session_id) JOIN answers USING (trial_id)"
            f" WHERE {self._whose} AND block=? AND {USED}"
            f" AND outcome='answered' AND pool IN {among(COMPARING_POOLS)}",
            (self._who, self._block, *COMPARING_POOLS),
        ).fetchall()

    def _comparisons(self, found: list[sqlite3.Row], seed: int) -> Comparisons:
        """Turn answers into comparisons; of very many some, at random."""
        if len(found) > MOST_ROWS:
            found = Random(seed).sample(found, MOST_ROWS)
        chosen = np.array([unpacked(row["chosen"]) for row in found])
        rows, question = self._task.rows(self._items(found), chosen)
        trials = np.array([row["trial_id"] for row in found])
        answers = Comparisons(rows, groups={"trial": trials[question]}, names=list(self._number))
        return answers.sample(MOST_ROWS, random_state=seed) if len(answers) > MOST_ROWS else answers

    def _entry(self, items: list[int], score: float) -> dict[str, Any]:
        names = list(self._number)
        question = self._task.question([names[item] for item in items])
        asked = {"reference": question.reference, "shown": list(question.shown)}
        return {**asked, "rule": RULE, "score": score}

    def _out(self, connection: sqlite3.Connection) -> Items:
        """Return questions that somebody has before them: what they will tell is counted on."""
        since = ago(minutes=AWAY_MINUTES)
        rows = connection.execute(
            "SELECT t.reference, t.shown FROM trials t JOIN sessions s USING (session_id)"
            " LEFT JOIN answers a USING (trial_id) WHERE a.trial_id IS NULL"
            f" AND t.served_at IS NOT NULL AND t.pool IN {among(COMPARING_POOLS)}"
            f" AND t.block=? AND s.status='open' AND {self._whose} AND s.last_seen_at>=?"
            " ORDER BY s.ordinal DESC, t.place DESC LIMIT ?",
            (*COMPARING_POOLS, self._block, self._who, since, MOST_OUT),
        )
        return self._items(rows.fetchall())

    def _taken(self, connection: sqlite3.Connection) -> set[Key]:
        """Return the questions that were asked more often than all are on average."""
        rows = connection.execute(
            "SELECT reference, shown, COUNT(*) AS times FROM trials JOIN sessions s"
            f" USING (session_id) WHERE {self._whose} AND served_at IS NOT NULL"
            f" AND block=? AND pool IN {among(COMPARING_POOLS)} GROUP BY reference, shown",
            (self._who, self._block, *COMPARING_POOLS),
        ).fetchall()
        times: Counter[Key] = Counter()
        for row, key in zip(rows, self._task.keys(self._items(rows)), strict=True):
            times[key] += row["times"]
        possible = self._task.n_possible(len(self._number))
        return {key for key, count in times.items() if count > times.total() / possible}

    def _items(self, rows: list[sqlite3.Row]) -> Items:
        items = [self._numbers(row["reference"], row["shown"]) for row in rows]
        return np.array(items, dtype=np.int32).reshape(-1, self._task.n_items)

    def _numbers(self, reference: str | None, shown: str) -> list[int]:
        """Return the numbers of a question's items; the same few questions come again and again."""
        if (found := self._known.get((reference, shown))) is None:
            items = Question(reference, unpacked(shown)).items
            found = self._known[reference, shown] = [self._number[name] for name in items]
        return found


def main() -> None:
    """Choose questions of the study named on the command line, as long as somebody asks.

    Those for one participant alone, such as a machine, if it is named too.
    """
    if hasattr(os, "nice"):
        os.nice(10)
    folder, which = Path(sys.argv[1]), sys.argv[2]
    connection = open_for_reading(folder, which)
    study = study_of(connection, folder)
    refits = {block: Refit(study, block, *sys.argv[3:]) for block in study.blocks}
    for line in sys.stdin:
        asked = json.loads(line)
        chosen = refits[asked["block"]].choose(connection, asked["number"])
        try:
            print(json.dumps(chosen), flush=True)
        except BrokenPipeError:  # the server was killed meanwhile
            os._exit(0)


if __name__ == "__main__":
    main()
