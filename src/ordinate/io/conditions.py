"""Which rows of a log count: those with certain entries, without others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.io.delimited_text import MISSING
from ordinate.io.headings import GROUP, GROUPS, Headings, normal

Conditions: TypeAlias = "str | Sequence[str] | Mapping[str, object] | None"
"""Such as "phase=test", a list of such, or {"phase": "test"}."""


class Condition(NamedTuple):
    """Entries that a column may have, or may not have."""

    column: str
    entries: tuple[str, ...]
    excluded: bool

    def __str__(self) -> str:
        word = "exclude" if self.excluded else "where"
        more = "" if len(self.entries) < 4 else f" and {len(self.entries) - 3} more"
        return f"{word} {self.column}={', '.join(self.entries[:3])}{more}"


def read_conditions(
    names: Sequence[str], where: Conditions, exclude: Conditions
) -> list[Condition]:
    """Return one condition per column that `where` and `exclude` name."""
    found: list[Condition] = []
    for given, excluded in ((where, False), (exclude, True)):
        entries: dict[str, list[str]] = {}
        for column, entry in _pairs("exclude" if excluded else "where", given):
            known = _find(names, column, "exclude" if excluded else "where")
            entries.setdefault(known, []).extend(
                _lines(entry[1:]) if entry.startswith("@") else [entry]
            )
        found += [Condition(column, tuple(e), excluded) for column, e in entries.items()]
    return found


def rows_that_count(
    columns: Mapping[str, tuple[Sequence[str], NDArray[Any], NDArray[np.bool_]]],
    conditions: Sequence[Condition],
    n_rows: int,
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Return which rows count, and how many each condition leaves out."""
    counts = np.ones(n_rows, dtype=bool)
    left_out = {}
    for condition in conditions:
        words, codes, missing = columns[condition.column]
        has = np.isin(words, condition.entries)[codes] & ~missing if len(words) else ~missing
        if set(MISSING) & set(condition.entries):  # "phase=NA" means rows without an entry
            has = has | missing
        if not condition.excluded and not has.any():
            there = ", ".join(repr(word) for word in list(words)[:5])
            raise InputError(
                f"where: no row has {' or '.join(map(repr, condition.entries[:3]))} in column"
                f" {condition.column!r}; it has {there or 'no entries'}."
            )
        keeps = ~has if condition.excluded else has
        left_out[str(condition)] = int((counts & ~keeps).sum())
        counts &= keeps
    return counts, left_out


def _pairs(parameter: str, given: Conditions) -> Iterable[tuple[str, str]]:
    if given is None:
        return
    if isinstance(given, Mapping):
        for column, entry in given.items():
            entries = [entry] if isinstance(entry, (str, int, float)) else entry
            for one in entries:  # type: ignore[attr-defined]
                yield str(column), str(one)
        return
    for condition in [given] if isinstance(given, str) else given:
        if condition.startswith("@"):
            yield from _pairs(parameter, _lines(condition[1:]))
            continue
        column, equals, entry = condition.partition("=")
        if not equals:
            raise InputError(
                f"{parameter} takes conditions such as 'phase=test'; got {condition!r}."
            )
        yield column.strip(), entry.strip()


def _find(names: Sequence[str], column: str, parameter: str) -> str:
    for name in (column, GROUP + column):
        if name in names:
            return name
    aliases = (normal(column), *GROUPS.get(normal(column), ()))
    known = Headings(names).exactly(aliases)
    if known is None:
        listed = ", ".join(map(repr, names))
        raise InputError(f"{parameter}: there is no column {column!r}; there are {listed}.")
    return known


def _lines(path: str) -> list[str]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {path!r} as text: {error}.") from None
    return [line.strip() for line in text.splitlines() if line.strip()]
