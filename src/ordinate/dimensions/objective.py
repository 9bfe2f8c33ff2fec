"""What answers cost: minus the log of the probability of each, summed in threads."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ordinate._compiler import njit
from ordinate.engine.cpu import chunk_bounds, run_chunks

Loadings: TypeAlias = NDArray[Any]
"""How much of each dimension each object has, shape (n_objects, n_dimensions)."""


class _SumOverRows:
    """A cost summed over rows in chunks, with the same bits for any number of threads."""

    def __init__(self, rows: NDArray[Any], n_threads: int, dtype: Any) -> None:
        self._rows = rows
        self._n_threads = n_threads
        self._dtype = dtype

    def __len__(self) -> int:
        return len(self._rows)

    def __call__(self, loadings: Loadings) -> tuple[float, NDArray[np.float64]]:
        """Return the cost and its gradient."""
        points = np.ascontiguousarray(loadings, dtype=self._dtype)
        bounds = chunk_bounds(len(self), points.size)
        sums = np.zeros((len(bounds) - 1, *points.shape), dtype=points.dtype)

        def work(chunk: int) -> float:
            return self._add(points, slice(bounds[chunk], bounds[chunk + 1]), sums[chunk])

        costs = run_chunks(work, len(sums), self._n_threads)
        return sum(costs), sums.sum(axis=0, dtype=np.float64)

    def _add(self, points: Loadings, part: slice, gradient: Loadings) -> float:
        """Return the cost of some rows, and add its gradient to `gradient`."""
        raise NotImplementedError


class TrialObjective(_SumOverRows):
    """The cost of trials as a function of the loadings X, with similarities s_ij = x_i · x_j.

    An odd-one-out trial that kept i and j together costs
    log(exp s_ij + exp s_ik + exp s_jk) − s_ij; a triplet with the anchor i that found j nearer
    than k costs log(exp s_ij + exp s_ik) − s_ij.
    """

    def __init__(
        self,
        rows: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        *,
        has_anchor: bool = False,
        n_threads: int = 1,
        dtype: Any = np.float32,
    ) -> None:
        super().__init__(np.ascontiguousarray(rows).view(np.uint32), n_threads, dtype)
        self._weights = np.ones(0, dtype) if weights is None else weights.astype(dtype)
        self._has_anchor = has_anchor

    def _add(self, points: Loadings, part: slice, gradient: Loadings) -> float:
        weights = self._weights[part] if len(self._weights) else self._weights
        return float(_sum_trials(points, self._rows[part], weights, self._has_anchor, gradient))


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}, cache=True)
def _sum_trials(points: Any, rows: Any, weights: Any, has_anchor: bool, gradient: Any) -> float:
    """Add the gradient over some trials to `gradient` and return the sum of their costs."""
    n_dimensions = points.shape[1]
    zero = points.dtype.type(0)
    total = 0.0
    for row in range(len(rows)):
        i, j, k = rows[row]
        kept = zero
        first = zero
        second = zero
        for s in range(n_dimensions):
            kept += points[i, s] * points[j, s]
            first += points[i, s] * points[k, s]
            second += points[j, s] * points[k, s]
        # relative to the pair that was kept together, so that nothing overflows
        largest = max(zero, first - kept)
        if not has_anchor:
            largest = max(largest, second - kept)
        of_kept = np.exp(-largest)
        of_first = np.exp(first - kept - largest)
        of_second = zero if has_anchor else np.exp(second - kept - largest)
        whole = of_kept + of_first + of_second
        weight = weights[row] if len(weights) > 0 else points.dtype.type(1)
        total += weight * (np.log(whole) + largest)
        p = weight * of_first / whole
        q = weight * of_second / whole
        r = -(p + q)
        for s in range(n_dimensions):
            at_i = points[i, s]
            at_j = points[j, s]
            at_k = points[k, s]
            gradient[i, s] += r * at_j + p * at_k
            gradient[j, s] += r * at_i + q * at_k
            gradient[k, s] += p * at_i + q * at_j
    return total


class ChoiceObjective(_SumOverRows):
    """The cost of choices among several objects, by how similar each is to the anchor.

    Objects are chosen one after the other, each by a softmax over what is left. Without an order
    the probability of a set is the sum over all orders in which it may have been chosen.
    """

    def __init__(
        self,
        rows: NDArray[np.int32],
        n_chosen: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
        *,
        n_threads: int = 1,
        dtype: Any = np.float32,
    ) -> None:
        super().__init__(np.ascontiguousarray(rows), n_threads, dtype)
        self._n_chosen = n_chosen
        self._weights = np.ones(len(rows)) if weights is None else weights

    def _add(self, points: Loadings, part: slice, gradient: Loadings) -> float:
        given = self._rows[part], self._n_chosen[part], self._weights[part]
        return float(_sum_choices(points, *given, gradient))


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}, cache=True)
def _sum_choices(points: Any, rows: Any, n_chosen: Any, weights: Any, gradient: Any) -> float:
    """Add the gradient over some choices to `gradient` and return the sum of their costs."""
    n_dimensions = points.shape[1]
    similar = np.empty(rows.shape[1] - 1)
    slope = np.empty(rows.shape[1] - 1)
    largest_set = 1 << n_chosen.max()
    chance = np.empty(largest_set)
    whole = np.empty(largest_set)
    reach = np.empty(largest_set)
    total = 0.0
    for row in range(len(rows)):
        anchor = rows[row, 0]
        n_shown = 0
        while n_shown < len(similar) and rows[row, n_shown + 1] >= 0:
            shown = rows[row, n_shown + 1]
            found = points.dtype.type(0)
            for s in range(n_dimensions):
                found += points[anchor, s] * points[shown, s]
            similar[n_shown] = found
            n_shown += 1
        log_chance = _chosen(similar[:n_shown], n_chosen[row], chance, whole, reach, slope)
        total -= weights[row] * log_chance
        for option in range(n_shown):
            shown = rows[row, option + 1]
            pull = points.dtype.type(-weights[row] * slope[option])
            for s in range(n_dimensions):
                at_anchor = points[anchor, s]
                gradient[anchor, s] += pull * points[shown, s]
                gradient[shown, s] += pull * at_anchor
    return total


@njit(nogil=True, error_model="numpy", cache=True)
def _chosen(similar: Any, n_chosen: int, chance: Any, whole: Any, reach: Any, slope: Any) -> float:
    """Return the log of the probability that the first objects are chosen; fill in its slope.

    For each set of them `whole` holds the log of its odds and the others', `chance` the log of the
    probability that it is chosen from these, and `reach` how much of the choices passes through it.
    """
    n_shown = len(similar)
    others = similar[n_chosen]
    for option in range(n_chosen + 1, n_shown):
        others = _log_sum(others, similar[option])
    last = (1 << n_chosen) - 1
    chance[0] = 0.0
    for members in range(1, last + 1):
        whole[members] = others
        chance[members] = -np.inf
        for option in range(n_chosen):
            if members >> option & 1:
                whole[members] = _log_sum(whole[members], similar[option])
                before = similar[option] + chance[members ^ (1 << option)]
                chance[members] = _log_sum(chance[members], before)
        chance[members] -= whole[members]
    slope[:n_shown] = 0.0
    reach[:last] = 0.0
    reach[last] = 1.0
    passed = 0.0
    for members in range(last, 0, -1):
        passed += reach[members] * np.exp(others - whole[members])
        for option in range(n_chosen):
            if members >> option & 1:
                before = members ^ (1 << option)
                share = similar[option] - whole[members]
                step = np.exp(share + chance[before] - chance[members])
                reach[before] += reach[members] * step
                slope[option] += reach[members] * (step - np.exp(share))
    for option in range(n_chosen, n_shown):
        slope[option] = -passed * np.exp(similar[option] - others)
    return float(chance[last])


@njit(nogil=True, error_model="numpy", cache=True)
def _log_sum(one: float, other: float) -> float:
    """Return log(exp one + exp other)."""
    larger = max(one, other)
    return float(larger + np.log1p(np.exp(min(one, other) - larger)))


def log_chances(similar: NDArray[np.float64], n_chosen: int) -> NDArray[np.float64]:
    """Return the log of the probability that the first objects are chosen, in any order."""
    of_others = logsumexp(similar[:, n_chosen:], axis=1)
    chances = [np.zeros(len(similar))]
    for members in range(1, 1 << n_chosen):
        inside = [option for option in range(n_chosen) if members >> option & 1]
        whole = logsumexp(np.column_stack([of_others, similar[:, inside]]), axis=1)
        steps = [similar[:, option] + chances[members ^ (1 << option)] for option in inside]
        chances.append(logsumexp(steps, axis=0) - whole)
    return chances[-1]


def choice_similarity(loadings: Loadings) -> NDArray[np.float64]:
    """Return how often each two objects are kept together, over all third objects."""
    points = np.asarray(loadings, dtype=np.float64)
    similar = points @ points.T
    found = np.eye(len(points))
    _average_choices(np.exp(similar - similar.max()), found)
    return found


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}, cache=True)
def _average_choices(odds: Any, found: Any) -> None:
    """Fill in, for each pair, its mean probability beside every third object."""
    n_objects = len(odds)
    for i in range(n_objects):
        for j in range(i):
            total = 0.0
            kept = odds[i, j]
            for k in range(n_objects):
                total += kept / (kept + odds[i, k] + odds[j, k])
            for k in (i, j):  # no third object
                total -= kept / (kept + odds[i, k] + odds[j, k])
            found[i, j] = total / (n_objects - 2)
            found[j, i] = found[i, j]
