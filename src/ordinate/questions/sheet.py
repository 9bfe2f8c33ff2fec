"""A sheet of questions to hand out: random, through landmarks, in lists, or the next best ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument, parameter
from ordinate._checks import InputError, check_integer
from ordinate._notebooks import ShownAsTable
from ordinate.comparisons.record import Comparisons
from ordinate.questions.lists import balanced_questions, make_lists
from ordinate.questions.questions import Questions
from ordinate.sources import choose_landmarks, landmark_questions
from ordinate.tasks import PAIR, Items, Task

USUAL_SIZE = 200
"""Questions, unless told otherwise."""


@dataclass(frozen=True, eq=False)
class QuestionSheet(ShownAsTable):
    """A table of questions and how they were drawn; prints what is to be done with it."""

    task: Task
    n_objects: int
    columns: dict[str, NDArray[Any]]
    design: str
    pools: dict[str, int] = field(default_factory=dict)
    n_participants: int | None = None
    n_possible: int | None = None
    landmarks: tuple[str, ...] = ()

    @property
    def n_questions(self) -> int:
        """How many there are."""
        return len(next(iter(self.columns.values())))

    def to_dict(self) -> dict[str, Any]:
        """Return how the questions were drawn as plain Python values."""
        shown = ("n_objects", "n_questions", "n_participants", "design", "pools", "n_possible")
        figures = {name: getattr(self, name) for name in shown}
        return {"task": self.task.name, **figures, "landmarks": list(self.landmarks)}

    def __str__(self) -> str:
        of = "" if self.n_possible is None else f" of {self.n_possible:,}"
        about = f"{self.n_questions:,}{of} questions about {self.n_objects:,} objects"
        if self.n_participants is not None:
            about += f" for {self.n_participants:,} participants"
        if self.landmarks:
            about += f"; landmarks: {', '.join(self.landmarks)}"
        elif self.pools:
            about += "; " + ", ".join(f"{count:,} {pool}" for pool, count in self.pools.items())
        reader = "ordinate rank" if self.task.name == PAIR else "Every command"
        lines = [
            f"{about}.",
            f'Ask "{self.task.ask}" and add a column "answer" with {self.task.answer}. {reader}'
            " then reads the table.",
        ]
        if "catch" in self.pools:
            lines.append("Leave out the catch questions there: --exclude pool=catch.")
        return "\n".join(lines)


def adaptive_sheet(
    names: Sequence[str],
    task: Task,
    dim: int,
    size: int,
    given: Comparisons | None,
    seed: int,
    features: Any = None,
) -> QuestionSheet:
    """Choose the most informative questions after the answers given so far."""
    batch = Questions(
        names,
        dim,
        task=task.name,
        shown=task.n_choices,
        choose=task.n_select,
        given=given,
        features=features,
        random_state=seed,
    ).ask(size)
    table = batch.to_dict()
    kinds = zip(table["pool"], table["fallback"], strict=True)
    pools = Counter(f"{pool} ({why})" if why else pool for pool, why in kinds)
    scores = ["" if score != score else f"{score:.4g}" for score in table["score"]]
    columns = {name: np.array(column) for name, column in (table | {"score": scores}).items()}
    return QuestionSheet(task, len(names), columns, "adaptive", dict(pools))


def random_sheet(
    names: Sequence[str],
    task: Task,
    size: int | None,
    rng: np.random.Generator,
    *,
    landmarks: int | None = None,
    design: str = "k1",
    participants: int | None = None,
    per: int = 100,
    catch: int = 0,
    repeats: int = 0,
) -> QuestionSheet:
    """Draw questions that depend on no answers, as one list or as one for each participant."""
    through: tuple[str, ...] = ()
    possible: Items | None = None
    if landmarks is not None:
        possible, through = _through_landmarks(names, task, landmarks, design, rng)
    if participants is not None:
        controls = {"n_catch": catch, "n_repeats": repeats}
        columns = make_lists(task, names, participants, per, rng, design=possible, **controls)
        if not catch:
            del columns["expected"]
    else:
        rows = _rows(task, len(names), possible, size, rng)
        columns = dict(zip(task.columns, np.array(names, dtype=object)[rows.T], strict=True))
    return QuestionSheet(
        task,
        len(names),
        columns,
        "random" if possible is None else design,
        dict(Counter(columns["pool"].tolist())) if "pool" in columns else {},
        participants,
        None if possible is None or participants else len(possible),
        through,
    )


def _through_landmarks(
    names: Sequence[str], task: Task, landmarks: int, design: str, rng: np.random.Generator
) -> tuple[Items, tuple[str, ...]]:
    if task.name != "triplet":
        landmarked, asked = parameter("landmarks"), argument("task", task.name)
        raise InputError(f"{landmarked} is for triplets; leave it or {asked} out.")
    check_integer(parameter("landmarks"), landmarks, minimum=2, maximum=len(names))
    chosen = choose_landmarks(landmarks, n_objects=len(names), random_state=rng)
    possible = landmark_questions(len(names), chosen, design=design)
    return possible, tuple(names[number] for number in chosen)


def _rows(
    task: Task, n_objects: int, possible: Items | None, size: int | None, rng: np.random.Generator
) -> Items:
    """Return one list of questions, in random order and places."""
    if possible is None:
        size = size or min(USUAL_SIZE, task.n_possible(n_objects))
        return task.shuffled(balanced_questions(task, n_objects, 1, size, rng), rng)
    check_integer(parameter("size"), size or len(possible), minimum=1, maximum=len(possible))
    return task.shuffled(rng.permutation(possible)[:size], rng)
