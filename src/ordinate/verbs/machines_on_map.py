"""Machines beside people on a map: agreement, objects seen differently, worth of their answers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._random import RandomState, as_generator, as_seed
from ordinate.comparisons.record import Comparisons
from ordinate.io.screening import who_is_a_person
from ordinate.metrics import triplet_margins
from ordinate.metrics._triplets import expected_mistakes
from ordinate.selection._held_out import MethodSpec
from ordinate.solvers.intervals import brier_scores, wilson
from ordinate.solvers.respondents import (
    FEWEST,
    HALVINGS,
    RESPONDENT,
    Losses,
    MachinesBesidePeople,
    answer_weights,
    fewer_answers,
    resampled,
    worth_of_machine_answers,
)
from ordinate.triplets.ste import STE
from ordinate.verbs.maps_by_group import maps_by_group

_EACH = 5
"""Answers per object, of people and of machines, from which their maps are compared."""
_MOST = 20_000
"""Answers up to which an analysis compares them unasked."""
_ORDERS, _N_DRAWS = 2, 100
LEVEL = 0.95


def can_compare_machines(answers: Comparisons, spec: MethodSpec) -> bool:
    """Whether enough people and machines answered, and maps are made of answers, quickly."""
    of_people = who_is_a_person(answers.groups)
    if of_people is None or spec.is_kernel or not spec.is_quick:
        return False
    fewest = min(int(of_people.sum()), int((~of_people).sum()))
    return max(FEWEST, _EACH * answers.n_objects) <= fewest and len(answers) <= _MOST


def compare_machines(
    answers: Comparisons, random_state: RandomState, n_jobs: int | None
) -> MachinesBesidePeople | None:
    """Compare them on maps by STE in two dimensions; None if few machines or people answered."""
    spec = MethodSpec("STE", STE(), 2)
    if not can_compare_machines(answers, spec):
        return None
    seed = as_seed(random_state)
    return machines_on_map(answers, spec, random_state=seed, n_jobs=n_jobs, verbose=False)


def machines_on_map(
    answers: Comparisons, spec: MethodSpec, **running: Any
) -> MachinesBesidePeople | None:
    """Compare answers of machines with those of people, by maps that are made in one way.

    None if they share hardly an object.
    """
    of_people = who_is_a_person(answers.groups)
    assert of_people is not None
    shared = np.arange(answers.n_objects)
    for part in (answers[of_people], answers[~of_people]):
        shared = part.occurring(shared)
    about = np.isin(answers.rows, shared).all(axis=1)
    answers, of_people = answers[about], of_people[about]
    rng = as_generator(running["random_state"])
    names = np.where(of_people, "people", "machines")
    joint = answers._with(groups={**answers.groups, RESPONDENT: names})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # maps that only serve to compare
        difference = (
            maps_by_group(joint, spec, RESPONDENT, n_draws=_N_DRAWS, **running).pairs[0].found
        )
        if difference is None:
            return None
        people, machines = answers[of_people], answers[~of_people]
        weights = answer_weights(machines)
        place = spec.placer(running["random_state"])
        right = 1 - expected_mistakes(triplet_margins(machines, place(people)))
        agreeing, decided = float(weights @ right), float(weights.sum())
        low, high = 2 * wilson(agreeing, decided, LEVEL) - 1
        losses, people_right = _held_out_losses(place, people, machines, rng)
    # a map of guesses shows nothing that is seen differently
    p_differ = difference.p_value if low > 0 else np.nan
    moved = difference.to_dict()["moved"] if difference.differ and low > 0 else []
    return MachinesBesidePeople(
        float(answer_weights(people).sum()),
        decided,
        2 * agreeing / decided - 1,
        (float(low), float(high)),
        2 * people_right - 1,
        p_differ,
        {"object": np.array(moved, dtype=str), "p_value": np.full(len(moved), p_differ)},
        *worth_of_machine_answers(people, losses, decided, LEVEL, rng),
        of="map",
    )


def _held_out_losses(
    place: Any, people: Comparisons, machines: Comparisons, rng: np.random.Generator
) -> tuple[Losses, float]:
    """Return Brier scores of people's answers, and the share that maps of other people's predict.

    Each way of predicting has one sharpness for all answers, so that machines' maps may be of
    another size.
    """
    weights, found = answer_weights(people), Losses.of(len(people))
    margins = np.full((HALVINGS, _ORDERS, len(people)), np.nan)
    for part, halving, order, answers in fewer_answers(people, _ORDERS, rng):
        held_out = triplet_margins(people[part.held_out], place(answers))
        orders = slice(order, order + 1) if halving else slice(None)
        margins[halving, orders][:, part.held_out] = held_out
    known = ~np.isnan(margins[0, 0])

    def losses(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Brier scores; answers that were never held out have none."""
        scores: NDArray[np.float64] = np.where(known, brier_scores(values, weights), 0.0)
        return scores

    for halving, several in enumerate(margins):
        found.people[halving] = np.mean([losses(values) for values in several], axis=0)
    for number, answers in enumerate(resampled(machines, rng)):
        found.machines[number] = losses(triplet_margins(people, place(answers)))
    found.nothing[known] = 0.25
    right = np.average(1 - expected_mistakes(margins[0, 0, known]), weights=weights[known])
    return found, float(right)
