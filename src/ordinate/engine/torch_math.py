"""NumPy's elementwise functions for tensors.

The torch engine puts `functions` in the place of ``np`` in a loss. A function of numbers alone is
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
    """Return a loss for tensors: the same function, with `functions` in the place of NumPy.

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
                ' functions or choose device="cpu".'
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
