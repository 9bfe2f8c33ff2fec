"""How a log is read: its layout, the rows that count, their answers, and a report of it all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import NO_ROWS, InputError, check_choice
from ordinate.comparisons.labels import is_number
from ordinate.comparisons.record import Comparisons
from ordinate.io.columns import (
    LABELS_NOT_COUNTED,
    Parts,
    as_answers,
    as_labels,
    as_numbers,
    as_objects,
    as_positions,
    encode_column,
    says_whether,
    valid_rows,
)
from ordinate.io.conditions import Condition, Conditions, read_conditions, rows_that_count
from ordinate.io.delimited_text import TextTable
from ordinate.io.layouts import FoundLayout, Wanted, find_layout, pair_names
from ordinate.io.record_files import are_positions, read_npz, stored_facts
from ordinate.io.tables import (
    ParquetTable,
    Table,
    as_table,
    errors_naming,
    open_table,
    refuse_options,
)
from ordinate.io.trials import CODINGS, Choice, Trials, lists_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Reading:
    """How a log was read.

    Attributes
    ----------
    question : str
        What was asked, one of `QUESTIONS`.
    columns : dict of str to str
        Columns that were used, and as what.
    ignored : tuple of str
        Columns that were not used.
    example : str
        The first row that counts, read aloud.
    n_rows : int
        Rows of the source.
    left_out : dict of str to int
        How many rows each condition of `where` and `exclude` left out.
    guessed : bool
        Whether the columns hold questions and answers, whose meaning was seen from their names.
    n_comparisons : int
        Comparisons that were made of the rows.
    place : callable
        From the number of a comparison to words for where it stands in the source.
    """

    question: str
    columns: dict[str, str]
    ignored: tuple[str, ...]
    example: str
    n_rows: int
    left_out: dict[str, int]
    guessed: bool = False
    n_comparisons: int = 0
    place: Callable[[int], str] = field(default="Row {}".format, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "place"}

    def __str__(self) -> str:
        lines = [f"Read as {self.question}:"]
        lines += [f"  {column!r} is {role}" for column, role in self.columns.items()]
        lines += [f"  not used: {', '.join(map(repr, self.ignored))}"] if self.ignored else []
        lines += [f"  {self.example}"]
        lines += [f"  {self.left_out_in_words}"] if self.left_out else []
        return "\n".join(lines)

    @property
    def left_out_in_words(self) -> str:
        """How many rows conditions left out, as a sentence."""
        reasons = ", ".join(f"{n:,} by {condition}" for condition, n in self.left_out.items())
        return f"Left out {sum(self.left_out.values()):,} of {self.n_rows:,} rows: {reasons}."


def read_log(
    source: Any,
    wanted: Wanted,
    *,
    coding: str = "auto",
    where: Conditions = None,
    exclude: Conditions = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    on_invalid: str = "raise",
) -> tuple[Comparisons, Reading]:
    """Read comparisons, and say how; the parameters are those of `read_comparisons`."""
    check_choice("on_invalid", on_invalid, ("raise", "drop"))
    check_choice("coding", coding, CODINGS)
    log = _Log(wanted, coding, where, exclude, names, n_objects, on_invalid)
    if not isinstance(source, (str, os.PathLike)):
        refuse_options(header=header, encoding=encoding)
        return log.read(as_table(source))
    with errors_naming(os.fspath(source)):
        if Path(source).suffix.lower() == ".npz":
            given = wanted._asdict() | {"where": where, "exclude": exclude}
            del given["question"]
            refuse_options(header=header, encoding=encoding, **given)
            return log.read_npz(Path(source))
        return log.read(open_table(source, header=header, encoding=encoding))


@dataclass(frozen=True)
class _Log:
    """What the caller says about a log."""

    wanted: Wanted
    coding: str
    where: Conditions
    exclude: Conditions
    names: Sequence[object] | None
    n_objects: int | None
    on_invalid: str

    def read(self, table: Table) -> tuple[Comparisons, Reading]:
        """Read the columns that matter, once, and turn the rows that count into comparisons."""
        stored = stored_facts(table.schema) if isinstance(table, ParquetTable) else {}
        found = self._layout(table, stored)
        conditions = read_conditions(table.names, self.where, self.exclude)
        wanted = list(dict.fromkeys([*found.labels, *(c.column for c in conditions)]))
        columns = table.read(wanted, found.numbers)
        rows = _Rows(table, found, columns)
        left_out = rows.select(conditions)
        rows.refuse_empty_columns()
        if found.stated:
            comparisons, origin = self._statements(rows, stored).build(self.on_invalid)
        else:
            comparisons, origin = self._trials(rows)
        example = _read_aloud(comparisons, rows, origin)
        used = {*rows.roles, *(c.column for c in conditions)}
        ignored = tuple(name for name in table.names if name not in used)
        guessed = not found.stated and self.wanted.question == "auto"
        return comparisons, Reading(
            found.question,
            rows.roles,
            ignored,
            example,
            rows.n_rows,
            left_out,
            guessed,
            len(comparisons),
            lambda comparison: rows.place(int(origin[comparison])),
        )

    def _layout(self, table: Table, stored: Mapping[str, Any]) -> FoundLayout:
        wanted = self.wanted
        if wanted.groups is None and "groups" in stored:
            wanted = wanted._replace(groups=stored["groups"])
        try:
            return find_layout(table.names, wanted)
        except InputError:
            if isinstance(table, TextTable):
                table.refuse_ragged()  # a title above the header explains more than its columns
            raise

    def _statements(self, rows: _Rows, stored: Mapping[str, Any]) -> Parts:
        """Take rows that state a comparison as they are."""
        found = rows.found
        objects = rows.chosen(found.objects)
        may_be = are_positions(stored) or getattr(rows.table, "positions", False)
        positions = as_positions(objects) if may_be else None
        if positions is not None:
            n_objects = self.n_objects
            if self.names is None and n_objects is None:
                n_objects = stored.get("n_objects")
            parts = Parts(positions, names=self.names, n_objects=n_objects, place=rows.place)
        else:
            parts = self._labelled(objects, rows, stored.get("names"))
        parts.missing = rows.missing(found.used)
        parts.groups = rows.groups()
        if found.weight is not None:
            parts.weights = as_numbers(found.weight, rows.column(found.weight), "weights")
        if found.answer is not None:
            parts.answers = self._stated_answers(found.answer, rows, parts)
        if found.answer is None:
            nearer, farther = "nearer", "farther"
        else:  # which of the two is nearer is what the answer says
            nearer, farther = "first", "second"
        anchored = ("the anchor", f"the {nearer}", f"the {farther}")
        pair = (*[f"the {nearer} pair"] * 2, *[f"the {farther} pair"] * 2)
        rows.note(found.objects, anchored if len(found.objects) == 3 else pair)
        return parts

    def _labelled(
        self,
        objects: Mapping[str, pa.ChunkedArray],
        rows: _Rows,
        stored_names: Sequence[str] | None = None,
    ) -> Parts:
        if self.n_objects is not None:
            raise InputError(LABELS_NOT_COUNTED)
        names = stored_names if self.names is None else self.names
        numbers, labels = as_objects(objects, names, rows.place)
        return Parts(
            numbers, names=labels, place=rows.place, positions=False, found_names=names is None
        )

    def _stated_answers(self, name: str, rows: _Rows, parts: Parts) -> NDArray[Any]:
        """Return whether rows hold; the answer may also name the nearer object or its column."""
        column = rows.column(name)
        words, codes = encode_column(name, column)
        if parts.positions or says_whether(words):
            rows.roles[name] = "the answer: whether the row holds as written"
            return as_answers(name, column)
        options = rows.found.objects[1:] if parts.rows.shape[1] == 3 else ["first", "second"]
        shown = parts.rows[:, 1:] if parts.rows.shape[1] == 3 else np.full((len(codes), 2), -1)
        labels = [str(label) for label in parts.names or ()]
        valid = ~column.is_null().to_numpy()
        choice = Choice(name, words, codes, shown, labels, options, valid, stated=True)
        positions, coding = choice.positions(self.coding, rows.place)
        rows.roles[name] = f"the answer, {_CODED[coding]}"
        return np.asarray(positions == 0)

    def _trials(self, rows: _Rows) -> tuple[Comparisons, NDArray[np.intp]]:
        """Turn questions and answers into comparisons, and say from which row each comes."""
        found = rows.found
        parts, trials = self._asked(rows)
        labels = [str(label) for label in parts.names or ()]
        missing = rows.missing([*rows.required, *found.groups.values(), *found.numbers])
        unanswered = np.asarray((trials.chosen < 0).all(axis=1))
        if found.answers and unanswered.any():
            missing[found.answers[0]] = unanswered
        keep = valid_rows(
            missing,
            trials.says_nothing(),
            self.on_invalid,
            rows.place,
            lambda row: tuple(labels[o] for o in parts.rows[row]),
        )
        at = np.arange(len(trials.shown))[keep]
        if len(at) == 0:
            raise InputError(NO_ROWS)
        made, trial = trials[at].comparisons()
        origin = at[trial]
        parts = replace(parts, rows=made, groups=rows.groups(origin))
        if found.weight is not None:
            weights = as_numbers(found.weight, rows.column(found.weight), "weights")
            parts.weights = weights[origin]
        if "trial" not in found.groups and (found.votes or len(made) > len(at)):
            parts.groups = {**parts.groups, "trial": rows.number(origin)}
        if found.votes:
            origin = origin[_weigh_votes(parts, rows, origin)]
        return parts.build_valid(), origin

    def _asked(self, rows: _Rows) -> tuple[Parts, Trials]:
        """Return the objects of each row with their labels, and the trials they make."""
        found = rows.found
        objects = rows.lists() if found.is_list else rows.chosen(found.objects)
        parts = self._labelled(objects, rows)
        labels = [str(label) for label in parts.names or ()]
        numbered = parts.rows.copy()
        for at, column in enumerate(objects.values()):
            numbered[column.is_null().to_numpy(), at] = -1
        if found.has_fewer and "-1" in labels:
            numbered[numbered == labels.index("-1")] = -1
        anchor, shown = (numbered[:, 0], numbered[:, 1:]) if found.anchored else (None, numbered)
        ranked = np.zeros(len(shown), dtype=bool)
        if found.ranked is not None:
            ranked = as_answers(found.ranked, rows.column(found.ranked)) == 1
            rows.roles[found.ranked] = "whether the order of the choices counts"
        chosen = self._chosen(rows, shown, list(objects)[found.anchored :], labels)
        rows.note(found.objects, _roles(found))
        return parts, Trials(found.question, anchor, shown, chosen, ranked)

    def _chosen(
        self, rows: _Rows, shown: NDArray[Any], options: Sequence[str], labels: Sequence[str]
    ) -> NDArray[Any]:
        """Return the objects that were chosen, -1 where there are fewer; of pairs, the position."""
        found = rows.found
        if found.question == "ranking" or found.votes:
            return shown[:, :1]  # both sides have votes, see _weigh_votes
        if not found.answers and found.question == "odd-one-out":
            return shown[:, -1:]  # the odd one stands last
        if not found.answers:
            raise InputError(
                f"Which column says what was chosen of {', '.join(map(repr, options))}? Name it"
                " with answer=."
            )
        words, codes, given = rows.answers()
        if found.question == "pairs":
            options, shown = pair_names(options), np.full((len(shown), 2), -1)
        k = len(found.answers)
        choice = Choice(
            found.answers[0],
            words,
            codes.ravel(),
            shown if k == 1 else np.repeat(shown, k, axis=0),
            labels,
            options,
            given.ravel(),
        )
        coding = self.coding
        if coding == "auto" and found.is_list and all(map(is_number, words)):
            coding = "from-0"  # an index into the list
        positions, coding = choice.positions(coding, lambda row: rows.place(row // k))
        rows.note(found.answers, [f"the answer, {_CODED[coding]}"] * k)
        positions = np.where(given, positions.reshape(-1, k), -1)
        if found.question == "pairs":
            return positions
        every_row = np.arange(len(shown))[:, None]
        return np.where(positions >= 0, shown[every_row, positions], -1)

    def read_npz(self, path: Path) -> tuple[Comparisons, Reading]:
        """Read the arrays of an NPZ file."""
        comparisons, _ = read_npz(path, self.names, self.n_objects).build(self.on_invalid)
        roles = {"rows": "the comparisons"}
        n_rows = len(comparisons)
        spoken = f"row 0: {statement(comparisons, 0)}"
        return comparisons, Reading(
            comparisons.kind, roles, (), spoken, n_rows, {}, n_comparisons=n_rows
        )


_CODED = {
    "name": "which names the object that was chosen",
    "column": "which names the column of the object that was chosen",
    "from-0": "which counts the objects from 0",
    "from-1": "which counts the objects from 1",
    "holds": "which says whether the first of the two was chosen",
}


def _roles(found: FoundLayout) -> list[str]:
    """Return as what the columns of objects are used."""
    shown = "an object to choose from"
    if found.question == "ranking":
        shown = "an object of the ranking, nearest first"
    elif found.question == "pairs":
        return ["the first pair", "the first pair", "the second pair", "the second pair"]
    elif found.is_list:
        shown = "the objects to choose from"
    roles = ["the anchor"] if found.anchored else []
    roles += [shown] * (len(found.objects) - len(roles))
    if found.question == "odd-one-out" and not found.answers:
        roles[-1] = "the odd one"
    return roles


class _Rows:
    """The columns that matter, and those rows of them that count."""

    def __init__(self, table: Table, found: FoundLayout, columns: pa.Table) -> None:
        self.table = table
        self.found = found
        self.columns = columns
        self.n_rows = len(columns)
        self._counting: NDArray[np.intp] | None = None
        self.roles = {name: f"the group {group!r}" for group, name in found.groups.items()}
        if found.weight is not None:
            self.roles[found.weight] = "the weight"
        self.note(found.votes, ["the votes for the first", "the votes for the second"])

    def select(self, conditions: Sequence[Condition]) -> dict[str, int]:
        """Keep the rows that meet the conditions, and count the others."""
        if not conditions:
            return {}
        entries = {
            name: (*encode_column(name, self.column(name)), self.column(name).is_null().to_numpy())
            for name in {condition.column for condition in conditions}
        }
        counts, left_out = rows_that_count(entries, conditions, self.n_rows)
        if not counts.all():
            self.columns = self.columns.filter(counts)
            self._counting = np.flatnonzero(counts)
        for condition in conditions:
            self.roles.setdefault(condition.column, "a condition")
        return left_out

    def refuse_empty_columns(self) -> None:
        """Refuse a column that matters and has no entry."""
        for name in self.found.used:
            if self.found.has_fewer and name not in (*self.required, *self.found.answers[:1]):
                continue
            if 0 < len(self.columns) == self.column(name).null_count:
                if name in self.found.answers and not self.found.stated:
                    raise InputError(
                        f"Column {name!r} has no entries at all: the questions are not answered."
                    )
                raise InputError(f"Column {name!r} has no entries at all.")

    def column(self, name: str) -> pa.ChunkedArray:
        """Return one column."""
        return self.columns.column(name)

    def chosen(self, names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """Return columns by their names."""
        return {name: self.column(name) for name in names}

    @property
    def required(self) -> list[str]:
        """Columns of objects that every row needs: of lists only the anchor."""
        return self.found.objects[:1] if self.found.has_fewer else self.found.objects

    def answers(self) -> tuple[list[str], NDArray[Any], NDArray[np.bool_]]:
        """Return the different answers of all columns, which each row gave, and where there is one.

        Of several columns, -1 says that no further object was chosen.
        """
        words: list[str] = []
        codes, given = [], []
        several = len(self.found.answers) > 1
        for name in self.found.answers:
            column = self.column(name)
            of_column, at = encode_column(name, column)
            none = np.array([several and word == "-1" for word in of_column] or [True])
            codes.append(at + len(words))
            given.append(~(column.is_null().to_numpy() | none[at]))
            words += of_column or [""]
        return words, np.column_stack(codes), np.column_stack(given)

    def place(self, row: int) -> str:
        """Words for where a row that counts stands in the source."""
        return self.table.place(self.number(row))

    def number(self, row: Any) -> Any:
        """Return the number of rows that count among all rows of the source."""
        return row if self._counting is None else self._counting[row]

    def missing(self, names: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
        """Return for each column with missing entries in which rows."""
        return {n: self.column(n).is_null().to_numpy() for n in names if self.column(n).null_count}

    def groups(self, rows: Any = slice(None)) -> dict[str, NDArray[Any]]:
        """Return the labels of the groups."""
        return {
            group: as_labels(name, self.column(name))[rows]
            for group, name in self.found.groups.items()
        }

    def note(self, names: Sequence[str], roles: Sequence[str]) -> None:
        """Remember as what columns are used, objects first."""
        self.roles = dict(zip(names, roles, strict=False)) | self.roles

    def lists(self) -> dict[str, pa.ChunkedArray]:
        """Return the anchor, and lists in JSON as one column per place in them."""
        import pyarrow as pa

        anchor, listed = self.found.objects
        column = self.column(listed)
        words, codes = encode_column(listed, column)
        lists = lists_of(listed, words)
        longest = max(map(len, lists), default=0)
        null = column.is_null().to_numpy()
        columns = {anchor: self.column(anchor)}
        for at in range(longest):
            entries = [entry[at] if at < len(entry) else None for entry in lists]
            taken = [
                None if gone else entries[code] for code, gone in zip(codes, null, strict=True)
            ]
            columns[f"{listed}[{at}]"] = pa.chunked_array([pa.array(taken, pa.string())])
        return columns


def _weigh_votes(parts: Parts, rows: _Rows, trial: NDArray[Any]) -> NDArray[np.intp]:
    """Take votes for both sides as two rows with their votes as weights; return their numbers."""
    votes = [as_numbers(name, rows.column(name), "votes")[trial] for name in rows.found.votes]
    both = np.concatenate([parts.rows, parts.rows[:, [0, 2, 1]]])
    weights = np.concatenate(votes) * (1 if parts.weights is None else np.tile(parts.weights, 2))
    order = np.argsort(np.tile(np.arange(len(trial)), 2), kind="stable")
    order = order[weights[order] != 0]
    number: NDArray[np.intp] = np.tile(np.arange(len(trial)), 2)[order]
    parts.rows, parts.weights = both[order], weights[order]
    parts.groups = {name: labels[number] for name, labels in parts.groups.items()}
    return number


def _read_aloud(comparisons: Comparisons, rows: _Rows, origin: NDArray[np.intp]) -> str:
    """Say what the first row that counts states, and who said it."""
    n_made = int((origin == origin[0]).sum())
    spoken = [statement(comparisons, row) for row in range(min(n_made, 2))]
    if rows.found.votes and comparisons.weights is not None:
        votes = comparisons.weights[: len(spoken)]
        spoken = [f"{words} ({n:g} votes)" for words, n in zip(spoken, votes, strict=True)]
    said = " and ".join(spoken)
    more = f" (and {n_made - 2} more)" if n_made > 2 else ""
    who = rows.found.groups.get("participant")
    by = f", said by {comparisons.groups['participant'][0]}" if who is not None else ""
    where = rows.place(int(origin[0]))
    return f"{where[0].lower()}{where[1:]}: {said}{more}{by}"


def statement(comparisons: Comparisons, row: int) -> str:
    """Read one comparison aloud."""
    names = comparisons.names
    objects = [str(o) if names is None else names[o] for o in comparisons.rows[row]]
    if len(objects) == 3:
        return "{} is more like {} than {}".format(*objects)
    return "{} and {} are more alike than {} and {}".format(*objects)
