"""Libraries that only some data sets need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_extra(name: str) -> Any:
    """Import a library of the extra ``data``, or say how to install it.

    Parameters
    ----------
    name : str
        The library.

    Returns
    -------
    module
        The library.
    """
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            f"This data set is read with {name}, which is not installed. Install it with:"
            ' pip install "ordinate[data]"'
        ) from None
