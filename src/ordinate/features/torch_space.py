"""Principal axes and nearest neighbours in torch, on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate.features.neighbor_search import Neighbors

if TYPE_CHECKING:
    from torch import Tensor

_TILE = 2**29
"""Distances that are held at once: 2 GiB, of which a GPU has many."""
_GROUP = 64
"""Objects whose least distance is looked at before their own."""
_MORE_COLUMNS = 10
_POWERS = 5
"""Columns beyond those asked for, and passes over the data, for principal axes."""


def principal_axes(
    X: NDArray[Any], n_components: int, seed: int, device: str
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the mean of rows and their first principal axes, by subspace iteration.

    N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness", SIAM Review
    53 (2011), algorithms 4.4 and 5.1.
    """
    rows = on_device(X, device)
    mean = rows.mean(dim=0)
    rows = rows - mean
    n_columns = min(n_components + _MORE_COLUMNS, X.shape[1])
    basis = np.random.default_rng(seed).standard_normal((X.shape[1], n_columns))
    for _ in range(_POWERS):
        basis = on_host(rows.T @ (rows @ on_device(np.linalg.qr(basis)[0], device)))
    basis = np.linalg.qr(basis.astype(np.float64))[0]
    seen = rows @ on_device(basis, device)
    _, rotation = np.linalg.eigh(on_host(seen.T @ seen).astype(np.float64))
    axes = (basis @ rotation[:, ::-1][:, :n_components]).T
    return on_host(mean), np.ascontiguousarray(axes, dtype=np.float32)


class TorchNeighborSearch:
    """Find the nearest of given objects by all distances, a tile of rows at a time.

    The k nearest lie in the k groups of objects whose least distances are smallest, so that one
    pass over a tile finds them; their distances are then computed again, from differences.
    """

    def __init__(self, points: NDArray[Any], device: str) -> None:
        self._middle = points.mean(axis=0)  # products of centred rows have smaller rounding errors
        self._points, self._device = points, device

    def among(self, k: int) -> Neighbors:
        """Return the k nearest other objects of each object, as `NeighborSearch` does."""
        return self._find(self._points, k, other=True)

    def of(self, queries: NDArray[Any], k: int) -> Neighbors:
        """Return the k nearest objects of each query, as `NeighborSearch` does."""
        return self._find(queries, k, other=False)

    def _find(self, queries: NDArray[Any], k: int, *, other: bool) -> Neighbors:
        import torch

        points = on_device(self._points - self._middle, self._device)
        queries = points if other else on_device(queries - self._middle, self._device)
        n = len(points)
        n_deep = max(1, min(_GROUP, n // (4 * k)))  # objects of a group
        n_groups = -(-n // n_deep)
        others = points.new_zeros((points.shape[1] + 1, n_groups * n_deep))
        others[:-1, :n] = -2 * points.T
        others[-1, :n] = points.square().sum(dim=1)
        others[-1, n:] = torch.inf
        n_rows = max(1, _TILE // others.shape[1])
        found = []
        for start in range(0, len(queries), n_rows):
            rows = queries[start : start + n_rows]
            # squared distances but for the row's own square, which does not change the order
            tile = torch.cat([rows, torch.ones_like(rows[:, :1])], dim=1) @ others
            if other:
                own = torch.arange(len(rows), device=tile.device)
                tile[own, start + own] = torch.inf
            found.append(_smallest(tile.reshape(len(rows), n_deep, n_groups), k))
            gaps = torch.linalg.vector_norm(points[found[-1]] - rows[:, None], dim=2)
            gaps, order = gaps.sort(dim=1, stable=True)
            found[-1] = found[-1].gather(1, order).to(torch.int32), gaps
        indices, distances = (torch.cat(parts) for parts in zip(*found, strict=True))
        return on_host(indices), on_host(distances)


def _smallest(tile: Tensor, k: int) -> Tensor:
    """Return the columns of the k smallest entries of each row, given as (row, depth, group)."""
    n_deep, n_groups = tile.shape[1:]
    groups = tile.amin(dim=1).topk(k, largest=False).indices[:, None, :]
    members = tile.gather(2, groups.expand(-1, n_deep, -1)).flatten(1)
    best = members.topk(k, largest=False).indices
    return (best // k) * n_groups + groups[:, 0].gather(1, best % k)


def on_device(array: NDArray[Any], device: str, *, whole: bool = False) -> Tensor:
    """Return an array as a tensor of float32, or of int64 if `whole`."""
    import torch

    dtype = torch.int64 if whole else torch.float32
    return torch.as_tensor(np.ascontiguousarray(array), dtype=dtype, device=device)


def on_host(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor as an array."""
    array: NDArray[Any] = tensor.cpu().numpy()
    return array
