"""The torch engine: the sum of a loss over comparisons on a GPU, for several starts at once."""

from __future__ import annotations

import copy
import types
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.engine.torch_blocks import BLOCK_ROWS, Blocks
from ordinate.engine.torch_segments import Segments
from ordinate.losses import Loss

if TYPE_CHECKING:
    from torch import Tensor

_ORDERING_BYTES = 24
"""Device memory that ordering comparisons takes, for each number of an object in them."""
_BYTES_PER_COORDINATE = 400
"""Device memory of a solver: thirty vectors, and the sums that make up a gradient."""
_WORKING_BYTES = 2**31
"""Device memory left to everything else."""


class TorchObjective:
    """The weighted sum of a loss over comparisons, computed by torch.

    On CUDA devices the comparisons are ordered by object and summed by Triton kernels, in an
    order that never changes. Where Triton is missing or cannot compile the loss, on other
    devices, and when the comparisons do not fit into the device's memory, plain tensor operations
    sum them block by block; on a GPU the order of their additions, and so the last bits, may
    change from run to run.
    """

    is_batched = True

    def __init__(
        self,
        comparisons: Comparisons,
        loss: Loss,
        parameters: Sequence[float] = (),
        *,
        device: str,
        precision: str = "float32",
        memory: int | None = None,
        block_rows: int = BLOCK_ROWS,
    ) -> None:
        import torch

        if not isinstance(loss, types.FunctionType):
            raise InputError(f"A loss must be a plain Python function; got {loss!r}.")
        self.device = device
        self._loss = loss
        self._parameters = tuple(float(parameter) for parameter in parameters)
        self.n_objects = comparisons.n_objects
        self._number = getattr(torch, precision)
        self._total = torch.float32 if device == "mps" else torch.float64
        memory = _free_memory(device) if memory is None else memory
        self._sums = self._ordered(comparisons, memory) or Blocks(
            comparisons,
            device,
            self._number,
            resident=4 * comparisons.rows.size + 8 * len(comparisons) <= memory,
            block_rows=block_rows,
        )

    def _ordered(self, comparisons: Comparisons, memory: int) -> Segments | None:
        """Order the comparisons for Triton's kernels, if there are any that can be used."""
        fits = _ORDERING_BYTES * comparisons.rows.size <= memory
        if not (fits and self.device.startswith("cuda") and find_spec("triton")):
            return None
        segments = Segments(comparisons, self.device, self._number)
        return segments if segments.compiles(self._loss, self._parameters, 2) else None

    def with_parameters(self, parameters: Sequence[float]) -> Self:
        """Return the same sum with other parameters of the loss."""
        other = copy.copy(self)
        other._parameters = tuple(float(parameter) for parameter in parameters)
        return other

    def tensor(self, points: ArrayLike) -> Tensor:
        """Return coordinates as a tensor on the device, of the type of the sums."""
        import torch

        return torch.as_tensor(np.asarray(points), dtype=self._total, device=self.device)

    def batches(self, starts: Sequence[NDArray[np.float64]]) -> Iterator[Tensor]:
        """Bring starts to the device, as many at once as its memory holds with what they need."""
        most = len(starts)
        if self.device.startswith("cuda"):
            needed = _BYTES_PER_COORDINATE * starts[0].size
            most = max((_free_memory(self.device) + _WORKING_BYTES) // needed, 1)
        for first in range(0, len(starts), most):
            yield self.tensor(starts[first : first + most])

    def occurrences(self) -> NDArray[np.float64]:
        """Return how often, or how heavily, each object occurs in each column."""
        counts: NDArray[np.float64] = self._sums.occurrences().cpu().numpy().astype(np.float64)
        return counts

    def evaluate(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """Return values and gradients for a batch of coordinates on the device."""
        # Distances do not change, and numbers around zero lose the least when rounded.
        centred = (points - points.mean(dim=1, keepdim=True)).to(self._number)
        return self._sums.sum(centred, self._loss, self._parameters, self._total)

    def __call__(self, points: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the value and the gradient at `points`, shape (n_objects, n_components)."""
        if len(points) != self.n_objects:
            raise InputError(f"points has {len(points)} rows; expected {self.n_objects}.")
        values, gradients = self.evaluate(self.tensor(points)[None])
        return float(values[0]), gradients[0].cpu().numpy().astype(np.float64)


def _free_memory(device: str) -> int:
    """Bytes of a device that comparisons may take."""
    import torch

    if device == "cpu":  # where a second copy of them would be of no use
        return 0
    if device == "mps":
        return int(torch.mps.recommended_max_memory()) // 2
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(torch.cuda.mem_get_info(device)[0] + unused) - _WORKING_BYTES
