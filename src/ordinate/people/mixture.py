"""Several maps that share the answers: which map each answer, or each person, goes by is learned.

Answers come in units that go by one map, such as all answers of a person, or each answer alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats, Points
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import Comparisons
from ordinate.engine.cpu import CPUObjective
from ordinate.engine.distances import squared_distances
from ordinate.losses import Loss
from ordinate.prior import WhitenedMaps
from ordinate.solvers.bounded_size import BoundedSize
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.mixture import Mixture

_STEPS = 8
"""Iterations of the solver between two looks at who belongs where; further ones gain little."""
_FIRST_STEPS = 20
"""Iterations before anything is known about who belongs where."""
_SETTLED = 1e-3
"""Change of the probabilities below which it is known who belongs where."""
_LAST_STEPS = 1000
"""Iterations once that is known."""
_TOL = 1e-3
"""Ends them earlier: maps without a penalty grow for ever, and gain little by it."""
_ZERO = 1e-4
"""Share of the cost of a map without extent that is as good as none."""
_FEW = 0.8
"""Share of answers that count below which it pays to take the others out."""
_LEAST = 1e-6
"""Share of the answers below which a map is left as it is; a probability that is as good as 0."""


class MapMixture(Mixture):
    """Maps, their shares, and what the answers say about both."""

    def __init__(
        self,
        comparisons: Comparisons,
        units: NDArray[np.intp],
        loss: Loss,
        parameters: Sequence[float],
        maps: list[Points],
        space: BoundedSize | WhitenedMaps | None = None,
        n_threads: int = 1,
    ) -> None:
        super().__init__(len(maps))
        self.comparisons, self.units = comparisons, units
        self.loss, self.parameters = loss, parameters
        self.places, self.space, self.n_threads = maps, space, n_threads
        self.n_units = int(units.max()) + 1
        self.slack = _ZERO * len(units)  # all answers may be satisfied
        self._before = np.full((self.n_units, len(maps)), np.inf)

    @property
    def maps(self) -> list[Points]:
        """Coordinates on each map."""
        if isinstance(self.space, WhitenedMaps):
            return [self.space.inside(places) for places in self.places]
        return self.places

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

    def costs(self) -> Floats:
        """Return what the answers of every unit cost on every map."""
        costs = self.losses(self.comparisons)
        counts = self.comparisons.weights
        if counts is not None:
            costs *= counts[:, None]
        return np.column_stack(
            [np.bincount(self.units, column, minlength=self.n_units) for column in costs.T]
        )

    def move(self, probabilities: Floats) -> None:
        """Fit all maps to the answers of units with these probabilities."""
        known = np.abs(probabilities - self._before).max() < _SETTLED
        self._before = probabilities
        ended = self.move_maps(probabilities[self.units], _LAST_STEPS if known else _STEPS)
        self.settled = known and ended

    def move_maps(self, weights: Floats, n_steps: int) -> bool:
        """Fit all maps to the answers in one run, and tell whether it converged.

        The weights have shape (n_comparisons, n_maps).
        """
        counts = self.comparisons.weights
        weighted = weights if counts is None else weights * counts[:, None]
        moving = np.flatnonzero(weighted.sum(axis=0) >= _LEAST * len(weighted))
        objectives = [self._objective(weighted[:, number]) for number in moving]
        space, is_told = self.space, isinstance(self.space, WhitenedMaps)
        start = np.array([self.places[number] for number in moving])

        def on_maps(maps: Points) -> tuple[float, Points]:
            found = [one(points) for one, points in zip(objectives, maps, strict=True)]
            return sum(value for value, _ in found), np.array([gradient for _, gradient in found])

        bounded = space.around(on_maps) if space else on_maps

        def stacked(rows: Points) -> tuple[float, Points]:
            value, gradient = bounded(rows.reshape(start.shape))
            return value, gradient.reshape(rows.shape)

        without_extent = float(self.loss(0.0, 0.0, *self.parameters)[0])
        floor = _ZERO * without_extent * float(weighted[:, moving].sum())
        rows = start.reshape(-1, start.shape[2])
        if is_told:  # a prior holds the maps
            floor = -np.inf
        if stacked(rows)[0] <= floor:  # all answers are satisfied; the maps would grow for ever
            return True
        found = lbfgs(stacked, rows, max_iter=n_steps, tol=_TOL, floor=floor)
        maps = found.points.reshape(start.shape)
        for number, places in zip(
            moving, space.inside(maps) if space and not is_told else maps, strict=True
        ):
            self.places[number] = places
        return found.converged

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

    def begin(self, weights: Floats) -> None:
        """Take first steps of all maps, with weights of shape (n_comparisons, n_maps)."""
        self.move_maps(weights, _FIRST_STEPS)

    def sorted(self) -> MapMixture:
        """Put the maps into the order of their shares, the largest first, and centre them."""
        order = np.argsort(-self.shares, kind="stable")
        self.shares = self.shares[order]
        self.places = [self.places[number] for number in order]
        return self
