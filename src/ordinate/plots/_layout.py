"""What a map's picture is made of, computed before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError
from ordinate.plots._colors import Coloring, color_by

MANY = 5000
"""So many points are a crowd: drawn see-through, and as pixels so that SVG and PDF stay small."""


@dataclass(frozen=True)
class MapLayout:
    """What there is to draw, in two or three dimensions.

    Attributes
    ----------
    positions : ndarray of float, shape (n_objects, 2 or 3)
        Where each object is drawn.
    truth : ndarray of float, shape (n_objects, 2 or 3), or None
        Where each object should be.
    coloring : Coloring
        Classes or numbers that colour the objects.
    axis_names : tuple of str
        What the two axes mean; empty for a map, whose axes mean nothing.
    ordered : bool
        Whether the second axis is only the order of the objects along the first.
    """

    positions: NDArray[np.float64]
    truth: NDArray[np.float64] | None
    coloring: Coloring
    axis_names: tuple[str, ...] = ()
    ordered: bool = False

    @property
    def spatial(self) -> bool:
        """Whether the map has three dimensions."""
        return bool(self.positions.shape[1] == 3)

    @property
    def crowded(self) -> bool:
        """Whether there are so many points that they are drawn as pixels and see-through."""
        return len(self.positions) >= MANY

    @property
    def marker_size(self) -> float:
        """Area of a marker, in square points: the more objects, the smaller."""
        return float(np.clip(5000 / len(self.positions), 1, 24))


def lay_out(
    points: NDArray[np.float64],
    truth: NDArray[np.float64] | None = None,
    labels: ArrayLike | None = None,
) -> MapLayout:
    """Compute what `plot_map` and `plot_map_over_truth` draw.

    Parameters
    ----------
    points : ndarray of float, shape (n_objects, n_components)
        Coordinates, already aligned with `truth` if that is given.
    truth : ndarray of float, shape (n_objects, n_components), optional
        True coordinates; they then set the order (one dimension) or directions (over three).
    labels : array-like, shape (n_objects,), optional
        Classes, or numbers.

    Returns
    -------
    MapLayout
        Positions in two or three dimensions, and colours.
    """
    n_objects, n_components = points.shape
    if n_objects == 0:
        raise InputError("There is nothing to draw: embedding has no rows.")
    coloring = color_by(labels, n_objects)
    reference = points if truth is None else truth
    if n_components == 1:
        rank = np.argsort(np.argsort(reference[:, 0], kind="stable"))
        points = np.column_stack([points, rank])
        truth = None if truth is None else np.column_stack([truth, rank])
        names = ("coordinate", "objects in order")
        return MapLayout(points, truth, coloring, names, ordered=True)
    if n_components <= 3:
        return MapLayout(points, truth, coloring)
    center = reference.mean(axis=0)
    scatter = (reference - center).T @ (reference - center)
    widest = np.linalg.eigh(scatter).eigenvectors[:, :-3:-1]
    points = (points - center) @ widest
    truth = None if truth is None else (truth - center) @ widest
    names = (f"widest direction of {n_components}", "second widest")
    return MapLayout(points, truth, coloring, names)
