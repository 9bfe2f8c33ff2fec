"""The cost of trials on a GPU, by torch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats

_ENTRIES = 2**25
"""Loadings that are copied at once: trials are taken in parts that fit beside anything else."""


class TorchTrialObjective:
    """The same function of the loadings as `TrialObjective`, where torch computes it.

    Trials are summed in parts, so that a million of them need no more room than one part.
    """

    def __init__(
        self,
        rows: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        *,
        has_anchor: bool = False,
        device: str,
    ) -> None:
        import torch

        self._torch = torch
        self._device = device
        self._rows = torch.as_tensor(np.asarray(rows, dtype=np.int64), device=device)
        given = np.ones(len(rows)) if weights is None else weights
        self._weights = torch.as_tensor(given.astype(np.float32), device=device)
        self._n_options = 2 if has_anchor else 3

    def __len__(self) -> int:
        return len(self._rows)

    def __call__(self, loadings: Floats) -> tuple[float, NDArray[np.float64]]:
        """Return the cost and its gradient."""
        torch = self._torch
        points = torch.as_tensor(loadings.astype(np.float32), device=self._device)
        gradient = torch.zeros_like(points)
        size = max(_ENTRIES // (3 * max(points.shape[1], 1)), 1)
        total = 0.0
        for rows, weights in zip(self._rows.split(size), self._weights.split(size), strict=True):
            total += self._add(points, rows, weights, gradient)
        return total, gradient.cpu().numpy().astype(np.float64)

    def _add(self, points: Any, rows: Any, weights: Any, gradient: Any) -> float:
        """Add the gradient over some trials to `gradient` and return their cost."""
        torch = self._torch
        i, j, k = rows.T
        at_i, at_j, at_k = points[i], points[j], points[k]
        pairs = [(at_i * at_j).sum(1), (at_i * at_k).sum(1), (at_j * at_k).sum(1)]
        logs = torch.stack(pairs[: self._n_options], 1).log_softmax(1)
        pulls = logs.exp()
        pulls[:, 0] -= 1
        pulls *= weights[:, None]
        kept, first = pulls[:, :1], pulls[:, 1:2]
        second = pulls[:, 2:] if self._n_options == 3 else torch.zeros_like(first)
        gradient.index_add_(0, i, kept * at_j + first * at_k)
        gradient.index_add_(0, j, kept * at_i + second * at_k)
        gradient.index_add_(0, k, first * at_i + second * at_j)
        return -float((weights * logs[:, 0]).sum())
