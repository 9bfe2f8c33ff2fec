"""Lists of questions for participants, made before the first answer: balanced, with controls.

Repeats come in the last two fifths of a list with their sides swapped, the questions they repeat in
the first two; catch questions, which have a right answer, are spread over the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_integer
from ordinate.tasks import Items, Key, Question, Task

ZONE = 0.4
"""Repeated questions stand in this first share of a list, their repeats in as large a last one."""


@dataclass(frozen=True)
class Planned:
    """A question at its place in a list."""

    pool: str
    question: Question
    sampler: str = "random"
    repeat_of: int | None = None
    """Place of the question that it repeats."""

    @property
    def phase(self) -> str:
        """Whether it is for practice or belongs to the study."""
        return "practice" if self.pool == "practice" else "main"


def make_lists(
    task: Task,
    names: Sequence[str],
    n_participants: int,
    per: int,
    rng: np.random.Generator,
    *,
    design: Items | None = None,
    n_catch: int = 0,
    n_repeats: int = 0,
) -> dict[str, NDArray[Any]]:
    """Make a list of questions for each participant, and return all as one table."""
    check_integer("per", per, minimum=1)
    check_integer("repeats", n_repeats, minimum=0, maximum=int(ZONE * per))
    if design is None:
        items = balanced_questions(task, len(names), n_participants, per, rng)
    else:
        check_integer("per", per, minimum=1, maximum=len(design))
        items = design[_dealt(len(design), n_participants * per, rng)]
    items = task.shuffled(items, rng).reshape(n_participants, per, task.n_items)
    pool = "random" if design is None else "landmarks"
    rows: list[tuple[Any, ...]] = []
    for number, own in enumerate(items.tolist(), 1):
        asked = [Planned(pool, task.question(row)) for row in own]
        catch = [Planned("catch", task.draw_catch(len(names), rng)) for _ in range(n_catch)]
        for index, planned in enumerate(arrange(task, asked, n_repeats, catch, rng), 1):
            labels = [names[item] for item in planned.question.items]
            right = task.named(task.question(labels), planned.question.expected)
            rows.append((number, index, planned.pool, *labels, ";".join(right)))
    header = ("participant", "index", "pool", *task.columns, "expected")
    return {
        name: np.array(column, dtype=object if isinstance(column[0], str) else np.intp)
        for name, column in zip(header, zip(*rows, strict=True), strict=True)
    }


def arrange(
    task: Task,
    asked: Sequence[Planned],
    n_repeats: int,
    catch: Sequence[Planned],
    rng: np.random.Generator,
    once: Sequence[Planned] = (),
) -> list[Planned]:
    """Put questions into random places, some of those asked again, others only once."""
    asked = [asked[at] for at in rng.permutation(len(asked))]
    repeated, rest = asked[:n_repeats], [*asked[n_repeats:], *once]
    total = len(asked) + len(once) + n_repeats + len(catch)
    zone = int(ZONE * total)
    places: list[Planned | None] = [None] * total
    first = np.sort(rng.permutation(zone)[:n_repeats]).tolist()
    late = np.sort(rng.permutation(zone)[:n_repeats] + total - zone).tolist()
    for place, again, planned in zip(first, late, repeated, strict=True):
        places[place] = planned
        swapped = task.reorder(planned.question, task.swap)
        places[again] = Planned("repeat", swapped, "repeat", place)
    free = [place for place, planned in enumerate(places) if planned is None]
    for number, planned in enumerate(catch):
        start, stop = (len(free) * part // len(catch) for part in (number, number + 1))
        places[free[int(rng.integers(start, stop))]] = planned
    others = iter([rest[at] for at in rng.permutation(len(rest))])
    return [next(others) if planned is None else planned for planned in places]


def balanced_questions(
    task: Task,
    n_objects: int,
    n_participants: int,
    per: int,
    rng: np.random.Generator,
    taken: Collection[Key] = (),
) -> Items:
    """Draw questions in which every object occurs as often as any other, give or take one.

    References are dealt out; the other objects of a question are those that have come least
    often so far, chance deciding among equals. Nobody gets a question twice, or one that is taken.
    """
    possible = task.n_possible(n_objects)
    if per + len(taken) > possible:
        raise InputError(
            f"{n_objects} objects have {possible:,} different questions, too few for lists of"
            f" {per + len(taken):,}; ask fewer, or add objects."
        )
    first = int(task.has_reference)
    size, n_others = n_participants * per, task.n_items - first
    items = np.empty((size, task.n_items), dtype=np.int32)
    items[:, :first] = _dealt(n_objects, size * first, rng).reshape(size, first)
    times = np.zeros(n_objects)
    for number in range(size):
        if number % per == 0:
            seen = set(taken)
        slack = 1.0
        while True:
            if slack > 1 + n_objects:  # all questions about this reference have been asked
                items[number, :first] = rng.integers(n_objects, size=first)
            wait = times + slack * rng.random(n_objects)
            wait[items[number, :first]] = np.inf
            items[number, first:] = np.argsort(wait)[:n_others]
            key = task.key(items[number].tolist())
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
