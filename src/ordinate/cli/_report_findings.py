"""What `ordinate report` finds out, before any of it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._progress import Stages
from ordinate.comparisons.description import Description
from ordinate.comparisons.record import Comparisons
from ordinate.methods import METHODS
from ordinate.metrics import triplet_error
from ordinate.selection import (
    AnswerNoise,
    DimensionEstimate,
    LearningCurve,
    MethodRow,
    MethodTable,
    NoiseEstimate,
)
from ordinate.selection._compare import compare
from ordinate.selection._cross_validation import as_estimator
from ordinate.selection._learning_curve import learning_curve
from ordinate.selection._noise import estimate_noise
from ordinate.uncertainty import MapUncertainty, StructureTest
from ordinate.uncertainty._map_uncertainty import map_uncertainty
from ordinate.uncertainty._structure import structure_test


@dataclass(frozen=True)
class Plan:
    """What to try, and how.

    Attributes
    ----------
    methods : list of str
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
    """

    methods: list[str]
    dimensions: list[int]
    folds: int
    by: str | None
    seed: int
    n_jobs: int

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
    tested : DimensionEstimate
        Tests between the dimensions of the chosen method.
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
    """

    answers: Comparisons
    description: Description
    table: MethodTable
    tested: DimensionEstimate
    noise: NoiseEstimate
    learning: LearningCurve
    points: NDArray[np.float64]
    train_error: float
    uncertainty: MapUncertainty | None = None
    structure: StructureTest | None = None

    @property
    def choice(self) -> MethodRow:
        """The method and dimension of the map."""
        return self.table.choice

    @property
    def at_odds(self) -> tuple[AnswerNoise, ...]:
        """Participants whose answers the map predicts worse than their questions explain."""
        return self.noise.groups_at_odds

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "answers": self.description.to_dict(),
            "comparison": self.table.to_dict(),
            "dimension": self.tested.to_dict(),
            "noise": self.noise.to_dict(),
            "learning": self.learning.to_dict(),
            "train_error": self.train_error,
            "uncertainty": self.uncertainty and self.uncertainty.to_dict(),
            "structure_p_value": self.structure and self.structure.p_value,
        }

    def __str__(self) -> str:
        lines = [self.table.advice, self.learning.advice]
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
    stages = Stages(4)
    with stages.next():
        table = compare(answers, plan.methods, plan.dimensions, **plan.shared)
    method, dimension = table.choice.method, table.choice.dimension
    known = "participant" in answers.groups
    with stages.next():
        noise = estimate_noise(
            answers, method, dimension, per="participant" if known else None, **plan.shared
        )
    with stages.next():
        learning = learning_curve(answers, method, dimension, **plan.shared)
    model = as_estimator(method).set_params(
        n_components=dimension, random_state=plan.seed, n_jobs=plan.n_jobs, verbose=True
    )
    with stages.next():
        points = model.fit(answers).embedding_
    sure = structure = None
    if len(answers) >= answers.n_objects:
        quick = METHODS[method].has_starts  # the others take minutes for what these do in seconds
        settings = {name: plan.shared[name] for name in ("by", "random_state", "n_jobs", "verbose")}
        sure = map_uncertainty(model, answers, n_draws=200 if quick else 20, **settings)
        structure = structure_test(model, answers, n_permutations=99 if quick else 19, **settings)
    return Findings(
        answers=answers,
        description=answers.describe(),
        table=table,
        tested=DimensionEstimate(table.of_method(method)),
        noise=noise,
        learning=learning,
        points=points,
        train_error=triplet_error(answers, points),
        uncertainty=sure,
        structure=structure,
    )
