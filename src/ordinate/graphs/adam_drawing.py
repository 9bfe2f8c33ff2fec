"""Drawings of graphs that Adam finds: connected components one by one, side by side."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import check_start
from ordinate._progress import progress
from ordinate.graphs.components import GraphLayout
from ordinate.graphs.initialization import STARTS
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.solvers.adam import adam
from ordinate.solvers.stopping import Result, planned_run_converged


class DrawingObjective(Protocol):
    """A loss of coordinates that may differ from call to call, on the CPU or on a device."""

    def to_device(self, points: Points) -> Any:
        """Return coordinates where and as the loss is computed."""

    def to_host(self, points: Any) -> Points:
        """Return coordinates in the precision of maps."""

    def __call__(self, points: Any) -> tuple[Any, Any]:
        """Return the loss, and its gradient times the number of objects."""

    def judged(self, points: Any) -> float:
        """Return a loss by which maps can be compared."""


class PlannedRun(Result):
    """Where a run ended whose number of iterations is fixed: its history ends before the last."""

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.history)


@dataclass(eq=False, repr=False)
class AdamDrawing(GraphLayout):
    """Fits a drawing by Adam; an estimator says by which loss and how far it steps."""

    def _fit_connected(self, graph: NeighborGraph, rng: np.random.Generator) -> Result:
        points, history, judged = self._descend(graph, rng, self.max_iter)
        # a single step has no half way
        rested = self.max_iter > 1 and planned_run_converged(*judged)
        return PlannedRun(points, judged[-1], history, rested)

    def _descend(
        self, graph: NeighborGraph, rng: np.random.Generator, max_iter: int
    ) -> tuple[Points, NDArray[np.float64], tuple[float, float, float]]:
        """Run Adam; return points, losses, and what is comparable of start, half way and end."""
        objective, start, step = self._begin(graph, rng)
        begin = objective.to_device(start)
        at_half = begin

        def before(number: int, points: Any) -> None:
            nonlocal at_half
            if number == max_iter // 2 + 1:
                at_half = points + 0  # a copy, of NumPy or torch

        with progress(type(self).__name__, total=max_iter, enabled=self.verbose) as advance:

            def after(value: Any) -> None:
                advance(1, note=f"loss {float(value):.4f}")

            points, history = adam(
                objective,
                begin,
                max_iter=max_iter,
                step=step,
                before=before,
                after=after if self.verbose else None,  # on a device it would wait for the value
            )
        judged = objective.judged(begin), objective.judged(at_half), objective.judged(points)
        return objective.to_host(points), history, judged

    @abstractmethod
    def _begin(
        self, graph: NeighborGraph, rng: np.random.Generator
    ) -> tuple[DrawingObjective, Points, float]:
        """Return the loss of a connected graph, where to begin, and Adam's first step."""

    def _start(self, graph: NeighborGraph, rng: np.random.Generator) -> Points:
        """Return coordinates, those by name with a standard deviation of 1."""
        if not isinstance(self.init, str):
            return check_start(self.init, graph.n_objects, self.n_components)
        start = STARTS[self.init](graph, self.n_components, rng)
        width = max(float(start.std()), np.finfo(np.float64).tiny)
        scaled: Points = start / width
        return scaled
