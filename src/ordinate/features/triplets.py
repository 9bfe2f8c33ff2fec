"""Which triplets of objects a map of feature vectors is fitted to, and what they weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.features.feature_space import FeatureSpace
from ordinate.features.neighbor_search import Neighbors
from ordinate.features.objective import WeightedTriplets, fixed_outliers

SCALE_RANK = 10
"""The scale of an object is its distance to this neighbour, as in the paper."""
OFFSET = 0.01
"""What the paper adds to weights whose largest is 1."""
PAIRS = 3
"""Objects in each half of those drawn for the global structure."""
CONTRAST_POWER = 3
"""Large distances of a sphere tell much (contrast 0.6), those of digits little (contrast 0.3)."""

_OUTLIERS = 8
"""Outliers per object and step; with fewer maps are rougher, with more they are hardly better."""


def ranked_neighbors(found: Neighbors, n_neighbors: int, scales: NDArray[np.float32]) -> Neighbors:
    """Choose and order neighbours by distances in units of the local scales."""
    indices, distances = found
    order = np.argsort(distances**2 / scales[indices], axis=1, kind="stable")[:, :n_neighbors]
    return (
        np.ascontiguousarray(np.take_along_axis(indices, order, axis=1)),
        np.ascontiguousarray(np.take_along_axis(distances, order, axis=1)),
    )


def local_scales(distances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each object's distance to its tenth neighbour, or the last one there is."""
    scales = distances[:, min(SCALE_RANK, distances.shape[1]) - 1].copy()
    positive = scales > 0
    scales[~positive] = scales[positive].min() if positive.any() else 1
    return scales


def rank_weights(neighbors: NDArray[np.int32]) -> NDArray[np.float32]:
    """Weigh the r-th neighbour 1 / r."""
    weights = 1 / np.arange(1, neighbors.shape[1] + 1, dtype=np.float32)
    return np.ascontiguousarray(np.broadcast_to(weights, neighbors.shape))


def paper_weights(
    near: Neighbors,
    outliers: NDArray[np.int32],
    outlier_distances: NDArray[np.float32],
    scales: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weigh triplets as published: equation (13), scaled and offset as in Algorithm 1."""
    indices, distances = near
    own = scales[:, None].astype(np.float64)
    nearness = distances.astype(np.float64) ** 2 / (own * scales[indices])
    farness = outlier_distances.astype(np.float64) ** 2 / (own * scales[outliers])
    farthest = farness.max(axis=1, keepdims=True)
    largest = (farthest - nearness.min(axis=1, keepdims=True)).max()
    if not np.isfinite(largest):
        raise InputError(
            "The weights of the paper cannot be computed: distances in units of the local scale"
            f" are not finite. Rescale the features or use {argument('weights', 'rank')}."
        )
    return (
        np.exp(farthest - nearness - largest).astype(np.float32),
        np.exp(farness - farthest).astype(np.float32),
    )


def split_by_distance(
    drawn: NDArray[np.int32], distances: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Split the objects drawn for each row into the nearer and the farther half."""
    half = drawn.shape[1] // 2
    order = np.argsort(distances, axis=1, kind="stable")
    ordered = np.take_along_axis(drawn, order, axis=1)
    squared = np.square(np.take_along_axis(distances, order, axis=1), dtype=np.float64)
    near, far = squared[:, :half].mean(axis=1), squared[:, half:].mean(axis=1)
    contrasts = 1 - near / np.where(far > 0, far, 1)
    return (
        np.ascontiguousarray(ordered[:, :half]),
        np.ascontiguousarray(ordered[:, half:]),
        np.where(far > 0, contrasts, 0).astype(np.float32),
    )


def rank_triplets(neighbors: NDArray[np.int32]) -> WeightedTriplets:
    """Weigh the r-th neighbour 1 / r; outliers are resampled at each step."""
    return WeightedTriplets(neighbors, rank_weights(neighbors), _OUTLIERS)


def numbered_classes(y: Any, n_objects: int) -> NDArray[np.int64]:
    """Return classes as numbers, −1 where they are not known: −1, NaN or None."""
    if y is None:
        raise InputError("A target_weight above 0 needs the classes y; pass them to fit.")
    given = np.asarray(y, dtype=object)
    if given.shape != (n_objects,):
        raise InputError(
            f"y must have one class per object, shape ({n_objects},); got shape {given.shape}."
        )
    # NaN is not equal to itself
    known = np.array([label is not None and label == label and label != -1 for label in given])
    classes = np.full(n_objects, -1, dtype=np.int64)
    classes[known] = np.unique(given[known].astype(str), return_inverse=True)[1]
    if classes.max() + 1 > n_objects / 2:
        raise InputError(
            f"y has {classes.max() + 1} different values for {n_objects} objects; expected classes"
            " with several objects each. Divide numbers into classes first."
        )
    return classes


def neighbors_of_classes(
    found: Neighbors,
    n_neighbors: int,
    scales: NDArray[np.float32],
    classes: NDArray[np.int64],
    share: float,
) -> NDArray[np.int32]:
    """Choose neighbours as `ranked_neighbors` does, some replaced by others of the same class."""
    ranked, _ = ranked_neighbors(found, found[0].shape[1], scales)
    own = (classes[ranked] == classes[:, None]) & (classes >= 0)[:, None]
    n_own = own[:, :n_neighbors].sum(axis=1, keepdims=True)
    n_wanted = n_own + np.rint(share * (n_neighbors - n_own))
    wanted = own & (own.cumsum(axis=1) <= n_wanted)
    chosen = np.argsort(~wanted, axis=1, kind="stable")[:, :n_neighbors]
    return np.take_along_axis(ranked, np.sort(chosen, axis=1), axis=1)


def paper_triplets(
    space: FeatureSpace, near: Neighbors, scales: NDArray[np.float32], seed: int
) -> WeightedTriplets:
    """Draw as many outliers as neighbours, once, and weigh the triplets as published."""
    n_objects, n_outliers = near[0].shape
    outliers = fixed_outliers(near[0], n_outliers, seed)
    anchors = np.arange(n_objects, dtype=np.int32)[:, None]
    distances = space.between(np.broadcast_to(anchors, outliers.shape), outliers)
    near_weights, far_weights = paper_weights(near, outliers, distances, scales)
    return WeightedTriplets(near[0], near_weights, n_outliers, outliers, far_weights, OFFSET)


def large_scale_triplets(space: FeatureSpace) -> tuple[WeightedTriplets, float]:
    """Draw objects for each object; the nearer half are to be nearer. Return their mean weight too.

    An object's triplets weigh the third power of the contrast between the halves: where all
    distances are alike, who is nearer says little.
    """
    nearer, farther, contrasts = split_by_distance(*space.draw(2 * PAIRS))
    weights = contrasts**CONTRAST_POWER
    columns = np.ascontiguousarray(np.broadcast_to(weights[:, None], nearer.shape))
    return WeightedTriplets(nearer, columns, PAIRS, farther), float(weights.mean())
