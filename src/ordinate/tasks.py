"""The tasks: what is shown, what may be answered, and which comparisons follow from an answer.

This is their only definition: readers of logs, rules that choose questions, the study server and
the command line ask it. A task is a row of `_FIXED`, or made in `make_task` where its size varies.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats
from ordinate._checks import InputError, check_choice, check_integer

Items: TypeAlias = NDArray[np.int32]
"""Numbers of the objects of each question, shape (n_questions, n_items)."""
Key: TypeAlias = tuple[Any, ...]
"""What all presentations of a question have in common."""

TASKS = ("triplet", "odd_one_out", "choose_k", "pair_against_pair", "pair")
"""Names of the tasks that are asked."""
READ = ("triplet", "odd_one_out", "most_central", "choose_k", "pair_against_pair", "ranking")
"""Names of the tasks whose answers are read as comparisons."""
PAIR = "pair"
"""The task whose answers make a scale, and no map: `ordinate.scales` reads them."""
BEST_WORST = "best_worst"
"""Which of several items is the best, and which the worst: read as pairs."""
SCALED = (PAIR, BEST_WORST, "ranking")
"""Names of the tasks whose answers are read as pairs."""
MAPPED = tuple(name for name in TASKS if name != PAIR)
"""Names of the tasks whose answers make a map."""


def in_words(name: str) -> str:
    """Return what people call a task."""
    return name.replace("_", " ")


@dataclass(frozen=True)
class Question:
    """One question as it stands on a screen, with the choices that are right if some are."""

    reference: Any
    shown: tuple[Any, ...]
    expected: tuple[int, ...] = ()

    @property
    def items(self) -> tuple[Any, ...]:
        """All objects of the question, the reference first."""
        return self.shown if self.reference is None else (self.reference, *self.shown)


@dataclass(frozen=True)
class Task:
    """What is asked; objects are called by their places in a question, choices by numbers from 0.

    An answer need not be about distances: a task without `pairs` is drawn, shuffled, swapped and
    answered as any other, but no map predicts its answers and no comparisons follow from them.
    """

    name: str
    columns: tuple[str, ...]
    """What the objects of a question are called, the reference first."""
    options: tuple[tuple[int, ...], ...]
    """Places of the objects that each choice consists of."""
    pairs: tuple[tuple[int, int], ...] = ()
    """The pair of objects that each choice calls nearest."""
    follows: tuple[tuple[int, ...], ...] = ()
    """Comparisons, by places when the objects chosen stand first; empty where each object chosen
    is nearer to the reference than each other one."""
    choices: tuple[str, ...] = ()
    """What the choices are called, if not as the columns of their objects; those that follow the
    options, such as a tie, choose no object."""
    n_select: int = 1
    ranked: bool = False
    """Whether the order of choosing counts."""
    any_size: bool = False
    """Whether questions may have any number of objects."""
    ask: str = ""
    answer: str = ""
    instructions: str = ""

    @property
    def n_items(self) -> int:
        """Objects in a question."""
        return len(self.columns)

    @property
    def n_choices(self) -> int:
        """Choices in a question."""
        return len(self.choices or self.options)

    @property
    def has_tie(self) -> bool:
        """Whether the last choice is that neither option is more."""
        return self.n_choices > len(self.options)

    @property
    def has_catch(self) -> bool:
        """Whether showing an object twice makes the answer obvious."""
        return bool(self.pairs) or self.has_tie

    @property
    def has_reference(self) -> bool:
        """Whether the first object is the one that the others are compared with."""
        return self.columns[0] in ("anchor", "reference")

    @property
    def n_shown(self) -> int:
        """Objects beside the reference."""
        return self.n_items - self.has_reference

    @property
    def swap(self) -> list[int]:
        """Places of the objects once the options stand in the opposite order."""
        return [*range(self.has_reference), *(p for option in self.options[::-1] for p in option)]

    @property
    def rows_per_answer(self) -> int:
        """Comparisons that an answer makes."""
        return len(self._template(self.n_select, self.ranked))

    def n_possible(self, n_objects: int) -> int:
        """Return how many different questions there are."""
        alike = math.prod(math.factorial(len(option)) for option in self.options)
        alike *= math.factorial(len(self.options))
        return math.perm(n_objects, self.n_items) // alike

    def draw(self, n_objects: int, size: int, rng: np.random.Generator) -> Items:
        """Draw questions uniformly, some of them perhaps twice."""
        items = rng.integers(n_objects, size=(size, self.n_items), dtype=np.int32)
        for column in range(1, self.n_items):
            while (clash := (items[:, :column] == items[:, column, None]).any(axis=1)).any():
                items[clash, column] = rng.integers(n_objects, size=clash.sum(), dtype=np.int32)
        return items

    def draw_catch(self, n_objects: int, rng: np.random.Generator) -> Question:
        """Draw a question that shows an object twice, and so has a right answer."""
        (row,) = self.draw(n_objects, 1, rng)
        if not self.has_catch:
            raise InputError(
                f"No question of {self.name!r} without ties has an obvious answer; ask 0 catch"
                " questions, or write down some whose answer you know."
            )
        if self.has_tie:
            right, (i, j) = self.n_choices - 1, (0, 1)
        else:
            right = int(rng.integers(self.n_choices))
            i, j = self.pairs[right]
        row[j] = row[i]
        return self.question(row.tolist(), (right,))

    def question(self, items: Sequence[Any], expected: tuple[int, ...] = ()) -> Question:
        """Return a question about objects that stand in the order of the columns."""
        if self.has_reference:
            return Question(items[0], tuple(items[1:]), expected)
        return Question(None, tuple(items), expected)

    def orders(self, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Return random places for the objects of questions that leave the questions the same."""
        places = np.tile(np.arange(self.n_items), (size, 1))
        options = np.array(self.options)
        for option in self.options if options.shape[1] > 1 else ():
            places[:, option] = rng.permuted(places[:, option], axis=1)
        which = rng.permuted(np.tile(np.arange(len(options)), (size, 1)), axis=1)
        shown = options[which].reshape(size, options.size)
        places[:, options.ravel()] = np.take_along_axis(places, shown, axis=1)
        return places

    def shuffled(self, items: Items, rng: np.random.Generator) -> Items:
        """Put the choices of each question into random places."""
        return np.take_along_axis(items, self.orders(len(items), rng), axis=1)

    def reorder(self, question: Question, order: Sequence[int]) -> Question:
        """Return the same question with its objects in other places."""
        moved = [{int(order[place]) for place in option} for option in self.options]
        expected = tuple(
            moved.index({*self.options[choice]}) if choice < len(self.options) else choice
            for choice in question.expected
        )
        return self.question([question.items[place] for place in order], expected)

    def key(self, items: Sequence[Hashable]) -> Key:
        """Return what two presentations of a question have in common."""
        options = sorted(tuple(sorted(items[p] for p in option)) for option in self.options)  # type: ignore[type-var]
        return (*items[: self.has_reference], *options)

    def codes(self, items: Items) -> NDArray[np.int64]:
        """Return `key` as whole numbers, a row per question."""
        codes = items.astype(np.int64)
        shown = [codes[:, list(option)] for option in self.options]
        joined = np.stack([(o.min(axis=1) << 32) | o.max(axis=1) for o in shown], axis=1)
        joined.sort(axis=1)
        return np.concatenate([codes[:, : self.has_reference], joined], axis=1)

    def keys(self, items: Items) -> list[Key]:
        """Return `codes` as what sets and dictionaries can hold."""
        return [tuple(row) for row in self.codes(items).tolist()]

    def accepts(self, chosen: Sequence[int]) -> bool:
        """Whether this is an answer that a screen allows."""
        return (
            len(chosen) == self.n_select
            and len(set(chosen)) == len(chosen)
            and all(0 <= choice < self.n_choices for choice in chosen)
        )

    def objects(self, question: Question, chosen: Sequence[int]) -> list[tuple[Any, ...]]:
        """Return the objects of what was chosen, in the order of choosing; none of a tie."""
        places = [self.options[c] if c < len(self.options) else () for c in chosen]
        return [tuple(question.items[place] for place in option) for option in places]

    def named(self, question: Question, chosen: Sequence[int]) -> list[str]:
        """Return what the choices of a question are called."""
        if self.choices:
            return [self.choices[choice] for choice in chosen]
        return [str(label) for (label,) in self.objects(question, chosen)]

    def same_choice(
        self, one: Question, chosen: Sequence[int], other: Question, also: Sequence[int]
    ) -> bool:
        """Whether two presentations of one question were answered alike."""
        of_one, of_other = self.objects(one, chosen), self.objects(other, also)
        return {frozenset(found) for found in of_one} == {frozenset(found) for found in of_other}

    def squares(self, items: Items, maps: Floats) -> list[Floats]:
        """Return the squared distances of the pair of each choice, questions by maps."""
        places = np.ascontiguousarray(maps.transpose(1, 0, 2))
        squares = []
        for i, j in self.pairs:
            apart = places[items[:, i]] - places[items[:, j]]
            squares.append(np.einsum("qmk,qmk->qm", apart, apart))  # quicker than a sum
        return squares

    def margins(self, items: Items, maps: Floats) -> Floats:
        """Return by how much the last pair is farther apart than each other one, squared."""
        *squares, last = self.squares(items, maps)
        return np.stack([last - square for square in squares], axis=1)

    def probabilities(self, margins: Floats, lapse: float = 0.0) -> Floats:
        """Return how likely each choice is."""
        size, _, n_maps = margins.shape
        odds = np.concatenate([margins, np.zeros((size, 1, n_maps))], axis=1)
        odds -= odds.max(axis=1, keepdims=True)
        np.exp(odds, out=odds)
        odds *= (1 - lapse) / odds.sum(axis=1, keepdims=True)
        odds += lapse / self.n_choices
        return odds

    def rows(
        self, items: NDArray[Any], chosen: NDArray[np.intp], *, ranked: bool | None = None
    ) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return the comparisons that follow from answers, and the question of each."""
        n, k = chosen.shape
        template = self._template(k, self.ranked if ranked is None else ranked)
        if len(self.options) == 2 and len(template) == 1:  # it says which of the two stands first
            turned = chosen[:, 0] == 1
            if turned.any():
                items = items.copy()
                items[turned] = items[turned][:, self.swap]
            return items, np.arange(n)
        is_left = np.ones((n, len(self.options)), dtype=bool)
        np.put_along_axis(is_left, chosen, False, axis=1)
        left = np.broadcast_to(np.arange(len(self.options)), is_left.shape)[is_left]
        order = np.concatenate([chosen, left.reshape(n, len(self.options) - k)], axis=1)
        places = np.array(self.options)[order].reshape(n, self.n_shown)
        ordered = np.take_along_axis(items, places, axis=1)
        if self.has_reference:
            ordered = np.concatenate([items[:, :1], ordered], axis=1)
        rows = ordered[:, template].reshape(n * len(template), template.shape[1])
        return rows, np.repeat(np.arange(n), len(template))

    def _template(self, n_chosen: int, ranked: bool) -> NDArray[np.intp]:
        """Return which places compare when the objects chosen stand first."""
        if self.follows:
            return np.array(self.follows)
        near, far = np.triu_indices(n_chosen, k=1, m=len(self.options))
        if not ranked:
            near, far = near[far >= n_chosen], far[far >= n_chosen]
        return np.column_stack([np.zeros_like(near), near + 1, far + 1])

    def read_answer(self, answer: object, labels: tuple[str, ...]) -> tuple[int, ...] | None:
        """Return the choices that an answer names, None if it was skipped."""
        is_nan = isinstance(answer, (float, np.floating)) and np.isnan(answer)
        if answer is None or is_nan or (isinstance(answer, str) and answer == ""):
            return None
        several = isinstance(answer, (list, tuple, set, frozenset, np.ndarray))
        parts = list(answer) if several else [answer]  # type: ignore[call-overload]
        chosen = tuple(self._choice(part, labels) for part in parts)
        if not self.accepts(chosen):
            raise InputError(
                f"An answer to {self.name!r} has {self.n_select} different choice"
                f"{'' if self.n_select == 1 else 's'}; got {answer!r}."
            )
        return chosen

    def _choice(self, part: object, labels: tuple[str, ...]) -> int:
        """Return the choice that is named by its number, its name or its object."""
        named: list[Sequence[str]] = [self.choices] if self.choices else []
        if all(len(option) == 1 for option in self.options):
            named += [[of[place] for (place,) in self.options] for of in (labels, self.columns)]
        if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            if 0 <= part < self.n_choices:  # True might be left or "the first"
                return int(part)
        else:
            for known in named:
                if part in known:
                    return known.index(str(part))
        listed = (
            " or ".join(map(repr, named[0]))
            if self.choices
            else (f"one of {', '.join(map(repr, named[0]))}")
        )
        raise InputError(
            f"An answer is a choice from 0 to {self.n_choices - 1}, {listed}, or None if the"
            f" question was skipped; got {part!r}."
        )


_FEW = 6
"""Objects of a trial up to which each is compared with each."""
_SINGLE = ((0,), (1,), (2,))
_FIXED = (
    Task(
        "triplet",
        ("anchor", "left", "right"),
        options=((1,), (2,)),
        pairs=((0, 1), (0, 2)),
        ask="is the anchor more like left or more like right?",
        answer="left, right or the object's name",
        instructions="You see one thing above and two below. Choose the one of the two that is"
        " more like the one above.",
    ),
    Task(
        "odd_one_out",
        ("first", "second", "third"),
        options=_SINGLE,
        pairs=((1, 2), (0, 2), (0, 1)),
        follows=((1, 2, 0), (2, 1, 0)),
        ask="which of the three is the odd one out?",
        answer="the object's name",
        instructions="You see three things. Choose the one that is least like the other two.",
    ),
    Task(
        "most_central",
        ("first", "second", "third"),
        options=_SINGLE,
        follows=((1, 0, 2), (2, 0, 1)),
    ),
    Task(
        "pair_against_pair",
        ("i", "j", "k", "l"),
        options=((0, 1), (2, 3)),
        pairs=((0, 1), (2, 3)),
        follows=((0, 1, 2, 3),),
        choices=("first", "second"),
        ask="which pair is more alike: i and j, or k and l?",
        answer="first or second",
        instructions="You see two pairs. Choose the pair whose two things are more alike.",
    ),
    Task(
        PAIR,
        ("left", "right"),
        options=((0,), (1,)),
        choices=("left", "right", "tie"),
        ask="which of the two is more …?",
        answer="left, right, tie or the item's name",
        instructions="You see two things. Choose the one that is better.",
    ),
)
"""Tasks whose questions have a fixed number of objects."""


@cache
def make_task(
    name: str, *, shown: int = 8, choose: int = 2, ranked: bool = False, ties: bool = True
) -> Task:
    """Return the task of a name; `ties` is for a pair, the rest for tasks of any size."""
    check_choice("task", name, (*READ, PAIR))
    for task in _FIXED:
        if task.name == name:
            return replace(task, choices=task.choices[:2]) if task.has_tie and not ties else task
    shown = check_integer("shown", shown, minimum=2)
    if name == "ranking":
        choose, ranked = shown, True
    else:
        choose = check_integer("choose", choose, minimum=1, maximum=shown - 1)
    places = range(1, shown + 1)
    return Task(
        name,
        ("reference", *(f"option_{number}" for number in places)),
        options=tuple((place,) for place in places),
        pairs=tuple((0, place) for place in places),
        n_select=choose,
        ranked=ranked and choose > 1,
        any_size=True,
        ask="which are most like the reference?",
        answer="the names of the objects chosen",
        instructions="You see one thing above and several below. Choose those that are most like"
        " the one above.",
    )


def repeats_within(trials: NDArray[Any], *, absent: int | None = -1) -> NDArray[np.bool_]:
    """Mark trials in which an object stands twice."""
    n_trials, n = trials.shape
    if n > _FEW:
        trials = np.sort(trials, axis=1)
        pairs = [(at, at + 1) for at in range(n - 1)]
    else:  # so few that looking at all pairs is quicker than sorting
        pairs = list(combinations(range(n), 2))
    found = np.zeros(n_trials, dtype=bool)
    for one, other in pairs:
        same = trials[:, one] == trials[:, other]
        found |= same if absent is None else same & (trials[:, one] != absent)
    return found
