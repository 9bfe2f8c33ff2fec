"""Machines beside people: whether they agree, on which items not, what their answers are worth."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.pairs import Pairs
from ordinate.scales.judges import dependence, judges_differ
from ordinate.scales.ranking import Ranking
from ordinate.scales.ranking_fit import TRIAL
from ordinate.solvers.intervals import holm, wilson
from ordinate.solvers.respondents import (
    FEWEST,
    ORDERS,
    RESPONDENT,
    Losses,
    MachinesBesidePeople,
    answer_weights,
    fewer_answers,
    resampled,
    worth_of_machine_answers,
)


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
        sides = two_sides(pairs, of_people, model, level, ("people", "machines"))
        joint = _joint(pairs, of_people)
        both = model.with_choices(joint, slopes=False, judges=RESPONDENT)
        p_differ = judges_differ(joint, both.fit(joint), rng)
        losses, right = _held_out_losses(model, people, machines, rng)
    n_people, n_machines = (answer_weights(part).sum() for part in (people, machines))
    return MachinesBesidePeople(
        float(n_people),
        float(n_machines),
        sides.agreement,
        sides.interval,
        float(2 * right - 1),
        p_differ,
        sides.different,
        *worth_of_machine_answers(people, losses, n_machines, level, rng),
    )


class TwoSides(NamedTuple):
    """Two rankings of the same items by the answers of different people, or of machines."""

    one: Ranking
    other: Ranking
    agreement: float
    """Of the other side's decided answers with the ranking of the one, beyond chance."""
    interval: tuple[float, float]
    different: dict[str, NDArray[Any]]
    """Each item with both scores in one unit, the difference, and its p-value for all (Holm)."""


def two_sides(
    pairs: Pairs,
    of_one: NDArray[np.bool_],
    model: Ranking,
    level: float,
    called: tuple[str, str],
    errors: str = "answers",
) -> TwoSides:
    """Rank items by the answers of one side and of the other, and compare them item by item."""
    parts = pairs[of_one], pairs[~of_one]
    one, other = (model.with_choices(part, slopes=False, errors=errors).fit(part) for part in parts)
    joint = _joint(pairs, of_one)
    both = model.with_choices(joint, slopes=True, judges=RESPONDENT).fit(joint)
    assert both.slopes_ is not None
    agreeing, decided = _agreeing(one.scores_, parts[1])
    together = dependence(parts[1], other)
    low, high = 2 * wilson(agreeing / together, decided / together, level) - 1
    unit = both.slopes_[0] / both.slopes_[1] if low > 0 else np.nan
    return TwoSides(
        one,
        other,
        float(2 * agreeing / decided - 1),
        (float(low), float(high)),
        _different(pairs, one, other, unit, called),
    )


def _joint(pairs: Pairs, of_one: NDArray[np.bool_]) -> Pairs:
    """Return the answers with their side in the place of the judge; rankings stay whole."""
    kept = {name: own for name, own in pairs.groups.items() if name == TRIAL}
    return pairs._with(groups=kept | {RESPONDENT: np.where(of_one, "one", "other")})


def _agreeing(scores: Floats, pairs: Pairs) -> tuple[float, float]:
    """Return how many decided answers go with scores, and how many there are."""
    gap = scores[pairs.rows[:, 0]] - scores[pairs.rows[:, 1]]
    weights = answer_weights(pairs) * (pairs.outcomes != 0)
    return float(weights @ (0.5 + 0.5 * np.sign(gap) * pairs.outcomes)), float(weights.sum())


def _different(
    pairs: Pairs, one: Ranking, other: Ranking, slope: float, called: tuple[str, str]
) -> dict[str, NDArray[Any]]:
    """Compare scores item by item; `slope` is the unit of the one's scores in that of the other's.

    It is NaN if they agree in nothing: there is no common unit then.
    """
    by_other = other.scores_ * slope
    change = by_other - one.scores_
    errors = np.hypot(other.standard_errors_ * slope, one.standard_errors_)
    p_values = holm(np.nan_to_num(2 * ndtr(-np.abs(change) / errors), nan=1.0))
    order = np.argsort(p_values, kind="stable")
    names = np.array([str(pairs.name_of(item)) for item in range(pairs.n_objects)])
    found = {"object": names, called[0]: one.scores_, called[1]: by_other}
    found |= {"difference": change, "p_value": p_values}
    return {name: column[order] for name, column in found.items()}


def _held_out_losses(
    model: Ranking, people: Pairs, machines: Pairs, rng: np.random.Generator
) -> tuple[Losses, float]:
    """Return losses of people's answers, and the share that other people's ranking predicts.

    Scores by machines are stretched to suit the other answers of people.
    """
    spread = model._spread or 10.0

    def scores_by(answers: Pairs) -> Ranking:
        return model.with_choices(answers, slopes=False, prior=spread).fit_mode(answers)

    by_machines = [scores_by(answers).scores_ for answers in resampled(machines, rng)]
    found, agreeing = Losses.of(len(people)), np.zeros(2)
    for part, halving, _, answers in fewer_answers(people, ORDERS, rng):
        test, fitted = people[part.held_out], scores_by(answers)
        share = 1 / ORDERS if halving else 1.0
        found.people[halving, part.held_out] += share * fitted._losses(test)
        if halving:
            continue
        agreeing += _agreeing(fitted.scores_, test)
        for number, scores in enumerate(by_machines):
            best: Any = minimize_scalar(
                _stretched_loss,
                args=(scores, fitted, answers),
                bounds=(0.0, 5.0),
                method="bounded",
                options={"xatol": 1e-2},
            )
            stretched = _stretched(best.x, scores, fitted)
            found.machines[number, part.held_out] = stretched._losses(test)
        found.nothing[part.held_out] = _stretched(0.0, scores, fitted)._losses(test)
    return found, float(agreeing[0] / agreeing[1])


def _stretched(factor: float, scores: Floats, model: Ranking) -> Ranking:
    """Return a ranking with other scores."""
    found = copy(model)
    found.scores_ = factor * scores
    return found


def _stretched_loss(factor: float, scores: Floats, model: Ranking, answers: Pairs) -> float:
    losses = _stretched(factor, scores, model)._losses(answers)
    return float(np.average(losses, weights=answers.weights))
