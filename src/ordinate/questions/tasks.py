"""The four tasks: which squared distances an answer compares, and how much it says about them.

In every task each choice stands for a pair of the objects shown, and whoever answers chooses the
pair that seems nearest: the odd one out is chosen by choosing the other two. So the pairs are all
that a task consists of. `ordinate.collect.tasks` puts the same tasks on a screen; both read
answers with the functions of `ordinate.sources`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_choice, check_integer
from ordinate.comparisons.record import Comparisons
from ordinate.sources import from_choices, from_odd_one_out, from_pair_choices

Floats: TypeAlias = NDArray[np.float64]
Items: TypeAlias = NDArray[np.int32]
"""Numbers of the objects of each question, shape (n_questions, n_items)."""
Key: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """What is asked, by the pairs of which the nearest is to be chosen.

    Attributes
    ----------
    name : str
        One of TASKS.
    columns : tuple of str
        What the objects of a question are called.
    pairs : tuple of (int, int)
        For each choice the positions of its two objects.
    n_select : int
        How many choices an answer consists of.
    """

    name: str
    columns: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    n_select: int = 1

    @property
    def n_items(self) -> int:
        """Objects in a question."""
        return len(self.columns)

    @property
    def n_choices(self) -> int:
        """Choices in a question."""
        return len(self.pairs)

    @property
    def rows_per_answer(self) -> int:
        """Comparisons that an answer makes."""
        if self.name == "odd_one_out":
            return 2
        return self.n_select * (self.n_choices - self.n_select)

    @property
    def has_reference(self) -> bool:
        """Whether the first object is the one that the others are compared with."""
        return self.columns[0] in ("anchor", "reference")

    def n_possible(self, n_objects: int) -> int:
        """Return how many different questions there are."""
        if self.name == "pair_against_pair":
            return 3 * math.comb(n_objects, 4)
        if not self.has_reference:
            return math.comb(n_objects, 3)
        return n_objects * math.comb(n_objects - 1, self.n_choices)

    def draw(self, n_objects: int, size: int, rng: np.random.Generator) -> Items:
        """Draw questions uniformly, some of them perhaps twice."""
        items = rng.integers(n_objects, size=(size, self.n_items), dtype=np.int32)
        for column in range(1, self.n_items):
            while (clash := (items[:, :column] == items[:, column, None]).any(axis=1)).any():
                items[clash, column] = rng.integers(n_objects, size=clash.sum(), dtype=np.int32)
        return items

    def shuffled(self, items: Items, rng: np.random.Generator) -> Items:
        """Put the choices of each question into random places."""
        items = items.copy()
        if self.name == "pair_against_pair":
            rng.permuted(items[:, :2], axis=1, out=items[:, :2])
            rng.permuted(items[:, 2:], axis=1, out=items[:, 2:])
            swapped = rng.random(len(items)) < 0.5
            items[swapped] = items[swapped][:, [2, 3, 0, 1]]
        else:
            first = int(self.has_reference)
            items[:, first:] = rng.permuted(items[:, first:], axis=1)
        return items

    def swapped(self, items: Items) -> Items:
        """Put the choices of each question into the opposite order."""
        first = int(self.has_reference)
        if self.name == "pair_against_pair":
            return items[:, [2, 3, 0, 1]]
        return np.concatenate([items[:, :first], items[:, first:][:, ::-1]], axis=1)

    def codes(self, items: Items) -> NDArray[np.int64]:
        """Return numbers, a row per question, that two presentations of it have in common."""
        pairs = items.astype(np.int64)[:, np.array(self.pairs)]
        codes: NDArray[np.int64] = (pairs.min(axis=2) << 32) | pairs.max(axis=2)
        codes.sort(axis=1)
        return codes

    def keys(self, items: Items) -> list[Key]:
        """Return `codes` as what sets and dictionaries can hold."""
        return [tuple(row) for row in self.codes(items).tolist()]

    def margins(self, items: Items, maps: Floats) -> Floats:
        """Return by how much the last pair is farther apart than each other one, squared.

        Parameters
        ----------
        items : ndarray of int, shape (n_questions, n_items)
            The questions.
        maps : ndarray of float, shape (n_maps, n_objects, n_components)
            Maps of the objects.

        Returns
        -------
        ndarray of float, shape (n_questions, n_choices - 1, n_maps)
            For a triplet: |anchor − right|² − |anchor − left|².
        """
        places = np.ascontiguousarray(maps.transpose(1, 0, 2))
        squares = []
        for i, j in self.pairs:
            apart = places[items[:, i]] - places[items[:, j]]
            squares.append(np.einsum("qmk,qmk->qm", apart, apart))  # quicker than a sum
        return np.stack([squares[-1] - square for square in squares[:-1]], axis=1)

    def probabilities(self, margins: Floats, lapse: float = 0.0) -> Floats:
        """Return how likely each choice is.

        Parameters
        ----------
        margins : ndarray of float, shape (n_questions, n_choices - 1, n_maps)
            As `margins` returns them.
        lapse : float, default=0.0
            Share of answers given by coin.

        Returns
        -------
        ndarray of float, shape (n_questions, n_choices, n_maps)
            ℓ/n + (1 − ℓ) p.
        """
        size, _, n_maps = margins.shape
        odds = np.concatenate([margins, np.zeros((size, 1, n_maps))], axis=1)
        odds -= odds.max(axis=1, keepdims=True)
        np.exp(odds, out=odds)
        odds *= (1 - lapse) / odds.sum(axis=1, keepdims=True)
        odds += lapse / self.n_choices
        return odds

    def comparisons(
        self,
        items: Items,
        chosen: NDArray[np.intp],
        n_objects: int,
        *,
        participant: NDArray[np.str_] | None = None,
    ) -> Comparisons:
        """Return what answers say about distances.

        Parameters
        ----------
        items : ndarray of int, shape (n_answers, n_items)
            The questions.
        chosen : ndarray of int, shape (n_answers, n_select)
            Numbers of the choices.
        n_objects : int
            How many objects there are.
        participant : ndarray of str, shape (n_answers,), optional
            Who answered.

        Returns
        -------
        Comparisons
            With the number of the answer as the group ``"trial"``.
        """
        if self.name == "pair_against_pair":
            return from_pair_choices(
                items[:, :2],
                items[:, 2:],
                chosen[:, 0] == 0,
                n_objects=n_objects,
                participant=participant,
            )
        picked = np.take_along_axis(items, chosen + self.has_reference, axis=1)
        if self.has_reference:
            return from_choices(
                items[:, 0], items[:, 1:], picked, n_objects=n_objects, participant=participant
            )
        return from_odd_one_out(items, picked[:, 0], n_objects=n_objects, participant=participant)

    def read_answer(self, answer: object, labels: tuple[str, ...]) -> tuple[int, ...] | None:
        """Return the choices that an answer names, None if it was skipped.

        Parameters
        ----------
        answer : object
            Numbers of choices from 0, or what was chosen: labels of objects, or the name of a
            column such as ``"left"``. None, NaN and empty text stand for a skipped question.
        labels : tuple of str
            The objects of the question.

        Returns
        -------
        tuple of int or None
            `n_select` different choices.
        """
        is_nan = isinstance(answer, (float, np.floating)) and np.isnan(answer)
        if answer is None or is_nan or (isinstance(answer, str) and answer == ""):
            return None
        several = isinstance(answer, (list, tuple, set, frozenset, np.ndarray))
        parts = list(answer) if several else [answer]  # type: ignore[call-overload]
        chosen = tuple(self._choice(part, labels) for part in parts)
        if len(set(chosen)) != self.n_select or len(chosen) != self.n_select:
            raise InputError(
                f"An answer to {self.name!r} has {self.n_select} different choice"
                f"{'' if self.n_select == 1 else 's'}; got {answer!r}."
            )
        return chosen

    def _choice(self, part: object, labels: tuple[str, ...]) -> int:
        if isinstance(part, (bool, np.bool_)):
            part = None  # True might be left or "the first": refused below
        if isinstance(part, (int, np.integer)):
            if 0 <= part < self.n_choices:
                return int(part)
        elif self.name != "pair_against_pair":
            first = int(self.has_reference)
            for known in (labels[first:], self.columns[first:]):
                if part in known:
                    return known.index(str(part))
        elif part in ("first", "second"):
            return ("first", "second").index(str(part))
        named = (
            "'first' or 'second'"
            if self.name == "pair_against_pair"
            else f"one of {', '.join(map(repr, labels[int(self.has_reference) :]))}"
        )
        raise InputError(
            f"An answer is a choice from 0 to {self.n_choices - 1}, {named}, or None where the"
            f" question was skipped; got {part!r}."
        )


TASKS = ("triplet", "odd_one_out", "choose_k", "pair_against_pair")
"""Names of the tasks, the same as in a study.toml."""


def make_task(name: str, *, shown: int = 8, choose: int = 2) -> Task:
    """Return the task of a name.

    Parameters
    ----------
    name : str
        One of TASKS.
    shown, choose : int
        For choose_k: objects to choose from, and how many of them.

    Returns
    -------
    Task
        What is asked.
    """
    check_choice("task", name, TASKS)
    if name == "triplet":
        return Task(name, ("anchor", "left", "right"), ((0, 1), (0, 2)))
    if name == "odd_one_out":
        return Task(name, ("first", "second", "third"), ((1, 2), (0, 2), (0, 1)))
    if name == "pair_against_pair":
        return Task(name, ("i", "j", "k", "l"), ((0, 1), (2, 3)))
    shown = check_integer("shown", shown, minimum=2)
    choose = check_integer("choose", choose, minimum=1, maximum=shown - 1)
    options = tuple(f"option_{number}" for number in range(1, shown + 1))
    pairs = tuple((0, number) for number in range(1, shown + 1))
    return Task(name, ("reference", *options), pairs, choose)
