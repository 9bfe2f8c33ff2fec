"""t-STE of a graph: neighbours chosen over random others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice, check_integer, check_points
from ordinate._estimator import Runs
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.engine.objective import cpu_or_cuda
from ordinate.graphs.choices import NeighborChoices
from ordinate.graphs.components import fit_components, warn_of_components
from ordinate.graphs.initialization import STARTS
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.graphs.recovery import RecoversGraph
from ordinate.graphs.torch_choices import TorchChoices
from ordinate.solvers.adam import adam
from ordinate.solvers.stopping import planned_run_converged, warn_unless_converged

_STEP = 2.0
"""First step of Adam, in widths of the kernel."""


@dataclass(eq=False, repr=False)
class GraphTSTE(RecoversGraph, Runs, BaseEstimator):
    """t-STE of a graph: each neighbour of an object is chosen over random other objects.

    A map for networks that no plane can hold exactly: small worlds, trees, graphs with hubs. A
    neighbour that would lie far away is given up for the others, and an object with many
    neighbours counts as much as one with few. It preserves more neighbourhoods than `LOE` there,
    and no density.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    n_others : int, default=30
        Objects, drawn in every iteration, over which a neighbour is chosen. More of them draw
        neighbourhoods more exactly and take longer.
    init : {"geodesic", "spectral", "random"} or array-like of coordinates, default="geodesic"
        Where to begin: from shortest paths; from the eigenvectors of the graph's Laplacian; at
        random; or at given coordinates.
    max_iter : int, default=400
        Number of iterations. Their steps shrink to zero.
    random_state : int, Generator or None, default=None
        Seed. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    device : str, default="cpu"
        Where neighbours are compared with others: "cpu", "cuda" (or "cuda:1", …), or "auto" for a
        GPU if there is one. The initialization is computed on the CPU.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The coordinates, centred.
    names_ : tuple of str or None
        The objects' names, if the graph has any.
    loss_ : float
        The mean of −log p over objects, for the largest connected component.
    n_iter_ : int
        Iterations.
    history_ : ndarray of shape (n_iterations,)
        The loss before each iteration, of the largest connected component.
    converged_ : bool
        Whether the second half of the iterations gained little; if not, the fit has warned.
    n_connected_components_ : int
        Connected parts of the graph. They are laid out side by side; their places relative to
        one another mean nothing.

    See Also
    --------
    LOE : Preserves the density of directed nearest-neighbour graphs.
    NeighborGraph : The record that is fitted, with or without weights.

    References
    ----------
    van der Maaten & Weinberger, Stochastic triplet embedding, MLSP 2012 (the kernel).

    Examples
    --------
    >>> import ordinate as od
    >>> ring = [[i, (i + step) % 60] for i in range(60) for step in (1, 2, 3)]
    >>> graph = od.NeighborGraph.from_edges(ring + [[0, 30], [10, 45]])
    >>> model = od.GraphTSTE(random_state=0).fit(graph)
    >>> model.score(graph) > 0.8
    True
    """

    n_components: int = 2
    _: KW_ONLY
    n_others: int = 30
    init: str | ArrayLike = "geodesic"
    max_iter: int = 400
    device: str = "cpu"

    def fit(self, X: Any, y: None = None) -> Self:
        """Place the objects so that neighbours would be chosen over others.

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
            "GraphTSTE", self.converged_, self.max_iter, self.max_iter, limits=["max_iter"]
        )
        return self

    def _check_parameters(self, graph: NeighborGraph) -> None:
        check_integer("n_components", self.n_components, minimum=1)
        check_integer("n_others", self.n_others, minimum=1)
        check_integer("max_iter", self.max_iter, minimum=1)
        if isinstance(self.init, str):
            check_choice("init", self.init, tuple(STARTS))
        if graph.n_comparisons == 0:
            raise InputError(
                "Every object of the graph has either no neighbour or all others, so there is"
                " nothing to compare."
            )

    def _fit_connected(self, graph: NeighborGraph, rng: np.random.Generator) -> Points:
        """Run Adam and keep what the first component, the largest, says of it."""
        start = self._start(graph, rng)
        seed = int(rng.integers(2**31))
        place = cpu_or_cuda(self.device, "GraphTSTE")
        choices: NeighborChoices | TorchChoices
        if place == "cpu":
            n_threads = effective_n_jobs(self.n_jobs)
            choices = NeighborChoices(graph, n_others=self.n_others, seed=seed, n_threads=n_threads)
        else:
            choices = TorchChoices(graph, n_others=self.n_others, seed=seed, device=place)
        begin = choices.there(start)
        at_half = begin

        def before(number: int, points: Any) -> None:
            nonlocal at_half
            if number == self.max_iter // 2 + 1:
                at_half = points + 0  # a copy, of NumPy or torch

        with progress("GraphTSTE", total=self.max_iter, enabled=self.verbose) as advance:

            def after(value: Any) -> None:
                advance(1, note=f"loss {float(value):.4f}")

            points, history = adam(
                choices,
                begin,
                max_iter=self.max_iter,
                step=_STEP,
                before=before,
                after=after if self.verbose else None,  # on a device it would wait for the value
            )
        judged = [choices.judged(each) for each in (begin, at_half, points)]
        # a single step has no half way
        rested = self.max_iter > 1 and planned_run_converged(*judged)
        self.converged_ = self.converged_ and rested
        if not len(self.history_):
            self.history_, self.loss_ = history, judged[-1]
        return choices.back(points)

    def _start(self, graph: NeighborGraph, rng: np.random.Generator) -> Points:
        """Return coordinates, those by name as wide as the kernel."""
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
