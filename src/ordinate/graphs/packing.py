"""Lay maps out side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def pack(maps: Sequence[NDArray[np.float64]], gap: float) -> list[NDArray[np.float64]]:
    """Move maps so that they do not come closer to one another than `gap`.

    Parameters
    ----------
    maps : sequence of ndarray of shape (any number, n_components)
        Coordinates.
    gap : float
        Smallest distance between objects of two maps.

    Returns
    -------
    list of ndarray
        The maps in rows, the highest first, filling about a square; in a line if there is only
        one dimension.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.graphs.packing import pack
    >>> [moved.ravel().tolist() for moved in pack([np.array([[0.0], [2.0]]), np.zeros((1, 1))], 3)]
    [[0.0, 2.0], [5.0]]
    """
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
