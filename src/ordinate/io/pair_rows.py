"""Rows of a log about two items, or of a square table of wins, as a record of pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import NO_ROWS, InputError
from ordinate.comparisons.labels import is_number
from ordinate.comparisons.pairs import Pairs
from ordinate.io.codings import Choice, chosen_positions, disagreement
from ordinate.io.columns import as_numbers, as_objects, encode_column, valid_rows
from ordinate.io.doubts import LayoutError
from ordinate.io.headings import (
    FIRST_SECOND,
    IN_ORDER,
    LEFT_RIGHT,
    MARKS,
    PLACE_STEMS,
    SCREEN,
    WEIGHT,
    Headings,
    Marks,
    are_scores,
    marks_of,
    normalize_heading,
)
from ordinate.io.layout import Layout
from ordinate.io.layout_table import FoundLayout, find_column, find_pairs
from ordinate.io.rows import AnsweredRows, Reading
from ordinate.io.screening import warn_of_people
from ordinate.io.tables import Table
from ordinate.tasks import BEST_WORST, PAIR, repeats_within

_TIE_WORDS = (
    *("tie", "tied", "ties", "draw", "drawn", "equal", "equals", "same", "both", "neither", "none"),
    *("tie_bothbad", "bothbad", "both_bad", "both_good", "bothgood", "tie_bothgood"),
    *("no_difference", "no_preference", "undecided", "cannot_tell", "same_quality", "tie_both_bad"),
    *("1/2_1/2", "0.5_0.5", "½_½", "tievote", "bothbad_vote"),
)
_TIE_NUMBERS = {0.0: ({1.0, 2.0}, {1.0, -1.0}), 0.5: ({0.0, 1.0},)}
"""Numbers that may mean a tie if the other answers are these."""


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
        columns = [_place_entries(rows, name) for name in self.names]
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


def _find_sides(headings: Headings, items: Sequence[str], asked: str | None) -> SideColumns:
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


def _place_entries(rows: AnsweredRows, name: str) -> NDArray[np.str_]:
    """Return the entries of a column in small letters, 1.0 as 1; nothing where one is missing."""
    words, codes = encode_column(name, rows.column(name))
    plain = np.array([*(normalize_heading(word).removesuffix("_0") for word in words), ""])
    return np.asarray(plain[np.where(rows.column(name).is_null().to_numpy(), len(words), codes)])


def read_pair_table(table: Table, layout: Layout) -> tuple[Pairs, Reading]:
    """Read the columns that matter, and turn the rows that count into pairs."""
    if layout.columns is None and is_square(table):
        return _read_square(table, layout)
    found = find_pairs(table.names, layout)
    sides = SideColumns()
    if found.question == PAIR:
        asked = layout.shown_first
        asked = None if asked is None else find_column(table.names, asked, "shown_first")
        sides = _find_sides(Headings(table.names), found.objects, asked)
    beside = [name for pair in found.ambiguous_pairs for name in pair]
    rows = AnsweredRows(table, found, layout, [*sides.names, *beside])
    if found.question == PAIR:
        pairs, origin = _pairs(rows, sides, layout)
    else:
        pairs, origin = _ordered_pairs(rows, layout)
    if layout.reverse:
        pairs = pairs.reversed()
    is_said = (found.question == PAIR and _says_order(found)) or any(
        name in rows.roles for name in sides.names
    )
    warn_of_people(rows, pairs.names or ())
    decided = int(np.argmax(pairs.outcomes != 0))
    place = rows.place_within(int(origin[decided]))
    example = describe_row(pairs, place, decided, is_said) + ", reversed" * layout.reverse
    return pairs, rows.reading(example, origin, guessed=True)


def _pairs(
    rows: AnsweredRows, columns: SideColumns, layout: Layout
) -> tuple[Pairs, NDArray[np.intp]]:
    """Return the record, and from which row each of its rows comes."""
    found = rows.found
    shown, labels = as_objects(rows.chosen(found.objects), layout.names, rows.place)
    if found.stated:
        rows.refuse_other_objects(shown, labels)
    missing = rows.missing([*found.objects, *found.answers, *found.groups.values()])
    missing |= rows.missing(found.numbers)
    sides = columns.read(rows, shown, labels) if columns.names else None
    missing |= {} if sides is None else rows.missing(columns.names)
    outcome, weights = _outcomes(rows, shown, labels, sides, layout)
    keep = valid_rows(
        missing,
        shown[:, 0] == shown[:, 1],
        layout.on_invalid,
        rows.place,
        lambda row: tuple(labels[item] for item in shown[row]),
    )
    at = np.arange(len(shown))[keep]
    if len(at) < len(shown):
        rows.left_out["without an answer"] = len(shown) - len(at)
    if layout.columns is None:
        rows.refuse_anchors(shown, labels)
    if found.weight is not None:
        given = as_numbers(found.weight, rows.column(found.weight), "weights")
        weights = given if weights is None else weights * given[:, None]
    if outcome is None:  # how often each outcome was seen
        assert weights is not None
        at, kind = np.nonzero(np.where(np.isin(np.arange(len(shown)), at)[:, None], weights, 0))
        outcome, weights = 1 - kind, weights[at, kind]
    else:
        outcome, weights = outcome[at], None if weights is None else weights[at]
    if len(at) == 0:
        raise InputError(NO_ROWS)
    has_order = found.answers or _says_order(found) or (found.votes and are_scores(found.votes))
    ordered = bool(has_order) and len(set(outcome.tolist()) - {0}) == 2
    items = shown[at]
    if sides is not None:
        turned, ordered = sides.turned[at], True
        items = np.where(turned[:, None], items[:, ::-1], items)
        outcome = np.where(turned, -outcome, outcome)
    which = ("winner", "loser") if found.stated else ("first item", "second item")
    rows.note(found.objects, [f"the {item}" for item in which])
    return Pairs(
        items,
        outcome,
        ordered=ordered,
        weights=weights,
        groups=rows.groups(at),
        names=labels,
    ), at


def _ordered_pairs(rows: AnsweredRows, layout: Layout) -> tuple[Pairs, NDArray[np.intp]]:
    """Return who came before whom in rankings, or in answers about the best and the worst."""
    found = rows.found
    items, labels = as_objects(rows.chosen(found.objects), layout.names, rows.place)
    for at, name in enumerate(found.objects):
        items[rows.column(name).is_null().to_numpy(), at] = -1
    order = np.tile(np.arange(items.shape[1]), (len(items), 1))
    if found.question == BEST_WORST:
        order = _places_by_best_and_worst(rows, items, labels, layout)
    elif layout.question == "auto" and {labels[item] for item in np.unique(items) if item >= 0} <= {
        str(place) for place in range(len(found.objects) + 1)
    }:
        raise LayoutError(
            f"Columns {', '.join(map(repr, found.objects))} hold numbers: items, best first, or"
            f" the ranks of items? For the former pass {argument('question', 'ranking')}.",
            [{"question": "ranking"}],
        )
    role = "to choose from" if found.answers else "of the ranking, best first"
    rows.note(found.objects, [f"an item {role}"] * len(found.objects))
    keep = valid_rows(
        rows.missing([*found.objects[:2], *found.answers, *found.groups.values()]),
        repeats_within(items),
        layout.on_invalid,
        rows.place,
        lambda row: tuple(labels[item] for item in items[row] if item >= 0),
    )
    kept = np.arange(len(items))[keep]
    items, order = items[kept], order[kept]
    before = (order[:, :, None] < order[:, None, :]) & (items[:, :, None] >= 0)
    row, first, second = np.nonzero(before & (items[:, None, :] >= 0))
    if len(row) == 0:
        raise InputError(NO_ROWS)
    won = np.column_stack([items[row, first], items[row, second]])
    origin = kept[row]
    groups = rows.groups(origin) | {"trial": rows.number(origin)}  # each row is one
    weights = None
    if found.weight is not None:
        weights = as_numbers(found.weight, rows.column(found.weight), "weights")[origin]
    return Pairs(won, weights=weights, groups=groups, names=labels), origin


def _places_by_best_and_worst(
    rows: AnsweredRows, items: NDArray[Any], labels: Sequence[str], layout: Layout
) -> NDArray[np.intp]:
    """Return 0 for the best item of each row, 2 for the worst and 1 for those between them."""
    found = rows.found
    if len(found.answers) != 2:
        raise InputError(
            f"Name the columns of the best and of the worst item with"
            f" {argument('answer', ['best', 'worst'])}; got {found.answers}."
        )
    (choice,) = rows.choices(items, labels, found.objects)
    positions, coding = chosen_positions([choice], layout.coding, lambda row: rows.place(row // 2))
    rows.note_answers(coding)
    best, worst = positions.reshape(-1, 2).T
    valid = choice.valid.reshape(-1, 2).all(axis=1)
    if (valid & (best == worst)).any():
        row = int(np.argmax(valid & (best == worst)))
        raise InputError(f"{rows.place(row)} has the same item as the best and the worst.")
    order = np.ones(items.shape, dtype=np.intp)
    order[valid, best[valid]], order[valid, worst[valid]] = 0, 2
    for name, which in zip(found.answers, ("best", "worst"), strict=True):
        rows.roles[name] = rows.roles[name].replace("the answer", f"the {which} item")
    return order


def _outcomes(
    rows: AnsweredRows,
    shown: NDArray[Any],
    labels: Sequence[str],
    sides: PresentationOrder | None,
    layout: Layout,
) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Return the outcome of each row, or weights of win, tie and loss."""
    found = rows.found
    if found.answers and found.stated:
        _refuse_other_winners(rows, shown, labels)
    elif found.answers:
        return _winners(rows, shown, labels, sides, layout), None
    if not found.votes:
        return np.ones(len(shown), dtype=np.intp), None
    figures = [as_numbers(name, rows.column(name), "counts") for name in found.votes]
    if are_scores(found.votes):
        rows.note(found.votes, ["what the first scored", "what the second scored"])
        return np.sign(figures[0] - figures[1]).astype(np.intp), None
    rows.note(found.votes, ["wins of the first", "wins of the second", "their ties"])
    for name, figure in zip(found.votes, figures, strict=True):
        if (figure < 0).any():
            place = rows.place(int(np.argmax(figure < 0)))
            raise InputError(f"{place} has a negative count in column {name!r}.")
    ties = figures[2] if len(figures) > 2 else np.zeros(len(shown))
    return None, np.column_stack([figures[0], ties, figures[1]])


def _winners(
    rows: AnsweredRows,
    shown: NDArray[Any],
    labels: Sequence[str],
    sides: PresentationOrder | None,
    layout: Layout,
) -> NDArray[np.intp]:
    """Read the column that says who won: ties first, the others as any choice of two."""
    choices, ties = _choices(rows, shown, labels)
    choice, is_tie = choices[0], ties[0]
    if not choice.valid.any() and not is_tie.any():
        raise InputError(f"Column {choice.column!r} has no entries at all.")
    for other, also_tie in zip(choices[1:], ties[1:], strict=True):
        apart = (is_tie & other.valid) | (also_tie & choice.valid)
        if apart.any():
            raise disagreement(choice, other, int(np.argmax(apart)), rows.place)
    if not choice.valid.any():
        return np.zeros(len(shown), dtype=np.intp)
    try:
        positions, coding = chosen_positions(choices, layout.coding, rows.place)
    except InputError as error:
        if choice.fitting(layout.coding):
            raise
        error.args = (f"{error} A tie is written tie or draw.",)
        raise
    rows.refuse_witnesses(choice, positions)
    if sides is not None and sides.turned[choice.valid].any():
        if choice.options == sides.marks:  # the answer says where the winner was shown
            positions = np.where(sides.turned, 1 - positions, positions)
        elif layout.coding == "auto" and (
            choice.options in SCREEN
            or coding not in ("name", "column")
            or all(map(is_number, choice.words_given))
        ):  # an answer may mean where an item was shown, and not its column
            raise LayoutError(
                f"{choice.listed()}: these may be columns, or places in the order shown. Write"
                f" the winner's name, or choose columns with {argument('coding', coding)}.",
                [{"coding": coding}],
            )
    rows.note_answers(coding)
    if is_tie.any():
        words = sorted({choice.words[code] for code in choice.codes[is_tie]})
        rows.roles[choice.column] += f"; {', '.join(words[:3])} for a tie"
    return np.asarray(np.where(is_tie, 0, 1 - 2 * positions))


def _choices(
    rows: AnsweredRows, shown: NDArray[Any], labels: Sequence[str]
) -> tuple[list[Choice], list[NDArray[np.bool_]]]:
    """Return the columns that say who won, and in which rows each says that neither did."""
    choices, ties = [], []
    for choice in rows.choices(shown, list(labels), rows.found.objects):
        words = _tie_words(rows, choice, labels)
        is_tie = np.array([word in words for word in choice.words] or [False])[choice.codes]
        ties.append(np.asarray(is_tie & choice.valid))
        choice = replace(choice, valid=choice.valid & ~is_tie)
        options = choice.options if rows.found.stated else _spoken_of(choice)
        choices.append(replace(choice, options=options))
    return choices, ties


def _refuse_other_winners(rows: AnsweredRows, shown: NDArray[Any], labels: Sequence[str]) -> None:
    """Refuse an answer that does not name the item that the columns say won.

    Sides of a screen say nothing about that, unless the caller takes them for the answer.
    """
    found = rows.found
    for choice, is_tie in zip(*_choices(rows, shown, labels), strict=True):
        sides = {normalize_heading(word) for word in choice.words_given}
        if not found.answer_given and any(sides <= set(marks) for marks in SCREEN):
            continue
        if is_tie.any() or not choice.says_first():
            raise InputError(
                f"Columns {found.objects[0]!r} and {found.objects[1]!r} say who won, but"
                f" {choice.column!r}, which holds {choice.entries()}, does not say the same in"
                f" all rows. Leave it out with {argument('answer', [])}, or choose the items as"
                f" they were shown with {argument('columns', ...)}."
            )
        rows.roles[choice.column] = "the answer, as the columns of the items state it"


def _read_square(table: Table, layout: Layout) -> tuple[Pairs, Reading]:
    """Read a square table of wins with the items in its first column and its header."""
    if layout.matrix == "auto":
        raise LayoutError(
            "A square table of wins may count wins of its rows or of its columns; say so with"
            f" {argument('matrix', 'rows-win')} or {argument('matrix', 'columns-win')}.",
            [{"matrix": "rows-win"}, {"matrix": "columns-win"}],
        )
    first, *items = table.names
    columns = table.read([first], items)
    words, codes = encode_column(first, columns.column(first))
    place = {name: at for at, name in enumerate(items)}
    wins = np.column_stack([as_numbers(n, columns.column(n), "counts") for n in items])
    row_item = np.array([place[word] for word in words])[codes]
    at, item = np.nonzero(np.nan_to_num(wins))
    rows, weights = np.column_stack([row_item[at], item]), wins[at, item]
    if layout.matrix == "columns-win":
        rows = rows[:, ::-1]
    kept = rows[:, 0] != rows[:, 1]
    pairs = Pairs(rows[kept], weights=weights[kept], names=items)
    if layout.reverse:
        pairs = pairs.reversed()
    example = describe_row(pairs, "the first entry")
    roles = {first: f"the items; entries are wins of {layout.matrix.partition('-')[0]}"}
    return pairs, Reading(PAIR, roles, (), example, len(items), {}, True, len(pairs))


def pair_columns(pairs: Pairs) -> dict[str, Any]:
    """Return the columns of a table of pairs, which `read_pairs` reads: items, answer, groups."""
    names = np.array([str(pairs.name_of(item)) for item in range(pairs.n_objects)], dtype=object)
    left, right = names[pairs.rows.T]
    answer = np.where(pairs.outcomes == 0, "tie", np.where(pairs.outcomes > 0, left, right))
    columns: dict[str, Any] = {"left": left, "right": right, "answer": answer}
    if pairs.weights is not None:
        columns[WEIGHT] = pairs.weights
    return columns | dict(pairs.groups)


def _tie_words(rows: AnsweredRows, choice: Choice, labels: Sequence[str]) -> set[str]:
    """Return the entries that mean a tie; whether a number does is asked."""
    plain = {word: re.sub(r"[()]", "", normalize_heading(word)) for word in choice.words_given}
    found = {word for word, key in plain.items() if key in _TIE_WORDS}
    for word in found & set(labels):
        raise InputError(
            f"{word!r} in column {choice.column!r} may be the item of that name or a tie; rename"
            " the item."
        )
    numbers = {word: float(word) for word in choice.words_given if is_number(word)}
    for number, beside in _TIE_NUMBERS.items():
        ties = {word for word, value in numbers.items() if value == number} - set(labels)
        if ties and len(numbers) == len(plain) and set(numbers.values()) - {number} in beside:
            meant = {**(rows.layout.map or {}), **dict.fromkeys(sorted(ties), "tie")}
            raise LayoutError(
                f"{choice.listed()}: if {' and '.join(sorted(ties))} means a tie, say so with"
                f" {argument('map', meant)}; otherwise leave such rows out, or write what it is.",
                [{"map": meant}],
            )
    return found


def _spoken_of(choice: Choice) -> Sequence[str]:
    """Return the two columns as the answer calls them, such as left and right for item_a, …."""
    given = {normalize_heading(word) for word in choice.words_given}
    if given <= {normalize_heading(label) for label in choice.labels}:
        return choice.options
    if choice.fitting("column"):
        return choice.options
    return next((p for p in MARKS if given <= set(p) and not p[0].isdigit()), choice.options)


def _says_order(found: FoundLayout) -> bool:
    """Whether the names of the columns say which item comes first, such as left or home."""
    return marks_of(found.objects) in IN_ORDER


def is_square(table: Table) -> bool:
    """Whether the first column holds the names of all others."""
    first, *items = table.names
    if len(items) < 2:
        return False
    words, codes = encode_column(first, table.read([first]).column(first))
    return len(codes) == len(items) and set(words) == set(items)


def describe_row(pairs: Pairs, place: str, row: int = 0, is_said: bool = False) -> str:
    """Say what a row states, by whom, and who was shown first, if that counts."""
    first, second = (pairs.name_of(int(item)) for item in pairs.rows[row])
    said = {
        1: f"{first} beat {second}",
        0: f"{first} and {second} tied",
        -1: f"{second} beat {first}",
    }
    count = 1.0 if pairs.weights is None else float(pairs.weights[row])
    times = "" if count == 1 else f" ({count:g} times)"
    who = pairs.groups.get("participant")
    by = "" if who is None else f", said by {who[row]}"
    order = f"; {first} {'was' if is_said else 'is taken as'} shown first" if pairs.ordered else ""
    return f"{place}: {said[int(pairs.outcomes[row])]}{times}{by}{order}"
