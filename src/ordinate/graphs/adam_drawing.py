"""Drawings of graphs that Adam finds: connected components one by one, side by side."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice, check_integer, check_points
from ordinate._estimator import BaseEstimator, Runs
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate.graphs.components import fit_components, warn_of_components
from ordinate.graphs.initialization import STARTS
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.graphs.recovery import RecoversGraph
from ordinate.solvers.adam import adam
from ordinate.solvers.stopping import planned_run_converged, warn_unless_converged


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


@dataclass(eq=False, repr=False)
class AdamDrawing(RecoversGraph, Runs, BaseEstimator):
    """Fits a drawing by Adam; an estimator says by which loss and how far it steps."""

    n_components: int = 2
    _: KW_ONLY
    init: str | ArrayLike = "geodesic"
    max_iter: int = 400

    def fit(self, X: Any, y: None = None) -> Self:
        """Place the objects.

        Parameters
        ----------
        X : NeighborGraph, or whatever `NeighborGraph.from_adjacency` takes
            Who is whose neighbour, and how much that counts.
        y : None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted estimator.
        """
        graph = X if isinstance(X, NeighborGraph) else NeighborGraph.from_adjacency(X)
        self._check_parameters(graph)
        labels = graph.connected_components()
        self.n_connected_components_ = int(labels.max()) + 1
        rng = as_generator(self.random_state)
        self.converged_ = True
        self.history_: NDArray[np.float64] = np.empty(0)
        if isinstance(self.init, str):
            warn_of_components(self.n_connected_components_)
            points = fit_components(
                graph, labels, self.n_components, lambda part: self._fit_connected(part, rng)
            )
        else:
            points = self._fit_connected(graph, rng)
        self.embedding_: NDArray[np.float64] = points - points.mean(axis=0)
        self.names_ = graph.names
        self.n_iter_ = self.max_iter
        warn_unless_converged(
            type(self).__name__, self.converged_, self.max_iter, self.max_iter, limits=["max_iter"]
        )
        return self

    def _check_parameters(self, graph: NeighborGraph) -> None:
        check_integer("n_components", self.n_components, minimum=1)
        check_integer("max_iter", self.max_iter, minimum=1)
        if isinstance(self.init, str):
            check_choice("init", self.init, tuple(STARTS))
        if graph.n_comparisons == 0:
            raise InputError(
                "Every object of the graph has either no neighbour or all others, so there is"
                " nothing to compare."
            )

    def _fit_connected(self, graph: NeighborGraph, rng: np.random.Generator) -> Points:
        """Draw a connected graph; the first one, the largest, gives loss and history."""
        points, history, judged = self._descend(graph, rng, self.max_iter)
        # a single step has no half way
        rested = self.max_iter > 1 and planned_run_converged(*judged)
        self.converged_ = self.converged_ and rested
        if not len(self.history_):
            self.history_, self.loss_ = history, judged[-1]
        return points

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
            start: Points = check_points("init", self.init, n_rows=graph.n_objects)
            if start.shape[1] != self.n_components:
                raise InputError(
                    f"init has {start.shape[1]} columns; n_components is {self.n_components}."
                )
            return start
        start = STARTS[self.init](graph, self.n_components, rng)
        width = max(float(start.std()), np.finfo(np.float64).tiny)
        scaled: Points = start / width
        return scaled
