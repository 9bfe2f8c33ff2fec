"""t-STE of a graph: neighbours chosen over random others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ordinate._arrays import Points
from ordinate._checks import check_integer
from ordinate._threads import effective_n_jobs
from ordinate.engine.objective import cpu_or_cuda
from ordinate.graphs.adam_drawing import AdamDrawing, DrawingObjective
from ordinate.graphs.choices import NeighborChoices
from ordinate.graphs.neighbor_graph import NeighborGraph
from ordinate.graphs.torch_choices import TorchChoices

_STEP = 2.0
"""First step of Adam, in widths of the kernel."""


@dataclass(eq=False, repr=False)
class GraphTSTE(AdamDrawing):
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

    _: KW_ONLY
    n_others: int = 30
    device: str = "cpu"

    def _check_parameters(self, graph: NeighborGraph) -> None:
        super()._check_parameters(graph)
        check_integer("n_others", self.n_others, minimum=1)

    def _begin(
        self, graph: NeighborGraph, rng: np.random.Generator
    ) -> tuple[DrawingObjective, Points, float]:
        start = self._start(graph, rng)
        seed = int(rng.integers(2**31))
        place = cpu_or_cuda(self.device, "GraphTSTE")
        drawn = {"n_others": self.n_others, "seed": seed}
        choices: NeighborChoices | TorchChoices
        if place == "cpu":
            choices = NeighborChoices(graph, **drawn, n_threads=effective_n_jobs(self.n_jobs))
        else:
            choices = TorchChoices(graph, **drawn, device=place)
        return choices, start, _STEP
