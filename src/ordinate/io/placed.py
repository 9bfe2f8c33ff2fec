"""Rankings that do not stand item by item in columns: places of items, ties, and written orders."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.pairs import Pairs
from ordinate.io import headings as usual
from ordinate.io.columns import as_labels, as_numbers, encode_column
from ordinate.io.headings import Headings
from ordinate.io.layout_table import FoundLayout, find_column, find_groups
from ordinate.io.rows import Log, Reading

if TYPE_CHECKING:
    from ordinate.io.layout import Layout
    from ordinate.io.tables import Table

Levels = list[list[str]]
"""One ranking, best first; items that tie stand together."""


class _Read(NamedTuple):
    rankings: list[Levels]
    rows: NDArray[np.intp]
    """A row of each."""


def read_placed(table: Table, layout: Layout) -> tuple[Pairs, Reading] | None:
    """Read rankings by places, with ties or as written orders; None for an item per column."""
    groups = find_groups(table.names, layout.groups)
    names = [n for n in table.names if n not in groups.values() and not n.startswith(usual.GROUP)]
    told = layout.columns
    columns = None if told is None else [find_column(table.names, c, "columns") for c in told]
    headings = Headings(names)
    places, items = headings.exactly(usual.PLACES), headings.exactly(usual.ITEMS)
    order, ranks = headings.exactly(usual.ORDERS), headings.numbered(usual.RANKS)
    if columns is None and not ranks:
        columns = [items, places] if places and items else [order] if order else None
    columns = columns or ranks or []
    votes: list[str] = []
    read: Callable[[Log], _Read | None] = _with_ties
    roles = ["an item of the ranking, best first"] * len(columns)
    if len(columns) == 2 and columns != ranks:
        columns, votes, read = columns[:1], columns[1:], _by_place
        roles = ["an item", "its place"]
    elif len(columns) == 1:
        read, roles = _written, ["the order, best first"]
    elif not columns:
        columns, read = _items_across(table, names, layout), _across
        roles = ["the places of an item"] * len(columns)
        if len(columns) < 3:
            return None
    if layout.covariates is not None:
        raise InputError(f"{argument('covariates', ...)} is for answers about two items.")
    found = FoundLayout(
        "ranking", columns, [], groups=groups, votes=votes, scaled=True,
        weight=headings.exact.get(usual.WEIGHT) if layout.weight is None
        else find_column(table.names, layout.weight, "weight"),
    )  # fmt: skip
    log = Log(table, found, layout)
    made = read(log)
    if made is None:
        return None
    who = {
        name: as_labels(name, log.column(column))[made.rows]
        for name, column in groups.items()
        if name != "trial"  # each ranking is one
    }
    weight = found.weight
    pairs = Pairs.from_rankings(
        made.rankings,
        groups=who,
        weights=None
        if weight is None
        else as_numbers(weight, log.column(weight), "weights")[made.rows],
        names=columns if read is _across else None,
    )
    pairs = pairs.reversed() if layout.reverse else pairs
    log.note([*columns, *votes], roles)
    said = " > ".join(" = ".join(level) for level in made.rankings[0])
    example = f"{log.place(int(made.rows[0]), within=True)}: {said}" + ", reversed" * layout.reverse
    facts = (log.roles, log.ignored, example, log.n_rows, log.left_out, True, len(pairs))
    return pairs, Reading("ranking", *facts)


def _items_across(table: Table, names: list[str], layout: Layout) -> list[str]:
    """Return columns of places, each called as its item: whole numbers from 0, and gaps."""
    skipped = {layout.weight, usual.WEIGHT, *usual.COUNTS}
    found, columns = [], table.read(names)
    for name in names:
        words, _ = encode_column(name, columns.column(name))
        is_placed = bool(words) and all(
            word.isdigit() and int(word) <= len(names) for word in words
        )
        if is_placed and name not in skipped and usual.normalize_heading(name) not in skipped:
            found.append(name)
    stems = {usual.normalize_heading(name).rstrip("0123456789") for name in found}
    return [] if len(stems) == 1 and found else found  # item_1, item_2, … may hold items


def _across(log: Log) -> _Read:
    """Read a column of places for each item; 0 or nothing where it was not ranked."""
    items = log.found.objects
    places = np.column_stack([_places(log, name) for name in items])
    return _Read([_levels(items, row) for row in places], np.arange(len(places)))


def _by_place(log: Log) -> _Read:
    """Read a row per item and ranking."""
    groups = list(log.found.groups.values())
    if not groups:
        raise InputError(
            "Which rows are of one ranking? Name the columns that say so, such as a race or a"
            f" judge, with {argument('groups', ['race'])}."
        )
    words, codes = encode_column(log.found.objects[0], log.column(log.found.objects[0]))
    place = _places(log, log.found.votes[0])
    labels = np.column_stack([encode_column(name, log.column(name))[1] for name in groups])
    first, ranking = np.unique(labels, axis=0, return_index=True, return_inverse=True)[1:]
    number = np.argsort(np.argsort(first))[ranking.ravel()]  # in the order of the file
    rows = np.argsort(number, kind="stable")
    both = number * (len(words) + 1) + codes
    once, at = np.unique(both, return_index=True)
    if len(once) < len(both):
        row = int(np.setdiff1d(np.arange(len(both)), at)[0])
        raise InputError(
            f"{log.place(row)} has {words[codes[row]]!r} a second time in one ranking; name all"
            f" columns that tell rankings apart with {argument('groups', ['race', 'judge'])}."
        )
    parts = np.split(rows, np.flatnonzero(np.diff(number[rows])) + 1)
    rankings = [_levels([words[c] for c in codes[part]], place[part]) for part in parts]
    return _Read(rankings, np.array([part[0] for part in parts]))


def _written(log: Log) -> _Read:
    """Read one column of orders such as a > b = c."""
    name = log.found.objects[0]
    words, codes = encode_column(name, log.column(name))
    orders = [[_split(level) for level in word.split(">")] for word in words]
    alone = [word for word, order in zip(words, orders, strict=True) if len(order) < 2]
    if alone:
        raise InputError(f"Column {name!r} holds {alone[0]!r}; expected orders such as a > b = c.")
    return _Read([orders[code] for code in codes], np.arange(len(codes)))


def _with_ties(log: Log) -> _Read | None:
    """Read columns of items, best first, some of which tie, as in b = c; None if there are none."""
    encoded = [encode_column(name, log.column(name)) for name in log.found.objects]
    words = {word for of_column, _ in encoded for word in of_column}
    single = {word for word in words if "=" not in word}
    tied = {word for word in words - single if single.intersection(_split(word))}
    if not tied:
        return None
    missing = np.column_stack([log.column(name).is_null().to_numpy() for name in log.found.objects])
    levels = {word: _split(word) if word in tied else [word] for word in words}
    rows = zip(*([of_column[c] for c in codes] for of_column, codes in encoded), strict=True)
    rankings = [
        [levels[word] for word, gap in zip(row, gaps, strict=True) if not gap]
        for row, gaps in zip(rows, missing.tolist(), strict=True)
    ]
    return _Read(rankings, np.arange(len(rankings)))


def _split(level: str) -> list[str]:
    return [item.strip() for item in level.split("=")]


def _places(log: Log, name: str) -> NDArray[np.float64]:
    """Return places, infinite where an item was not ranked."""
    column = log.column(name)
    places = as_numbers(name, column, "places").astype(float)
    if (places < 0).any():
        raise InputError(f"{log.place(int(np.argmax(places < 0)))} has a negative place.")
    return np.where(column.is_null().to_numpy() | (places == 0), np.inf, places)


def _levels(items: list[str], places: NDArray[np.float64]) -> Levels:
    """Return items by their places; those without one are left out."""
    ranked = sorted(zip(places.tolist(), items, strict=True), key=lambda both: both[0])
    there = [both for both in ranked if np.isfinite(both[0])]
    return [[item for _, item in level] for _, level in groupby(there, key=lambda both: both[0])]
