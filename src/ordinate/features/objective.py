"""The t-ETE loss over each object's neighbours × outliers, in single precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate._compiler import njit
from ordinate.engine.cpu import chunk_bounds, run_chunks
from ordinate.features.adam import Array, NoisyObjective

_ONE = np.float32(1)
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)


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
    (1 + α a²) / (2 + α a² + b²), which is `ordinate.losses.tete` with t = t' = 2 of √α a and b; the
    margin α is what near distances count beside far ones. The m × c triplets of an object
    need only m + c distances and as many additions to the gradient.
    Objects are cut into chunks whose number depends on the data alone, and random outliers on a
    seed and the object's number, so that the result has the same bits for any number of threads.

    Parameters
    ----------
    triplets : WeightedTriplets
        Neighbours, outliers and weights.
    first : int, default=0
        The number of the first anchor; anchors before it have no triplets. With `first` objects
        that are placed already, only the gradient of the later ones is of use.
    seed : int, default=0
        Where random outliers come from.
    margin : float, default=1.0
        The α of the loss.
    n_calls : int, default=0
        If positive, α grows linearly from 1 to `margin` over this many calls.
    shared : bool, default=False
        Give all anchors the same random outliers, so that none depends on its position.
    n_threads : int, default=1
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
        first: int = 0,
        seed: int = 0,
        margin: float = 1.0,
        n_calls: int = 0,
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
        # a negative number is a very large one here
        named = self._neighbors if fresh else np.hstack([self._neighbors, self._outliers])
        self._n_named = int(named.max(initial=0)) + 1
        self._total = _total_weight(triplets, far_weights)
        self._fresh, self._shared = fresh, shared
        self._first, self._seed, self._n_threads = first, seed, n_threads
        self._margin, self._growing = margin, n_calls
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
        # objects that can be drawn as outliers: all, or those placed already
        n_others = self._first or len(points)
        if self._n_named > len(points):  # compiled loops would read beyond the coordinates
            raise InputError(
                f"Triplets name objects outside of the {len(points)} that have coordinates."
            )
        stream = np.uint64((self._seed + self._n_calls * 0x632BE59BD9B4E019) % 2**64)
        grown = min(self._n_calls / self._growing, 1.0) if self._growing else 1.0
        margin = np.float32(1 + (self._margin - 1) * grown)
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
                    self._far_weights, self._offset, margin, self._first, start, stop, axes,
                    self._sums[chunk],
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


class AnnealedObjective:
    """One objective plus another whose weight falls to zero over the calls.

    Parameters
    ----------
    lasting, passing : callable
        What is added up; each takes coordinates and returns a value and a gradient.
    weight : float
        Weight of the passing one at the first call.
    n_calls : int
        The weight is multiplied by (1 − c / n_calls)² after c calls.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.features.objective import AnnealedObjective
    >>> def one(points):
    ...     return 1.0, np.ones_like(points)
    >>> both = AnnealedObjective(one, one, weight=3.0, n_calls=2)
    >>> both(np.zeros(1))[0], both(np.zeros(1))[0]
    (4.0, 1.75)
    """

    def __init__(
        self, lasting: NoisyObjective, passing: NoisyObjective, *, weight: float, n_calls: int
    ) -> None:
        self._lasting, self._passing = lasting, passing
        self._weight, self._n_calls = weight, n_calls
        self._n_done = 0

    def __call__(self, points: Array) -> tuple[float, Array]:
        """Return the sum of the values and that of the gradients at `points`."""
        weight = self._weight * (1 - self._n_done / self._n_calls) ** 2
        self._n_done += 1
        value, gradient = self._lasting(points)
        passing_value, passing_gradient = self._passing(points)
        passing_gradient *= weight
        gradient += passing_gradient
        return value + weight * passing_value, gradient


@njit(nogil=True, cache=True)
def draw_outliers(
    neighbors: Any,
    n_others: int,
    stream: Any,
    first: int,
    shared: bool,
    start: int,
    stop: int,
    outliers: Any,
) -> None:
    """Draw, for the anchors start … stop, objects other than the anchor and its neighbours.

    The numbers are hashes of the stream, the anchor and the column, not of what was drawn before.
    """
    n_outliers = outliers.shape[1]
    for i in range(start, stop):
        anchor = np.uint32(first + i)
        for k in range(n_outliers):
            counter = np.uint64(k) if shared else np.uint64(i * n_outliers + k)
            state = stream + (counter + np.uint64(1)) * _GAMMA
            while True:
                x = (state ^ (state >> np.uint64(30))) * _MIX_1
                x = (x ^ (x >> np.uint64(27))) * _MIX_2
                x = x ^ (x >> np.uint64(31))
                drawn = np.uint32(((x >> _HALF) * np.uint64(n_others)) >> _HALF)
                usable = drawn != anchor
                for j in range(neighbors.shape[1]):
                    usable &= drawn != neighbors[i, j]
                if usable:
                    break
                state = x + _GAMMA
            outliers[i, k] = drawn


@njit(nogil=True, cache=True, fastmath=True, error_model="numpy")
def add_gradient(
    points: Any,
    neighbors: Any,
    outliers: Any,
    near_weights: Any,
    far_weights: Any,
    offset: Any,
    margin: Any,
    first: int,
    start: int,
    stop: int,
    axes: Any,
    gradient: Any,
) -> float:
    """Add the gradient of the anchors start … stop to `gradient` and return their loss.

    The number of axes is part of the type of `axes`, so that the compiler unrolls their loops.
    Derivatives are those in squared distances; the factor 2 of the chain rule comes in at the end.
    """
    n_neighbors, n_outliers = neighbors.shape[1], outliers.shape[1]
    near = np.empty(n_neighbors, dtype=np.float32)
    far = np.empty(n_outliers, dtype=np.float32)
    far_derivatives = np.empty(n_outliers, dtype=np.float32)
    total = np.float64(0)
    for i in range(start, stop):
        anchor = first + i
        for j in range(n_neighbors):
            near[j] = 0
            for s in axes:
                near[j] += (points[anchor, s] - points[neighbors[i, j], s]) ** 2
            near[j] *= margin
        for k in range(n_outliers):
            far[k] = 0
            for s in axes:
                far[k] += (points[anchor, s] - points[outliers[i, k], s]) ** 2
        total += _replace_by_derivatives(
            near, far, far_derivatives, near_weights[i], far_weights[i], offset
        )
        for j in range(n_neighbors):
            for s in axes:
                pull = 2 * margin * near[j] * (points[anchor, s] - points[neighbors[i, j], s])
                gradient[anchor, s] += pull
                gradient[neighbors[i, j], s] -= pull
        for k in range(n_outliers):
            for s in axes:
                push = 2 * far_derivatives[k] * (points[anchor, s] - points[outliers[i, k], s])
                gradient[anchor, s] -= push
                gradient[outliers[i, k], s] += push
    return total


@njit(nogil=True, fastmath=True, error_model="numpy", inline="always")
def _replace_by_derivatives(
    near: Any, far: Any, far_derivatives: Any, near_weights: Any, far_weights: Any, offset: Any
) -> Any:
    """Turn squared distances into derivatives, negative ones for outliers."""
    far_derivatives[:] = 0
    total = np.float32(0)
    for j in range(len(near)):
        derivative = np.float32(0)
        above = _ONE + near[j]
        for k in range(len(far)):
            below = _ONE + far[k]
            inverse = _ONE / (above + below)
            scaled = (near_weights[j] * far_weights[k] + offset) * inverse
            total += scaled * above
            scaled *= inverse
            derivative += scaled * below
            far_derivatives[k] += scaled * above
        near[j] = derivative
    return total
