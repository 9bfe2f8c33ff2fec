"""Layouts of study logs: which columns hold the objects, the answers, weights and groups.

A layout is a row of `LAYOUTS`: the question that was asked, and how its columns are called. How an
answer is coded (by name, by side, by number) is in `ordinate.io.trials`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from ordinate._checks import InputError, check_choice

Column: TypeAlias = str | int
Columns: TypeAlias = "Column | Sequence[Column]"

QUESTIONS = ("triplet", "odd-one-out", "most-central", "choose", "pairs", "ranking")
"""What people were asked, as `question` calls it."""

OBJECTS = (
    ("i", "j", "k", "l"),
    ("near_1", "near_2", "far_1", "far_2"),
    ("anchor", "near", "far"),
    ("anchor", "positive", "negative"),
    ("anchor", "closer", "farther"),
    ("probe", "near", "far"),
    ("reference", "near", "far"),
    ("head", "winner", "loser"),
    ("target", "winner", "loser"),
    ("i", "j", "k"),
)
"""Columns of rows that state a comparison, in the order in which they are looked for."""

ANCHORS = (
    *("anchor", "center", "centre", "head", "reference", "probe", "query", "q", "standard"),
    *("target", "base"),
)
THREE = ("stim", "stimulus", "object", "obj", "item", "image", "img", "picture", "word", "option")
SIDES = (
    ("left", "right"),
    *((f"left_{word}", f"right_{word}") for word in THREE),
    *((f"{word}_left", f"{word}_right") for word in THREE),
    ("option_a", "option_b"),
    ("choice_a", "choice_b"),
    ("first", "second"),
    ("a", "b"),
)
PAIRS = (
    ("i", "j", "k", "l"),
    ("left_1", "left_2", "right_1", "right_2"),
    ("first_1", "first_2", "second_1", "second_2"),
    ("pair_1_a", "pair_1_b", "pair_2_a", "pair_2_b"),
    ("pair1_a", "pair1_b", "pair2_a", "pair2_b"),
    ("a_1", "a_2", "b_1", "b_2"),
    ("a1", "a2", "b1", "b2"),
)
VOTES = tuple(
    (f"{word}_{one}", f"{word}_{other}")
    for word in ("votes", "vote", "n", "count", "votes_for")
    for one, other in (("a", "b"), ("left", "right"), ("1", "2"), ("first", "second"))
)
MANY = (
    *("ref", "reference", "r", "option", "candidate", "alternative", "alt", "comparison"),
    *("item", "stim", "stimulus", "image", "object", "choice", "shown"),
)
CHOSEN = ("chosen", "c", "selected", "select", "selection", "pick", "answer", "choice")
ODD = ("odd", "odd_one", "odd_one_out", "oddity", "odd_item", "odd_object")
CENTRAL = ("central", "most_central", "chosen_center", "central_object", "central_item")
ANSWERS = (
    *("winner", "answer", "response", "resp", "chosen", "choice", "selected", "selection"),
    *("picked", "chosen_object", "chosen_item", "selected_object", "selected_item"),
    *("key_resp_keys", "key_resp"),  # PsychoPy
)

ANSWER = "answer"
WEIGHT = "weight"
RANKED = ("is_ranked", "ranked")

GROUPS = {
    "participant": (
        *("participant", "participant_id", "participant_uid", "participantid", "subject"),
        *("subject_id", "subj", "sub", "sub_id", "rater", "rater_id", "worker", "worker_id"),
        *("workerid", "puid", "pid", "prolific_pid", "prolific_id", "annotator", "annotator_id"),
        *("observer", "respondent", "respondent_id", "user_id"),
        "participant_private_id",
    ),
    "session": ("session", "session_id", "sessionid"),
    "block": ("block", "block_id", "block_index"),
    "trial": ("trial", "trial_id", "trial_index", "trial_number", "trials_this_n"),
    "group": ("group",),
}
"""Usual names of columns of groups, under the name that each group gets."""

LABEL = ("object", "id", "name")
"""Usual names of the column that says what the object of a row is called."""


def normal(name: str) -> str:
    """Return a heading in small letters, with _ for points, blanks, dashes and between aWord's."""
    words = name.strip().removeprefix("Spreadsheet: ")  # Gorilla, before the columns of its design
    words = re.sub(r"(?<=[a-z\d])(?=[A-Z][a-z]|[A-Z]+$)", "_", words)
    return re.sub(r"[\s.\-]+", "_", words.lower()).strip("_")


class Headings:
    """The names of columns, to be looked up however they are spelt.

    Parameters
    ----------
    names : sequence of str
        As the table has them.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.exact = {normal(name): name for name in reversed(names)}
        # objects may be called by the name of their number: center_id, r1_idx
        short = {re.sub(r"_(id|idx)$", "", key): name for key, name in self.exact.items()}
        self.objects = short | self.exact

    @property
    def stems(self) -> list[str]:
        """What comes before the numbers of numbered columns."""
        return [match[1] for key in self.exact if (match := re.fullmatch(r"(.+?)_?1", key))]

    def exactly(self, aliases: Sequence[str]) -> str | None:
        """Return the column with the first of these names that there is, whole names alone."""
        return next((self.exact[name] for name in aliases if name in self.exact), None)

    def one(self, aliases: Sequence[str]) -> list[str] | None:
        """Return the column with the first of these names that there is."""
        return next(([self.objects[name]] for name in aliases if name in self.objects), None)

    def several(self, choices: Sequence[Sequence[str]]) -> list[str] | None:
        """Return the columns of the first list of names that are all there."""
        for wanted in choices:
            if all(name in self.objects for name in wanted):
                return [self.objects[name] for name in wanted]
        return None

    def numbered(self, stems: Sequence[str]) -> list[str] | None:
        """Return the columns stem0, stem1, … or stem_1, stem_2, … of the first stem there is."""
        for stem in stems:
            for first in (0, 1):
                found = []
                for number in range(first, first + len(self.names)):
                    column = self.one([f"{stem}{number}", f"{stem}_{number}"])
                    if column is None:
                        break
                    found += column
                if len(found) >= 2:
                    return found
        return None


Finder: TypeAlias = Callable[[Headings], "list[str] | None"]


def _sides(headings: Headings) -> list[str] | None:
    numbered = headings.numbered(MANY)
    return headings.several(SIDES) or (numbered if numbered and len(numbered) == 2 else None)


def _pairs(headings: Headings) -> list[str] | None:
    return headings.several(PAIRS)


def _votes(headings: Headings) -> list[str] | None:
    return headings.several(VOTES)


def _three(headings: Headings) -> list[str] | None:
    found = headings.numbered((*THREE, *headings.stems))
    letters = headings.several([("a", "b", "c"), ("left", "middle", "right")])
    return found if found is not None and len(found) == 3 else letters


def _many(headings: Headings) -> list[str] | None:
    found = headings.numbered(MANY)
    return found if found is not None and len(found) > 2 else None


def _ranks(headings: Headings) -> list[str] | None:
    return headings.numbered(("rank", "ranked", "nearest"))


def _list(headings: Headings) -> list[str] | None:
    return headings.one(("choices",))


def _chosen(headings: Headings) -> list[str] | None:
    return headings.numbered(CHOSEN) or headings.one(ANSWERS)


def _named(*names: str) -> Finder:
    return lambda headings: headings.one(names)


def _nothing(_: Headings) -> list[str]:
    return []


class Layout(NamedTuple):
    """One kind of log: what was asked, and which columns say it.

    `shown` are the objects beside the anchor, `answer` what was chosen of them; a layout with
    `votes` has two columns of counts instead.
    """

    question: str
    anchor: Sequence[str]
    shown: Finder
    answer: Finder
    votes: Finder = _nothing
    is_list: bool = False


_STIMULUS = ("stimulus", *ANCHORS)

LAYOUTS = (
    Layout("pairs", (), _pairs, _named(*ANSWERS)),
    Layout("choose", ANCHORS, _many, _chosen),  # PsiZ-collect
    Layout("triplet", ANCHORS, _sides, _nothing, votes=_votes),
    Layout("triplet", ANCHORS, _sides, _named(*ANSWERS)),  # NEXT, Salmon without winners
    Layout("choose", _STIMULUS, _list, _named("response", *ANSWERS), is_list=True),  # jsPsych
    Layout("ranking", ANCHORS, _ranks, _nothing),
    Layout("odd-one-out", (), _three, _named(*ODD)),
    Layout("most-central", (), _three, _named(*CENTRAL)),
)
"""Logs whose columns say what was asked, in the order in which they are looked for."""

_UNCLEAR = tuple(
    Layout(question, (), _three, _named(*ANSWERS)) for question in ("odd-one-out", "most-central")
)
"""Three objects and a choice: only the one who asked knows which question it was."""

_PSYCHOPHYSICS = ("stim_0", "stim_1", "stim_2", "selected")
"""The one exception: so the odd one out is logged in psychophysics."""


class Wanted(NamedTuple):
    """What a caller says about the columns; what is left open is found by name."""

    columns: Sequence[Column] | None = None
    answer: Columns | None = None
    weight: Column | None = None
    groups: Column | Sequence[Column] | Mapping[str, Column] | None = None
    question: str = "auto"


@dataclass(frozen=True)
class FoundLayout:
    """Names of the columns there are, by what they hold; a group's name leads to its column.

    Attributes
    ----------
    question : str
        What was asked.
    objects : list of str
        Columns of objects; the anchor first, where there is one.
    answers : list of str
        Columns that say what was chosen.
    votes : list of str
        Two columns that count the votes for either side.
    stated : bool
        Whether the rows state comparisons, in the order (anchor, near, far) or (i, j, k, l).
    is_list : bool
        Whether the last column of objects holds lists in JSON.
    """

    question: str
    objects: list[str]
    answers: list[str]
    weight: str | None
    groups: dict[str, str]
    votes: list[str] = field(default_factory=list)
    ranked: str | None = None
    stated: bool = True
    is_list: bool = False

    @property
    def answer(self) -> str | None:
        """The column that says whether a stated comparison holds."""
        return self.answers[0] if self.answers else None

    @property
    def anchored(self) -> bool:
        """Whether the first object is what the others were compared with."""
        return self.question in ("triplet", "choose", "ranking")

    @property
    def has_fewer(self) -> bool:
        """Whether rows may have fewer objects than there are columns."""
        return self.question in ("choose", "ranking")

    @property
    def labels(self) -> list[str]:
        """Columns of labels."""
        flags = [] if self.ranked is None else [self.ranked]
        return list(dict.fromkeys([*self.objects, *self.answers, *flags, *self.groups.values()]))

    @property
    def numbers(self) -> list[str]:
        """Columns of numbers."""
        return [*([] if self.weight is None else [self.weight]), *self.votes]

    @property
    def used(self) -> list[str]:
        """All columns that matter."""
        return [*self.labels, *self.numbers]


def find_layout(names: Sequence[str], wanted: Wanted) -> FoundLayout:
    """Match what the caller asked for, and what has a usual name, with the columns there are."""
    check_choice("question", wanted.question, ("auto", *QUESTIONS))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two columns are called {twice!r}; give every column its own name.")
    headings = Headings(names)
    if wanted.columns is None:
        question, objects, answers, layout = _usual(headings, wanted)
    else:
        objects = [find_column(names, column, "columns") for column in wanted.columns]
        question = _check_chosen(objects, wanted)
        answers, layout = [], None
        if wanted.question in ("auto", "triplet") and ANSWER in headings.exact:
            answers = [headings.exact[ANSWER]]
    if wanted.answer is not None:
        given = [wanted.answer] if isinstance(wanted.answer, (str, int)) else wanted.answer
        answers = [find_column(names, column, "answer") for column in given]
    if wanted.weight is None:
        weight = headings.exact.get(WEIGHT)
    else:
        weight = find_column(names, wanted.weight, "weight")
    ranked = headings.one(RANKED) if question == "choose" else None
    return FoundLayout(
        question,
        objects,
        answers,
        weight,
        _find_groups(headings, wanted.groups),
        votes=(layout.votes(headings) or []) if layout else [],
        ranked=ranked[0] if ranked else None,
        stated=layout is None
        and question in ("triplet", "pairs")
        and not _asked(wanted)
        and not (answers and Headings(objects[1:]).several(SIDES)),
        is_list=layout is not None and layout.is_list,
    )


def _asked(wanted: Wanted) -> bool:
    """Whether the caller says of columns what was asked, and in which column the answer is."""
    return wanted.question != "auto" and None not in (wanted.columns, wanted.answer)


def find_stated(names: Sequence[str], wanted: Wanted) -> FoundLayout:
    """Find the columns of rows that state a comparison, as partitions hold them."""
    found = find_layout(names, wanted)
    if not found.stated:
        raise InputError(
            f"The columns {_listed(found.objects)} hold questions and answers; convert them to"
            " anchor, near, far first with read_comparisons and write_comparisons."
        )
    return found


def _check_chosen(objects: Sequence[str], wanted: Wanted) -> str:
    """Return the question that chosen columns answer, if they are as many as it needs."""
    question = wanted.question
    if question == "auto":
        question = "pairs" if len(objects) == 4 else "triplet"
    needed = {
        "triplet": (3, "3 different columns (anchor, near, far) or 4 (i, j, k, l)"),
        "pairs": (4, "4 different columns (i, j, k, l)"),
        "odd-one-out": (3, "3 different columns, the objects shown"),
        "most-central": (3, "3 different columns, the objects shown"),
        "choose": (0, "3 or more different columns (probe, then the objects shown)"),
        "ranking": (0, "3 or more different columns (anchor, then the objects, nearest first)"),
    }
    number, words = needed[question]
    if (number or max(len(objects), 3)) != len(objects) or len(set(objects)) < len(objects):
        raise InputError(f"columns must choose {words}; got {list(wanted.columns or ())!r}.")
    return question


def _usual(headings: Headings, wanted: Wanted) -> tuple[str, list[str], list[str], Layout | None]:
    """Find the first layout whose columns are all there."""
    if wanted.question in ("auto", "triplet", "pairs"):
        stated = _stated(headings, wanted.question)
        if stated is not None:
            found = headings.exactly((ANSWER, "response"))
            question = "pairs" if len(stated) == 4 else "triplet"
            return question, stated, [found] if found else [], None
    unanswered: list[str] = []
    for layout in (*LAYOUTS, *_UNCLEAR):
        anchor = headings.one(layout.anchor) if layout.anchor else []
        shown = layout.shown(headings)
        if wanted.question not in ("auto", layout.question) or anchor is None or shown is None:
            continue
        answer = layout.answer(headings) if wanted.answer is None else []
        if answer and answer == shown:  # choice_1, choice_2: what there was to choose from
            answer = headings.one(ANSWERS)
        if answer is None or layout.votes(headings) is None:
            unanswered = unanswered or [*anchor, *shown]
            continue
        if layout in _UNCLEAR and wanted.question == "auto":
            _refuse_unclear(headings, shown, answer)
        return layout.question, [*anchor, *shown], answer, layout
    if wanted.question == "odd-one-out" and list(headings.names[:3]) == ["0", "1", "2"]:
        return "odd-one-out", list(headings.names[:3]), [], None  # the odd one stands last
    if unanswered:
        raise InputError(
            f"The columns {_listed(unanswered)} are questions without answers; add a column"
            " 'answer' that names the object chosen."
        )
    raise InputError(
        f"Which columns hold the objects? There are {_listed(headings.names)}; name them"
        " anchor, near, far (or i, j, k, l), or choose them with columns=[...]. For text without"
        " a header line pass header=False."
    )


def _stated(headings: Headings, question: str) -> list[str] | None:
    for columns in OBJECTS:
        fits = question in ("auto", "pairs" if len(columns) == 4 else "triplet")
        if fits and all(name in headings.exact for name in columns):
            return [headings.exact[name] for name in columns]
    unnamed = [str(number) for number in range(len(headings.names))]
    if list(headings.names) == unnamed and len(unnamed) in (3, 4):
        return unnamed
    return None


def _refuse_unclear(headings: Headings, shown: Sequence[str], answer: Sequence[str]) -> None:
    if all(name in headings.exact for name in _PSYCHOPHYSICS):
        return
    raise InputError(
        f"Was the choice {answer[0]!r} among {_listed(shown)} the odd one out, so that the other"
        " two are most alike (question='odd-one-out'), or the most central one, so that it is most"
        " like the other two (question='most-central')? Say so with question=."
    )


def _find_groups(
    headings: Headings, wanted: Column | Sequence[Column] | Mapping[str, Column] | None
) -> dict[str, str]:
    names = headings.names
    if wanted is None:
        usual = {group: headings.exactly(aliases) for group, aliases in GROUPS.items()}
        return {group: column for group, column in usual.items() if column is not None}
    if isinstance(wanted, Mapping):
        return {name: find_column(names, column, "groups") for name, column in wanted.items()}
    columns = [wanted] if isinstance(wanted, (str, int, np.integer)) else wanted
    chosen = [find_column(names, column, "groups") for column in columns]
    return {name: name for name in chosen}


def pair_names(columns: Sequence[str]) -> list[str]:
    """Return what the two pairs of four columns are called, such as left and right."""
    stems = [re.sub(r"_?(\d+|a|b)$", "", normal(column)) for column in columns]
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
