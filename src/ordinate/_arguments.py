"""How messages write the arguments that they propose: as Python does, or as a command does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import EllipsisType
from typing import TypeAlias

Writer: TypeAlias = Callable[..., str]
"""Takes the name of a parameter and, if one is proposed, its value; ``...`` stands for a list."""


def argument(name: str, *value: object) -> str:
    """Return how one passes an argument: ``n_components=2`` in Python, ``--dim 2`` in a shell."""
    return _writers[-1](name, *value)


def parameter(name: str) -> str:
    """Return how a parameter is called: ``n_components``, or ``--dim``."""
    return argument(name).removesuffix("=")


@contextmanager
def written_by(writer: Writer) -> Iterator[None]:
    """Have the program that runs the library write arguments its own way, in all its threads."""
    _writers.append(writer)
    try:
        yield
    finally:
        _writers.remove(writer)


def _as_in_python(name: str, *value: object) -> str:
    if not value:
        return f"{name}="
    return f"{name}=[...]" if isinstance(value[0], EllipsisType) else f"{name}={value[0]!r}"


_writers: list[Writer] = [_as_in_python]
