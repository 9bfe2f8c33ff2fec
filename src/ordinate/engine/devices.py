"""Where to compute: names of devices, and what to say when there is none of a name."""

from __future__ import annotations

import re
from typing import Any

from ordinate._checks import InputError

_CHOICES = '"cpu", "cuda", "cuda:1" (or another number), "mps" or "auto"'


def resolve_device(device: object) -> str:
    """Return the device that is meant, or say why it cannot be used.

    Parameters
    ----------
    device : str
        "cpu", "cuda", "cuda:N", "mps", or "auto" for a GPU if there is one.

    Returns
    -------
    str
        "cpu", "cuda", "cuda:N" or "mps".

    Examples
    --------
    >>> from ordinate.engine.devices import resolve_device
    >>> resolve_device("cpu")
    'cpu'
    """
    if device == "cpu":
        return "cpu"
    if not isinstance(device, str) or not re.fullmatch(r"auto|mps|cuda(:\d+)?", device):
        raise InputError(f"device must be {_CHOICES}; got {device!r}.")
    torch = _torch()
    if device == "auto":
        return _best(torch)
    if torch is None:
        raise InputError(
            f'device="{device}" needs PyTorch, which is not installed. Run:'
            ' pip install "ordinate[gpu]"'
        )
    if device == "mps":
        if not torch.backends.mps.is_available():
            raise InputError(
                'device="mps" needs an Apple GPU, and PyTorch finds none; choose device="cpu".'
            )
        return device
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count == 0:
        raise InputError(
            f'device="{device}" needs a CUDA GPU, and PyTorch {torch.__version__} finds none;'
            ' install a build of PyTorch for your GPU (pytorch.org), or choose device="cpu".'
        )
    if int(device.partition(":")[2] or 0) >= count:
        raise InputError(
            f'device="{device}" does not exist: the GPUs here are cuda:0 to cuda:{count - 1}.'
        )
    return device


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
