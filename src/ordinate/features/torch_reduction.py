"""WeightedTETE in torch: triplets and gradients on a device.

Objects are shuffled once; outliers are then those who stand some places further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate.engine.torch_rolls import (
    SumByEnd,
    add_to_rolled,
    gaps_to_rolled,
    on_device,
    on_host,
)
from ordinate.features.objective import AnnealedObjective, MarginSchedule, WeightedTriplets
from ordinate.features.triplets import CONTRAST_POWER, PAIRS
from ordinate.solvers.adam import NoisyObjective

if TYPE_CHECKING:
    from torch import Tensor


class TorchReduction:
    """A fit on a device: the objects in their shuffled order, and the objective."""

    def __init__(
        self,
        points: NDArray[Any],
        triplets: WeightedTriplets,
        *,
        margin: MarginSchedule,
        global_weight: float,
        max_iter: int,
        seed: int,
        device: str,
    ) -> None:
        n, self._device = len(points), device
        rng = np.random.default_rng(seed)
        self._shuffled = rng.permutation(n)
        self._place = np.argsort(self._shuffled)
        neighbors = self._place[triplets.neighbors[self._shuffled]]
        self._neighbors = on_device(neighbors, device, whole=True)
        weights = on_device(triplets.near_weights[self._shuffled], device)
        shifts = rng.integers(1, n, size=(max_iter, triplets.n_outliers))
        self._of_neighbors = NeighborLoss(self._neighbors, weights, shifts, margin)
        self.objective: NoisyObjective = self._of_neighbors
        if global_weight > 0:
            large = LargePictureLoss(self.there(points), rng.integers(1, n, size=2 * PAIRS))
            if large.mean_weight > 0:
                weight = global_weight * large.mean_weight
                self.objective = AnnealedObjective(
                    self.objective, large, weight=weight, n_calls=max_iter
                )

    def there(self, rows: NDArray[Any]) -> Tensor:
        """Return rows on the device, in shuffled order."""
        return on_device(rows[self._shuffled], self._device)

    def back(self, rows: Tensor) -> NDArray[np.float32]:
        """Return rows as an array, in the order of the objects."""
        return on_host(rows)[self._place]

    def loss(self, points: Tensor) -> float:
        """Return what neighbours cost with the last margin, beside always the same outliers."""
        return float(self._of_neighbors.value(points))

    def middles(self, points: Tensor) -> Tensor:
        """Return the medians of each object's neighbours."""
        ordered = points[self._neighbors].sort(dim=1).values
        m = ordered.shape[1]
        return (ordered[:, (m - 1) // 2] + ordered[:, m // 2]) / 2


class NeighborLoss:
    """The mean loss over each object's neighbours × outliers, which are drawn at each call.

    What `ReductionObjective` is on the CPU: (1 + α a²) / (2 + α a² + b²), with the margin
    of each step.
    """

    def __init__(
        self, neighbors: Tensor, weights: Tensor, shifts: NDArray[np.int64], margin: MarginSchedule
    ) -> None:
        n = len(neighbors)
        self._neighbors, self._weights = neighbors, weights
        self._shifts, self._margin = shifts, margin
        self._n_calls = 0
        self._scale = n / (float(weights.double().sum()) * shifts.shape[1])
        self._by_neighbor = SumByEnd(neighbors.flatten(), n)

    def value(self, points: Tensor) -> Tensor:
        """Return the mean loss with the last margin and the outliers of the first call."""
        near_gaps, far_gaps = self._gaps(points, self._shifts[0])
        value, _, _ = pair_derivatives(near_gaps, far_gaps, self._weights, self._margin.last)
        return value * (self._scale / len(points))

    def _gaps(self, points: Tensor, shifts: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        return points[:, None] - points[self._neighbors], gaps_to_rolled(points, shifts)

    def __call__(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean loss and the gradient, times the number of objects, at `points`."""
        margin = self._margin(points)
        shifts = self._shifts[self._n_calls % len(self._shifts)]
        self._n_calls += 1
        near_gaps, far_gaps = self._gaps(points, shifts)
        value, pull, push = pair_derivatives(near_gaps, far_gaps, self._weights, margin)
        gradient = pull.sum(dim=1) - push.sum(dim=1)
        gradient -= self._by_neighbor(pull.flatten(0, 1))
        add_to_rolled(gradient, push, shifts)
        return value * (self._scale / len(points)), gradient * self._scale


class LargePictureLoss:
    """The mean loss over triplets of objects from everywhere, drawn once."""

    def __init__(self, points: Tensor, shifts: NDArray[np.int64]) -> None:
        import torch

        self._shifts = shifts
        half = len(shifts) // 2
        squared = torch.stack(
            [(points - points.roll(-int(s), 0)).square().sum(dim=1) for s in shifts], dim=1
        )
        ordered, self._order = squared.sort(dim=1, stable=True)
        near, far = ordered[:, :half].mean(dim=1), ordered[:, half:].mean(dim=1)
        contrasts = torch.where(far > 0, 1 - near / far.clamp(min=1e-30), 0)
        self._weights = (contrasts**CONTRAST_POWER)[:, None].expand(-1, half)
        self.mean_weight = float(self._weights.double().mean())

    def __call__(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean loss and the gradient, times the number of objects, at `points`."""
        import torch

        half = len(self._shifts) // 2
        order = self._order[..., None].expand(-1, -1, points.shape[1])
        gaps = gaps_to_rolled(points, self._shifts).gather(1, order)
        value, pull, push = pair_derivatives(gaps[:, :half], gaps[:, half:], self._weights, 1.0)
        moves = torch.cat([-pull, push], dim=1)
        gradient = -moves.sum(dim=1)
        moves = torch.zeros_like(moves).scatter(1, order, moves)
        add_to_rolled(gradient, moves, self._shifts)
        scale = 1 / (self.mean_weight * half * (len(self._shifts) - half))
        return value * (scale / len(points)), gradient * scale


def pair_derivatives(
    near_gaps: Tensor, far_gaps: Tensor, weights: Tensor, margin: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sum of the loss, and what it is in the gaps: of neighbours, minus of outliers."""
    above = (1 + margin * near_gaps.square().sum(dim=2))[:, :, None]
    below = (1 + far_gaps.square().sum(dim=2))[:, None, :]
    inverse = 1 / (above + below)
    scaled = weights[:, :, None] * inverse
    value = (scaled * above).sum()
    scaled *= inverse
    near = (scaled * below).sum(dim=2)
    far = (scaled * above).sum(dim=1)
    pull = (2 * margin * near)[:, :, None] * near_gaps
    return value, pull, (2 * far)[:, :, None] * far_gaps
