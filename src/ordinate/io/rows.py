"""The rows of a log that count, and what its further columns must agree with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError, shortened
from ordinate.io.codings import POSITIONS, Choice
from ordinate.io.columns import as_labels, encode_column, has_labels
from ordinate.io.doubts import LayoutError
from ordinate.io.headings import is_answer, is_negative, is_plan, normalize_heading
from ordinate.io.layout import Condition, Layout, read_conditions, rows_that_count
from ordinate.io.layout_table import FoundLayout
from ordinate.io.record_files import HEADERS, stored_facts
from ordinate.io.screening import (
    refuse_other_trials,
    respondent_column,
    respondent_condition,
    screening_columns,
)
from ordinate.io.tables import ParquetTable, Table, json_text, parse_json
from ordinate.tasks import in_words

if TYPE_CHECKING:
    import pyarrow as pa

_CODED = {
    "name": "which names the object that was chosen",
    "column": "which names the column of the object that was chosen",
    "from-0": "which counts the objects from 0",
    "from-1": "which counts the objects from 1",
    "holds": "which says whether the first of the two was chosen",
}

_PLUGIN = "trial_type"
"""What jsPsych calls the column that says how a question was asked."""
_MOSTLY = 0.95
"""Share of the rows in which a further column must name what was shown to be about it."""
_NONE = "-1"
"""How PsiZ-collect says that there is no further object."""


@dataclass(frozen=True)
class Reading:
    """How a log was read."""

    question: str
    columns: dict[str, str]
    ignored: tuple[str, ...]
    example: str
    n_rows: int
    left_out: dict[str, int]
    guessed: bool = False
    n_comparisons: int = 0
    n_lines: int | None = None
    opposite: tuple[str, Any] | None = None
    other_codings: tuple[str, ...] = ()
    layout_file: str | None = None
    reversed: bool = False
    catch: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Catch trials of each person that were answered rightly, and how many there were."""
    place: Callable[[int], str] = field(default="Row {}".format, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "place"}

    def __str__(self) -> str:
        by = f" by {self.layout_file}" if self.layout_file else ""
        lines = [f"Read as {in_words(self.question)}{by}:"]
        lines += [f"  {column!r} is {role}" for column, role in self.columns.items()]
        lines += [f"  not used: {', '.join(map(repr, self.ignored))}"] if self.ignored else []
        lines += [f"  {self.example}"]
        lines += [f"  {self.left_out_in_words}"] if self.left_out else []
        if self.n_lines is not None:
            lines.append(
                f"  {self.n_rows:,} rows in {self.n_lines:,} lines: some entries have several"
            )
        return "\n".join(lines)

    @property
    def left_out_in_words(self) -> str:
        """How many rows conditions left out, as a sentence."""
        reasons = ", ".join(
            f"{n:,} {reason if reason.startswith('without') else f'with {reason}'}"
            for reason, n in self.left_out.items()
        )
        return f"Left out {sum(self.left_out.values()):,} of {self.n_rows:,} rows: {reasons}."


def notes_about(readings: Sequence[Reading]) -> Iterator[str]:
    """Say what was guessed about logs, and how many rows conditions left out."""
    for reading in readings:
        if reading.layout_file:
            yield f"Read by {reading.layout_file}."
        if reading.guessed:
            yield f"Read as {in_words(reading.question)}: {reading.example}"
        if reading.left_out:
            yield reading.left_out_in_words


class AnsweredRows:
    """The columns that matter, and those rows of them that count."""

    def __init__(
        self,
        table: Table,
        found: FoundLayout,
        layout: Layout,
        beside: Sequence[str] = (),
    ) -> None:
        self.table = table
        self.found = found
        self.layout = layout
        conditions = read_conditions(table.names, layout.where, layout.exclude)
        named = [condition.column for condition in conditions]
        screening = [] if layout.keeps_all else screening_columns(table.names)
        screening = [n for n in screening if n not in (*named, *found.objects, *found.answers)]
        respondent = respondent_column(table.names)
        who = [] if respondent is None or respondent in named else [respondent]
        wanted = dict.fromkeys([*found.labels, *beside, *named, *screening, *who])
        self.columns = table.read(list(wanted), found.numbers)
        self.n_rows = len(self.columns)
        self.stored = stored_facts(table.schema) if isinstance(table, ParquetTable) else {}
        self._counting: NDArray[np.intp] | None = None
        self.coding: str | None = None
        """How the answers are coded, if they decide which object is nearer."""
        self.opposite: tuple[str, Any] | None = None
        self.options = list(found.objects)
        """What the objects are called."""
        self.other_codings: tuple[str, ...] = ()
        self.catch: dict[str, tuple[int, int]] = {}
        self._is_object = False
        """Whether an object is called -1."""
        self.roles = {name: f"the group {group!r}" for group, name in found.groups.items()}
        if found.weight is not None:
            self.roles[found.weight] = "the weight"
        self.note(found.votes, ["the votes for the first", "the votes for the second"])
        for name in who:
            of_people = respondent_condition(name, self.column(name), layout.respondent)
            conditions += [] if of_people is None else [of_people]
        self.left_out = self._select(conditions)
        self._leave_out_other_screens()
        refuse_other_trials(self.chosen(screening))
        self._refuse_empty_columns()

    @property
    def ignored(self) -> tuple[str, ...]:
        """Columns of the table that are not used."""
        return tuple(name for name in self.table.names if name not in self.roles)

    def _select(self, conditions: Sequence[Condition]) -> dict[str, int]:
        """Keep the rows that meet the conditions, and count the others."""
        if not conditions:
            return {}
        counts, left_out = rows_that_count(self.columns, conditions)
        if not counts.all():
            self._keep(counts)
        for condition in conditions:
            self.roles.setdefault(condition.column, "a condition")
        return left_out

    def _keep(self, counts: NDArray[np.bool_]) -> None:
        """Keep some of the rows."""
        self.columns = self.columns.filter(counts)
        self._counting = self.number(np.flatnonzero(counts))

    def _leave_out_other_screens(self) -> None:
        """Leave out rows without any object, such as instructions and the last line of a log."""
        nulls = [self.column(name).is_null().to_numpy() for name in self.found.objects]
        empty = np.all(nulls, axis=0)
        if empty.any() and not empty.all():
            self._keep(~empty)
            self.left_out["without objects"] = int(empty.sum())

    def _numbers(self, name: str, labels: Sequence[str]) -> NDArray[np.intp]:
        """Return the objects that a further column names: -1 for others, -2 where there is none."""
        column = self.unused[name] if name in self.unused else self.column(name)
        number = {label: at for at, label in enumerate(labels)}
        words, codes = encode_column(name, column)
        numbers = np.array([number.get(word, -1) for word in words] or [-1])[codes]
        numbers[column.is_null().to_numpy()] = -2
        return numbers

    def _arranged(
        self, pair: Sequence[str], shown: NDArray[Any], labels: Sequence[str]
    ) -> NDArray[np.intp]:
        """Return how two further columns hold the two objects of each row.

        0 if they stand alike, 1 if the other way round, -1 if others do, -2 where there is none.
        """
        first, second = (self._numbers(name, labels) for name in pair)
        alike = (first == shown[:, 0]) & (second == shown[:, 1])
        turned = (first == shown[:, 1]) & (second == shown[:, 0])
        others = np.where((first == -2) | (second == -2), -2, -1)
        return np.where(alike, 0, np.where(turned, 1, others))

    def leave_out_padding(self, items: NDArray[Any], labels: Sequence[str]) -> None:
        """Take -1 after the last object of shorter rows for none, unless an object is called so."""
        if not self.found.has_fewer or _NONE not in labels:
            return
        padding = items == labels.index(_NONE)
        is_last = (padding[:, 1:] | (items[:, 1:] < 0))[:, ::-1].cumprod(axis=1)[:, ::-1] > 0
        self._is_object = bool(
            self.found.is_list
            or padding[:, :3].any()
            or (padding[:, 1:] & ~is_last).any()
            or any(label.startswith("-") and label != _NONE for label in labels)
        )
        if not self._is_object:
            items[padding] = -1

    def refuse_other_anchors(self, anchor: NDArray[Any], labels: Sequence[str]) -> None:
        """Refuse a second column that seems to hold the anchor and holds something else."""
        for name in self.found.anchors:
            numbers = self._numbers(name, labels)
            other = (numbers != anchor) & (numbers > -2)
            if other.any():
                raise InputError(
                    f"Columns {self.found.objects[0]!r} and {name!r} may both hold the anchor, but"
                    f" differ, first in {self.place_within(int(np.argmax(other)))}; choose the"
                    f" columns of the objects with {argument('columns', ...)}."
                )

    def refuse_anchors(self, shown: NDArray[Any], labels: Sequence[str]) -> None:
        """Refuse two items beside a column of other items: perhaps both were compared with it."""
        for name in self.unused:
            numbers = self._numbers(name, labels)
            n_named = len(np.unique(numbers[numbers >= 0]))
            is_shown = (shown == numbers[:, None]).any(axis=1)
            if not 2 < n_named < len(numbers) or (numbers >= 0).mean() < _MOSTLY or is_shown.any():
                continue
            raise LayoutError(
                f"Column {name!r} names items, too, and never one of the two in its row: was each"
                f" compared with it ({argument('columns', [name, *self.found.objects])} for a map)"
                f" or not ({argument('columns', self.found.objects)})?",
                [{"columns": [name, *self.found.objects]}, {"columns": self.found.objects}],
            )

    def refuse_other_objects(self, stated: NDArray[Any], labels: Sequence[str]) -> None:
        """Refuse winners that are none of the objects shown, such as sides or positions."""
        for pair in self.found.ambiguous_pairs:
            other = self._arranged(pair, stated, labels) == -1
            if other.any():
                near, far = self.found.objects[-2:]
                raise InputError(
                    f"Columns {near!r} and {far!r} do not hold the objects in {pair[0]!r} and"
                    f" {pair[1]!r}, first in {self.place_within(int(np.argmax(other)))}; choose"
                    f" the columns of the objects with {argument('columns', ...)}."
                )

    def refuse_strangers(self, items: NDArray[Any], labels: Sequence[str]) -> None:
        """Refuse a column that, unlike all others, has no object in common with another."""
        occurs = np.zeros((items.shape[1], len(labels)), dtype=bool)
        for at, column in enumerate(items.T):
            occurs[at, column[column >= 0]] = True
        shared = (occurs.astype(np.int64) @ occurs.T > 0) & ~np.eye(len(occurs), dtype=bool)
        for alone in map(int, np.flatnonzero(~shared.any(axis=1) & occurs.any(axis=1))):
            others = np.delete(np.delete(shared, alone, axis=0), alone, axis=1)
            if alone > 0 and others.any(axis=1).all():
                rest = np.delete(self.found.objects, alone).tolist()
                raise InputError(
                    f"Column {self.found.objects[alone]!r} has no object in common with"
                    f" {', '.join(map(repr, rest))}: it may"
                    " hold something else. Choose the columns of the objects with"
                    f" {argument('columns', ...)}."
                )

    def refuse_what_is_no_object(self, items: NDArray[Any], labels: Sequence[str]) -> None:
        """Refuse a column of a stated comparison that numbers the rows, or holds codes of answers.

        Neither has an object in common with the other columns.
        """
        if self.layout.columns is not None or tuple(self.found.objects) in HEADERS.values():
            return
        codes = POSITIONS.union(map(normalize_heading, (*POSITIONS, *self.table.names)))
        for at, name in enumerate(self.found.objects):
            words = [labels[o] for o in np.unique(items[items[:, at] >= 0, at])]
            if set(words) & {labels[o] for o in np.unique(np.delete(items, at, axis=1)) if o >= 0}:
                continue
            counted = [labels[o] for o in items[:, at]]
            counts = [str(row) for row in range(len(counted) + 1)]
            if counted in (counts[:-1], counts[1:]) and len(counted) > 3:
                what = "numbers the rows"
            elif at >= self.found.anchored and all(
                normalize_heading(word) in codes for word in words
            ):
                what = f"holds {' and '.join(words[:3])}, as an answer does,"
            else:
                continue
            raise InputError(
                f"Column {name!r} {what} and has no object in common with the others. If it holds"
                f" objects, say so with {argument('columns', self.found.objects)}."
            )

    @cached_property
    def unused(self) -> dict[str, pa.ChunkedArray]:
        """Further columns of labels, in the rows that count."""
        names = [name for name in self.ignored if name not in self.found.used]
        columns = self.table.read(names) if names else None
        found = {name: columns.column(name) for name in names} if columns else {}
        if self._counting is not None:
            found = {name: column.take(self._counting) for name, column in found.items()}
        return {name: column for name, column in found.items() if has_labels(column)}

    def refuse_witnesses(self, choice: Choice, positions: NDArray[np.intp]) -> None:
        """Refuse an answer with which another column that names what was shown does not agree.

        Called after what was not chosen, such a column must never name what was; called otherwise,
        it must always name it, or always something else.
        """
        is_told = self.found.answer_given and choice.told
        named = {
            name: numbers
            for name in ([] if is_told else self.unused)
            if (numbers := self._named(name, choice, positions)) is not None
        }
        chosen = choice.shown[np.arange(len(positions)), positions]
        for name, numbers in named.items():
            given = choice.valid & (numbers >= 0)
            agrees, other = given & (numbers == chosen), given & (numbers != chosen)
            if is_negative(name):
                wrong = agrees
            elif is_plan(name) or self.found.answer_given or self._is_order(numbers, choice, named):
                continue
            else:
                is_lost = not agrees.any() and not is_answer(name)
                wrong = np.zeros_like(other) if is_lost else other
            if wrong.any():
                row = int(np.argmax(wrong))
                raise LayoutError(
                    f"Columns {choice.column!r} and {name!r} do not agree on what was chosen:"
                    f" {self.place_within(row)} has {choice.words[choice.codes[row]]!r} and"
                    f" {choice.labels[numbers[row]]!r}. If {choice.column!r} is right, pass"
                    f" {argument('answer', choice.column)} and {argument('coding')}.",
                    [{"answer": choice.column, "coding": choice.coding_of(positions)}],
                )

    def _named(
        self, name: str, choice: Choice, positions: NDArray[np.intp]
    ) -> NDArray[np.intp] | None:
        """Return the object that a further column names in each row, if one shown in most."""
        column = self.unused[name]
        words, codes = encode_column(name, column)
        if is_answer(name):
            valid = choice.valid & ~column.is_null().to_numpy()
            beside = replace(choice, column=name, words=words, codes=codes, valid=valid)
            fits = list(beside.fitting().values()) if valid.any() else []
            fits = [at for at in fits if (at == positions)[valid].all()] or fits
            if fits:
                return np.where(valid, choice.shown[np.arange(len(valid)), fits[0]], -2)
        elif len(words) == len(codes) and not is_negative(name):  # as numbers of rows are
            return None
        numbers = self._numbers(name, choice.labels)
        is_shown = (choice.shown == numbers[:, None]).any(axis=1)
        given = choice.valid & (numbers > -2)
        n_shown = int((is_shown & given).sum())
        return numbers if n_shown and n_shown >= _MOSTLY * given.sum() else None

    def _is_order(
        self, numbers: NDArray[Any], choice: Choice, named: Mapping[str, NDArray[Any]]
    ) -> bool:
        """Whether two further columns hold the two objects, as they do for their places."""
        both = np.sort(choice.shown, axis=1)
        return any(
            choice.shown.shape[1] == 2
            and (np.sort(np.column_stack([numbers, other]), axis=1) == both)[choice.valid].all()
            for other in named.values()
        )

    def refuse_unread_answers(self, shown: NDArray[Any], labels: Sequence[str]) -> None:
        """Refuse chosen columns beside one that may say which of the objects was chosen."""
        if self.found.states or shown.shape[1] != 2:
            return
        options = self.found.objects[1:]
        for name, column in self.unused.items():
            valid = ~column.is_null().to_numpy()
            choice = Choice(
                name, *encode_column(name, column), valid, shown, labels, options, stated=True
            )
            if (
                not name.isdigit()
                and valid.any()
                and choice.may_answer(is_answer(name) or is_negative(name))
            ):
                raise LayoutError(
                    f"Column {name!r} may say which of {options[0]!r} and {options[1]!r} was"
                    f" chosen. Read it as the answer with {argument('answer', name)}, or say that"
                    f" {options[0]!r} is the nearer in all rows with {argument('answer', [])}.",
                    [{"answer": name}, {"answer": []}],
                )

    def refuse_other_order(self, choice: Choice) -> None:
        """Refuse positions if two further columns hold the objects in another order."""
        for pair in self.found.ambiguous_pairs:
            arranged = self._arranged(pair, choice.shown, choice.labels)
            if (arranged >= 0).mean() >= 0.5 and (arranged == 1).any():
                anchor = self.found.objects[:1]
                raise LayoutError(
                    f"{choice.listed()}, but {pair[0]!r} and {pair[1]!r} hold the same objects in"
                    f" another order; say which two it counts with {argument('columns', ...)}.",
                    [{"columns": self.found.objects}, {"columns": [*anchor, *pair]}],
                )

    def ambiguous_pairs_agree(self, choice: Choice) -> bool:
        """Whether an answer chooses the nearer object of each row from columns such as left."""
        for pair in self.found.ambiguous_pairs:
            nearer = self._arranged(pair, choice.shown, choice.labels)
            shown = np.where(nearer[:, None] == 1, choice.shown[:, ::-1], choice.shown)
            beside = replace(choice, shown=shown, options=pair, order=())
            if any((at == nearer)[choice.valid].all() for at in beside.fitting().values()):
                return True
        return False

    def _refuse_empty_columns(self) -> None:
        """Refuse a column that matters and has no entry; of several answers one must have some."""
        found, n_rows = self.found, len(self.columns)
        filled = {n for n in found.used if self.column(n).null_count < max(n_rows, 1)}
        if not found.groups_told:  # an empty column of participants says as much as none
            groups = {group: name for group, name in found.groups.items() if name in filled}
            for name in set(found.groups.values()).difference(groups.values()):
                del self.roles[name]
            self.found = found = replace(found, groups=groups)
        answers = [n for n in (*found.answers, *found.duplicate_answers) if n in filled]
        if len(found.answers) == 1 and not found.answer_given and answers:
            self.found = replace(found, answers=answers[:1], duplicate_answers=answers[1:])
        for name in self.found.used:
            if self.found.has_fewer and name not in (*self.required, *self.found.answers[:1]):
                continue
            if n_rows and name not in filled:
                is_answer = name in self.found.answers and not self.found.stated
                why = ": the questions are not answered" * is_answer
                raise InputError(f"Column {name!r} has no entries at all{why}.")

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

    def choices(
        self, shown: NDArray[Any], labels: Sequence[str], options: Sequence[str]
    ) -> list[Choice]:
        """Return the columns that say what was chosen, beside what there was to choose from.

        The columns of several choices are one, with a row for each of them.
        """
        found = self.found
        k = len(found.answers)
        complete = ~np.any([self.column(n).is_null().to_numpy() for n in self.required], axis=0)
        columns = (
            [found.answers]
            if k > 1
            else [[name] for name in (*found.answers, *found.duplicate_answers)]
        )
        return [
            Choice(
                names[0],
                *self._entries(names, complete),
                shown if k == 1 else np.repeat(shown, k, axis=0),
                labels,
                options,
                found.order,
                found.is_statement,
                found.is_list,
                names if k > 1 else (),
                self.layout.coding != "auto",
                self._counts_buttons(names[0]),
            )
            for names in columns
        ]

    def _counts_buttons(self, answer: str) -> bool:
        """Whether the answer is the number of a button of jsPsych, which count from 0."""
        if normalize_heading(answer) == "button_pressed":
            return True
        if normalize_heading(answer) != "response" or _PLUGIN not in self.table.names:
            return False
        column = self.table.read([_PLUGIN]).column(_PLUGIN)
        if self._counting is not None:
            column = column.take(self._counting)
        words, _ = encode_column(_PLUGIN, column) if has_labels(column) else ([], None)
        return bool(words) and all("button-response" in word for word in words)

    def _entries(
        self, names: Sequence[str], complete: NDArray[np.bool_]
    ) -> tuple[list[str], NDArray[Any], NDArray[np.bool_]]:
        """Return the different answers of columns, which each row gave, and where there is one.

        Rows that are not `complete`, such as other screens, have none. Of several columns, -1 says
        that no further object was chosen.
        """
        words: list[str] = []
        codes, given = [], []
        for name in names:
            column = self.column(name)
            of_column, at = encode_column(name, column)
            of_column = [(self.layout.map or {}).get(word, word) for word in of_column]
            may_be_none = len(names) > 1 and not self._is_object
            none = np.array([may_be_none and word == _NONE for word in of_column] or [True])
            codes.append(at + len(words))
            given.append(complete & ~(column.is_null().to_numpy() | none[at]))
            words += of_column or [""]
        return words, np.column_stack(codes).ravel(), np.column_stack(given).ravel()

    def place(self, row: int) -> str:
        """Words for where a row that counts stands in the source."""
        return self.table.place(self.number(row))

    def place_within(self, row: int) -> str:
        """Words for the same within a sentence."""
        place = self.place(row)
        return place[0].lower() + place[1:]

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

    def note_answers(self, coding: str) -> None:
        """Remember how the columns of answers are coded, and which others agree with them."""
        self.coding = coding
        answers, also = self.found.answers, self.found.duplicate_answers
        self.note(also, ["the answer once more, which agrees"] * len(also))
        self.note(answers, [f"the answer, {_CODED[coding]}"] * len(answers))

    def reading(self, example: str, origin: NDArray[np.intp], **facts: Any) -> Reading:
        """Return how the log was read, if `origin` is the row of each comparison or pair."""
        return Reading(
            self.found.question,
            self.roles,
            self.ignored,
            example,
            self.n_rows,
            self.left_out,
            n_comparisons=len(origin),
            n_lines=getattr(self.table, "n_lines", None),
            catch=self.catch,
            place=lambda row: self.place(int(origin[row])),
            **facts,
        )

    def lists(self) -> dict[str, pa.ChunkedArray]:
        """Return the anchor, and lists in JSON as one column per place in them."""
        import pyarrow as pa

        anchor, listed = self.found.objects
        column = self.column(listed)
        words, codes = encode_column(listed, column)
        lists = _lists_of(listed, words)
        columns = {anchor: self.column(anchor)}
        taken = np.where(column.is_null().to_numpy(), len(lists), codes)
        for at in range(max([2, *map(len, lists)])):
            entries = [entry[at] if at < len(entry) else None for entry in (*lists, [])]
            columns[f"{listed}[{at}]"] = pa.chunked_array([pa.array(entries, pa.string())]).take(
                taken
            )
        self.options = list(columns)
        return columns


def _lists_of(column: str, words: Sequence[str]) -> list[list[str | None]]:
    """Return the lists that the different entries of a column hold, in JSON."""
    lists = []
    for word in words:
        try:
            entries = parse_json(word, word)
        except InputError:
            entries = None
        if not isinstance(entries, list) or any(isinstance(e, (dict, list)) for e in entries):
            raise InputError(
                f'Column {column!r} holds {shortened(word)}; expected lists such as ["a", "b"].'
            )
        lists.append([json_text(entry) for entry in entries])
    return lists


_KEYS = (" ", "space", "enter", "arrowleft", "arrowright", "arrowup", "arrowdown")


def refuse_screens(
    objects: NDArray[Any], labels: Sequence[str], place: Callable[[int], str]
) -> None:
    """Refuse lists that hold keys to press, and rows that are no trials but other screens."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    anchor, shown = objects[:, 0], objects[:, 1:]
    listed = np.unique(shown[shown >= 0])
    keys = [labels[at] for at in listed]
    is_same = (np.sort(shown, axis=1) == np.sort(shown[:1], axis=1)).all()
    are_keys = all(len(key) == 1 or key.lower() in _KEYS for key in keys)
    if are_keys and is_same and not np.isin(anchor, listed).any():
        raise InputError(
            f"The lists hold {', '.join(map(repr, keys))} in all rows: keys to press, not objects?"
            f" Name the columns of the objects with {argument('columns', ...)}, or say that these"
            " are objects"
            f" with {argument('question', 'choose_k')}."
        )
    row, at = np.nonzero((shown >= 0) & (anchor >= 0)[:, None])
    edges = (np.ones(len(row), dtype=np.int8), (anchor[row], shown[row, at]))
    graph = coo_array(edges, shape=(len(labels), len(labels)))
    part = connected_components(graph, directed=False)[1][anchor[row]]
    other = row[part != np.bincount(part).argmax()] if len(row) else row
    if len(other):
        raise InputError(
            f"{place(int(other[0]))} has no object in common with most rows: another screen, such"
            f" as a survey? Leave such rows out with {argument('where')} or {argument('exclude')},"
            " or say that they are"
            f" answers, too, with {argument('question', 'choose_k')}."
        )
