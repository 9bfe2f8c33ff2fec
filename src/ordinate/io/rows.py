"""The rows of a log that count, what was shown and chosen in each, and how that was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import NO_ROWS, InputError, shortened
from ordinate.comparisons.pairs import Pairs
from ordinate.comparisons.record import SWAPPED_COLUMNS, Comparisons
from ordinate.io.codings import Choice
from ordinate.io.columns import as_labels, encode_column, has_labels, only_occurring
from ordinate.io.covariates import find_covariates, read_covariates
from ordinate.io.headings import normalize_heading
from ordinate.io.layout import Layout, read_conditions, rows_that_count
from ordinate.io.layout_table import FoundLayout
from ordinate.io.screening import (
    refuse_other_trials,
    respondent_condition,
    screening_columns,
)
from ordinate.io.tables import Table, json_text, parse_json
from ordinate.tasks import BEST_WORST, PAIR, Task, in_words, make_task

if TYPE_CHECKING:
    import pyarrow as pa

_PLUGIN = "trial_type"
"""What jsPsych calls the column that says how a question was asked."""
NONE = "-1"
"""How PsiZ-collect, whose columns end in _idx, says that there is no further object."""


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


class Log:
    """The columns of a table that matter, in the rows that count."""

    def __init__(self, table: Table, found: FoundLayout, layout: Layout) -> None:
        self.table = table
        self.layout = layout
        conditions = read_conditions(table.names, layout.where, layout.exclude)
        named = [condition.column for condition in conditions]
        taken = {*named, *found.objects, *found.answers}
        screening, respondent = screening_columns(table.names)
        screening = [n for n in screening if n not in taken and not layout.keeps_all]
        who = [] if respondent is None or respondent in named else [respondent]
        wanted = dict.fromkeys([*found.labels, *named, *screening, *who])
        self.covariates = find_covariates(table.names, layout.covariates, found)
        swaying = [name for names in self.covariates.values() for name in names]
        columns = table.read(list(wanted), [*found.numbers, *swaying])
        self.n_rows = len(columns)
        for name in who:
            of_people = respondent_condition(name, columns.column(name), layout.respondent)
            conditions += [] if of_people is None else [of_people]
        counts, self.left_out = rows_that_count(columns, conditions)
        # instructions, and the last line of a log, have no objects
        empty = np.all([columns.column(n).is_null().to_numpy() for n in found.objects], axis=0)
        if (empty & counts).any() and (~empty & counts).any():
            self.left_out["without objects"] = int((empty & counts).sum())
            counts &= ~empty
        self.columns = columns if counts.all() else columns.filter(counts)
        self._counting = None if counts.all() else np.flatnonzero(counts)
        self.roles = {name: f"the group {group!r}" for group, name in found.groups.items()}
        if found.weight is not None:
            self.roles[found.weight] = "the weight"
        for name, of_items in self.covariates.items():
            self.roles |= dict.fromkeys(of_items, f"the covariate {name!r}")
        for condition in conditions:
            self.roles.setdefault(condition.column, "a condition")
        self.found = found
        self.options = list(found.objects)
        """What the objects are called."""
        refuse_other_trials({name: self.column(name) for name in screening})
        self._refuse_empty_columns()
        self.is_padded = all(name.lower().endswith("_idx") for name in found.objects)

    def _refuse_empty_columns(self) -> None:
        """Refuse a column that matters and has no entry; of several answers one must have some."""
        found, n_rows = self.found, len(self.columns)
        filled = {n for n in found.used if self.column(n).null_count < max(n_rows, 1)}
        if self.layout.groups is None:  # an empty column of participants says as much as none
            for name in set(found.groups.values()) - filled:
                del self.roles[name]
            groups = {group: name for group, name in found.groups.items() if name in filled}
            found = replace(found, groups=groups)
        answers = [n for n in (*found.answers, *found.duplicate_answers) if n in filled]
        if len(found.answers) == 1 and not found.answer_given and answers:
            found = replace(found, answers=answers[:1], duplicate_answers=answers[1:])
        may_be_empty = set(found.objects[len(found.required) :]) | set(found.answers[1:])
        for name in found.used:
            if n_rows and name not in filled and name not in may_be_empty:
                is_answer = name in found.answers and not found.stated
                why = ": the questions are not answered" * is_answer
                raise InputError(f"Column {name!r} has no entries at all{why}.")
        self.found = found

    @property
    def ignored(self) -> tuple[str, ...]:
        """Columns of the table that are not used."""
        return tuple(name for name in self.table.names if name not in self.roles)

    @cached_property
    def unused(self) -> dict[str, pa.ChunkedArray]:
        """Further columns of labels, in the rows that count."""
        names = [name for name in self.ignored if name not in self.found.used]
        columns = self.table.read(names) if names else self.columns
        found = {name: columns.column(name) for name in names}
        if self._counting is not None:
            found = {name: column.take(self._counting) for name, column in found.items()}
        return {name: column for name, column in found.items() if has_labels(column)}

    def column(self, name: str) -> pa.ChunkedArray:
        """Return one column, of those that matter or of the others."""
        return self.columns.column(name) if name in self.columns.column_names else self.unused[name]

    def place(self, row: int, *, within: bool = False) -> str:
        """Words for where a row that counts stands in the source, perhaps within a sentence."""
        place = self.table.place(int(self.number(row)))
        return place[0].lower() + place[1:] if within else place

    def number(self, row: Any) -> Any:
        """Return the number of rows that count among all rows of the source."""
        return row if self._counting is None else self._counting[row]

    def note(self, names: Sequence[str], roles: Sequence[str]) -> None:
        """Remember as what columns are used, objects first."""
        self.roles = dict(zip(names, roles, strict=False)) | self.roles

    def choices(
        self, shown: NDArray[Any], labels: Sequence[str], options: Sequence[str]
    ) -> list[Choice]:
        """Return the columns that say what was chosen, beside what there was to choose from.

        The columns of several choices are one, with a row for each of them.
        """
        found, k = self.found, len(self.found.answers)
        given = ~np.any([self.column(n).is_null().to_numpy() for n in found.required], axis=0)
        several = [found.answers] if k > 1 else []
        plugin = (
            []
            if _PLUGIN not in self.table.names
            else encode_column(_PLUGIN, self.column(_PLUGIN))[0]
        )
        are_buttons = bool(plugin) and all("button-response" in word for word in plugin)
        choices = []
        for names in several or [[name] for name in (*found.answers, *found.duplicate_answers)]:
            words: list[str] = []
            codes, valid, called = [], [], normalize_heading(names[0])
            for name in names:
                of_column, at = encode_column(name, self.column(name))
                of_column = [(self.layout.map or {}).get(word, word) for word in of_column]
                none = np.array([self.is_padded and w == NONE for w in of_column] or [True])
                codes.append(at + len(words))
                valid.append(given & ~(self.column(name).is_null().to_numpy() | none[at]))
                words += of_column or [""]
            choices.append(
                Choice(
                    names[0],
                    words,
                    np.column_stack(codes).ravel(),
                    np.column_stack(valid).ravel(),
                    shown if k == 1 else np.repeat(shown, k, axis=0),
                    labels,
                    options,
                    found.order,
                    found.is_statement,
                    found.is_list,
                    names if k > 1 else (),
                    told=self.layout.coding != "auto",
                    counts_buttons=called == "button_pressed"
                    or (are_buttons and called == "response"),
                    may_tie=found.question == PAIR,
                )
            )
        return choices

    def objects(self) -> dict[str, pa.ChunkedArray]:
        """Return the columns of objects; a list in JSON as one column per place in it."""
        import pyarrow as pa

        found = self.found
        columns = {name: self.column(name) for name in found.objects}
        if not found.is_list:
            return columns
        anchor, listed = found.objects
        words, codes = encode_column(listed, columns[listed])
        lists = [_parse_list(listed, word) for word in words]
        taken = np.where(columns[listed].is_null().to_numpy(), len(lists), codes)
        columns = {anchor: columns[anchor]}
        for at in range(max([2, *map(len, lists)])):
            entries = [entry[at] if at < len(entry) else None for entry in (*lists, [])]
            column = pa.chunked_array([pa.array(entries, pa.string())])
            columns[f"{listed}[{at}]"] = column.take(taken)
        self.options = list(columns)
        return columns


def _parse_list(column: str, word: str) -> list[str | None]:
    """Return the entries of a list in JSON."""
    try:
        entries = parse_json(word, word)
    except InputError:
        entries = None
    if not isinstance(entries, list) or any(isinstance(e, (dict, list)) for e in entries):
        raise InputError(
            f'Column {column!r} holds {shortened(word)}; expected lists such as ["a", "b"].'
        )
    return [json_text(entry) for entry in entries]


@dataclass
class AnsweredRows:
    """What was shown and chosen in each row that is kept: all that a record is made of."""

    log: Log
    origin: NDArray[np.intp]
    """Which row of the log each is."""
    items: NDArray[np.int32]
    """Objects by their numbers, the anchor first; -1 where there is none."""
    chosen: NDArray[Any]
    """Positions of what was chosen, in the order of choosing, -1 where there are fewer.

    Of best and worst, these two.
    """
    labels: tuple[str, ...] | None = None
    n_objects: int | None = None
    is_vocabulary: bool = True
    """Whether labels that no row has stay."""
    weights: NDArray[Any] | None = None
    tie: NDArray[np.bool_] | None = None
    counts: NDArray[Any] | None = None
    """How often each option was chosen, and neither."""
    is_reversed: NDArray[np.bool_] | None = None
    """Where the second of two was shown first."""
    ordered: bool = False
    ranked: NDArray[np.bool_] | None = None
    """Where the order of the choices counts, if rows may differ in size."""

    def take(self, name: str) -> NDArray[Any]:
        """Return the entries of any column of the log, one per row: numbers or text."""
        return as_labels(name, self.log.column(name))[self.origin]

    def to_record(self) -> tuple[Comparisons | Pairs, NDArray[np.intp]]:
        """Return what the answers state, and of which row of the log each statement is."""
        found = self.log.found
        made, at, weights, outcomes = self._scaled() if found.scaled else self._mapped()
        if len(made) == 0:
            raise InputError(NO_ROWS)
        origin = self.origin[at]
        named, who = dict(found.groups), screening_columns(self.log.columns.column_names)[1]
        if self.log.layout.respondent == "all" and who is not None and who not in named.values():
            named[normalize_heading(who)] = who
        groups = {
            group: as_labels(name, self.log.column(name))[origin] for group, name in named.items()
        }
        is_divided = bool(found.votes) or len(made) > len(self.items)
        is_named = "trial" in groups and not found.scaled  # of a ranking, each row is one
        if found.question != PAIR and not is_named and (is_divided or found.scaled):
            groups["trial"] = self.log.number(origin)
        if found.scaled:
            is_reversed = None if self.is_reversed is None else self.is_reversed[at]
            pairs = Pairs(
                made,
                outcomes,
                ordered=self.ordered and found.question == PAIR,
                weights=weights,
                groups=groups,
                names=self.labels,
                covariates=read_covariates(
                    self.log.covariates, self.log.columns, origin, is_reversed
                ),
            )
            return pairs, origin
        labels = self.labels
        if labels is not None and not self.is_vocabulary:
            made, labels = only_occurring(made, labels)
        n_objects = self.n_objects if labels is None else len(labels)
        return Comparisons._of_valid_rows(made, None, weights, groups, labels, n_objects), origin

    def _mapped(self) -> tuple[NDArray[np.int32], Any, NDArray[Any] | None, None]:
        """Return comparisons, the row of each, and weights."""
        shown = max(self.items.shape[1] - 1, 2)
        task = make_task(self.log.found.question, shown=shown, choose=1)
        made, at = _follow(task, self.items, self.chosen, self.ranked)
        weights = None if self.weights is None else self.weights[at]
        if self.counts is None:
            return made, slice(None) if len(made) == len(self.items) else at, weights, None
        # votes for both sides are two rows
        both = np.stack([made, made[:, SWAPPED_COLUMNS[made.shape[1]]]], axis=1)
        votes = self.counts[at] * (1 if weights is None else weights[:, None])
        row, side = np.nonzero(votes)
        return both[row, side], at[row], votes[row, side], None

    def _scaled(self) -> tuple[NDArray[np.int32], Any, NDArray[Any] | None, Any]:
        """Return pairs of items, the row of each, weights, and who won."""
        items, chosen = self.items, self.chosen[:, 0]
        if self.log.found.question != PAIR:
            order = np.broadcast_to(np.arange(items.shape[1]), items.shape)
            if self.log.found.question == BEST_WORST:
                order = np.ones(items.shape, dtype=np.intp)
                np.put_along_axis(order, self.chosen, [[0, 2]], axis=1)
            there = items >= 0
            before = (order[:, :, None] < order[:, None, :]) & there[:, :, None]
            at, first, second = np.nonzero(before & there[:, None, :])
            won = np.column_stack([items[at, first], items[at, second]])
            return won, at, None if self.weights is None else self.weights[at], None
        at, weights = np.arange(len(items)), self.weights
        outcomes = 1 - 2 * chosen.astype(np.intp)
        if self.tie is not None:
            outcomes[self.tie] = 0
        if self.counts is not None:
            weights = self.counts if weights is None else self.counts * weights[:, None]
            at, kind = np.nonzero(weights)
            outcomes, weights = np.array([1, -1, 0])[kind], weights[at, kind]
        items = items[at]
        self.ordered &= len(set(outcomes.tolist()) - {0}) == 2
        if self.is_reversed is not None:
            is_reversed, self.ordered = self.is_reversed[at], True
            items = np.where(is_reversed[:, None], items[:, ::-1], items)
            outcomes = np.where(is_reversed, -outcomes, outcomes)
        return items, at, weights, outcomes


def _follow(
    task: Task, items: NDArray[Any], chosen: NDArray[Any], ranked: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return what answers state, and in which row each; `ranked` rows differ in size."""
    if ranked is None:
        return task.rows(items, chosen)
    sizes = (chosen >= 0).sum(axis=1) * 2 + ranked
    parts = [(items[:0, :3], np.empty(0, dtype=np.intp))]
    for size in np.flatnonzero(np.bincount(sizes)):
        at = np.flatnonzero(sizes == size)
        some = chosen[at][chosen[at] >= 0].reshape(len(at), size // 2)
        rows, question = task.rows(items[at], some, ranked=bool(size % 2))
        there = (rows >= 0).all(axis=1)
        parts.append((rows[there], at[question[there]]))
    made, question = map(np.concatenate, zip(*parts, strict=True))
    in_order = np.argsort(question, kind="stable")
    return made[in_order], question[in_order]
