"""The quadratic above the SOE loss, and one sweep towards its minimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from ordinate._arrays import Points
from ordinate._compiler import njit
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons

_TINY = 1e-12


def soe_majorizer(
    comparisons: Comparisons, delta: float
) -> Callable[[Points], tuple[float, Points]]:
    """Return a function that evaluates SOE's loss and improves on its majoriser.

    For one comparison with near distance a and far distance b at the present coordinates y, the
    squared hinge lies below α|x_i − x_j|² + α*|x_k − x_l|² − 2β(x_i − x_j)·(y_i − y_j)
    − 2β*(x_k − x_l)·(y_k − y_l) plus a constant. The sum over comparisons is a quadratic whose
    minimum solves a Laplacian system; one Gauss–Seidel sweep lowers it.

    Terada & von Luxburg, Local Ordinal Embedding, ICML 2014, Proposition 2.
    """
    n = comparisons.n_objects
    i, j, k, l = (comparisons.rows[:, c] for c in PAIR_COLUMNS[comparisons.rows.shape[1]])  # noqa: E741
    weights = np.ones(len(i)) if comparisons.weights is None else comparisons.weights
    codes, pair = np.unique(np.concatenate(comparisons.pair_codes()), return_inverse=True)
    first, second = codes // n, codes % n

    def improve(points: Points) -> tuple[float, Points]:
        near = np.linalg.norm(points[i] - points[j], axis=1)
        far = np.linalg.norm(points[k] - points[l], axis=1)
        value = float(np.sum(weights * np.maximum(near + delta - far, 0.0) ** 2))
        coefficients = _coefficients(near, far, delta)
        curvature, pull = (
            np.bincount(pair, weights=np.concatenate([weights * c_near, weights * c_far]))
            for c_near, c_far in coefficients
        )
        springs = _symmetric(first, second, curvature, n)
        target = _laplacian_times(first, second, pull, points)
        return value, _sweep(springs.indptr, springs.indices, springs.data, target, points.copy())

    return improve


def _coefficients(near: Any, far: Any, delta: float) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Curvatures (α, α*) and pulls (β, β*) of every comparison."""
    active = near + delta >= far
    folded = active & (near + far < delta)
    safe_near, safe_far = np.maximum(near, _TINY), np.maximum(far, _TINY)
    alpha = np.where(folded, (near + delta - far) / safe_near, 2.0)
    beta = np.where(active, np.maximum(near + far - delta, 0.0) / safe_near, 2.0)
    beta_far = np.where(active, (near + far + delta) / safe_far, 2.0)
    # A linear term at distance zero has no direction; leaving it out keeps the bound.
    beta = np.where(near > _TINY, beta, 0.0)
    beta_far = np.where(far > _TINY, beta_far, 0.0)
    return (alpha, np.full_like(far, 2.0)), (beta, beta_far)


def _symmetric(first: Any, second: Any, values: Any, n: int) -> Any:
    rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
    return coo_array((np.concatenate([values, values]), (rows, columns)), shape=(n, n)).tocsr()


def _laplacian_times(first: Any, second: Any, values: Any, points: Points) -> Points:
    """Σ over pairs of value · (y_first − y_second), added at first and taken off at second."""
    flow = values[:, None] * (points[first] - points[second])
    result = np.zeros_like(points)
    for s in range(points.shape[1]):
        result[:, s] = np.bincount(first, weights=flow[:, s], minlength=len(points))
        result[:, s] -= np.bincount(second, weights=flow[:, s], minlength=len(points))
    return result


@njit(nogil=True, cache=True)
def _sweep(
    indptr: NDArray[Any], indices: NDArray[Any], springs: NDArray[Any], target: Any, points: Any
) -> Any:
    """One Gauss–Seidel sweep over the objects, in place."""
    for i in range(points.shape[0]):
        total = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            total += springs[entry]
        if total == 0.0:
            continue
        for s in range(points.shape[1]):
            value = target[i, s]
            for entry in range(indptr[i], indptr[i + 1]):
                value += springs[entry] * points[indices[entry], s]
            points[i, s] = value / total
    return points
