"""k2: objects that others rank alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate.kernels._base import Mask, TripletKernel, document_parameters
from ordinate.kernels._entries import Rows, Statements


@document_parameters
class K2(TripletKernel):
    """Triplet kernel k2: two objects are similar if others rank them alike.

    The feature of object a for a pair (i, j) is +1 if i is nearer to a than to j, -1 if nearer
    to j and 0 if nobody said; where answers differ, (yes - no) / (yes + no). Rows are scaled to
    length 1.

    Parameters
    ----------
    {shared}

    Notes
    -----
    With landmarks, answers say something of a landmark only as far as they compare it with
    another one, as in section 2.3 of the paper. Without, they also say something of it by
    comparing it with any other object. Similarities of objects that are no landmarks are the
    same either way.

    References
    ----------
    M. Kleindessner and U. von Luxburg, "Kernel functions based on triplet comparisons", NIPS
    2017, equation (5).

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K2().fit(od.datasets.load_cities().comparisons)
    >>> k.kernel().shape
    (125, 125)
    >>> round(k.similarity(3, 3), 12)
    1.0
    """

    _who_has_data = "they are near or far"
    _design = "the anchor and one of near and far are landmarks"

    @staticmethod
    def _read(rows: Rows, places: Rows) -> Statements:
        """Read a triplet as two answers to "are you nearer to the first than the second is?"."""
        anchor, near, far = places.T
        return Statements(
            np.concatenate([rows[:, 1], rows[:, 2]]),
            np.tile(anchor, 2),
            np.concatenate([far, near]),
            np.repeat([False, True], len(rows)),
        )

    @staticmethod
    def _landmark_pairs(n_landmarks: int) -> NDArray[np.int64]:
        return np.argwhere(~np.eye(n_landmarks, dtype=np.bool_))

    @staticmethod
    def _fits_design(anchor: Mask, near: Mask, far: Mask) -> Mask:
        return anchor & (near | far)
