"""Lay draws of a map over the map: comparisons know no place, direction or size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError


def align_draws(
    draws: NDArray[np.float64], onto: NDArray[np.float64], *, scale: bool = True
) -> NDArray[np.float32]:
    """Turn, mirror and move each draw so that it lies as near to a map as it can.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, n_objects, n_components)
        Maps of the same objects.
    onto : ndarray of shape (n_objects, n_components)
        The map to meet; it is taken as centred.
    scale : bool, default=True
        Whether each draw is first given the size of the map (the root mean square of its
        distances). A least-squares factor would shrink uncertain draws.

    Returns
    -------
    ndarray of float32, shape (n_draws, n_objects, n_components)
        The draws, superimposed.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.uncertainty._alignment import align_draws
    >>> square = np.array([[1.0, 1], [1, -1], [-1, -1], [-1, 1]])
    >>> mirrored = 5 * square[None] @ [[0, 1], [1, 0]]
    >>> np.allclose(align_draws(mirrored, square), square, atol=1e-6)
    True
    """
    moved = draws - draws.mean(axis=1, keepdims=True)
    if scale:
        sizes = np.sqrt(np.sum(moved**2, axis=(1, 2)))
        if not sizes.all():
            raise InputError(
                "A draw of the map has all its objects in one place, so its size means nothing;"
                " collect more answers or use a lower dimension."
            )
        moved *= (np.linalg.norm(onto) / sizes)[:, None, None]
    left, _, right = np.linalg.svd(moved.transpose(0, 2, 1) @ onto)
    aligned: NDArray[np.float32] = (moved @ (left @ right)).astype(np.float32)
    return aligned
