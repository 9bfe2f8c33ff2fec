"""k1: objects that rank others alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate.kernels._base import Mask, TripletKernel, document_parameters
from ordinate.kernels._entries import Rows, Statements


@document_parameters
class K1(TripletKernel):
    """Triplet kernel k1: two objects are similar if they rank the others alike.

    The feature of object a for a pair (i, j) is +1 if a is nearer to i, -1 if nearer to j and 0
    if nobody said; where answers differ, (yes - no) / (yes + no). Rows are scaled to length 1,
    so the kernel of two objects that answered all questions is Kendall's rank correlation.

    Parameters
    ----------
    {shared}

    References
    ----------
    M. Kleindessner and U. von Luxburg, "Kernel functions based on triplet comparisons", NIPS
    2017, equations (2) and (3).

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K1().fit(od.datasets.load_cities().comparisons)
    >>> k.kernel().shape
    (125, 125)
    >>> round(k.similarity(3, 3), 12)
    1.0
    """

    _who_has_data = "they are the anchor"
    _design = "near and far are landmarks"

    @staticmethod
    def _read(rows: Rows, places: Rows) -> Statements:
        """Read a triplet as the anchor's answer to "is the first of these two nearer to you?"."""
        near, far = places[:, 1], places[:, 2]
        return Statements(rows[:, 0], np.minimum(near, far), np.maximum(near, far), near > far)

    @staticmethod
    def _landmark_pairs(n_landmarks: int) -> NDArray[np.int64]:
        return np.column_stack(np.triu_indices(n_landmarks, k=1))

    @staticmethod
    def _fits_design(anchor: Mask, near: Mask, far: Mask) -> Mask:
        return near & far
