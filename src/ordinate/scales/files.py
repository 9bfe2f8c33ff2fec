"""Read paired comparisons from tables: which columns hold items, winners, counts or scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import NO_ROWS, InputError, check_choice
from ordinate.comparisons.labels import is_number, warn_of_labels
from ordinate.comparisons.pairs import Pairs
from ordinate.io.codings import Choice, chosen_positions
from ordinate.io.columns import as_numbers, as_objects, encode_column, valid_rows
from ordinate.io.conditions import Conditions, read_conditions
from ordinate.io.headings import ANSWERS, PAIRS, PROMPT, WEIGHT, Headings, normal
from ordinate.io.layouts import (
    Column,
    Columns,
    FoundLayout,
    ReadOptions,
    find_column,
    find_groups,
    find_losers,
    refuse_negative,
    refuse_twins,
)
from ordinate.io.log_rows import LogRows
from ordinate.io.logs import Reading
from ordinate.io.tables import Table, table_of
from ordinate.scales.pair_headings import (
    IN_ORDER,
    MARKS,
    SCREEN,
    TIES,
    are_scores,
    figure_columns,
    item_columns,
    marks_of,
    says_who_won,
    stated_columns,
)
from ordinate.scales.sides import SideColumns, Sides, find_sides
from ordinate.tasks import PAIR

_TIE_WORDS = (
    *("tie", "tied", "ties", "draw", "drawn", "equal", "equals", "same", "both", "neither", "none"),
    *("tie_bothbad", "bothbad", "both_bad", "both_good", "bothgood", "tie_bothgood"),
    *("no_difference", "no_preference", "undecided", "cannot_tell", "same_quality", "tie_both_bad"),
)
_TIE_NUMBERS = {0.0: ({1.0, 2.0}, {1.0, -1.0}), 0.5: ({0.0, 1.0},)}
"""Numbers that mean a tie if the other answers are these."""
MATRIX = ("auto", "rows-win", "columns-win")


def read_pairs(
    source: Any,
    *,
    columns: Sequence[Column] | None = None,
    answer: Columns | None = None,
    coding: str = "auto",
    weight: Column | None = None,
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None,
    where: Conditions = None,
    exclude: Conditions = None,
    matrix: str = "auto",
    shown_first: Column | None = None,
    names: Sequence[object] | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    on_invalid: str = "raise",
) -> Pairs:
    """Read answers to "which of the two is more …?" from a file or a frame.

    A row holds two items and the winner (by name, column, side or number; ``tie`` or ``draw`` for
    neither), or a winner and a loser, or how often each won (``wins_a``, ``wins_b``, ``ties``), or
    what each scored (``score_a``, ``score_b``). A square table of wins is read too.

    Parameters
    ----------
    source : path, frame, mapping of columns or array-like with 2 columns
        The answers. An array without names holds winners and losers.
    columns : sequence of two str or int, optional
        Columns of the two items; by default those with usual names.
    answer : str or int, optional
        Column that says who won; an empty list for none beside columns such as winner and loser.
    coding : {"auto", "name", "column", "from-0", "from-1", "holds"}, default="auto"
        How the answer says it, as in `read_comparisons`. Two readings that both fit are refused.
    weight : str or int, optional
        Column that says how often a row counts; by default one called weight.
    groups : column, sequence or mapping of columns, optional
        Labels per row, such as ``{"participant": "judge"}``; by default those with usual names.
    where, exclude : str, sequence or mapping, optional
        Which rows count, such as ``"phase=test"``.
    matrix : {"auto", "rows-win", "columns-win"}, default="auto"
        Whether an entry of a square table counts wins of its row or of its column.
    shown_first : str or int, optional
        Column that holds the item that was shown first, by its name or that of its column. By
        default one with a usual name, such as ``shown_first`` or ``left``, or columns of places,
        such as ``position_a`` and ``position_b``. Without any, the item in the first column is
        taken as shown first, except in counts of wins and in winners with losers.
    names : sequence, optional
        Labels of all items in their order.
    header : bool, optional
        Whether the first line of text names the columns.
    encoding : str, optional
        Encoding of text; by default UTF-8.
    on_invalid : {"raise", "drop"}, default="raise"
        What to do with a row that lacks an entry or compares an item with itself.

    Returns
    -------
    Pairs
        Its items are called what the source calls them.

    See Also
    --------
    Ranking : Fits a scale to it.

    Examples
    --------
    >>> import ordinate as od
    >>> votes = {"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]}
    >>> od.read_pairs(votes)
    Pairs(2 answers, 1 tie, 3 items)
    """
    log = PairLog(
        columns=columns,
        answer=answer,
        coding=coding,
        weight=weight,
        groups=groups,
        where=where,
        exclude=exclude,
        matrix=matrix,
        shown_first=shown_first,
        names=names,
        header=header,
        encoding=encoding,
        on_invalid=on_invalid,
    )
    pairs, _ = read_pair_log(source, log)
    warn_of_labels(pairs.names)
    return pairs


def named_pair(table: Table) -> list[str] | None:
    """Return the two columns of items if their names, and an answer, say that they are such."""
    try:
        found = PairLog()._layout(table)
    except InputError:
        return None
    return None if all(map(is_number, found.objects)) else found.objects


@dataclass(frozen=True, kw_only=True)
class PairLog(ReadOptions):
    """What the caller says about a table of pairs."""

    matrix: str = "auto"
    shown_first: Column | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("matrix", self.matrix, MATRIX)

    def read(self, table: Table) -> tuple[Pairs, Reading]:
        """Read the columns that matter, and turn the rows that count into pairs."""
        if self.columns is None and _is_square(table):
            return self._square(table)
        found = self._layout(table)
        sides = self._sides(table, found)
        conditions = read_conditions(table.names, self.where, self.exclude)
        rows = LogRows(table, found, conditions, [*sides.names, *found.losers])
        pairs, origin = self._pairs(rows, sides)
        is_said = _says_order(found) or any(name in rows.roles for name in sides.names)
        example = _read_aloud(pairs, rows.place_within(int(origin[0])), is_said)
        return pairs, Reading(
            PAIR,
            rows.roles,
            rows.ignored,
            example,
            rows.n_rows,
            rows.left_out,
            guessed=True,
            n_comparisons=len(pairs),
            n_lines=getattr(table, "n_lines", None),
            place=lambda pair: rows.place(int(origin[pair])),
        )

    def _layout(self, table: Table) -> FoundLayout:
        """Find the columns of items, of the winner or of figures, of weights and groups."""
        refuse_twins(table.names)
        headings = Headings(table.names)
        figures, ties = [], []
        objects = self._items(headings, table.names)
        answers = [n for n in headings.every(ANSWERS) if n not in objects]
        if self.answers is not None:
            answers = [find_column(table.names, column, "answer") for column in self.answers]
            refuse_negative(answers)
        stated = says_who_won(objects) or (not answers and all(map(is_number, objects)))
        if not stated and not answers:
            figures = figure_columns(headings)
            ties = headings.every(TIES)[:1] if figures else []
            if not figures:
                raise InputError(
                    f"Columns {objects[0]!r} and {objects[1]!r} hold the items, but which column"
                    f" says who won? Name it with {argument('answer')}."
                )
        weight = headings.exact.get(WEIGHT)
        if self.weight is not None:
            weight = find_column(table.names, self.weight, "weight")
        groups = find_groups(table.names, self.groups)
        prompt = headings.exactly(PROMPT)
        if self.groups is None and prompt is not None and prompt not in objects:
            groups = groups | {"prompt": prompt}
        groups = {g: n for g, n in groups.items() if n not in (*objects, *answers)}
        return FoundLayout(
            PAIR,
            objects,
            answers[:1],
            weight,
            groups,
            also=answers[1:],
            told=self.answer is not None,
            in_file=sorted(objects, key=table.names.index) if self.columns is None else objects,
            losers=find_losers(headings, [*objects, *answers], self),
            votes=[*figures, *ties],
            stated=stated,
        )

    def _items(self, headings: Headings, names: Sequence[str]) -> list[str]:
        if self.columns is not None:
            chosen = [find_column(names, column, "columns") for column in self.columns]
            if len(set(chosen)) != 2:
                raise InputError(
                    f"columns must choose 2 different columns of items; got {list(self.columns)!r}."
                )
            return chosen
        found, stated = item_columns(headings), stated_columns(headings)
        if stated and not (found and headings.every(ANSWERS)):
            found = stated[:1] if stated[0] == ["winner", "loser"] else stated
        if list(names) == ["0", "1"]:
            return list(names)
        for marks in SCREEN:  # what stood left and right is what an answer speaks of
            if len(found) > 1 and (by_side := [p for p in found if marks_of(p) == marks]):
                found = by_side
        if len(found) == 1:
            return found[0]
        if not found:
            raise InputError(
                f"Which columns hold the two items? There are {', '.join(map(repr, names))}; name"
                f" them item_a, item_b, or choose them with {argument('columns', ['A', 'B'])}."
            )
        listed = " or ".join(f"{one!r} and {other!r}" for one, other in found[:3])
        advice = f"choose them with {argument('columns', found[0])}."
        if headings.several(PAIRS):
            advice += (
                " If people compared the differences of two pairs, use DifferenceScale or"
                " `ordinate rank --question pair-against-pair`."
            )
        raise InputError(f"Columns {listed} may hold the items; {advice}")

    def _sides(self, table: Table, found: FoundLayout) -> SideColumns:
        """Find the columns that say who was shown first."""
        asked = self.shown_first
        if asked is not None:
            asked = find_column(table.names, asked, "shown_first")
        return find_sides(Headings(table.names), found.objects, asked)

    def _pairs(self, rows: LogRows, columns: SideColumns) -> tuple[Pairs, NDArray[np.intp]]:
        """Return the record, and from which row each of its rows comes."""
        found = rows.found
        shown, labels = as_objects(rows.chosen(found.objects), self.names, rows.place)
        missing = rows.missing([*found.objects, *found.answers, *found.groups.values()])
        missing |= rows.missing(found.numbers)
        sides = columns.read(rows, shown, labels) if columns.names else None
        missing |= {} if sides is None else rows.missing(columns.names)
        outcome, weights = self._outcomes(rows, shown, labels, sides)
        keep = valid_rows(
            missing,
            shown[:, 0] == shown[:, 1],
            self.on_invalid,
            rows.place,
            lambda row: tuple(labels[item] for item in shown[row]),
        )
        at = np.arange(len(shown))[keep]
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
        rows.note(found.objects, _roles(found))
        return Pairs(
            items,
            outcome,
            ordered=ordered,
            weights=weights,
            groups=rows.groups(at),
            names=labels,
        ), at

    def _outcomes(
        self, rows: LogRows, shown: NDArray[Any], labels: Sequence[str], sides: Sides | None
    ) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """Return the outcome of each row, or weights of win, tie and loss."""
        found = rows.found
        if found.answers and found.stated:
            self._refuse_other_winners(rows, shown, labels)
        elif found.answers:
            return self._winners(rows, shown, labels, sides), None
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
        self, rows: LogRows, shown: NDArray[Any], labels: Sequence[str], sides: Sides | None
    ) -> NDArray[np.intp]:
        """Read the column that says who won: ties first, the others as any choice of two."""
        choices, ties = self._choices(rows, shown, labels)
        choice, is_tie = choices[0], ties[0]
        if not choice.valid.any() and not is_tie.any():
            raise InputError(f"Column {choice.column!r} has no entries at all.")
        for other, also_tie in zip(choices[1:], ties[1:], strict=True):
            refuse_other_ties(choice, other, is_tie, also_tie, rows.place)
        if not choice.valid.any():
            return np.zeros(len(shown), dtype=np.intp)
        try:
            positions, coding = chosen_positions(choices, self.coding, rows.place)
        except InputError as error:
            if choice.fitting(self.coding):
                raise
            raise InputError(f"{error} A tie is written tie or draw.") from None
        rows.refuse_chosen_losers(choice, positions)
        if sides is not None and sides.turned[choice.valid].any():
            if choice.options == sides.marks:  # the answer says where the winner was shown
                positions = np.where(sides.turned, 1 - positions, positions)
            elif self.coding == "auto" and _may_be_on_screen(choice, coding):
                raise InputError(
                    f"{choice.listed()}: these may be columns, or places in the order shown. Write"
                    f" the winner's name, or choose columns with {argument('coding', coding)}."
                )
        rows.note_answers(coding)
        if is_tie.any():
            words = sorted({choice.words[code] for code in choice.codes[is_tie]})
            rows.roles[choice.column] += f"; {', '.join(words[:3])} for a tie"
        return np.asarray(np.where(is_tie, 0, 1 - 2 * positions))

    def _choices(
        self, rows: LogRows, shown: NDArray[Any], labels: Sequence[str]
    ) -> tuple[list[Choice], list[NDArray[np.bool_]]]:
        """Return the columns that say who won, and in which rows each says that neither did."""
        choices, ties = [], []
        for choice in rows.choices(shown, list(labels), rows.found.objects):
            words = _tie_words(choice, labels)
            is_tie = np.array([word in words for word in choice.words] or [False])[choice.codes]
            ties.append(np.asarray(is_tie & choice.valid))
            choice = replace(choice, valid=choice.valid & ~is_tie)
            options = choice.options if rows.found.stated else _spoken_of(choice)
            choices.append(replace(choice, options=options))
        return choices, ties

    def _refuse_other_winners(
        self, rows: LogRows, shown: NDArray[Any], labels: Sequence[str]
    ) -> None:
        """Refuse an answer that does not name the item that the columns say won.

        Sides of a screen say nothing about that, unless the caller takes them for the answer.
        """
        found = rows.found
        for choice, is_tie in zip(*self._choices(rows, shown, labels), strict=True):
            sides = {normal(word) for word in choice.words_given}
            if not found.told and any(sides <= set(marks) for marks in SCREEN):
                continue
            if is_tie.any() or not choice.says_first():
                raise InputError(
                    f"Columns {found.objects[0]!r} and {found.objects[1]!r} say who won, but"
                    f" {choice.column!r}, which holds {choice.entries()}, does not say the same in"
                    f" all rows. Leave it out with {argument('answer', [])}, or choose the items as"
                    f" they were shown with {argument('columns', ...)}."
                )
            rows.roles[choice.column] = "the answer, as the columns of the items state it"

    def _square(self, table: Table) -> tuple[Pairs, Reading]:
        """Read a square table of wins with the items in its first column and its header."""
        if self.matrix == "auto":
            raise InputError(
                "A square table of wins may count wins of its rows or of its columns; say so with"
                f" {argument('matrix', 'rows-win')} or {argument('matrix', 'columns-win')}."
            )
        first, *items = table.names
        columns = table.read([first], items)
        words, codes = encode_column(first, columns.column(first))
        place = {name: at for at, name in enumerate(items)}
        wins = np.column_stack([as_numbers(n, columns.column(n), "counts") for n in items])
        row_item = np.array([place[word] for word in words])[codes]
        if self.matrix == "columns-win":
            loser, winner = np.nonzero(np.nan_to_num(wins))
            rows = np.column_stack([winner, row_item[loser]])
            weights = wins[loser, winner]
        else:
            winner, loser = np.nonzero(np.nan_to_num(wins))
            rows = np.column_stack([row_item[winner], loser])
            weights = wins[winner, loser]
        kept = rows[:, 0] != rows[:, 1]
        pairs = Pairs(rows[kept], weights=weights[kept], names=items)
        example = _read_aloud(pairs, "the first entry")
        roles = {first: f"the items; entries are wins of {self.matrix.partition('-')[0]}"}
        return pairs, Reading(PAIR, roles, (), example, len(items), {}, True, len(pairs))


def read_pair_log(source: Any, log: PairLog) -> tuple[Pairs, Reading]:
    """Read pairs, and say how."""
    with table_of(source, log.header, log.encoding, arrays=True) as table:
        return log.read(table)


def pair_columns(pairs: Pairs) -> dict[str, Any]:
    """Return the columns of a table of pairs, which `read_pairs` reads: items, answer, groups."""
    names = np.array([str(pairs.name_of(item)) for item in range(pairs.n_objects)], dtype=object)
    left, right = names[pairs.rows.T]
    answer = np.where(pairs.outcomes == 0, "tie", np.where(pairs.outcomes > 0, left, right))
    columns: dict[str, Any] = {"left": left, "right": right, "answer": answer}
    if pairs.weights is not None:
        columns[WEIGHT] = pairs.weights
    return columns | dict(pairs.groups)


def _tie_words(choice: Choice, labels: Sequence[str]) -> set[str]:
    """Return the entries that mean a tie."""
    plain = {word: re.sub(r"[()]", "", normal(word)) for word in choice.words_given}
    found = {word for word, key in plain.items() if key in _TIE_WORDS}
    for word in found & set(labels):
        raise InputError(
            f"{word!r} in column {choice.column!r} may be the item of that name or a tie; rename"
            " the item."
        )
    numbers = {word: float(word) for word in choice.words_given if is_number(word)}
    for number, beside in _TIE_NUMBERS.items():
        if len(numbers) == len(plain) and set(numbers.values()) - {number} in beside:
            found |= {word for word, value in numbers.items() if value == number} - set(labels)
    return found


def refuse_other_ties(
    one: Choice,
    other: Choice,
    is_tie: NDArray[np.bool_],
    also_tie: NDArray[np.bool_],
    place: Callable[[int], str],
) -> None:
    """Refuse two columns of answers of which one alone says that neither item won."""
    apart = (is_tie & other.valid) | (also_tie & one.valid)
    if apart.any():
        row = int(np.argmax(apart))
        entries = [repr(choice.words[choice.codes[row]]) for choice in (one, other)]
        raise InputError(
            f"Columns {one.column!r} and {other.column!r} both say who won, but do not agree:"
            f" {place(row)} has {entries[0]} and {entries[1]}. Choose one with"
            f" {argument('answer', one.column)} or {argument('answer', other.column)}."
        )


def _spoken_of(choice: Choice) -> Sequence[str]:
    """Return the two columns as the answer calls them, such as left and right for item_a, …."""
    given = {normal(word) for word in choice.words_given}
    if given <= {normal(label) for label in choice.labels}:
        return choice.options
    if choice.fitting("column"):
        return choice.options
    return next((p for p in MARKS if given <= set(p) and not p[0].isdigit()), choice.options)


def _may_be_on_screen(choice: Choice, coding: str) -> bool:
    """Whether an answer may mean where an item was shown, and not its column."""
    numbered = all(map(is_number, choice.words_given))
    return choice.options in SCREEN or coding not in ("name", "column") or numbered


def _says_order(found: FoundLayout) -> bool:
    """Whether the names of the columns say which item comes first, such as left or home."""
    return marks_of(found.objects) in IN_ORDER


def _roles(found: FoundLayout) -> list[str]:
    return ["the winner", "the loser"] if found.stated else ["the first item", "the second item"]


def _is_square(table: Table) -> bool:
    """Whether the first column holds the names of all others."""
    first, *items = table.names
    if len(items) < 2:
        return False
    words, codes = encode_column(first, table.read([first]).column(first))
    return len(codes) == len(items) and set(words) == set(items)


def _read_aloud(pairs: Pairs, place: str, is_said: bool = False) -> str:
    """Say what the first row that counts states, and whether it is said who was shown first."""
    first, second = (pairs.name_of(int(item)) for item in pairs.rows[0])
    said = {
        1: f"{first} beat {second}",
        0: f"{first} and {second} tied",
        -1: f"{second} beat {first}",
    }
    count = 1.0 if pairs.weights is None else float(pairs.weights[0])
    times = "" if count == 1 else f" ({count:g} times)"
    who = pairs.groups.get("participant")
    by = "" if who is None else f", said by {who[0]}"
    return f"{place}: {said[int(pairs.outcomes[0])]}{times}{by}{_first_aloud(pairs, is_said)}"


def _first_aloud(pairs: Pairs, is_said: bool) -> str:
    """Say who was shown first in that row, if that counts."""
    first = pairs.name_of(int(pairs.rows[0, 0]))
    return f"; {first} {'was' if is_said else 'is taken as'} shown first" if pairs.ordered else ""
