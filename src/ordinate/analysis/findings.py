"""Everything that a report says: an analysis and what can be asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ordinate.analysis.people import PeopleStudy
from ordinate.comparisons.record import Comparisons
from ordinate.metrics import procrustes_align, procrustes_distance
from ordinate.selection import (
    LearningCurve,
    MethodTable,
    NoiseEstimate,
)
from ordinate.selection._direction import AnswerDirection, check_direction
from ordinate.uncertainty import MapUncertainty, StructureTest

if TYPE_CHECKING:
    from ordinate.analysis.analysis import Analysis

_ENOUGH = 20
"""Answers of a participant that say something about how they weigh axes."""


class Accuracy(NamedTuple):
    """A share of answers and the ends of its 90 % interval."""

    share: float
    low: float
    high: float


class WithoutSome(NamedTuple):
    """A map without the answers of some participants, laid over that of all answers."""

    points: NDArray[np.float64]
    n_answers: int
    distance: float
    """Procrustes distance of the two maps, from 0, the same, to 1."""


@dataclass(frozen=True, eq=False)
class Findings:
    """All figures of a report."""

    analysis: Analysis
    table: MethodTable
    noise: NoiseEstimate
    learning: LearningCurve
    direction: AnswerDirection
    uncertainty: MapUncertainty | None = None
    structure: StructureTest | None = None
    without: WithoutSome | None = None
    people: PeopleStudy | None = None

    @property
    def accuracy(self) -> Accuracy:
        """Share of new answers that the map predicts."""
        error = self.noise.held_out
        return Accuracy(1 - error.error, 1 - error.high, 1 - error.low)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "answers": self.analysis.description.to_dict(),
            "comparison": self.table.to_dict(),
            "noise": self.noise.to_dict(),
            "learning": self.learning.to_dict(),
            "near_and_far_exchanged": self.direction.is_reversed,
            "train_error": self.analysis.train_error,
            "accuracy": self.accuracy._asdict(),
            "held_out": asdict(self.noise.held_out),
            "uncertainty": self.uncertainty and self.uncertainty.to_dict(),
            "structure_p_value": self.structure and self.structure.p_value,
            "without_deviating": self.without
            and {"n_answers": self.without.n_answers, "procrustes_distance": self.without.distance},
            "people": self.people and self.people.comparison.to_dict(),
        }

    def __str__(self) -> str:
        lines = [self.table.advice, self.learning.advice]
        if self.people:
            lines.append(str(self.people.comparison))
        if self.noise.deviating_groups:
            named = [
                one.label + (" (probably reversed)" if "reversed" in one.verdict else "")
                for one in self.noise.deviating_groups
            ]
            lines.append(f"Participants who disagree with the others: {', '.join(named)}.")
        return "\n".join(lines)


def n_stages(answers: Comparisons, by: str | None) -> int:
    """Return how many stages there are, those of the analysis included."""
    return 5 + 2 * _enough_to_resample(answers) + _has_several_people(answers, by)


def compute_findings(analysis: Analysis, drawn: str | None = "auto") -> Findings:
    """Ask an analysis everything that a report says."""
    answers = analysis.answers
    noise = analysis.noise()
    # methods without starts take minutes for what the others do in seconds
    n_draws = None if analysis._spec.is_quick else 20
    doubtful, several = _enough_to_resample(answers), _has_several_people(answers, analysis.plan.by)
    return Findings(
        analysis,
        table=analysis.comparison(),
        noise=noise,
        learning=analysis.learning_curve(),
        direction=check_direction(answers, random_state=0),
        without=_without_some(analysis, [one.label for one in noise.deviating_groups]),
        uncertainty=analysis.uncertainty(by=drawn, n_draws=n_draws) if doubtful else None,
        structure=analysis.structure() if doubtful else None,
        people=analysis.people() if several else None,
    )


def _enough_to_resample(answers: Comparisons) -> bool:
    """Say whether there are enough answers to resample them."""
    return len(answers) >= answers.n_objects


def _has_several_people(answers: Comparisons, by: str | None) -> bool:
    """Say whether at least two participants gave enough answers to be distinguished."""
    if by == "participant" or "participant" not in answers.groups:
        return False
    return int((np.bincount(answers.group_codes("participant")) >= _ENOUGH).sum()) > 1


def _without_some(analysis: Analysis, labels: Sequence[str]) -> WithoutSome | None:
    """Fit the map once more without some participants, if there are any and enough others."""
    if not labels:
        return None
    answers, points = analysis.answers, analysis.points
    others = answers[~np.isin(answers.groups["participant"].astype(str), labels)]
    seen = np.bincount(others.rows.ravel(), minlength=answers.n_objects)
    if len(others) < answers.n_objects or not seen.all():
        return None
    found = clone(analysis.model).set_params(verbose=False).fit(others).embedding_
    return WithoutSome(
        procrustes_align(found, points), len(others), procrustes_distance(found, points)
    )
