"""Distances between chosen pairs of objects, without the matrix of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError, check_choice, check_points, refuse_similarities

Metric: TypeAlias = "str | Callable[[NDArray[np.float64], NDArray[np.float64]], float]"

METRICS = (
    "euclidean",
    "precomputed",
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "hamming",
    "jaccard",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
)
"""Names of metrics: those of `scipy.spatial.distance.cdist`, and a matrix given as it is."""

_CHUNK = 2**18


class Distances:
    """Distances between objects that have coordinates or come as a matrix."""

    def __init__(
        self,
        points: ArrayLike,
        metric: Metric = "euclidean",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not callable(metric):
            check_choice("metric", metric, METRICS)
        self.points = check_points("points", points)
        self.metric: Any = metric
        n = self.n_objects
        if n < 3:
            raise InputError(f"points must hold 3 objects or more; got {n}.")
        if metric == "precomputed" and self.points.shape != (n, n):
            raise InputError(
                f"With {argument('metric', 'precomputed')} points must be a square matrix of"
                " distances;"
                f" got shape {self.points.shape}."
            )
        if metric == "precomputed":
            refuse_similarities("points", self.points)
        self.options = _options(self.points, metric) if options is None else dict(options)

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return len(self.points)

    def between(self, left: ArrayLike, right: ArrayLike) -> NDArray[np.float64]:
        """Distances of the pairs (left[0], right[0]), (left[1], right[1]), ..."""
        left, right = np.asarray(left, dtype=np.intp), np.asarray(right, dtype=np.intp)
        if self.metric == "precomputed":
            found = self._looked_up(self.points, left, right)
        elif self.n_objects**2 <= len(left):
            found = self._looked_up(self._to(self.points, self.points), left, right)
        elif self.metric == "euclidean":
            found = self._euclidean(left, right)
        else:
            found = self._by_left(left, right)
        unknown = np.isnan(found)
        if unknown.any():
            pair = int(np.argmax(unknown))
            raise InputError(
                f"The metric {self.metric!r} gives no number for objects {left[pair]} and"
                f" {right[pair]}; choose another metric or leave these objects out."
            )
        return found

    def nearest(self, n_neighbors: int) -> NDArray[np.int32]:
        """Find the nearest other objects of every object."""
        if self.metric == "euclidean":
            from sklearn.neighbors import NearestNeighbors

            search = NearestNeighbors(n_neighbors=n_neighbors).fit(self.points)
            euclidean: NDArray[np.int32] = search.kneighbors(return_distance=False).astype(np.int32)
            return euclidean
        found = np.empty((self.n_objects, n_neighbors), dtype=np.int32)
        everything = np.arange(self.n_objects)
        for number in everything:
            row = self.between(np.broadcast_to(number, self.n_objects), everything)
            row[number] = np.inf
            found[number] = np.argpartition(row, n_neighbors - 1)[:n_neighbors]
        return found

    def _to(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.spatial.distance import cdist

        with np.errstate(invalid="ignore"):  # `between` names the objects without a distance
            return cdist(left, right, self.metric, **self.options)

    def _looked_up(
        self, matrix: NDArray[np.float64], left: NDArray[np.intp], right: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        # `take` is several times faster than indexing with two arrays
        return matrix.ravel().take(left * self.n_objects + right)

    def _euclidean(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.float64]:
        found = np.empty(len(left))
        step = max(1, _CHUNK // self.points.shape[1])
        for start in range(0, len(left), step):
            part = slice(start, start + step)
            gap = self.points.take(left[part], axis=0) - self.points.take(right[part], axis=0)
            found[part] = np.sqrt(np.einsum("ij,ij->i", gap, gap))
        return found

    def _by_left(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.float64]:
        found = np.empty(len(left))
        order = np.argsort(left, kind="stable")
        starts = np.flatnonzero(np.diff(left[order])) + 1
        for pairs in np.split(order, starts):
            origin = left[pairs[:1]]
            found[pairs] = self._to(self.points[origin], self.points[right[pairs]])[0]
        return found


def _options(points: NDArray[np.float64], metric: Metric) -> dict[str, Any]:
    """Scales that cdist would otherwise estimate afresh from whatever points it is handed."""
    if metric == "seuclidean":
        return {"V": points.var(axis=0, ddof=1)}
    if metric == "mahalanobis":
        try:
            return {"VI": np.linalg.inv(np.atleast_2d(np.cov(points.T)))}
        except np.linalg.LinAlgError:
            raise InputError(
                "The metric 'mahalanobis' needs features that do not depend on one another, and"
                f" more objects than features; got points of shape {points.shape}."
            ) from None
    return {}
