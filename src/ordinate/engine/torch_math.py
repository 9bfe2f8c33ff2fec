"""NumPy's elementwise functions for tensors.

The torch engine puts this module in the place of ``np`` in a loss. A function of numbers alone is
NumPy's own; with a tensor among its arguments it is torch's function of the same name.
"""

from __future__ import annotations

import types
from functools import cache
from typing import Any

import numpy as np

from ordinate._checks import InputError

_RENAMED = {"power": "pow"}


@cache
def with_torch(loss: types.FunctionType) -> types.FunctionType:
    """Return a loss for tensors: the same function, with this module in the place of NumPy.

    Parameters
    ----------
    loss : callable
        A function as `ordinate.losses` describes it.

    Returns
    -------
    callable
        Takes and returns tensors.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate import losses
    >>> from ordinate.engine.torch_math import with_torch
    >>> with_torch(losses.ste) is losses.ste
    False
    """
    itself = __import__(__name__, fromlist=["where"])
    names = {name: itself if value is np else value for name, value in loss.__globals__.items()}
    return types.FunctionType(
        loss.__code__, names, loss.__name__, loss.__defaults__, loss.__closure__
    )


def where(condition: Any, if_true: Any, if_false: Any) -> Any:
    """Choose elementwise between two tensors or numbers."""
    import torch

    if isinstance(condition, torch.Tensor):
        return torch.where(condition, if_true, if_false)
    return if_true if condition else if_false


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python asks every module for these, where there is no torch too
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import torch

    numpys = getattr(np, name)
    if not callable(numpys):
        return numpys
    torchs = getattr(torch, _RENAMED.get(name, name), None)
    if torchs is None:
        raise InputError(
            f"The loss uses np.{name}, which PyTorch does not have; write it with other functions"
            ' or choose device="cpu".'
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
