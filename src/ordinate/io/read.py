"""Read comparisons: the layout of a log, the rows that count, their answers, and a report of it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import NO_ROWS, InputError, check_index_rows, degenerate_rows
from ordinate.comparisons.labels import warn_of_labels
from ordinate.comparisons.pairs import Pairs
from ordinate.comparisons.record import SWAPPED_COLUMNS, Comparisons, check_size
from ordinate.comparisons.trials import Trials
from ordinate.io.codings import Choice, chosen_positions
from ordinate.io.columns import (
    LABELS_NOT_COUNTED,
    as_numbers,
    as_objects,
    as_positions,
    only_occurring,
    parse_truth_values,
    refuse_missing,
    valid_rows,
)
from ordinate.io.delimited_text import TextTable
from ordinate.io.doubts import LayoutError, read_settled
from ordinate.io.headings import COUNTS, Headings, normalize_heading
from ordinate.io.layout import Column, Columns, Conditions, Layout, layout_for
from ordinate.io.layout_table import (
    FoundLayout,
    UnknownLayoutError,
    find_layout,
    find_several,
    named_pair,
    pair_names,
    refuse_three,
)
from ordinate.io.pair_rows import is_square, read_pair_table
from ordinate.io.record_files import are_positions, read_npz
from ordinate.io.rows import AnsweredRows, Reading, refuse_screens
from ordinate.io.screening import warn_of_people
from ordinate.io.tables import (
    Table,
    errors_naming,
    refuse_options,
    table_of,
    with_joined_columns,
)
from ordinate.tasks import BEST_WORST, PAIR, Task, make_task, repeats_within

_PLAIN_TEXT = (".txt", ".dat", ".data")
"""Files in which trials of THINGS and STUFF are published: numbers and blanks, no header."""


def read_comparisons(
    source: Any,
    *,
    layout: Layout | str | os.PathLike[str] | None = None,
    question: str = "auto",
    columns: Sequence[Column] | None = None,
    answer: Columns | None = None,
    coding: str = "auto",
    weight: Column | None = None,
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None,
    where: Conditions = None,
    exclude: Conditions = None,
    respondent: str = "auto",
    map: Mapping[str, str] | None = None,
    names: Sequence[object] | None = None,
    n_objects: int | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    on_invalid: str = "raise",
    reverse: bool = False,
) -> Comparisons:
    """Read comparisons from a file, a frame or an array.

    Parameters
    ----------
    source : path, frame or array-like
        A file ending in .csv, .tsv, .txt, .dat or .data (with comma, semicolon, tab or blanks
        between entries), .json, .jsonl, any of these with .gz, .parquet, .xlsx, .npz, or a .zip
        with one of them in it, or "-" for standard input; a pandas, polars or PyArrow table, or a
        mapping of column names to arrays; or an array with 3 or 4 columns. What stands in a file
        or a column of a frame is a label, kept as it is written, even if it is a number; whole
        numbers in arrays are positions.
    layout : Layout or path, optional
        How the source is to be read; what is given besides replaces what it says. By default the
        file ``answers.layout.toml`` beside ``answers.csv``, if there is one.
    question : str, default="auto"
        What people were asked: "triplet", "odd_one_out", "most_central", "choose_k",
        "pair_against_pair" or "ranking"; by default it is seen from the names of the columns.
    columns : sequence of str or int, optional
        Columns of objects, by name or position: three (anchor, near, far) or four (i, j, k, l);
        ``"type+level"`` for an object that two columns name together;
        for another question the objects shown, after the anchor where there is one. By default
        they are found by their usual names, or are all there are when those have no names.
    answer : str, int or sequence of those, optional
        Column that says what was chosen, or whether each row holds as written; several columns
        for choices of several objects, an empty list for none. By default the column ``answer``,
        ``response`` or another usual name; of two such columns, or beside columns such as winner
        and loser, it must agree with what they say.
    coding : {"auto", "name", "column", "from-0", "from-1", "holds"}, default="auto"
        Whether the answer names the object chosen or its column (or side), counts the objects from
        0 or from 1, or says whether the first of two was chosen. By default what fits all rows; an
        answer that can be read in two ways, such as 0 and 1, is refused.
    weight : str or int, optional
        Column with the weights; by default ``weight`` if there is one.
    groups : str, int, sequence of those, or mapping of str to those, optional
        Columns with labels of groups; a mapping gives them other names, beside those that are
        found by their usual names. By default those with a
        usual name become participant (also subject_id, rater, worker_id, puid, …), session, block,
        trial, group or pool.
    where, exclude : str, sequence of str, or mapping, optional
        Only rows with these entries, or without them: ``"phase=test"``, ``{"phase": "test"}`` or
        a list of such; ``"participant=@file"`` takes one entry per line of a file. Rows called
        practice, catch or attention trials are refused unless a condition leaves them out, or
        ``exclude=[]`` keeps them.
    respondent : {"auto", "people", "machine", "all"}, default="auto"
        Whose answers to read if a column such as ``answered_by`` says who gave them: by default
        those of people, with a warning.
    map : mapping of str to str, optional
        For which column a code in the answer stands: ``{"mapA": "layout_a_id"}``.
    names : sequence of str, optional
        Labels of all objects in their order, also of those that occur in no row; for arrays, the
        name of each position. By default the objects are the labels that occur, in natural order:
        numbers by value, item2 before item10.
    n_objects : int, optional
        How many objects there are, for arrays of positions of which not all occur.
    header : bool, optional
        Whether the first line of a text file names the columns; by default it does unless it
        holds numbers only.
    encoding : str, optional
        Encoding of a text file, such as "cp1252"; by default UTF-8, or UTF-16 if it begins with
        that one's mark.
    on_invalid : {"raise", "drop"}, default="raise"
        What to do with rows that say nothing because an object occurs twice or an entry is
        missing; dropping them gives a `DroppedRowsWarning` with their number.
    reverse : bool, default=False
        Whether to take every answer the other way round.

    Returns
    -------
    Comparisons
        Rows in the order of the source.

    See Also
    --------
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
    comparisons: Comparisons = read_log(*_said(locals()))[0]
    warn_of_labels(comparisons.names)
    return comparisons


def read_pairs(
    source: Any,
    *,
    layout: Layout | str | os.PathLike[str] | None = None,
    question: str = "auto",
    columns: Sequence[Column] | None = None,
    answer: Columns | None = None,
    coding: str = "auto",
    weight: Column | None = None,
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None,
    where: Conditions = None,
    exclude: Conditions = None,
    respondent: str = "auto",
    matrix: str = "auto",
    shown_first: Column | None = None,
    map: Mapping[str, str] | None = None,
    names: Sequence[object] | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    on_invalid: str = "raise",
    reverse: bool = False,
) -> Pairs:
    """Read answers to "which of the two is more …?" from a file or a frame.

    A row holds two items and the winner (by name, column, side or number; ``tie`` or ``draw`` for
    neither), or a winner and a loser, or how often each won (``wins_a``, ``wins_b``, ``ties``), or
    what each scored (``score_a``, ``score_b``). A square table of wins is read too.

    Parameters
    ----------
    source : path, frame, mapping of columns or array-like with 2 columns
        The answers. An array without names holds winners and losers.
    layout : Layout or path, optional
        How the source is to be read, as in `read_comparisons`.
    question : {"auto", "pair", "ranking", "best_worst"}, default="auto"
        What people were asked; by default it is seen from the names of the columns.
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
        Which rows count, such as ``"phase=test"``, as in `read_comparisons`.
    respondent : {"auto", "people", "machine", "all"}, default="auto"
        Whose answers to read, as in `read_comparisons`.
    matrix : {"auto", "rows-win", "columns-win"}, default="auto"
        Whether an entry of a square table counts wins of its row or of its column.
    shown_first : str or int, optional
        Column that holds the item that was shown first, by its name or that of its column. By
        default one with a usual name, such as ``shown_first`` or ``left``, or columns of places,
        such as ``position_a`` and ``position_b``. Without any, the item in the first column is
        taken as shown first, except in counts of wins and in winners with losers.
    map : mapping of str to str, optional
        For which column a code in the answer stands, as in `read_comparisons`; ``{"0": "tie"}`` if
        a number means a tie.
    names : sequence, optional
        Labels of all items in their order.
    header : bool, optional
        Whether the first line of text names the columns.
    encoding : str, optional
        Encoding of text; by default UTF-8.
    on_invalid : {"raise", "drop"}, default="raise"
        What to do with a row that lacks an entry or compares an item with itself.
    reverse : bool, default=False
        Whether to take every answer the other way round: the loser as the winner.

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
    pairs: Pairs = read_log(*_said(locals()), pairs=True)[0]
    warn_of_labels(pairs.names)
    return pairs


def read(
    source: Any, *, layout: Layout | str | os.PathLike[str] | None = None, **fields: Any
) -> Comparisons | Trials | Pairs:
    """Read answers to any question from a file, a frame or an array.

    Parameters
    ----------
    source : path, frame or array-like
        As in `read_comparisons`.
    layout : Layout or path, optional
        How it is to be read; by default the file ``answers.layout.toml`` beside ``answers.csv``,
        if there is one.
    **fields
        Parameters of `Layout`, which replace those of `layout`.

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
    record: Comparisons | Pairs
    record, reading = read_log(source, layout_for(source, layout, fields), pairs=None)
    warn_of_labels(record.names)
    if isinstance(record, Comparisons) and reading.question == "odd_one_out":
        return Trials.from_comparisons(record)
    return record


def read_trials(source: Any, *, names: Sequence[object] | None = None, **options: Any) -> Trials:
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
    **options
        For logs, further parameters of `read_comparisons`, such as `answer` and `groups`.

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
    rows = None if options else _published_rows(source)
    if rows is None:
        read = read_comparisons(source, question="odd_one_out", names=names, **options)
        return Trials.from_comparisons(read)
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
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = Path(source)
    if path.suffix == ".npy":
        return np.asarray(np.load(path, allow_pickle=False))
    if path.suffix not in _PLAIN_TEXT:
        return None
    try:
        return np.loadtxt(path, ndmin=2)
    except ValueError:  # words: a header or labels, which the reader of logs knows
        return None


def _said(given: dict[str, Any]) -> tuple[Any, Layout]:
    """Return the source and the layout of a function's arguments."""
    source, layout = given.pop("source"), given.pop("layout")
    return source, layout_for(source, layout, given)


def read_log(source: Any, options: Layout, *, pairs: bool | None = False) -> tuple[Any, Reading]:
    """Read comparisons or pairs, and say how; None for what the columns are called after."""
    is_path = isinstance(source, (str, os.PathLike))
    if is_path and not pairs and Path(source).suffix.lower() == ".npz":
        with errors_naming(os.fspath(source)):
            return _read_npz(Path(source), options)
    with table_of(source, options.header, options.encoding, arrays=True) as table:
        table = with_joined_columns(table, options.columns or ())
        is_pairs = _holds_pairs(table, options) if pairs is None else pairs
        read: Callable[..., tuple[Any, Reading]] = read_pair_table if is_pairs else _read
        named = os.fspath(source) if is_path else "FILE"
        record, reading = read_settled(partial(read, table), options, named)
    return record, replace(reading, layout_file=options.file, reversed=options.reverse)


def _holds_pairs(table: Table, options: Layout) -> bool:
    """Whether two items were compared in each row, as the names of the columns say."""
    if options.question != "auto":
        return options.question in (PAIR, BEST_WORST)
    if options.columns is not None:
        return len(options.columns) == 2
    if find_several(Headings(table.names), options):
        return True
    try:
        find_layout(table.names, options)
    except UnknownLayoutError:
        return named_pair(table.names, options) is not None or is_square(table)
    except InputError:
        pass
    return False


def _read_npz(path: Path, options: Layout) -> tuple[Comparisons, Reading]:
    """Read the arrays of an NPZ file."""
    for_tables = ("columns", "answer", "weight", "groups", "where", "exclude", "header", "encoding")
    refuse_options(**{name: getattr(options, name) for name in for_tables})
    comparisons, _ = read_npz(path, options.names, options.n_objects).build(options.on_invalid)
    roles, n_rows = {"rows": "the comparisons"}, len(comparisons)
    spoken = f"row 0: {statement(comparisons, 0)}"
    return comparisons, Reading(
        comparisons.kind, roles, (), spoken, n_rows, {}, n_comparisons=n_rows
    )


def _read(table: Table, options: Layout) -> tuple[Comparisons, Reading]:
    """Read the columns that matter, once, and turn the rows that count into comparisons."""
    found = _layout(table, options)
    beside = [*found.anchors, *(name for pair in found.ambiguous_pairs for name in pair)]
    rows = AnsweredRows(table, found, options, beside)
    comparisons, origin = _comparisons(rows, options)
    if options.reverse and found.question in _OTHER_QUESTION:
        other = argument("question", _OTHER_QUESTION[found.question])
        raise InputError(f"Of three objects no answer is the reverse; do you mean {other}?")
    comparisons = comparisons.reversed() if options.reverse else comparisons
    uncounted = rows.ignored if found.weight is None and not found.votes else ()
    for name in uncounted:
        if normalize_heading(name) in COUNTS:
            warnings.warn(
                f"Column {name!r} is not used, so each row counts once. If it says how many answers"
                f" a row stands for, pass {argument('weight', name)}.",
                stacklevel=5,
            )
    if comparisons.names is not None:
        warn_of_people(rows, comparisons.names)
    return comparisons, rows.reading(
        describe_row(comparisons, rows, origin),
        origin,
        guessed=not found.stated and options.question == "auto",
        opposite=None if options.reverse else rows.opposite,
        other_codings=rows.other_codings,
    )


def _layout(table: Table, options: Layout) -> FoundLayout:
    try:
        found = find_layout(table.names, options)
    except InputError:
        if isinstance(table, TextTable):
            table.refuse_ragged()  # a title above the header explains more than its columns
        raise
    unnamed = found.objects == list("0123") and not getattr(table, "positions", False)
    if unnamed and options.columns is None and options.question == "auto":
        raise LayoutError(
            "Four entries a row without a header may be two pairs"
            f" ({argument('question', 'pair_against_pair')}), or a triplet before or after"
            f" something else, such as a participant ({argument('columns', [0, 1, 2])} or"
            f" {argument('columns', [1, 2, 3])}; the first column is 0).",
            [{"question": "pair_against_pair"}, {"columns": [0, 1, 2]}, {"columns": [1, 2, 3]}],
        )
    return found


def _comparisons(rows: AnsweredRows, options: Layout) -> tuple[Comparisons, NDArray[np.intp]]:
    """Turn questions and answers into comparisons, and say from which row each comes."""
    found = rows.found
    items, labels, names, n_objects = _objects(rows, options)
    chosen = _chosen(rows, items, labels, options)
    rows.note(found.objects, _roles(found, rows.coding is not None))
    missing = rows.missing([*rows.required, *found.groups.values(), *found.numbers])
    unanswered = np.asarray((chosen < 0).all(axis=1))
    if found.answers and unanswered.any():
        missing[found.answers[0]] = unanswered
    if labels is None:
        if options.on_invalid == "raise":  # explains more than the number put in its place
            refuse_missing(missing, rows.place)
        items = check_index_rows(items, n_objects, rows.place)
    if found.anchored and chosen.shape[1] == 1:
        rows.catch = _score_catch_trials(rows, items, chosen[:, 0])
    task = make_task(found.question, shown=max(items.shape[1] - 1, 2), choose=1)
    ranked = _ranked(rows)
    keep = valid_rows(
        missing,
        is_uninformative(task, items, chosen, ranked),
        options.on_invalid,
        rows.place,
        lambda row: tuple(names[o] if names else o for o in items[row].tolist() if o >= 0),
    )
    made, origin = _stated(
        task, items[keep], chosen[keep], ranked if ranked is None else ranked[keep]
    )
    if not isinstance(keep, slice):
        rows.left_out["without an answer"] = int((~keep).sum())
        origin = np.flatnonzero(keep)[origin]
    if len(made) == 0:
        raise InputError(NO_ROWS)
    as_they_are = isinstance(keep, slice) and len(made) == len(items)
    groups = rows.groups(slice(None) if as_they_are else origin)
    weights = None
    if found.weight is not None:
        weights = as_numbers(found.weight, rows.column(found.weight), "weights")[origin]
    if "trial" not in found.groups and (found.votes or len(made) > len(items[keep])):
        groups["trial"] = rows.number(origin)
    if found.votes:
        made, weights, number = _weigh_votes(made, weights, rows, origin)
        groups, origin = {name: of[number] for name, of in groups.items()}, origin[number]
    if labels is not None and names is not None and not (options.names or rows.stored.get("names")):
        made, names = only_occurring(made, names)
    n_objects = n_objects if names is None else len(names)
    return Comparisons._of_valid_rows(made, None, weights, groups, names, n_objects), origin


def _score_catch_trials(
    rows: AnsweredRows, items: NDArray[Any], chosen: NDArray[Any]
) -> dict[str, tuple[int, int]]:
    """Count per person the questions that show the anchor again, and those answered so."""
    same = (items[:, 1:] == items[:, :1]) & (items[:, :1] >= 0)
    asked = np.flatnonzero((same.sum(axis=1) == 1) & (chosen >= 0))
    right = same[asked, chosen[asked]]
    who = rows.groups(asked).get("participant", np.full(len(asked), "all"))
    return {
        str(name): (int(right[who == name].sum()), int((who == name).sum()))
        for name in np.unique(who)
    }


def _objects(
    rows: AnsweredRows, options: Layout
) -> tuple[NDArray[Any], tuple[str, ...] | None, tuple[str, ...] | None, int | None]:
    """Return the objects of each row as numbers, -1 where there is none.

    With them the labels in the log, or None if it holds positions, the names of the objects, and
    how many there are, as far as these are known.
    """
    found, stored = rows.found, rows.stored
    columns = rows.lists() if found.is_list else rows.chosen(found.objects)
    if found.stated and (are_positions(stored) or getattr(rows.table, "positions", False)):
        positions = as_positions(columns)
        if positions is not None:
            names, n_objects = check_size(options.names, options.n_objects)
            if names is None and n_objects is None:
                n_objects = stored.get("n_objects")
            return positions, None, names, n_objects
    if options.n_objects is not None:
        raise InputError(LABELS_NOT_COUNTED)
    given = stored.get("names") if options.names is None else options.names
    items, labels = as_objects(columns, given, rows.place)
    for at, column in enumerate(columns.values()):
        if column.null_count:
            items[column.is_null().to_numpy(), at] = -1
    rows.leave_out_padding(items, labels)
    if found.anchored:
        rows.refuse_other_anchors(items[:, 0], labels)
    if found.states and len(found.objects) == 3:
        rows.refuse_other_objects(items[:, 1:], labels)
        rows.refuse_what_is_no_object(items, labels)
    if found.question == "odd_one_out" and not found.answers:
        rows.refuse_what_is_no_object(items, labels)
    if found.question == "choose_k" and not found.is_list and options.columns is None:
        rows.refuse_strangers(items, labels)
    if found.is_list and options.question == "auto":
        refuse_screens(items, labels, rows.place)
    return items, labels, labels, None


def _chosen(
    rows: AnsweredRows, items: NDArray[Any], labels: Sequence[str] | None, options: Layout
) -> NDArray[Any]:
    """Return which options each row chose, -1 where there are fewer; what is stated, is chosen."""
    found = rows.found
    shown = items[:, found.anchored :]
    if found.question == "ranking":
        return np.where(shown >= 0, np.arange(shown.shape[1]), -1)
    if found.answers:
        return _answered(rows, shown, labels, options)
    if found.stated:
        if options.columns is not None and options.answer is None and labels is not None:
            rows.refuse_unread_answers(shown, labels)
        rows.opposite = _REVERSE
    elif not found.votes and found.question != "odd_one_out":
        raise InputError(
            f"Which column says what was chosen of"
            f" {', '.join(map(repr, rows.options[found.anchored :]))}? Name it with"
            f" {argument('answer')}."
        )
    # both sides have votes, see _weigh_votes; an odd one without an answer stands last
    last = found.question == "odd_one_out"
    return np.full((len(items), 1), 2 if last else 0, dtype=np.int8)


def _answered(
    rows: AnsweredRows, shown: NDArray[Any], labels: Sequence[str] | None, options: Layout
) -> NDArray[np.intp]:
    """Return which options the answers name."""
    found, k = rows.found, len(rows.found.answers)
    if found.question == "pair_against_pair":
        names, shown, labels = pair_names(found.objects), np.full((len(shown), 2), -1), ()
    else:
        names = rows.options[found.anchored :]
    if labels is None:
        numbers, at = np.unique(shown, return_inverse=True)
        shown, labels = at.reshape(shown.shape), [str(number) for number in numbers]
    choices = rows.choices(shown, labels, names)
    given = np.all([choice.valid for choice in choices], axis=0).reshape(-1, k)
    if found.states and not found.answer_given and options.coding == "auto":
        for choice in choices:
            if not (choice.says_first() or rows.ambiguous_pairs_agree(choice)):
                raise LayoutError(
                    f"The columns {', '.join(map(repr, found.objects))} say which is nearer, but"
                    f" {choice.column!r}, which holds {choice.entries()}, does not say the same in"
                    f" all rows. Leave it out with {argument('answer', [])}, or let it decide with"
                    f" {argument('answer', choice.column)}.",
                    [{"answer": []}, {"answer": choice.column}],
                )
            rows.roles[choice.column] = "the answer, as the columns of the objects state it"
        rows.opposite = _REVERSE
        return np.where(given, 0, -1)
    positions, coding = chosen_positions(choices, options.coding, lambda row: rows.place(row // k))
    if found.question == "triplet" and not found.states and coding not in ("name", "column"):
        rows.refuse_other_order(choices[0])
    if coding != "holds":
        refuse_three(found, options)
    if k == 1 and found.question != "pair_against_pair":
        rows.refuse_witnesses(choices[0], positions)
    _note_codings(rows, choices[0], positions, coding, options)
    chosen = np.where(given, positions.reshape(-1, k), -1)
    twice = repeats_within(chosen)
    if twice.any():
        row = int(np.argmax(twice))
        raise InputError(f"{rows.place(row)} names one object twice among those chosen.")
    return chosen


def _note_codings(
    rows: AnsweredRows, choice: Choice, positions: NDArray[Any], coding: str, options: Layout
) -> None:
    """Note how answers are coded, and how else they could be had the caller not said it."""
    rows.note_answers(coding)
    rows.opposite = _opposite(rows.found, choice, positions, coding)
    if options.coding != "auto":
        rows.other_codings = tuple(
            reading.coding
            for reading, others in choice.fitting().items()
            if reading.coding != coding
            and ("coding", reading.coding) != rows.opposite
            and (positions != others)[choice.valid].any()
        )


def _ranked(rows: AnsweredRows) -> NDArray[np.bool_] | None:
    """Return in which rows the order of the choices counts, if rows may differ in size."""
    found = rows.found
    if found.ranked is not None:
        rows.roles[found.ranked] = "whether the order of the choices counts"
        return np.asarray(parse_truth_values(found.ranked, rows.column(found.ranked)) == 1)
    return np.full(len(rows.columns), found.question == "ranking") if found.has_fewer else None


def is_uninformative(
    task: Task, items: NDArray[Any], chosen: NDArray[Any], ranked: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Mark rows in which an object or a pair stands twice, or all objects were chosen."""
    if ranked is None:
        return degenerate_rows(items) if task.n_choices == 2 else repeats_within(items)
    n_shown = (items[:, task.has_reference :] >= 0).sum(axis=1)
    all_chosen = ((chosen >= 0).sum(axis=1) >= n_shown) & ~ranked
    return np.asarray(repeats_within(items) | all_chosen | (n_shown < 2))


def _stated(
    task: Task, items: NDArray[Any], chosen: NDArray[Any], ranked: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return what the answers state, and in which row each; `ranked` rows differ in size."""
    if ranked is None:
        return task.rows(items, chosen)
    sizes = (chosen >= 0).sum(axis=1) * 2 + ranked
    parts = []
    for size in np.flatnonzero(np.bincount(sizes)):
        at = np.flatnonzero(sizes == size)
        some = chosen[at][chosen[at] >= 0].reshape(len(at), size // 2)
        rows, question = task.rows(items[at], some, ranked=bool(size % 2))
        there = (rows >= 0).all(axis=1)
        parts.append((rows[there], at[question[there]]))
    if not parts:
        return items[:0, :3], np.empty(0, dtype=np.intp)
    made, question = map(np.concatenate, zip(*parts, strict=True))
    in_order = np.argsort(question, kind="stable")
    return made[in_order], question[in_order]


_REVERSE = ("reverse", True)
_OTHER_QUESTION = {"odd_one_out": "most_central", "most_central": "odd_one_out"}


def _opposite(
    found: FoundLayout, choice: Choice, positions: NDArray[Any], coding: str
) -> tuple[str, Any] | None:
    """Return the option, and its value, that reads all of the answers the other way round."""
    if found.question in _OTHER_QUESTION:
        return "question", _OTHER_QUESTION[found.question]
    if len(choice.options) != 2:
        return None
    for reading, others in choice.fitting().items():
        if reading.coding != coding and (positions != others)[choice.valid].all():
            return "coding", reading.coding
    named = coding in ("name", "column")
    return None if named or found.is_list else _REVERSE


def _roles(found: FoundLayout, is_decided: bool) -> list[str]:
    """Return as what the columns of objects are used."""
    # which of the two is nearer is what the answer says, if there is one
    states = found.stated and not is_decided
    sides = ("nearer", "farther") if states else ("first", "second")
    if found.question == "pair_against_pair":
        return [f"the {side} pair" for side in sides for _ in range(2)]
    if found.stated:
        return ["the anchor", *(f"the {side}" for side in sides)]
    shown = "the objects to choose from" if found.is_list else "an object to choose from"
    if found.question == "ranking":
        shown = "an object of the ranking, nearest first"
    roles = ["the anchor"] * found.anchored
    roles += [shown] * (len(found.objects) - len(roles))
    if found.question == "odd_one_out" and not found.answers:
        roles[-1] = "the odd one"
    return roles


def _weigh_votes(
    made: NDArray[np.int32],
    weights: NDArray[Any] | None,
    rows: AnsweredRows,
    origin: NDArray[np.intp],
) -> tuple[NDArray[np.int32], NDArray[Any], NDArray[np.intp]]:
    """Take votes for both sides as two rows with their votes as weights; return their numbers."""
    votes = [as_numbers(name, rows.column(name), "votes")[origin] for name in rows.found.votes]
    both = np.concatenate([made, made[:, SWAPPED_COLUMNS[made.shape[1]]]])
    counted = np.concatenate(votes) * (1 if weights is None else np.tile(weights, 2))
    number = np.tile(np.arange(len(made)), 2)
    order = np.argsort(number, kind="stable")
    order = order[counted[order] != 0]
    return both[order], counted[order], number[order]


def describe_row(comparisons: Comparisons, rows: AnsweredRows, origin: NDArray[np.intp]) -> str:
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
    return f"{rows.place_within(int(origin[0]))}: {said}{more}{by}"


def statement(comparisons: Comparisons, row: int) -> str:
    """Say one comparison in words."""
    names = comparisons.names
    objects = [str(o) if names is None else names[o] for o in comparisons.rows[row]]
    if len(objects) == 3:
        return "{} is more like {} than {}".format(*objects)
    return "{} and {} are more alike than {} and {}".format(*objects)
