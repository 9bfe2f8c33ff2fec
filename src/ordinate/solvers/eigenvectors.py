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

    Parameters
    ----------
    matrix : ndarray, sparse array or LinearOperator of shape (n, n)
        A symmetric matrix.
    n_vectors : int
        How many, less than n.
    start : ndarray of shape (n,)
        Where the iterations begin.

    Returns
    -------
    values : ndarray of shape (n_vectors,)
        The eigenvalues.
    vectors : ndarray of shape (n, n_vectors)
        Their vectors, as columns.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.eigenvectors import leading_eigenvectors
    >>> values, vectors = leading_eigenvectors(np.diag([1.0, 5.0, 4.0]), 2, np.ones(3))
    >>> values.round(6)
    array([4., 5.])
    """
    try:
        values, vectors = eigsh(matrix, n_vectors, which="LA", v0=start)
    except ArpackNoConvergence:
        n = len(start)
        values, vectors = eigh(matrix @ np.eye(n), subset_by_index=(n - n_vectors, n - 1))
    return values, vectors
