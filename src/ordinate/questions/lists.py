"""Lists of questions for participants, made before the first answer: balanced, with controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_integer
from ordinate.questions.tasks import Items, Key, Task

_MOST_SHARE = 0.8
"""Of all questions that a list may have; it must be balanced, too."""
_ZONE = 0.4
"""Repeated questions stand in this first share of a list, their repeats in as large a last one."""


@dataclass(frozen=True, eq=False)
class ParticipantLists:
    """Questions in the order in which participants get them.

    Attributes
    ----------
    task : Task
        What is asked.
    participant : ndarray of int, shape (n_rows,)
        Whose question it is, from 1.
    index : ndarray of int, shape (n_rows,)
        Its place in the list, from 1.
    pool : ndarray of str, shape (n_rows,)
        "random", "landmarks", "catch" (it has a right answer) or "repeat" (sides swapped).
    items : ndarray of int, shape (n_rows, n_items)
        Objects in the order shown.
    expected : ndarray of int, shape (n_rows,)
        The right choice of a catch question; -1 for others.
    """

    task: Task
    participant: NDArray[np.intp]
    index: NDArray[np.intp]
    pool: NDArray[np.str_]
    items: Items
    expected: NDArray[np.intp]

    def to_dict(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return the table as columns, objects by label."""
        labels = np.array(names, dtype=object)
        first = int(self.task.has_reference)
        right = self.items[np.arange(len(self.items)), np.maximum(self.expected, 0) + first]
        if self.task.name == "pair_against_pair":
            expected = np.array(["first", "second"])[np.maximum(self.expected, 0)]
        else:
            expected = labels[right]
        return {
            "participant": self.participant,
            "index": self.index,
            "pool": self.pool,
            **dict(zip(self.task.columns, labels[self.items.T], strict=True)),
            "expected": np.where(self.expected >= 0, expected.astype(object), ""),
        }


def make_lists(
    task: Task,
    n_objects: int,
    n_participants: int,
    per: int,
    rng: np.random.Generator,
    *,
    design: Items | None = None,
    n_catch: int = 0,
    n_repeats: int = 0,
) -> ParticipantLists:
    """Make a list of questions for each participant.

    Parameters
    ----------
    task : Task
        What is asked.
    n_objects : int
        How many objects there are.
    n_participants : int
        How many lists.
    per : int
        Questions of each, without catch questions and repeats.
    rng : Generator
        Source of randomness.
    design : ndarray of int, shape (n_questions, n_items), optional
        Questions to deal out, each as often as any other; by default random questions in which
        every object occurs as often as any other, also as the reference.
    n_catch : int, default=0
        Catch questions in each list: an object is shown twice.
    n_repeats : int, default=0
        Questions of each list that come again with their sides swapped.

    Returns
    -------
    ParticipantLists
        All lists, one after the other.
    """
    check_integer("per", per, minimum=1)
    check_integer("repeats", n_repeats, minimum=0, maximum=int(_ZONE * per))
    size = n_participants * per
    if design is None:
        items = balanced_questions(task, n_objects, n_participants, per, rng)
    else:
        check_integer("per", per, minimum=1, maximum=len(design))
        items = design[_dealt(len(design), size, rng)]
    items = task.shuffled(items, rng).reshape(n_participants, per, task.n_items)
    pool = "random" if design is None else "landmarks"
    rows: list[tuple[int, int, str, Items, int]] = []
    for number, own in enumerate(items, 1):
        entries = _arranged(task, own, pool, n_catch, n_repeats, n_objects, rng)
        rows += [(number, index, *entry) for index, entry in enumerate(entries, 1)]
    participant, index, pools, questions, expected = zip(*rows, strict=True)
    return ParticipantLists(
        task,
        np.array(participant),
        np.array(index),
        np.array(pools),
        np.array(questions, dtype=np.int32),
        np.array(expected),
    )


def _arranged(
    task: Task,
    own: Items,
    pool: str,
    n_catch: int,
    n_repeats: int,
    n_objects: int,
    rng: np.random.Generator,
) -> list[tuple[str, Items, int]]:
    """Put repeats late and spread catch questions over the whole."""
    entries: list[tuple[str, Items, int]] = [(pool, row, -1) for row in own]
    zone = max(int(_ZONE * len(own)), n_repeats)
    again = rng.choice(zone, n_repeats, replace=False)
    for row in task.swapped(own[again]):
        entries.insert(int(rng.integers(len(own) - zone, len(entries) + 1)), ("repeat", row, -1))
    for number in range(n_catch):
        low, high = (len(entries) * part // n_catch for part in (number, number + 1))
        row, right = draw_catch(task, n_objects, rng)
        entries.insert(int(rng.integers(low, high + 1)), ("catch", row, right))
    return entries


def draw_catch(task: Task, n_objects: int, rng: np.random.Generator) -> tuple[Items, int]:
    """Draw a question that shows an object twice, and so has a right answer.

    Parameters
    ----------
    task : Task
        What is asked.
    n_objects : int
        How many objects there are.
    rng : Generator
        Source of randomness.

    Returns
    -------
    items : ndarray of int, shape (n_items,)
        The question.
    right : int
        The choice that a careful person makes.
    """
    (row,) = task.draw(n_objects, 1, rng)
    right = int(rng.integers(task.n_choices))
    i, j = task.pairs[right]
    row[j] = row[i]
    return row, right


def balanced_questions(
    task: Task, n_objects: int, n_participants: int, per: int, rng: np.random.Generator
) -> Items:
    """Draw questions in which every object occurs as often as any other, give or take one.

    References are dealt out; the other objects of a question are those that have come least
    often so far, chance deciding among equals.

    Parameters
    ----------
    task : Task
        What is asked.
    n_objects : int
        How many objects there are.
    n_participants : int
        How many lists.
    per : int
        Questions of each list; none comes twice in it.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray of int, shape (n_participants * per, n_items)
        The questions of the first list, then those of the second, and so on.
    """
    possible = task.n_possible(n_objects)
    if per > _MOST_SHARE * possible:
        raise InputError(
            f"{n_objects} objects have {possible:,} different questions, too few for lists of"
            f" {per:,}; ask fewer."
        )
    first = int(task.has_reference)
    size = n_participants * per
    items = np.empty((size, task.n_items), dtype=np.int32)
    items[:, :first] = _dealt(n_objects, size * first, rng).reshape(size, first)
    times = np.zeros(n_objects)
    for number in range(size):
        if number % per == 0:
            seen: set[Key] = set()
        slack = 1.0
        while True:
            wait = times + slack * rng.random(n_objects)
            wait[items[number, :first]] = np.inf
            items[number, first:] = np.argsort(wait)[: task.n_items - first]
            (key,) = task.keys(items[number : number + 1])
            if key not in seen:
                break
            slack += 0.5  # the least frequent ones have been together before
        seen.add(key)
        times[items[number, first:]] += 1
    return items


def _dealt(n: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return numbers below n, each as often as any other, none again before all have come."""
    rounds = [rng.permutation(n) for _ in range(-(-size // n))]
    return np.concatenate([np.empty(0, dtype=np.intp), *rounds])[:size]
