"""Machines beside people: whether they agree, on which items not, what their answers are worth."""

from __future__ import annotations

import itertools
import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate._estimator import clone
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.pairs import Pairs, counted
from ordinate.scales.judges import judges_differ
from ordinate.scales.ranking import Ranking
from ordinate.solvers.intervals import holm, wilson

_FOLDS, _HALVINGS, _ORDERS = 5, 4, 4
_REFITS, _N_RESAMPLES = 20, 400
_FEWEST_PEOPLE = 4
_NOTHING = 0.02
"""Machines that save less than this share of what is to be saved say nothing."""
_MOST_TIMES = 4.0
"""Machines that are worth more than so many times the answers of people are worth at least that."""
FEWEST = 20
"""Answers of people, and of machines, from which they are compared."""
_RESPONDENT = "respondent"


@dataclass(frozen=True, eq=False)
class MachinesBesidePeople:
    """How the answers of machines compare with those of people about the same items.

    Attributes
    ----------
    n_people, n_machines : float
        How many answers there are.
    agreement, agreement_interval : float, tuple of float
        Of the machines' decided answers, the share that people's ranking predicts, beyond chance:
        0 is chance, 1 is always.
    people_agreement : float
        The same of people's own answers when they are held out.
    p_differ : float
        Of the test that both share one scale, each with a reliability of their own.
    different : dict of str to ndarray
        Each item with its score by people and by machines, in units of the former, the difference,
        and its p-value for all items together (Holm).
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

    def to_dict(self) -> dict[str, Any]:
        """Return the figures."""
        return dict(vars(self))

    def sentences(self, level: float) -> list[str]:
        """Say it in words."""
        low, high = self.agreement_interval
        said = [
            f"Machines agree with people's ranking {self.agreement:.2f} beyond chance"
            f" ({low:.2f} to {high:.2f}; people's own held-out answers"
            f" {self.people_agreement:.2f}; 0 is chance, 1 is always)."
        ]
        sure = self.different["p_value"] < 1 - level
        if sure.any():
            names = [
                f"{name} ({change:+.2f})"
                for name, change in zip(
                    self.different["object"][sure], self.different["difference"][sure], strict=True
                )
            ]
            said.append(f"Machines see these items differently: {', '.join(names[:6])}.")
        else:
            differ = self.p_differ < 1 - level
            said.append(
                ("Machines and people differ" if differ else "Nothing shows that they differ")
                + f" in what they prefer (p = {self.p_differ:.2g}); no single item stands out."
            )
        said.append(self._say_worth())
        return said

    def _say_worth(self) -> str:
        given = f"{counted(self.n_machines, 'machine answer')}"
        judged = "judged by people's held-out answers"
        if np.isinf(self.worth):
            return f"The {given} say nothing about people's ranking, {judged}."
        low, high = self.worth_interval
        worth = f"{self.worth:.1f} machine answers are worth one of a person"
        if self.worth_is_bound:
            return f"At most {worth}, {judged}: the {given} predict them better than people's do."
        ends = f"{low:.1f} to {'more' if np.isinf(high) else format(high, '.1f')}"
        return f"About {worth} ({ends}), {judged}, with {given}."


def compare_respondents(
    pairs: Pairs,
    of_people: NDArray[np.bool_],
    model: Ranking,
    *,
    level: float = 0.95,
    random_state: RandomState = None,
) -> MachinesBesidePeople:
    """Compare answers of machines with those of people, by the settings of a fitted ranking."""
    rng = as_generator(random_state)
    people, machines = pairs[of_people], pairs[~of_people]
    for who, part in (("people", people), ("machines", machines)):
        if (part.outcomes != 0).sum() < FEWEST:
            raise InputError(
                f"Machines and people are compared from {FEWEST} decided answers of each on; there"
                f" are {(part.outcomes != 0).sum()} of {who}."
            )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulObjectsWarning)
        by_people, by_machines = (
            model.with_choices(part, slopes=False).fit(part) for part in (people, machines)
        )
        label = np.where(of_people, "people", "machines")
        joint = pairs._with(groups={_RESPONDENT: label})
        both = model.with_choices(joint, slopes=False, judges=_RESPONDENT)
        p_differ = judges_differ(joint, clone(both).fit(joint), rng)
        slopes = clone(both).set_params(slopes=True).fit(joint).slopes_
        losses, right = _held_out_losses(model, people, machines, rng)
    assert slopes is not None
    agreeing, decided = _agreeing(by_people.scores_, machines)
    low, high = 2 * wilson(agreeing, decided, level) - 1
    n_people, n_machines = (_weights(part).sum() for part in (people, machines))
    worth, interval, is_bound = _worth(people, losses, n_machines, level, rng)
    return MachinesBesidePeople(
        float(n_people),
        float(n_machines),
        float(2 * agreeing / decided - 1),
        (float(low), float(high)),
        float(2 * right - 1),
        p_differ,
        _different(pairs, by_people, by_machines, slopes[1] / slopes[0] if low > 0 else np.nan),
        worth,
        interval,
        is_bound,
    )


def _weights(pairs: Pairs) -> Floats:
    return np.ones(len(pairs)) if pairs.weights is None else pairs.weights


def _agreeing(scores: Floats, pairs: Pairs) -> tuple[float, float]:
    """Return how many decided answers go with scores, and how many there are."""
    gap = scores[pairs.rows[:, 0]] - scores[pairs.rows[:, 1]]
    weights = _weights(pairs) * (pairs.outcomes != 0)
    return float(weights @ (0.5 + 0.5 * np.sign(gap) * pairs.outcomes)), float(weights.sum())


def _different(
    pairs: Pairs, people: Ranking, machines: Ranking, slope: float
) -> dict[str, NDArray[Any]]:
    """Compare scores item by item; `slope` is the unit of people's scores in that of machines'.

    It is NaN if they agree in nothing: there is no common unit then.
    """
    by_machines = machines.scores_ * slope
    change = by_machines - people.scores_
    errors = np.hypot(machines.standard_errors_ * slope, people.standard_errors_)
    p_values = holm(np.nan_to_num(2 * norm.sf(np.abs(change) / errors), nan=1.0))
    order = np.argsort(p_values, kind="stable")
    names = np.array([str(pairs.name_of(item)) for item in range(pairs.n_objects)])
    found = {"object": names, "people": people.scores_, "machines": by_machines}
    found |= {"difference": change, "p_value": p_values}
    return {name: column[order] for name, column in found.items()}


class _Losses(NamedTuple):
    """Losses of people's held-out answers by what predicts them."""

    nothing: Floats
    machines: Floats
    """Shape (1 + n_resamples, n_answers): by all answers of machines, then by resampled ones."""
    people: Floats
    """Shape (n_sizes, n_answers): by so many other answers of people."""
    sizes: Floats


def _held_out_losses(
    model: Ranking, people: Pairs, machines: Pairs, rng: np.random.Generator
) -> tuple[_Losses, float]:
    """Return losses of people's answers, and the share that other people's ranking predicts.

    Scores by machines are stretched to suit the other answers of people.
    """
    from ordinate.solvers.folds import make_folds, rows_to_fit

    spread, n = model._spread or 10.0, len(people)

    def scores_by(answers: Pairs) -> Ranking:
        return model.with_choices(answers, slopes=False, prior=spread).fit_mode(answers)

    drawn = [rng.integers(len(machines), size=len(machines)) for _ in range(_REFITS)]
    by_machines = [scores_by(one).scores_ for one in (machines, *(machines[d] for d in drawn))]
    found = _Losses(
        np.zeros(n),
        np.zeros((1 + _REFITS, n)),
        np.zeros((_HALVINGS, n)),
        np.asarray(n * (1 - 1 / _FOLDS) / 2.0 ** np.arange(_HALVINGS), dtype=np.float64),
    )
    agreeing = np.zeros(2)
    for part in make_folds(people, _FOLDS, None, rng):
        rest, test = people[rows_to_fit(people, part)], people[part.held_out]
        whole = scores_by(rest)
        agreeing += _agreeing(whole.scores_, test)
        found.people[0, part.held_out] = whole._losses(test)
        for halving, _ in itertools.product(range(1, _HALVINGS), range(_ORDERS)):
            few = rest[rng.permutation(len(rest))[: max(len(rest) >> halving, 2)]]
            found.people[halving, part.held_out] += scores_by(few)._losses(test) / _ORDERS
        for number, scores in enumerate(by_machines):
            best: Any = minimize_scalar(
                _stretched_loss,
                args=(scores, whole, rest),
                bounds=(0.0, 5.0),
                method="bounded",
                options={"xatol": 1e-2},
            )
            found.machines[number, part.held_out] = _stretched(best.x, scores, whole)._losses(test)
        found.nothing[part.held_out] = _stretched(0.0, scores, whole)._losses(test)
    return found, float(agreeing[0] / agreeing[1])


def _stretched(factor: float, scores: Floats, model: Ranking) -> Ranking:
    """Return a ranking with other scores."""
    found = copy(model)
    found.scores_ = factor * scores
    return found


def _stretched_loss(factor: float, scores: Floats, model: Ranking, answers: Pairs) -> float:
    losses = _stretched(factor, scores, model)._losses(answers)
    return float(np.average(losses, weights=answers.weights))


def _worth(
    people: Pairs, losses: _Losses, n_machines: float, level: float, rng: np.random.Generator
) -> tuple[float, tuple[float, float], bool]:
    """Return how many machine answers are worth one of a person, an interval, and if it is a bound.

    Whole people are resampled, if it is known who they are, and so are the machines' answers.
    """
    unit = people.group_codes("participant") if "participant" in people.groups else None
    if unit is None or int(unit.max()) < _FEWEST_PEOPLE:
        unit = np.arange(len(people))
    n_units = int(unit.max()) + 1
    rows = np.vstack([losses.nothing, losses.machines, losses.people]) * _weights(people)
    sums = np.array([np.bincount(unit, row, n_units) for row in rows])
    whole, again = sums[1], sums[2 : 2 + _REFITS]
    # resampled answers lose more by themselves; only how much they vary is wanted
    again = whole + again - again.mean(axis=0)
    curve = sums[2 + _REFITS :]
    found = [_as_many(sums[0].sum(), whole.sum(), curve.sum(axis=1), losses.sizes)]
    for number in range(_N_RESAMPLES):
        times = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
        moved = float(again[number % _REFITS] @ times)
        found.append(_as_many(float(sums[0] @ times), moved, curve @ times, losses.sizes))
    with np.errstate(divide="ignore"):
        worth = n_machines / np.array(found)
    tail = (1 - level) / 2
    low, high = np.quantile(worth[1:], [tail, 1 - tail], method="nearest")
    return float(worth[0]), (float(low), float(high)), found[0] >= _MOST_TIMES * losses.sizes[0]


def _as_many(nothing: float, machines: float, people: Floats, sizes: Floats) -> float:
    """Return how many answers of people have the loss of the machines'.

    What rankings lose by having few answers falls as one over their number.
    """
    falling, least = np.polyfit(1 / sizes, people, 1, w=np.sqrt(sizes))
    if machines >= nothing - _NOTHING * max(nothing - least, 0.0):
        return 0.0
    most = _MOST_TIMES * float(sizes[0])
    return most if falling <= 0 else float(falling / max(machines - least, falling / most))
