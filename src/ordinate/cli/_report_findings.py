"""What `ordinate report` finds out, before any of it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._progress import Stages
from ordinate.comparisons.description import Description
from ordinate.comparisons.record import Comparisons
from ordinate.methods import METHODS
from ordinate.metrics import triplet_error
from ordinate.people.weighted_spaces import POOLED, WeightedSpaces
from ordinate.selection import (
    AnswerNoise,
    HeldOutError,
    LearningCurve,
    MethodRow,
    MethodTable,
    NoiseEstimate,
    PeopleComparison,
)
from ordinate.selection._compare import compare
from ordinate.selection._cross_validation import as_estimator, label_of
from ordinate.selection._held_out import held_out_error
from ordinate.selection._learning_curve import learning_curve
from ordinate.selection._noise import estimate_noise
from ordinate.selection._people import compare_people
from ordinate.uncertainty import MapUncertainty, StructureTest
from ordinate.uncertainty._map_uncertainty import map_uncertainty
from ordinate.uncertainty._structure import structure_test


@dataclass(frozen=True)
class Plan:
    """What to try, and how.

    Attributes
    ----------
    methods : list of str or estimator
        Methods to compare.
    dimensions : list of int
        Dimensions to compare.
    folds : int
        Parts of the answers, each held out in turn.
    by : str or None
        Group that is held out whole.
    seed : int
        Seed of everything.
    n_jobs : int
        Fits at a time.
    settings : sequence of str
        Parameters of methods as they were typed, such as ``"TETE.t=2"``.
    """

    methods: list[Any]
    dimensions: list[int]
    folds: int
    by: str | None
    seed: int
    n_jobs: int
    settings: Sequence[str] = ()

    @property
    def method_names(self) -> list[str]:
        """The methods as one types them."""
        return [type(as_estimator(method)).__name__ for method in self.methods]

    @property
    def shared(self) -> dict[str, Any]:
        """What all cross-validations take."""
        return {
            "folds": self.folds,
            "by": self.by,
            "random_state": self.seed,
            "n_jobs": self.n_jobs,
            "verbose": True,
        }


class Accuracy(NamedTuple):
    """A share of answers and the ends of its 90 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Findings:
    """All figures of a report.

    Attributes
    ----------
    answers : Comparisons
        The record.
    description : Description
        What is in it.
    table : MethodTable
        Methods and dimensions compared.
    held_out : HeldOutError
        Error of maps made as this one, on answers held out from them: what `ordinate embed` says.
    noise : NoiseEstimate
        Wrong answers, by participant where they are known.
    learning : LearningCurve
        Whether more answers would help.
    points : ndarray of float, shape (n_objects, dimension)
        The map, fitted to all answers.
    train_error : float
        Share of all answers that it gets wrong.
    uncertainty : MapUncertainty or None
        How sure it is; None where answers are fewer than objects.
    structure : StructureTest or None
        Whether the answers hold any structure; None likewise.
    people, people_comparison : WeightedSpaces and PeopleComparison, or None
        How participants weigh the axes, and whether that is real; None for one participant, or
        where participants are not known.
    """

    answers: Comparisons
    description: Description
    table: MethodTable
    held_out: HeldOutError
    noise: NoiseEstimate
    learning: LearningCurve
    points: NDArray[np.float64]
    train_error: float
    uncertainty: MapUncertainty | None = None
    structure: StructureTest | None = None
    people: WeightedSpaces | None = None
    people_comparison: PeopleComparison | None = None

    @property
    def choice(self) -> MethodRow:
        """The method and dimension of the map."""
        return self.table.choice

    @property
    def accuracy(self) -> Accuracy:
        """Share of new answers that the map predicts."""
        error = self.held_out
        return Accuracy(1 - error.error, 1 - error.high, 1 - error.low)

    @property
    def at_odds(self) -> tuple[AnswerNoise, ...]:
        """Participants whose answers the map predicts worse than their questions explain."""
        return self.noise.groups_at_odds

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "answers": self.description.to_dict(),
            "comparison": self.table.to_dict(),
            "noise": self.noise.to_dict(),
            "learning": self.learning.to_dict(),
            "train_error": self.train_error,
            "accuracy": self.accuracy._asdict(),
            "held_out": asdict(self.held_out),
            "uncertainty": self.uncertainty and self.uncertainty.to_dict(),
            "structure_p_value": self.structure and self.structure.p_value,
            "people": self.people_comparison and self.people_comparison.to_dict(),
        }

    def __str__(self) -> str:
        lines = [self.table.advice, self.learning.advice]
        if self.people_comparison:
            lines.append(str(self.people_comparison))
        if self.at_odds:
            named = [
                one.label + (" (probably reversed)" if "reversed" in one.verdict else "")
                for one in self.at_odds
            ]
            lines.append(f"At odds with the rest: {', '.join(named)}.")
        return "\n".join(lines)


def find_out(answers: Comparisons, plan: Plan) -> Findings:
    """Compare, choose, fit and judge.

    Parameters
    ----------
    answers : Comparisons
        The record.
    plan : Plan
        What to try.

    Returns
    -------
    Findings
        All figures.
    """
    doubtful = len(answers) >= answers.n_objects
    several = plan.by != "participant" and _has_several_people(answers)
    stages = Stages((7 if doubtful else 5) + several)
    with stages.next():
        table = compare(answers, plan.methods, plan.dimensions, **plan.shared)
    method = {label_of(one): one for one in plan.methods}[table.choice.method]
    dimension = table.choice.dimension
    known = "participant" in answers.groups
    with stages.next():
        noise = estimate_noise(
            answers, method, dimension, per="participant" if known else None, **plan.shared
        )
    with stages.next():
        learning = learning_curve(answers, method, dimension, **plan.shared)
    model = as_estimator(method).set_params(
        n_components=dimension, random_state=plan.seed, n_jobs=plan.n_jobs, verbose=False
    )
    # methods without starts take minutes for what the others do in seconds
    quick = METHODS[type(model).__name__].has_starts
    with stages.next():
        held_out = held_out_error(
            answers,
            lambda part: model.fit(part).embedding_,
            folds=None if quick else plan.folds,
            by=plan.by,
            random_state=plan.seed,
            verbose=True,
        )
    with stages.next():
        points = model.set_params(verbose=True).fit(answers).embedding_
    sure = structure = None
    if doubtful:
        settings = {name: plan.shared[name] for name in ("by", "random_state", "n_jobs", "verbose")}
        n_draws, n_permutations = (200, 99) if quick else (20, 19)
        with stages.next():
            sure = map_uncertainty(model, answers, n_draws=n_draws, **settings)
        with stages.next():
            structure = structure_test(model, answers, n_permutations=n_permutations, **settings)
    people = people_comparison = None
    with stages.next(several):
        if several:
            people, people_comparison = differences_of_people(answers, table.choice, plan)
    return Findings(
        answers=answers,
        description=answers.describe(),
        table=table,
        held_out=held_out,
        noise=noise,
        learning=learning,
        points=points,
        train_error=triplet_error(answers, points),
        uncertainty=sure,
        structure=structure,
        people=people,
        people_comparison=people_comparison,
    )


_ENOUGH = 20
"""Answers of a participant that say something about how they weigh axes."""


def _has_several_people(answers: Comparisons) -> bool:
    """Say whether at least two participants gave enough answers to be told apart."""
    if "participant" not in answers.groups:
        return False
    return int((np.bincount(answers.group_codes("participant")) >= _ENOUGH).sum()) > 1


def differences_of_people(
    answers: Comparisons, choice: MethodRow, plan: Plan
) -> tuple[WeightedSpaces, PeopleComparison]:
    """Learn how participants weigh the axes of the chosen map, and test whether that is real.

    Parameters
    ----------
    answers : Comparisons
        The record, with participants.
    choice : MethodRow
        The method and dimension of the map.
    plan : Plan
        How answers are held out.

    Returns
    -------
    model, comparison : WeightedSpaces, PeopleComparison
        With STE where the method of the map has no such model, and in two dimensions at least.
    """
    method = choice.method.split("(")[0]
    model = WeightedSpaces(
        max(choice.dimension, 2),
        loss=method if method in POOLED else "STE",
        random_state=plan.seed,
        n_jobs=plan.n_jobs,
        verbose=True,
    )
    settings = {"folds": plan.folds, "random_state": plan.seed, "n_jobs": plan.n_jobs}
    comparison = compare_people(answers, model, split_by=plan.by, verbose=True, **settings)
    return model.fit(answers), comparison
