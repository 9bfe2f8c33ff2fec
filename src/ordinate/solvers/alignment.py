"""Lay draws of a map over the map: comparisons know no place, direction or size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError


class NoExtentError(InputError):
    """A draw of a map has all its objects in one place: the answers say nothing."""


def align_draw(
    draw: NDArray[np.float64], onto: NDArray[np.float64], *, scale: bool = True
) -> NDArray[np.float32]:
    """Turn, mirror and move a draw so that it lies as near to a map as it can.

    Single precision is enough for places that are uncertain, and halves what draws take.
    """
    moved = draw - draw.mean(axis=0)
    if scale:
        size = float(np.linalg.norm(moved))
        if not size:
            raise NoExtentError(
                "A draw of the map has all its objects in one place, so its size means nothing;"
                " collect more answers or use a lower dimension."
            )
        moved *= np.linalg.norm(onto) / size
    left, _, right = np.linalg.svd(moved.T @ onto)
    aligned: NDArray[np.float32] = (moved @ (left @ right)).astype(np.float32)
    return aligned
