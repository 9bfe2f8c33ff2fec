"""Where an embedding begins: at random, or from the comparisons themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import coo_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from ordinate._arrays import Points
from ordinate._checks import weighted_mean
from ordinate._distinct import distinct
from ordinate._threads import one_blas_thread
from ordinate.comparisons.inputs import Record
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.engine.objective import make_objective
from ordinate.losses import LossAndDerivatives

_ROWS_PER_OBJECT = 60
"""Comparisons per object that are looked at to find a start; more hardly change it."""
_JUDGED_ROWS = 20_000
"""Comparisons that are enough to tell a better start from a worse one."""
_SMALL = 128
"""Up to this many objects all eigenvectors are computed, which cannot fail to converge."""


def draw_comparisons(record: Record, rng: np.random.Generator) -> Comparisons:
    """Bring into memory as many comparisons as it takes to find a start: sixty per object."""
    n_rows, n_drawn = len(record), _ROWS_PER_OBJECT * record.n_objects
    if n_rows <= n_drawn:
        return record[:]
    # A draw without replacement would need as much memory as all row numbers.
    places = (np.arange(n_drawn) + rng.random(n_drawn)) * (n_rows / n_drawn)
    return record[distinct(places.astype(np.intp))]


def random_start(n_objects: int, n_components: int, rng: np.random.Generator) -> Points:
    """Draw coordinates from a standard normal distribution."""
    return rng.standard_normal((n_objects, n_components))


def spectral_start(
    comparisons: Comparisons, n_components: int, rng: np.random.Generator, *, device: str = "cpu"
) -> Points:
    """Let pairs called near attract and pairs called far repel, and take the leading vectors.

    The matrix of (near − far) counts W minus its row sums D is the negative gradient, in the
    Gram matrix and at zero, of every loss that grows with near² − far²; its leading vectors are
    the best first step. Where a few outlying objects dominate D, the vectors of W alone show
    more of the map. So W − D, W − D/2 and W are tried, and the start that violates the fewest
    comparisons is taken.
    """
    n = comparisons.n_objects
    chance = random_start(n, n_components, rng)
    first_vector = rng.standard_normal(n)
    graph = _SignedGraph(comparisons, device)
    counting = slice(None) if comparisons.weights is None else comparisons.weights > 0
    judged = comparisons[counting][:_JUDGED_ROWS]
    best, fewest = chance, np.inf
    for share in (0.0, 0.5, 1.0):
        with one_blas_thread():
            values, vectors = graph.leading(share, min(n_components, n - 1), first_vector)
        points = chance.copy()
        used = np.flatnonzero(values > 1e-9)
        scale = np.sqrt(n * values[used] / values.max(initial=1e-300))
        points[:, used] = vectors[:, used] * scale + 1e-3 * chance[:, used]
        near2, far2 = squared_distances(points, judged.rows)
        wrong = weighted_mean(near2 >= far2, judged.weights)
        if wrong < fewest:
            best, fewest = points, wrong
    return best


class _SignedGraph:
    """Near-minus-far counts of all pairs, scaled by how often their objects were seen."""

    def __init__(self, comparisons: Comparisons, device: str) -> None:
        if device == "cpu":
            weights, n = comparisons.weights, comparisons.n_objects
            seen = np.array([np.bincount(c, weights, minlength=n) for c in comparisons.rows.T])
        else:
            objective: Any = make_objective(comparisons, _difference, device=device)
            seen = objective.occurrences()
        i, j, k, l = PAIR_COLUMNS[len(seen)]  # noqa: E741
        near, far = seen[i] + seen[j], seen[k] + seen[l]
        self._row_sums = near - far
        self._scale = 1.0 / np.sqrt(np.maximum(near + far, 1.0))
        if device == "cpu":
            self._times = _by_sparse_matrix(comparisons)
        else:
            self._times = _by_gradient(objective, self._row_sums)

    def leading(self, share: float, n_vectors: int, start: NDArray[np.float64]) -> tuple[Any, Any]:
        """Return the largest eigenvalues of W − share·D and their vectors, none if it fails."""
        n = len(self._scale)
        if n <= _SMALL:
            counts, row_sums = self._dense_parts
            values, vectors = eigh(
                counts - share * row_sums,
                subset_by_index=(n - n_vectors, n - 1),
                check_finite=False,
            )
            return values[::-1], vectors[:, ::-1]
        operator = LinearOperator(
            (n, n), matvec=lambda x: self._product(x, share), dtype=np.dtype(np.float64)
        )
        try:
            values, vectors = eigsh(operator, k=n_vectors, which="LA", v0=start, tol=1e-2)
        except ArpackError:  # all statements cancel each other, or no direction stands out
            return np.zeros(0), np.zeros((n, 0))
        return values[::-1], vectors[:, ::-1]

    def _product(self, x: Any, share: float) -> Any:
        x = self._scale * (x - x.mean())
        y = self._scale * (self._times(x) - share * self._row_sums * x)
        return y - y.mean()

    @cached_property
    def _dense_parts(self) -> tuple[Any, Any]:
        """W and D with their rows and columns scaled and centred, as arrays."""
        n = len(self._scale)
        x = self._scale[:, None] * (np.eye(n) - 1 / n)
        return x.T @ self._times(x), x.T @ (self._row_sums[:, None] * x)


def _by_sparse_matrix(comparisons: Comparisons) -> Callable[[Any], Any]:
    """Return the product with near-minus-far counts, kept as a sparse matrix."""
    n = comparisons.n_objects
    columns = PAIR_COLUMNS[comparisons.rows.shape[1]]
    i, j, k, l = (comparisons.rows[:, column] for column in columns)  # noqa: E741
    weights = np.ones(len(i)) if comparisons.weights is None else comparisons.weights
    signs = np.concatenate([weights, -weights])
    pairs = (np.concatenate([i, k]), np.concatenate([j, l]))
    half = coo_array((signs, pairs), shape=(n, n)).tocsr()
    half_transposed = half.T
    return lambda x: half @ x + half_transposed @ x


def _by_gradient(objective: Any, row_sums: NDArray[Any]) -> Callable[[Any], Any]:
    """Return the same product from a GPU: the gradient of Σ (near² − far²) is 2 (D − W) x."""

    def times(x: Any) -> Any:
        columns = x.reshape(len(x), -1)
        product: NDArray[Any] = row_sums[:, None] * columns - 0.5 * objective(columns)[1]
        return product.reshape(x.shape)

    return times


def _difference(near2: Any, far2: Any) -> LossAndDerivatives:
    return near2 - far2, 1.0, -1.0


def perturbed(start: Points, rng: np.random.Generator) -> Points:
    """Move every object by a random step; the steps are as large as the start is wide."""
    spread = float(np.sqrt(np.mean(np.square(start - start.mean(axis=0)))))
    return start + spread * rng.standard_normal(start.shape)


def at_best_scale(
    points: Points, value: Callable[[Points], float], *, like: Points | None = None
) -> Points:
    """Multiply a start by the factor at which the loss is lowest.

    A start that is far too small sits where capped and ratio losses are flat, and one that is
    far too large where hinges are blind to the order.
    """
    centred = points - points.mean(axis=0)
    spread = np.sqrt(np.mean(centred**2))
    if spread == 0.0:
        return points
    unit = centred / spread
    if like is None:
        coarse = _smallest_good_scale(10.0 ** np.arange(-4.0, 5.0), unit, value)
    else:
        coarse = float(np.sqrt(np.mean((like - like.mean(axis=0)) ** 2)))
    fine = _smallest_good_scale(coarse * 10.0 ** np.arange(-0.75, 0.76, 0.25), unit, value)
    scaled: Points = fine * unit
    return scaled


def _smallest_good_scale(
    scales: NDArray[np.float64], unit: Points, value: Callable[[Points], float]
) -> float:
    """Return the first scale whose loss is nearly the lowest; some losses fall for ever."""
    values = np.array([value(scale * unit) for scale in scales])
    lowest = values.min()
    good = values <= lowest + 1e-4 * abs(value(0.0 * unit) - lowest)
    return float(scales[int(np.argmax(good))])
