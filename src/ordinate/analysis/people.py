"""Do people see the same map? The test, everybody's weights and verdicts, and groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, as_frame
from ordinate._notebooks import MOST_ROWS, ShownAsTable, aligned
from ordinate.comparisons.record import Comparisons
from ordinate.people.group_maps import GroupMaps
from ordinate.people.participants import participants_of
from ordinate.people.weighted_spaces import WeightedSpaces
from ordinate.selection import PeopleComparison
from ordinate.selection._people import compare_people

FEW_ANSWERS = 20
"""Below this many, a participant's weights are mostly those of everybody."""


@dataclass(frozen=True, eq=False)
class PeopleStudy(ShownAsTable):
    """How people differ; prints as sentences and a table of participants.

    Attributes
    ----------
    answers : Comparisons
        The answers.
    comparison : PeopleComparison
        The test whether all see one map, and a verdict on everybody.
    model : WeightedSpaces
        One map with everybody's own weights of its axes, fitted to all answers.
    grouped : GroupMaps or None
        Groups of people with a map each, if they were asked for.
    """

    answers: Comparisons
    comparison: PeopleComparison
    model: WeightedSpaces
    grouped: GroupMaps | None = None

    @property
    def weights_shown(self) -> bool:
        """Whether people differ, and in how they weigh axes."""
        return self.comparison.are_real and self.model.tau_ > 0

    @property
    def n_few(self) -> int:
        """Participants with few answers."""
        return int((self.model.n_answers_ < FEW_ANSWERS).sum())

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table of participants: answers, weights, reliability, verdict, group."""
        model = self.model
        columns: dict[str, Any] = {"participant": model.participants_, "answers": model.n_answers_}
        columns |= {f"weight{number}": its for number, its in enumerate(model.weights_.T, 1)}
        columns["reliability"] = model.reliability_
        verdicts = [view.verdict for view in self.comparison.participants]
        columns["verdict"] = np.array(verdicts)
        if self.grouped is not None:
            columns["group"] = self.grouped.groups_ + 1
            columns["group_probability"] = self.grouped.memberships_.max(axis=1)
        return columns

    def to_frame(self) -> Any:
        """Return the table of participants as a data frame."""
        return as_frame(self.to_columns(), ["participant"])

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        model, grouped = self.model, self.grouped
        return {
            "loss": model.loss,
            "dimension": model.n_components,
            "n_answers": len(self.answers),
            "n_objects": self.answers.n_objects,
            "n_participants": len(model.participants_),
            "n_few": self.n_few,
            "tau": model.tau_,
            "sigma": model.sigma_,
            "spread": np.quantile(model.weights_, [0.25, 0.75], axis=0).T.tolist(),
            "comparison": self.comparison.to_dict(),
            "n_groups": grouped.n_groups_ if grouped else None,
            "group_sizes": np.bincount(grouped.groups_).tolist() if grouped else [],
        }

    def __str__(self) -> str:
        return "\n".join([*self.sentences(), *self._short_table()])

    def sentences(self) -> Iterator[str]:
        """Say what was found, without the table."""
        figures = self.to_dict()
        yield str(self.comparison)
        yield (
            f"{figures['n_participants']:,} participants, {figures['n_answers']:,} answers about"
            f" {figures['n_objects']:,} objects: one map by {figures['loss']} in"
            f" {figures['dimension']} dimensions"
        )
        if self.weights_shown:
            low, high = figures["spread"][0]
            yield (
                "Axis 1 is the one on which people differ most: for the middle half of them its"
                f" weight is {low:.2f} to {high:.2f} times the average (tau {figures['tau']:.2f})"
            )
        if self.n_few:
            yield (
                f"  → {self.n_few} participant{'s' * (self.n_few > 1)} gave fewer than"
                f" {FEW_ANSWERS} answers: their weights are drawn to everybody's."
            )
        if self.grouped is not None:
            n_groups, sizes = figures["n_groups"], ", ".join(map(str, figures["group_sizes"]))
            yield (
                f"{n_groups} group{'s' * (n_groups != 1)} of people with a map each: {sizes}"
                " participants"
            )

    def _short_table(self) -> Iterator[str]:
        """Give a row to each participant, or to those who stand out if there are many."""
        table = {
            name: [f"{value:.2f}" if isinstance(value, float) else str(value) for value in column]
            for name, column in self.to_columns().items()
            if self.weights_shown or not name.startswith("weight")
        }
        shown = list(range(len(self.model.participants_)))
        if len(shown) > MOST_ROWS:
            unremarkable = [verdict == "" for verdict in table["verdict"]]
            reliability = self.model.reliability_
            shown.sort(key=lambda row: (unremarkable[row], reliability[row]))
        cells = [[column[row] for column in table.values()] for row in shown]
        yield from aligned([list(table), *cells])


def study_people(
    answers: Comparisons,
    model: WeightedSpaces,
    *,
    n_groups: int | str | None = None,
    folds: int,
    by: str | None,
) -> PeopleStudy:
    """Fit the map with everybody's weights, test whether they differ, and find groups if asked."""
    n_people = len(participants_of(answers, model.by)[0])
    if isinstance(n_groups, int) and n_groups > n_people:
        raise InputError(f"{n_people} participants cannot form {n_groups} groups; ask for fewer.")
    shared = {name: getattr(model, name) for name in ("random_state", "n_jobs", "verbose")}
    comparison = compare_people(answers, model.fit(answers), folds=folds, by=by, **shared)
    grouped = None
    if n_groups is not None:
        grouped = GroupMaps(model.n_components, n_groups=n_groups, by=model.by, **shared)
        grouped.fit(answers)
    return PeopleStudy(answers, comparison, model, grouped)
