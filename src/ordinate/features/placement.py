"""Coordinates that are partly predicted by features and partly free, fitted to answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from ordinate._arrays import Points
from ordinate._threads import one_blas_thread
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.engine.choices import ChoiceObjective
from ordinate.engine.objective import Objective
from ordinate.solvers.lbfgs import lbfgs

Parameters: TypeAlias = NDArray[np.float64]
Pullback: TypeAlias = Callable[[Points], Parameters]
"""Turns a gradient in coordinates into one in the parameters behind them."""

_HIDDEN = 64
"""Units of the hidden layer."""
_SMALL = 128
"""Up to this many parameters per axis all eigenvectors are computed, which cannot fail."""
_SIZE = 0.35
"""Penalty of non-negative coordinates, which otherwise grow and predict worse as a fit goes on."""
_SPREAD, _LIFT = 0.1, 0.5
"""Of non-negative coordinates at the start: deviation and mean; one that is 0 for all stays so."""
_SCALES = 10.0 ** np.arange(-1.0, 3.1, 0.5)
"""Sizes at which a start is tried."""
_MOST_STARTS, _STARTED = 4, 24
"""Random starts are up to so many, and have up to so many coordinates of an object together."""


class FeaturePart:
    """What features say about coordinates, and its gradient: f L, plus a hidden layer if any.

    With a hidden layer the part is f L + tanh([f 1] (V + W)) U / √64 with random V. Penalties hold
    the weights W near zero, where the part is linear in L and U.
    """

    def __init__(
        self,
        rows: NDArray[Any],
        n_components: int,
        *,
        hidden: bool = False,
        seed: int = 0,
        device: str | None = None,
    ) -> None:
        self.shape = (rows.shape[1] + _HIDDEN * hidden, n_components)
        self.size = self.shape[0] * n_components
        self._arrays = _Arrays(device, rows.dtype)
        self._rows = self._at_first = self._arrays.there(rows)
        self._weights: Any = None
        if hidden:
            n_weights = (rows.shape[1] + 1, _HIDDEN)
            self.size += n_weights[0] * n_weights[1]
            self._weights = np.random.default_rng(seed).standard_normal(n_weights)
            self._at_first = self._layer(self._rows, np.zeros(n_weights))

    def of(self, rows: NDArray[Any], parameters: Parameters) -> Points:
        """Return the part of other objects, from their features."""
        matrix, moved = self._split(parameters)
        return self._arrays.back(self._layer(self._arrays.there(rows), moved) @ matrix)

    def linear(self, axis: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one coordinate of the part where W is zero, for which it is linear."""
        return self._arrays.back(self._at_first @ self._arrays.there(axis))

    def linear_pullback(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a gradient in that coordinate is for its axis."""
        return self._arrays.back(self._at_first.T @ self._arrays.there(gradient))

    def __call__(self, parameters: Parameters) -> tuple[Points, Pullback]:
        """Return the coordinates' part and how gradients go back to the parameters."""
        matrix, moved = self._split(parameters)
        layer = self._layer(self._rows, moved)

        def pullback(gradient: Points) -> Parameters:
            G = self._arrays.there(gradient)
            found = [self._arrays.back(layer.T @ G).ravel()]
            if self._weights is not None:
                units = layer[:, -_HIDDEN:]  # tanh / 8, whose derivative is (1 − tanh²) / 8
                slopes = (G @ matrix[-_HIDDEN:].T) * (1 / _HIDDEN - units * units) * _HIDDEN**0.5
                found.append(self._arrays.back(self._rows.T @ slopes).ravel())
                found.append(self._arrays.back(slopes.sum(0)))
            return np.concatenate(found)

        return self._arrays.back(layer @ matrix), pullback

    def principal_axes(self, rng: np.random.Generator) -> Parameters:
        """Return the parameters of a map along the principal axes, of mean square length 1."""
        n_mapped, d = self.shape
        n_axes = min(n_mapped, d)
        with one_blas_thread():
            axes = _leading(
                lambda axis: self.linear_pullback(self.linear(axis.ravel())), n_mapped, n_axes, rng
            )
        coordinates = [self.linear(axis) for axis in axes.T]
        mean_square = float(np.square(coordinates).sum()) / len(self._rows)
        found = np.zeros(self.size)
        found[: n_mapped * d].reshape(self.shape)[:, :n_axes] = (
            axes / max(mean_square, 1e-300) ** 0.5
        )
        return found

    def _split(self, parameters: Parameters) -> tuple[Any, Any]:
        n_linear = self.shape[0] * self.shape[1]
        matrix = self._arrays.there(parameters[:n_linear].reshape(self.shape))
        if self._weights is None:
            return matrix, None
        return matrix, parameters[n_linear:].reshape(self._weights.shape)

    def _layer(self, rows: Any, moved: Any) -> Any:
        """Return what the matrix is applied to: features, and hidden units beside them."""
        if self._weights is None:
            return rows
        weights = self._arrays.there(self._weights + moved)
        units = self._arrays.tanh(rows @ weights[:-1] + weights[-1]) / _HIDDEN**0.5
        return self._arrays.side_by_side(rows, units)


class _Arrays:
    """How arrays come to where products are computed, and back."""

    def __init__(self, device: str | None, dtype: Any) -> None:
        self._device = device
        self._dtype = np.float32 if device == "mps" else dtype  # which knows no others

    def there(self, array: Any) -> Any:
        array = np.asarray(array, dtype=self._dtype)
        if self._device is None:
            return array
        import torch

        return torch.as_tensor(array, device=self._device)

    def back(self, array: Any) -> NDArray[np.float64]:
        on_host = array if self._device is None else array.cpu().numpy()
        return np.asarray(on_host, dtype=np.float64)

    def tanh(self, array: Any) -> Any:
        return np.tanh(array) if self._device is None else array.tanh()

    def side_by_side(self, left: Any, right: Any) -> Any:
        if self._device is None:
            return np.hstack([left, right])
        import torch

        return torch.hstack([left, right])


@dataclass(frozen=True)
class Placed:
    """Coordinates, the parameters behind them, and how the fit went."""

    points: Points
    parameters: Parameters
    kept: float
    value: float
    history: NDArray[np.float64]
    converged: bool


class Placement:
    """Minimise the loss of answers over x_i = s a_i + part(f_i) + r_i, with penalties on both.

    The coordinates a_i along the features' principal axes, times a number s, are what the part is
    shrunk towards. Kept features instead stand beside the coordinates, times a number g; the axes
    are zero then. The penalties
    s²/2 and g²/2 hold both numbers finite where no answer contradicts the features.
    Non-negative coordinates are x_i = max(0, part(f_i) + r_i), with a penalty of Σ |x_i|²;
    their axes are zero, too.

    The sum is loss + ridge/2 |L|² + penalty/2 Σ |r_i|². In units of their penalties, √ridge L and
    √penalty r, all parameters have the same curvature, which is what L-BFGS works best with.
    An object without features has the two parts' freedom together.
    """

    def __init__(
        self,
        part: FeaturePart,
        featured: NDArray[np.bool_],
        ridge: float,
        penalty: float,
        axes: Parameters,
        kept: Points | None = None,
        *,
        nonnegative: bool = False,
    ) -> None:
        self._kept, self._nonnegative = kept, nonnegative
        self._part, self._axes = part, axes
        self._feature_scale, free = 1 / ridge, 1 / penalty
        variances = np.where(featured, free, self._feature_scale + free or 1.0)
        self._free: NDArray[np.float64] = np.sqrt(variances)[:, None]
        self._feature_scale = self._feature_scale**0.5

    def parameters(self, scaled: Parameters) -> Parameters:
        """Return what stands behind the part of features."""
        found: Parameters = (
            self._feature_scale * scaled[: self._part.size] + scaled[-1] * self._axes
        )
        return found

    def points(self, scaled: Parameters) -> tuple[Points, Pullback]:
        """Return the coordinates at parameters in units of their penalties; the last one is s."""
        featured_part, pullback = self._part(self.parameters(scaled))
        points = featured_part + self._free * scaled[self._part.size : -1].reshape(
            featured_part.shape
        )
        if self._nonnegative:
            points = np.maximum(points, 0)

        def back(gradient: Points) -> Parameters:
            gradient = gradient * (points > 0) if self._nonnegative else gradient
            of_part = pullback(gradient)
            of_free = (self._free * gradient).ravel()
            return np.concatenate([self._feature_scale * of_part, of_free, [of_part @ self._axes]])

        return points, back

    def fit(
        self,
        answers: Answers,
        objective: Objective | ChoiceObjective,
        *,
        seed: int = 0,
        max_iter: int = 1000,
        tol: float = 1e-4,
    ) -> Placed:
        """Minimise from the principal axes or from the leading directions of the answers.

        Non-negative coordinates start at random. With many of them all minima are about as good;
        with few, a kind of objects may find none of its own: the best of several starts counts.
        """

        def penalized(column: Points) -> tuple[float, Points]:
            scaled, kept = column[:-1, 0], column[-1, 0]
            points, back = self.points(scaled)
            slope = 0.0
            if self._kept is None:
                value, gradient = objective(points)
            else:
                assert isinstance(objective, ChoiceObjective)
                value, gradient, slope = objective.with_fixed(points, kept * kept)
            if self._nonnegative:
                value += _SIZE / 2 * float(np.square(points).sum())
                gradient = gradient + _SIZE * points
            total = np.append(back(gradient), 2 * kept * slope)[:, None] + column
            return value + 0.5 * float(np.square(column).sum()), total

        def lowest(starts: list[Points]) -> Points:
            return min(starts, key=lambda at: penalized(at)[0])

        starts = self._starts(answers, seed)
        beside = np.zeros_like(starts[0])
        if self._kept is not None:
            beside[-1] = 1
            beside = lowest([scale * beside for scale in _SCALES])
        begins = [beside + start for start in starts]
        if not self._nonnegative:
            begins = [lowest(begins)]
        fits = [lbfgs(penalized, begin, max_iter=max_iter, tol=tol) for begin in begins]
        found = min(fits, key=lambda fit: fit.value)
        scaled, kept = found.points[:-1, 0], abs(float(found.points[-1, 0]))
        points = self.points(scaled)[0]
        if self._kept is not None:
            points = np.hstack([kept * self._kept, points])
        parameters = self.parameters(scaled)
        return Placed(points, parameters, kept, found.value, found.history, found.converged)

    def _starts(self, answers: Answers, seed: int) -> list[Points]:
        """Return columns of parameters to begin with."""
        if self._nonnegative:
            rng = np.random.default_rng(seed)
            n_starts = max(1, min(_MOST_STARTS, _STARTED // self._part.shape[1]))
            return [self._random_start(rng)[:, None] for _ in range(n_starts)]
        whole = answers.to_comparisons() if isinstance(answers, Trials) else answers
        directions = self._start(whole, seed)[:, None]
        along_axes = np.zeros_like(directions)
        along_axes[-2] = 1
        return [scale * start for start in (along_axes, directions) for scale in _SCALES]

    def _start(self, comparisons: Comparisons, seed: int) -> Parameters:
        """Return directions along which every loss of near² − far² falls fastest from zero.

        At zero the gradient of such a loss vanishes and its curvature along the parameters is
        that of Σ far² − near², a quadratic form: its leading eigenvectors are the best first step.
        """
        n_mapped, d = self._part.shape
        free = self._free[:, 0]
        form = _near_minus_far(comparisons)

        def product(axis: NDArray[np.float64]) -> NDArray[np.float64]:
            axis = axis.ravel()
            pull = form @ (
                self._feature_scale * self._part.linear(axis[:n_mapped]) + free * axis[n_mapped:]
            )
            return np.concatenate(
                [self._feature_scale * self._part.linear_pullback(pull), free * pull]
            )

        with one_blas_thread():
            vectors = _leading(product, n_mapped + len(free), d, np.random.default_rng(seed))
        start = np.zeros(self._part.size + len(free) * d + 2)
        start[: n_mapped * d] = vectors[:n_mapped].ravel()
        asked = np.zeros((len(free), 1))
        asked[comparisons.rows] = 1  # the free part of others stays at zero
        start[self._part.size : -2] = (asked * vectors[n_mapped:]).ravel()
        return start

    def _random_start(self, rng: np.random.Generator) -> Parameters:
        """Return a start where nearly all coordinates are well above zero."""
        n_mapped, d = self._part.shape
        matrix = _SPREAD * rng.standard_normal((n_mapped, d))
        matrix[-1] = _LIFT  # of the constant, which stands behind the features
        start = np.zeros(self._part.size + self._free.size * d + 2)
        if self._feature_scale > 0:
            start[: n_mapped * d] = matrix.ravel() / self._feature_scale
        featured_part, _ = self._part(matrix.ravel() * (self._feature_scale > 0))
        lifted = np.where(
            featured_part == 0, _LIFT + _SPREAD * rng.standard_normal(featured_part.shape), 0
        )
        free = np.divide(lifted, self._free, out=np.zeros_like(lifted), where=self._free > 0)
        start[self._part.size : -2] = free.ravel()
        return start


def _near_minus_far(comparisons: Comparisons) -> Any:
    """Return the matrix of Σ far² − near² as a quadratic form of the coordinates."""
    n = comparisons.n_objects
    i, j, k, l = comparisons.rows[:, PAIR_COLUMNS[comparisons.rows.shape[1]]].T  # noqa: E741
    weights = np.ones(len(i)) if comparisons.weights is None else comparisons.weights
    signs = np.concatenate([weights, weights, -weights, -weights])
    rows, columns = np.concatenate([i, j, k, l]), np.concatenate([j, i, l, k])
    counts = coo_array((signs, (rows, columns)), shape=(n, n)).tocsr()
    sums = counts.sum(axis=1)
    on_diagonal = np.arange(n)
    return counts - coo_array((sums, (on_diagonal, on_diagonal)), shape=(n, n)).tocsr()


def _leading(
    product: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    size: int,
    n_vectors: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return the leading eigenvectors of a symmetric product, or random ones if there are none."""
    chance: NDArray[np.float64] = rng.standard_normal((size, n_vectors)) / size**0.5
    if size <= max(_SMALL, n_vectors):
        matrix = np.column_stack([product(column) for column in np.eye(size)])
        found = np.linalg.eigh((matrix + matrix.T) / 2)[1][:, -n_vectors:]
    else:
        operator = LinearOperator((size, size), matvec=product, dtype=np.dtype(np.float64))
        try:
            found = eigsh(operator, k=n_vectors, which="LA", v0=chance[:, 0], tol=1e-2)[1]
        except ArpackError:  # all answers cancel each other, or no direction stands out
            return chance
    chance[:, : found.shape[1]] = found[:, ::-1]
    return chance
