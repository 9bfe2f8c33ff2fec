"""The map and everybody's weights, sharpness and lapses, fitted together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats, Points
from ordinate.people.objective import PeopleObjective, differences
from ordinate.people.participants import PooledMap
from ordinate.people.population import (
    Population,
    differences_scores,
    fisher_information,
    lapses_score,
    sums_of_products,
)
from ordinate.prior import WhitenedMaps
from ordinate.solvers.lbfgs import lbfgs

_ROUNDS = 25
"""Most times that the distribution of people is learned and the map fitted again."""
_COARSE = 1e-3
"""Tolerance of the fits between; the last one has that of the user."""
_SEEN = 2.0
"""Standard deviations of a score, above which people are taken to differ or to lapse."""
_SWEEPS = 50
"""Most rounds of rotations; a few do."""
_STILL = 1e-6
"""Angle below which a rotation is none."""


def rotation_to_axes(objective: PeopleObjective, points: Points, n_people: int) -> Points:
    """Return the rotation of a pooled map to the axes along which people differ.

    At equal weights, the derivative of a person's loss in a metric of their own is a symmetric
    matrix. If people stretch certain axes, it is diagonal there, so the rotation is looked for
    in which the matrices of all people are as diagonal as can be.
    """
    answers = objective.answers_if_alike(points, n_people)
    near, far = differences(objective.comparisons, points)
    counts = objective.comparisons.weights
    on_near = answers.on_near if counts is None else counts * answers.on_near
    on_far = answers.on_far if counts is None else counts * answers.on_far
    derivatives = sums_of_products(objective.people, n_people, on_near, near)
    derivatives += sums_of_products(objective.people, n_people, on_far, far)
    return joint_diagonalizer(derivatives - derivatives.mean(axis=0))


def joint_diagonalizer(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the rotation that makes symmetric matrices as diagonal as possible, all at once.

    Jacobi's rotations of two axes at a time, each by the best angle.

    Cardoso & Souloumiac, Jacobi angles for simultaneous diagonalization, SIAM J. Matrix Anal. 1996.
    """
    dimension = matrices.shape[1]
    rotation = np.eye(dimension)
    for _ in range(_SWEEPS):
        largest = 0.0
        for a in range(dimension):
            for b in range(a):
                half = matrices[:, a, a] - matrices[:, b, b]
                cross = 2.0 * matrices[:, a, b]
                angle = 0.25 * np.arctan2(2.0 * half @ cross, half @ half - cross @ cross)
                turn = np.eye(dimension)
                turn[a, a] = turn[b, b] = np.cos(angle)
                turn[b, a] = np.sin(angle)
                turn[a, b] = -turn[b, a]
                matrices = turn.T @ matrices @ turn
                rotation = rotation @ turn
                largest = max(largest, abs(float(angle)))
        if largest < _STILL:
            break
    return rotation


@dataclass(eq=False)
class JointFit:
    """The map and everybody's z together, and in turn with it the distribution of people.

    What people may differ in is looked for first, each by a test: weights of the axes and
    sharpness on the pooled map, lapses on a fit without them, for people who weigh axes
    differently seem to lapse on a map that is the same for all. What is not seen is not fitted.
    """

    start: PooledMap
    objective: PeopleObjective
    n_people: int
    tau: float | str
    own_sharpness: bool
    own_lapses: bool
    max_iter: int
    tol: float
    points: Points = field(init=False)
    population: Population = field(init=False)

    def __post_init__(self) -> None:
        self._places, self._space, self.converged, self.n_iter = self.start
        self.n_last = self.n_iter
        is_told = isinstance(self._space, WhitenedMaps)
        self.points = self._inside(self._places) if is_told else self._places
        self.population = self._first_population()
        self.log_weights = np.zeros((self.n_people, self.points.shape[1]))
        self.lapse_logits = np.full(self.n_people, self.population.lapse_logit)

    def _first_population(self) -> Population:
        """Turn the map to its axes, and look whether people weigh them differently."""
        rotation = rotation_to_axes(self.objective, self.points, self.n_people)
        turned = self.points @ rotation
        in_weights, in_sharpness = differences_scores(self.objective, turned, self.n_people)
        if isinstance(self.tau, str):
            tau = Population().tau if in_weights > _SEEN else 0.0
        else:
            tau = self.tau
        if tau > 0:
            self.points, self._places = turned, self._places @ rotation
            if isinstance(self._space, WhitenedMaps):
                self._space = self._space.turned(rotation)
        unlike = self.own_sharpness and (tau > 0 or in_sharpness > _SEEN)
        return Population.with_tau(tau, self.points.shape[1], has_sharpness=unlike)

    @property
    def people_differ(self) -> bool:
        """Whether anything is fitted beside the pooled map."""
        population = self.population
        return population.tau > 0 or population.has_sharpness or self.objective.lapses

    def rounds(self) -> Iterator[Population]:
        """Fit, learn the distribution, and again, until it has converged; yield it each time."""
        yield from self._until_converged()
        if self.own_lapses and self._lapses_are_seen():
            self.objective = replace(self.objective, lapses=True)
            if not self.population.has_sharpness:
                dimension = self.points.shape[1]
                self.population = Population.with_tau(
                    self.population.tau, dimension, has_sharpness=True
                )
            yield from self._until_converged()
        if self.people_differ:
            self._minimize(self.tol)

    def _lapses_are_seen(self) -> bool:
        answers = self.objective.answers(self.points, self.log_weights, self.lapse_logits)
        return lapses_score(answers.value, self.objective.comparisons.weights) > _SEEN

    def _until_converged(self) -> Iterator[Population]:
        learn_tau = isinstance(self.tau, str) and self.population.tau > 0
        for _ in range(_ROUNDS if self.people_differ else 0):
            self._minimize(_COARSE)
            before = self.population
            self.population = before.learned(
                before.standardized(self.log_weights),
                self.lapse_logits,
                self._information(),
                learn_tau=learn_tau,
            )
            yield self.population
            if self.population.has_converged(before):
                break

    def _inside(self, places: Points) -> Points:
        return self._space.inside(places) if self._space else places - places.mean(axis=0)

    def _information(self) -> Floats:
        answers = self.objective.answers(self.points, self.log_weights, self.lapse_logits)
        counts = self.objective.comparisons.weights
        return fisher_information(answers, self.objective.people, counts, self.n_people)

    def _minimize(self, tol: float) -> None:
        """Run the solver on the coordinates, everybody's z and lapse logits together."""
        population = self.population
        shape, n_coordinates = self._places.shape, self._places.size

        def split(x: Floats) -> tuple[Points, Floats]:
            personal = x[n_coordinates:].reshape(self.n_people, shape[1] + 1)
            return x[:n_coordinates].reshape(shape), personal

        def together(points: Points, personal: Floats) -> Floats:
            return np.concatenate([points.ravel(), personal.ravel()])[:, None]

        def loss(x: Floats) -> tuple[float, Floats]:
            places, z = split(x)
            log_weights = population.log_weights(z[:, :-1])
            logits = population.lapse_logit + z[:, -1]
            on_z = np.empty_like(z)

            def on_map(points: Points) -> tuple[float, Points]:
                value, gradient = self.objective(points, log_weights, logits)
                on_z[:, :-1] = population.log_weights(gradient.log_weights)
                on_z[:, -1] = gradient.lapse_logits
                return value, gradient.points

            value, gradient = (self._space.around(on_map) if self._space else on_map)(places)
            value = float(value) + 0.5 * float(np.square(z).sum())
            return value, together(gradient, on_z + z)

        z = population.standardized(self.log_weights)
        personal = np.column_stack([z, self.lapse_logits - population.lapse_logit])
        found = lbfgs(loss, together(self._places, personal), max_iter=self.max_iter, tol=tol)
        self._places, personal = split(found.points)
        self.points = self._inside(self._places)
        if not isinstance(self._space, WhitenedMaps):
            self._places = self.points
        self.log_weights = population.log_weights(personal[:, :-1])
        self.lapse_logits = population.lapse_logit + personal[:, -1]
        self.converged = found.converged
        self.n_last = found.n_iter
        self.n_iter += found.n_iter
