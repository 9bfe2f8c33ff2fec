"""Whether people see one map: score tests of one shared map with everybody's own noise.

Under the null hypothesis all see the same map, each with their own noise and lapse rate.
Residuals of the answers, in units of their standard deviations, are projected onto what the map,
sharpness and lapses cannot explain. What is left of a person's residuals is added up along the
directions in which this person's view may differ. Answers drawn from the null hypothesis, of the
same people to the same questions, show how large such sums are by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, logit

from ordinate._arrays import Floats, Indices, Points
from ordinate._person_effects import PersonEffectTest
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.people.objective import PeopleObjective, differences

_FIRST_SUREST, _SUREST = 1e-4, 0.02
"""No answer is taken to be less probable than this, before the form of noise is known and after:
one slip would outweigh all other answers."""
_OWN_FACTOR = 0.5
"""Standard deviation of the logarithm of everybody's own factor of log-odds."""
_MOST_COORDINATES = 4_000
"""A map of more is taken as known, which makes the test conservative."""
_RIDGE = 1e-8
"""Added to the information about the map, relative to its mean: it may be moved and turned."""
_MOST_ENTRIES = 4_000_000
"""Residuals that are drawn at a time."""


class Views(NamedTuple):
    """Tests of the two ways in which people may differ."""

    weights: PersonEffectTest
    """Everybody's own weights of axes, whichever these are: Rao's score statistics."""
    places: PersonEffectTest
    """Everybody's own places of the objects: squares of scores, by their expectation."""

    @property
    def p_values(self) -> Floats:
        """Of the test that a person has neither weights nor places of their own."""
        return np.minimum(2.0 * np.minimum(self.weights.p_values, self.places.p_values), 1.0)


class SharedMap:
    """The null hypothesis: one map for all, with everybody's own sharpness and lapse rate.

    Everything is in units of the standard deviations of residuals.
    """

    def __init__(
        self, objective: PeopleObjective, points: Points, log_weights: Floats, lapse_logits: Floats
    ) -> None:
        answers = objective.answers(points, log_weights, lapse_logits)
        self._record, self._people = objective.comparisons, objective.people
        self._differences = differences(self._record, points)
        counts = self._record.weights
        self._root = np.ones(len(self._people)) if counts is None else np.sqrt(counts)
        chance = np.clip(np.exp(-answers.value), _FIRST_SUREST, 1.0 - _FIRST_SUREST)
        near2, far2 = (np.square(gap).sum(axis=1) for gap in self._differences)
        factor = _own_noise(logit(chance), near2 + far2, self._people, self._root)
        self._decision, turned = decisions(self._record, self._people)
        choice = _is_choice(self._record, self._decision)
        self._fails = _failing(factor * logit(chance), self._decision, turned, choice)
        self._chance = 1.0 - (self._fails[1] - self._fails[0])
        # derivatives of log-odds, in units of the residuals' standard deviations
        unit = -self._root * np.sqrt(self._chance * (1.0 - self._chance)) / (1.0 - chance)
        seen = np.exp(log_weights[self._people, 0]) * factor * unit
        self._on_squares = answers.on_near * seen, answers.on_far * seen
        self._by_person = _sums_over(self._people, len(log_weights))
        self._by_decision = _sums_over(self._decision, int(self._decision.max()) + 1)
        self._whose = self._people[np.unique(self._decision, return_index=True)[1]]
        self._places = self._on_places(points.size)
        self._noise = self._noise_directions(points.shape[1])
        self._information = self._map_information()

    def own_views(self, n_draws: int, rng: np.random.Generator) -> Views:
        """Test whether people have views of their own, by answers drawn from this map."""
        given = np.ones((len(self._people), 1), dtype=bool)
        at_once = max(_MOST_ENTRIES // len(self._people), 1)
        sizes = [min(at_once, n_draws - first) for first in range(0, n_draws, at_once)]
        tests = self._own_weights(), self._own_places()
        parts: list[list[tuple[Floats, Floats]]] = [[], []]
        for holds in (given, *(self._drawn(size, rng) for size in sizes)):
            left = self._unexplained(self._standardized(holds))
            for test, found in zip(tests, parts, strict=True):
                found.append(test(left))
        return Views(*(_studentized(found) for found in parts))

    def _standardized(self, holds: NDArray[np.bool_]) -> Floats:
        """Return residuals of answers, each of which holds as written or not."""
        odds = np.sqrt((1.0 - self._chance) / self._chance)[:, None]
        residuals: Floats = self._root[:, None] * np.where(holds, odds, -1.0 / odds)
        return residuals

    def _own_weights(self) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Return scores along changes of the metric that keep its size, uncorrelated by the model.

        Like `_own_places` it takes residuals and returns everybody's scores, whose squares add up
        to the statistic, and what squares of single decisions give in its place.
        """
        metrics = _traceless(self._differences[0].shape[1])
        directions = [self._without_noise(self._on_metric(one)[:, None]) for one in metrics]
        information = np.empty((self._by_person.shape[0], len(metrics), len(metrics)))
        for k, one in enumerate(directions):
            for j, other in enumerate(directions):
                information[:, k, j] = (self._by_person @ (one * other))[:, 0]
        if self._information is not None:
            shared = [((self._by_person * one.T) @ self._places).toarray() for one in directions]
            solved = [cho_solve(self._information, one.T) for one in shared]
            for k, known in enumerate(shared):
                for j, other in enumerate(solved):
                    information[:, k, j] -= np.einsum("pm,mp->p", known, other)
        scale = np.trace(information, axis1=1, axis2=2).mean()
        values, vectors = np.linalg.eigh(information + _RIDGE * scale * np.eye(len(metrics)))
        values = np.maximum(values, _RIDGE * scale)
        root = np.einsum("pij,pj,pkj->pik", vectors, values**-0.5, vectors)
        precision = root @ root
        sums = _sums_over(self._whose, len(precision))

        def test(left: Floats) -> tuple[Floats, Floats]:
            scores = np.stack([self._by_person @ (one * left) for one in directions])
            steps = np.einsum("pkl,lpb->kpb", precision, scores)
            for one, step in zip(directions, steps, strict=True):
                left = left - one * step[self._people]
            single = np.stack([self._by_decision @ (one * left) for one in directions])
            squares = np.einsum("kub,ukl,lub->ub", single, precision[self._whose], single)
            return np.einsum("pkl,lpb->kpb", root, scores), sums @ squares

        return test

    def _own_places(self) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Return the length of everybody's score in all coordinates, by its expectation."""
        order = np.argsort(self._people, kind="stable")
        ends = np.cumsum(np.bincount(self._people, minlength=self._by_person.shape[0]))[:-1]
        rows_of = np.split(order, ends)
        lengths = np.asarray(self._places.power(2).sum(axis=1))
        expected = np.maximum(self._by_person @ lengths, np.finfo(np.float64).tiny)[:, None]
        sums = _sums_over(self._whose, len(expected))

        def of_decisions(left: Floats) -> Floats:
            scores = self._by_decision @ (self._places * left[:, None])
            found: Floats = sums @ np.asarray(scores.power(2).sum(axis=1))
            return found

        def test(left: Floats) -> tuple[Floats, Floats]:
            found = [np.square(self._places[rows].T @ left[rows]).sum(axis=0) for rows in rows_of]
            if len(self._whose) == len(left):  # every answer is a decision
                single = self._by_person @ (lengths[:, None] * np.square(left))
            else:
                single = np.stack([of_decisions(column) for column in left.T], axis=1)
            return np.sqrt(np.stack(found) / expected)[None], single / expected

        return test

    def _drawn(self, n_draws: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Draw answers from the map: which of them hold; one decision of a person is drawn once."""
        uniform = rng.random((self._by_decision.shape[0], n_draws))[self._decision]
        first, last = self._fails
        return np.asarray((uniform < first[:, None]) | (uniform >= last[:, None]))

    def _unexplained(self, residuals: Floats) -> Floats:
        """Take out what everybody's noise, and with it the map, can explain."""
        left = self._without_noise(residuals)
        if self._information is not None:
            moved = cho_solve(self._information, self._places.T @ left)
            left = left - self._without_noise(self._places @ moved)
        return left

    def _without_noise(self, columns: Floats) -> Floats:
        for direction in self._noise:
            columns = columns - direction * (self._by_person @ (direction * columns))[self._people]
        return columns

    def _noise_directions(self, dimension: int) -> list[Floats]:
        """Return those of everybody's sharpness and lapse rate, orthonormal for each person."""
        found: list[Floats] = []
        lapse = (0.5 - self._chance) / np.sqrt(self._chance * (1.0 - self._chance)) * self._root
        for column in (self._on_metric(np.eye(dimension)), lapse):
            direction = column[:, None]
            for other in found:
                direction = (
                    direction - other * (self._by_person @ (other * direction))[self._people]
                )
            length = np.sqrt(self._by_person @ np.square(direction))
            least = 1e-9 * max(float(length.max()), 1e-300)
            found.append(direction / np.maximum(length, least)[self._people])
        return found

    def _on_metric(self, metric: Floats) -> Floats:
        """Return derivatives along a symmetric change of the metric, of shape (n_answers,)."""
        (near, far), (on_near, on_far) = self._differences, self._on_squares
        changed: Floats = on_near * np.einsum("ts,su,tu->t", near, metric, near)
        changed += on_far * np.einsum("ts,su,tu->t", far, metric, far)
        return changed

    def _on_places(self, n_coordinates: int) -> Any:
        """Return derivatives in the coordinates, a sparse row per answer."""
        rows, d = self._record.rows, self._differences[0].shape[1]
        steps = [
            2.0 * on[:, None] * gap
            for on, gap in zip(self._on_squares, self._differences, strict=True)
        ]
        values = np.stack([steps[0], -steps[0], steps[1], -steps[1]], axis=1)
        objects = rows[:, PAIR_COLUMNS[rows.shape[1]]].astype(np.int64)
        columns = objects[:, :, None] * d + np.arange(d)
        answer = np.repeat(np.arange(len(rows)), 4 * d)
        return csr_array(
            (values.ravel(), (answer, columns.ravel())), shape=(len(rows), n_coordinates)
        )

    def _map_information(self) -> tuple[Floats, bool] | None:
        """Return the factors of Fisher's information about the map, beside everybody's noise."""
        size = self._places.shape[1]
        if size > _MOST_COORDINATES:
            return None
        information = (self._places.T @ self._places).toarray()
        for direction in self._noise:
            known = (self._by_person * direction.T) @ self._places
            information -= (known.T @ known).toarray()
        ridge = _RIDGE * max(float(np.trace(information)) / size, np.finfo(np.float64).tiny)
        factors: tuple[Floats, bool] = cho_factor(information + ridge * np.eye(size))
        return factors


def _studentized(parts: list[tuple[Floats, Floats]]) -> PersonEffectTest:
    """Divide everybody's scores by the size of their residuals, where it exceeds what is drawn.

    Where a map has too few dimensions, residuals are larger than the hypothesis says; that alone
    is no sign of another view. Of all people the largest sum of squares along one direction is
    taken: people who differ mostly do so along one axis.
    """
    scores, squares = (np.concatenate(several, axis=-1) for several in zip(*parts, strict=True))
    expected = np.maximum(squares[:, 1:].mean(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    scores = scores / np.sqrt(np.maximum(squares / expected, 1.0))
    own = np.square(scores).sum(axis=0)
    together = np.linalg.eigvalsh(np.einsum("kpb,lpb->bkl", scores, scores))[:, -1]
    return PersonEffectTest(own[:, 0], own[:, 1:], together[None])


def _own_noise(odds: Floats, sizes: Floats, people: Indices, root: Floats) -> Floats:
    """Return factors of log-odds, such that noise has the form that answers have.

    The factor is c_p (a² + b²)^−κ with near and far distances a and b. On a map of STE, whose
    noise is on squared distances, κ is 0; with ½ it is on distances, with 1 on their ratios.
    """
    n_people = int(people.max()) + 1
    log_sizes = np.log(sizes / np.median(sizes) + 0.01)

    def cost(x: Floats) -> tuple[float, Floats]:
        scaled = odds * np.exp(x[people] - x[-1] * log_sizes)
        pull = -(root**2) * expit(-scaled) * scaled
        on_people = np.bincount(people, pull, minlength=n_people) + x[:-1] / _OWN_FACTOR**2
        value = float(root**2 @ np.logaddexp(0.0, -scaled))
        value += 0.5 * float(np.square(x[:-1] / _OWN_FACTOR).sum())
        return value, np.append(on_people, -(pull @ log_sizes))

    bounds = [(-2.0, 2.0)] * n_people + [(-0.3, 1.3)]
    found = minimize(cost, np.zeros(n_people + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    factors: Floats = np.exp(found[people] - found[-1] * log_sizes)
    return factors


def _failing(
    odds: Floats, decision: Indices, turned: NDArray[np.bool_], choice: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return between which numbers, drawn for its decision, an answer does not hold.

    Rows of a `choice` say that one pair is closer than each of others. Luce's rule draws which one
    is closest, so at most one of its rows does not hold. Other rows of a decision fail together.
    """
    order = np.argsort(decision, kind="stable")
    size = np.bincount(decision)
    rivals = np.exp(-odds)
    others = np.where(choice, np.bincount(decision, rivals)[decision] - rivals, 0.0)
    least = _SUREST / np.where(choice, size[decision], 1)
    fails = np.clip(rivals / (1.0 + others + rivals), least, 1.0 - _SUREST)
    up_to = np.cumsum(fails[order])
    before = (up_to - fails[order])[np.cumsum(size) - size]
    last = np.ones(len(odds))
    last[order] -= up_to - fails[order] - np.repeat(before, size)
    last = np.where(choice, last, np.where(turned, fails, 1.0))
    return last - fails, last


def _is_choice(record: Comparisons, decision: Indices) -> NDArray[np.bool_]:
    """Mark rows of trials in which one pair was found closer than each of several others."""
    if "trial" not in record.groups:
        return np.zeros(len(record), dtype=bool)
    near, far = record.pair_codes()
    order = np.lexsort((far, near, decision))
    same = decision[order][1:] == decision[order][:-1]
    differs = same & ((near[order][1:] != near[order][:-1]) | (far[order][1:] == far[order][:-1]))
    mixed = np.bincount(decision[order][1:][differs], minlength=int(decision.max()) + 1) > 0
    return np.asarray(~mixed[decision])


def _sums_over(codes: Indices, size: int) -> Any:
    """Return a sparse matrix that adds up rows of equal codes."""
    shape = size, len(codes)
    return csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=shape)


def _traceless(dimension: int) -> list[Floats]:
    """Return symmetric matrices without trace, orthonormal: what turns and weighs axes."""
    found = []
    for a in range(dimension):
        for b in range(a):
            across = np.zeros((dimension, dimension))
            across[a, b] = across[b, a] = np.sqrt(0.5)
            found.append(across)
        if a:
            along = np.append(np.ones(a), -a) / np.sqrt(a * (a + 1))
            found.append(np.diag(np.pad(along, (0, dimension - a - 1))))
    return found


def decisions(record: Comparisons, people: Indices) -> tuple[Indices, NDArray[np.bool_]]:
    """Return which answers one person gave at once, and which of them say the opposite.

    The rows of a trial stand or fall together, and answers of one person to the same question are
    taken to be one answer: both make the test rather too cautious than too bold.
    """
    turned = np.zeros(len(record), dtype=bool)
    if "trial" in record.groups:
        codes = record.group_codes("trial")
    else:
        codes = record.question_groups()
        near, far = record.pair_codes()
        turned = near > far
    together = people.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes
    return np.unique(together, return_inverse=True)[1].ravel().astype(np.intp), turned
