"""What a map's picture is made of, computed before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError
from ordinate.plots._colors import Coloring, color_by

if TYPE_CHECKING:
    from ordinate.uncertainty import MapUncertainty

CROWDED_FROM = 5000
"""So many points are a crowd: drawn see-through, and as pixels so that SVG and PDF stay small."""

_CORNERS = 33
"""Corners of an outline, the first and the last in one place."""


@dataclass(frozen=True)
class MapLayout:
    """What there is to draw, in two or three dimensions."""

    positions: NDArray[np.float64]
    truth: NDArray[np.float64] | None
    coloring: Coloring
    axis_names: tuple[str, ...] = ()
    ordered: bool = False
    regions: NDArray[np.float64] | None = None
    opacity: NDArray[np.float64] | None = None
    level: float | None = None
    """Share of the draws that a region holds."""

    @property
    def spatial(self) -> bool:
        """Whether the map has three dimensions."""
        return bool(self.positions.shape[1] == 3)

    @property
    def crowded(self) -> bool:
        """Whether there are so many points that they are drawn as pixels and see-through."""
        return len(self.positions) >= CROWDED_FROM

    @property
    def marker_size(self) -> float:
        """Area of a marker, in square points: the more objects, the smaller."""
        return float(np.clip(5000 / len(self.positions), 1, 24))


def lay_out(
    points: NDArray[np.float64],
    truth: NDArray[np.float64] | None = None,
    labels: ArrayLike | None = None,
    uncertainty: MapUncertainty | None = None,
    dimensions: tuple[int, int] | None = None,
) -> MapLayout:
    """Compute what `plot_map` and `plot_map_over_truth` draw."""
    n_objects, n_components = points.shape
    if n_objects == 0:
        raise InputError("There is nothing to draw: embedding has no rows.")
    coloring = color_by(labels, n_objects)
    reference = points if truth is None else truth
    center = reference.mean(axis=0)
    names: tuple[str, ...] = ()
    basis = np.eye(n_components)
    if dimensions is not None:
        basis = basis[:, _check_dimensions(dimensions, n_components)]
        names = tuple(f"dimension {number + 1}" for number in dimensions)
    elif n_components > 3:
        scatter = (reference - center).T @ (reference - center)
        basis = np.linalg.eigh(scatter).eigenvectors[:, :-3:-1]
        names = (f"widest direction of {n_components}", "second widest")
    flattened = basis.shape[1] < n_components
    regions = opacity = None
    if uncertainty is not None:
        regions = _regions(points, uncertainty, center if flattened else 0 * center, basis)
        opacity = _opacity(uncertainty)
    if n_components == 1:
        rank = np.argsort(np.argsort(reference[:, 0], kind="stable"))
        points = np.column_stack([points, rank])
        truth = None if truth is None else np.column_stack([truth, rank])
        names = ("coordinate", "objects in order")
        if regions is not None:
            heights = np.broadcast_to(rank[:, None, None], regions.shape)
            regions = np.concatenate([regions, heights], axis=2)
    elif flattened:
        points = (points - center) @ basis
        truth = None if truth is None else (truth - center) @ basis
    ordered = n_components == 1
    level = None if uncertainty is None else uncertainty.level
    return MapLayout(points, truth, coloring, names, ordered, regions, opacity, level)


def _check_dimensions(dimensions: tuple[int, int], n_components: int) -> list[int]:
    chosen = list(dimensions)
    if len(set(chosen)) != 2 or not set(chosen) <= set(range(n_components)):
        raise InputError(
            f"dimensions must be two different columns of the embedding, counted from 0 to"
            f" {n_components - 1}; got {dimensions!r}."
        )
    return chosen


def _regions(
    points: NDArray[np.float64],
    uncertainty: MapUncertainty,
    center: NDArray[np.float64],
    basis: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the outlines of the regions of all objects, seen along `basis`."""
    middle = points.mean(axis=0)
    if uncertainty.embedding_.shape != points.shape or not np.allclose(
        uncertainty.embedding_, points - middle, atol=1e-6 * float(np.abs(points).max())
    ):
        raise InputError(
            "uncertainty belongs to another map; pass that of map_uncertainty(model, answers) with"
            " the map of the same model."
        )
    ellipses = uncertainty.ellipses_
    spokes = ellipses.semi_axes[:, :, None] * ellipses.directions @ basis
    centers = (ellipses.centers + middle - center) @ basis
    if basis.shape[1] != 2:
        ends: NDArray[np.float64] = np.stack([-spokes, spokes], axis=2) + centers[:, None, None]
        return ends.reshape(-1, 2, basis.shape[1])
    # the shadow of an ellipsoid is the ellipse of its projected axes
    left, lengths, _ = np.linalg.svd(spokes.transpose(0, 2, 1))
    turn = np.linspace(0, 2 * np.pi, _CORNERS)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    outlines: NDArray[np.float64] = (left * lengths[:, None]) @ circle + centers[:, :, None]
    return outlines.transpose(0, 2, 1)


def _opacity(uncertainty: MapUncertainty) -> NDArray[np.float64]:
    radius = np.sqrt(np.mean(np.sum(uncertainty.embedding_**2, axis=1)))
    faint: NDArray[np.float64] = np.clip(1 - uncertainty.ellipses_.semi_axes[:, 0] / radius, 0.4, 1)
    return faint
