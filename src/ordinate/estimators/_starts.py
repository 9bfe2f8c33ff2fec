"""Where an embedding begins: at random, or from the comparisons themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import eigsh

from ordinate._threads import one_blas_thread
from ordinate.comparisons import Comparisons

Points: TypeAlias = NDArray[np.float64]

_ROWS_PER_OBJECT = 200
"""Comparisons per object that a spectral start looks at; more hardly change it."""
_SMALL = 128
"""Up to this many objects all eigenvectors are computed, which cannot fail to converge."""
_SCALES = 10.0 ** np.arange(-1.5, 2.1, 0.25)


def random_start(n_objects: int, n_components: int, rng: np.random.Generator) -> Points:
    """Draw coordinates from a standard normal distribution."""
    return rng.standard_normal((n_objects, n_components))


def spectral_start(comparisons: Comparisons, n_components: int, rng: np.random.Generator) -> Points:
    """Let pairs called near attract and pairs called far repel, and take the leading vectors.

    The matrix of (near − far) counts minus its row sums is the negative gradient, in the Gram
    matrix and at zero, of every loss that grows with near² − far². Its leading eigenvectors
    are therefore the best first step of rank `n_components`.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    n_components : int
        Dimension of the embedding.
    rng : Generator
        Chooses rows when there are very many, and fills dimensions that the answers leave open.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        Coordinates of unit scale.
    """
    n = comparisons.n_objects
    n_used = min(len(comparisons), _ROWS_PER_OBJECT * n)
    if n_used < len(comparisons):
        comparisons = comparisons[np.sort(rng.choice(len(comparisons), n_used, replace=False))]
    attraction = _signed_graph(comparisons)
    laplacian = attraction - diags_array(attraction.sum(axis=1))
    with one_blas_thread():
        values, vectors = _leading_eigenvectors(laplacian, min(n_components, n - 1), rng)
    points = random_start(n, n_components, rng)
    # Statements that cancel each other leave a direction open; chance fills it.
    open_to_chance = np.ones(n_components, dtype=bool)
    used = values > 1e-9 * max(float(values.max()), 1.0)
    open_to_chance[: len(values)] = ~used
    scale = np.sqrt(values[used] / values[used].max()) if used.any() else values[used]
    points[:, ~open_to_chance] *= 1e-3
    points[:, ~open_to_chance] += np.sqrt(n) * vectors[:, used] * scale
    return points


def _leading_eigenvectors(matrix: Any, n_vectors: int, rng: np.random.Generator) -> tuple[Any, Any]:
    n = matrix.shape[0]
    if n <= _SMALL:
        values, vectors = np.linalg.eigh(matrix.toarray())
        return values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]
    start = rng.standard_normal(n)
    values, vectors = eigsh(matrix, k=n_vectors, which="LA", v0=start, tol=1e-3, maxiter=50 * n)
    return values[::-1], vectors[:, ::-1]


def _signed_graph(comparisons: Comparisons) -> Any:
    n = comparisons.n_objects
    near, far = comparisons.pair_codes()
    weights = np.ones(len(near)) if comparisons.weights is None else comparisons.weights
    codes = np.concatenate([near, far])
    signs = np.concatenate([weights, -weights])
    half = coo_array((signs, (codes // n, codes % n)), shape=(n, n)).tocsr()
    return half + half.T


def at_best_scale(points: Points, value: Callable[[Points], float]) -> Points:
    """Multiply a start by the factor at which the loss is lowest.

    A start that is far too small sits where capped and ratio losses are flat, and one that is
    far too large where hinges are blind to the order.

    Parameters
    ----------
    points : ndarray of shape (n_objects, n_components)
        Any start.
    value : callable
        The loss at given coordinates.

    Returns
    -------
    ndarray of shape (n_objects, n_components)
        The start, scaled.
    """
    centred = points - points.mean(axis=0)
    spread = np.sqrt(np.mean(centred**2))
    if spread == 0.0:
        return points
    unit = centred / spread
    values = [value(scale * unit) for scale in _SCALES]
    best: float = _SCALES[int(np.argmin(values))]
    scaled: Points = best * unit
    return scaled
