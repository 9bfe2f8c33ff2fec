"""Metrics between rows of features, and their parameters.

Some metrics are Euclidean distances between other rows: unit vectors have the neighbours of the
cosine distance. Searches then need to know the Euclidean one only, and find neighbours among many
rows, sparse ones, or on a device as they do there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, hstack, issparse
from scipy.sparse.linalg import svds

from ordinate._checks import InputError, check_choice, check_real

_SINGULAR = 1e-12
"""Variances of combinations of features below this share of the largest are none."""
_SHORT, _N_COMPONENTS, _WEIGHT = 10, 50, 2.0
"""Rows with at most so many entries are compared by so many components, too, with this weight."""
_SAME = {"l1": "cityblock", "l2": "euclidean", "manhattan": "cityblock"}
_INSTEAD = {
    "nan_euclidean": "fill in missing values, with SimpleImputer or KNNImputer of scikit-learn,"
    " and use 'euclidean'",
    "wminkowski": "use 'minkowski' with the parameters p and w",
    "sokalmichener": "use 'rogerstanimoto', which is the same",
    "true_angular": "use 'cosine', which has the same neighbours",
    "kulsinski": "pass a function of two rows, as SciPy has dropped it",
    "symmetric_kl": "use 'hellinger', or pass a function of two rows",
    "ll_dirichlet": "use 'hellinger', or pass a function of two rows",
}
"""Metrics that other libraries have: what to do in their place."""


class RowTransform(Protocol):
    """Rows whose Euclidean distances are meant."""

    def coordinates(self, X: Any) -> Any:
        """Return rows of features in these coordinates."""

    def features(self, coordinates: NDArray[Any]) -> NDArray[np.float64]:
        """Return what features rows of coordinates tell."""


@dataclass(frozen=True)
class RowMetric:
    """How rows are compared: as they are or transformed, by a metric that searches know."""

    name: Any
    options: dict[str, Any] = field(default_factory=dict)
    transform: RowTransform | None = None

    def rows(self, X: Any) -> Any:
        """Return the rows that `name` compares."""
        return X if self.transform is None else self.transform.coordinates(X)


def row_metric(metric: Any, params: Mapping[str, Any] | None, X: Any) -> RowMetric:
    """Return what a name and its parameters stand for; scales that are not given come from X."""
    given = dict(params or {})
    if callable(metric):
        return RowMetric(metric, given)
    check_metric(metric, X)
    known = _PARAMETERS.get(metric, ())
    unknown = [name for name in given if name not in known]
    if unknown:
        takes = " and ".join(known) if known else "no parameters"
        raise InputError(f"The metric {metric!r} takes {takes}; got {', '.join(unknown)}.")
    if metric in _EUCLIDEAN:
        return RowMetric("euclidean", transform=_EUCLIDEAN[metric](given, X))
    if metric == "minkowski":
        return _minkowski(given, X)
    if metric == "haversine" and X.shape[1] != 2:
        raise InputError(
            "The metric 'haversine' needs two columns, latitude and longitude in radians; got"
            f" {X.shape[1]}."
        )
    return RowMetric(_SAME.get(metric, metric))


def _is_sparse(X: Any) -> bool:
    """Tell whether X is a sparse matrix; to a checker of types it stays anything."""
    return bool(issparse(X))


def check_metric(metric: Any, X: Any) -> None:
    """Refuse a name that is not offered, or not for sparse matrices, and say what is."""
    from sklearn.neighbors import VALID_METRICS, VALID_METRICS_SPARSE

    if callable(metric):
        return
    if isinstance(metric, str) and metric in _INSTEAD:
        raise InputError(f"The metric {metric!r} is not offered: {_INSTEAD[metric]}.")
    offered = {*VALID_METRICS["brute"], *_EUCLIDEAN} - set(_INSTEAD)
    check_choice("metric", metric, sorted(offered))
    sparse = offered & {*VALID_METRICS_SPARSE["brute"], *_EUCLIDEAN, "precomputed"}
    if _is_sparse(X) and metric not in sparse:
        raise InputError(
            f"The metric {metric!r} does not take sparse matrices, which are compared by"
            f" {', '.join(sorted(sparse))}; choose one of these or pass X.toarray()."
        )


def _minkowski(given: Mapping[str, Any], X: Any) -> RowMetric:
    """Return Σ w |x − y|ᵖ to the power 1/p, with the weights in the rows."""
    p = check_real("The parameter p of 'minkowski'", given.get("p", 2.0), minimum=1)
    transform = None
    if "w" in given:
        weights = _one_per_column("w", given["w"], X.shape[1])
        transform = ColumnScales(weights ** (1 / p))
    if p == 2:
        return RowMetric("euclidean", transform=transform)
    return RowMetric("minkowski", {"p": p}, transform)


def _one_per_column(name: str, values: Any, n_columns: int) -> NDArray[np.float64]:
    """Return positive numbers, one for each feature."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (n_columns,) or not (np.isfinite(numbers) & (numbers > 0)).all():
        raise InputError(
            f"The parameter {name} of a metric must hold {n_columns} positive numbers, one for each"
            f" feature; got {np.array2string(np.asarray(values), threshold=10)}."
        )
    return numbers


@dataclass(frozen=True)
class ColumnScales:
    """Features times factors of their own."""

    factors: NDArray[np.float64]

    def coordinates(self, X: Any) -> Any:
        """Return the scaled rows."""
        factors = self.factors.astype(X.dtype)
        return csr_array(X @ diags_array(factors)) if _is_sparse(X) else X * factors

    def features(self, coordinates: NDArray[Any]) -> NDArray[np.float64]:
        """Return the features."""
        return np.asarray(coordinates / self.factors, dtype=np.float64)


def _by_variances(given: Mapping[str, Any], X: Any) -> ColumnScales:
    if "V" in given:
        return ColumnScales(_one_per_column("V", given["V"], X.shape[1]) ** -0.5)
    mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    if _is_sparse(X):
        squares = X.multiply(X).sum(axis=0) / X.shape[0]
        variances = np.maximum(np.asarray(squares, dtype=np.float64).ravel() - mean**2, 0)
    else:
        variances = X.var(axis=0, dtype=np.float64)
    variances *= X.shape[0] / (X.shape[0] - 1)  # as SciPy estimates them
    # a feature that is the same everywhere adds nothing to distances
    return ColumnScales(np.where(variances > 0, variances, 1) ** -0.5)


@dataclass(frozen=True)
class Whitening:
    """Combinations of features, uncorrelated and of variance 1."""

    matrix: NDArray[np.float64]

    def coordinates(self, X: Any) -> NDArray[Any]:
        """Return the rows by these combinations."""
        return np.ascontiguousarray(X @ self.matrix.astype(X.dtype))

    def features(self, coordinates: NDArray[Any]) -> NDArray[np.float64]:
        """Return the features."""
        found = np.linalg.solve(self.matrix.T, coordinates.T.astype(np.float64))
        return np.asarray(found.T, dtype=np.float64)


def _by_covariances(given: Mapping[str, Any], X: Any) -> Whitening:
    """Return a root of the inverse of the covariances: VI, or V, or those of X."""
    n, d = X.shape
    if "VI" in given:
        return Whitening(_root("VI", given["VI"], d, 0.5))
    if "V" in given:
        return Whitening(_root("V", given["V"], d, -0.5))
    if _is_sparse(X):
        mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        covariances = (X.T @ X).toarray() / n - np.outer(mean, mean)
        return Whitening(_root("X", covariances * (n / (n - 1)), d, -0.5))
    return Whitening(_root("X", np.atleast_2d(np.cov(X.T.astype(np.float64))), d, -0.5))


def _root(name: str, given: Any, d: int, power: float) -> NDArray[np.float64]:
    """Return a power of a positive definite matrix."""
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (d, d):
        raise InputError(
            f"The parameter {name} of 'mahalanobis' must be a {d} × {d} matrix, as X has {d}"
            f" features; got shape {matrix.shape}."
        )
    values, vectors = np.linalg.eigh(matrix)
    if not (values.min() > _SINGULAR * values.max() and np.allclose(matrix, matrix.T)):
        of = "covariances of X are" if name == "X" else f"parameter {name} is"
        raise InputError(
            f"The metric 'mahalanobis' needs a symmetric, positive definite matrix; the {of} not."
            " Leave out features that follow from others, or take fewer features than objects."
        )
    root: NDArray[np.float64] = (vectors * values**power) @ vectors.T
    return root


@dataclass(frozen=True)
class UnitRows:
    """Rows of length 1: Euclidean distances have the order of cosine distances.

    One more column is 1 for rows of zeros, which are then far from all rows but each other.
    """

    def coordinates(self, X: Any) -> Any:
        """Return the unit rows."""
        rows = csr_array(X) if _is_sparse(X) else X
        return _divided(rows, rows * rows)

    def features(self, coordinates: NDArray[Any]) -> NDArray[np.float64]:
        """Return the features, up to their length."""
        return np.asarray(coordinates[:, :-1], dtype=np.float64)


@dataclass(frozen=True)
class SmoothedRows:
    """Unit rows of few words beside their principal components.

    Two short texts share a word or none, so most others are equally far by the cosine alone. The
    components join texts whose words occur together elsewhere.
    """

    axes: NDArray[Any]

    def coordinates(self, X: Any) -> Any:
        """Return the unit rows and the unit rows of the components."""
        rows, unit = csr_array(X), UnitRows()
        components = unit.coordinates(rows @ self.axes.astype(rows.dtype))
        return csr_array(hstack([unit.coordinates(rows), _WEIGHT * csr_array(components)]))

    def features(self, coordinates: NDArray[Any]) -> NDArray[np.float64]:
        """Return the features, up to their length."""
        return np.asarray(coordinates[:, : len(self.axes)], dtype=np.float64)


def _by_angles(given: Mapping[str, Any], X: Any) -> RowTransform:
    """Return unit rows; beside their principal components if rows have few entries."""
    if not _is_sparse(X) or min(X.shape) <= 2 * _N_COMPONENTS:
        return UnitRows()
    if np.median(np.diff(csr_array(X).indptr)) > _SHORT:
        return UnitRows()
    start = np.full(min(X.shape), 1.0)  # its own would be random
    rows = UnitRows().coordinates(X)[:, :-1].astype(np.float64)
    _, _, axes = svds(rows, _N_COMPONENTS, v0=start)
    return SmoothedRows(axes.T)


@dataclass(frozen=True)
class RootRows:
    """Square roots of rows that sum to 1: Euclidean distances are √2 times Hellinger's.

    One more column is 1 for rows of zeros, as in `UnitRows`.
    """

    def coordinates(self, X: Any) -> Any:
        """Return the square roots of shares."""
        entries = X.data if _is_sparse(X) else X
        if entries.min(initial=0) < 0:
            raise InputError(
                "The metric 'hellinger' compares counts or shares, numbers of 0 or more; got"
                f" {entries.min():g}."
            )
        return _divided(np.sqrt(X), X)

    def features(self, coordinates: NDArray[Any]) -> NDArray[np.float64]:
        """Return the shares."""
        shares = np.square(coordinates[:, :-1], dtype=np.float64)
        sums = np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return np.asarray(shares / sums, dtype=np.float64)


def _divided(rows: Any, squares: Any) -> Any:
    """Divide rows by the roots of the sums of their squares; mark rows of zeros in a column."""
    lengths = np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64)).ravel()
    empty = lengths == 0
    inverse = (1 / np.where(empty, 1, lengths)).astype(rows.dtype)
    mark = empty.astype(rows.dtype)[:, None]
    if _is_sparse(rows):
        return csr_array(hstack([diags_array(inverse) @ rows, csr_array(mark)]))
    return np.hstack([rows * inverse[:, None], mark])


_EUCLIDEAN: dict[str, Callable[[Mapping[str, Any], Any], RowTransform]] = {
    "cosine": _by_angles,
    "hellinger": lambda given, X: RootRows(),
    "seuclidean": _by_variances,
    "mahalanobis": _by_covariances,
}
"""Metrics that are Euclidean distances between transformed rows, or have their order."""
EUCLIDEAN_METRICS = ("euclidean", "l2", *_EUCLIDEAN)
"""Those, and the Euclidean distance itself: what a device computes."""
_PARAMETERS = {"minkowski": ("p", "w"), "seuclidean": ("V",), "mahalanobis": ("V", "VI")}
