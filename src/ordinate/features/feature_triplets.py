"""The triplets of a reduction: of neighbours and outliers, and of objects drawn at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate.features.feature_space import FeatureSpace
from ordinate.features.neighbor_search import Neighbors
from ordinate.features.objective import WeightedTriplets, fixed_outliers
from ordinate.features.weighted_triplets import (
    OFFSET,
    paper_weights,
    rank_weights,
    split_by_distance,
)

_OUTLIERS = 8
"""Outliers per object and step; with fewer maps are rougher, with more they are hardly better."""
_PAIRS = 3
"""Objects in each half of those drawn for the large picture."""
_CONTRAST_POWER = 3
"""Large distances of a sphere tell much (contrast 0.6), those of digits little (contrast 0.3)."""


def rank_triplets(neighbors: NDArray[np.int32]) -> WeightedTriplets:
    """Weigh the r-th neighbour 1 / r; outliers are drawn anew at each step."""
    return WeightedTriplets(neighbors, rank_weights(neighbors), _OUTLIERS)


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
    nearer, farther, contrasts = split_by_distance(*space.draw(2 * _PAIRS))
    weights = contrasts**_CONTRAST_POWER
    columns = np.ascontiguousarray(np.broadcast_to(weights[:, None], nearer.shape))
    return WeightedTriplets(nearer, columns, _PAIRS, farther), float(weights.mean())
