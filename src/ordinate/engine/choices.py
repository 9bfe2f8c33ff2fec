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
    """The sum over answers of −log P, where P is a softmax over the pairs to choose from.

    Pairs are as alike as −d² ("euclidean"; for comparisons that is the loss of STE) or as x · y
    ("dot"). For odd-one-out trials three pairs are weighed against one another. Chunks and their
    order depend on the data alone, so the sum has the same bits for any number of threads.
    """

    def __init__(
        self, answers: Answers, *, similarity: str = "euclidean", n_threads: int = 1
    ) -> None:
        pairs = pairs_of(answers)
        self._is_dot = similarity == "dot"
        self._dtype = np.float32 if self._is_dot else np.float64  # dot products are not differences
        self._pairs = np.ascontiguousarray(pairs).view(np.uint32)
        self._weights = np.ones(len(pairs)) if answers.weights is None else answers.weights
        self._n_threads = n_threads

    def __call__(self, points: Points) -> tuple[float, Points]:
        """Return the sum and its gradient."""
        points = np.ascontiguousarray(points, dtype=self._dtype)
        bounds = chunk_bounds(len(self._pairs), points.size)
        sums = np.zeros((len(bounds) - 1, *points.shape), dtype=self._dtype)

        def work(chunk: int) -> float:
            part = slice(bounds[chunk], bounds[chunk + 1])
            pairs, weights = self._pairs[part], self._weights[part]
            return float(_sum_choices(points, pairs, weights, self._is_dot, sums[chunk]))

        value = sum(run_chunks(work, len(sums), self._n_threads))
        return value, sums.sum(axis=0, dtype=np.float64)


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}, cache=True)
def _sum_choices(points: Any, pairs: Any, weights: Any, is_dot: bool, gradient: Any) -> float:
    """Add the gradient over some answers to `gradient`; return their sum."""
    n_options = pairs.shape[1]
    n_components = points.shape[1]
    zero = points.dtype.type(0)
    two = points.dtype.type(2)
    near = np.empty(n_options)
    odds = np.empty(n_options)
    total = 0.0
    for row in range(len(pairs)):
        for option in range(n_options):
            i, j = pairs[row, option]
            found = zero
            if is_dot:
                for s in range(n_components):
                    found += points[i, s] * points[j, s]
            else:
                for s in range(n_components):
                    difference = points[i, s] - points[j, s]
                    found -= difference * difference
            near[option] = found
        nearest = near.max()
        whole = 0.0
        for option in range(n_options):
            odds[option] = np.exp(near[option] - nearest)
            whole += odds[option]
        weight = weights[row]
        total += weight * (np.log(whole) + nearest - near[0])
        for option in range(n_options):
            i, j = pairs[row, option]
            # of the sum, in how alike this pair is
            push = weight * odds[option] / whole
            if option == 0:
                push -= weight
            pull = points.dtype.type(push)
            if is_dot:
                for s in range(n_components):
                    at_i = points[i, s]
                    gradient[i, s] += pull * points[j, s]
                    gradient[j, s] += pull * at_i
            else:
                for s in range(n_components):
                    step = two * pull * (points[j, s] - points[i, s])
                    gradient[i, s] += step
                    gradient[j, s] -= step
    return total


def alike(points: NDArray[Any], pairs: NDArray[Any], similarity: str) -> NDArray[np.float64]:
    """Return how alike the objects of each pair are, in the shape (n_answers, n_options)."""
    found = np.empty(pairs.shape[:2])
    for start in range(0, len(pairs), _CHUNK):
        part = pairs[start : start + _CHUNK]
        for option in range(pairs.shape[1]):
            one, other = points[part[:, option, 0]], points[part[:, option, 1]]
            if similarity == "dot":
                products = np.einsum("ij,ij->i", one, other)
            else:
                products = -np.einsum("ij,ij->i", one - other, one - other)
            found[start : start + _CHUNK, option] = products
    return found


def choices_right(
    answers: Answers, points: NDArray[Any], similarity: str = "euclidean"
) -> NDArray[np.float64]:
    """Return for each answer 1 where the chosen pair is the most alike, its share of a tie."""
    return share_right(alike(points, pairs_of(answers), similarity))
