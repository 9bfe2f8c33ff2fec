"""Losses and margins of comparisons as functions of the Gram matrix, kept sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse import coo_array
from scipy.sparse.linalg import LinearOperator, cg

from ordinate._distinct import distinct
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.losses import Loss
from ordinate.solvers.eigenvectors import leading_eigenvectors

Gram: TypeAlias = NDArray[np.float64]
Vector: TypeAlias = NDArray[np.float64]

_SQRT2 = np.sqrt(2.0)
_CHOLESKY_UP_TO = 500
_LANCZOS_FROM = 200
"""Number of objects from which a few eigenvectors are found faster without all others."""
_FEW = 0.15
"""Share of eigenvectors up to which those of positive eigenvalues are found faster alone."""


class ComparedPairs:
    """The pairs of objects that occur in comparisons, each once."""

    def __init__(self, comparisons: Comparisons) -> None:
        self.n_objects = comparisons.n_objects
        near, far = comparisons.pair_codes()
        codes, position = np.unique(np.concatenate([near, far]), return_inverse=True)
        self.near, self.far = np.split(position, 2)
        self._low, self._high = codes // self.n_objects, codes % self.n_objects

    def __len__(self) -> int:
        return len(self._low)

    def entries(self, gram: Gram) -> Vector:
        """Return the matrix's entry of each pair, shape (n_pairs,)."""
        found: Vector = gram[self._low, self._high]
        return found

    def add_entries(self, gram: Gram, values: Vector) -> None:
        """Add values to the entries of each pair, on both sides of the diagonal, in place."""
        gram[self._low, self._high] += values
        gram[self._high, self._low] += values

    def squared_distances(self, gram: Gram) -> Vector:
        """Return the squared distance of each pair, shape (n_pairs,)."""
        squares = np.diagonal(gram)
        squared: Vector = squares[self._low] + squares[self._high] - 2.0 * self.entries(gram)
        return squared

    def margins(self, gram: Gram) -> Vector:
        """Return d_far² − d_near² of every comparison, shape (n_comparisons,)."""
        squared = self.squared_distances(gram)
        return squared[self.far] - squared[self.near]

    def gradient(self, weights: Vector) -> Gram:
        """Return the gradient in G of the weighted sum of the pairs' squared distances.

        It is the Laplacian of the graph that has these pairs as edges; symmetric, as a step
        along it must be.
        """
        n = self.n_objects
        degrees = np.bincount(self._low, weights, n) + np.bincount(self._high, weights, n)
        laplacian = np.diag(degrees)
        self.add_entries(laplacian, -weights)
        return laplacian


class GramObjective:
    """The weighted sum of a loss over comparisons, as a function of the Gram matrix."""

    def __init__(
        self, comparisons: Comparisons, loss: Loss, parameters: Sequence[float] = ()
    ) -> None:
        self.pairs = ComparedPairs(comparisons)
        self._loss = loss
        self._parameters = tuple(parameters)
        weights = comparisons.weights
        self._weights = np.ones(len(comparisons)) if weights is None else weights

    def __call__(self, gram: Gram) -> tuple[float, Gram]:
        """Return the value and the symmetric gradient."""
        near, far = self.pairs.near, self.pairs.far
        squared = self.pairs.squared_distances(gram)
        value, by_near, by_far = self._loss(squared[near], squared[far], *self._parameters)
        per_pair: Any = np.bincount(near, self._weights * by_near, len(self.pairs))
        per_pair += np.bincount(far, self._weights * by_far, len(self.pairs))
        return float(self._weights @ value), self.pairs.gradient(per_pair)


class MarginOperator:
    """The map G ↦ (d_far² − d_near²) over all comparisons, its adjoint and its normal equations.

    A margin looks at the diagonal of G and at the entries of compared pairs, six numbers in all
    for a triplet. With those numbers as coordinates (an off-diagonal one times √2, so that inner
    products stay those of matrices) the operator is a sparse matrix with at most six entries a
    row, and nothing of the size n² × n² is ever formed.
    """

    def __init__(self, comparisons: Comparisons) -> None:
        self._pairs = ComparedPairs(comparisons)
        self.matrix = _sparse_margins(comparisons, self._pairs)
        self._transposed = self.matrix.T.tocsr()
        self.n_objects = comparisons.n_objects
        self.n_comparisons = len(comparisons)
        self._compared = distinct(comparisons.rows)
        self._factor = None
        if self.n_comparisons <= _CHOLESKY_UP_TO:
            normal = np.eye(self.n_comparisons) + (self.matrix @ self._transposed).toarray()
            self._factor = cho_factor(normal)

    def margins(self, gram: Gram) -> Vector:
        """Return d_far² − d_near² of every comparison, shape (n_comparisons,)."""
        return self._pairs.margins(gram)

    def add_adjoint(self, gram: Gram, values: Vector) -> None:
        """Add Σ values_t A_t to a symmetric matrix in place; A_t holds the signs of margin t."""
        self.add_coordinates(gram, self._transposed @ values)

    def add_coordinates(self, gram: Gram, coordinates: Vector) -> None:
        """Add to a symmetric matrix, in place, the one that has these coordinates."""
        gram[np.diag_indices_from(gram)] += coordinates[: self.n_objects]
        self._pairs.add_entries(gram, coordinates[self.n_objects :] / _SQRT2)

    def psd_factor(self, matrix: Gram, *, expected: int | None = None) -> Gram:
        """Return X with XX' the nearest positive semidefinite matrix, of compared objects.

        Objects that no comparison names have nothing but a negative diagonal entry or zeros, so
        that their rows vanish and the eigenvectors are those of the rest.
        """
        compared = self._compared
        if len(compared) == self.n_objects:
            return psd_factor(matrix, expected=expected)
        of_compared = psd_factor(matrix[np.ix_(compared, compared)], expected=expected)
        factor = np.zeros((self.n_objects, of_compared.shape[1]))
        factor[compared] = of_compared
        return factor

    def solve_normal(self, values: Vector, guess: Vector, *, tol: float) -> Vector:
        """Solve (I + AA') y = values.

        A few comparisons are solved with one Cholesky factor, computed once; many with conjugate
        gradients, which never form AA' and end sooner the better the guess.
        """
        if self._factor is not None:
            exact: Vector = cho_solve(self._factor, values)
            return exact
        system = LinearOperator(
            (self.n_comparisons, self.n_comparisons),
            matvec=lambda y: y + self.matrix @ (self._transposed @ y),
            dtype=np.float64,
        )
        most = 10 * self.n_comparisons + 100
        solution: Vector = cg(system, values, x0=guess, rtol=tol, maxiter=most)[0]
        return solution


def _sparse_margins(comparisons: Comparisons, pairs: ComparedPairs) -> Any:
    """Put +1 on the diagonal entries of the far pair, −1 on those of the near one, ∓√2 between."""
    n, m = pairs.n_objects, len(comparisons)
    i, j, k, l = (comparisons.rows[:, c] for c in PAIR_COLUMNS[comparisons.rows.shape[1]])  # noqa: E741
    columns = np.concatenate([k, l, i, j, n + pairs.near, n + pairs.far])
    signs = np.repeat([1.0, 1.0, -1.0, -1.0, _SQRT2, -_SQRT2], m)
    rows = np.tile(np.arange(m), 6)
    matrix = coo_array((signs, (rows, columns)), shape=(m, n + len(pairs))).tocsr()
    matrix.eliminate_zeros()  # the anchor of a triplet belongs to both pairs and cancels
    return matrix


def project_psd(matrix: Gram, *, rank: int | None = None) -> Gram:
    """Return the nearest positive semidefinite matrix, of rank at most `rank` if given."""
    factor = psd_factor(matrix, rank=rank)
    projection: Gram = factor @ factor.T
    return projection


def psd_factor(matrix: Gram, *, rank: int | None = None, expected: int | None = None) -> Gram:
    """Return X with XX' the projection of `project_psd`; columns from the largest eigenvalue."""
    n = len(matrix)
    if rank is not None and n >= _LANCZOS_FROM and rank <= n // 10:
        start = np.random.default_rng(0).standard_normal(n)
        values, vectors = leading_eigenvectors(matrix, rank, start)
    elif expected is not None and n >= _LANCZOS_FROM and expected <= _FEW * n:
        values, vectors = eigh(matrix, subset_by_value=(0.0, np.inf), check_finite=False)
    else:
        values, vectors = np.linalg.eigh(matrix)
    positive = np.flatnonzero(values > 0)[::-1][:rank]
    factor: Gram = vectors[:, positive] * np.sqrt(values[positive])
    return factor
