"""Which columns of a table hold the objects, answers, weights and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ordinate._checks import InputError

Column: TypeAlias = str | int

OBJECTS = (
    ("i", "j", "k", "l"),
    ("near_1", "near_2", "far_1", "far_2"),
    ("anchor", "near", "far"),
    ("anchor", "positive", "negative"),
    ("anchor", "closer", "farther"),
    ("probe", "near", "far"),
    ("reference", "near", "far"),
    ("head", "winner", "loser"),
    ("target", "winner", "loser"),
    ("i", "j", "k"),
)
"""Names of object columns that are recognised, in the order in which they are looked for."""

ANSWER = "answer"
WEIGHT = "weight"
GROUPS = ("participant", "subject", "worker", "session", "block", "trial", "group")


LABEL = ("object", "id", "name")
"""Usual names of the column that says what the object of a row is called."""


class Layout(NamedTuple):
    """Names of the columns, by what they hold; what a caller leaves open is found by name."""

    columns: Sequence[Column] | None = None
    answer: Column | None = None
    weight: Column | None = None
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None


@dataclass(frozen=True)
class FoundLayout:
    """Names of the columns there are, by what they hold; a group's name leads to its column."""

    objects: list[str]
    answer: str | None
    weight: str | None
    groups: dict[str, str]

    @property
    def used(self) -> list[str]:
        """All columns that matter."""
        single = [name for name in (self.answer, self.weight) if name is not None]
        return [*self.objects, *single, *self.groups.values()]


def find_layout(names: Sequence[str], wanted: Layout) -> FoundLayout:
    """Match what the caller asked for, and what has a usual name, with the columns there are."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two columns are called {twice!r}; give every column its own name.")
    usual = {name.lower(): name for name in reversed(names)}
    if wanted.columns is None:
        objects = _usual_objects(names, usual)
    else:
        objects = [find_column(names, column, "columns") for column in wanted.columns]
        if len(objects) not in (3, 4) or len(set(objects)) < len(objects):
            raise InputError(
                "columns must choose 3 different columns (anchor, near, far) or 4 (i, j, k, l);"
                f" got {list(wanted.columns)!r}."
            )
    return FoundLayout(
        objects,
        usual.get(ANSWER) if wanted.answer is None else find_column(names, wanted.answer, "answer"),
        usual.get(WEIGHT) if wanted.weight is None else find_column(names, wanted.weight, "weight"),
        _find_groups(names, usual, wanted.groups),
    )


def _usual_objects(names: Sequence[str], usual: Mapping[str, str]) -> list[str]:
    for layout in OBJECTS:
        if all(name in usual for name in layout):
            return [usual[name] for name in layout]
    if list(names) in (["0", "1", "2"], ["0", "1", "2", "3"]):
        return list(names)
    raise InputError(
        f"Which columns hold the objects? There are {_listed(names)}; name them"
        " anchor, near, far (or i, j, k, l), or choose them with columns=[...]. For text without"
        " a header line pass header=False."
    )


def _find_groups(
    names: Sequence[str],
    usual: Mapping[str, str],
    wanted: Column | Sequence[Column] | Mapping[str, Column] | None,
) -> dict[str, str]:
    if wanted is None:
        return {name: usual[name] for name in GROUPS if name in usual}
    if isinstance(wanted, Mapping):
        return {name: find_column(names, column, "groups") for name, column in wanted.items()}
    columns = [wanted] if isinstance(wanted, (str, int, np.integer)) else wanted
    found = [find_column(names, column, "groups") for column in columns]
    return {name: name for name in found}


def find_label_column(names: Sequence[str]) -> str | None:
    """Return the column that says what the object of a row is called, if it has a usual name."""
    usual = {name.lower(): name for name in reversed(names)}
    return next((usual[name] for name in LABEL if name in usual), None)


def find_column(names: Sequence[str], column: Column, parameter: str) -> str:
    """Return the name of a column given by name or by position."""
    if isinstance(column, bool):
        raise InputError(f"{parameter} takes names or positions of columns; got {column}.")
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return names[int(column)]
    if column in names:
        return str(column)
    raise InputError(f"{parameter}: there is no column {column!r}; there are {_listed(names)}.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names) or "no columns"
