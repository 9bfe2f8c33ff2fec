"""The t-ETE loss over each object's neighbours × outliers, in single precision."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate._compiler import njit
from ordinate.engine.cpu import chunk_bounds, run_chunks
from ordinate.solvers.adam import Array, NoisyObjective

_ONE, _TWO = np.float32(1), np.float32(2)
_LANES = 64
"""Anchors whose triplets are computed together, side by side in vector instructions."""
_BLOCK = np.uint64(_LANES)
_NOWHERE = np.float32(1e30)
"""A distance at which a triplet costs nothing."""
_CROWD = 100
"""With more than this many objects per neighbour drawn outliers are hardly ever neighbours."""


_PEAK = 0.6
"""Share of the steps after which the margin is largest."""
_LARGE_PICTURE = 0.8
"""Share of the steps after which the global structure has no weight."""


class MarginSchedule:
    """The α of each step: it grows from 1 to the margin, then falls to suit the map's own size.

    A growing margin draws neighbours together; what is drawn together is full of holes, which
    close when it is let go. Nothing in the loss limits the size of a map, and its near pairs have
    a length of 1/√α built in. Where objects that filled the map evenly would be farther apart, it
    crumbles. So α ends where 1/√α is that spacing, or with √margin where objects are many.
    Without a number of calls α is the margin throughout.
    """

    def __init__(self, margin: float, n_calls: int = 0) -> None:
        self._margin, self._planned = margin, n_calls
        self._n_calls = 0
        self._end: float | None = None
        self.last = margin

    def __call__(self, points: Array) -> float:
        """Return the α of the next step, which begins at `points`."""
        if self._planned:
            self.last = self._at(min(self._n_calls / self._planned, 1.0), points)
            self._n_calls += 1
        return self.last

    def _at(self, done: float, points: Array) -> float:
        if done < _PEAK:
            return 1 + (self._margin - 1) * done / _PEAK
        if self._end is None:
            squared = squared_spacing(points)
            self._end = min(sqrt(self._margin), 1 / squared if squared > 0 else inf)
        return float(self._margin * (self._end / self._margin) ** ((done - _PEAK) / (1 - _PEAK)))


def squared_spacing(points: Array) -> float:
    """Return the squared spacing of as many objects in an even disc of the same mean square.

    In one dimension it is that of a line. In more than two it stays that of a disc: there data
    fill sheets and not the room.
    """
    n = len(points)
    mean_square = float(((points - points.mean(0)) ** 2).sum()) / n
    return 12 * mean_square / n**2 if points.shape[1] == 1 else 2 * pi * mean_square / n


@dataclass(frozen=True)
class WeightedTriplets:
    """For each object all triplets of one of its neighbours and one of its outliers.

    They are never listed: the weight of (i, j, k) is ``near_weights[i, j] * far_weights[i, k] +
    offset``, so that an object's triplets cost as much memory as its neighbours and outliers.
    """

    neighbors: NDArray[np.int32]
    near_weights: NDArray[np.float32]
    n_outliers: int
    outliers: NDArray[np.int32] | None = None
    far_weights: NDArray[np.float32] | None = None
    offset: float = 0.0

    def in_order(self, order: NDArray[np.int32]) -> WeightedTriplets:
        """Return the same triplets when objects are numbered in another order."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order), dtype=order.dtype)
        outliers, far_weights = self.outliers, self.far_weights
        return WeightedTriplets(
            place[self.neighbors[order]],
            self.near_weights[order],
            self.n_outliers,
            None if outliers is None else place[outliers[order]],
            None if far_weights is None else far_weights[order],
            self.offset,
        )


class ReductionObjective:
    """The weighted mean of the loss and its gradient, as a function of the coordinates.

    A triplet whose near pair lies at the distance a and whose far pair at the distance b costs
    (1 + α a²) / (2 + α a² + b²), which is `ordinate.losses.tete` with t = t' = 2 of √α a and b; the
    margin α is what near distances count beside far ones. The m × c triplets of an object
    need only m + c distances and as many additions to the gradient.
    Objects are cut into chunks whose number depends on the data alone, so that the result has the
    same bits for any number of threads.
    """

    def __init__(
        self,
        triplets: WeightedTriplets,
        *,
        first: int = 0,
        seed: int = 0,
        margin: float | MarginSchedule = 1.0,
        n_threads: int = 1,
    ) -> None:
        # what is not there is an array without rows, for compiled code of one type
        nobody = np.empty((0, triplets.n_outliers), dtype=np.int32)
        outliers = nobody if triplets.outliers is None else triplets.outliers
        far_weights = triplets.far_weights
        # Unsigned indices spare the compiled loop the test for negative ones.
        self._neighbors = triplets.neighbors.view(np.uint32)
        self._outliers = np.ascontiguousarray(outliers).view(np.uint32)
        self._near_weights = triplets.near_weights
        self._far_weights = nobody.view(np.float32) if far_weights is None else far_weights
        self._offset = np.float32(triplets.offset)
        # a negative number is a very large one here
        largest = max(self._neighbors.max(initial=0), self._outliers.max(initial=0))
        self._n_named = int(largest) + 1
        self._total = _total_weight(triplets)
        self._rng = np.random.default_rng(seed)
        self._first, self._n_threads = first, n_threads
        self._margin = margin if isinstance(margin, MarginSchedule) else MarginSchedule(margin)
        self._sums = np.empty((0, 0, 0), dtype=np.float32)

    def __call__(self, points: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """Return the mean loss and the gradient, times the number of anchors, at `points`."""
        if self._n_named > len(points):  # compiled loops would read beyond the coordinates
            raise InputError(
                f"Triplets name objects outside of the {len(points)} that have coordinates."
            )
        n_anchors = len(self._neighbors)
        bounds = self._bounds(points)
        n_chunks = len(bounds) - 1
        if self._sums.shape != (n_chunks, *points.shape):
            self._sums = np.empty((n_chunks, *points.shape), dtype=np.float32)
        axes = (0,) * points.shape[1]
        shifts = self._draw(len(points))
        margin = np.float32(self._margin(points))

        def work(chunk: int) -> float:
            self._sums[chunk].fill(0)
            return float(
                add_gradient(
                    points, self._neighbors, self._outliers, self._near_weights,
                    self._far_weights, self._offset, margin, self._first, shifts,
                    bounds[chunk], bounds[chunk + 1], axes, self._sums[chunk],
                )
            )  # fmt: skip

        value = sum(run_chunks(work, n_chunks, self._n_threads)) / self._total
        gradient = self._sums.sum(axis=0)
        gradient *= np.float32(n_anchors / self._total)
        return value, gradient

    def _draw(self, n_points: int) -> NDArray[np.uint64]:
        """Return how many places further outliers stand, not 0; a row for each block of anchors.

        After objects that are placed already, the numbers of outliers among these, for all alike.
        """
        shape = -(-len(self._neighbors) // _LANES), self._outliers.shape[1]
        if not self._first:
            return self._rng.integers(1, n_points, size=shape, dtype=np.uint64)
        drawn = self._rng.integers(self._first, size=shape[1], dtype=np.uint64)
        return np.ascontiguousarray(np.broadcast_to(drawn, shape))

    def _bounds(self, points: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return where chunks of anchors begin and end; their pairs are what takes time."""
        n_anchors, n_neighbors = self._neighbors.shape
        n_each = n_neighbors + self._outliers.shape[1]
        bounds: NDArray[np.intp] = chunk_bounds(n_anchors * n_each, points.size) // n_each
        return bounds


def _total_weight(triplets: WeightedTriplets) -> float:
    near = triplets.near_weights.sum(axis=1, dtype=np.float64)
    if triplets.far_weights is None:
        far = np.full(len(near), float(triplets.n_outliers))
    else:
        far = triplets.far_weights.sum(axis=1, dtype=np.float64)
    n_triplets = triplets.neighbors.size * triplets.n_outliers
    return float(near @ far) + triplets.offset * n_triplets


def fixed_outliers(neighbors: NDArray[np.int32], n_outliers: int, seed: int) -> NDArray[np.int32]:
    """Draw outliers once and for all."""
    n_objects = len(neighbors)
    rng = np.random.default_rng(seed)
    numbers = np.arange(n_objects, dtype=np.int32)[:, None]
    refused = np.hstack([numbers, neighbors])
    outliers = np.empty((n_objects, n_outliers), dtype=np.int32)
    anchors, columns = (each.ravel() for each in np.indices(outliers.shape))
    while len(anchors):
        drawn = rng.integers(n_objects, size=len(anchors), dtype=np.int32)
        outliers[anchors, columns] = drawn
        again = (refused[anchors] == drawn[:, None]).any(axis=1)
        anchors, columns = anchors[again], columns[again]
    return outliers


class AnnealedObjective:
    """One objective plus another whose weight falls to zero over most of the calls."""

    def __init__(
        self, lasting: NoisyObjective, passing: NoisyObjective, *, weight: float, n_calls: int
    ) -> None:
        self._lasting, self._passing = lasting, passing
        self._weight, self._n_calls = weight, n_calls
        self._n_done = 0

    def __call__(self, points: Array) -> tuple[float, Array]:
        """Return the sum of the values and that of the gradients at `points`."""
        left = max(0.0, 1 - self._n_done / (_LARGE_PICTURE * self._n_calls))
        weight = self._weight * left**2
        self._n_done += 1
        value, gradient = self._lasting(points)
        if not weight:
            return value, gradient
        passing_value, passing_gradient = self._passing(points)
        passing_gradient *= weight
        gradient += passing_gradient
        return value + weight * passing_value, gradient


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
    shifts: Any,
    start: int,
    stop: int,
    axes: Any,
    gradient: Any,
) -> float:
    """Add the gradient of the anchors start … stop to `gradient` and return their loss.

    The number of axes is part of the type of `axes`, so that the compiler unrolls their loops.
    Arrays of outliers or their weights without rows stand for outliers by `shifts` and weights
    of 1. Derivatives are those in squared distances; the factor 2 of the chain rule comes in at
    the end.
    """
    n_neighbors, n_outliers = neighbors.shape[1], outliers.shape[1]
    weighted = len(far_weights) > 0
    few = len(outliers) == 0 and len(points) <= _CROWD * n_neighbors
    others = np.empty((_LANES, n_outliers), dtype=np.uint32)
    near = np.ones((n_neighbors, _LANES), dtype=np.float32)
    far = np.ones((n_outliers, _LANES), dtype=np.float32)
    of_near = np.ones((n_neighbors, _LANES), dtype=np.float32)
    of_far = np.ones((n_outliers, _LANES), dtype=np.float32)
    near_slopes, far_slopes = np.empty_like(near), np.empty_like(far)
    total = np.float64(0)
    for block in range(start, stop, _LANES):
        n_lanes = min(_LANES, stop - block)
        far[:, n_lanes:] = _NOWHERE
        _name_outliers(outliers, shifts, len(points), first, block, n_lanes, others)
        for lane in range(n_lanes):
            i = np.uint64(block + lane)
            anchor = np.uint64(first) + i
            for j in range(n_neighbors):
                near[j, lane] = _ONE + margin * _squared(points, anchor, neighbors[i, j], axes)
                of_near[j, lane] = near_weights[i, j]
            for k in range(n_outliers):
                far[k, lane] = _ONE + _squared(points, anchor, others[lane, k], axes)
                if few:
                    for j in range(n_neighbors):
                        if neighbors[i, j] == others[lane, k]:
                            far[k, lane] = _NOWHERE
                if weighted:
                    of_far[k, lane] = far_weights[i, k]
        total += _derivatives(near, far, of_near, of_far, offset, weighted, near_slopes, far_slopes)
        near_slopes *= _TWO * margin
        far_slopes *= -_TWO
        _pull_and_push(
            points,
            neighbors,
            others,
            near_slopes,
            far_slopes,
            first,
            block,
            n_lanes,
            axes,
            gradient,
        )
    return total


@njit(nogil=True, fastmath=True, error_model="numpy", inline="always")
def _name_outliers(
    outliers: Any, shifts: Any, n_points: int, first: int, block: int, n_lanes: int, others: Any
) -> None:
    """Fill in the outliers of a block of anchors: those that are given, or those by `shifts`."""
    n, none = np.uint64(n_points), np.uint64(0)
    for lane in range(n_lanes):
        i = np.uint64(block + lane)
        for k in range(others.shape[1]):
            if len(outliers) == 0:
                other = shifts[i // _BLOCK, k] + (i if first == 0 else none)
                others[lane, k] = other - (n if other >= n else none)
            else:
                others[lane, k] = outliers[i, k]


@njit(nogil=True, fastmath=True, error_model="numpy", inline="always")
def _pull_and_push(
    points: Any,
    neighbors: Any,
    others: Any,
    near_slopes: Any,
    far_slopes: Any,
    first: int,
    block: int,
    n_lanes: int,
    axes: Any,
    gradient: Any,
) -> None:
    """Add what the slopes of a block of anchors are along the coordinates to the gradient."""
    for lane in range(n_lanes):
        i = np.uint64(block + lane)
        anchor = np.uint64(first) + i
        for s in range(len(axes)):
            here, own = points[anchor, s], np.float32(0)
            for j in range(neighbors.shape[1]):
                pull = near_slopes[j, lane] * (here - points[neighbors[i, j], s])
                own += pull
                gradient[neighbors[i, j], s] -= pull
            for k in range(others.shape[1]):
                push = far_slopes[k, lane] * (here - points[others[lane, k], s])
                own += push
                gradient[others[lane, k], s] -= push
            gradient[anchor, s] += own


@njit(nogil=True, fastmath=True, error_model="numpy", inline="always")
def _squared(points: Any, i: Any, j: Any, axes: Any) -> Any:
    """Return the squared distance of two objects on the map."""
    squared = np.float32(0)
    for s in range(len(axes)):
        gap = points[i, s] - points[j, s]
        squared += gap * gap
    return squared


@njit(nogil=True, fastmath=True, error_model="numpy", inline="always")
def _derivatives(
    near: Any,
    far: Any,
    near_weights: Any,
    far_weights: Any,
    offset: Any,
    weighted: bool,
    near_slopes: Any,
    far_slopes: Any,
) -> Any:
    """Fill in derivatives by near and minus those by far, both 1 + d²; return the loss.

    All arrays have a column per anchor of a block.
    """
    total = np.float32(0)
    far_slopes[:] = 0
    for j in range(near.shape[0]):
        near_slopes[j] = 0
        for k in range(far.shape[0]):
            for lane in range(_LANES):
                above, below = near[j, lane], far[k, lane]
                inverse = _ONE / (above + below)
                weight = near_weights[j, lane]
                if weighted:
                    weight = weight * far_weights[k, lane] + offset
                scaled = weight * inverse
                total += scaled * above
                scaled *= inverse
                near_slopes[j, lane] += scaled * below
                far_slopes[k, lane] += scaled * above
    return total
