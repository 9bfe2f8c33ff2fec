"""What is said or found about a log: its columns, their coding, and which rows count."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_choice
from ordinate.io.atomic import atomic_path, file_exists
from ordinate.io.codings import CODINGS
from ordinate.io.columns import encode_column
from ordinate.io.delimited_text import MISSING
from ordinate.io.headings import GROUP, GROUPS, Headings, normalize_heading
from ordinate.tasks import BEST_WORST, PAIR, READ

if TYPE_CHECKING:
    import pyarrow as pa

Column: TypeAlias = str | int
Columns: TypeAlias = "Column | Sequence[Column]"
Conditions: TypeAlias = "str | Sequence[str] | Mapping[str, object] | None"
"""Such as "phase=test", a list of such, or {"phase": "test"}."""

MATRIX = ("auto", "rows-win", "columns-win")
RESPONDENTS = ("auto", "people", "machine", "all")
_ENDING = ".layout.toml"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a log is to be read: what one says about it, and what a file beside it keeps.

    Parameters
    ----------
    question : str, default="auto"
        What people were asked: "triplet", "odd_one_out", "most_central", "choose_k",
        "pair_against_pair", "ranking", "pair" or "best_worst"; by default it is seen from the names
        of the columns.
    columns : sequence of str or int, optional
        Columns of objects, by name or position: three (anchor, near, far), four (i, j, k, l) or two
        items; ``"type+level"`` for an object that two columns name together; for another question
        the objects shown, after the anchor where there is one. By default they are found by their
        usual names, or are all there are when those have no names.
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
        Column that says how often a row counts; by default ``weight`` if there is one.
    groups : str, int, sequence of those, or mapping of str to those, optional
        Columns with labels of groups; a mapping gives them other names, beside those that are
        found by their usual names. By default those with a usual name become participant (also
        subject_id, rater, worker_id, puid, …), session, block, trial, group or pool.
    where, exclude : str, sequence of str, or mapping, optional
        Only rows with these entries, or without them: ``"phase=test"``, ``{"phase": "test"}`` or
        a list of such; ``"participant=@file"`` takes one entry per line of a file. Rows called
        practice, catch or attention trials are refused unless a condition leaves them out, or
        ``exclude=[]`` keeps them.
    respondent : {"auto", "people", "machine", "all"}, default="auto"
        Whose answers to read if a column such as ``answered_by`` says who gave them: by default
        those of people, with a warning.
    matrix : {"auto", "rows-win", "columns-win"}, default="auto"
        Whether an entry of a square table counts wins of its row or of its column.
    shown_first : str or int, optional
        Column that holds which of two items was shown first, by its name or that of its column. By
        default one with a usual name, such as ``shown_first`` or ``left``, or columns of places,
        such as ``position_a`` and ``position_b``. Without any, the item in the first column is
        taken as shown first, except in counts of wins and in winners with losers.
    covariates : str or sequence of str, optional
        Columns that may sway an answer about two items, such as ``"length_a,length_b"`` beside
        ``model_a`` and ``model_b``, or patterns such as ``"*_a"``. The difference of the two items
        counts; a column without a side counts for the first item.
    map : mapping of str to str, optional
        For which column a code in the answer stands: ``{"mapA": "layout_a_id"}``; ``{"0": "tie"}``
        if a number means a tie.
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
    file
        The file that it was loaded from.

    See Also
    --------
    read_comparisons : Uses ``answers.layout.toml`` beside ``answers.csv`` by itself.

    Examples
    --------
    >>> import ordinate as od
    >>> layout = od.Layout(answer="choice", coding="from-0", exclude="phase=practice")
    >>> print(layout)
    answer = "choice"
    coding = "from-0"
    exclude = "phase=practice"
    """

    question: str = "auto"
    columns: Sequence[Column] | None = None
    answer: Columns | None = None
    coding: str = "auto"
    weight: Column | None = None
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None
    where: Conditions = None
    exclude: Conditions = None
    respondent: str = "auto"
    matrix: str = "auto"
    shown_first: Column | None = None
    covariates: str | Sequence[str] | None = None
    map: Mapping[str, str] | None = None
    names: Sequence[object] | None = None
    n_objects: int | None = None
    header: bool | None = None
    encoding: str | None = None
    on_invalid: str = "raise"
    reverse: bool = False
    file: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_choice("on_invalid", self.on_invalid, ("raise", "drop"))
        check_choice("coding", self.coding, CODINGS)
        check_choice("question", self.question, ("auto", *READ, PAIR, BEST_WORST))
        check_choice("matrix", self.matrix, MATRIX)
        check_choice("respondent", self.respondent, RESPONDENTS)

    @property
    def answers(self) -> Sequence[Column] | None:
        """The columns of answers, however many; None if they are to be found by name."""
        one = isinstance(self.answer, (str, int, np.integer))
        return [self.answer] if one else self.answer  # type: ignore[list-item, return-value]

    @property
    def keeps_all(self) -> bool:
        """Whether the caller says that no rows are to be left out, whatever they are called."""
        given = [self.exclude] if isinstance(self.exclude, str) else self.exclude
        return given is not None and (len(given) == 0 or "" in given)

    @property
    def said(self) -> dict[str, Any]:
        """The fields that say something."""
        values = {name: getattr(self, name) for name in _FIELDS}
        return {name: value for name, value in values.items() if value != getattr(_EMPTY, name)}

    def changed(self, choice: Mapping[str, Any]) -> Self:
        """Return the layout once a doubt is settled; rows are left out besides others."""
        left_out = dict.fromkeys([*_as_list(self.exclude), *_as_list(choice.get("exclude"))])
        return replace(self, **{**choice, **({"exclude": [*left_out]} if left_out else {})})

    def __str__(self) -> str:
        return "\n".join(f"{name} = {_as_toml(value)}" for name, value in self.said.items())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the layout as a TOML file.

        Parameters
        ----------
        path : path
            Such as ``answers.layout.toml``, which is used by itself beside ``answers.csv``.
        """
        with atomic_path(Path(path)) as written:
            written.write_text(f"{self}\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a layout from a TOML file.

        Parameters
        ----------
        path : path
            A file that `save` or ``ordinate describe --save-layout`` wrote.

        Returns
        -------
        Layout
            What the file says.
        """
        try:
            said = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{os.fspath(path)}: It cannot be read as TOML: {error}.") from None
        for name in said:
            if name not in _FIELDS:
                raise InputError(
                    f"{os.fspath(path)}: There is no field {name!r} of a layout; there are"
                    f" {', '.join(_FIELDS)}."
                )
        return cls(**said, file=os.fspath(path))


_FIELDS = [field.name for field in fields(Layout) if field.compare]
_EMPTY = Layout()


def layout_for(
    source: Any, layout: Layout | str | os.PathLike[str] | None, said: Mapping[str, Any]
) -> Layout:
    """Return the layout given, or that of the file beside the source, with what else is said."""
    if layout is None and isinstance(source, (str, os.PathLike)):
        with suppress(OSError, ValueError):  # such as a name that is too long, said elsewhere
            layout = beside if file_exists(beside := layout_beside(source)) else None
    if layout is not None and not isinstance(layout, Layout):
        layout = Layout.load(layout)
    return replace(layout or _EMPTY, **Layout(**said).said)


def _as_list(conditions: Conditions) -> list[str]:
    """Return conditions as texts."""
    return [f"{column}={entry}" for column, entry in _pairs("exclude", conditions)]


def layout_beside(source: Any) -> Path:
    """Return where the layout of a file lies, if it has one."""
    path = Path(source)
    return path.with_name(Path(path.name.removesuffix(".gz")).stem + _ENDING)


def _as_toml(value: Any) -> str:
    """Write a text, number, truth value, list or mapping."""
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(str(name))} = {_as_toml(one)}" for name, one in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


class Condition(NamedTuple):
    """Entries that a column may have, or may not have."""

    column: str
    entries: tuple[str, ...]
    excluded: bool

    def __str__(self) -> str:
        word = "" if self.excluded else "other than "
        more = "" if len(self.entries) < 4 else f" or {len(self.entries) - 3} more"
        return f"{self.column} {word}{', '.join(self.entries[:3])}{more}"


class UnmatchedExclusionError(InputError):
    """No row of a file has what is to be left out; another file may have it."""

    def __init__(self, message: str, condition: str = "", others: Sequence[Condition] = ()) -> None:
        super().__init__(message)
        self.condition = condition
        self.others = [
            f"{one.column}={entry}" for one in others if one.excluded for entry in one.entries
        ]


def read_conditions(
    names: Sequence[str], where: Conditions, exclude: Conditions
) -> list[Condition]:
    """Return one condition per column that `where` and `exclude` name."""
    found: list[Condition] = []
    for given, excluded in ((where, False), (exclude, True)):
        entries: dict[str, list[str]] = {}
        for column, entry in _pairs("exclude" if excluded else "where", given):
            known = _find(names, column, "exclude" if excluded else "where")
            entries.setdefault(known, []).extend(
                _lines(entry[1:]) if entry.startswith("@") else [entry]
            )
        found += [Condition(column, tuple(e), excluded) for column, e in entries.items()]
    return found


def rows_that_count(
    table: pa.Table, conditions: Sequence[Condition]
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Return which rows count, and how many each condition leaves out."""
    counts = np.ones(len(table), dtype=bool)
    left_out = {}
    for condition in conditions:
        column = table.column(condition.column)
        words, codes = encode_column(condition.column, column)
        missing = column.is_null().to_numpy()
        has = np.isin(words, condition.entries)[codes] & ~missing if len(words) else ~missing
        if set(MISSING) & set(condition.entries):  # "phase=NA" means rows without an entry
            has = has | missing
        if not has.any():
            there = ", ".join(repr(word) for word in list(words)[:5])
            said = (
                f"{'exclude' if condition.excluded else 'where'}: no row has"
                f" {' or '.join(map(repr, condition.entries[:3]))} in column"
                f" {condition.column!r}; it has {there or 'no entries'}."
            )
            if not condition.excluded:
                raise InputError(said)
            others = [one for one in conditions if one != condition]
            raise UnmatchedExclusionError(said, str(condition), others)
        keeps = ~has if condition.excluded else has
        left_out[str(condition)] = int((counts & ~keeps).sum())
        counts &= keeps
    return counts, left_out


def _pairs(parameter: str, given: Conditions) -> Iterable[tuple[str, str]]:
    if given is None:
        return
    if isinstance(given, Mapping):
        for column, entry in given.items():
            entries = [entry] if isinstance(entry, (str, int, float)) else entry
            for one in entries:  # type: ignore[attr-defined]
                yield str(column), str(one)
        return
    for condition in [given] if isinstance(given, str) else given:
        if not condition:  # which says that there is none
            continue
        if condition.startswith("@"):
            yield from _pairs(parameter, _lines(condition[1:]))
            continue
        column, equals, entry = condition.partition("=")
        if not equals:
            raise InputError(
                f"{parameter} takes conditions such as 'phase=test'; got {condition!r}."
            )
        yield column.strip(), entry.strip()


def _find(names: Sequence[str], column: str, parameter: str) -> str:
    for name in (column, GROUP + column):
        if name in names:
            return name
    aliases = (normalize_heading(column), *GROUPS.get(normalize_heading(column), ()))
    known = Headings(names).exactly(aliases)
    if known is None:
        listed = ", ".join(map(repr, names))
        raise InputError(f"{parameter}: there is no column {column!r}; there are {listed}.")
    return known


def _lines(path: str) -> list[str]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {path!r} as text: {error}.") from None
    return [line.strip() for line in text.splitlines() if line.strip()]
