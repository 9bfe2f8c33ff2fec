"""Sums over blocks of comparisons with plain tensor operations, on any device.

The blocks lie on the device if they fit. Otherwise they pass through it: while one block is
summed, the next is copied.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.losses import Loss

if TYPE_CHECKING:
    from torch import Tensor, dtype

    Block: TypeAlias = tuple[Tensor, Tensor | None]

BLOCK_ROWS = 2**22
"""Comparisons that are copied to a device at once."""
_NUMBERS_AT_ONCE = 2**27
"""Numbers that the intermediate results of one sum may take."""
_RENAMED = {"power": "pow"}


class Blocks:
    """Comparisons as blocks on a device."""

    def __init__(
        self,
        comparisons: Comparisons,
        device: str,
        number: dtype,
        *,
        resident: bool,
        block_rows: int = BLOCK_ROWS,
    ) -> None:
        self._n_objects = comparisons.n_objects
        self._triplets = comparisons.kind == "triplet"
        self._columns = PAIR_COLUMNS[comparisons.rows.shape[1]]
        self._blocks: Iterable[Block] = _Stream(comparisons, device, number, block_rows)
        if resident:
            self._blocks = [
                (rows.clone(), None if weights is None else weights.clone())
                for rows, weights in self._blocks
            ]

    def sum(
        self, points: Tensor, loss: Loss, parameters: Sequence[float], total: dtype
    ) -> tuple[Tensor, Tensor]:
        """Return the sums of a loss and of its gradient, for each start."""
        n_starts, _, dimension = points.shape
        rows_at_once = max(_NUMBERS_AT_ONCE // (n_starts * (4 * dimension + 8)), 1)
        values = points.new_zeros(n_starts, dtype=total)
        gradients = points.new_zeros(points.shape, dtype=total)
        for rows, weights in self._blocks:
            gradient = points.new_zeros(points.shape)
            for start in range(0, len(rows), rows_at_once):
                part = slice(start, start + rows_at_once)
                i, j, k, l = (rows[part, column] for column in self._columns)  # noqa: E741
                near, far = points[:, i] - points[:, j], points[:, k] - points[:, l]
                weight = 1.0 if weights is None else weights[part]
                value = _scale_by_derivatives(near, far, weight, loss, parameters)
                values += value.sum(dim=1, dtype=total)
                gradient.index_add_(1, j, near, alpha=-1)
                gradient.index_add_(1, l, far, alpha=-1)
                if self._triplets:
                    gradient.index_add_(1, i, near.add_(far))
                else:
                    gradient.index_add_(1, i, near).index_add_(1, k, far)
            gradients += gradient
        return values, gradients

    def occurrences(self) -> Tensor:
        """Return the weight of the comparisons of each object in each role, role by role."""
        import torch

        return sum(
            torch.stack(
                [torch.bincount(column, weights, minlength=self._n_objects) for column in rows.T]
            )
            for rows, weights in self._blocks
        )


def _scale_by_derivatives(
    near: Tensor, far: Tensor, weight: Any, loss: Loss, parameters: Sequence[float]
) -> Tensor:
    """Turn differences, in place, into gradients; return the values of the loss."""
    import torch

    near2, far2 = near.square().sum(dim=2), far.square().sum(dim=2)
    value, *derivatives = with_torch(loss)(near2, far2, *parameters)
    for difference, squared, derivative in zip(
        (near, far), (near2, far2), derivatives, strict=True
    ):
        # At distance zero a derivative may be infinite; it is multiplied by a zero difference.
        finite = torch.where(squared == 0, 0.0, 2.0 * derivative * weight)
        difference *= finite[:, :, None]
    return value * weight


class _Stream:
    """Copies blocks to a device, one ahead of the one in use."""

    def __init__(
        self, comparisons: Comparisons, device: str, number: dtype, block_rows: int
    ) -> None:
        self._rows = comparisons.rows
        self._weights = comparisons.weights
        self._device = device
        self._number = number
        self._size = min(block_rows, len(comparisons))
        self._slots: list[_Slot] = []

    def __iter__(self) -> Iterator[Block]:
        starts = range(0, len(self._rows), self._size)
        if not self._device.startswith("cuda"):
            for start in starts:
                rows, weights = self._read(start)
                placed = None if weights is None else weights.to(self._device)
                yield rows.to(self._device), placed
            return
        self._slots = self._slots or [_Slot(self._read(0), self._device) for _ in range(2)]
        self._slots[0].send(self._read(0))
        for number, start in enumerate(starts):
            if number + 1 < len(starts):
                self._slots[(number + 1) % 2].send(self._read(start + self._size))
            yield self._slots[number % 2].take()
            self._slots[number % 2].release()

    def _read(self, start: int) -> Block:
        import torch

        part = slice(start, start + self._size)
        with warnings.catch_warnings():  # that the arrays are read-only; nothing writes to them
            warnings.simplefilter("ignore", UserWarning)
            rows = torch.from_numpy(self._rows[part])
            if self._weights is None:
                return rows, None
            return rows, torch.from_numpy(self._weights[part]).to(self._number)


class _Slot:
    """A block's place in page-locked memory of the host and in memory of the device."""

    def __init__(self, like: Block, device: str) -> None:
        import torch

        self._pinned = [
            None if part is None else torch.empty_like(part, pin_memory=True) for part in like
        ]
        self._placed = [
            None if part is None else torch.empty_like(part, device=device) for part in like
        ]
        self._copying = torch.cuda.Stream(device)
        self._copied, self._summed = torch.cuda.Event(), torch.cuda.Event()
        self._size = 0

    def send(self, block: Block) -> None:
        """Start to copy a block, as soon as the one before it in this place has been summed."""
        import torch

        self._copied.synchronize()
        self._size = len(block[0])
        with torch.cuda.stream(self._copying):
            self._copying.wait_event(self._summed)
            for part, pinned, placed in zip(block, self._pinned, self._placed, strict=True):
                if part is not None and pinned is not None and placed is not None:
                    pinned[: self._size].copy_(part)
                    placed[: self._size].copy_(pinned[: self._size], non_blocking=True)
            self._copied.record(self._copying)

    def take(self) -> Block:
        """Return the block; work on it begins when the copy is complete."""
        import torch

        torch.cuda.current_stream(self._copying.device).wait_event(self._copied)
        rows, weights = (None if part is None else part[: self._size] for part in self._placed)
        assert rows is not None
        return rows, weights

    def release(self) -> None:
        """Say that all work on the block has been given to the device."""
        import torch

        self._summed.record(torch.cuda.current_stream(self._copying.device))


@cache
def with_torch(loss: types.FunctionType) -> types.FunctionType:
    """Return a loss for tensors: the same function, with `functions` in the place of NumPy."""
    names = {name: functions if value is np else value for name, value in loss.__globals__.items()}
    return types.FunctionType(
        loss.__code__, names, loss.__name__, loss.__defaults__, loss.__closure__
    )


class _Functions:
    """Has the functions as attributes.

    A module with a `__getattr__` of its own would load torch for whatever is asked of modules,
    where there is no torch too.
    """

    def where(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """Choose elementwise between two tensors or numbers."""
        import torch

        if isinstance(condition, torch.Tensor):
            return torch.where(condition, if_true, if_false)
        return if_true if condition else if_false

    def __getattr__(self, name: str) -> Any:
        numpys = getattr(np, name)
        if not callable(numpys):
            return numpys
        import torch

        torchs = getattr(torch, _RENAMED.get(name, name), None)
        if torchs is None:
            raise InputError(
                f"The loss uses np.{name}, which PyTorch does not have; write it with other"
                f" functions or choose {argument('device', 'cpu')}."
            )

        def apply(*arguments: Any) -> Any:
            like = next((given for given in arguments if isinstance(given, torch.Tensor)), None)
            if like is None:
                return numpys(*arguments)
            return torchs(
                *(
                    given if isinstance(given, torch.Tensor) else like.new_full((), given)
                    for given in arguments
                )
            )

        return apply


functions = _Functions()
