"""Machines beside people: what is known of both, and what a machine's answer is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats
from ordinate.comparisons.grouped_rows import GroupedRows
from ordinate.comparisons.pairs import counted
from ordinate.solvers.folds import Fold, make_folds, rows_to_fit

_FOLDS, HALVINGS, ORDERS = 5, 4, 4
N_REFITS, _N_RESAMPLES = 20, 400
_FEWEST_PEOPLE = 4
_NOTHING = 0.02
"""Machines that save less than this share of what is to be saved say nothing."""
_MOST_TIMES = 4.0
"""Machines that are worth more than so many times the answers of people are worth at least that."""
FEWEST = 20
"""Answers of people, and of machines, from which they are compared."""
RESPONDENT, TRIAL = "respondent", "trial"


@dataclass(frozen=True, eq=False)
class MachinesBesidePeople:
    """How the answers of machines compare with those of people about the same items.

    Attributes
    ----------
    n_people, n_machines : float
        How many answers there are.
    agreement, agreement_interval : float, tuple of float
        Of the machines' decided answers, the share that people's ranking or map predicts, beyond
        chance: 0 is chance, 1 is always.
    people_agreement : float
        The same of people's own answers when they are held out.
    p_differ : float
        Of the test that both share one scale, each with a reliability of their own, or one map.
    different : dict of str to ndarray
        Each item with its score by people and by machines, in units of the former, the difference,
        and its p-value for all items together (Holm). Of maps, the objects that lie elsewhere.
    worth, worth_interval : float, tuple of float
        How many machine answers are worth one of a person: how many there are, over how many of
        people predict people's held-out answers as well. Infinite if they predict nothing.
    """

    n_people: float
    n_machines: float
    agreement: float
    agreement_interval: tuple[float, float]
    people_agreement: float
    p_differ: float
    different: dict[str, NDArray[Any]]
    worth: float
    worth_interval: tuple[float, float]
    worth_is_bound: bool
    """Whether machines predict better than all people's answers together, so that it is less."""
    of: str = "ranking"
    """What was made of the answers: a ranking or a map."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures."""
        return dict(vars(self))

    def sentences(self, level: float) -> list[str]:
        """Say it in words."""
        low, high = self.agreement_interval
        said = [
            f"Machines agree with people's {self.of} {self.agreement:.2f} beyond chance"
            f" ({level:.0%} interval {low:.2f} to {high:.2f}; people's own held-out answers"
            f" {self.people_agreement:.2f}; 0 is chance, 1 is always)."
        ]
        sure = self.different["p_value"] < 1 - level
        names = self.different["object"][sure].tolist()
        if "difference" in self.different:
            changes = self.different["difference"][sure].tolist()
            names = [f"{name} ({change:+.2f})" for name, change in zip(names, changes, strict=True)]
        differ = "Machines and people differ"
        if not self.p_differ < 1 - level:
            differ = "Nothing shows that machines and people differ"
        items, how = ("objects", "see") if self.of == "map" else ("items", "prefer")
        if np.isnan(self.p_differ):
            little = f"With so little agreement nothing can be said about single {items}."
            return [*said, little, self._say_worth()]
        said.append(
            f"Machines see these {items} differently: {', '.join(names[:6])}."
            if names
            else f"{differ} in what they {how} (p = {self.p_differ:.2g}); no single"
            f" {items.removesuffix('s')} stands out."
        )
        said.append(self._say_worth())
        return said

    def _say_worth(self) -> str:
        given = f"{counted(self.n_machines, 'machine answer')}"
        judged = "judged by people's held-out answers"
        if np.isinf(self.worth):
            return f"The {given} say nothing about people's {self.of}, {judged}."
        low, high = self.worth_interval
        worth = f"{self.worth:.1f} machine answers are worth one of a person"
        if self.worth_is_bound:
            return f"At most {worth}, {judged}: the {given} predict them better than people's do."
        ends = f"{low:.1f} to {'more' if np.isinf(high) else format(high, '.1f')}"
        return f"About {worth} ({ends}), {judged}, with {given}."


class Losses(NamedTuple):
    """Losses of people's held-out answers by what predicts them."""

    nothing: Floats
    machines: Floats
    """Shape (1 + n_resamples, n_answers): by all answers of machines, then by resampled ones."""
    people: Floats
    """Shape (n_sizes, n_answers): by so many other answers of people."""
    sizes: Floats

    @classmethod
    def of(cls, n: int) -> Losses:
        """Return losses of so many answers that are to be filled in."""
        sizes = np.asarray(n * (1 - 1 / _FOLDS) / 2.0 ** np.arange(HALVINGS), dtype=np.float64)
        return cls(np.zeros(n), np.zeros((1 + N_REFITS, n)), np.zeros((HALVINGS, n)), sizes)


def resampled(machines: Any, rng: np.random.Generator) -> Iterator[Any]:
    """Yield the answers of machines, and resamples of them."""
    yield machines
    unit = trials_of(machines)
    rows_of = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1])
    for _ in range(N_REFITS):
        drawn = [rows_of[number] for number in rng.integers(len(rows_of), size=len(rows_of))]
        found = machines[np.concatenate(drawn)]
        if TRIAL in found.groups:  # a trial that is drawn twice counts as two
            number = np.repeat(np.arange(len(drawn)), [len(rows) for rows in drawn])
            found = found._with(groups={**found.groups, TRIAL: number})
        yield found


def trials_of(answers: GroupedRows) -> NDArray[np.intp]:
    """Return the trial of each answer, those of one ranking in one; each is its own if unknown."""
    if TRIAL not in answers.groups:
        return np.arange(len(answers))
    return np.unique(answers.group_codes(TRIAL), return_inverse=True)[1]


def fewer_answers(
    people: Any, n_orders: int, rng: np.random.Generator
) -> Iterator[tuple[Fold, int, int, Any]]:
    """Yield folds with answers outside of them: all, and parts of a half, a quarter and so on.

    The numbers are how often these were halved, and which of several orders decides what is left.
    """
    unit = trials_of(people)
    by = TRIAL if int(unit.max()) + 1 < len(people) else None
    for part in make_folds(people, _FOLDS, by, rng):
        left = rows_to_fit(people, part)
        rest, trial = people[left], np.unique(unit[left], return_inverse=True)[1]
        yield part, 0, 0, rest
        for halving, order in product(range(1, HALVINGS), range(n_orders)):
            n_trials = int(trial.max()) + 1
            few = rng.permutation(n_trials)[: max(n_trials >> halving, 2)]
            yield part, halving, order, rest[np.isin(trial, few)]


def answer_weights(answers: GroupedRows) -> Floats:
    """Return how much each answer counts."""
    return np.ones(len(answers)) if answers.weights is None else answers.weights


def worth_of_machine_answers(
    people: GroupedRows, losses: Losses, n_machines: float, level: float, rng: np.random.Generator
) -> tuple[float, tuple[float, float], bool]:
    """Return how many machine answers are worth one of a person, an interval, and if it is a bound.

    Whole people are resampled, if it is known who they are, and so are the machines' answers.
    """
    unit = people.group_codes("participant") if "participant" in people.groups else None
    if unit is None or int(unit.max()) < _FEWEST_PEOPLE:
        unit = trials_of(people)
    n_units = int(unit.max()) + 1
    rows = np.vstack([losses.nothing, losses.machines, losses.people]) * answer_weights(people)
    sums = np.array([np.bincount(unit, row, n_units) for row in rows])
    whole, again = sums[1], sums[2 : 2 + N_REFITS]
    # resampled answers lose more by themselves; only how much they vary is wanted
    again = whole + again - again.mean(axis=0)
    curve = sums[2 + N_REFITS :]
    found = [_as_many(sums[0].sum(), whole.sum(), curve.sum(axis=1), losses.sizes)]
    for number in range(_N_RESAMPLES):
        times = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
        moved = float(again[number % N_REFITS] @ times)
        found.append(_as_many(float(sums[0] @ times), moved, curve @ times, losses.sizes))
    with np.errstate(divide="ignore"):
        values = n_machines / np.array(found)
    tail = (1 - level) / 2
    low, high = np.quantile(values[1:], [tail, 1 - tail], method="nearest")
    return float(values[0]), (float(low), float(high)), found[0] >= _MOST_TIMES * losses.sizes[0]


def _as_many(nothing: float, machines: float, people: Floats, sizes: Floats) -> float:
    """Return how many answers of people have the loss of the machines'.

    What rankings lose by having few answers falls as one over their number.
    """
    falling, least = np.polyfit(1 / sizes, people, 1, w=np.sqrt(sizes))
    if machines >= nothing - _NOTHING * max(nothing - least, 0.0):
        return 0.0
    most = _MOST_TIMES * float(sizes[0])
    return most if falling <= 0 else float(falling / max(machines - least, falling / most))
