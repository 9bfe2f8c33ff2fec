"""Maps of a graph's connected components, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate.graphs.initialization import edge_lengths
from ordinate.graphs.neighbor_graph import NeighborGraph

Fit: TypeAlias = Callable[[NeighborGraph], Points]
"""Takes a connected graph of at least two objects and returns a map of it."""


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
