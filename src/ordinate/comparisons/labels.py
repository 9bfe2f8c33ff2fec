"""Labels of objects: their natural order, and the number that each label stands for."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, as_text_or_numbers, check_names, is_text

_FEWEST_REFUSED = 10**6
_LEAST_SHARE = 1e-3
"""An array that names at least so many objects is refused if a smaller share of them occurs."""


class DoubtfulObjectsWarning(UserWarning):
    """Objects that may not be what they seem, such as numbers that no row of an array has.

    Examples
    --------
    >>> import warnings
    >>> import ordinate as od
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     model = od.SOE().fit([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    >>> print(str(caught[0].message)[:62])
    Object 0 occurs in no row: objects count from 0, and these may
    """

    __module__ = "ordinate"  # where users find it


def count_numbers(largest: int, n_entries: int) -> int:
    """Return how many objects positions are about, unless hardly any of them can occur."""
    n_objects = largest + 1
    if n_objects >= _FEWEST_REFUSED and n_entries < _LEAST_SHARE * n_objects:
        raise InputError(
            f"The largest object number is {largest}, but there are only {n_entries} entries:"
            " they look like labels, not like positions that count from 0. Pass them as text,"
            " read_comparisons(rows.astype(str))."
        )
    return n_objects


def warn_of_unseen(occurs: NDArray[np.bool_]) -> None:
    """Warn of numbers below the largest that no row has: a fit would place them anywhere."""
    n_objects = len(occurs)
    unseen = np.flatnonzero(~occurs).tolist()
    if not unseen:
        return
    if unseen == [0]:
        problem = (
            "Object 0 occurs in no row: objects count from 0, and these may have been counted from"
            f" 1. Subtract 1, or pass Comparisons(rows, n_objects={n_objects}) if there is an"
            " object 0."
        )
    else:
        listed = ", ".join(map(str, unseen[:5])) + (", …" if len(unseen) > 5 else "")
        problem = (
            f"{len(unseen):,} of the objects 0 to {n_objects - 1} occur in no row ({listed}) and"
            f" get arbitrary places. Pass Comparisons(rows, n_objects={n_objects}) if they are"
            " objects, or read_comparisons(rows.astype(str)) if the numbers are labels."
        )
    warnings.warn(problem, DoubtfulObjectsWarning, stacklevel=5)


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.0*)?")
_DIGITS = re.compile(r"([0-9]+)")


def is_number(text: str) -> bool:
    """Whether a text reads as a finite number."""
    return _NUMBER.fullmatch(text) is not None


def in_natural_order(labels: Iterable[str]) -> list[str]:
    """Sort labels as people do: numbers by value, and item2 before item10."""
    return sorted(labels, key=_natural_key)


def _natural_key(label: str) -> tuple[Any, ...]:
    if is_number(label):
        return (0, float(label), label)
    # text and digits take turns, text first, so that keys of two labels can be compared
    parts = [_by_value(part) if at % 2 else part for at, part in enumerate(_DIGITS.split(label))]
    return (1, parts, label)


def _by_value(digits: str) -> tuple[int, str]:
    """Return a key that sorts whole numbers by value; Python's int takes only so many digits."""
    significant = digits.lstrip("0")
    return len(significant), significant


def one_spelling(labels: Iterable[str], names: Sequence[object] = ()) -> dict[str, str]:
    """Find whole numbers written in several ways, as pandas does in a column with a gap."""
    given = set(map(str, names))
    spellings: dict[str, set[str]] = {}
    for label in given.union(labels):
        if match := _WHOLE.fullmatch(label):
            spellings.setdefault(match[1], set()).add(label)
    several = (
        sorted(found, key=lambda label: (label not in given, len(label)))
        for found in spellings.values()
        if len(found) > 1
    )
    return {other: first for first, *others in several for other in others if other not in given}


def look_alike(labels: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Find labels that people would take for one another."""
    alike: dict[object, list[str]] = {}
    for label in labels:
        alike.setdefault(_appearance(label), []).append(label)
    return tuple(tuple(found) for found in alike.values() if len(found) > 1)


def _appearance(label: str) -> object:
    """Return what labels that look alike have in common."""
    if is_number(label) and abs(float(label)) < 2**53:
        return float(label)
    if not label.isascii():
        label = unicodedata.normalize("NFC", _seen(label).casefold())
    return " ".join(label.lower().split())


def _seen(label: str) -> str:
    """Return a label without letters that cannot be seen, such as zero-width spaces."""
    return "".join(letter for letter in label if unicodedata.category(letter) != "Cf")


_NO_ENTRY = frozenset(
    [
        *("na", "n/a", "nan", "null", "none", "nil", "undefined", "missing", "<na>"),
        *("#n/a", "#na", "#value!", "#ref!", ".", "-", "--", "?", ""),
    ]
)
"""How people and programs write that there is no entry, in small letters."""


def look_missing(labels: Iterable[str]) -> tuple[str, ...]:
    """Find labels that may say that there is no entry, among them -99 if none other is negative."""
    labels = list(labels)
    found = [label for label in labels if label.lower() in _NO_ENTRY]
    below = [label for label in labels if is_number(label) and label.startswith("-")]
    if len(below) == 1 and re.fullmatch(r"-99+(\.0*)?", below[0]):
        found += below
    return tuple(found)


def warn_of_labels(labels: Sequence[str] | None) -> None:
    """Warn of labels that look alike or like no entry, once they were read."""
    missing = look_missing(labels or ())
    if missing:
        listed = ", ".join(map(repr, missing[:3])) + (", …" if len(missing) > 3 else "")
        warnings.warn(
            f"Labels that may mean that there is no entry are read as objects: {listed}. Leave such"
            " entries empty if they do.",
            DoubtfulObjectsWarning,
            stacklevel=3,
        )
    twins = look_alike(labels or ())
    if twins:
        warnings.warn(
            f"Labels look alike and may be one object: {list_labels(twins)}. Spell them alike if"
            " they are.",
            DoubtfulObjectsWarning,
            stacklevel=3,
        )


def list_labels(alike: Sequence[Sequence[str]], most: int = 3) -> str:
    """Return the first labels that look alike such that their difference is seen."""

    def joined(labels: Sequence[str]) -> str:
        same = len({unicodedata.normalize("NFC", label) for label in labels}) < len(labels)
        return " and ".join(ascii(label) if same else repr(label) for label in labels)

    more = f"; {len(alike) - most:,} more" if len(alike) > most else ""
    return "; ".join(map(joined, alike[:most])) + more


def number_labels(
    vocabularies: Sequence[Iterable[str]], names: Sequence[object] | None = None
) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """Give every label of one or more vocabularies a number."""
    vocabularies = [list(vocabulary) for vocabulary in vocabularies]
    occurring = set().union(*vocabularies)
    respelt = one_spelling(occurring, names or ())
    known = check_names(in_natural_order(occurring - set(respelt)) if names is None else names)
    number = {label: position for position, label in enumerate(known)}
    number |= {label: number[name] for label, name in respelt.items() if name in number}
    for label in (label for vocabulary in vocabularies for label in vocabulary):
        if label not in number:
            raise InputError(f"Object {label!r} is not among the {len(known)} names given.")
    return known, [
        np.array([number[label] for label in vocabulary], dtype=np.int32)
        for vocabulary in vocabularies
    ]


def number_objects(
    arrays: Sequence[ArrayLike], names: Sequence[object] | None = None
) -> tuple[list[NDArray[Any]], Sequence[object] | None]:
    """Return arrays of labels as arrays of numbers, and arrays of numbers as they are."""
    given = [as_text_or_numbers(array) for array in arrays]
    are_text = [is_text(array) for array in given]
    if not any(are_text):
        return given, names
    if not all(are_text):
        raise InputError("Objects must be all names or all numbers; got some of each.")
    distinct = [np.unique(array, return_inverse=True) for array in given]
    known, numbers = number_labels([words.tolist() for words, _ in distinct], names)
    coded: list[NDArray[Any]] = [
        table[inverse].reshape(array.shape)
        for table, (_, inverse), array in zip(numbers, distinct, given, strict=True)
    ]
    return coded, known
