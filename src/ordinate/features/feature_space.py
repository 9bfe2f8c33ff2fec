"""Where a reduction looks for neighbours: features, their principal components, or distances."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array, issparse, vstack
from scipy.spatial.distance import cdist

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate._threads import one_blas_thread
from ordinate.features.neighbor_search import GivenNeighbors, Neighbors, NeighborSearch
from ordinate.features.row_metrics import row_metric
from ordinate.features.torch_space import TorchNeighborSearch, principal_axes
from ordinate.sources._distances import Distances

_MOST_FEATURES = 100
"""More Euclidean features than this are replaced by their first principal components."""
_MOST_CORRELATED = 1000
"""Up to this many features principal axes come from the matrix of their covariances."""
_MOST_OPERATIONS = 10**10
"""Covariances that take more than about a second are worth several threads."""
_ROWS = 4096
"""Rows that are centred at once."""
_SAME = 1e-4
"""A row nearer to a fitted one than this, in units of the local scale, is that row."""

_BLOCK, _POOL = 32, 64
"""Objects that share a pool to draw from, and its size: far more than are drawn for each."""


@dataclass(frozen=True)
class PrincipalAxes:
    """The axes of most variance, and rows in their coordinates."""

    mean: NDArray[Any]
    axes: NDArray[Any]

    def coordinates(self, X: Any) -> NDArray[Any]:
        """Return rows of features, dense or sparse, in these coordinates."""
        return np.ascontiguousarray(np.asarray(X @ self.axes.T) - self.mean @ self.axes.T)

    def features(self, coordinates: NDArray[Any]) -> NDArray[np.float64]:
        """Return what features rows of coordinates tell."""
        return np.asarray(coordinates @ self.axes + self.mean, dtype=np.float64)


def axes_of_covariance(X: NDArray[Any], n_components: int) -> PrincipalAxes:
    """Return the leading eigenvectors of the features' covariances, largest entries positive."""
    mean = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    covariances = np.zeros((X.shape[1], X.shape[1]), dtype=X.dtype)
    for start in range(0, len(X), _ROWS):
        centered = X[start : start + _ROWS] - mean
        covariances += centered.T @ centered
    last = X.shape[1] - 1
    vectors = eigh(covariances, subset_by_index=(last + 1 - n_components, last))[1]
    axes = np.ascontiguousarray(vectors[:, ::-1].T)
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    axes *= np.where(largest < 0, -1, 1).astype(axes.dtype)
    return PrincipalAxes(mean, axes)


def few_threads(shape: tuple[int, int]) -> AbstractContextManager[Any]:
    """Run BLAS on one thread, unless the covariances of a matrix of this shape take long.

    Threads that wait for each other count as processor time, on a busy machine several times
    what the work takes.
    """
    many = shape[0] * min(shape[1], _MOST_CORRELATED) ** 2 > _MOST_OPERATIONS
    return nullcontext() if many else one_blas_thread()


class FeatureSpace:
    """The objects of a fit, and where others lie among them."""

    def __init__(
        self,
        X: Any,
        metric: Any,
        seed: int,
        device: str = "cpu",
        metric_params: Mapping[str, Any] | None = None,
    ) -> None:
        self._metric = row_metric(metric, metric_params, X)
        self.metric = self._metric.name
        self._seed, self._device = seed, device
        self._axes: PrincipalAxes | None = None
        wide = min(X.shape) > _MOST_FEATURES and X.shape[1] > _MOST_FEATURES
        if metric in ("euclidean", "l2") and wide:
            with few_threads(X.shape):
                self._axes = self._principal_axes(X, _MOST_FEATURES)
        points = self.project(X)
        becomes_dense = device != "cpu" and issparse(points)
        if becomes_dense and wide:
            raise InputError(
                f"On a GPU sparse matrices of more than {_MOST_FEATURES} features take"
                f" {argument('metric', 'euclidean')}; got {metric!r}. Choose"
                f" {argument('device', 'cpu')}."
            )
        self.points: Any = points.toarray() if becomes_dense else points

    @cached_property
    def search(self) -> NeighborSearch | GivenNeighbors | TorchNeighborSearch:
        """Who the nearest objects are."""
        if self._device != "cpu":
            return TorchNeighborSearch(self.points, self._device)
        if self.metric == "precomputed" and issparse(self.points):
            return GivenNeighbors(self.points)
        return NeighborSearch(self.points, self.metric, self._metric.options)

    @property
    def has_far_pairs(self) -> bool:
        """Whether the distances of all pairs can be had, not only those of neighbours."""
        return self.metric != "precomputed" or not issparse(self.points)

    def project(self, X: Any) -> Any:
        """Return rows in the coordinates in which neighbours are searched."""
        rows = self._metric.rows(X)
        return rows if self._axes is None else self._axes.coordinates(rows)

    def append(self, rows: Any) -> None:
        """Add objects, given by projected rows."""
        both = [self.points, rows]
        self.points = vstack(both, format="csr") if issparse(rows) else np.vstack(both)
        self.__dict__.pop("search", None)  # which is rebuilt when it is needed

    def mean_features(
        self, indices: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return weighted means of the features of objects, a row of which for each mean."""
        n_means, n_around = indices.shape
        of_mean = np.repeat(np.arange(n_means), n_around)
        shape = (n_means, self.points.shape[0])
        weighing = csr_array((weights.ravel(), (of_mean, indices.ravel())), shape=shape)
        means: Any = weighing @ self.points
        is_sparse = issparse(means)
        dense = np.asarray(means.toarray() if is_sparse else means, dtype=np.float64)
        told = self._axes or self._metric.transform
        return dense if told is None else told.features(dense)

    def start(self, n_components: int) -> NDArray[np.float32]:
        """Return the first principal components of the objects, the first with variance 1."""
        if self._axes is not None:
            found = self.points[:, :n_components]
        elif self.metric == "precomputed":
            found = self._classical_scaling(n_components)
        else:
            n_found = min(n_components, *self.points.shape)
            with few_threads(self.points.shape):
                found = self._principal_axes(self.points, n_found).coordinates(self.points)
        start = np.zeros((len(found), n_components), dtype=np.float32)
        start[:, : found.shape[1]] = found
        spread = start[:, 0].std()
        return start / spread if spread > 0 else start

    def between(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the distances of pairs of objects, given as arrays of one shape."""
        if issparse(self.points):
            raise InputError(
                f"{argument('weights', 'published')} needs the distances of far pairs, which are"
                " not computed for"
                f" sparse matrices; use {argument('weights', 'rank')}."
            )
        found = Distances(self.points, self.metric, self._metric.options).between(
            left.ravel(), right.ravel()
        )
        return found.reshape(left.shape).astype(np.float32)

    def draw(self, n_drawn: int) -> Neighbors:
        """Draw objects for each object; return them and how far they are.

        Objects are drawn in blocks that share a small pool, so that any metric is computed from
        matrix to matrix.
        """
        if not self.has_far_pairs:
            raise InputError(
                "A sparse matrix of neighbours holds no distances of far pairs, which the global"
                " structure needs: leave global_weight at None or 0, or pass all distances."
            )
        n = self.points.shape[0]
        rng = np.random.default_rng([self._seed, n_drawn])
        drawn = np.empty((n, n_drawn), dtype=np.int32)
        distances = np.empty((n, n_drawn), dtype=np.float32)
        for start in range(0, n, _BLOCK):
            rows = slice(start, min(start + _BLOCK, n))
            pool = rng.integers(n, size=_POOL)
            columns = rng.integers(_POOL, size=(rows.stop - start, n_drawn))
            drawn[rows] = pool[columns]
            distances[rows] = np.take_along_axis(self._matrix(rows, pool), columns, axis=1)
        return drawn, distances

    def _matrix(self, rows: slice, columns: NDArray[np.int64]) -> Any:
        if self.metric == "precomputed":
            return self.points[rows][:, columns]
        if self.metric == "euclidean" and not issparse(self.points):
            # the checks of pairwise_distances would take longer than the distances
            return cdist(self.points[rows], self.points[columns])
        from sklearn.metrics import pairwise_distances  # whose import takes a while

        return pairwise_distances(
            self.points[rows], self.points[columns], metric=self.metric, **self._metric.options
        )

    def are_same(
        self, rows: Any, objects: NDArray[np.int32], distances: Any, scales: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """Tell which projected rows are their nearest object itself, up to rounding."""
        if self.metric == "euclidean" and not issparse(rows):
            # searches subtract large numbers from each other; this does not
            distances = np.linalg.norm(rows - self.points[objects], axis=1)
        same: NDArray[np.bool_] = distances <= _SAME * scales[objects]
        return same

    def _principal_axes(self, X: Any, n_components: int) -> PrincipalAxes:
        if self._device != "cpu" and not issparse(X):
            mean, axes = principal_axes(X, n_components, self._seed, self._device)
            return PrincipalAxes(mean, axes)
        shape: tuple[int, int] = X.shape
        if not issparse(X) and shape[1] <= _MOST_CORRELATED:
            return axes_of_covariance(X, n_components)
        from sklearn.decomposition import PCA  # whose import takes a while

        solver = "arpack" if issparse(X) and n_components < min(shape) else "auto"
        with np.errstate(invalid="ignore"):  # the share of a variance of zero
            pca = PCA(n_components, svd_solver=solver, random_state=self._seed).fit(X)
        return PrincipalAxes(pca.mean_, pca.components_)

    def _classical_scaling(self, n_components: int) -> NDArray[np.float64]:
        from ordinate.solvers.eigenvectors import leading_eigenvectors

        gram = np.square(self.points, dtype=np.float64)
        gram -= gram.mean(axis=0)
        gram -= gram.mean(axis=1, keepdims=True)
        n_found = min(n_components, len(gram) - 1)
        begin = np.random.default_rng(self._seed).normal(size=len(gram))
        values, vectors = leading_eigenvectors(-gram / 2, n_found, begin)
        order = np.argsort(values)[::-1]
        scaled: NDArray[np.float64] = vectors[:, order] * np.sqrt(np.maximum(values[order], 0))
        return scaled
