"""The leading eigenvectors of large symmetric matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh


def leading_eigenvectors(
    matrix: Any, n_vectors: int, start: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the largest eigenvalues, in rising order, and their vectors.

    Lanczos iterations find a few of them without looking at the others. Where many are nearly
    equal, as at the optimum of a semidefinite programme, these may not end; all of the matrix is
    decomposed then.
    """
    try:
        values, vectors = eigsh(matrix, n_vectors, which="LA", v0=start)
    except ArpackNoConvergence:
        n = len(start)
        values, vectors = eigh(matrix @ np.eye(n), subset_by_index=(n - n_vectors, n - 1))
    return values, vectors
