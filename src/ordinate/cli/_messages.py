"""Messages of the library in the words of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from types import EllipsisType

from ordinate._arguments import Writer

NAMES = {
    "dimension": "dim",
    "groups": "group",
    "map_dimensions": "dim",
    "metric_params": "metric_param",
    "n_clusters": "k",
    "n_components": "dim",
    "n_groups": "groups",
    "n_init": "starts",
    "n_jobs": "jobs",
    "n_neighbors": "neighbors",
    "names": "objects",
    "random_state": "seed",
}
"""Parameters whose options are called otherwise."""
_EXAMPLES = {"columns": " A,B,C", "groups": " COLUMNS", "names": " FILE"}
"""What options take that need an example."""


def writer_for(options: Collection[str]) -> Writer:
    """Return how a verb with these options writes arguments of the library; others are --set."""

    def as_option(name: str, *value: object) -> str:
        if name == "map" and value and isinstance(value[0], Mapping):
            return " ".join(f"--map {shlex.quote(f'{a}={b}')}" for a, b in value[0].items())
        option = NAMES.get(name, name)
        if option not in options:
            return "=".join([f"--set {name}", *map(str, value)])
        typed = f"--{option.replace('_', '-')}"
        if not value or isinstance(value[0], EllipsisType):
            return typed + _EXAMPLES.get(name, "")
        given = value[0]
        if isinstance(given, bool):
            return typed if given else f"--no-{typed[2:]}"
        if isinstance(given, Mapping):
            given = [f"{name}={one}" for name, one in given.items()]
        elif name in ("where", "exclude") and isinstance(given, list | tuple):
            return " ".join(as_option(name, one) for one in given or [""])
        text = ",".join(map(str, given)) if isinstance(given, list | tuple) else str(given)
        return f"{typed} {shlex.quote(as_typed(text) if name in ('question', 'task') else text)}"

    return as_option


def as_typed(name: str) -> str:
    """Return how the command line writes the name of a task."""
    return name.replace("_", "-")


def reason_of(error: Exception) -> str:
    """Return what went wrong in one sentence; of the system's errors, which file and why."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'standard output'}: {error.strerror}."
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    return str(error)
