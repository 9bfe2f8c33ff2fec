"""A graph's neighbours as choices, in torch on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate.engine.torch_rolls import (
    SumByEnd,
    add_to_rolled,
    gaps_to_rolled,
    on_device,
    on_host,
)
from ordinate.graphs.choices import JUDGED, shares_of_edges
from ordinate.graphs.neighbor_graph import NeighborGraph

if TYPE_CHECKING:
    from torch import Tensor


class TorchChoices:
    """What `NeighborChoices` is on the CPU.

    Objects are shuffled once; in a call, the others of all stand the same numbers of places
    further. Edges are sorted by how much further their neighbour stands, so that neighbours among
    the others are found without a search.
    """

    def __init__(self, graph: NeighborGraph, *, n_others: int, seed: int, device: str) -> None:
        self._n_others, self._seed, self._device = n_others, seed, device
        n = graph.n_objects
        self._shuffled = np.random.default_rng(seed).permutation(n)
        self._place = np.argsort(self._shuffled)
        shuffled = graph.subgraph(self._shuffled)
        heads, tails = np.repeat(np.arange(n), shuffled.degrees), shuffled.indices.astype(np.int64)
        self._heads, self._tails = (on_device(each, device, whole=True) for each in (heads, tails))
        self._shares = on_device(shares_of_edges(shuffled), device)
        self._by_head, self._by_tail = SumByEnd(self._heads, n), SumByEnd(self._tails, n)
        further = (tails - heads) % n
        order = np.argsort(further, kind="stable")
        self._further = further[order]
        self._heads_by_further = on_device(heads[order], device, whole=True)
        self._draws = self._shifts()

    def _shifts(self) -> np.random.Generator:
        return np.random.default_rng([self._seed, 1])

    def to_device(self, points: Points) -> Tensor:
        """Return coordinates on the device, in shuffled order."""
        return on_device(points[self._shuffled], self._device)

    def to_host(self, points: Tensor) -> Points:
        """Return coordinates as an array, in the order of the objects."""
        found: Points = on_host(points)[self._place].astype(np.float64)
        return found

    def __call__(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss, and its gradient times the number of objects."""
        return self._at(points, self._draws)

    def judged(self, points: Tensor) -> float:
        """Return the mean loss over the first draws, the same for every map."""
        draws = self._shifts()
        return float(np.mean([float(self._at(points, draws)[0]) for _ in range(JUDGED)]))

    def _at(self, points: Tensor, draws: np.random.Generator) -> tuple[Tensor, Tensor]:
        n = len(points)
        shifts = draws.integers(1, n, size=self._n_others)
        far_gaps = gaps_to_rolled(points, shifts)
        others = 1 / (1 + far_gaps.square().sum(dim=2))
        self._leave_out_neighbors(others, shifts)
        total = others.sum(dim=1)[self._heads]
        near_gaps = points[self._heads] - points[self._tails]
        kernel = 1 / (1 + near_gaps.square().sum(dim=1))
        inverse = self._shares / (kernel + total)
        value = -(self._shares * (kernel / (kernel + total)).log()).sum() / n
        pull = (2 * inverse * total * kernel)[:, None] * near_gaps
        pressure = self._by_head(inverse)
        push = (2 * pressure[:, None] * others.square())[:, :, None] * far_gaps
        gradient = self._by_head(pull) - self._by_tail(pull) - push.sum(dim=1)
        add_to_rolled(gradient, push, shifts)
        return value, gradient

    def _leave_out_neighbors(self, others: Tensor, shifts: NDArray[np.int64]) -> None:
        """Set the kernels of others who are neighbours to zero."""
        first, last = (np.searchsorted(self._further, shifts, side) for side in ("left", "right"))
        for column in np.flatnonzero(last > first):
            others[self._heads_by_further[first[column] : last[column]], column] = 0
