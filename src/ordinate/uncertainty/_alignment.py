"""Lay draws of a map over the map: comparisons know no place, direction or size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError


def align_draw(
    draw: NDArray[np.float64], onto: NDArray[np.float64], *, scale: bool = True
) -> NDArray[np.float32]:
    """Turn, mirror and move a draw so that it lies as near to a map as it can.

    Single precision is enough for places that are uncertain, and halves what draws take.

    Parameters
    ----------
    draw : ndarray of shape (n_objects, n_components)
        A map of the same objects.
    onto : ndarray of shape (n_objects, n_components)
        The map to meet; it is taken as centred.
    scale : bool, default=True
        Whether the draw is first given the size of the map (the root mean square of its
        distances). A least-squares factor would shrink uncertain draws.

    Returns
    -------
    ndarray of float32, shape (n_objects, n_components)
        The draw, superimposed.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.uncertainty._alignment import align_draw
    >>> square = np.array([[1.0, 1], [1, -1], [-1, -1], [-1, 1]])
    >>> np.allclose(align_draw(5 * square @ [[0, 1], [1, 0]], square), square, atol=1e-6)
    True
    """
    moved = draw - draw.mean(axis=0)
    if scale:
        size = float(np.linalg.norm(moved))
        if not size:
            raise InputError(
                "A draw of the map has all its objects in one place, so its size means nothing;"
                " collect more answers or use a lower dimension."
            )
        moved *= np.linalg.norm(onto) / size
    left, _, right = np.linalg.svd(moved.T @ onto)
    aligned: NDArray[np.float32] = (moved @ (left @ right)).astype(np.float32)
    return aligned
