"""Local ordinal embedding."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array, eye_array

from ordinate import losses
from ordinate._arrays import Points
from ordinate._checks import (
    InputError,
    check_choice,
    check_integer,
    check_objects,
    check_real,
    check_start,
)
from ordinate._estimator import Iterates, check_is_fitted
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import Comparisons
from ordinate.engine.objective import make_objective
from ordinate.graphs.components import GraphLayout
from ordinate.graphs.description import symmetrized_neighbors
from ordinate.graphs.initialization import STARTS, at_neighbor_gaps
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.graphs.objective import LocalObjective
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.majorize import majorize
from ordinate.solvers.new_objects import place_new_objects
from ordinate.solvers.stopping import (
    Callback,
    Function,
    Result,
    Rules,
    StoppingRule,
    descend,
)

_COARSEST = 200
_RATIO = 4
_SEEDS_PER_OBJECT = 8
_NEIGHBORS = 15


class Levels:
    """The levels of a graph."""

    def __init__(self, adjacency: Any, rng: np.random.Generator) -> None:
        graph = csr_array(((adjacency + adjacency.T) > 0).astype(np.float64))
        self.steps: list[Any] = []
        while graph.shape[0] > _COARSEST:
            step = _step_down(graph, rng)
            if step.shape[1] > 0.8 * step.shape[0]:  # too few edges to make larger groups
                break
            self.steps.append(step)
            graph = _overlaps(step)
        self._bounds = np.cumsum([0, adjacency.shape[0], *(step.shape[1] for step in self.steps)])

    @property
    def n_variables(self) -> int:
        """Number of rows of the variables, over all levels."""
        return int(self._bounds[-1])

    def expand(self, variables: Points) -> Points:
        """Return the moves of the objects, shape (n_objects, n_components)."""
        parts = [variables[a:b] for a, b in zip(self._bounds, self._bounds[1:], strict=False)]
        moves = parts[-1]
        for step, part in zip(self.steps[::-1], parts[-2::-1], strict=True):
            moves = part + step @ moves
        return moves

    def collect(self, gradient: Points) -> Points:
        """Return the gradient by the variables, given that by the objects' coordinates."""
        parts = [gradient]
        for step in self.steps:
            parts.append(step.T @ parts[-1])
        return np.concatenate(parts)

    def around(self, objective: Function, start: Points) -> Function:
        """Turn a function of the coordinates into one of the variables, which begin at zero."""

        def of_variables(variables: Points) -> tuple[float, Points]:
            value, gradient = objective(start + self.expand(variables))
            return value, self.collect(gradient)

        return of_variables


def _step_down(graph: Any, rng: np.random.Generator) -> Any:
    """Draw seeds; an object moves with the mean of the seeds next to it."""
    n = graph.shape[0]
    is_seed = np.zeros(n, dtype=bool)
    is_seed[rng.choice(n, n // _RATIO, replace=False)] = True
    is_seed |= (graph @ is_seed.astype(np.float64) == 0) & ~is_seed
    weights = csr_array((graph + eye_array(n) * graph.data.mean()).tocsr()[:, is_seed])
    weights = _largest_per_row(weights, _SEEDS_PER_OBJECT)
    return csr_array(diags_array(1.0 / weights.sum(axis=1)) @ weights)


def _overlaps(step: Any) -> Any:
    """Join seeds that move the same objects."""
    overlap = csr_array(step.T @ step)
    overlap.setdiag(0.0)
    overlap.eliminate_zeros()
    kept = _largest_per_row(overlap, _NEIGHBORS)
    return csr_array(kept.maximum(kept.T))


def _largest_per_row(matrix: Any, most: int) -> Any:
    rows: NDArray[np.int64] = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    by_size = np.lexsort((-matrix.data, rows))
    rank = np.arange(len(rows)) - matrix.indptr[rows]
    kept = by_size[rank < most]
    return csr_array((matrix.data[kept], (rows[kept], matrix.indices[kept])), shape=matrix.shape)


_FIRST_STEP = 0.5
_SUFFICIENT = 0.5
"""Share of the decrease promised by the gradient that a step must achieve."""
_MOST_HALVINGS = 60
_SMALL = 200
"""Up to this many objects several starts cost nothing."""
_STARTS_OF_SMALL = 10


@dataclass(eq=False, repr=False)
class LOE(GraphLayout, Iterates):
    """Local ordinal embedding: Σ max(0, d_ij + δ − d_il)² over neighbours j and others l of i.

    A map in which everyone's neighbours are nearer than all others. Unlike drawings by springs
    or hop counts it preserves the density of directed k-nearest-neighbour graphs of points in few
    dimensions: where points were close, they are close on the map. A graph whose edges were made
    symmetric has lost what tells the density.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    delta : float, default=1.0
        By how much others should be farther than neighbours; it only sets the scale of the map.
    solver : {"lbfgs", "majorize", "steepest"}, default="lbfgs"
        How the stress is minimised: L-BFGS with coarse-to-fine variables; the paper's
        majorisation, which never raises the stress but is slow; or steepest descent.
    init : {"geodesic", "spectral", "random"} or array-like of coordinates, default="geodesic"
        Where to begin: by default ("geodesic") from shortest paths whose lengths are estimated
        from the edges' directions; from the eigenvectors of the graph's Laplacian, as the
        authors' R package does, which folds large maps; at random; or at given coordinates.
    n_init : int, optional
        Number of starts, of which the best is kept. All but the first are random. By default 10
        up to 200 objects and 1 above.
    max_iter : int, default=500
        Most iterations of the solver, for each start.
    tol : float, default=1e-3
        The fit has converged when its last ten iterations, or its last tenth if that is more,
        together lower the stress by less than `tol` times itself, or when the stress per edge is
        below `tol` times δ².
    random_state : int, Generator or None, default=None
        Seed of the starts. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The coordinates, centred.
    names_ : tuple of str or None
        The objects' names, if the graph has any.
    loss_ : float
        The stress there.
    n_iter_ : int
        Iterations of the best start, for the largest connected component.
    history_ : ndarray of shape (n_iterations + 1,)
        The stress of the largest connected component, at its best start and after each iteration.
    converged_ : bool
        Whether the fit of every connected component converged; if not, it has warned.
    n_connected_components_ : int
        Connected parts of the graph. They are laid out side by side; their places relative to
        one another mean nothing.

    See Also
    --------
    GraphTSTE : Preserves more neighbours of networks, and no density.
    NeighborGraph : The record that is fitted.
    ordinate.metrics.graph_adjusted_rand_index : How much of the graph the map gives back.

    References
    ----------
    Terada & von Luxburg, Local Ordinal Embedding, ICML 2014.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.make_two_squares(500, random_state=0).points
    >>> graph = od.NeighborGraph.from_points(points, n_neighbors=15)
    >>> model = od.LOE(n_components=2, random_state=0).fit(graph)
    >>> od.metrics.graph_adjusted_rand_index(graph.adjacency, embedding=model.embedding_) > 0.99
    True
    """

    _: KW_ONLY
    delta: float = 1.0
    solver: str = "lbfgs"
    n_init: int | None = None
    max_iter: int = 500
    tol: float = 1e-3

    limits: ClassVar[Sequence[str]] = ("max_iter", "tol")

    def transform(self, neighbors: Sequence[Sequence[int]] | NDArray[Any]) -> Points:
        """Place new objects by who their neighbours are; the map stays as it is.

        Parameters
        ----------
        neighbors : sequence of sequences of int, or array of shape (n_new, n_neighbors)
            For each new object the numbers of the fitted objects that are its neighbours. All
            others are to be farther.

        Returns
        -------
        ndarray of shape (n_new, n_components)
            Their places.
        """
        check_is_fitted(self)
        n = len(self.embedding_)
        rows, rng = list(neighbors), as_generator(self.random_state)
        placed = np.empty((len(rows), self.embedding_.shape[1]))
        for number, row in enumerate(rows):
            near = np.unique(check_objects("neighbors", row, n))
            if not 0 < len(near) < n:
                raise InputError(
                    f"New object {number} has {len(near)} of {n} objects as neighbours; it needs"
                    " at least one neighbour and one object that is not."
                )
            far = np.setdiff1d(np.arange(n), near)
            pairs = np.stack(np.meshgrid(near, far, indexing="ij"), axis=-1).reshape(-1, 2)
            answers = Comparisons(np.insert(pairs, 0, n, axis=1), n_objects=n + 1)
            placed[number] = place_new_objects(
                self.embedding_,
                answers,
                make_objective(answers, losses.soe, [float(self.delta)]),
                rng,
                max_iter=self.max_iter,
                tol=self.tol,
            )[0]
        return placed

    def _check_parameters(self, graph: NeighborGraph) -> None:
        super()._check_parameters(graph)
        check_real("delta", self.delta, minimum=1e-100, maximum=1e100)
        check_choice("solver", self.solver, ("lbfgs", "majorize", "steepest"))
        self._check_steps()
        if self.n_init is not None:
            check_integer("n_init", self.n_init, minimum=1)
        if graph.weights is not None:
            raise InputError(
                "LOE takes edges without weights; this graph has weights. Use GraphTSTE, which"
                " takes them, or leave them out."
            )
        if k := symmetrized_neighbors(graph):
            warnings.warn(
                f"This looks like a {k}-nearest-neighbour graph whose edges were made symmetric,"
                " so the map does not show the density. Pass the directed graph if density"
                " matters.",
                UserWarning,
                stacklevel=3,
            )

    def _conclude(self, graph: NeighborGraph, results: Sequence[Result]) -> None:
        super()._conclude(graph, results)
        self.loss_ = self.delta**2 * self._objective(graph)(self.embedding_)[0]
        self.history_ = self.delta**2 * self.history_
        self.embedding_ = self.delta * self.embedding_

    def _objective(self, graph: NeighborGraph) -> LocalObjective:
        """Return the stress for a margin of 1: within a fit, δ is the unit of length."""
        threads = effective_n_jobs(self.n_jobs)
        return LocalObjective(graph.indptr, graph.indices, n_threads=threads)

    def _fit_connected(self, graph: NeighborGraph, rng: np.random.Generator) -> Result:
        """Run the solver from each start and keep the best result."""
        small = graph.n_objects <= _SMALL
        n_init = self.n_init or (_STARTS_OF_SMALL if small else 1)
        objective = self._objective(graph)
        levels = Levels(graph.adjacency, rng)
        results = []
        with progress("LOE", total=n_init * self.max_iter, enabled=self.verbose) as advance:

            def after(number: int, value: float, points: Points) -> None:
                advance(1, note=f"stress {value:.6g}")

            for number in range(n_init):
                start = self._start(graph, rng, self.init if number == 0 else "random")
                results.append(self._solve(objective, levels, start, graph.n_edges, after))
        return min(results, key=lambda result: result.value)

    def _start(
        self, graph: NeighborGraph, rng: np.random.Generator, init: str | ArrayLike
    ) -> Points:
        if not isinstance(init, str):
            return check_start(init, graph.n_objects, self.n_components) / self.delta
        return at_neighbor_gaps(STARTS[init](graph, self.n_components, rng), graph, rng)

    def _solve(
        self,
        objective: LocalObjective,
        levels: Levels,
        start: Points,
        n_edges: int,
        callback: Callback,
    ) -> Result:
        rules: Rules = {
            "max_iter": self.max_iter,
            "tol": self.tol,
            "floor": self.tol * n_edges,
            "callback": callback,
        }
        if self.solver == "majorize":
            return majorize(objective.improve, start, **rules)
        if self.solver == "steepest":
            return steepest(objective, start, **rules)
        still = np.zeros((levels.n_variables, self.n_components))
        result = lbfgs(levels.around(objective, start), still, **rules)
        return replace(result, points=start + levels.expand(result.points))


def steepest(objective: Function, start: Points, **rules: Unpack[Rules]) -> Result:
    """Minimise a smooth function along its negative gradient.

    Each iteration tries the steps 1/2, 1/4, … until the loss falls by half of what the gradient
    promises.
    """

    def step(
        rule: StoppingRule, points: Points, value: float, gradient: Points
    ) -> tuple[Points, float, Points] | bool:
        slope = float(np.sum(gradient**2))
        length = _FIRST_STEP
        for _ in range(_MOST_HALVINGS):
            trial = points - length * gradient
            new_value, new_gradient = objective(trial)
            if new_value < value and new_value <= value - _SUFFICIENT * length * slope:
                return trial, new_value, new_gradient
            length /= 2
        return rule.is_flat(points, gradient)  # not even a tiny step goes down

    return descend(objective, start, step, **rules)
