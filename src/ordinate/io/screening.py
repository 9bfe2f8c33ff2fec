"""Rows that are no answers of the study: practice, catch and attention trials, and machines."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate.io.columns import encode_column, has_labels
from ordinate.io.doubts import LayoutError
from ordinate.io.headings import (
    GROUP,
    is_answer,
    is_negative,
    is_plan,
    normalize_heading,
)
from ordinate.io.layout import Condition

if TYPE_CHECKING:
    import pyarrow as pa

    from ordinate.io.rows import Log

_KINDS = frozenset(
    {"phase", "type", "kind", "block", "part", "stage", "section", "category", "task", "pool"}
    | {"trial", "screen", "set", "condition", "display"}
)
"""Words in the name of a column that may say what kind of trial a row is."""
_FLAGS = frozenset(
    {"practice", "practise", "training", "warmup", "tutorial", "catch", "catchtrial", "attention"}
    | {"instruction", "instructions"}
)
"""Words in the name of a column that may mark such trials."""
_NO_FLAGS = frozenset({"correct", "passed", "pass", "failed", "right", "wrong", "score", "n"})
_TRIAL = re.compile(
    r"(practi[cs]e|training|warm_?up|tutorial|demo|instructions?|catch|attention)"
    r"(_?(trials?|checks?|blocks?|phase|rounds?|questions?|\d+))*"
)
"""Entries that say that a row is no answer of the study."""
_TRUE = {"1", "1_0", "true", "yes", "t", "y"}
_FALSE = {"0", "0_0", "false", "no", "f", "n"}

_MOST_KINDS = 100
"""Different entries of a column that says what kind of trial a row is."""

RESPONDENT = ("answered_by", "respondent_type", "respondent_kind", "responder", "answerer")
"""Usual names of the column that says whether a person or which machine answered."""
_PEOPLE = {"person", "people", "human", "humans", "participant", "subject"}


def is_person(label: object) -> bool:
    """Whether a label of who answered says that it was a person."""
    return normalize_heading(str(label)) in _PEOPLE


def screening_columns(names: Sequence[str]) -> tuple[list[str], str | None]:
    """Return columns that may say that a row is no answer, and the one that says who answered."""
    found, who = [], None
    for name in names:
        key = normalize_heading(name.removeprefix(GROUP))
        words = set(key.split("_"))
        if words & _KINDS or (words & _FLAGS and not words & _NO_FLAGS):
            found.append(name)
        who = name if who is None and key in RESPONDENT else who
    return found, who


def who_is_a_person(groups: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_] | None:
    """Return which answers are of people, None if no group says who answered."""
    _, name = screening_columns(list(groups))
    if name is None:
        return None
    return np.array([is_person(label) for label in groups[name].tolist()], dtype=bool)


def respondent_condition(name: str, column: pa.ChunkedArray, respondent: str) -> Condition | None:
    """Return the condition that keeps the answers of people, unless others are wanted."""
    words, codes = encode_column(name, column)
    people = tuple(word for word in words if is_person(word))
    if respondent == "all" or not people or len(people) == len(words):
        return None
    if respondent == "auto":
        machines = [word for word in words if word not in people]
        n_machines = int(np.isin(words, machines)[codes].sum())
        warnings.warn(
            f"Only the answers of people are read; {n_machines:,} of {len(codes):,} rows are of"
            f" machines ({', '.join(machines[:3])} in {name!r}). For these pass"
            f" {argument('respondent', 'machine')} or {argument('respondent', 'all')}.",
            stacklevel=8,
        )
    return Condition(name, people, excluded=respondent == "machine")


_ID = re.compile(r"[A-Za-z]{0,12}[-_ ]?\d+|[0-9a-f]{8,}", re.IGNORECASE)
_WHO = frozenset({"id", "name", "code", "who", "initials", "email", "login", "uid", "key"})
_FEWEST_PEOPLE, _MOST_PEOPLE = 3, 2000
"""Labels of a column that may say who answered."""


def warn_of_people(log: Log, labels: Sequence[str]) -> None:
    """Warn of a column that may say who answered, if no column is called so."""
    if log.layout.groups is not None or "participant" in log.found.groups:
        return
    for name, column in log.unused.items():
        if name in log.roles or is_answer(name) or is_plan(name) or is_negative(name):
            continue
        words, codes = encode_column(name, column)
        calls = normalize_heading(name).split("_")
        is_called = not _WHO.isdisjoint(calls) and all(map(str.isalpha, calls))
        are_ids = all(map(_ID.fullmatch, words)) and not all(map(str.isdigit, words))
        if (
            (is_called or are_ids)
            and _FEWEST_PEOPLE <= len(words) <= min(_MOST_PEOPLE, len(codes) // 2)
            and set(words).isdisjoint(labels)
        ):
            warnings.warn(
                f"{name!r} may say who answered ({len(words):,} labels), but is not used; pass"
                f" {argument('groups', {'participant': name})}.",
                stacklevel=6,
            )
            return


def refuse_other_trials(columns: Mapping[str, pa.ChunkedArray]) -> None:
    """Refuse rows that columns call practice, catch trials and the like, until that is decided."""
    covered: NDArray[np.bool_] | None = None
    left_out, said = [], []
    for name, column in columns.items():
        if not has_labels(column):
            continue
        words, codes = encode_column(name, column)
        if len(words) > _MOST_KINDS:
            continue
        null = column.is_null().to_numpy()
        covered = np.zeros(len(codes), dtype=bool) if covered is None else covered
        keys = [normalize_heading(word) for word in words]
        is_flag = set(normalize_heading(name).split("_")) & _FLAGS and set(keys) <= _TRUE | _FALSE
        other = [bool(key in _TRUE if is_flag else _TRIAL.fullmatch(key)) for key in keys]
        rows = np.array(other or [False])[codes] & ~null
        if not rows.any() or rows.all() or not (rows & ~covered).any():
            continue
        covered |= rows
        entries = [word for word, does in zip(words, other, strict=True) if does]
        left_out += [f"{name}={entry}" for entry in entries]
        said.append(f"{name!r} says {', '.join(entries[:3])} in {rows.sum():,}")
    if left_out and covered is not None:
        raise LayoutError(
            f"Column {' and '.join(said)} of {len(covered):,} rows; leave such rows out with"
            f" {argument('exclude', left_out)}, or keep them with {argument('exclude', [])}.",
            [{"exclude": left_out}],
            code="practice-rows",
        )
