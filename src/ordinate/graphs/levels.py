"""Coarse-to-fine coordinates: a map as the sum of smooth moves of many objects at once.

A gradient method gets the details of a local loss right within a few iterations, but a bend of the
whole map takes as many as the graph is wide. Written as x = z₀ + P₁(z₁ + P₂(z₂ + …)), where the
columns of each P move neighbourhoods four times as large as the level before, details and bends
are variables of their own and converge at the same pace (Bramble, Pasciak & Xu 1990).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, eye_array

from ordinate._arrays import Points
from ordinate.solvers.stopping import Function

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
