"""Maps of a graph's connected components, side by side."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice, check_integer
from ordinate._estimator import BaseEstimator, Runs
from ordinate._random import as_generator
from ordinate.graphs.initialization import STARTS, edge_lengths
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.graphs.recovery import RecoversGraph, as_graph
from ordinate.solvers.stopping import Result, warn_unless_converged

Fit: TypeAlias = Callable[[NeighborGraph], Points]
"""Takes a connected graph of at least two objects and returns a map of it."""


@dataclass(eq=False, repr=False)
class GraphLayout(RecoversGraph, Runs, BaseEstimator):
    """Fits each connected component of a graph; an estimator says how."""

    n_components: int = 2
    _: KW_ONLY
    init: str | ArrayLike = "geodesic"
    max_iter: int = 400

    limits: ClassVar[Sequence[str]] = ("max_iter",)
    """Parameters that let a run last longer."""

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
        graph = as_graph(X)
        self._check_parameters(graph)
        labels = graph.connected_components()
        self.n_connected_components_ = int(labels.max()) + 1
        rng = as_generator(self.random_state)
        results: list[Result] = []

        def fit(part: NeighborGraph) -> Points:
            results.append(self._fit_connected(part, rng))
            return results[-1].points

        if isinstance(self.init, str):
            warn_of_components(self.n_connected_components_)
            points = fit_components(graph, labels, self.n_components, fit)
        else:
            points = fit(graph)
        self.embedding_: NDArray[np.float64] = points - points.mean(axis=0)
        self.names_ = graph.names
        self._conclude(graph, results)
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

    @abstractmethod
    def _fit_connected(self, graph: NeighborGraph, rng: np.random.Generator) -> Result:
        """Return the map of a connected graph."""

    def _conclude(self, graph: NeighborGraph, results: Sequence[Result]) -> None:
        """Keep what the run of the largest component tells, and warn if any fell short."""
        self.loss_, self.history_ = results[0].value, results[0].history
        self.n_iter_ = results[0].n_iter
        short = [result.n_iter for result in results if not result.converged]
        self.converged_ = not short
        n = len(results)
        warn_unless_converged(
            type(self).__name__,
            self.converged_,
            max(short, default=0),
            self.max_iter,
            detail=f"{len(short)} of {n} connected components" if n > 1 else "",
            limits=self.limits,
        )


def fit_components(
    graph: NeighborGraph, labels: NDArray[np.int32], n_components: int, fit: Fit
) -> Points:
    """Fit each connected component by itself and lay the maps out side by side."""
    if not labels.any():
        return fit(graph)
    ends = np.cumsum(np.bincount(labels))[:-1]
    members = np.split(np.argsort(labels, kind="stable"), ends)
    points = np.zeros((graph.n_objects, n_components))
    for objects in members:
        if len(objects) > 1:
            points[objects] = fit(graph.subgraph(objects))
    gap = float(edge_lengths(graph, points).max()) + 1.0
    packed = pack([points[objects] for objects in members], gap)
    points[np.concatenate(members)] = np.concatenate(packed)
    return points


def warn_of_components(n_connected: int) -> None:
    """Warn, on behalf of `fit`, that the places of components mean nothing."""
    if n_connected > 1:
        warnings.warn(
            f"The graph has {n_connected} connected components. They are laid out side by side;"
            " their places relative to one another mean nothing.",
            UserWarning,
            stacklevel=3,
        )


def pack(maps: Sequence[NDArray[np.float64]], gap: float) -> list[NDArray[np.float64]]:
    """Move maps so that they do not come closer to one another than `gap`."""
    sizes = np.array([np.ptp(points, axis=0) + gap for points in maps])
    n_components = sizes.shape[1]
    widest = float(np.sqrt(sizes[:, :2].prod(axis=1).sum())) if n_components > 1 else np.inf
    widest = max(widest, float(sizes[:, 0].max()))
    heights = sizes[:, 1] if n_components > 1 else np.zeros(len(maps))
    corner = np.zeros(n_components)
    row_height = 0.0
    placed = [np.empty((0, n_components))] * len(maps)
    for number in np.argsort(-heights, kind="stable"):
        if corner[0] > 0 and corner[0] + sizes[number, 0] > widest:
            corner[0] = 0.0
            corner[1] += row_height
            row_height = 0.0
        row_height = max(row_height, heights[number])
        placed[number] = maps[number] - maps[number].min(axis=0) + corner
        corner[0] += sizes[number, 0]
    return placed
