"""The cost of trials and of choices on a GPU, by torch."""

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


class TorchChoiceObjective:
    """The same function of the loadings as `ChoiceObjective`, where torch computes it."""

    def __init__(
        self,
        rows: NDArray[np.int32],
        n_chosen: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
        *,
        device: str,
    ) -> None:
        import torch

        self._torch = torch
        self._device = device
        given = np.ones(len(rows)) if weights is None else weights
        self._groups = []
        for k in np.unique(n_chosen):
            of_k = n_chosen == k
            group = torch.as_tensor(rows[of_k].astype(np.int64), device=device)
            of_group = torch.as_tensor(given[of_k].astype(np.float32), device=device)
            self._groups.append((int(k), group, of_group))

    def __call__(self, loadings: Floats) -> tuple[float, NDArray[np.float64]]:
        """Return the cost and its gradient."""
        torch = self._torch
        points = torch.as_tensor(loadings.astype(np.float32), device=self._device)
        points.requires_grad_()
        total = 0.0
        for n_chosen, group, of_group in self._groups:
            size = max(_ENTRIES // (group.shape[1] * max(points.shape[1], 1)), 1)
            for rows, weights in zip(group.split(size), of_group.split(size), strict=True):
                cost = -(weights * self._log_chances(points, rows, n_chosen)).sum()
                cost.backward()
                total += float(cost.detach())
        gradient: NDArray[np.float64] = points.grad.cpu().numpy().astype(np.float64)
        return total, gradient

    def _log_chances(self, points: Any, rows: Any, n_chosen: int) -> Any:
        """Return the log of the probability that the first objects are chosen, in any order."""
        torch = self._torch
        shown = rows[:, 1:]
        similar = (points[rows[:, :1]] * points[shown.clamp_min(0)]).sum(2)
        similar = similar.masked_fill(shown < 0, -torch.inf)
        of_others = similar[:, n_chosen:].logsumexp(1, keepdim=True)
        chances = [torch.zeros(len(rows), device=self._device)]
        for members in range(1, 1 << n_chosen):
            inside = [option for option in range(n_chosen) if members >> option & 1]
            whole = torch.cat([of_others, similar[:, inside]], 1).logsumexp(1)
            steps = [similar[:, option] + chances[members ^ (1 << option)] for option in inside]
            chances.append(torch.stack(steps).logsumexp(0) - whole)
        return chances[-1]
