"""Which of two items was shown first or left: the columns that say it, and what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.io.codings import Choice
from ordinate.io.columns import encode_column
from ordinate.io.headings import (
    FIRST_SECOND,
    LEFT_RIGHT,
    PLACE_STEMS,
    Headings,
    Marks,
    marks_of,
    normalize_heading,
)
from ordinate.io.rows import AnsweredRows

_NAMING = (
    *("shown_first", "first_shown", "item_shown_first", "presented_first", "first_presented"),
    *("first_item", "item_first"),
    *("shown_left", "left_shown", "item_shown_left", "left_item", "item_left"),
)
"""Usual names of a column that holds the item shown first, or left."""
_SHORT = ("first", "left")
"""Names of such a column that may hold something else."""
_OF_WINNER = ("chosen", "choice", "response", "selected")
_PLACES = {LEFT_RIGHT: LEFT_RIGHT, FIRST_SECOND: FIRST_SECOND} | {
    ("l", "r"): LEFT_RIGHT,
    ("1", "2"): FIRST_SECOND,
}
"""Entries that say where an item was shown, and what they mean."""
_FROM_0 = ("0", "1")
"""The same if both items have a place; of one item, 1 may also mean that it was shown first."""


class PresentationOrder(NamedTuple):
    """What a file says about who was shown first."""

    turned: NDArray[np.bool_]
    """In which rows the second item was."""
    marks: Marks
    """What the two sides are called."""


@dataclass(frozen=True)
class SideColumns:
    """The columns that say who was shown first: one with items, or one or two with places."""

    naming: str | None = None
    places: tuple[str | None, str | None] = (None, None)
    asked: bool = False
    """Whether the caller named the column."""

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [name for name in (self.naming, *self.places) if name is not None]

    def read(
        self, rows: AnsweredRows, shown: NDArray[np.int32], labels: Sequence[str]
    ) -> PresentationOrder | None:
        """Read who was shown first; None if the columns are about something else."""
        if self.naming is None:
            return self._placed(rows)
        marks = LEFT_RIGHT if "left" in normalize_heading(self.naming).split("_") else FIRST_SECOND
        words, codes = encode_column(self.naming, rows.column(self.naming))
        valid = ~rows.column(self.naming).is_null().to_numpy()
        items = rows.found.objects
        choice = Choice(self.naming, words, codes, valid, shown, labels, items, rows.found.order)
        may_be_other = normalize_heading(self.naming) in _SHORT and not choice.fitting("name")
        if not self.asked and (may_be_other or not valid.any()):
            return None
        fitting = list(choice.fitting().values())
        if any((other != fitting[0])[valid].any() for other in fitting[1:]):
            raise InputError(
                f"{choice.listed()}, which can be read in two ways; write the name of the item"
                f" that was shown {marks[0]}."
            )
        if not fitting:
            row = choice.first_unreadable()
            raise InputError(
                f"{rows.place(row)} has {words[codes[row]]!r} in column {self.naming!r}; expected"
                f" the item that was shown {marks[0]}, by name or as {items[0]!r} or {items[1]!r}."
            )
        rows.note([self.naming], [f"the item that was shown {marks[0]}"])
        return PresentationOrder(np.asarray(fitting[0] == 1), marks)

    def _placed(self, rows: AnsweredRows) -> PresentationOrder | None:
        """Read places, of both items or of one."""
        columns = [_entries(rows, name) for name in self.names]
        given = {word for column in columns for word in np.unique(column).tolist()} - {""}
        if given <= set(_FROM_0) and "0" in given:
            if len(columns) == 1:
                raise InputError(
                    f"Column {self.names[0]!r} holds {' and '.join(sorted(given))}, which may count"
                    " from 0 or say that the item was shown first; write first and second."
                )
            spelt, marks = _FROM_0, FIRST_SECOND
        else:
            spelt = next((words for words in _PLACES if given <= set(words)), ("", ""))
            if not given or spelt not in _PLACES:
                return None
            marks = _PLACES[spelt]
        late = [column == spelt[1] for column in columns]
        same = (late[0] == late[-1]) & (columns[0] != "") & (columns[-1] != "")
        if len(columns) == 2 and same.any():
            row = int(np.argmax(same))
            raise InputError(
                f"{rows.place(row)} has {str(columns[0][row])!r} in both {self.names[0]!r} and"
                f" {self.names[1]!r}; the two items need different places."
            )
        rows.note(self.names, ["where an item was shown"] * len(self.names))
        return PresentationOrder(late[0] if self.places[0] is not None else ~late[0], marks)


def find_sides(headings: Headings, items: Sequence[str], asked: str | None) -> SideColumns:
    """Find the columns that say who was shown first; there may be none."""
    if asked is not None:
        return SideColumns(asked, asked=True)
    others = Headings([name for name in headings.names if name not in items])
    if naming := others.exactly(_NAMING):
        return SideColumns(naming)
    first, second = (_place_column(others, item, items) for item in items)
    if first or second:
        return SideColumns(places=(first, second))
    return SideColumns(others.exactly(_SHORT))


def _place_column(headings: Headings, item: str, items: Sequence[str]) -> str | None:
    """Return the column that says where the item of a column was shown."""
    mark = marks_of(items)[items.index(item)]
    calls = [normalize_heading(item), mark, *(mark[-1:] if mark[-1:].isdigit() else ())]
    calls += _OF_WINNER if mark == "winner" else ()
    spelt = [
        name
        for call in calls
        for stem in PLACE_STEMS
        for name in (f"{stem}_{call}", f"{call}_{stem}", *([f"{stem}{call}"] * call.isdigit()))
    ]
    return headings.exactly(spelt)


def _entries(rows: AnsweredRows, name: str) -> NDArray[np.str_]:
    """Return the entries of a column in small letters, 1.0 as 1; nothing where one is missing."""
    words, codes = encode_column(name, rows.column(name))
    plain = np.array([*(normalize_heading(word).removesuffix("_0") for word in words), ""])
    return np.asarray(plain[np.where(rows.column(name).is_null().to_numpy(), len(words), codes)])
