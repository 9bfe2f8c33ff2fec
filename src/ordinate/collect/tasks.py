"""The four tasks: what is shown, which answers there are, and what they say.

Objects are item ids. Choices are positions on the screen, not ids: a catch question shows one
item twice, and only the position tells which of the two was meant.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons

TASKS = ("triplet", "odd_one_out", "choose_k", "pair_against_pair")
"""What `kind` in the section [task] of study.toml may be."""


@dataclass(frozen=True)
class Question:
    """One question as it stands on the screen.

    Attributes
    ----------
    reference : str or None
        The item that the others are compared with, if the task has one.
    shown : tuple of str
        Items in screen order; for pairs the two of the first pair, then those of the second.
    expected : tuple of int
        Positions that a careful person chooses; empty where there is no right answer.
    """

    reference: str | None
    shown: tuple[str, ...]
    expected: tuple[int, ...] = ()

    @property
    def items(self) -> tuple[str, ...]:
        """All items of the question, the reference first."""
        return self.shown if self.reference is None else (self.reference, *self.shown)


@dataclass(frozen=True)
class Answered:
    """A question with the positions that were chosen, and the labels of its rows."""

    question: Question
    chosen: tuple[int, ...]
    participant: str
    trial: str


class Task(ABC):
    """What distinguishes one task from another; all else in the room is common to them."""

    kind: str
    n_shown: int
    """Items on the screen besides the reference."""
    n_choices: int
    """Things to choose from."""
    n_select: int = 1
    """How many of them are chosen."""
    ranked: bool = False
    """Whether the order of choosing counts."""
    has_reference: bool = False

    @property
    def n_needed(self) -> int:
        """Different items that one question needs."""
        return self.n_shown + self.has_reference

    @abstractmethod
    def n_possible(self, n_items: int) -> int:
        """Return how many different questions there are."""

    def draw(self, items: Sequence[str], rng: Random) -> Question:
        """Draw a question uniformly, its positions shuffled."""
        drawn = rng.sample(items, self.n_needed)
        reference = drawn.pop() if self.has_reference else None
        return Question(reference, tuple(drawn))

    @abstractmethod
    def draw_catch(self, items: Sequence[str], rng: Random) -> Question:
        """Draw a question with a right answer, by showing an item twice."""

    @abstractmethod
    def key(self, question: Question) -> tuple[object, ...]:
        """Return what two presentations of the same question have in common."""

    def swapped(self, question: Question) -> Question:
        """Return the same question with its sides swapped."""
        last = self.n_shown - 1
        return Question(
            question.reference,
            question.shown[::-1],
            tuple(last - place for place in question.expected),
        )

    def shuffled(self, question: Question, rng: Random) -> Question:
        """Return the same question with its items in random places."""
        order = rng.sample(range(self.n_shown), self.n_shown)
        return Question(
            question.reference,
            tuple(question.shown[place] for place in order),
            tuple(order.index(place) for place in question.expected),
        )

    def accepts(self, chosen: Sequence[int]) -> bool:
        """Whether this is an answer that the screen allows."""
        return (
            len(chosen) == self.n_select
            and len(set(chosen)) == len(chosen)
            and all(0 <= place < self.n_choices for place in chosen)
        )

    def is_right(self, question: Question, chosen: Sequence[int]) -> bool:
        """Whether the answer has every position that was expected."""
        return set(question.expected) <= set(chosen)

    def same_choice(self, first: Answered, again: Answered) -> bool:
        """Whether two presentations of one question were answered alike."""
        return self._chosen_items(first) == self._chosen_items(again)

    def _chosen_items(self, answered: Answered) -> object:
        return frozenset(answered.question.shown[place] for place in answered.chosen)

    @abstractmethod
    def strain(
        self, question: Question, points: Mapping[str, NDArray[np.float64]]
    ) -> Sequence[float]:
        """Return for each choice how far it is from being right, on a planted map."""

    @abstractmethod
    def comparisons(self, answers: Sequence[Answered], names: Sequence[str]) -> Comparisons:
        """Return what the answers say about distances."""


class _Nearest(Task):
    """Which k of n are most like the reference; a triplet is 1 of 2."""

    has_reference = True

    def __init__(self, kind: str, n_shown: int, n_select: int, ranked: bool) -> None:
        self.kind, self.n_shown, self.n_choices = kind, n_shown, n_shown
        self.n_select, self.ranked = n_select, ranked

    def n_possible(self, n_items: int) -> int:
        return n_items * math.comb(n_items - 1, self.n_shown)

    def draw_catch(self, items: Sequence[str], rng: Random) -> Question:
        reference, *others = rng.sample(items, self.n_shown)
        return self.shuffled(Question(reference, (reference, *others), (0,)), rng)

    def key(self, question: Question) -> tuple[object, ...]:
        return (question.reference, *sorted(question.shown))

    def strain(
        self, question: Question, points: Mapping[str, NDArray[np.float64]]
    ) -> Sequence[float]:
        assert question.reference is not None
        here = points[question.reference]
        return [_distance(here, points[item]) for item in question.shown]

    def comparisons(self, answers: Sequence[Answered], names: Sequence[str]) -> Comparisons:
        from ordinate.sources import from_choices

        return from_choices(
            [str(answered.question.reference) for answered in answers],
            [answered.question.shown for answered in answers],
            [[answered.question.shown[p] for p in answered.chosen] for answered in answers],
            ranked=self.ranked,
            names=names,
            participant=[answered.participant for answered in answers],
            trial=[answered.trial for answered in answers],
        )


class _OddOneOut(Task):
    """Which of three is the odd one out."""

    kind = "odd_one_out"
    n_shown = n_choices = 3

    def n_possible(self, n_items: int) -> int:
        return math.comb(n_items, 3)

    def draw_catch(self, items: Sequence[str], rng: Random) -> Question:
        twice, odd = rng.sample(items, 2)
        return self.shuffled(Question(None, (twice, twice, odd), (2,)), rng)

    def key(self, question: Question) -> tuple[object, ...]:
        return tuple(sorted(question.shown))

    def strain(
        self, question: Question, points: Mapping[str, NDArray[np.float64]]
    ) -> Sequence[float]:
        a, b, c = (points[item] for item in question.shown)
        return [_distance(b, c), _distance(a, c), _distance(a, b)]

    def comparisons(self, answers: Sequence[Answered], names: Sequence[str]) -> Comparisons:
        from ordinate.sources import from_odd_one_out

        return from_odd_one_out(
            [answered.question.shown for answered in answers],
            [answered.question.shown[answered.chosen[0]] for answered in answers],
            names=names,
            participant=[answered.participant for answered in answers],
            trial=[answered.trial for answered in answers],
        )


class _PairAgainstPair(Task):
    """Which of two pairs is more alike."""

    kind = "pair_against_pair"
    n_shown = 4
    n_choices = 2

    def n_possible(self, n_items: int) -> int:
        return math.comb(n_items, 4) * 3

    def draw_catch(self, items: Sequence[str], rng: Random) -> Question:
        twice, one, other = rng.sample(items, 3)
        return self.shuffled(Question(None, (twice, twice, one, other), (0,)), rng)

    def key(self, question: Question) -> tuple[object, ...]:
        pairs = (sorted(question.shown[:2]), sorted(question.shown[2:]))
        return tuple(tuple(pair) for pair in sorted(pairs))

    def swapped(self, question: Question) -> Question:
        return Question(
            None,
            question.shown[2:] + question.shown[:2],
            tuple(1 - place for place in question.expected),
        )

    def shuffled(self, question: Question, rng: Random) -> Question:
        pairs = [rng.sample(question.shown[:2], 2), rng.sample(question.shown[2:], 2)]
        turned = Question(None, (*pairs[0], *pairs[1]), question.expected)
        return self.swapped(turned) if rng.random() < 0.5 else turned

    def _chosen_items(self, answered: Answered) -> object:
        start = 2 * answered.chosen[0]
        return frozenset(answered.question.shown[start : start + 2])

    def strain(
        self, question: Question, points: Mapping[str, NDArray[np.float64]]
    ) -> Sequence[float]:
        a, b, c, d = (points[item] for item in question.shown)
        return [_distance(a, b), _distance(c, d)]

    def comparisons(self, answers: Sequence[Answered], names: Sequence[str]) -> Comparisons:
        from ordinate.sources import from_pair_choices

        return from_pair_choices(
            [answered.question.shown[:2] for answered in answers],
            [answered.question.shown[2:] for answered in answers],
            [answered.chosen[0] == 0 for answered in answers],
            names=names,
            participant=[answered.participant for answered in answers],
            trial=[answered.trial for answered in answers],
        )


def make_task(kind: str, *, shown: int = 8, choose: int = 2, ranked: bool = True) -> Task:
    """Return the task of a kind.

    Parameters
    ----------
    kind : str
        One of TASKS.
    shown, choose : int
        For choose_k: items to choose from, and how many of them.
    ranked : bool
        For choose_k: whether the order of choosing counts.

    Returns
    -------
    Task
        What the kind asks and how its answers are read.
    """
    if kind == "triplet":
        return _Nearest("triplet", 2, 1, ranked=False)
    if kind == "choose_k":
        return _Nearest("choose_k", shown, choose, ranked=ranked and choose > 1)
    return _OddOneOut() if kind == "odd_one_out" else _PairAgainstPair()


def _distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return math.dist(a.tolist(), b.tolist())
