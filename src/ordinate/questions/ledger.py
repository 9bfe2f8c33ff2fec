"""The record of a study: which questions went out, and what was answered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.questions.batch import Asked
from ordinate.tasks import Items, Key, Task

_MOST_OUT = 1000
"""Questions without an answer that a fit counts on; older ones have been given up."""


@dataclass(frozen=True)
class Told:
    """An answer: the choices made, or None where the question was skipped."""

    id: int
    chosen: tuple[int, ...] | None
    participant: str


class Ledger:
    """Questions that went out and answers that came in, in the order in which they did."""

    def __init__(self, task: Task, given: Comparisons | None = None) -> None:
        self.task = task
        self.given = given
        self.asked: list[Asked] = []
        self.told: list[Told] = []
        self.times: Counter[Key] = Counter()
        """How often each question went out."""
        self._had: defaultdict[str, set[Key]] = defaultdict(set)
        self._out: dict[int, None] = {}
        self._answered: set[Key] = set()
        self._n_answers = 0
        self.n_ruled = 0
        """Questions that a rule was to choose or that are random by design."""
        self.n_random = 0
        """Those of them that are random."""
        if given is not None and task.rows_per_answer == 1:  # a row of answers is a question
            self.times.update(task.keys(given.rows))

    @property
    def n_comparisons(self) -> int:
        """How many comparisons the answers make."""
        given = 0 if self.given is None else len(self.given)
        return given + self.task.rows_per_answer * self._n_answers

    @property
    def n_answered(self) -> int:
        """Answers, without questions that were skipped."""
        return self._n_answers

    @property
    def n_out(self) -> int:
        """Questions that nobody has answered or skipped yet."""
        return len(self._out)

    def add(self, asked: Asked) -> None:
        """Note that a question went out."""
        key = self.key(asked.items)
        self.asked.append(asked)
        self.times[key] += 1
        self._had[asked.participant].add(key)
        self._out[asked.id] = None
        if asked.pool != "validation" and not asked.fallback:
            self.n_ruled += 1
            self.n_random += asked.pool == "random"

    def enter(self, told: Told) -> None:
        """Note an answer to a question that went out."""
        self.told.append(told)
        self._out.pop(told.id, None)
        if told.chosen is not None:
            self._n_answers += 1
            self._answered.add(self.key(self.asked[told.id].items))

    def read(
        self, number: object, answer: object, participant: object, names: tuple[str, ...]
    ) -> Told:
        """Return an answer as it will be entered, or say what is wrong with it."""
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise InputError(f"An id is a whole number, as ask() gave it; got {number!r}.")
        if not 0 <= number < len(self.asked):
            known = f"ids run from 0 to {len(self.asked) - 1}" if self.asked else "none was so far"
            raise InputError(f"Question {number} was never asked: {known}. Nothing was recorded.")
        asked = self.asked[int(number)]
        labels = tuple(names[item] for item in asked.items)
        who = asked.participant if participant is None else str(participant)
        return Told(asked.id, self.task.read_answer(answer, labels), who)

    def key(self, items: tuple[int, ...]) -> Key:
        """Return what all presentations of a question have in common."""
        return self.task.keys(np.array([items], dtype=np.int32))[0]

    def asked_of(self, participant: str) -> set[Key]:
        """Return the questions that a participant was asked."""
        return self._had[participant]

    def was_answered(self, items: tuple[int, ...]) -> bool:
        """Whether there is an answer to this question."""
        return self.key(items) in self._answered

    def items_out(self) -> Items:
        """Return the questions that wait for an answer."""
        numbers = list(self._out)[-_MOST_OUT:]
        return self.as_items(self.asked[number].items for number in numbers)

    def as_items(self, rows: Iterable[tuple[int, ...]]) -> Items:
        """Return objects of questions as an array, also of none."""
        return np.array(list(rows), dtype=np.int32).reshape(-1, self.task.n_items)

    def comparisons(
        self, names: tuple[str, ...], n_answered: int | None = None, *, may_be_none: bool = False
    ) -> tuple[Comparisons, NDArray[np.bool_]]:
        """Return what the answers say about distances, and which of them are a fair test."""
        parts, is_random = [], []
        if self.given is not None:
            parts.append(self.given)
            is_random.append(np.zeros(len(self.given), dtype=bool))
        told = [answer for answer in self.told[:n_answered] if answer.chosen is not None]
        if told:
            asked = [self.asked[answer.id] for answer in told]
            rows, trial = self.task.rows(
                self.as_items(row.items for row in asked),
                np.array([answer.chosen for answer in told], dtype=np.intp),
            )
            groups = {
                "participant": np.array([answer.participant for answer in told])[trial],
                "trial": trial,
                "pool": np.array([row.pool for row in asked])[trial],
            }
            parts.append(Comparisons._from_validated(rows, None, groups, names, len(names)))
            is_random.append(groups["pool"] == "random")
        if not parts:
            if not may_be_none:
                raise InputError("There are no answers yet; tell some first.")
            width = 4 if self.task.name == "pair_against_pair" else 3
            parts.append(
                Comparisons._from_validated(
                    np.zeros((0, width), dtype=np.int32), None, {}, names, len(names)
                )
            )
            is_random.append(np.zeros(0, dtype=bool))
        named = [
            Comparisons._from_validated(part.rows, part.weights, part.groups, names, len(names))
            for part in parts
        ]
        joined = named[0] if len(named) == 1 else Comparisons.concatenate(named)
        return joined, np.concatenate(is_random)
