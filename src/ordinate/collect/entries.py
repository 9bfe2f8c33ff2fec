"""Entries of study.toml: what each may be, and one reader that refuses everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, ClassVar, TypeVar

from ordinate._checks import InputError, check_choice, check_integer, check_real

_S = TypeVar("_S")


def entry(default: Any, *choices: str, **bounds: Any) -> Any:
    """Return an entry of a section with the texts, or the bounds of the number, that it may be."""
    return field(default=default, metadata={"choices": choices, "bounds": bounds})


@dataclass(frozen=True)
class Section:
    """A section of study.toml, whose entries are checked; its name stands in messages."""

    section: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for one in fields(self):
            called = f"{self.section}.{one.name}".lstrip(".")
            value, allowed = getattr(self, one.name), one.metadata
            if allowed.get("choices"):
                check_choice(called, value, allowed["choices"])
            elif allowed.get("bounds"):
                check = check_integer if type(one.default) is int else check_real
                check(called, value, **allowed["bounds"])


def section_from_table(cls: type[_S], table: Mapping[str, Any], section: str) -> _S:
    """Fill a dataclass from a TOML table, checking names and types."""
    known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
    where = f"The section [{section}] of study.toml has an entry" if section else "study.toml has"
    refuse_unknown(table, tuple(known), where)
    values = dict(table)
    for name, value in table.items():
        wanted = dict if known[name].default is MISSING else type(known[name].default)
        if wanted is float and type(value) is int:
            continue
        texts = isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
        if wanted is tuple and texts:
            values[name] = tuple(value)
            continue
        if type(value) is not wanted:
            words = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
            words |= {tuple: "a list of texts", dict: "a table"}
            prefix = f"{section}." if section else ""
            raise InputError(f"{prefix}{name} must be {words[wanted]}; got {value!r}.")
    return cls(**values)


def refuse_unknown(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Refuse a name that does not exist, and guess which was meant."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}."
            raise InputError(f"{where} {name!r}, which does not exist; {hint}")
