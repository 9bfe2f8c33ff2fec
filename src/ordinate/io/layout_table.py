"""Layouts of study logs: which columns hold the objects, the answers, weights and groups.

A layout is a row of `LAYOUTS`: the question that was asked, and how its columns are called. How an
answer is coded (by name, by side, by number) is in `ordinate.io.codings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import methodcaller
from typing import NamedTuple, TypeAlias

import numpy as np

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.labels import is_number
from ordinate.io import headings as usual
from ordinate.io.doubts import LayoutError
from ordinate.io.headings import GROUP, Headings, is_negative, normalize_heading
from ordinate.io.layout import Column, Layout, read_conditions
from ordinate.tasks import BEST_WORST, PAIR, make_task

Finder: TypeAlias = Callable[[Headings], "list[str] | None"]


def _sides(headings: Headings) -> list[str] | None:
    numbered, more = headings.numbered(usual.OPTION_STEMS), _many(headings) or ()
    sides = headings.several(usual.SIDES) or (numbered if len(numbered or ()) == 2 else None)
    return None if sides is None or set(sides) < set(more) else sides


def _three(headings: Headings) -> list[str] | None:
    found = headings.numbered([*usual.OBJECT_STEMS, *headings.stems_ending_in(usual.OBJECT_STEMS)])
    return found if len(found or ()) == 3 else headings.several(usual.IN_A_ROW[-2:])


def _many(headings: Headings) -> list[str] | None:
    found = headings.numbered(usual.OPTION_STEMS)
    return found if len(found or ()) > 2 else headings.several(usual.IN_A_ROW)


def _ranks(headings: Headings) -> list[str] | None:
    options = _many(headings) or _sides(headings)  # whose ranks such columns may hold
    return None if options else headings.numbered(("rank", "ranked", "nearest"))


class UnknownLayoutError(InputError):
    """Columns are called like those of no layout."""


_PROLIFIC = {"participant_id", "status", "time_taken"}
"""Columns that all of Prolific's exports of demographic data have."""


class KnownLayout(NamedTuple):
    """One kind of log: what was asked, and which columns say it.

    `shown` are the objects beside the anchor, `answers` the usual names of columns that say what
    was chosen of them; a layout with `votes` has two columns of counts instead.
    """

    question: str
    anchor: Sequence[str]
    shown: Finder
    answers: Sequence[str]
    votes: Finder = lambda headings: []
    is_list: bool = False


_PAGE = (*usual.SURE_ANCHORS, "stimulus", *usual.ANCHORS)
"""Anchors of jsPsych, whose stimulus is a page where the data of a trial name an anchor."""
_VOTES = methodcaller("several", usual.VOTES)
LAYOUTS = (
    KnownLayout("pair_against_pair", (), methodcaller("several", usual.PAIRS), usual.ANSWERS),
    KnownLayout("choose_k", usual.ANCHORS, _many, usual.ANSWERS),  # PsiZ-collect
    KnownLayout("triplet", usual.ANCHORS, _sides, (), votes=_VOTES),
    KnownLayout("triplet", usual.ANCHORS, _sides, usual.ANSWERS),  # NEXT, Salmon without winners
    KnownLayout("choose_k", _PAGE, methodcaller("one", ("choices",)), usual.ANSWERS, is_list=True),
    KnownLayout("ranking", usual.ANCHORS, _ranks, ()),
    KnownLayout("odd_one_out", (), _three, usual.ODD),
    KnownLayout("most_central", (), _three, usual.CENTRAL),
    # three objects and a choice: only the one who asked knows which question it was
    KnownLayout("odd_one_out", (), _three, usual.ANSWERS),
    KnownLayout("most_central", (), _three, usual.ANSWERS),
)
"""Logs whose columns say what was asked, in the order in which they are looked for."""


@dataclass(frozen=True)
class FoundLayout:
    """Names of the columns there are, by what they hold; a group's name leads to its column."""

    question: str
    objects: list[str]
    answers: list[str]
    weight: str | None = None
    groups: dict[str, str] = field(default_factory=dict)
    duplicate_answers: list[str] = field(default_factory=list)
    answer_given: bool = False
    in_file: list[str] = field(default_factory=list)
    pairs: list[list[str]] = field(default_factory=list)
    """Further columns that may hold the two objects to choose from."""
    anchors: list[str] = field(default_factory=list)
    votes: list[str] = field(default_factory=list)
    ranked: str | None = None
    stated: bool = False
    """Whether rows state what was chosen, unless an answer says it."""
    is_list: bool = False
    scaled: bool = False
    """Whether the objects are items on one scale, of which some are more than others."""

    @property
    def answer(self) -> str | None:
        """The column that says whether a stated comparison holds."""
        return self.answers[0] if self.answers else None

    @property
    def states(self) -> bool:
        """Whether the names of the columns say what was chosen."""
        return self.stated and (self.scaled or _states(self.objects))

    @property
    def is_statement(self) -> bool:
        """Whether the columns have no names, or those of a comparison, which may hold or not."""
        called = tuple(map(normalize_heading, self.objects))
        is_open = called in usual.UNDIRECTED_OBJECT_NAMES or all(map(str.isdigit, called))
        return self.states or is_open

    @property
    def order(self) -> list[int]:
        """Positions of what there is to choose from, or of its pairs, as they stand in the file."""
        if self.is_list:
            return []
        shown, size = self.objects[self.anchored :], 1 + (self.question == "pair_against_pair")
        at = [self.in_file.index(name) for name in shown]
        first = [min(at[start : start + size]) for start in range(0, len(at), size)]
        return sorted(range(len(first)), key=first.__getitem__)

    @property
    def anchored(self) -> bool:
        """Whether the first object is what the others were compared with."""
        return not self.scaled and make_task(self.question).has_reference

    @property
    def required(self) -> list[str]:
        """Columns of objects that every row needs: where rows differ in size, the first alone."""
        if self.scaled:
            return self.objects[:2]
        return self.objects[:1] if make_task(self.question).any_size else self.objects

    @property
    def labels(self) -> list[str]:
        """Columns of labels."""
        flags = [] if self.ranked is None else [self.ranked]
        answers = [*self.answers, *self.duplicate_answers]
        return list(dict.fromkeys([*self.objects, *answers, *flags, *self.groups.values()]))

    @property
    def numbers(self) -> list[str]:
        """Columns of numbers."""
        return [*([] if self.weight is None else [self.weight]), *self.votes]

    @property
    def used(self) -> list[str]:
        """All columns that matter."""
        return [*self.labels, *self.numbers]


def find_layout(names: Sequence[str], told: Layout, *, scaled: bool = False) -> FoundLayout:
    """Match what the caller asked for, and what has a usual name, with the columns there are.

    If `scaled`, the columns of items that are compared with one another, not by their likeness.
    """
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two columns are called {twice!r}; give every column its own name.")
    headings = Headings([name for name in names if not name.startswith(GROUP)])
    columns, answers = (
        None if given is None else [find_column(names, column, what) for column in given]
        for given, what in ((told.columns, "columns"), (told.answers, "answer"))
    )
    match = _match_items if scaled else _match_layout if columns is None else _match_chosen
    found = match(headings, told, columns, answers)
    objects = found.objects
    if answers is not None and found.question not in ("odd_one_out", BEST_WORST):
        for name in filter(is_negative, answers):
            raise LayoutError(_NEGATIVE.format(name), code="negative-name")
    groups = find_groups(names, told.groups)
    if told.groups is None:
        prompt = headings.exactly(usual.PROMPT) if scaled else None
        groups |= {} if prompt is None else {"prompt": prompt}
        groups = {g: n for g, n in groups.items() if n not in (*objects, *found.answers)}
    weight = headings.exact.get(usual.WEIGHT)
    found = replace(
        found,
        weight=weight if told.weight is None else find_column(names, told.weight, "weight"),
        groups=groups,
        answer_given=told.answer is not None,
        in_file=objects,
        scaled=scaled,
    )
    if columns is not None:
        return found
    for column in objects:
        same = [n for n in headings.names if normalize_heading(n) == normalize_heading(column)]
        if len(same) > 1:
            raise InputError(
                f"Columns {same[0]!r} and {same[1]!r} may both hold the objects; choose them with"
                f" {argument('columns', ...)}."
            )
    is_doubtful = usual.without_id(objects[0]) in usual.ANCHORS[1:]
    anchors = headings.every(usual.SURE_ANCHORS) if is_doubtful else []
    return replace(
        found,
        in_file=sorted(objects, key=names.index),
        pairs=[p for p in usual.item_columns(headings) if not set(p) & set(objects)],
        anchors=[name for name in anchors if name not in objects],
    )


_NEGATIVE = (
    "Column {!r} is called as if it named what was not chosen, or less alike; an answer must name"
    " what was chosen. Write that into a column of its own, or rename this one if it holds it."
)


def _match_items(
    headings: Headings, told: Layout, columns: list[str] | None, given: list[str] | None
) -> FoundLayout:
    """Find the columns of items, of the winner or of figures."""
    several = find_several(headings, told, columns)
    if several:
        question, objects, answers = several
        return FoundLayout(question, objects, answers if given is None else given)
    objects = _two_items(headings, told, columns)
    figures = usual.figure_columns(headings)
    stated = list(objects) in usual.stated_columns(Headings(objects))
    answers = [name for name in headings.every(usual.ANSWERS) if name not in objects]
    if not answers and not stated and not figures:
        answers = headings.named_answers(objects)
    answers = answers if given is None else given
    stated = stated or (not answers and all(map(is_number, objects)))
    stated = stated or (is_negative(objects[1]) and not is_negative(objects[0]))
    if stated and not answers:
        _refuse_unread_ties(headings, told, objects)
    if stated or answers:
        return FoundLayout(PAIR, objects, answers[:1], duplicate_answers=answers[1:], stated=stated)
    if not figures:
        raise InputError(
            f"Columns {objects[0]!r} and {objects[1]!r} hold the items, but which column"
            f" says who won? Name it with {argument('answer')}."
        )
    return FoundLayout(PAIR, objects, [], votes=[*figures, *headings.every(usual.TIES)[:1]])


def _refuse_unread_ties(headings: Headings, told: Layout, objects: Sequence[str]) -> None:
    """Refuse a column of ties beside winners and losers, unless a condition settles it."""
    conditions = read_conditions(headings.names, told.where, told.exclude)
    settled = [condition.column for condition in conditions]
    tie = next((name for name in headings.every(usual.TIES) if name not in settled), None)
    if tie is not None:
        raise InputError(
            f"Columns {objects[0]!r} and {objects[1]!r} say who won, and {tie!r} may say that"
            f" nobody did. Leave ties out with {argument('exclude', f'{tie}=1')} or so, or call the"
            " columns item_a and item_b and add a column 'winner' that holds an item, or 'tie'."
        )


def find_several(
    headings: Headings, told: Layout, columns: list[str] | None
) -> tuple[str, list[str], list[str]] | None:
    """Return the columns of more than two items, and of the best and the worst of them.

    In rankings the items stand in their order, and there is no answer.
    """
    if headings.one(usual.ANCHORS) or (columns is not None and len(columns) < 3):
        return None
    found = [n for n in map(headings.exactly, (usual.BEST, usual.WORST)) if n is not None]
    many = columns or _many(headings) or _three(headings)
    is_asked = told.question == BEST_WORST and (bool(told.answers) or len(found) == 2)
    is_found = told.question == "auto" and told.answers is None and len(found) == 2
    if many and (is_asked or is_found):
        return BEST_WORST, many, found
    ranks = columns or headings.numbered(usual.RANKS)
    if ranks and len(ranks) > 2:
        others = [p for p in usual.item_columns(headings) if not set(p) <= set(ranks)]
        is_alone = columns is None and not others and told.question == "auto"
        if is_alone or told.question == "ranking":
            return "ranking", ranks, []
    if told.question in (BEST_WORST, "ranking"):
        raise InputError(
            f"Which columns hold the items? There are {_listed(headings.names)}; choose them with"
            f" {argument('columns', ...)}, and the best and the worst with"
            f" {argument('answer', ['best', 'worst'])}."
        )
    return None


def named_pair(names: Sequence[str], told: Layout) -> list[str] | None:
    """Return the two columns of items if their names, and an answer, say that they are such."""
    if Headings(names).one(usual.SURE_ANCHORS):
        return None
    try:
        found = find_layout(names, told, scaled=True)
    except LayoutError as error:
        return error.choices[0].get("columns") if error.choices else None
    except InputError:
        return None
    return None if all(map(is_number, found.objects)) else found.objects[:2]


def _two_items(headings: Headings, told: Layout, columns: list[str] | None) -> list[str]:
    """Return the columns of the two items."""
    if columns is not None:
        if len(set(columns)) != 2:
            raise InputError(
                f"columns must choose 2 different columns of items; got {list(told.columns or ())}."
            )
        return columns
    if list(headings.names) == ["0", "1"]:
        return list(headings.names)
    found, stated = usual.item_columns(headings), usual.stated_columns(headings)
    if stated and not (found and headings.every(usual.ANSWERS)):
        found = stated
    for marks in usual.SCREEN:  # what stood left and right is what an answer speaks of
        if len(found) > 1 and (by_side := [p for p in found if usual.marks_of(p) == marks]):
            found = by_side
    if len(found) == 1:
        return found[0]
    if not found:
        ranked = headings.exactly(usual.ORDERS) or headings.exactly(usual.PLACES)
        hint = f" If {ranked!r} holds rankings, add {argument('question', 'ranking')}."
        raise InputError(
            f"Which columns hold the two items? There are {_listed(headings.names)}; name"
            f" them item_a, item_b, or choose them with {argument('columns', ['A', 'B'])}."
            + hint
            * (ranked is not None)
        )
    listed = " or ".join(f"{one!r} and {other!r}" for one, other in found[:3])
    advice = f"choose them with {argument('columns', found[0])}."
    if headings.several(usual.PAIRS):
        advice += (
            " If people compared the differences of two pairs, use `od.scale_differences` or"
            " `ordinate scale`."
        )
    choices = [{"columns": pair} for pair in found]
    raise LayoutError(f"Columns {listed} may hold the items; {advice}", choices, "two-layouts")


def _states(objects: Sequence[str]) -> bool:
    """Whether columns are called so that their names say which object is nearer."""
    called = tuple(map(normalize_heading, objects))
    if len(called) == 3 and is_negative(called[2]) and not is_negative(called[1]):
        return True
    known = [names for names in usual.OBJECTS if names not in usual.UNDIRECTED_OBJECT_NAMES]
    return any(called[-len(columns) + 1 :] == columns[1:] for columns in known)


def _answers(
    headings: Headings, question: str, taken: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the columns that say what was chosen, and those that seem to say it once more."""
    several = headings.numbered(usual.CHOSEN) if question == "choose_k" else None
    if several and not set(several) & set(taken):
        return several, []
    special = {"odd_one_out": usual.ODD, "most_central": usual.CENTRAL}.get(question, ())
    found = [name for name in headings.every((*special, *usual.ANSWERS)) if name not in taken]
    if question == "triplet" and not found and len(taken) == 3 and not _states(taken):
        found = [name for name in headings.named_answers(taken[1:]) if name not in taken]
    return found[:1], found[1:]


def find_stated(names: Sequence[str], told: Layout) -> FoundLayout:
    """Find the columns of rows that state a comparison, as partitions hold them."""
    found = find_layout(names, replace(told, coding="holds"))
    if not found.stated:
        raise InputError(
            f"The columns {_listed(found.objects)} hold questions and answers; convert them to"
            " anchor, near, far first with read_comparisons and write_comparisons."
        )
    if found.answers and not found.answer_given and (found.states or found.duplicate_answers):
        beside = _listed([*found.answers, *found.duplicate_answers])
        raise InputError(
            f"Beside {_listed(found.objects)} there is {beside}; say that it tells which rows hold"
            f" as written with {argument('answer', found.answer)}, or leave it out with"
            f" {argument('answer', [])}."
        )
    return found


def _match_chosen(
    headings: Headings, told: Layout, columns: list[str] | None, given: list[str] | None
) -> FoundLayout:
    """Take the columns that the caller chose, if they are as many as the question needs."""
    objects, question = columns or [], told.question
    called = set(map(normalize_heading, objects))
    if question == "auto":
        question = "pair_against_pair" if len(objects) == 4 else "triplet"
        are_pairs = any(called == set(pairs) for pairs in (*usual.PAIRS, usual.OBJECTS[1]))
        if len(objects) == 4 and not are_pairs and not all(map(str.isdigit, called)):
            raise LayoutError(
                f"{objects[0]!r} may be the anchor of {_listed(objects[1:])}, or in a pair with"
                f" {objects[1]!r}; say which with {argument('question', 'choose_k')} or"
                f" {argument('question', 'pair_against_pair')}.",
                [{"question": "choose_k"}, {"question": "pair_against_pair"}],
                code="two-layouts",
            )
    task = make_task(question, shown=max(len(objects) - 1, 2), choose=1)
    if task.n_items != len(objects) or len(set(objects)) < len(objects):
        if task.any_size:
            order = ", nearest first" if question == "ranking" else " shown"
            words = f"3 or more different columns (anchor, then the objects{order})"
        elif told.question == "auto":
            words = "3 different columns (anchor, near, far) or 4 (i, j, k, l)"
        else:
            words = f"{task.n_items} different columns ({', '.join(task.columns)})"
        raise InputError(f"columns must choose {words}; got {list(told.columns or ())!r}.")
    answers, also = ([], []) if question == "ranking" else _answers(headings, question, objects)
    odd = [n for n in headings.every((*usual.ODD, *usual.CENTRAL)) if n not in objects]
    lost = [is_negative(name) for name in objects[1:]]
    if question == "triplet" and not answers and lost == [True, False]:
        raise LayoutError(_NEGATIVE.format(objects[1]), code="negative-name")
    answers, also = (answers, also) if given is None else (given, [])
    odd = odd if given is None else []
    if answers and told.coding != "holds" and _three(Headings(objects)):
        odd = odd or answers
    if odd and question == "triplet" and told.question == "auto":
        _refuse_unclear(objects, repr(odd[0]))
    # the caller says what was asked, and in which column the answer is
    is_asked = told.question != "auto" and given is not None
    by_side = bool(answers) and Headings(objects[1:]).several(usual.SIDES) is not None
    stated = question in ("triplet", "pair_against_pair") and not is_asked and not by_side
    return FoundLayout(question, objects, answers, duplicate_answers=also, stated=stated)


def _match_layout(
    headings: Headings, told: Layout, columns: list[str] | None, given: list[str] | None
) -> FoundLayout:
    """Find the first layout whose columns are all there."""
    unnamed = tuple(str(number) for number in range(len(headings.names)))
    for names in [*usual.OBJECTS, unnamed] if len(unnamed) in (3, 4) else usual.OBJECTS:
        question = "pair_against_pair" if len(names) == 4 else "triplet"
        if told.question in ("auto", question) and headings.exact.keys() >= set(names):
            objects = [headings.exact[name] for name in names]
            answers, also = _answers(headings, question, objects) if given is None else (given, [])
            return FoundLayout(question, objects, answers, duplicate_answers=also, stated=True)
    unanswered: tuple[list[str], bool] | None = None
    auto = told.question == "auto"
    for layout in LAYOUTS:
        anchor = headings.one(layout.anchor) if layout.anchor else []
        shown = layout.shown(headings)
        if told.question not in ("auto", layout.question) or anchor is None or shown is None:
            continue
        objects = [*anchor, *shown]
        answers, also = _answers(headings, layout.question, objects)
        is_answered = bool(answers) and (
            len(answers) > 1
            or answers[0] in headings.every(layout.answers)
            or (layout.question == "triplet" and bool(layout.answers))
        )
        votes = layout.votes(headings)
        is_special = layout.answers in (usual.ODD, usual.CENTRAL)
        if (
            votes is None
            or (votes and given)
            or (layout.answers and given is None and not is_answered)
            or (is_special and given and auto and not Headings(given).every(layout.answers))
        ):
            is_alike = bool(anchor) or layout.question == "pair_against_pair"
            unanswered = unanswered or (objects, is_alike)
            continue
        if votes and answers and given is None:
            raise LayoutError(
                f"Columns {_listed(votes)} may count votes, but {answers[0]!r} says what was"
                f" chosen, too; read it with {argument('answer', answers[0])}, or the votes with"
                f" {argument('answer', [])}.",
                [{"answer": answers[0]}, {"answer": []}],
                code="two-layouts",
            )
        is_unclear = layout.question in ("odd_one_out", "most_central") and not is_special
        if is_unclear and told.question == "auto":
            _refuse_unclear(shown, repr(answers[0]) if answers else "of one")
        answers, also = (answers, also) if layout.answers else ([], [])
        answers, also = (answers, also) if given is None else (given, [])
        ranked = headings.one(usual.RANKED) if layout.question == "choose_k" else None
        return FoundLayout(
            layout.question,
            objects,
            answers,
            duplicate_answers=also,
            votes=votes,
            ranked=ranked[0] if ranked else None,
            is_list=layout.is_list,
        )
    if told.question in ("auto", "odd_one_out") and given is None:  # the odd one stands last
        two, odd = headings.numbered(usual.OBJECT_STEMS), headings.exactly(usual.ODD)
        if len(two or ()) == 2 and odd is not None and headings.one(usual.ANCHORS) is None:
            return FoundLayout("odd_one_out", [*(two or ()), odd], [])
        if told.question != "auto" and list(headings.names[:3]) == ["0", "1", "2"]:
            return FoundLayout("odd_one_out", list(headings.names[:3]), [])
    if unanswered is not None:
        objects, is_alike = unanswered
        raise InputError(
            f"The columns {_listed(objects)} are questions without answers; name the column that"
            f" says {'which is more alike' if is_alike else 'what was chosen'} with"
            f" {argument('answer')}, or add a column 'answer'."
        )
    if headings.exact.keys() >= _PROLIFIC:
        raise InputError(
            "It is Prolific's table about participants and holds no answers; pass the log of the"
            " study alone, and name people to leave out with"
            f" {argument('exclude', 'participant=...')}."
        )
    raise UnknownLayoutError(
        f"Which columns hold the objects? There are {_listed(headings.names)}; name them"
        f" anchor, near, far (or i, j, k, l), or choose them with {argument('columns', ...)}. For"
        f" text without a header line pass {argument('header', False)}."
    )


def _refuse_unclear(shown: Sequence[str], answer: str) -> None:
    """Ask whether the odd or the central one of three was chosen."""
    raise LayoutError(
        f"Was the choice {answer} among {_listed(shown)} the odd one out, so that the other"
        f" two are most alike ({argument('question', 'odd_one_out')}), or the most central one, so"
        f" that it is most like the other two ({argument('question', 'most_central')})? Say so"
        f" with {argument('question')}.",
        [{"question": "odd_one_out"}, {"question": "most_central"}],
        code="two-layouts",
    )


def find_groups(
    names: Sequence[str], wanted: Column | Sequence[Column] | Mapping[str, Column] | None
) -> dict[str, str]:
    """Return the column of each group: those asked for, or those with usual names."""
    marked = {name.removeprefix(GROUP): name for name in names if name.startswith(GROUP)}
    if wanted is None:
        headings = Headings(names)
        known = {group: headings.exactly(aliases) for group, aliases in usual.GROUPS.items()}
        return {group: column for group, column in known.items() if column is not None} | marked

    def find(column: Column) -> str:
        known = marked.get(column) if isinstance(column, str) else None
        return known or find_column(names, column, "groups")

    if isinstance(wanted, Mapping):  # names for some columns; the others found stay
        named = {name: find(column) for name, column in wanted.items()}
        found = {n: c for n, c in find_groups(names, None).items() if c not in named.values()}
        return found | named
    columns = [wanted] if isinstance(wanted, (str, int, np.integer)) else wanted
    return {name.removeprefix(GROUP): name for name in map(find, columns)}


def pair_names(columns: Sequence[str]) -> list[str]:
    """Return what the two pairs of four columns are called, such as left and right."""
    stems = [re.sub(r"_?(\d+|a|b)$", "", normalize_heading(column)) for column in columns]
    named = len(set(stems)) == 2 and stems[0] == stems[1] and all(stems)
    return [stems[0], stems[2]] if named else ["first", "second"]


def find_label_column(names: Sequence[str]) -> str | None:
    """Return the column that says what the object of a row is called, if it has a usual name."""
    known = {name.lower(): name for name in reversed(names)}
    return next((known[name] for name in usual.LABEL if name in known), None)


def find_column(names: Sequence[str], column: Column, parameter: str) -> str:
    """Return the name of a column given by name or by position."""
    if isinstance(column, bool):
        raise InputError(f"{parameter} takes names or positions of columns; got {column}.")
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return names[int(column)]
    if column in names:
        return str(column)
    raise InputError(f"{parameter}: there is no column {column!r}; there are {_listed(names)}.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names) or "no columns"
