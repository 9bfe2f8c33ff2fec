"""The objective of every engine: a loss and its gradient, summed over comparisons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.inputs import Record
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.losses import Loss

_CHOICES = '"cpu", "cuda", "cuda:1" (or another number), "mps" or "auto"'


class Objective(Protocol):
    """The sum of a loss over comparisons and its gradient, on any engine."""

    is_batched: bool

    @property
    def n_objects(self) -> int:
        """Rows of the coordinates."""

    def __call__(self, points: NDArray[np.float64], /) -> tuple[float, NDArray[np.float64]]:
        """Return the value and the gradient at `points`, shape (n_objects, n_components)."""

    def with_parameters(self, parameters: Sequence[float]) -> Self:
        """Return the same sum with other parameters of the loss."""


def make_objective(
    comparisons: Record,
    loss: Loss,
    parameters: Sequence[float] = (),
    *,
    device: str = "cpu",
    n_threads: int = 1,
) -> Objective:
    """Return the sum of a loss over comparisons, computed where it is best computed."""
    from ordinate.engine import cpu, partitioned

    if isinstance(comparisons, PartitionedComparisons):
        if device not in ("cpu", "auto"):
            raise InputError(
                "Comparisons in partitions are summed where they are, on CPUs; got"
                f" {argument('device', device)}. Choose {argument('device', 'cpu')}, or read them"
                " into memory."
            )
        return partitioned.PartitionedObjective(comparisons, loss, parameters, n_threads=n_threads)
    place = resolve_device(device)
    if place != "cpu":
        from ordinate.engine.torch_objective import TorchObjective

        return TorchObjective(comparisons, loss, parameters, device=place)
    return cpu.CPUObjective(comparisons, loss, parameters, n_threads=n_threads)


def resolve_device(device: object) -> str:
    """Return the device that is meant, or say why it cannot be used."""
    if not isinstance(device, str) or not re.fullmatch(r"cpu|auto|mps|cuda(:\d+)?", device):
        raise InputError(f"device must be {_CHOICES}; got {device!r}.")
    if device == "cpu":
        return "cpu"
    torch = _torch()
    if device == "auto":
        return _best(torch)
    if torch is None:
        raise InputError(
            f"{argument('device', device)} needs PyTorch, which is not installed. Run:"
            ' pip install "ordinate[gpu]"'
        )
    if device == "mps":
        if not torch.backends.mps.is_available():
            raise InputError(
                f"{argument('device', 'mps')} needs an Apple GPU, and PyTorch finds none; choose"
                f" {argument('device', 'cpu')}."
            )
        return device
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count == 0:
        raise InputError(
            f"{argument('device', device)} needs a CUDA GPU, and PyTorch {torch.__version__} finds"
            " none; install a build of PyTorch for your GPU (pytorch.org), or choose"
            f" {argument('device', 'cpu')}."
        )
    if int(device.partition(":")[2] or 0) >= count:
        raise InputError(
            f"{argument('device', device)} does not exist: the GPUs here are cuda:0 to"
            f" cuda:{count - 1}."
        )
    return device


def cpu_or_cuda(device: object, who: str) -> str:
    """Return the device that is meant by a method that Apple's GPUs have not been tried with."""
    place = resolve_device(device)
    if place != "mps":
        return place
    if device == "auto":
        return "cpu"
    raise InputError(f'{who} runs on "cpu" or "cuda"; got {argument("device", "mps")}.')


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        return None
    return torch


def _best(torch: Any) -> str:
    if torch is not None and torch.cuda.is_available():
        return "cuda"
    return "mps" if torch is not None and torch.backends.mps.is_available() else "cpu"
