"""Messages of the library in the words of the command line."""

from __future__ import annotations

import shlex
from types import EllipsisType

_OPTIONS = {
    "columns": "--columns A,B,C",
    "dimension": "--dim",
    "draws_per_object": "--draws",
    "groups": "--group COLUMNS",
    "n_clusters": "--k",
    "n_components": "--dim",
    "n_init": "--starts",
    "n_jobs": "--jobs",
    "n_neighbors": "--neighbors",
    "names": "--objects FILE",
    "random_state": "--seed",
}
"""Parameters whose options are called otherwise, or take what needs an example."""
_SAME_NAME = {
    "answer",
    "coding",
    "device",
    "directed",
    "encoding",
    "errors",
    "exclude",
    "header",
    "item",
    "matrix",
    "method",
    "metric",
    "missing",
    "normalize",
    "objective",
    "on_duplicate",
    "on_invalid",
    "probability",
    "question",
    "shown_first",
    "side",
    "test_size",
    "ties",
    "user",
    "value",
    "weight",
    "where",
}
"""Parameters that are options of the same name; others are given with ``--set``."""


def as_option(name: str, *value: object) -> str:
    """Return how one types an argument of the library."""
    if name not in _OPTIONS and name not in _SAME_NAME:
        return "=".join([f"--set {name}", *map(str, value)])
    option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
    if not value or isinstance(value[0], EllipsisType):
        return option
    given = value[0]
    if isinstance(given, bool):
        return option if given else f"--no-{name.replace('_', '-')}"
    text = ",".join(map(str, given)) if isinstance(given, list | tuple) else str(given)
    if name == "question":
        text = as_typed(text)
    return f"{option.partition(' ')[0]} {shlex.quote(text)}"


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
