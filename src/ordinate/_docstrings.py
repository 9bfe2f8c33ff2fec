"""Write once what several classes document alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def sharing(text: str) -> Callable[[type[_T]], type[_T]]:
    """Return a class decorator that puts `text` where the docstring says ``{shared}``.

    Parameters
    ----------
    text : str
        Sections of a docstring, indented as in a class body.

    Returns
    -------
    callable
        The decorator.
    """

    def fill_in(cls: type[_T]) -> type[_T]:
        if cls.__doc__ is not None:  # python -OO strips docstrings
            cls.__doc__ = cls.__doc__.replace("\n    {shared}\n", text)
        return cls

    return fill_in
