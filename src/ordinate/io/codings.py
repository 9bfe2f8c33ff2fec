"""How a column of answers is coded.

An answer may name the object that was chosen, or its column, or count positions from 0 or 1, or say
whether the first of two was chosen. A coding is excluded only by entries that it cannot produce,
never by what columns are called or how they are numbered; where codings that are left disagree, the
file is refused, as it must never be read the wrong way round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError, shortened
from ordinate.comparisons.labels import is_number
from ordinate.io.doubts import LayoutError
from ordinate.io.headings import CHOOSING, MARKS, SECOND, marks_of, normalize_heading

Coding: TypeAlias = Literal["auto", "holds", "name", "from-0", "from-1", "column"]
CODINGS: tuple[str, ...] = get_args(Coding)
"""How an answer says what was chosen, as `coding` calls it."""
BY_NAME = ("name", "column")
"""Codings that do not depend on the order of the options."""

_TRUTH = ("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"), ("1", "0"), ("1", "-1")
"""Entries that say that the first of two was chosen, and that it was not; 0 and -1 never mix."""
_SIDES = (
    *(("left", "right"), ("l", "r"), ("arrowleft", "arrowright"), ("arrow_left", "arrow_right")),
    ("leftvote", "rightvote"),
)
_RESULTS: Mapping[tuple[str, ...], tuple[str, ...]] = {("home", "away"): ("h", "a")}
_SCORE = ("1_0", "0_1")
"""How results of games say who won, 1-0 or H."""
POSITIONS = {"0", "1", "2", "0.0", "1.0", "2.0", "first", "second"}.union(*_TRUTH, *_SIDES)
"""What an answer holds that does not name an object."""
_TIE = re.compile(
    r"(tie[ds]?|draw|drawn|equals?|same|both|neither|none|undecided|cannot_tell|same_quality"
    r"|(tie_?)?(both_?(bad|good))(_vote)?|no_(difference|preference)|tievote"
    r"|1/2_1/2|0\.5_0\.5|½_½)"
)
"""Entries that say that neither of two was chosen."""
_FEW_ENTRIES = 3
"""Entries that cannot be read, such as timeout, of which one may leave out the rows."""


class Reading(NamedTuple):
    """One way to read a column of answers."""

    coding: str
    in_file_order: bool = False
    """Whether positions count the columns as they stand in the file, not as they are called."""


Positions: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class Choice:
    """Entries of a column of answers beside what there was to choose from."""

    column: str
    words: Sequence[str]
    codes: NDArray[Any]
    valid: NDArray[np.bool_]
    shown: NDArray[Any]
    labels: Sequence[str]
    options: Sequence[str]
    order: Sequence[int] = ()
    stated: bool = False
    """Whether the columns state a comparison, so that "true" says that it holds."""
    is_list: bool = False
    columns: Sequence[str] = ()
    """All columns of answers, if each row has several."""
    told: bool = False
    """Whether the caller said how the answers are coded."""
    counts_buttons: bool = False
    """Whether the program that wrote the log counts from 0."""
    may_tie: bool = False

    def fitting(self, coding: str = "auto") -> dict[Reading, Positions]:
        """Return the positions of the options chosen, for each reading that fits all rows."""
        found: dict[Reading, Positions] = {}
        for name in CODINGS[1:] if coding == "auto" else [coding]:
            table = self._table(name)
            if name == "name":
                numbers = np.array([self._numbers.get(word, -2) for word in self.words] or [-2])
                same = self.shown == numbers[self.codes][:, None]
                found[Reading(name)] = np.where(same.any(axis=1), same.argmax(axis=1), -1)
            elif table is not None:
                at = np.array([table.get(_key(word), -1) for word in self.words] or [-1])
                found[Reading(name)] = at[self.codes]
                if list(self.order) != sorted(self.order) and (
                    name.startswith("from") or (name == "holds" and not self.stated)
                ):
                    found[Reading(name, True)] = np.array(self.order)[at[self.codes]]
        return {r: at for r, at in found.items() if not (self.valid & (at < 0)).any()}

    @cached_property
    def words_given(self) -> list[str]:
        """Entries of rows that have one; few, where rows are many."""
        given = np.bincount(self.codes[self.valid], minlength=len(self.words))
        return [word for word, times in zip(self.words, given, strict=True) if times]

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        """The number of the object that each entry names, however it is spelt; -2 where none."""
        exact = {label: at for at, label in enumerate(self.labels)}
        if all(word in exact for word in self.words_given):
            return exact
        alike: dict[str, int] = {}
        for at, label in enumerate(self.labels):
            alike[_key(label)] = -2 if _key(label) in alike else at
        return {word: exact.get(word, alike.get(_key(word), -2)) for word in self.words}

    def _table(self, coding: str) -> Mapping[str, int] | None:
        """Return the first table of a coding that knows all entries."""
        keys = {_key(word) for word in self.words_given}
        return next((table for table in self._tables(coding) if keys <= table.keys()), None)

    def _tables(self, coding: str) -> Iterator[Mapping[str, int]]:
        """Return what entries mean; those of different tables do not occur together."""
        of_two = len(self.options) == 2 and not self.is_list
        if coding == "column":
            parts = marks_of(self.options)
            by_number = self.told or not any(map(is_number, parts))
            words = {word: at for at, word in enumerate(parts) if word and by_number}
            for pair in _SIDES if parts == _SIDES[0] else ():
                words |= {word: at for at, word in enumerate(pair)}
            words |= {word: at for at, word in enumerate(_RESULTS.get(parts, ()))}
            yield words | {normalize_heading(name): at for at, name in enumerate(self.options)}
            if of_two:
                yield {word: at for at, word in enumerate(_SCORE)}
        elif coding == "holds":
            for pair in _TRUTH if of_two else ():
                yield {word: abs(at - (self.named_option or 0)) for at, word in enumerate(pair)}
        elif coding != "name" and (self.named_option is None or not self._are_truth_values):
            first = int(coding.removeprefix("from-"))
            yield {str(first + at): at for at in range(len(self.options))}
            # `response == 1` is true of the second of two
            for pair in _TRUTH if coding == "from-0" and of_two and not self.stated else ():
                yield {word: 1 - at for at, word in enumerate(pair)}

    @property
    def _are_truth_values(self) -> bool:
        return any(set(pair) >= {_key(word) for word in self.words_given} for pair in _TRUTH)

    @cached_property
    def named_option(self) -> int | None:
        """Which of two the column is called after, as chose_right is; None for neither or both."""
        words = set(normalize_heading(self.column).split("_"))
        if len(self.options) != 2 or self.is_list or words.isdisjoint(CHOOSING):
            return None
        first, second = marks_of(self.options)
        if not {first, second} & words:
            first = next((word for word in SECOND.values() if word in words), first)
            second = next((word for word in SECOND if word in words), second)
        return None if (first in words) == (second in words) else int(second in words)

    def may_answer(self, is_called_so: bool) -> bool:
        """Whether all entries can say which was chosen, and some that it was not the first."""
        sides = {_key(word) for word in self.words_given}
        return any(sides == set(pair) for pair in _SIDES) or any(
            is_called_so or (at > 0)[self.valid].any() for at in self.fitting().values()
        )

    def says_first(self) -> bool:
        """Whether the column can be read so that all rows chose the first option."""
        return any((at == 0)[self.valid].all() for at in self.fitting().values())

    def without_ties(self) -> tuple[Choice, NDArray[np.bool_]]:
        """Return the answers that chose one of two, called as they call them, and which did not."""
        plain = {word: re.sub(r"[()]", "", normalize_heading(word)) for word in self.words_given}
        ties = {word for word, key in plain.items() if _TIE.fullmatch(key)}
        for word in ties.intersection(self.labels):
            raise InputError(
                f"{word!r} in column {self.column!r} may be the item of that name or a tie; rename"
                " the item."
            )
        is_tie = np.array([word in ties for word in self.words] or [False])[self.codes] & self.valid
        choice = replace(self, valid=self.valid & ~is_tie)
        given = {normalize_heading(word) for word in choice.words_given}
        if not (given <= set(map(normalize_heading, self.labels)) or choice.fitting("column")):
            called = (marks for marks in MARKS if given <= set(marks) and not marks[0].isdigit())
            choice = replace(choice, options=next(called, self.options))
        return choice, is_tie

    def explained(self, reading: Reading) -> str:
        """Return what entries mean if they are so read."""
        if reading.coding == "name":
            return "it names the object that was chosen"
        table = self._table(reading.coding) or {}
        order = self.order if reading.in_file_order else range(len(self.options))
        known = [(w, self.options[order[table[_key(w)]]]) for w in sorted(self.words_given)]
        return " and ".join(f"{word} means {option!r}" for word, option in known[:3])

    def entries(self) -> str:
        """Return some of the entries."""
        present = sorted(self.words_given)
        return " and ".join(present[:3]) + (" and others" if len(present) > 3 else "")

    def listed(self) -> str:
        """Return the column with some of its entries, beside what there was to choose from."""
        in_file = [self.options[at] for at in self.order] or self.options
        options = " and ".join(map(repr, in_file))
        return f"Column {self.column!r} holds {self.entries()} beside {options}"

    def unreadable(self, coding: str, place: Callable[[int], str]) -> LayoutError:
        """Say which row cannot be read."""
        misfits = self.misfits(coding)
        row = int(np.argmax(misfits))
        sides = " or ".join(map(repr, self.options[:4]))
        holds = ", true or false" if len(self.options) == 2 and not self.is_list else ""
        objects = ", ".join(repr(self.labels[o]) for o in self.shown[row] if o >= 0)
        named = f"the object that was chosen ({objects})" if objects else "which was chosen"
        word = self.words[self.codes[row]]
        column = self.columns[row % len(self.columns)] if self.columns else self.column
        others = sorted({self.words[code] for code in self.codes[misfits]})
        is_few = len(others) <= _FEW_ENTRIES and 2 * misfits.sum() < self.valid.sum()
        choice: dict[str, Any] = {"exclude": [f"{column}={other}" for other in others]}
        tie = " A tie is written tie or draw." if self.may_tie else ""
        numbers = {float(word): word for word in self.words_given if is_number(word)}
        none = numbers.get(0.5, numbers.get(0.0))
        if self.may_tie and len(numbers) == len(self.words_given) == 3 and none is not None:
            choice = {"map": {none: "tie"}}
            tie = f" If {none} means a tie, say so with {argument('map', choice['map'])}."
        return LayoutError(
            f"{place(row)} has {shortened(word)} in column"
            f" {column!r}; expected {named}, its column ({sides}), its number{holds}, coded"
            " alike in all rows. Write what a key or code stands for, or leave such rows out with"
            f" {argument('exclude', f'{column}={word}')}.{tie}",
            [choice] if (is_few or "map" in choice) and not self.columns else [],
            code="unreadable-answers",
        )

    def misfits(self, coding: str = "auto") -> NDArray[np.bool_]:
        """Return the rows that cannot be read, if the column is coded as most rows are."""
        misfits = []
        for name in CODINGS[1:] if coding == "auto" else [coding]:
            if name == "name":
                known = np.array([self._numbers.get(word, -2) for word in self.words] or [-2])
                same = (self.shown == known[self.codes][:, None]).any(axis=1)
                misfits.append(self.valid & ~same)
            for table in self._tables(name):
                unknown = np.array([_key(word) not in table for word in self.words] or [True])
                misfits.append(self.valid & unknown[self.codes])
        return min(misfits, key=lambda rows: int(rows.sum()), default=self.valid)


def chosen_positions(
    choices: Sequence[Choice], coding: str, place: Callable[[int], str]
) -> tuple[Positions, str]:
    """Return the position of the option that each row chose, and how the first column is coded."""
    first, *others = choices
    told = [
        (choice.fitting("from-0") if choice.counts_buttons and coding == "auto" else None)
        or choice.fitting(coding)
        for choice in choices
    ]
    if not any(told):
        raise first.unreadable(coding, place)
    found = [fits or choice.fitting() for fits, choice in zip(told, choices, strict=True)]
    if not found[0]:
        other = choices[next(at for at, fits in enumerate(found) if fits)]
        raise disagreement(other, first, int(np.argmax(first.misfits())), place)
    both = np.all([choice.valid for choice in choices], axis=0)
    agreed = dict(found[0])
    for other, fits in zip(others, found[1:], strict=True):
        agreed = {
            reading: positions
            for reading, positions in agreed.items()
            if any((positions == also)[both].all() for also in fits.values())
        }
        if not agreed:
            apart = [both & (a != b) for a in found[0].values() for b in fits.values()]
            apart = apart or [other.misfits()]
            nearest = min(apart, key=lambda rows: int(rows.sum()))
            raise disagreement(first, other, int(np.argmax(nearest)), place)
    reading = next(iter(agreed))
    for other_reading, positions in agreed.items():
        if (positions != agreed[reading])[first.valid].any():
            raise _ambiguous(first, reading, other_reading)
    for choice, fits in zip(choices, found, strict=True) if coding == "auto" else ():
        keys = {_key(word) for word in choice.words_given}
        known = {*marks_of(choice.options), *map(normalize_heading, choice.options)}
        same = [r for r, at in fits.items() if (at == agreed[reading])[both].all()]
        if (
            len(keys) == 1
            and not keys <= known
            and all(len(key) == 1 and key.isalpha() for key in keys)
            and all(one.coding != "name" for one in same)
        ):
            raise LayoutError(
                f"{choice.listed()}, which is short for a word or a key that was pressed; say that"
                f" {choice.explained(same[0])} with {argument('coding', same[0].coding)}, or write"
                " words out.",
                [{"coding": same[0].coding}],
                code="two-codings",
            )
    return agreed[reading], reading.coding


def _ambiguous(choice: Choice, one: Reading, other: Reading) -> LayoutError:
    spelt = " or ".join(
        f"{choice.explained(reading)} ({argument('coding', reading.coding)})"
        for reading in (one, other)
    )
    ways = f"{choice.listed()}, which can be read in two ways: {spelt}"
    if one.coding == other.coding:
        advice = f"{ways}; say in which order the objects count with {argument('columns', ...)}."
        return LayoutError(advice, code="two-orders")
    numbers = all(map(is_number, choice.words_given))
    in_order = sorted((one.coding, other.coding), key=lambda c: (c == "holds") == numbers)
    choices = [{"coding": coding} for coding in in_order]
    return LayoutError(f"{ways}; say which with {argument('coding')}.", choices, code="two-codings")


def disagreement(one: Choice, other: Choice, row: int, place: Callable[[int], str]) -> LayoutError:
    """Say that two columns of answers differ in a row."""
    entries = [repr(choice.words[choice.codes[row]]) for choice in (one, other)]
    return LayoutError(
        f"Columns {one.column!r} and {other.column!r} both say what was chosen, but do not agree:"
        f" {place(row)} has {entries[0]} and {entries[1]}. Choose one with"
        f" {argument('answer', one.column)} or"
        f" {argument('answer', other.column)}, and the objects with {argument('columns', ...)}.",
        [{"answer": one.column}, {"answer": other.column}],
        code="witness-disagrees",
    )


def _key(word: str) -> str:
    """Return a word in small letters, and 1.0 and +1 as 1."""
    if is_number(word) and float(word).is_integer():
        return str(int(float(word)))
    return normalize_heading(word)
