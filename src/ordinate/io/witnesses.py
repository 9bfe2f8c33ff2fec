"""Columns beside the objects and the answer: what they hold must agree with how a log is read.

A witness is a column that names one of the objects shown in nearly all rows. Called after what was
not chosen, it must never name what was; called otherwise, it must always name it, or never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.labels import is_number
from ordinate.io import headings as usual
from ordinate.io.codings import BY_NAME, POSITIONS, Choice
from ordinate.io.columns import encode_column
from ordinate.io.doubts import LayoutError
from ordinate.io.layout_table import find_column
from ordinate.io.record_files import HEADERS
from ordinate.io.rows import Log
from ordinate.tasks import PAIR

_MOSTLY = 0.95
"""Share of the rows in which a further column must name objects to be about them."""


def named_objects(log: Log, name: str, labels: Sequence[str]) -> NDArray[np.intp]:
    """Return the objects that a further column names: -1 for others, -2 where there is none."""
    column = log.column(name)
    number = {label: at for at, label in enumerate(labels)}
    words, codes = encode_column(name, column)
    numbers = np.array([number.get(word, -1) for word in words] or [-1])[codes]
    numbers[column.is_null().to_numpy()] = -2
    return numbers


def _arrangement(
    log: Log, pair: Sequence[str], shown: NDArray[Any], labels: Sequence[str]
) -> NDArray[np.intp] | None:
    """Return how two further columns hold the two objects of each row, if they hold objects.

    0 if they stand alike, 1 if the other way round, -1 if others do, -2 where there is none.
    """
    first, second = (
        named_objects(log, name, labels) if name in log.unused else np.full(len(shown), -2)
        for name in pair
    )
    given = (first > -2) & (second > -2)
    if not given.any() or ((first >= 0) & (second >= 0))[given].mean() < _MOSTLY:
        return None
    alike = (first == shown[:, 0]) & (second == shown[:, 1])
    is_reversed = (first == shown[:, 1]) & (second == shown[:, 0])
    return np.where(alike, 0, np.where(is_reversed, 1, np.where(given, -1, -2)))


def check_objects(log: Log, items: NDArray[Any], labels: Sequence[str]) -> None:
    """Refuse columns found by their names that seem to hold no objects, or not all of them."""
    found, shown = log.found, items[:, log.found.anchored :]
    if log.layout.columns is not None:
        return
    for name in found.anchors if found.anchored else ():
        numbers = named_objects(log, name, labels)
        other = (numbers != items[:, 0]) & (numbers > -2)
        if other.any():
            raise LayoutError(
                f"Columns {found.objects[0]!r} and {name!r} may both hold the anchor, but"
                f" differ, first in {log.place(int(np.argmax(other)), within=True)}; choose the"
                f" columns of the objects with {argument('columns', ...)}.",
                code="two-layouts",
            )
    for pair in found.pairs if found.states and shown.shape[1] == 2 else ():
        arranged = _arrangement(log, pair, shown, labels)
        if arranged is not None and (arranged == -1).any():
            place = log.place(int(np.argmax(arranged == -1)), within=True)
            raise LayoutError(
                f"Columns {found.objects[-2]!r} and {found.objects[-1]!r} do not hold the objects"
                f" in {pair[0]!r} and {pair[1]!r}, first in {place}; choose the columns of the"
                f" objects with {argument('columns', ...)}.",
                code="two-layouts",
            )
    if found.question == PAIR:
        _refuse_third_items(log, items, labels)
    elif found.states or found.question in ("choose_k", "odd_one_out"):
        _refuse_strangers(log, items, labels)


def _refuse_third_items(log: Log, items: NDArray[Any], labels: Sequence[str]) -> None:
    """Refuse two items beside a column of other items: perhaps both were compared with it."""
    objects = log.found.objects
    for name in log.unused:
        numbers = named_objects(log, name, labels)
        n_named = len(np.unique(numbers[numbers >= 0]))
        is_shown = (items == numbers[:, None]).any(axis=1)
        if 2 < n_named < len(numbers) and (numbers >= 0).mean() >= _MOSTLY and not is_shown.any():
            raise LayoutError(
                f"Column {name!r} names items, too, and never one of the two in its row: was each"
                f" compared with it ({argument('columns', [name, *objects])} for a map) or not"
                f" ({argument('columns', objects)})?",
                [{"columns": [name, *objects]}, {"columns": objects}],
                code="two-layouts",
            )


def _refuse_strangers(log: Log, items: NDArray[Any], labels: Sequence[str]) -> None:
    """Refuse a column that has no object in common with the others, and seems to hold none.

    It numbers the rows, or holds codes of answers, or is the only one of several options.
    """
    found = log.found
    if tuple(found.objects) in HEADERS.values():
        return
    occurs = np.zeros((items.shape[1], len(labels)), dtype=bool)
    for at, column in enumerate(items.T):
        occurs[at, column[column >= 0]] = True
    shared = (occurs.astype(np.int64) @ occurs.T > 0) & ~np.eye(len(occurs), dtype=bool)
    codes = POSITIONS.union(map(usual.normalize_heading, (*POSITIONS, *log.table.names)))
    for at in map(int, np.flatnonzero(~shared.any(axis=1) & occurs.any(axis=1))):
        entries = [labels[o] for o in np.flatnonzero(occurs[at]).tolist()]
        others = np.delete(np.delete(shared, at, axis=0), at, axis=1)
        what = ""
        if found.question == "choose_k":
            is_alone = at > 0 and others.any(axis=1).all() and not found.is_list
            what = "may hold something else" if is_alone else ""
        elif len(items.T) == 3 and (found.states or not found.answers):
            counts = [str(row) for row in range(len(items) + 1)]
            in_rows = [labels[o] for o in items[:, at].tolist()]
            if len(items) > 3 and in_rows in (counts[:-1], counts[1:]):
                what = "numbers the rows"
            elif at >= found.anchored and all(
                usual.normalize_heading(word) in codes for word in entries
            ):
                what = f"holds {' and '.join(entries[:3])}, as an answer does,"
        if what:
            rest = ", ".join(map(repr, np.delete(found.objects, at).tolist()))
            raise LayoutError(
                f"Column {found.objects[at]!r} {what} and has no object in common with {rest}. If"
                " it holds objects, say so with"
                f" {argument('columns', found.objects)}; otherwise choose others.",
                code="no-objects",
            )


def check_screens(log: Log, items: NDArray[Any], labels: Sequence[str]) -> None:
    """Refuse lists that hold keys to press, and rows that are no trials but other screens."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    anchor, shown = items[:, 0], items[:, 1:]
    listed = np.unique(shown[shown >= 0])
    row, at = np.nonzero((shown >= 0) & (anchor >= 0)[:, None])
    size = (len(labels), len(labels))
    graph = coo_array((np.ones(len(row)), (anchor[row], shown[row, at])), shape=size)
    part = connected_components(graph, directed=False)[1][anchor[row]]
    other = row[part != np.bincount(part).argmax()] if len(row) else row
    are_keys = all(len(labels[o]) == 1 for o in listed) and not np.isin(anchor, listed).any()
    is_same = (np.sort(shown, axis=1) == np.sort(shown[:1], axis=1)).all()
    said = ""
    if are_keys and is_same:
        keys = ", ".join(repr(labels[o]) for o in listed[:3])
        said = f"The lists hold {keys} in all rows: keys to press, not objects?"
    elif len(other):
        place = log.place(int(other[0]))
        said = f"{place} has no object in common with most rows: another screen, such as a survey?"
    if said:
        raise LayoutError(
            f"{said} Choose rows with {argument('where')} or {argument('exclude')}, or other"
            f" columns with {argument('columns', ...)}; if these are objects, say so with"
            f" {argument('question', 'choose_k')}.",
            code="other-screens",
        )


def check_answer(log: Log, choice: Choice, positions: NDArray[Any], coding: str) -> None:
    """Refuse an answer with which a column that names what was shown does not agree."""
    found = log.found
    for pair in found.pairs if coding not in BY_NAME and choice.shown.shape[1] == 2 else ():
        arranged = _arrangement(log, pair, choice.shown, choice.labels)
        if arranged is None or found.states:
            continue
        if (arranged >= 0).mean() >= 0.5 and (arranged == 1).any():
            anchor = found.objects[: found.anchored]
            raise LayoutError(
                f"{choice.listed()}, but {pair[0]!r} and {pair[1]!r} hold the same objects in"
                f" another order; say which two it counts with {argument('columns', ...)}.",
                [{"columns": found.objects}, {"columns": [*anchor, *pair]}],
                code="two-orders",
            )
    if found.answer_given and choice.told:
        return
    named = {
        name: numbers
        for name in log.unused
        if name not in log.roles
        if (numbers := _witness(log, name, choice, positions)) is not None
    }
    chosen = choice.shown[np.arange(len(positions)), positions]
    for name, numbers in named.items():
        given = choice.valid & (numbers >= 0)
        agrees, other = given & (numbers == chosen), given & (numbers != chosen)
        if usual.is_negative(name):
            wrong = agrees
        elif usual.is_plan(name) or found.answer_given or _is_order(numbers, choice, named):
            continue
        else:
            wrong = other if agrees.any() or usual.is_answer(name) else np.zeros_like(other)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise LayoutError(
                f"Columns {choice.column!r} and {name!r} do not agree on what was chosen:"
                f" {log.place(row, within=True)} has {choice.words[choice.codes[row]]!r} and"
                f" {choice.labels[numbers[row]]!r}. If {choice.column!r} is right, pass"
                f" {argument('answer', choice.column)} and {argument('coding')}.",
                [{"answer": choice.column, "coding": coding}],
                code="witness-disagrees",
            )


def _witness(
    log: Log, name: str, choice: Choice, positions: NDArray[Any]
) -> NDArray[np.intp] | None:
    """Return the object that a further column names in each row, if one shown in most."""
    column = log.column(name)
    words, codes = encode_column(name, column)
    if usual.is_answer(name):
        valid = choice.valid & ~column.is_null().to_numpy()
        beside = replace(choice, column=name, words=words, codes=codes, valid=valid)
        fits = list(beside.fitting().values()) if valid.any() else []
        fits = [at for at in fits if (at == positions)[valid].all()] or fits
        if fits:
            return np.where(valid, choice.shown[np.arange(len(valid)), fits[0]], -2)
    elif len(words) == len(codes) and not usual.is_negative(name):  # as numbers of rows are
        return None
    numbers = named_objects(log, name, choice.labels)
    is_shown = (choice.shown == numbers[:, None]).any(axis=1)
    given = choice.valid & (numbers > -2)
    n_shown = int((is_shown & given).sum())
    return numbers if n_shown and n_shown >= _MOSTLY * given.sum() else None


def _is_order(numbers: NDArray[Any], choice: Choice, named: Mapping[str, NDArray[Any]]) -> bool:
    """Whether two further columns hold the two objects, as they do for their places."""
    both = np.sort(choice.shown, axis=1)
    return any(
        choice.shown.shape[1] == 2
        and (np.sort(np.column_stack([numbers, other]), axis=1) == both)[choice.valid].all()
        for other in named.values()
    )


def check_statement(log: Log, choice: Choice, has_ties: bool) -> None:
    """Refuse an answer that does not say what the names of the columns state.

    Sides of a screen say nothing about who won, unless the caller takes them for the answer.
    """
    found = log.found
    sides = {usual.normalize_heading(word) for word in choice.words_given}
    if (
        found.scaled
        and not found.answer_given
        and any(sides <= set(marks) for marks in usual.SCREEN)
    ):
        return
    agrees = not has_ties and choice.says_first()
    for pair in found.pairs if not agrees and not found.scaled else ():
        nearer = _arrangement(log, pair, choice.shown, choice.labels)
        if nearer is not None:  # it may choose the nearer object from columns such as left
            shown = np.where(nearer[:, None] == 1, choice.shown[:, ::-1], choice.shown)
            beside = replace(choice, shown=shown, options=pair, order=())
            fits = beside.fitting().values()
            agrees = agrees or any((at == nearer)[choice.valid].all() for at in fits)
    if not agrees:
        choices: list[dict[str, Any]] = [{"answer": []}, {"answer": choice.column}]
        what, decide = "which is nearer", f"let it decide with {argument('answer', choice.column)}"
        if found.scaled:
            what, choices = "who won", choices[:1]
            decide = f"choose the items as they were shown with {argument('columns', ...)}"
        raise LayoutError(
            f"Columns {', '.join(map(repr, found.objects))} say {what}, but {choice.column!r},"
            f" which holds {choice.entries()}, does not say the same in all rows. Leave it out with"
            f" {argument('answer', [])}, or {decide}.",
            choices,
            code="witness-disagrees",
        )
    log.roles[choice.column] = "the answer, as the columns of the objects state it"


def check_unread(log: Log, shown: NDArray[Any], labels: Sequence[str]) -> None:
    """Refuse chosen columns beside one that may say which of the objects was chosen."""
    if log.found.states or shown.shape[1] != 2:
        return
    options = log.found.objects[log.found.anchored :]
    for name, column in log.unused.items():
        valid = ~column.is_null().to_numpy()
        words, codes = encode_column(name, column)
        choice = Choice(name, words, codes, valid, shown, labels, options, stated=True)
        is_called = usual.is_answer(name) or usual.is_negative(name)
        if not name.isdigit() and valid.any() and choice.may_answer(is_called):
            raise LayoutError(
                f"Column {name!r} may say which of {options[0]!r} and {options[1]!r} was"
                f" chosen. Read it as the answer with {argument('answer', name)}, or say that"
                f" {options[0]!r} is the nearer in all rows with {argument('answer', [])}.",
                [{"answer": name}, {"answer": []}],
                code="unread-answer",
            )


class ShownFirst(NamedTuple):
    """What a file says about who was shown first."""

    columns: list[str]
    is_reversed: NDArray[np.bool_]
    """In which rows the second item was."""
    marks: usual.Marks
    """What the two sides are called."""


_SHORT = ("first", "left")
"""Names of a column of the item shown first that may hold something else."""
_OF_WINNER = ("chosen", "choice", "response", "selected")
_PLACES = {usual.LEFT_RIGHT: usual.LEFT_RIGHT, usual.FIRST_SECOND: usual.FIRST_SECOND} | {
    ("l", "r"): usual.LEFT_RIGHT,
    ("1", "2"): usual.FIRST_SECOND,
    ("0", "1"): usual.FIRST_SECOND,  # if both items have a place; of one, 1 may also mean yes
}
"""Entries that say where an item was shown, and what they mean."""


def find_shown_first(log: Log, shown: NDArray[Any], labels: Sequence[str]) -> ShownFirst | None:
    """Read who of two items was shown first, from a column of items or from their places."""
    items, asked = log.found.objects, log.layout.shown_first
    others = usual.Headings([n for n in log.table.names if n not in items])
    naming = others.exactly(usual.SHOWN_FIRST)
    if asked is not None:
        naming = find_column(log.table.names, asked, "shown_first")
    elif naming is None:
        columns = [_place_column(others, at, items) for at in (0, 1)]
        if any(columns):
            return _read_places(log, columns)
        naming = others.exactly(_SHORT)
    if naming is None:
        return None
    marks = (
        usual.LEFT_RIGHT
        if "left" in usual.normalize_heading(naming).split("_")
        else usual.FIRST_SECOND
    )
    words, codes = encode_column(naming, log.column(naming))
    valid = ~log.column(naming).is_null().to_numpy()
    choice = Choice(naming, words, codes, valid, shown, labels, items, log.found.order)
    may_be_other = usual.normalize_heading(naming) in _SHORT and not choice.fitting("name")
    if asked is None and (may_be_other or not valid.any()):
        return None
    fitting = list(choice.fitting().values())
    if any((other != fitting[0])[valid].any() for other in fitting[1:]):
        raise InputError(
            f"{choice.listed()}, which can be read in two ways; write the name of the item"
            f" that was shown {marks[0]}."
        )
    if not fitting:
        row = int(np.argmax(choice.misfits()))
        raise InputError(
            f"{log.place(row)} has {words[codes[row]]!r} in column {naming!r}; expected"
            f" the item that was shown {marks[0]}, by name or as {items[0]!r} or {items[1]!r}."
        )
    log.note([naming], [f"the item that was shown {marks[0]}"])
    return ShownFirst([naming], np.asarray(fitting[0] == 1), marks)


def _place_column(headings: usual.Headings, at: int, items: Sequence[str]) -> str | None:
    """Return the column that says where the item of a column was shown."""
    mark = usual.marks_of(items)[at]
    calls = [usual.normalize_heading(items[at]), mark, *(mark[-1:] if mark[-1:].isdigit() else ())]
    calls += _OF_WINNER if mark == "winner" else ()
    return headings.exactly(
        [
            name
            for call in calls
            for stem in usual.PLACE_STEMS
            for name in (f"{stem}_{call}", f"{call}_{stem}", *([f"{stem}{call}"] * call.isdigit()))
        ]
    )


def _read_places(log: Log, columns: Sequence[str | None]) -> ShownFirst | None:
    """Read the places of both items or of one."""
    names = [name for name in columns if name is not None]
    entries = []
    for name in names:
        words, codes = encode_column(name, log.column(name))
        plain = np.array(
            [*(usual.normalize_heading(word).removesuffix("_0") for word in words), ""]
        )
        null = log.column(name).is_null().to_numpy()
        entries.append(plain[np.where(null, len(words), codes)])
    given = {word for column in entries for word in np.unique(column).tolist()} - {""}
    spelt = next((words for words in _PLACES if given <= set(words)), None)
    if spelt is None or not given:
        return None
    if spelt == ("0", "1") and len(names) == 1:
        raise InputError(
            f"Column {names[0]!r} holds {' and '.join(sorted(given))}, which may count from 0 or"
            " say that the item was shown first; write first and second."
        )
    late = [column == spelt[1] for column in entries]
    same = (late[0] == late[-1]) & (entries[0] != "") & (entries[-1] != "")
    if len(names) == 2 and same.any():
        row = int(np.argmax(same))
        raise InputError(
            f"{log.place(row)} has {str(entries[0][row])!r} in both {names[0]!r} and"
            f" {names[1]!r}; the two items need different places."
        )
    log.note(names, ["where an item was shown"] * len(names))
    return ShownFirst(names, late[0] if columns[0] is not None else ~late[0], _PLACES[spelt])


def by_place(
    log: Log, choice: Choice, positions: NDArray[Any], coding: str, first: ShownFirst
) -> NDArray[Any]:
    """Return positions among the columns, if an answer says where the winner was shown."""
    if choice.options == first.marks:
        return np.where(first.is_reversed, 1 - positions, positions)
    may_be_places = (
        choice.options in usual.SCREEN
        or coding not in BY_NAME
        or all(map(is_number, choice.words_given))
    )
    if log.layout.coding == "auto" and may_be_places and first.is_reversed[choice.valid].any():
        raise LayoutError(
            f"{choice.listed()}: these may be columns, or places in the order shown. Write"
            f" the winner's name, or choose columns with {argument('coding', coding)}.",
            [{"coding": coding}],
            code="two-codings",
        )
    return positions
