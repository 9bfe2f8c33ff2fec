"""Layouts of study logs: which columns hold the objects, the answers, weights and groups.

A layout is a row of `LAYOUTS`: the question that was asked, and how its columns are called. How an
answer is coded (by name, by side, by number) is in `ordinate.io.codings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import methodcaller
from string import ascii_lowercase
from typing import NamedTuple, TypeAlias

import numpy as np

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.labels import is_number
from ordinate.io.doubts import LayoutError
from ordinate.io.headings import (
    ANCHORS,
    ANSWERS,
    BEST,
    CENTRAL,
    CHOSEN,
    GROUP,
    GROUPS,
    LABEL,
    OBJECT_STEMS,
    OBJECTS,
    ODD,
    OPTION_STEMS,
    PAIRS,
    PROMPT,
    RANKED,
    RANKS,
    SCREEN,
    SIDES,
    SURE_ANCHORS,
    TIES,
    UNDIRECTED_OBJECT_NAMES,
    VOTES,
    WEIGHT,
    WORST,
    Headings,
    figure_columns,
    is_negative,
    item_columns,
    marks_of,
    named_answers,
    normalize_heading,
    says_who_won,
    stated_columns,
    without_id,
)
from ordinate.io.layout import Column, Layout
from ordinate.tasks import BEST_WORST, PAIR, make_task

Finder: TypeAlias = Callable[[Headings], "list[str] | None"]


def _sides(headings: Headings) -> list[str] | None:
    numbered, more = headings.numbered(OPTION_STEMS), _many(headings) or ()
    sides = headings.several(SIDES) or (numbered if numbered and len(numbered) == 2 else None)
    return None if sides is None or set(sides) < set(more) else sides


_IN_A_ROW = (*(tuple(ascii_lowercase[:n]) for n in range(8, 2, -1)), ("left", "middle", "right"))
"""Options that are called by letters, the longest row first, or by their places."""


def _three(headings: Headings) -> list[str] | None:
    found = headings.numbered((*OBJECT_STEMS, *headings.stems))
    return found if found is not None and len(found) == 3 else headings.several(_IN_A_ROW[-2:])


def _many(headings: Headings) -> list[str] | None:
    found = headings.numbered(OPTION_STEMS)
    return found if found is not None and len(found) > 2 else headings.several(_IN_A_ROW)


def _ranks(headings: Headings) -> list[str] | None:
    ranks = headings.numbered(("rank", "ranked", "nearest"))
    options = _many(headings) or _sides(headings)
    if ranks and options:
        raise InputError(
            f"Columns {_listed(ranks)} may hold the objects, nearest first, or the ranks of"
            f" {_listed(options)}; for the former choose them with {argument('columns', ...)} and"
            f" {argument('question', 'ranking')}."
        )
    return ranks


class UnknownLayoutError(InputError):
    """Columns are called like those of no layout."""


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


LAYOUTS = (
    KnownLayout("pair_against_pair", (), methodcaller("several", PAIRS), ANSWERS),
    KnownLayout("choose_k", ANCHORS, _many, ANSWERS),  # PsiZ-collect
    KnownLayout("triplet", ANCHORS, _sides, (), votes=methodcaller("several", VOTES)),
    KnownLayout("triplet", ANCHORS, _sides, ANSWERS),  # NEXT, Salmon without winners
    KnownLayout(
        "choose_k",
        (*SURE_ANCHORS, "stimulus", *ANCHORS),
        methodcaller("one", ("choices",)),
        ANSWERS,
        is_list=True,
    ),
    # jsPsych, whose stimulus is a page where the data of a trial name an anchor
    KnownLayout("ranking", ANCHORS, _ranks, ()),
    KnownLayout("odd_one_out", (), _three, ODD),
    KnownLayout("most_central", (), _three, CENTRAL),
)
"""Logs whose columns say what was asked, in the order in which they are looked for."""

_UNCLEAR = tuple(
    KnownLayout(question, (), _three, ANSWERS) for question in ("odd_one_out", "most_central")
)
"""Three objects and a choice: only the one who asked knows which question it was."""


@dataclass(frozen=True)
class FoundLayout:
    """Names of the columns there are, by what they hold; a group's name leads to its column."""

    question: str
    objects: list[str]
    answers: list[str]
    weight: str | None
    groups: dict[str, str]
    duplicate_answers: list[str] = field(default_factory=list)
    answer_given: bool = False
    in_file: list[str] = field(default_factory=list)
    ambiguous_pairs: list[list[str]] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    votes: list[str] = field(default_factory=list)
    ranked: str | None = None
    stated: bool = True
    is_list: bool = False
    groups_told: bool = False
    about_items: bool = False
    """Whether the objects are items on one scale, of which some are more than others."""

    @property
    def answer(self) -> str | None:
        """The column that says whether a stated comparison holds."""
        return self.answers[0] if self.answers else None

    @property
    def states(self) -> bool:
        """Whether the names of the columns say which object is nearer."""
        return self.stated and _states(self.objects)

    @property
    def is_statement(self) -> bool:
        """Whether the columns have no names, or those of a comparison, which may hold or not."""
        called = tuple(map(normalize_heading, self.objects))
        return (
            self.states
            or called in UNDIRECTED_OBJECT_NAMES
            or all(name.isdigit() for name in called)
        )

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
        return not self.about_items and make_task(self.question).has_reference

    @property
    def has_fewer(self) -> bool:
        """Whether rows may have fewer objects than there are columns."""
        return not self.about_items and make_task(self.question).any_size

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


def refuse_twins(names: Sequence[str]) -> None:
    """Refuse two columns of one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two columns are called {twice!r}; give every column its own name.")


def find_layout(names: Sequence[str], wanted: Layout) -> FoundLayout:
    """Match what the caller asked for, and what has a usual name, with the columns there are."""
    refuse_twins(names)
    headings = Headings([name for name in names if not name.startswith(GROUP)])
    if wanted.columns is None:
        question, objects, answers, also, layout = match_layout(headings, wanted)
        _refuse_namesakes(headings, objects)
    else:
        objects = [find_column(names, column, "columns") for column in wanted.columns]
        question, layout = _check_chosen(objects, wanted), None
        answers, also = [], []
        if question != "ranking":
            answers, also = _answers(headings, question, objects)
        odd = [name for name in headings.every((*ODD, *CENTRAL)) if name not in objects]
        if odd and question == "triplet" and wanted.question == "auto" and wanted.answers is None:
            _refuse_unclear(objects, repr(odd[0]))
        if question == "triplet" and not answers and is_negative(objects[1]):
            refuse_negative([] if is_negative(objects[2]) else objects[1:2])
    if wanted.answers is not None:
        answers, also = [find_column(names, column, "answer") for column in wanted.answers], []
        if question != "odd_one_out":
            refuse_negative(answers)
    ranked = headings.one(RANKED) if question == "choose_k" else None
    is_found = wanted.columns is None
    return FoundLayout(
        question,
        objects,
        answers,
        _find_weight(names, headings, wanted),
        find_groups(names, wanted.groups),
        duplicate_answers=also,
        answer_given=wanted.answer is not None,
        in_file=sorted(objects, key=names.index) if is_found else objects,
        ambiguous_pairs=_ambiguous_pairs(headings, objects) if is_found else [],
        anchors=_other_anchors(headings, objects) if is_found else [],
        votes=(layout.votes(headings) or []) if layout else [],
        ranked=ranked[0] if ranked else None,
        stated=layout is None
        and question in ("triplet", "pair_against_pair")
        and not _asked(wanted)
        and not (answers and Headings(objects[1:]).several(SIDES)),
        is_list=layout is not None and layout.is_list,
        groups_told=wanted.groups is not None,
    )


def _find_weight(names: Sequence[str], headings: Headings, wanted: Layout) -> str | None:
    if wanted.weight is None:
        return headings.exact.get(WEIGHT)
    return find_column(names, wanted.weight, "weight")


def refuse_negative(answers: Sequence[str]) -> None:
    """Refuse columns of answers that are called after what was not chosen."""
    for name in filter(is_negative, answers):
        raise InputError(
            f"Column {name!r} is called as if it named what was not chosen, or less alike; an"
            " answer must name what was chosen. Write that into a column of its own, or rename"
            " this one if it holds it."
        )


def find_pairs(names: Sequence[str], wanted: Layout) -> FoundLayout:
    """Find the columns of items, of the winner or of figures, of weights and groups."""
    refuse_twins(names)
    headings = Headings(names)
    figures, ties = [], []
    several = find_several(headings, wanted)
    question = several[0] if several else PAIR
    objects = several[1] if several else _items(headings, wanted)
    answers = [n for n in headings.every(ANSWERS) if n not in objects]
    if wanted.answers is not None:
        answers = [find_column(names, column, "answer") for column in wanted.answers]
        refuse_negative(answers if question == PAIR else [])
    elif several:
        answers = several[2]
    elif not answers and not says_who_won(objects) and not figure_columns(headings):
        answers = named_answers(names, objects) or headings.called_answers(objects)
    stated = says_who_won(objects) or (not answers and all(map(is_number, objects)))
    if len(objects) == 2 and is_negative(objects[1]) and not is_negative(objects[0]):
        stated = True
    if not stated and not answers and not several:
        figures = figure_columns(headings)
        ties = headings.every(TIES)[:1] if figures else []
        if not figures:
            raise InputError(
                f"Columns {objects[0]!r} and {objects[1]!r} hold the items, but which column"
                f" says who won? Name it with {argument('answer')}."
            )
    groups = find_groups(names, wanted.groups)
    prompt = headings.exactly(PROMPT)
    if wanted.groups is None and prompt is not None and prompt not in objects:
        groups = groups | {"prompt": prompt}
    groups = {g: n for g, n in groups.items() if n not in (*objects, *answers)}
    others = [] if wanted.columns else item_columns(headings)
    return FoundLayout(
        question,
        objects,
        answers if several else answers[:1],
        _find_weight(names, headings, wanted),
        groups,
        duplicate_answers=[] if several else answers[1:],
        answer_given=wanted.answer is not None,
        in_file=sorted(objects, key=names.index) if wanted.columns is None else objects,
        ambiguous_pairs=[p for p in others if p != objects],
        votes=[*figures, *ties],
        about_items=True,
        stated=stated,
    )


def find_several(headings: Headings, wanted: Layout) -> tuple[str, list[str], list[str]] | None:
    """Return the columns of more than two items, and of the best and the worst of them.

    In rankings the items stand in their order, and there is no answer.
    """
    columns = wanted.columns
    told = None if columns is None else [find_column(headings.names, c, "columns") for c in columns]
    if headings.one(ANCHORS) or (told is not None and len(told) < 3):
        return None
    best, worst = headings.exactly(BEST), headings.exactly(WORST)
    many = told or _many(headings) or _three(headings)
    if wanted.question in ("auto", BEST_WORST) and many and (wanted.answers or (best and worst)):
        found = [name for name in (best, worst) if name is not None]
        if wanted.question == BEST_WORST or wanted.answers is None:
            return BEST_WORST, many, found
    ranks = told or headings.numbered(RANKS)
    if ranks and len(ranks) > 2:
        others = [pair for pair in item_columns(headings) if not set(pair) <= set(ranks)]
        is_alone = told is None and not others and wanted.question == "auto"
        if is_alone or wanted.question == "ranking":
            return "ranking", ranks, []
    if wanted.question in (BEST_WORST, "ranking"):
        raise InputError(
            f"Which columns hold the items? There are {_listed(headings.names)}; choose them with"
            f" {argument('columns', ...)}, and the best and the worst with"
            f" {argument('answer', ['best', 'worst'])}."
        )
    return None


def named_pair(names: Sequence[str], wanted: Layout) -> list[str] | None:
    """Return the two columns of items if their names, and an answer, say that they are such."""
    try:
        found = find_pairs(names, wanted)
    except LayoutError as error:
        return error.choices[0].get("columns") if error.choices else None
    except InputError:
        return None
    return None if all(map(is_number, found.objects)) else found.objects[:2]


def _items(headings: Headings, wanted: Layout) -> list[str]:
    """Return the columns of the two items."""
    names = headings.names
    if wanted.columns is not None:
        chosen = [find_column(names, column, "columns") for column in wanted.columns]
        if len(set(chosen)) != 2:
            raise InputError(
                f"columns must choose 2 different columns of items; got {list(wanted.columns)!r}."
            )
        return chosen
    found, stated = item_columns(headings), stated_columns(headings)
    if stated and not (found and headings.every(ANSWERS)):
        found = [list(pair) for pair in stated]
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
            " If people compared the differences of two pairs, use `od.scale_differences` or"
            " `ordinate scale`."
        )
    choices = [{"columns": pair} for pair in found]
    raise LayoutError(f"Columns {listed} may hold the items; {advice}", choices)


def _states(objects: Sequence[str]) -> bool:
    """Whether columns are called so that their names say which object is nearer."""
    called = tuple(map(normalize_heading, objects))
    if len(called) == 3 and is_negative(called[2]) and not is_negative(called[1]):
        return True
    usual = [columns for columns in OBJECTS if columns not in UNDIRECTED_OBJECT_NAMES]
    return any(called[-len(columns) + 1 :] == columns[1:] for columns in usual)


def _ambiguous_pairs(headings: Headings, objects: Sequence[str]) -> list[list[str]]:
    """Return further pairs of columns that are called as what there is to choose from is."""
    numbered = [headings.numbered([stem]) or [] for stem in OPTION_STEMS]
    lettered = [headings.several([pair]) or [] for pair in SIDES]
    pairs = [pair for pair in (*lettered, *numbered) if len(pair) == 2]
    return [pair for pair in pairs if not set(pair) & set(objects)]


def _other_anchors(headings: Headings, objects: Sequence[str]) -> list[str]:
    """Return further columns that are called as anchors are, unless there is one called anchor."""
    called = without_id(normalize_heading(objects[0]))
    if called == "anchor" or called not in ANCHORS:
        return []
    return [name for name in headings.every(SURE_ANCHORS) if name not in objects]


def _refuse_namesakes(headings: Headings, objects: Sequence[str]) -> None:
    for column in objects:
        same = [
            name for name in headings.names if normalize_heading(name) == normalize_heading(column)
        ]
        if len(same) > 1:
            raise InputError(
                f"Columns {same[0]!r} and {same[1]!r} may both hold the objects; choose them with"
                f" {argument('columns', ...)}."
            )


def _answers(
    headings: Headings, question: str, taken: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the columns that say what was chosen, and those that seem to say it once more."""
    several = headings.numbered(CHOSEN) if question == "choose_k" else None
    if several and not set(several) & set(taken):
        return several, []
    special = {"odd_one_out": ODD, "most_central": CENTRAL}.get(question, ())
    found = [name for name in headings.every((*special, *ANSWERS)) if name not in taken]
    if question == "triplet" and not found and len(taken) == 3 and not _states(taken):
        found = named_answers(headings.names, taken[1:]) or headings.called_answers(taken)
    return found[:1], found[1:]


def _asked(wanted: Layout) -> bool:
    """Whether the caller says of columns what was asked, and in which column the answer is."""
    return wanted.question != "auto" and None not in (wanted.columns, wanted.answer)


def find_stated(names: Sequence[str], wanted: Layout) -> FoundLayout:
    """Find the columns of rows that state a comparison, as partitions hold them."""
    found = find_layout(names, wanted)
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


def _check_chosen(objects: Sequence[str], wanted: Layout) -> str:
    """Return the question that chosen columns answer, if they are as many as it needs."""
    question = wanted.question
    if question == "auto":
        question = "pair_against_pair" if len(objects) == 4 else "triplet"
        if len(objects) == 4 and not _are_pairs(objects):
            raise LayoutError(
                f"{objects[0]!r} may be the anchor of {_listed(objects[1:])}, or in a pair with"
                f" {objects[1]!r}; say which with {argument('question', 'choose_k')} or"
                f" {argument('question', 'pair_against_pair')}.",
                [{"question": "choose_k"}, {"question": "pair_against_pair"}],
            )
    task = make_task(question, shown=max(len(objects) - 1, 2), choose=1)
    if task.any_size:
        order = ", nearest first" if question == "ranking" else " shown"
        words = f"3 or more different columns (anchor, then the objects{order})"
    elif wanted.question == "auto":
        words = "3 different columns (anchor, near, far) or 4 (i, j, k, l)"
    else:
        words = f"{task.n_items} different columns ({', '.join(task.columns)})"
    if task.n_items != len(objects) or len(set(objects)) < len(objects):
        raise InputError(f"columns must choose {words}; got {list(wanted.columns or ())!r}.")
    return question


def _are_pairs(objects: Sequence[str]) -> bool:
    """Whether four columns are called as those of two pairs are, or have no names."""
    called = set(map(normalize_heading, objects))
    return any(called == set(pairs) for pairs in (*PAIRS, OBJECTS[1])) or all(
        name.isdigit() for name in called
    )


def match_layout(
    headings: Headings, wanted: Layout
) -> tuple[str, list[str], list[str], list[str], KnownLayout | None]:
    """Find the first layout whose columns are all there."""
    if wanted.question in ("auto", "triplet", "pair_against_pair"):
        stated = _stated(headings, wanted.question)
        if stated is not None:
            question = "pair_against_pair" if len(stated) == 4 else "triplet"
            return question, stated, *_answers(headings, question, stated), None
    unanswered: tuple[list[str], bool] | None = None
    for layout in (*LAYOUTS, *_UNCLEAR):
        anchor = headings.one(layout.anchor) if layout.anchor else []
        shown = layout.shown(headings)
        if wanted.question not in ("auto", layout.question) or anchor is None or shown is None:
            continue
        objects = [*anchor, *shown]
        answers, also = _answers(headings, layout.question, objects)
        is_answered = bool(answers) and (
            len(answers) > 1
            or answers[0] in headings.every(layout.answers)
            or (layout.question == "triplet" and bool(layout.answers))
        )
        votes = layout.votes(headings)
        if (
            votes is None
            or (votes and wanted.answers)
            or (layout.answers and wanted.answers is None and not is_answered)
            or (layout.answers in (ODD, CENTRAL) and not _is_said(wanted, layout.answers))
        ):
            is_alike = bool(anchor) or layout.question == "pair_against_pair"
            unanswered = unanswered or (objects, is_alike)
            continue
        if votes and answers and wanted.answers is None:
            raise LayoutError(
                f"Columns {_listed(votes)} may count votes, but {answers[0]!r} says what was"
                f" chosen, too; read it with {argument('answer', answers[0])}, or the votes with"
                f" {argument('answer', [])}.",
                [{"answer": answers[0]}, {"answer": []}],
            )
        if layout in _UNCLEAR and wanted.question == "auto":
            _refuse_unclear(shown, repr(answers[0]) if answers else "of one")
        if not layout.answers:
            answers, also = [], []
        return layout.question, objects, answers, also, layout
    if wanted.question == "odd_one_out" and list(headings.names[:3]) == ["0", "1", "2"]:
        return "odd_one_out", list(headings.names[:3]), [], [], None  # the odd one stands last
    if wanted.question in ("auto", "odd_one_out") and wanted.answers is None:
        two, odd = headings.numbered(OBJECT_STEMS), headings.exactly(ODD)
        if two and len(two) == 2 and odd is not None and headings.one(ANCHORS) is None:
            return "odd_one_out", [*two, odd], [], [], None
    if unanswered is not None:
        objects, is_alike = unanswered
        raise InputError(
            f"The columns {_listed(objects)} are questions without answers; name the column that"
            f" says {'which is more alike' if is_alike else 'what was chosen'} with"
            f" {argument('answer')}, or add a column 'answer'."
        )
    raise UnknownLayoutError(
        f"Which columns hold the objects? There are {_listed(headings.names)}; name them"
        f" anchor, near, far (or i, j, k, l), or choose them with {argument('columns', ...)}. For"
        " text without"
        f" a header line pass {argument('header', False)}."
    )


def _stated(headings: Headings, question: str) -> list[str] | None:
    for columns in OBJECTS:
        fits = question in ("auto", "pair_against_pair" if len(columns) == 4 else "triplet")
        if fits and all(name in headings.exact for name in columns):
            return [headings.exact[name] for name in columns]
    unnamed = [str(number) for number in range(len(headings.names))]
    if list(headings.names) == unnamed and len(unnamed) in (3, 4):
        return unnamed
    return None


def _is_said(wanted: Layout, answers: Sequence[str]) -> bool:
    """Whether the question, or the name of the column of answers, says what was asked."""
    named = [str(name) for name in wanted.answers or ()]
    return wanted.question != "auto" or not named or bool(Headings(named).every(answers))


def refuse_three(found: FoundLayout, wanted: Layout) -> None:
    """Refuse chosen columns that may be those of one question about the odd or the central one."""
    is_chosen = wanted.question == "auto" and wanted.columns is not None
    if is_chosen and found.question == "triplet" and _three(Headings(found.objects)):
        _refuse_unclear(found.objects, repr(found.answer))


def _refuse_unclear(shown: Sequence[str], answer: str) -> None:
    raise LayoutError(
        f"Was the choice {answer} among {_listed(shown)} the odd one out, so that the other"
        f" two are most alike ({argument('question', 'odd_one_out')}), or the most central one, so"
        " that it is most"
        f" like the other two ({argument('question', 'most_central')})? Say so with"
        f" {argument('question')}.",
        [{"question": "odd_one_out"}, {"question": "most_central"}],
    )


def find_groups(
    names: Sequence[str], wanted: Column | Sequence[Column] | Mapping[str, Column] | None
) -> dict[str, str]:
    """Return the column of each group: those asked for, or those with usual names."""
    marked = {name.removeprefix(GROUP): name for name in names if name.startswith(GROUP)}
    if wanted is None:
        headings = Headings(names)
        usual = {group: headings.exactly(aliases) for group, aliases in GROUPS.items()}
        return {group: column for group, column in usual.items() if column is not None} | marked

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
    usual = {name.lower(): name for name in reversed(names)}
    return next((usual[name] for name in LABEL if name in usual), None)


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
