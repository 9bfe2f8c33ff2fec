"""The t-ETE loss over each object's neighbours × outliers, in single precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordinate.engine.cpu import chunk_bounds, run_chunks
from ordinate.features.kernels import add_gradient, draw_outliers


@dataclass(frozen=True)
class WeightedTriplets:
    """For each object all triplets of one of its neighbours and one of its outliers.

    They are never listed: the weight of (i, j, k) is ``near_weights[i, j] * far_weights[i, k] +
    offset``, so that an object's triplets cost as much memory as its neighbours and outliers.

    Attributes
    ----------
    neighbors : ndarray of int32, shape (n_objects, n_neighbors)
        Who should be near.
    near_weights : ndarray of float32, shape (n_objects, n_neighbors)
        The neighbours' part of the weights.
    n_outliers : int
        Outliers per object.
    outliers : ndarray of int32, shape (n_objects, n_outliers), or None
        Who should be far; None to draw others at each evaluation.
    far_weights : ndarray of float32, shape (n_objects, n_outliers), or None
        The outliers' part of the weights; None for 1.
    offset : float
        Added to the product.
    """

    neighbors: NDArray[np.int32]
    near_weights: NDArray[np.float32]
    n_outliers: int
    outliers: NDArray[np.int32] | None = None
    far_weights: NDArray[np.float32] | None = None
    offset: float = 0.0


class ReductionObjective:
    """The weighted mean of the loss and its gradient, as a function of the coordinates.

    A triplet whose near pair lies at the distance a and whose far pair at the distance b costs
    (1 + a²) / (2 + a² + b²) with t = t' = 2, and else what `ordinate.losses.tete` says. The m × c
    triplets of an object need only m + c distances and as many additions to the gradient.
    Objects are cut into chunks whose number depends on the data alone, and random outliers on a
    seed and the object's number, so that the result has the same bits for any number of threads.

    Parameters
    ----------
    triplets : WeightedTriplets
        Neighbours, outliers and weights.
    temperatures : (float, float)
        The t and t' of the loss; t = t' = 2 is several times faster than others.
    first : int
        The number of the first anchor; anchors before it have no triplets. With `first` objects
        that are placed already, only the gradient of the later ones is of use.
    seed : int
        Where random outliers come from.
    shared : bool
        Give all anchors the same random outliers, so that none depends on its position.
    n_threads : int
        Threads that share the chunks.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.features.objective import ReductionObjective, WeightedTriplets
    >>> neighbors = np.array([[1], [0], [1]], dtype=np.int32)
    >>> triplets = WeightedTriplets(neighbors, np.ones((3, 1), dtype=np.float32), n_outliers=1)
    >>> value, gradient = ReductionObjective(triplets)(np.zeros((3, 2), dtype=np.float32))
    >>> value, gradient.shape
    (0.5, (3, 2))
    """

    def __init__(
        self,
        triplets: WeightedTriplets,
        *,
        temperatures: tuple[float, float] = (2.0, 2.0),
        first: int = 0,
        seed: int = 0,
        shared: bool = False,
        n_threads: int = 1,
    ) -> None:
        n_anchors = len(triplets.neighbors)
        shape = (n_anchors, triplets.n_outliers)
        fresh = triplets.outliers is None
        outliers = np.empty(shape, dtype=np.int32) if fresh else triplets.outliers
        far_weights = triplets.far_weights
        if far_weights is None:
            far_weights = np.ones(shape, dtype=np.float32)
        # Unsigned indices spare the compiled loop the test for negative ones.
        self._neighbors = triplets.neighbors.view(np.uint32)
        self._outliers = np.ascontiguousarray(outliers).view(np.uint32)
        self._near_weights = triplets.near_weights
        self._far_weights = far_weights
        self._offset = np.float32(triplets.offset)
        self._total = _total_weight(triplets, far_weights)
        self._temperatures = None if temperatures == (2, 2) else temperatures
        self._fresh, self._shared = fresh, shared
        self._first, self._seed, self._n_threads = first, seed, n_threads
        self._n_calls = 0
        self._sums = np.empty((0, 0, 0), dtype=np.float32)

    def __call__(self, points: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """Return the mean loss and the gradient, times the number of anchors, at `points`."""
        n_anchors, n_neighbors = self._neighbors.shape
        n_pairs = n_anchors * (n_neighbors + self._outliers.shape[1])
        n_chunks = len(chunk_bounds(n_pairs, points.size)) - 1
        bounds = np.linspace(0, n_anchors, n_chunks + 1).astype(np.intp)
        if self._sums.shape != (n_chunks, *points.shape):
            self._sums = np.empty((n_chunks, *points.shape), dtype=np.float32)
        axes = tuple(range(points.shape[1]))
        # objects that anchors can be compared with: all, or those placed already
        n_others = self._first or len(points)
        stream = np.uint64((self._seed + self._n_calls * 0x632BE59BD9B4E019) % 2**64)
        self._n_calls += 1

        def work(chunk: int) -> float:
            start, stop = bounds[chunk], bounds[chunk + 1]
            if self._fresh:
                draw_outliers(
                    self._neighbors, n_others, stream, self._first, self._shared,
                    start, stop, self._outliers,
                )  # fmt: skip
            self._sums[chunk].fill(0)
            return float(
                add_gradient(
                    points, self._neighbors, self._outliers, self._near_weights,
                    self._far_weights, self._offset, self._temperatures, self._first,
                    start, stop, axes, self._sums[chunk],
                )
            )  # fmt: skip

        value = sum(run_chunks(work, n_chunks, self._n_threads)) / self._total
        gradient = self._sums.sum(axis=0)
        gradient *= np.float32(n_anchors / self._total)
        return value, gradient


def _total_weight(triplets: WeightedTriplets, far_weights: NDArray[np.float32]) -> float:
    near = triplets.near_weights.sum(axis=1, dtype=np.float64)
    far = far_weights.sum(axis=1, dtype=np.float64)
    n_triplets = triplets.neighbors.size * triplets.n_outliers
    return float(near @ far) + triplets.offset * n_triplets


def fixed_outliers(neighbors: NDArray[np.int32], n_outliers: int, seed: int) -> NDArray[np.int32]:
    """Draw outliers once and for all.

    Parameters
    ----------
    neighbors : ndarray of int32, shape (n_objects, n_neighbors)
        Whom not to draw.
    n_outliers : int
        How many to draw for each object.
    seed : int
        Where they come from.

    Returns
    -------
    ndarray of int32, shape (n_objects, n_outliers)
        Other objects than the row's own and its neighbours.
    """
    n_objects = len(neighbors)
    outliers = np.empty((n_objects, n_outliers), dtype=np.uint32)
    draw_outliers(
        neighbors.view(np.uint32), n_objects, np.uint64(seed), 0, False, 0, n_objects, outliers
    )
    return outliers.view(np.int32)
