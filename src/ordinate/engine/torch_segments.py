"""Sums over each object's own comparisons, ordered once, by Triton kernels.

For each of the three (or four) roles the comparisons are sorted by the object in that role. An
object's list is cut into pieces, each piece is summed by one group of threads, and the pieces of
an object are added in order: no atomic additions, and the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ordinate.comparisons.record import Comparisons
from ordinate.engine import triton_kernels
from ordinate.losses import Loss

if TYPE_CHECKING:
    from torch import Tensor, dtype

_PIECE = 1024
"""Most comparisons of a piece."""
_BLOCK_BYTES = 2048
"""Coordinates that 32 threads handle at once; with more, registers run out."""
_FEWEST_ROWS = 16
"""Comparisons that are handled at once in however many dimensions."""


class Segments:
    """Comparisons ordered by each of their objects, on a CUDA device."""

    def __init__(self, comparisons: Comparisons, device: str, number: dtype) -> None:
        import torch

        self._n_objects = comparisons.n_objects
        self._weighted = comparisons.weights is not None
        rows = torch.tensor(comparisons.rows, device=device).T.contiguous()
        weights = torch.empty(0, dtype=number, device=device)
        if comparisons.weights is not None:
            weights = torch.tensor(comparisons.weights, dtype=number, device=device)
        counts = torch.stack([torch.bincount(c, minlength=self._n_objects) for c in rows])
        self._counts = counts
        pieces = (counts + _PIECE - 1) // _PIECE
        # An object's pieces lie side by side, those of its first role first.
        places = pieces.T.flatten().cumsum(0).reshape(-1, len(rows)).T - pieces
        self._lengths = pieces.sum(dim=0)
        self._n_pieces = int(self._lengths.sum())
        self._roles = [
            _Role(rows, role, weights, counts[role], pieces[role], places[role])
            for role in range(len(rows))
        ]
        self._parameters: dict[tuple[float, ...], tuple[Tensor, ...]] = {}

    def sum(
        self, points: Tensor, loss: Loss, parameters: Sequence[float], total: dtype
    ) -> tuple[Tensor, Tensor]:
        """Return the sums of a loss and of its gradient, for each start."""
        import torch

        n_starts, _, dimension = points.shape
        points = _padded(points)
        stride = points.shape[2]
        values = points.new_empty((len(self._roles[0].owners), n_starts), dtype=total)
        parts = points.new_empty((self._n_pieces, n_starts * stride), dtype=total)
        with torch.cuda.device_of(points):  # nothing, where the kernels run in the interpreter
            for role in range(len(self._roles)):
                self._launch(role, points, loss, parameters, values, parts)
        gradients = torch.segment_reduce(parts, "sum", lengths=self._lengths, unsafe=True)
        gradients = gradients.reshape(-1, n_starts, stride).transpose(0, 1)
        return values.sum(dim=0), gradients[:, :, :dimension].contiguous()

    def occurrences(self) -> Tensor:
        """Return the weight of the comparisons of each object in each role, role by role."""
        import torch

        if not self._weighted:
            return self._counts
        return torch.stack(
            [
                torch.segment_reduce(role.weights.double(), "sum", lengths=counts, unsafe=True)
                for role, counts in zip(self._roles, self._counts, strict=True)
            ]
        )

    def compiles(self, loss: Loss, parameters: Sequence[float], dimension: int) -> bool:
        """Tell whether Triton can compile a loss; some use what it does not know."""
        import torch

        points = _padded(self._roles[0].weights.new_empty((1, self._n_objects, dimension)))
        sums = points.new_empty(0, dtype=torch.float64)
        try:
            self._launch(0, points, loss, parameters, sums, sums, compile_only=True)
        except Exception:  # whatever the reason, plain tensor operations will do
            return False
        return True

    def _launch(
        self,
        number: int,
        points: Tensor,
        loss: Loss,
        parameters: Sequence[float],
        values: Tensor,
        parts: Tensor,
        *,
        compile_only: bool = False,
    ) -> None:
        import triton

        role = self._roles[number]
        n_starts, n_objects, stride = points.shape
        dimension = triton.next_power_of_2(stride)
        row_bytes = dimension * points.element_size()
        block = max(_BLOCK_BYTES // row_bytes, _FEWEST_ROWS)
        triton_kernels.jit(triton_kernels.sum_pieces).run(
            points,
            role.others,
            role.weights,
            role.starts,
            role.owners,
            role.places,
            self._on_device(parameters),
            values,
            parts,
            role.others.shape[1],
            n_objects,
            LOSS=triton_kernels.jit(loss),
            ROLE=number,
            TRIPLETS=len(self._roles) == 3,
            WEIGHTED=self._weighted,
            STRIDE=stride,
            DIMENSION=dimension,
            BLOCK=block,
            num_warps=min(max(block * row_bytes // _BLOCK_BYTES, 1), 8),
            grid=(len(role.owners), n_starts),
            warmup=compile_only,
        )

    def _on_device(self, parameters: Sequence[float]) -> tuple[Tensor, ...]:
        """Return parameters as tensors: Triton would pass numbers on in float32."""
        key = tuple(parameters)
        if key not in self._parameters:
            like = self._roles[0].weights
            self._parameters[key] = tuple(like.new_tensor([parameter]) for parameter in key)
        return self._parameters[key]


def _padded(points: Tensor) -> Tensor:
    """Add columns of zeros, so that a point can be loaded at one go."""
    from torch.nn.functional import pad

    dimension = points.shape[2]
    missing = -dimension % 4 if dimension > 2 else 0
    return pad(points, (0, missing)).contiguous()


class _Role:
    """Comparisons sorted by the object in one column, and the pieces of that list."""

    def __init__(
        self,
        rows: Tensor,
        role: int,
        weights: Tensor,
        counts: Tensor,
        pieces: Tensor,
        places: Tensor,
    ) -> None:
        import torch

        order = torch.sort(rows[role], stable=True).indices
        self.others = torch.stack([rows[c][order] for c in range(len(rows)) if c != role])
        self.weights = weights[order] if len(weights) else weights
        objects = torch.arange(len(counts), dtype=torch.int32, device=rows.device)
        self.owners = objects.repeat_interleave(pieces)
        owners = self.owners.long()
        number = torch.arange(len(owners), device=rows.device)
        number -= (pieces.cumsum(0) - pieces)[owners]
        self.places = places[owners] + number
        starts = (counts.cumsum(0) - counts)[owners] + _PIECE * number
        self.starts = torch.cat([starts, starts.new_tensor([rows.shape[1]])])
