"""Headings of study logs: the usual names of columns, and how they are looked up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, product, takewhile
from string import ascii_lowercase
from typing import TypeAlias

UNDIRECTED_OBJECT_NAMES = (("i", "j", "k", "l"), ("i", "j", "k"))
"""Those whose names do not say which object is nearer, so that an answer may."""

SURE_ANCHORS = ("anchor", "center", "centre", "head", "reference", "probe", "query", "ref", "cue")
ANCHORS = (*SURE_ANCHORS, "q", "standard", "target", "base")
OBJECTS = (
    ("i", "j", "k", "l"),
    ("near_1", "near_2", "far_1", "far_2"),
    *(
        (anchor, near, far)
        for near, far in (
            *(("near", "far"), ("positive", "negative"), ("closer", "farther")),
            *(("winner", "loser"), ("similar", "dissimilar"), ("chosen", "rejected")),
        )
        for anchor in ANCHORS
    ),
    ("i", "j", "k"),
)
"""Columns of rows that state a comparison, in the order in which they are looked for."""
OBJECT_STEMS = (
    "stim",
    "stimulus",
    "object",
    "obj",
    "item",
    "image",
    "img",
    "picture",
    "word",
    "option",
)
SIDES = (
    ("left", "right"),
    *((f"left_{word}", f"right_{word}") for word in OBJECT_STEMS),
    *((f"{word}_left", f"{word}_right") for word in OBJECT_STEMS),
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
OPTION_STEMS = (
    *("ref", "reference", "r", "option", "candidate", "alternative", "alt", "comparison"),
    *("item", "stim", "stimulus", "image", "object", "choice", "shown"),
)
CHOSEN = ("chosen", "c", "selected", "select", "selection", "pick", "answer", "choice")
ODD = (
    *("odd", "odd_one", "odd_one_out", "oddity", "odd_item", "odd_object", "oddball", "outlier"),
    *("different", "most_different", "different_one"),
)
CENTRAL = ("central", "most_central", "chosen_center", "central_object", "central_item")
ANSWERS = (
    *("winner", "answer", "response", "resp", "chosen", "choice", "selected", "selection"),
    *("picked", "chosen_object", "chosen_item", "selected_object", "selected_item"),
    *("key_resp_keys", "key_resp"),  # PsychoPy
    "button_pressed",  # jsPsych 6
    *("closer", "nearer", "chosen_side", "choice_side", "response_side"),
    *("pick", "preferred", "preference", "judgment", "judgement", "decision", "vote", "clicked"),
    *("holds", "agree", "agrees", "is_true", "result", "outcome", "choice_label"),
    *("more_similar", "most_similar"),
)
_ANSWERS = frozenset(
    {"winner", "answer", "response", "resp", "chosen", "choice", "selected", "selection", "picked"}
    | {"pick", "preferred", "preference", "judgment", "judgement", "decision", "vote", "closer"}
    | {"similar", "press", "pressed", "better", "best", "which", "verdict", "pref", "ftr", "wins"}
)
"""Words in the name of a column that may hold answers."""
_PLANS = frozenset(
    {"correct", "corr", "expected", "gold", "truth", "true", "planned", "intended", "design"}
    | {"target", "standard", "first", "left", "side", "top", "shown", "default", "time", "rt"}
    | {"duration", "latency", "date", "timestamp", "index", "confidence", "count", "type", "reason"}
    | {"id", "html", "text", "filename"}
)
"""Words in the name of a column about answers that holds none: the plan, a place, a time."""
BEST = ("best", "best_item", "best_option", "most", "most_preferred", "most_important")
WORST = ("worst", "worst_item", "worst_option", "least", "least_preferred", "least_important")
"""Usual names of the columns of answers in best-worst scaling."""
RANKS = ("rank", "ranked", "place")

NEGATIVE = frozenset(
    {"far", "farther", "farthest", "further", "furthest", "dissimilar", "different", "distant"}
    | {"odd", "outlier", "least", "less", "fewest", "lowest", "negative"}
    | {"loser", "losers", "lost", "lose", "loses", "losing", "beaten", "defeated", "inferior"}
    | {"worse", "worst", "weaker", "weakest", "bad", "wrong", "dislike", "disliked", "dislikes"}
    | {"rejected", "reject", "rejects", "eliminated", "eliminate", "discarded", "discard"}
    | {"excluded", "exclude", "removed", "remove", "avoid", "avoided", "dropped", "omitted"}
    | {"unchosen", "unselected", "unpreferred", "nonchosen", "not", "non", "never", "against"}
    | {"nonpreferred", "nonselected", "poorer", "poorest", "poor", "unpicked", "foil"}
)
"""Words in the name of a column that say that it names what was not chosen, or less alike."""
SECOND = {"second": "first", "right": "left", "b": "a", "2": "1", "away": "home"}
"""Words for the second of two, and those for the first."""

WEIGHT = "weight"
COUNTS = ("count", "counts", "freq", "frequency", "votes", "n_votes", "n_answers")
"""Names of a column that may say how often a row was answered so; nobody knows unless told."""
RANKED = ("is_ranked", "ranked")

GROUPS = {
    "participant": (
        *("participant", "participant_id", "participant_uid", "participantid", "subject"),
        *("subject_id", "subj", "sub", "sub_id", "rater", "rater_id", "worker", "worker_id"),
        *("workerid", "puid", "pid", "prolific_pid", "prolific_id", "annotator", "annotator_id"),
        *("observer", "respondent", "respondent_id", "user_id"),
        *("judge", "judge_id", "assessor", "assessor_id", "voter", "voter_id"),
        *("evaluator", "evaluator_id", "student", "student_id", "expert", "expert_id", "coder"),
        *("coder_id", "reviewer", "reviewer_id", "grader", "marker", "examiner", "user", "userid"),
        *("user_name", "username", "person", "person_id", "labeler", "labeller", "annotatorid"),
        *("participant_private_id", "participant_public_id", "mturk_worker_id"),
    ),
    "session": ("session", "session_id", "sessionid"),
    "block": ("block", "block_id", "block_index"),
    "trial": ("trial", "trial_id", "trial_index", "trial_number", "trials_this_n"),
    "group": ("group",),
    "pool": ("pool",),  # the export of a study, and whether the participant finished
    "status": ("status",),
}
"""Usual names of columns of groups, under the name that each group gets."""

PROMPT = ("prompt", "prompt_id", "task", "task_id", "question", "question_id", "criterion")
"""Usual names of the column that says about what two items were compared."""

GROUP = "group:"
"""Begins the names of columns that are groups, whatever comes after it; Ordinate writes them so."""

LABEL = ("object", "id", "name")
"""Usual names of the column that says what the object of a row is called."""


Marks: TypeAlias = tuple[str, str]
"""What distinguishes two columns, such as a and b of item_a and item_b."""
LEFT_RIGHT: Marks = ("left", "right")
FIRST_SECOND: Marks = ("first", "second")
SCREEN = (LEFT_RIGHT, FIRST_SECOND)
"""What items are called by where, or when, they were shown."""
IN_ORDER = (*SCREEN, ("home", "away"), ("white", "black"))
"""The same, and what else says which of two items comes first."""
PLACE_STEMS = ("position", "side")
"""What columns that hold where an item was shown are called, besides what marks the item."""
STATED = (
    ("winner", "loser"),
    *(("chosen", lost) for lost in ("rejected", "not_chosen", "unchosen")),
    *(("selected", lost) for lost in ("rejected", "not_selected", "unselected", "nonselected")),
    *(("preferred", lost) for lost in ("rejected", "not_preferred", "other", "nonpreferred")),
    *(("preferred", "over"), ("better", "worse"), ("won", "lost"), ("winning", "losing")),
)
"""Words, in the names of two columns, that say which of them holds the item that won."""
MARKS = (
    *(LEFT_RIGHT, ("a", "b"), ("x", "y"), ("1", "2"), ("0", "1"), ("l", "r")),
    *(mark for mark in IN_ORDER if mark != LEFT_RIGHT),
)
"""How columns of two items are marked, and how an answer may call them."""
_FIGURES = {
    "wins": (
        *("wins", "win", "won", "votes", "vote", "votes_for", "n", "count"),
        *("winner", "winner_model", "winner_is", "is_winner"),
    ),
    "scores": ("score", "scores", "points", "goals", "rating", "grade"),
}
"""Stems of columns of figures: how often each item won, or what each scored."""
_GOALS = ("fthg", "ftag")
"""Goals of both teams in tables of football results."""
_OTHER_STEMS = (
    *("elo", "rt", "time", "response", "answer", "tokens", "length", "key"),
    *("rank", "seed", "age", "hand", "ht", "ioc", "entry", "rank_points", "elo_rating"),
    *PLACE_STEMS,
)
TIES = (
    *("winner_tie", "ties", "tie", "tied", "n_ties", "n_tie", "draws", "draw", "n_draws", "equal"),
)
_NO_ITEMS = (*_FIGURES["wins"], *_FIGURES["scores"], *_OTHER_STEMS, *TIES)
"""What is left of the names of columns that do not hold items, without what marks the item."""


_PREFIX = re.compile(r"(Spreadsheet: |Input\.|Answer\.|INPUT:|OUTPUT:|ASSIGNMENT:)(?=.)")
"""What Gorilla, Mechanical Turk and Toloka write before the columns of a design."""


def normalize_heading(name: str) -> str:
    """Return a heading in small letters, with _ for points, blanks, dashes and between aWord's."""
    words = _PREFIX.sub("", name.strip())
    words = re.sub(r"(?<=[a-z\d])(?=[A-Z][a-z]|[A-Z]+(?![A-Za-z]))", "_", words)
    return re.sub(r"[\s.\-]+", "_", words.lower()).strip("_")


_IDS = {
    f"{word}_id" for word in ("response", "decision", "vote", "judgment", "judgement", "result")
}
"""Names of columns that number the answers, or Qualtrics' people."""


def without_id(key: str) -> str:
    """Return a heading without what says that a column holds the numbers of its objects."""
    return key if key in _IDS else re.sub(r"_(id|idx)$", "", key)


def is_negative(name: str) -> bool:
    """Whether a column is called after what was not chosen."""
    return not NEGATIVE.isdisjoint(normalize_heading(name).split("_"))


def is_answer(name: str) -> bool:
    """Whether a column is called as one of answers is."""
    return not _ANSWERS.isdisjoint(normalize_heading(name).split("_")) and not is_plan(name)


def is_plan(name: str) -> bool:
    """Whether a column is called after what was to be chosen, or after a place."""
    return not _PLANS.isdisjoint(normalize_heading(name).split("_"))


CHOOSING = frozenset(
    {"chose", "chosen", "choose", "picked", "pick", "selected", "select", "preferred", "prefers"}
    | {"won", "wins", "win", "winner", "closer", "nearer", "better", "is", "was"}
)
"""Words in the name of a column that says whether one of two was chosen, beside that one's."""


def named_answers(names: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return the column that is called after the choice of one of two, as chose_right is."""
    marks = {*without_shared_words([normalize_heading(option) for option in options]), *SECOND}
    marks = {*marks, *SECOND.values(), *map(normalize_heading, options)} - {""}
    found = []
    for name in names:
        words = normalize_heading(name).split("_")
        rest = [word for word in words if word not in CHOOSING]
        if name not in options and len(rest) < len(words) and "_".join(rest) in marks:
            found.append(name)
    return found if len(found) == 1 else []


class Headings:
    """The names of columns, to be looked up however they are spelt."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.exact = {normalize_heading(name): name for name in reversed(names)}
        # objects may be called by the name of their number: center_id, r1_idx
        short = {without_id(key): name for key, name in self.exact.items()}
        self.objects = short | self.exact

    @property
    def stems(self) -> list[str]:
        """What comes before the numbers of numbered columns."""
        return [match[1] for key in self.exact if (match := re.fullmatch(r"(.+?)_?1", key))]

    def exactly(self, aliases: Sequence[str]) -> str | None:
        """Return the column with the first of these names that there is, whole names alone."""
        return next((self.exact[name] for name in aliases if name in self.exact), None)

    def every(self, aliases: Sequence[str]) -> list[str]:
        """Return all columns with one of these names, in the order of the names."""
        found: dict[str, list[str]] = {}
        for name in self.names:
            key = normalize_heading(name)
            found.setdefault(key if key in aliases else without_id(key), []).append(name)
        return [name for alias in aliases for name in found.get(alias, ())]

    def called_answers(self, taken: Sequence[str]) -> list[str]:
        """Return further columns whose names have a word for an answer, such as chosen_face."""
        free = [name for name in self.names if name not in taken]
        return [name for name in free if is_answer(name) and not is_negative(name)]

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
        """Return the columns of the first stem there is: stem0, …, stem_1, … or stem_a, …."""
        for stem in stems:
            if not any(key.startswith(stem) for key in self.objects):
                continue  # the usual case, found out quickly
            for marks, like in _SERIES:
                spelt = [(f"{stem}_{m}", *([f"{stem}{m}"] * m.isdigit())) for m in marks]
                found = [*chain(*takewhile(bool, (self.one(names) or [] for names in spelt)))]
                there = filter(re.compile(re.escape(stem) + like).fullmatch, self.objects)
                if len(found) >= 2 and len(found) == len([*there]):
                    return found  # and no others: what is beyond a gap would be passed over
        return None


_SERIES = (
    ([str(number) for number in range(100)], r"_?\d+"),
    ([str(number) for number in range(1, 100)], r"_?\d+"),
    (ascii_lowercase, "_[a-z]"),
)
"""How columns of one name are distinguished, and how others of that name would look."""


def without_shared_words(names: Sequence[str]) -> list[str]:
    """Return the part in which names differ: left and right of left_img and right_img."""
    words = [name.split("_") for name in names]
    shared = set(words[0]).intersection(*words)
    return ["_".join(word for word in name if word not in shared) for name in words]


def marks_of(items: Sequence[str]) -> Marks:
    """Return where two names of columns differ, such as a and b of item_a and item_b."""
    first, second = without_shared_words([*map(normalize_heading, items)])
    return first, second


def stated_columns(headings: Headings) -> list[tuple[str, ...]]:
    """Return all pairs of columns that differ in words that say which item won."""
    found: list[tuple[str, list[str]]] = []
    for won, lost in STATED:
        for key in headings.exact:
            stem = f"_{key}_".replace(f"_{won}_", "_").strip("_")
            other = re.sub(rf"(^|_){won}(_|$)", rf"\1{lost}\2", key, count=1)
            if other != key and other in headings.exact and stem not in _NO_ITEMS:
                found.append((stem, [headings.exact[key], headings.exact[other]]))
    plain = [pair for stem, pair in found if stem in ("", "name")]
    return [*dict.fromkeys(map(tuple, plain or [pair for _, pair in found]))]


def says_who_won(items: Sequence[str]) -> bool:
    """Whether the names of two columns say which of them holds the item that won."""
    return tuple(items) in stated_columns(Headings(items))


def item_columns(headings: Headings) -> list[list[str]]:
    """Return all pairs of columns that may hold the two items."""
    found = []
    for first, second in MARKS:
        for key in headings.exact:
            for mark in (f"_{first}", first) if first.isdigit() else (f"_{first}",):
                stem = key.removesuffix(mark)
                other = stem + mark.replace(first, second)
                if stem and stem != key and other in headings.exact and stem not in _NO_ITEMS:
                    found.append([headings.exact[key], headings.exact[other]])
                    break
            stem = key.removeprefix(f"{first}_")
            other = f"{second}_{stem}"
            if stem != key and other in headings.exact and stem not in _NO_ITEMS:
                found.append([headings.exact[key], headings.exact[other]])
        if first in headings.exact and second in headings.exact and not first.isdigit():
            found.append([headings.exact[first], headings.exact[second]])
    if {"i", "j"} <= set(headings.exact) and "k" not in headings.exact:
        found.append([headings.exact["i"], headings.exact["j"]])
    return [list(pair) for pair in dict.fromkeys(map(tuple, found))]


def figure_columns(headings: Headings) -> list[str]:
    """Return the two columns of figures, wins before scores."""
    if goals := headings.several([_GOALS]):
        return goals
    for stem, marks in product(chain(*_FIGURES.values()), MARKS):
        for spelt in ("{0}_{1}", "{0}{1}", "{1}_{0}"):
            names = [spelt.format(stem, mark) for mark in marks]
            if all(name in headings.exact for name in names):
                return [headings.exact[name] for name in names]
    return []


def are_scores(figures: Sequence[str]) -> bool:
    """Whether columns of figures hold what each item scored, and not how often it won."""
    if tuple(map(normalize_heading, figures[:2])) == _GOALS:
        return True
    marks = "|".join(mark for pair in MARKS for mark in pair)
    return (
        re.sub(rf"^({marks})_|_?({marks})$", "", normalize_heading(figures[0]))
        in _FIGURES["scores"]
    )
