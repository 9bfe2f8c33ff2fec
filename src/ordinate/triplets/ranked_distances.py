"""All distances in order: which of any two pairs is nearer, without writing it out.

With N pairs of objects there are N² / 2 comparisons. SOE's loss adds max(0, d_a + δ − d_b)² over
all pairs a that are ranked before b. Merge sort finds what is out of order: whenever a run of
pairs that come earlier in the ranking is merged with one of pairs that come later, both sorted by
their present distance, running sums over one of them give the loss and its derivatives in the
other. That takes O(N log N) instead of O(N²).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError, check_names, check_real, refuse_similarities
from ordinate._compiler import njit


class RankedDistances:
    """All pairs of objects in the order of their distances, nearest first.

    Parameters
    ----------
    distances : array-like of float, shape (n_objects, n_objects) or (n_objects * (n - 1) / 2,)
        A symmetric matrix of distances or dissimilarities of any scale, or its upper triangle
        row by row, as `scipy.spatial.distance.pdist` returns it. Only their order counts; equal
        ones make no comparison.
    names : sequence, optional
        One distinct name per object.

    Attributes
    ----------
    heads, tails : ndarray of int32, shape (n_pairs,)
        The two objects of each pair, nearest pair first; read-only.
    ranks : ndarray of int64, shape (n_pairs,)
        The place of each pair's distance among the different ones, from 0; read-only.
    n_objects : int
        How many objects there are.
    names : tuple or None
        Their names.

    See Also
    --------
    SOE : Fits it.
    ordinate.sources.from_rankings : Comparisons from rankings that people made.

    References
    ----------
    Terada & von Luxburg, Local Ordinal Embedding, ICML 2014, section 3.

    Examples
    --------
    >>> import ordinate as od
    >>> ranking = od.RankedDistances([[0, 1, 4], [1, 0, 2], [4, 2, 0]])
    >>> ranking
    RankedDistances(3 objects, 3 pairs)
    >>> ranking.heads, ranking.tails
    (array([0, 1, 0], dtype=int32), array([1, 2, 2], dtype=int32))
    >>> od.SOE(1, random_state=0).fit(ranking).loss_ < 1e-3
    True
    """

    def __init__(self, distances: ArrayLike, *, names: Sequence[Hashable] | None = None) -> None:
        values, self.n_objects = _upper_triangle(distances)
        self.names = None if names is None else check_names(names)
        if self.names is not None and len(self.names) != self.n_objects:
            raise InputError(
                f"names has {len(self.names)} entries; the distances are of {self.n_objects}"
                " objects."
            )
        heads, tails = np.triu_indices(self.n_objects, 1)
        order = np.argsort(values, kind="stable")
        sorted_values = values[order]
        self.heads, self.tails = heads[order].astype(np.int32), tails[order].astype(np.int32)
        self.ranks = np.append(0, np.cumsum(sorted_values[1:] != sorted_values[:-1]))
        for array in (self.heads, self.tails, self.ranks):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.heads)

    def __repr__(self) -> str:
        return f"RankedDistances({self.n_objects:,} objects, {len(self):,} pairs)"

    @property
    def n_comparisons(self) -> int:
        """How many comparisons of two pairs the ranking stands for."""
        tied = np.bincount(self.ranks)
        return int(len(self) * (len(self) - 1) // 2 - (tied * (tied - 1) // 2).sum())

    def start(self, n_components: int) -> Points:
        """Return coordinates by classical scaling of the ranks.

        Parameters
        ----------
        n_components : int
            Dimension of the map.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
            Coordinates of arbitrary scale.
        """
        squares = np.zeros((self.n_objects, self.n_objects))
        places = np.square((self.ranks + 1) / (self.ranks[-1] + 1))
        squares[self.heads, self.tails] = squares[self.tails, self.heads] = places
        centred = squares - squares.mean(axis=0)
        centred -= centred.mean(axis=1, keepdims=True)
        values, vectors = np.linalg.eigh(-0.5 * centred)
        kept = min(n_components, self.n_objects)
        points = np.zeros((self.n_objects, n_components))
        points[:, :kept] = vectors[:, ::-1][:, :kept] * np.sqrt(
            np.maximum(values[::-1][:kept], 1e-6 * max(values[-1], 1e-300))
        )
        return points


def _upper_triangle(distances: ArrayLike) -> tuple[NDArray[np.float64], int]:
    """Return the distances of all pairs, row by row, and the number of objects."""
    try:
        values = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"distances must be numbers; {error}.") from None
    if values.ndim == 1:
        n_objects = int((1 + np.sqrt(1 + 8 * len(values))) // 2)
        if n_objects * (n_objects - 1) // 2 != len(values):
            raise InputError(
                f"Expected n(n−1)/2 condensed distances; got {len(values)}. Pass"
                " scipy.spatial.distance.pdist(X) or a square matrix."
            )
    elif values.ndim == 2 and values.shape[0] == values.shape[1]:
        n_objects = len(values)
        if not np.allclose(values, values.T, equal_nan=True):
            row, column = np.argwhere(~np.isclose(values, values.T, equal_nan=True))[0]
            raise InputError(
                f"distances must be symmetric; entry ({row}, {column}) is"
                f" {values[row, column]:g} and entry ({column}, {row}) is"
                f" {values[column, row]:g}."
            )
        refuse_similarities("distances", values)
        values = values[np.triu_indices(n_objects, 1)]
    else:
        raise InputError(
            f"distances must be a square matrix or its upper triangle; got shape {values.shape}."
        )
    if n_objects < 3:
        raise InputError(f"A ranking needs at least three objects; got {n_objects}.")
    if not np.isfinite(values).all():
        raise InputError("distances must be finite; a ranking is of all pairs.")
    if values.min() == values.max():
        raise InputError("All distances are the same: there is nothing to rank.")
    return values, n_objects


class RankingObjective:
    """SOE's loss of a ranking and its gradient, exactly."""

    is_batched = False

    def __init__(self, ranking: RankedDistances, delta: float = 1.0) -> None:
        self._ranking = ranking
        self._delta = check_real("delta", delta, minimum=0, open_minimum=True)
        starts = np.flatnonzero(np.append(True, np.diff(ranking.ranks) > 0))
        ends = np.append(starts[1:], len(ranking))
        several = ends - starts > 1
        self._ties = np.column_stack([starts[several], ends[several]])

    @property
    def n_objects(self) -> int:
        """Rows of the coordinates."""
        return self._ranking.n_objects

    def with_parameters(self, parameters: Sequence[float]) -> Self:
        """Return the same sum with another margin."""
        return type(self)(self._ranking, *parameters)

    def __call__(self, points: Points, /) -> tuple[float, Points]:
        """Return the loss and its gradient, shape (n_objects, n_components)."""
        heads, tails = self._ranking.heads, self._ranking.tails
        lengths = _lengths(points, heads, tails)
        derivatives = np.zeros(len(lengths))
        value = _out_of_order(lengths, self._delta, 1.0, derivatives)
        for start, end in self._ties:  # equal distances were compared with one another too
            part = slice(start, end)
            value += _out_of_order(lengths[part], self._delta, -1.0, derivatives[part])
        return max(value, 0.0), _gradient(points, heads, tails, lengths, derivatives)


_compiled = njit(nogil=True, cache=True, error_model="numpy")


@_compiled
def _lengths(points: Any, heads: Any, tails: Any) -> Any:
    lengths = np.empty(len(heads))
    for p in range(len(heads)):
        square = 0.0
        for s in range(points.shape[1]):
            square += (points[heads[p], s] - points[tails[p], s]) ** 2
        lengths[p] = np.sqrt(square)
    return lengths


@_compiled
def _gradient(points: Any, heads: Any, tails: Any, lengths: Any, derivatives: Any) -> Any:
    gradient = np.zeros_like(points)
    for p in range(len(heads)):
        if derivatives[p] != 0.0 and lengths[p] > 0.0:
            pull = derivatives[p] / lengths[p]
            for s in range(points.shape[1]):
                force = pull * (points[heads[p], s] - points[tails[p], s])
                gradient[heads[p], s] += force
                gradient[tails[p], s] -= force
    return gradient


@_compiled
def _out_of_order(lengths: Any, delta: float, sign: float, derivatives: Any) -> float:
    """Sum the loss over all a before b; add its derivatives in the lengths to `derivatives`."""
    n = len(lengths)
    d, g, origin = lengths.copy(), np.zeros(n), np.arange(n)
    d_new, g_new, origin_new = np.empty(n), np.empty(n), np.empty_like(origin)
    value = 0.0
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            if middle < high and d[middle - 1] + delta > d[middle]:
                value += _across(d, g, low, middle, high, delta)
            left, right = low, middle
            for place in range(low, high):
                if right >= high or (left < middle and d[left] <= d[right]):
                    taken = left
                    left += 1
                else:
                    taken = right
                    right += 1
                d_new[place], g_new[place] = d[taken], g[taken]
                origin_new[place] = origin[taken]
        d, d_new = d_new, d
        g, g_new = g_new, g
        origin, origin_new = origin_new, origin
        width *= 2
    for place in range(n):
        derivatives[origin[place]] += sign * g[place]
    return sign * value


@_compiled
def _across(d: Any, g: Any, low: int, middle: int, high: int, delta: float) -> float:
    """Compare two sorted runs: each of the left should be shorter by δ than each of the right.

    Sums are measured from the shortest of the right, and from the longest of the left, so that no
    number in them is larger than the largest violation.
    """
    value, total, squares = 0.0, 0.0, 0.0
    base, right = d[middle], middle
    for a in range(low, middle):
        reach = d[a] + delta
        while right < high and d[right] < reach:
            above = d[right] - base
            total += above
            squares += above * above
            right += 1
        count = right - middle
        if count > 0:
            u = reach - base
            g[a] += 2.0 * (count * u - total)
            value += count * u * u - 2.0 * u * total + squares
    total = 0.0
    top, left = d[middle - 1] + delta, middle - 1
    for b in range(high - 1, middle - 1, -1):
        while left >= low and d[left] + delta > d[b]:
            total += top - (d[left] + delta)
            left -= 1
        count = middle - 1 - left
        if count > 0:
            g[b] -= 2.0 * (count * (top - d[b]) - total)
    return value
