"""Arrays on a device, and random others there: those who stand some places further.

Where the order of objects means nothing, an object's random others are those a random number of
places further, the same number for all. Differences and gradients are then those of a rolled
array, without a table of pairs, and each object is an other as often as any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor


def on_device(array: NDArray[Any], device: str, *, whole: bool = False) -> Tensor:
    """Return an array as a tensor of float32, or of int64 if `whole`."""
    import torch

    dtype = torch.int64 if whole else torch.float32
    return torch.as_tensor(np.ascontiguousarray(array), dtype=dtype, device=device)


def on_host(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor as an array."""
    array: NDArray[Any] = tensor.cpu().numpy()
    return array


def gaps_to_rolled(points: Tensor, shifts: NDArray[np.int64]) -> Tensor:
    """Return each object's difference to those that stand some places further."""
    import torch

    return torch.stack([points - points.roll(-int(shift), 0) for shift in shifts], dim=1)


def add_to_rolled(gradient: Tensor, moves: Tensor, shifts: NDArray[np.int64]) -> None:
    """Add what each object asks of those some places further to their gradient."""
    for column, shift in enumerate(shifts):
        gradient += moves[:, column].roll(int(shift), 0)


class SumByEnd:
    """Sums over pairs by the object at their end, with the same bits in every run."""

    def __init__(self, ends: Tensor, n_objects: int) -> None:
        self._order = ends.argsort(stable=True)
        self._counts = ends.bincount(minlength=n_objects)

    def __call__(self, values: Tensor) -> Tensor:
        """Return a row per object from a row per pair."""
        import torch

        listed = values[self._order]
        return torch.segment_reduce(listed, "sum", lengths=self._counts, unsafe=True)
