"""Several maps that share the answers: which map each answer, or each person, goes by is learned.

Answers come in units that go by one map, such as all answers of a person, or each answer alone.
Given everybody's probabilities the maps are weighted fits, given the maps the probabilities follow
from Bayes' rule: expectation and maximization in turn raise the likelihood
Σ_units log Σ_g π_g Π_t p_g(t).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp

from ordinate._arrays import Floats, Points
from ordinate._progress import Advance
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import Comparisons
from ordinate.engine.cpu import CPUObjective
from ordinate.engine.distances import squared_distances
from ordinate.losses import Loss
from ordinate.solvers.bounded_size import BoundedSize
from ordinate.solvers.lbfgs import lbfgs

_STEPS = 8
"""Iterations of the solver between two looks at who belongs where; further ones gain little."""
_FIRST_STEPS = 20
"""Iterations before anything is known about who belongs where."""
_RACES, _SHORT = 3, 4
"""How often the less likely half of the starts is given up, and after how many rounds."""
_WINDOW = 5
"""Rounds over which progress is judged."""
_ZERO = 1e-4
"""Share of the cost of a map without extent that is as good as none."""
_FEW = 0.8
"""Share of answers that count below which it pays to take the others out."""
_LEAST = 1e-6
"""Share of the answers below which a map is left as it is; a probability that is as good as 0."""


@dataclass(eq=False)
class Mixture:
    """Maps, their shares, and what the answers say about both."""

    comparisons: Comparisons
    units: NDArray[np.intp]
    loss: Loss
    parameters: Sequence[float]
    maps: list[Points]
    radius: float = np.inf
    n_threads: int = 1
    shares: Floats = field(init=False)
    log_likelihood: float = field(init=False, default=-np.inf)
    n_rounds: int = field(init=False, default=0)
    converged: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.shares = np.full(len(self.maps), 1 / len(self.maps))
        self.n_units = int(self.units.max()) + 1

    def losses(self, comparisons: Comparisons) -> Floats:
        """Return what every answer costs on every map, of shape (n_comparisons, n_maps)."""
        return np.column_stack(
            [
                self.loss(*squared_distances(points, comparisons.rows), *self.parameters)[0]
                for points in self.maps
            ]
        )

    def cost_of_one(self, points: Points) -> float:
        """Return what all answers together cost on one map."""
        counts, rows = self.comparisons.weights, self.comparisons.rows
        costs = self.loss(*squared_distances(points, rows), *self.parameters)[0]
        return float(costs.sum() if counts is None else counts @ costs)

    def memberships(self, heat: float = 1.0) -> Floats:
        """Return how probable it is that a unit goes by each map, of shape (n_units, n_maps).

        `heat` above one makes them less certain than they are; the likelihood is kept too.
        """
        costs = self.losses(self.comparisons)
        counts = self.comparisons.weights
        if counts is not None:
            costs *= counts[:, None]
        evidence = np.column_stack(
            [np.bincount(self.units, column, minlength=self.n_units) for column in costs.T]
        )
        with np.errstate(divide="ignore"):
            joint = np.log(self.shares) - evidence
        self.log_likelihood = float(logsumexp(joint, axis=1).sum())
        probabilities: Floats = np.exp(log_softmax(joint / heat, axis=1))
        return probabilities

    def move_maps(self, weights: Floats, n_steps: int = _STEPS) -> None:
        """Fit all maps to the answers, weighted by shape (n_comparisons, n_maps), in one run."""
        counts = self.comparisons.weights
        weighted = weights if counts is None else weights * counts[:, None]
        moving = np.flatnonzero(weighted.sum(axis=0) >= _LEAST * len(weighted))
        objectives = [self._objective(weighted[:, number]) for number in moving]
        bound = BoundedSize(self.radius) if np.isfinite(self.radius) else None
        start = np.array([self.maps[number] for number in moving])

        def on_maps(maps: Points) -> tuple[float, Points]:
            found = [one(points) for one, points in zip(objectives, maps, strict=True)]
            return sum(value for value, _ in found), np.array([gradient for _, gradient in found])

        bounded = bound.around(on_maps) if bound else on_maps

        def stacked(rows: Points) -> tuple[float, Points]:
            value, gradient = bounded(rows.reshape(start.shape))
            return value, gradient.reshape(rows.shape)

        without_extent = float(self.loss(0.0, 0.0, *self.parameters)[0])
        floor = _ZERO * without_extent * float(weighted[:, moving].sum())
        rows = start.reshape(-1, start.shape[2])
        if stacked(rows)[0] <= floor:  # all answers are satisfied; the maps would grow for ever
            return
        found = lbfgs(stacked, rows, max_iter=n_steps, tol=0.0, floor=floor).points
        maps = found.reshape(start.shape)
        for number, points in zip(moving, bound.inside(maps) if bound else maps, strict=True):
            self.maps[number] = points

    def _objective(self, weight: Floats) -> CPUObjective:
        """Return what answers with these weights cost; those without any are left out."""
        weight = np.where(weight < _LEAST * weight.max(), 0.0, weight)
        counting = np.flatnonzero(weight)
        record = self.comparisons
        if len(counting) < _FEW * len(weight):
            record, weight = record[counting], weight[counting]
        return CPUObjective(
            as_comparisons(record, weights=weight),
            self.loss,
            self.parameters,
            n_threads=self.n_threads,
        )

    def run(self, max_rounds: int, tol: float, heats: Sequence[float] = ()) -> None:
        """Do rounds of expectation and maximization until the likelihood rises no more."""
        history: list[float] = []
        for number in range(max_rounds):
            heat = heats[number] if number < len(heats) else 1.0
            probabilities = self.memberships(heat)
            history.append(self.log_likelihood)
            self.n_rounds += 1
            recent = history[len(heats) :][-_WINDOW - 1 :]
            size = abs(history[-1]) + _ZERO * len(self.units)  # all answers may be satisfied
            if len(recent) > _WINDOW and recent[-1] - recent[0] <= tol * size:
                self.converged = True
                return
            self.shares = probabilities.mean(axis=0)
            self.move_maps(probabilities[self.units])

    def begin(self, weights: Floats) -> None:
        """Take first steps of all maps, with weights of shape (n_comparisons, n_maps)."""
        self.move_maps(weights, _FIRST_STEPS)

    def sorted(self) -> None:
        """Put the maps into the order of their shares, the largest first, and centre them."""
        order = np.argsort(-self.shares, kind="stable")
        self.shares = self.shares[order]
        self.maps = [self.maps[number] - self.maps[number].mean(axis=0) for number in order]


def best_mixture(
    starts: Sequence[Mixture],
    *,
    max_rounds: int,
    tol: float,
    heats: Sequence[float] = (),
    advance: Advance | None = None,
) -> Mixture:
    """Run all starts for a few rounds, the likelier half for a few more, the best to its end."""
    running = list(starts)
    for race in range(_RACES):
        first_heats = heats if race == 0 else ()
        for start in running:
            start.run(_SHORT + len(first_heats), tol, first_heats)
            start.memberships()
            if advance:
                advance(1)
        running.sort(key=lambda start: -start.log_likelihood)
        running = running[: (len(running) + 1) // 2]
    best = running[0]
    if not best.converged:
        best.run(max_rounds, tol)
    best.sorted()
    return best
