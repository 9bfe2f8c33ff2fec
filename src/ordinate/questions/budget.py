"""How many answers a study will need, by simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from ordinate._arrays import Floats
from ordinate._checks import check_integer, check_real
from ordinate._progress import progress
from ordinate.questions.questions import Questions
from ordinate.tasks import Items, make_task

Observer: TypeAlias = Callable[[Items], NDArray[np.intp]]
"""Takes triplets and returns 0 where the left one is called nearer, 1 for the right one."""

_JUDGED = 20_000
_MOST_OBJECTS = 100
"""More are not simulated: needs per object are carried over."""
_FIRST, _LAST, _GROWTH = 2.0, 40.0, 1.4
"""Answers per object at which maps are judged; the questions between two are one batch."""
_LEVELS = (0.2, 0.1, 0.05, 0.03)
_SCREENS = (
    "People answer about 16 such questions a minute. Screens tell more: 15 minutes of choosing the"
    "\n4 most similar of 16 pictures (--task choose-k --shown 16 --choose 4) gave the map of 51"
    " minutes\nof single questions, 2 of 8 that of 33 (dishes; Wilber et al. 2014)."
)
"""From people's answers and times, by benchmarks/screens.py."""
RULES = {"random": 1, "posterior": 2}
"""How questions are chosen, and about how long a study takes then, relative to random ones."""


@dataclass(frozen=True)
class BudgetCurve:
    """What a rule reaches."""

    rule: str
    n_answers: tuple[int, ...]
    error: tuple[float, ...]

    def needed(self, level: float) -> int | None:
        """Return how many answers bring the error to a level; None if these do not."""
        below = np.flatnonzero(np.array(self.error) <= level)
        if len(below) == 0:
            return None
        at = int(below[0])
        if at == 0:
            return self.n_answers[0]
        logs = np.log(self.n_answers[at - 1 : at + 1])
        errors = self.error[at - 1 : at + 1]
        share = (errors[0] - level) / (errors[0] - errors[1])
        return round(float(np.exp(logs[0] + share * (logs[1] - logs[0]))))


@dataclass(frozen=True)
class Budget:
    """How many answers a study will need; prints as a table."""

    n_objects: int
    n_components: int
    wrong: float
    n_simulated: int
    n_studies: int
    curves: tuple[BudgetCurve, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""
        needed = [
            {"error": level} | {curve.rule: curve.needed(level) for curve in self.curves}
            for level in _LEVELS
        ]
        return asdict(self) | {"needed": needed}

    def __str__(self) -> str:
        lines = [
            f"Answers needed for a map of {self.n_objects:,} objects in {self.n_components}"
            f" dimensions, {self.wrong:.0%} of answers to random questions wrong:",
            "  error of the map" + "".join(f"  {curve.rule:>10}" for curve in self.curves),
        ]
        for level in _LEVELS:
            needed = [curve.needed(level) for curve in self.curves]
            cells = ["more" if number is None else f"{number:,}" for number in needed]
            lines.append(f"  {level:16.0%}" + "".join(f"  {cell:>10}" for cell in cells))
        lines.append(
            f"Mean of {self.n_studies} simulated studies of observers who all see the same map;"
            " people who differ need more."
        )
        lines.append(_SCREENS)
        if self.n_simulated < self.n_objects:
            lines.append(f"Simulated with {self.n_simulated} objects, the same number for each.")
        return "\n".join(lines)


def simulate_budget(
    n_objects: int,
    n_components: int = 2,
    *,
    wrong: float = 0.15,
    n_studies: int = 3,
    random_state: int,
    verbose: bool = False,
) -> Budget:
    """Simulate studies with random questions and with the default rule."""
    n = min(check_integer("n_objects", n_objects, minimum=4), _MOST_OBJECTS)
    check_real("wrong", wrong, minimum=0.005, maximum=0.45)
    steps = int(np.log(_LAST / _FIRST) / np.log(_GROWTH)) + 1
    per_object = _FIRST * _GROWTH ** np.arange(steps)
    most = n * (n - 1) * (n - 2) // 2
    sizes = [round(n * answers) for answers in per_object if n * answers < 0.9 * most]
    curves = []
    total = sum(RULES.values()) * n_studies * len(sizes)
    shown = progress("Simulating studies", total=total, enabled=verbose, announced=True)
    with shown as advance:
        for rule, cost in RULES.items():
            errors: list[list[float]] = []
            for study in range(n_studies):
                note = f"{rule} questions, study {study + 1} of {n_studies}"
                advance(0, note=note)
                played = _simulate(n, n_components, wrong, rule, sizes, random_state, study)
                errors.append([])
                for size, error in zip(sizes, played, strict=True):
                    errors[-1].append(error)
                    advance(cost, note=f"{note}: {size} answers")
            scaled = [round(size * n_objects / n) for size in sizes]
            means = np.mean(errors, axis=0).tolist()
            curves.append(BudgetCurve(rule, tuple(scaled), tuple(means)))
    return Budget(n_objects, n_components, wrong, n, n_studies, tuple(curves))


def _simulate(
    n: int, n_components: int, wrong: float, rule: str, sizes: list[int], seed: int, study: int
) -> Iterator[float]:
    """Play one study."""
    rng = np.random.default_rng([seed, study])
    points = rng.standard_normal((n, n_components))
    questions = Questions(
        n,
        n_components,
        random_share=1.0 if rule == "random" else 0.1,
        random_state=np.random.default_rng([seed, study, 1]),
    )
    observer = logistic_observer(points, sharpness_for(points, wrong, rng), rng)
    return play(questions, observer, points, sizes, sizes[-1], wait=rule != "random")


def play(
    questions: Questions,
    observer: Observer,
    points: Floats,
    sizes: Sequence[int],
    batch: int,
    *,
    wait: bool = True,
) -> Iterator[float]:
    """Let an observer answer what is asked, and judge the maps by the truth."""
    task = make_task("triplet")
    judged = task.draw(len(points), _JUDGED, np.random.default_rng(0))
    truth = task.margins(judged, points[None])[:, 0, 0] > 0
    n_answered = 0
    for before, size in zip([0, *sizes], sizes, strict=False):
        while n_answered < size:
            asked = questions.ask(min(batch, size - n_answered), wait=wait)
            items = np.array([row.items for row in asked], dtype=np.int32)
            questions.tell(asked, observer(items))
            n_answered += len(asked)
        questions.update(min(batch, size - before))
        assert questions.map is not None
        found = task.margins(judged, questions.map[None])[:, 0, 0] > 0
        yield float(np.mean(found != truth))


def logistic_observer(
    points: Floats, sharpness: float, rng: np.random.Generator, *, lapses: float = 0.0
) -> Observer:
    """Return an observer who says "left" with probability (1 − ℓ) σ(s m) + ℓ/2."""
    task = make_task("triplet")

    def answer(items: Items) -> NDArray[np.intp]:
        margins = task.margins(items, points[None])[:, 0, 0]
        left = (1 - lapses) * expit(sharpness * margins) + lapses / 2
        return (rng.random(len(items)) >= left).astype(np.intp)

    return answer


def sharpness_for(points: Floats, wrong: float, rng: np.random.Generator) -> float:
    """Return the sharpness at which so many answers to random questions are wrong."""
    task = make_task("triplet")
    margins = task.margins(task.draw(len(points), _JUDGED, rng), points[None])[:, 0, 0]

    def excess(log_sharpness: float) -> float:
        return float(expit(-np.exp(log_sharpness) * np.abs(margins)).mean() - wrong)

    return float(np.exp(brentq(excess, -10, 20)))
