"""Read answers: the layout of a log, the rows that count, what they state, and a report of it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError, check_index_rows, degenerate_rows
from ordinate.comparisons.labels import warn_of_labels
from ordinate.comparisons.pairs import Pairs
from ordinate.comparisons.record import Comparisons, check_size
from ordinate.comparisons.trials import Trials
from ordinate.io import headings, tables, witnesses
from ordinate.io.codings import BY_NAME, Choice, chosen_positions, disagreement
from ordinate.io.columns import (
    LABELS_NOT_COUNTED,
    as_labels,
    as_numbers,
    as_objects,
    as_positions,
    encode_column,
    parse_truth_values,
    refuse_missing,
    valid_rows,
)
from ordinate.io.covariates import named_covariates
from ordinate.io.delimited_text import TextTable
from ordinate.io.doubts import LayoutError, read_settled
from ordinate.io.layout import Layout, layout_for
from ordinate.io.layout_table import (
    FoundLayout,
    UnknownLayoutError,
    find_layout,
    find_several,
    named_pair,
    pair_names,
)
from ordinate.io.placed import read_placed
from ordinate.io.record_files import are_positions, read_npz, stored_facts
from ordinate.io.rows import NONE, AnsweredRows, Log, Reading
from ordinate.io.screening import warn_of_people
from ordinate.tasks import BEST_WORST, PAIR, repeats_within

_PLAIN_TEXT = (".txt", ".dat", ".data")
"""Files in which trials of THINGS and STUFF are published: numbers and blanks, no header."""
_CODED = {
    "name": "which names the object that was chosen",
    "column": "which names the column of the object that was chosen",
    "from-0": "which counts the objects from 0",
    "from-1": "which counts the objects from 1",
    "holds": "which says whether the first of the two was chosen",
}
_REVERSE = ("reverse", True)
_OTHER_QUESTION = {"odd_one_out": "most_central", "most_central": "odd_one_out"}


def read(
    source: Any,
    *,
    layout: Layout | str | os.PathLike[str] | None = None,
    **fields: Any,
) -> Comparisons | Trials | Pairs:
    """Read answers to any question from a file, a frame or an array.

    Parameters
    ----------
    source : path, frame or array-like
        A file ending in .csv, .tsv, .txt, .dat or .data (with comma, semicolon, tab or blanks
        between entries), .json, .jsonl, any of these with .gz, .parquet, .xlsx, .npz, or a .zip
        with one of them in it, or "-" for standard input; a pandas, polars or PyArrow table, or a
        mapping of column names to arrays; or an array with 2, 3 or 4 columns. What stands in a
        file or a column of a frame is a label, kept as it is written, even if it is a number;
        whole numbers in arrays are positions.
    layout : Layout or path, optional
        How it is to be read; by default the file ``answers.layout.toml`` beside ``answers.csv``,
        if there is one.
    **fields
        Parameters of `Layout`, such as `columns` and `answer`, which replace those of `layout`.

    Returns
    -------
    Comparisons, Trials or Pairs
        Pairs if two items were compared in each row, trials if the odd one out was asked for.

    See Also
    --------
    read_comparisons, read_trials, read_pairs : Where it is known what was asked.

    Examples
    --------
    >>> import ordinate as od
    >>> od.read({"item_a": ["tea", "milk"], "item_b": ["milk", "wine"], "winner": ["tea", "wine"]})
    Pairs(2 answers, 0 ties, 3 items)
    """
    record, reading = read_log(source, layout_for(source, layout, fields), pairs=None)
    warn_of_labels(record.names)
    if reading.question == "odd_one_out":
        return Trials.from_comparisons(record)
    return record  # type: ignore[no-any-return]


def read_comparisons(
    source: Any,
    *,
    layout: Layout | str | os.PathLike[str] | None = None,
    **fields: Any,
) -> Comparisons:
    """Read comparisons of likeness from a file, a frame or an array.

    Parameters
    ----------
    source : path, frame or array-like
        As in `read`; arrays have 3 columns (anchor, near, far) or 4 (i, j, k, l).
    layout : Layout or path, optional
        How it is to be read, as in `read`.
    **fields
        Parameters of `Layout`, such as `question`, `columns`, `answer` and `coding`.

    Returns
    -------
    Comparisons
        Rows in the order of the source.

    See Also
    --------
    Layout : What can be said about a log.
    write_comparisons : The way back.
    scan_parquet : For more than fits in memory.
    ordinate.sources.from_odd_one_out : From arrays of trials.

    Examples
    --------
    >>> import ordinate as od
    >>> frame = {"anchor": ["cat", "dog"], "near": ["dog", "cat"], "far": ["car", "car"]}
    >>> answers = od.read_comparisons(frame)
    >>> answers.names
    ('car', 'cat', 'dog')
    >>> answers.rows
    array([[1, 2, 0],
           [2, 1, 0]], dtype=int32)
    """
    comparisons: Comparisons = read_log(source, layout_for(source, layout, fields))[0]
    warn_of_labels(comparisons.names)
    return comparisons


def read_pairs(
    source: Any,
    *,
    layout: Layout | str | os.PathLike[str] | None = None,
    **fields: Any,
) -> Pairs:
    """Read answers to "which of the two is more …?" from a file or a frame.

    A row holds two items and the winner (by name, column, side or number; ``tie`` or ``draw`` for
    neither), or a winner and a loser, or how often each won (``wins_a``, ``wins_b``, ``ties``), or
    what each scored (``score_a``, ``score_b``). A square table of wins, rankings, and the best and
    the worst of several are read too.

    Parameters
    ----------
    source : path, frame, mapping of columns or array-like with 2 columns
        As in `read`; an array without names holds winners and losers.
    layout : Layout or path, optional
        How it is to be read, as in `read`.
    **fields
        Parameters of `Layout`, such as `columns`, `answer` and `shown_first`.

    Returns
    -------
    Pairs
        Its items are called what the source calls them.

    See Also
    --------
    Layout : What can be said about a log.
    Ranking : Fits a scale to it.

    Examples
    --------
    >>> import ordinate as od
    >>> votes = {"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]}
    >>> od.read_pairs(votes)
    Pairs(2 answers, 1 tie, 3 items)
    """
    pairs: Pairs = read_log(source, layout_for(source, layout, fields), pairs=True)[0]
    warn_of_labels(pairs.names)
    return pairs


def read_trials(source: Any, *, names: Sequence[object] | None = None, **fields: Any) -> Trials:
    """Read odd-one-out trials, from the text files of THINGS and STUFF or from a study's log.

    Parameters
    ----------
    source : path, frame or array-like
        A text file (.txt, .dat or .data) without a header, as trials of THINGS are published: in
        each row the positions, from 0, of the two objects kept together, of the odd one and, if
        there is a fourth column, of the participant. A .npy file or an array with the same
        columns. Otherwise a log of an odd-one-out study, as `read_comparisons` reads it.
    names : sequence of str, optional
        Labels of all objects in their order.
    **fields
        For logs, parameters of `Layout`, such as `answer` and `groups`, or `layout`.

    Returns
    -------
    Trials
        In the order of the source.

    See Also
    --------
    read_comparisons : For all other questions.

    Examples
    --------
    >>> import ordinate as od
    >>> log = {"a": ["cat"], "b": ["car"], "c": ["dog"], "odd_one": ["car"]}
    >>> trials = od.read_trials(log, columns=["a", "b", "c"], answer="odd_one")
    >>> [trials.names[number] for number in trials.rows[0]]
    ['cat', 'dog', 'car']
    """
    rows = None if fields else _published_rows(source)
    if rows is None:
        fields = {"question": "odd_one_out", "names": names, **fields}
        return Trials.from_comparisons(read_comparisons(source, **fields))
    if rows.ndim != 2 or rows.shape[1] not in (3, 4):
        raise InputError(
            "Trials without a header have 3 columns (two objects kept together, the odd one) or 4"
            f" (and the participant); got shape {rows.shape}. Name the columns of a log with"
            f" {argument('columns', ...)} and {argument('answer')}."
        )
    groups = {"participant": rows[:, 3].astype(np.intp)} if rows.shape[1] == 4 else None
    return Trials(rows[:, :3], groups=groups, names=names)


def is_published(path: Path) -> bool:
    """Whether a file holds numbers alone, as trials are published, and not a study's log."""
    return path.suffix in (".npy", *_PLAIN_TEXT) and _published_rows(path) is not None


def _published_rows(source: Any) -> NDArray[Any] | None:
    """Return the numbers of a file without a header or of an array; None for anything else."""
    if isinstance(source, (np.ndarray, list, tuple)):
        return np.asarray(source)
    path = Path(source) if isinstance(source, (str, os.PathLike)) else Path()
    if path.suffix == ".npy":
        return np.asarray(np.load(path, allow_pickle=False))
    if path.suffix not in _PLAIN_TEXT:
        return None
    try:
        return np.loadtxt(path, ndmin=2)
    except ValueError:  # words: a header or labels, which the reader of logs knows
        return None


def read_log(source: Any, layout: Layout, *, pairs: bool | None = False) -> tuple[Any, Reading]:
    """Read comparisons or pairs, and say how; None for what the columns are called after."""
    is_path = isinstance(source, (str, os.PathLike))
    if is_path and not pairs and Path(source).suffix.lower() == ".npz":
        with tables.errors_naming(os.fspath(source)):
            record = read_npz(Path(source), layout)
        record, spoken = record.reversed() if layout.reverse else record, statement(record, 0)
        roles, n = {"rows": "the comparisons"}, len(record)
        return record, Reading(record.kind, roles, (), f"row 0: {spoken}", n, {}, n_comparisons=n)
    with tables.table_of(source, layout.header, layout.encoding, arrays=True) as table:
        table = tables.with_joined_columns(table, layout.columns or ())
        named = os.fspath(source) if is_path else "FILE"
        record, reading = read_settled(partial(_read_table, table, pairs), layout, named)
    return record, replace(reading, layout_file=layout.file, reversed=layout.reverse)


def _is_scaled(table: tables.Table, layout: Layout) -> bool:
    """Whether items were compared with one another, not by likeness, as the columns say."""
    if layout.question != "auto":
        return layout.question in (PAIR, BEST_WORST)
    if layout.columns is not None:
        return len(layout.columns) == 2
    if find_several(headings.Headings(table.names), layout, None):
        return True
    try:
        find_layout(table.names, layout)
    except UnknownLayoutError:
        return named_pair(table.names, layout) is not None or _is_square(table)
    except InputError:
        pass
    return False


def _is_square(table: tables.Table) -> bool:
    """Whether the first column holds the names of all others."""
    if len(table.names) < 3:
        return False
    first, *items = table.names
    words, codes = encode_column(first, table.read([first]).column(first))
    return len(codes) == len(items) and set(words) == set(items)


def _read_square(table: tables.Table, layout: Layout) -> tuple[Pairs, Reading]:
    """Read a square table of wins with the items in its first column and its header."""
    if layout.matrix == "auto":
        raise LayoutError(
            "A square table of wins may count wins of its rows or of its columns; say so with"
            f" {argument('matrix', 'rows-win')} or {argument('matrix', 'columns-win')}.",
            [{"matrix": "rows-win"}, {"matrix": "columns-win"}],
            code="two-layouts",
        )
    first, *items = table.names
    columns = table.read([first], items)
    words, codes = encode_column(first, columns.column(first))
    wins = np.column_stack([as_numbers(n, columns.column(n), "counts") for n in items])
    row_item = np.array([items.index(word) for word in words])[codes]
    at, item = np.nonzero(np.nan_to_num(wins))
    rows, weights = np.column_stack([row_item[at], item]), wins[at, item]
    if layout.matrix == "columns-win":
        rows = rows[:, ::-1]
    kept = rows[:, 0] != rows[:, 1]
    pairs = Pairs(rows[kept], weights=weights[kept], names=items)
    pairs = pairs.reversed() if layout.reverse else pairs
    roles = {first: f"the items; entries are wins of {layout.matrix.partition('-')[0]}"}
    example = f"the first entry: {statement(pairs, 0)}"
    return pairs, Reading(PAIR, roles, (), example, len(items), {}, True, len(pairs))


def _read_table(table: tables.Table, pairs: bool | None, layout: Layout) -> tuple[Any, Reading]:
    """Find the columns that matter, read them once, and turn the rows that count into a record."""
    scaled = _is_scaled(table, layout) if pairs is None else pairs
    if scaled and layout.columns is None and _is_square(table):
        return _read_square(table, layout)
    placed = read_placed(table, layout) if scaled and layout.question == "ranking" else None
    if placed is not None:
        return placed
    found = _find(table, layout, scaled)
    if layout.reverse and found.question in _OTHER_QUESTION:
        other = argument("question", _OTHER_QUESTION[found.question])
        raise InputError(f"Of three objects no answer is the reverse; do you mean {other}?")
    log = Log(table, found, layout)
    rows, facts = answered_rows(log)
    record, origin = rows.to_record()
    record = record.reversed() if layout.reverse else record
    for name in log.ignored if not log.found.numbers else ():
        if not scaled and headings.normalize_heading(name) in headings.COUNTS:
            warnings.warn(
                f"Column {name!r} is not used, so each row counts once. If it says how many answers"
                f" a row stands for, pass {argument('weight', name)}.",
                stacklevel=5,
            )
    warn_of_people(log, record.names or ())
    if layout.reverse:
        facts["opposite"] = None
    return record, Reading(
        found.question,
        log.roles,
        log.ignored,
        _describe_row(record, log, origin),
        log.n_rows,
        log.left_out,
        guessed=scaled or (not found.stated and layout.question == "auto"),
        n_comparisons=len(origin),
        n_lines=getattr(table, "n_lines", None),
        place=lambda row: log.place(int(origin[row])),
        **facts,
    )


def _find(table: tables.Table, layout: Layout, scaled: bool) -> FoundLayout:
    """Find the columns that matter."""
    try:
        swaying = named_covariates(layout.covariates)
        names = [name for name in table.names if name not in swaying]
        found = find_layout(names, layout, scaled=scaled)
    except InputError as error:
        if isinstance(table, TextTable):
            table.refuse_ragged()  # a title above the header explains more than its columns
        pair = named_pair(table.names, layout) if isinstance(error, UnknownLayoutError) else None
        if pair is not None:
            raise InputError(
                f"Expected triplets; items in {pair[0]!r} and {pair[1]!r} seem to be compared in"
                " pairs. Rank them with `ordinate rank` or `od.rank`, or choose columns of triplets"
                f" with {argument('columns', ...)}."
            ) from None
        raise
    unnamed = found.objects == list("0123") and not getattr(table, "positions", False)
    if unnamed and layout.columns is None and layout.question == "auto":
        raise LayoutError(
            "Four entries a row without a header may be two pairs"
            f" ({argument('question', 'pair_against_pair')}), two objects kept together, the odd"
            f" one and a participant ({argument('question', 'odd_one_out')}), or a triplet before"
            f" or after something else ({argument('columns', [0, 1, 2])} or"
            f" {argument('columns', [1, 2, 3])}; the first column is 0).",
            [
                {"question": "pair_against_pair"},
                {"question": "odd_one_out"},
                {"columns": [0, 1, 2]},
                {"columns": [1, 2, 3]},
            ],
            code="two-layouts",
        )
    return found


def answered_rows(log: Log) -> tuple[AnsweredRows, dict[str, Any]]:
    """Return what was shown and chosen in each row that is kept, and facts about the reading."""
    found, layout = log.found, log.layout
    rows = _objects(log)
    items, labels = rows.items, rows.labels
    first = None
    if found.question == PAIR and labels is not None:
        first = witnesses.find_shown_first(log, items, labels)
    facts = _decide(log, rows, first)
    log.note(found.objects, _roles(found, "other_codings" in facts))
    needed = [*found.required, *found.groups.values(), *found.numbers]
    needed += [name for names in log.covariates.values() for name in names]
    needed += [] if first is None else first.columns
    missing = {n: log.column(n).is_null().to_numpy() for n in needed if log.column(n).null_count}
    none = rows.chosen < 0
    unanswered = np.asarray(none.any(axis=1) if found.question == BEST_WORST else none.all(axis=1))
    unanswered &= True if rows.tie is None else ~rows.tie
    if found.answers and unanswered.any():
        missing[found.answers[0]] = unanswered
    if labels is None:
        if layout.on_invalid == "raise":  # explains more than the number put in its place
            refuse_missing(missing, log.place)
        rows.items = items = check_index_rows(items, rows.n_objects, log.place)
    facts["catch"] = _score_catch_trials(log, items, rows.chosen)
    are_four = found.question == "pair_against_pair"
    twice = degenerate_rows(items) if are_four else repeats_within(items)
    if rows.ranked is not None:  # rows may differ in size, and all objects be chosen
        n_shown = (items[:, found.anchored :] >= 0).sum(axis=1)
        twice |= ((~none).sum(axis=1) >= n_shown) & ~rows.ranked | (n_shown < 2)
    keep = valid_rows(
        missing,
        twice,
        layout.on_invalid,
        log.place,
        lambda row: tuple(labels[o] if labels else o for o in items[row].tolist() if o >= 0),
    )
    if not isinstance(keep, slice):
        log.left_out["without an answer"] = int((~keep).sum())
        per_row = ("origin", "items", "chosen", "weights", "tie", "counts", "is_reversed", "ranked")
        arrays = {name: getattr(rows, name) for name in per_row}
        rows = replace(rows, **{n: a[keep] for n, a in arrays.items() if a is not None})
    return rows, facts


def _objects(log: Log) -> AnsweredRows:
    """Return the objects of each row as numbers, -1 where there is none, and weights."""
    found, layout, columns = log.found, log.layout, log.objects()
    stored = stored_facts(log.table.schema) if isinstance(log.table, tables.ParquetTable) else {}
    given = stored.get("names") if layout.names is None else layout.names
    nothing = np.empty((len(log.columns), 0), dtype=np.int32)
    rows = AnsweredRows(log, np.arange(len(log.columns)), nothing, nothing)
    rows.is_vocabulary = given is not None
    if found.weight is not None:
        rows.weights = as_numbers(found.weight, log.column(found.weight), "weights")
    if found.stated and not found.scaled:
        holds_positions = are_positions(stored) or getattr(log.table, "positions", False)
        positions = as_positions(columns) if holds_positions else None
        if positions is not None:
            rows.labels, rows.n_objects = check_size(layout.names, layout.n_objects)
            if rows.labels is None and rows.n_objects is None:
                rows.n_objects = stored.get("n_objects")
            rows.items = positions
            return rows
    if layout.n_objects is not None:
        raise InputError(LABELS_NOT_COUNTED)
    items, labels = as_objects(columns, given, log.place)
    for at, column in enumerate(columns.values()):
        if column.null_count:
            items[column.is_null().to_numpy(), at] = -1
    if log.is_padded and NONE in labels:
        items[items == labels.index(NONE)] = -1
    rows.items, rows.labels = items, labels
    witnesses.check_objects(log, items, labels)
    if found.is_list and layout.question == "auto":
        witnesses.check_screens(log, items, labels)
    return rows


def _decide(log: Log, rows: AnsweredRows, first: witnesses.ShownFirst | None) -> dict[str, Any]:
    """Find what each row chose; what is stated, is chosen. Return facts about how it is coded."""
    found, layout, labels = log.found, log.layout, rows.labels
    shown = rows.items[:, found.anchored :]
    rows.chosen = np.zeros((len(shown), 1), dtype=np.int8)
    if found.question == "choose_k" and found.ranked is not None:
        log.roles[found.ranked] = "whether the order of the choices counts"
        rows.ranked = parse_truth_values(found.ranked, log.column(found.ranked)) == 1
    elif not found.scaled and found.question in ("choose_k", "ranking"):
        rows.ranked = np.full(len(shown), found.question == "ranking")
    if found.question == "ranking":
        rows.chosen = np.where(shown >= 0, np.arange(shown.shape[1]), -1)
        may_be_ranks = set(labels or ()) <= {str(n) for n in range(len(found.objects) + 1)}
        if found.scaled and may_be_ranks and layout.question == "auto":
            raise LayoutError(
                f"Columns {', '.join(map(repr, found.objects))} hold numbers: items, best first, or"
                f" the ranks of items? For the former pass {argument('question', 'ranking')}.",
                [{"question": "ranking"}],
                code="two-layouts",
            )
    elif found.answers:
        return _read_answers(log, rows, shown, first)
    elif found.votes:
        _read_figures(log, rows)
    elif found.stated:
        if layout.columns is not None and layout.answer is None and labels and not found.scaled:
            witnesses.check_unread(log, shown, labels)
    elif found.question == "odd_one_out":  # which stands last without an answer
        rows.chosen += 2
    else:
        options = ", ".join(map(repr, log.options[found.anchored :]))
        raise InputError(
            f"Which column says what was chosen of {options}? Name it with {argument('answer')}."
        )
    rows.ordered = headings.marks_of(found.objects) in headings.IN_ORDER or headings.are_scores(
        found.votes
    )
    rows.is_reversed = None if first is None else first.is_reversed
    return {"opposite": _REVERSE} if found.stated and not found.scaled else {}


def _read_figures(log: Log, rows: AnsweredRows) -> None:
    """Read how often each of two was chosen, or what each scored."""
    names = log.found.votes
    what = "counts" if log.found.scaled else "votes"
    figures = [as_numbers(name, log.column(name), what) for name in names]
    if log.found.scaled and headings.are_scores(names):
        log.note(names, ["what the first scored", "what the second scored"])
        rows.chosen = (figures[0] < figures[1]).astype(np.int8)[:, None]
        rows.tie = figures[0] == figures[1]
        return
    kind = "wins of" if log.found.scaled else "the votes for"
    log.note(names, [f"{kind} the first", f"{kind} the second", "their ties"])
    for name, figure in zip(names, figures, strict=True):
        if (figure < 0).any():
            place = log.place(int(np.argmax(figure < 0)))
            raise InputError(f"{place} has a negative count in column {name!r}.")
    rows.counts = np.column_stack(figures)


def _read_answers(
    log: Log, rows: AnsweredRows, shown: NDArray[Any], first: witnesses.ShownFirst | None
) -> dict[str, Any]:
    """Find which options the answers name."""
    found, layout, k = log.found, log.layout, len(log.found.answers)
    labels: Sequence[str] = rows.labels or ()
    options: Sequence[str] = log.options[found.anchored :]
    if found.question == "pair_against_pair":
        options, shown, labels = pair_names(found.objects), np.full((len(shown), 2), -1), ()
    elif rows.labels is None:
        numbers, at = np.unique(shown, return_inverse=True)
        shown, labels = at.reshape(shown.shape), [str(number) for number in numbers.tolist()]
    if found.question == BEST_WORST and k != 2:
        raise InputError(
            f"Name the columns of the best and of the worst item with"
            f" {argument('answer', ['best', 'worst'])}; got {found.answers}."
        )
    choices = log.choices(shown, labels, options)
    ties: list[NDArray[np.bool_]] = [np.zeros(len(shown), dtype=bool)]
    if found.question == PAIR:
        choices, ties = map(list, zip(*(c.without_ties() for c in choices), strict=True))
        for other, tie in zip(choices[1:], ties[1:], strict=True):
            apart = (ties[0] & other.valid) | (tie & choices[0].valid)
            if apart.any():
                raise disagreement(choices[0], other, int(np.argmax(apart)), log.place)
        rows.tie = ties[0]
    choice = choices[0]
    given = np.all([one.valid for one in choices], axis=0).reshape(-1, k)
    is_told = found.answer_given or layout.coding != "auto"
    if found.states and (found.scaled or not is_told):
        for one, tie in zip(choices, ties * (1 if found.scaled else len(choices)), strict=True):
            witnesses.check_statement(log, one, bool(tie.any()))
        rows.chosen = np.where(given, 0, -1)
        rows.is_reversed = None if first is None else first.is_reversed
        return {"opposite": None if found.scaled else _REVERSE}
    if choice.valid.any() or not ties[0].any():
        positions, coding = chosen_positions(choices, layout.coding, lambda r: log.place(r // k))
    else:
        positions, coding = np.zeros(len(choice.codes), dtype=np.intp), "name"
    if k == 1 and found.question != "pair_against_pair":
        witnesses.check_answer(log, choice, positions, coding)
    if first is not None:
        positions = witnesses.by_place(log, choice, positions, coding, first)
        rows.is_reversed = first.is_reversed
    rows.ordered = True
    rows.chosen = np.where(given, positions.reshape(-1, k), -1)
    twice = repeats_within(rows.chosen)
    if twice.any():
        place = log.place(int(np.argmax(twice)))
        same = "the same item as the best and the worst" if found.scaled else "one object twice"
        raise InputError(f"{place} has {same}{'' if found.scaled else ' among those chosen'}.")
    answers, also = found.answers, found.duplicate_answers
    tied = sorted({choice.words[code] for code in choice.codes[ties[0]]}) if ties[0].any() else []
    meant = _CODED[coding] + (f"; {', '.join(tied[:3])} for a tie" if tied else "")
    which = ["best item", "worst item"] if found.question == BEST_WORST else ["answer"] * k
    log.note(also, ["the answer once more, which agrees"] * len(also))
    log.note(answers, [f"the {what}, {meant}" for what in which])
    opposite = _opposite(found, choice, positions, coding)
    other_codings = tuple(
        reading.coding
        for reading, others in (choice.fitting() if layout.coding != "auto" else {}).items()
        if reading.coding != coding
        and ("coding", reading.coding) != opposite
        and (positions != others)[choice.valid].any()
    )
    return {"opposite": opposite, "other_codings": other_codings}


def _score_catch_trials(
    log: Log, items: NDArray[Any], chosen: NDArray[Any]
) -> dict[str, tuple[int, int]]:
    """Count per person the questions that show the anchor again, and those answered so."""
    if not log.found.anchored or chosen.shape[1] != 1:
        return {}
    same = (items[:, 1:] == items[:, :1]) & (items[:, :1] >= 0)
    asked = np.flatnonzero((same.sum(axis=1) == 1) & (chosen[:, 0] >= 0))
    right = same[asked, chosen[asked, 0]]
    name = log.found.groups.get("participant")
    who = np.full(len(asked), "all") if name is None else as_labels(name, log.column(name))[asked]
    return {
        str(one): (int(right[who == one].sum()), int((who == one).sum())) for one in np.unique(who)
    }


def _opposite(
    found: FoundLayout, choice: Choice, positions: NDArray[Any], coding: str
) -> tuple[str, Any] | None:
    """Return the option, and its value, that reads all of the answers the other way round."""
    if found.question in _OTHER_QUESTION:
        return "question", _OTHER_QUESTION[found.question]
    if len(choice.options) != 2 or found.scaled:
        return None
    for reading, others in choice.fitting().items():
        if reading.coding != coding and (positions != others)[choice.valid].all():
            return "coding", reading.coding
    return None if coding in BY_NAME or found.is_list else _REVERSE


def _roles(found: FoundLayout, is_decided: bool) -> list[str]:
    """Return as what the columns of objects are used."""
    n_shown = len(found.objects) - found.anchored
    if found.scaled:
        if found.question == PAIR:
            return ["the winner", "the loser"] if found.stated else ["the first item", "the second"]
        role = "to choose from" if found.answers else "of the ranking, best first"
        return [f"an item {role}"] * n_shown
    # which of the two is nearer is what the answer says, if there is one
    sides = ("nearer", "farther") if found.stated and not is_decided else ("first", "second")
    if found.question == "pair_against_pair":
        return [f"the {side} pair" for side in sides for _ in range(2)]
    if found.stated:
        return ["the anchor", *(f"the {side}" for side in sides)]
    shown = "the objects to choose from" if found.is_list else "an object to choose from"
    shown = "an object of the ranking, nearest first" if found.question == "ranking" else shown
    roles = ["the anchor"] * found.anchored + [shown] * n_shown
    if found.question == "odd_one_out" and not found.answers:
        roles[-1] = "the odd one"
    return roles


def _describe_row(record: Comparisons | Pairs, log: Log, origin: NDArray[np.intp]) -> str:
    """Say what the first row that counts states, by whom, and who was shown first."""
    row, order = 0, ""
    if isinstance(record, Pairs):
        row = int(np.argmax(record.outcomes != 0))
        is_said = (
            log.found.question == PAIR and headings.marks_of(log.found.objects) in headings.IN_ORDER
        )
        is_said = is_said or any("shown" in role for role in log.roles.values())
        if record.ordered:
            name = record.name_of(int(record.rows[row, 0]))
            order = f"; {name} {'was' if is_said else 'is taken as'} shown first"
    n_made = int((origin == origin[row]).sum()) if log.found.question != PAIR else 1
    spoken = []
    for at in range(row, row + min(n_made, 2)):
        count = 1.0 if record.weights is None else float(record.weights[at])
        counted = f" ({count:g} {'times' if log.found.scaled else 'votes'})"
        is_counted = log.found.votes or (log.found.scaled and count != 1)
        spoken.append(statement(record, at) + (counted if is_counted else ""))
    said = " and ".join(spoken) + (f" (and {n_made - 2} more)" if n_made > 2 else "")
    who = record.groups.get("participant")
    by = "" if who is None else f", said by {who[row]}"
    place = log.place(int(origin[row]), within=True)
    return f"{place}: {said}{by}{order}" + ", reversed" * (log.layout.reverse and log.found.scaled)


def statement(record: Comparisons | Pairs, row: int) -> str:
    """Say one comparison in words."""
    names = record.names
    objects = [str(o) if names is None else names[o] for o in record.rows[row]]
    if isinstance(record, Pairs):
        outcome = int(record.outcomes[row])
        words = ("{0} and {1} tied", "{0} beat {1}", "{1} beat {0}")[outcome]
    elif len(objects) == 3:
        words = "{} is more like {} than {}"
    else:
        words = "{} and {} are more alike than {} and {}"
    return words.format(*objects)
