"""Minus the log of the probability of choices between pairs of objects, in threads on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._compiler import njit
from ordinate.comparisons.choices import Answers, pairs_of, share_right
from ordinate.engine.cpu import chunk_bounds, run_chunks

_CHUNK = 2**12
"""Answers whose coordinates are copied at once."""


class ChoiceObjective:
    """The sum over answers of −log P, where P is a softmax of −d² over the pairs to choose from.

    For comparisons it is the loss of STE; for odd-one-out trials three pairs are weighed against
    one another. To the squared distances between points a multiple of those between other, fixed
    vectors can be added. Chunks and their order depend on the data alone, so the sum has the same
    bits for any number of threads.
    """

    def __init__(
        self, answers: Answers, fixed: Points | None = None, *, n_threads: int = 1
    ) -> None:
        pairs = pairs_of(answers)
        self._fixed = None if fixed is None else squared_choices(fixed, pairs)
        self._pairs = np.ascontiguousarray(pairs).view(np.uint32)
        self._weights = np.ones(len(pairs)) if answers.weights is None else answers.weights
        self._n_threads = n_threads

    def __call__(self, points: Points) -> tuple[float, Points]:
        """Return the sum and its gradient, without the fixed vectors."""
        return self._sum(points, 0.0)[:2]

    def with_fixed(self, points: Points, scale: float) -> tuple[float, Points, float]:
        """Return the sum, its gradient and its slope in how much the fixed vectors count."""
        return self._sum(points, scale)

    def _sum(self, points: Points, scale: float) -> tuple[float, Points, float]:
        points = np.ascontiguousarray(points, dtype=np.float64)
        bounds = chunk_bounds(len(self._pairs), points.size)
        sums = np.zeros((len(bounds) - 1, *points.shape))
        slopes = np.zeros(len(sums))
        fixed = np.zeros((0, self._pairs.shape[1])) if self._fixed is None else self._fixed

        def work(chunk: int) -> float:
            part = slice(bounds[chunk], bounds[chunk + 1])
            total, slopes[chunk] = _sum_choices(
                points, self._pairs[part], self._weights[part], fixed[part], scale, sums[chunk]
            )
            return float(total)

        value = sum(run_chunks(work, len(sums), self._n_threads))
        return value, sums.sum(axis=0), float(slopes.sum())


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}, cache=True)
def _sum_choices(
    points: Any, pairs: Any, weights: Any, fixed: Any, scale: float, gradient: Any
) -> tuple[float, float]:
    """Add the gradient over some answers to `gradient`; return their sum and its slope."""
    n_options = pairs.shape[1]
    n_components = points.shape[1]
    far = np.empty(n_options)
    odds = np.empty(n_options)
    total = 0.0
    slope = 0.0
    for row in range(len(pairs)):
        for option in range(n_options):
            i, j = pairs[row, option]
            squared = 0.0
            for s in range(n_components):
                difference = points[i, s] - points[j, s]
                squared += difference * difference
            far[option] = squared + (scale * fixed[row, option] if len(fixed) else 0.0)
        nearest = far.min()
        whole = 0.0
        for option in range(n_options):
            odds[option] = np.exp(nearest - far[option])
            whole += odds[option]
        weight = weights[row]
        total += weight * (np.log(whole) + far[0] - nearest)
        for option in range(n_options):
            i, j = pairs[row, option]
            # of the sum, in the squared distance of this pair
            pull = -weight * odds[option] / whole
            if option == 0:
                pull += weight
            if len(fixed):
                slope += pull * fixed[row, option]
            for s in range(n_components):
                step = 2.0 * pull * (points[i, s] - points[j, s])
                gradient[i, s] += step
                gradient[j, s] -= step
    return total, slope


def squared_choices(points: NDArray[Any], pairs: NDArray[Any]) -> NDArray[np.float64]:
    """Return the squared distance of each pair, in the shape (n_answers, n_options)."""
    found = np.empty(pairs.shape[:2])
    for start in range(0, len(pairs), _CHUNK):
        part = pairs[start : start + _CHUNK]
        for option in range(pairs.shape[1]):
            difference = points[part[:, option, 0]] - points[part[:, option, 1]]
            found[start : start + _CHUNK, option] = np.einsum("ij,ij->i", difference, difference)
    return found


def choices_right(answers: Answers, points: NDArray[Any]) -> NDArray[np.float64]:
    """Return for each answer 1 where the chosen pair is the nearest, its share of a tie."""
    return share_right(-squared_choices(points, pairs_of(answers)))
