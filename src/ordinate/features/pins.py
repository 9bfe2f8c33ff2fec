"""Objects of a map that stay at given coordinates."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError


class Pins:
    """Objects that stay at given coordinates, in the frame of a map that has its own size.

    A map has a length built in, and given coordinates have any. So a map is first made freely;
    then the coordinates are turned, scaled and moved to where their objects are on it, by least
    squares, and stay; in the end the whole map is brought into the frame of the coordinates.
    """

    def __init__(self, fixed: Any, shape: tuple[int, int]) -> None:
        places = np.asarray(fixed, dtype=np.float64)
        if places.shape != shape:
            raise InputError(
                f"fixed must have the shape {shape}, a row per object, with NaN for those that are"
                f" free; got {places.shape}."
            )
        given: NDArray[np.bool_] = np.logical_not(np.isnan(places).any(axis=1))
        if not np.isfinite(places[given]).all() or not np.isnan(places[~given]).all():
            raise InputError(
                "fixed must hold finite coordinates, or NaN in all columns of an object that is"
                " free."
            )
        self._rows, self._places = np.flatnonzero(given), places[given]
        self.free: NDArray[np.float32] = (~given[:, None]).astype(np.float32)
        self.length = 1.0
        self._turn = np.eye(shape[1])
        self._here = self._there = np.zeros(shape[1])

    def fix(self: Self, points: NDArray[Any]) -> NDArray[Any]:
        """Return the map with the objects at their coordinates, and keep the way back."""
        if not len(self._rows):
            return points
        there = points[self._rows].astype(np.float64)
        self._here, self._there = self._places.mean(axis=0), there.mean(axis=0)
        here, there = self._places - self._here, there - self._there
        left, stretches, right = np.linalg.svd(there.T @ here)
        self._turn = left @ right
        spread = float((there**2).sum())
        if spread > 0 and stretches.sum() > 0:  # more than one place
            self.length = float((here**2).sum() / stretches.sum())
        fixed = points.copy()
        fixed[self._rows] = here @ self._turn.T / self.length + self._there
        return fixed

    def in_their_frame(self, points: NDArray[Any]) -> NDArray[Any]:
        """Return the map in the frame of the coordinates, where its objects are exactly at them."""
        found = (points - self._there) @ self._turn * self.length + self._here
        found[self._rows] = self._places
        return found.astype(points.dtype)
