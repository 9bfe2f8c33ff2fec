"""Headings of study logs: the usual names of columns, and how they are looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import chain, product, takewhile
from string import ascii_lowercase
from typing import TypeAlias


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())


def _pairs(text: str) -> tuple[tuple[str, ...], ...]:
    """Return names that belong together, written with commas."""
    return tuple(tuple(names.split(",")) for names in text.split())


UNDIRECTED_OBJECT_NAMES = _pairs("i,j,k,l i,j,k")
"""Those whose names do not say which object is nearer, so that an answer may."""

SURE_ANCHORS = _words("anchor center centre head reference probe query ref cue")
ANCHORS = (*SURE_ANCHORS, "q", "standard", "target", "base")
_NEAR_FAR = "near,far positive,negative closer,farther winner,loser similar,dissimilar"
OBJECTS = (
    *_pairs("i,j,k,l near_1,near_2,far_1,far_2"),
    *((anchor, *pair) for pair in _pairs(f"{_NEAR_FAR} chosen,rejected") for anchor in ANCHORS),
    ("i", "j", "k"),
)
"""Columns of rows that state a comparison, in the order in which they are looked for."""
OBJECT_STEMS = _words("stim stimulus object obj item image img picture word option")
SIDES = (
    ("left", "right"),
    *((f"left_{word}", f"right_{word}") for word in OBJECT_STEMS),
    *((f"{word}_left", f"{word}_right") for word in OBJECT_STEMS),
    *_pairs("option_a,option_b choice_a,choice_b first,second a,b"),
)
PAIRS = _pairs(
    "i,j,k,l left_1,left_2,right_1,right_2 first_1,first_2,second_1,second_2"
    " pair_1_a,pair_1_b,pair_2_a,pair_2_b pair1_a,pair1_b,pair2_a,pair2_b a_1,a_2,b_1,b_2"
    " a1,a2,b1,b2"
)
VOTES = tuple(
    (f"{word}_{one}", f"{word}_{other}")
    for word in ("votes", "vote", "n", "count", "votes_for")
    for one, other in _pairs("a,b left,right 1,2 first,second")
)
OPTION_STEMS = _words(
    "ref reference r option candidate alternative alt comparison item stim stimulus image"
    " object choice shown"
)
IN_A_ROW = _pairs("a,b,c,d,e a,b,c,d a,b,c left,middle,right")
"""Options that are called by letters, the longest row first, or by their places."""
CHOSEN = _words("chosen c selected select selection pick answer choice")
ODD = _words(
    "odd odd_one odd_one_out oddity odd_item odd_object oddball outlier different"
    " most_different different_one"
)
CENTRAL = _words("central most_central chosen_center central_object central_item")
ANSWERS = _words(
    "winner answer response resp chosen choice selected selection picked chosen_object"
    " chosen_item selected_object selected_item key_resp_keys key_resp button_pressed"
    " closer nearer chosen_side choice_side response_side pick preferred preference"
    " judgment judgement decision vote clicked holds agree agrees is_true result outcome"
    " choice_label more_similar most_similar"
)
"""Usual names of a column of answers; key_resp is PsychoPy's, button_pressed jsPsych's."""
_ANSWERS = _words(
    "winner answer response resp chosen choice selected selection picked pick preferred"
    " preference judgment judgement decision vote closer similar press pressed better best"
    " which verdict pref ftr wins"
)
"""Words in the name of a column that may hold answers."""
_PLANS = _words(
    "correct corr expected gold truth true planned intended design target standard first"
    " left side top shown default time rt duration latency date timestamp index confidence"
    " count type reason id html text filename"
)
"""Words in the name of a column about answers that holds none: the plan, a place, a time."""
BEST = _words("best best_item best_option most most_preferred most_important")
WORST = _words("worst worst_item worst_option least least_preferred least_important")
"""Usual names of the columns of answers in best-worst scaling."""
RANKS = ("rank", "ranked", "place")
PLACES = _words("place rank position finish finishing_position finishing_place standing")
ITEMS = _words(
    "item object option alternative candidate name label player team driver horse athlete model"
    " brand product stimulus contestant competitor entry"
)
ORDERS = ("ranking", "order", "ballot")
"""Columns of rankings with a row per item and its place, and of orders written as a > b = c."""

NEGATIVE = _words(
    "far farther farthest further furthest dissimilar different distant odd outlier least"
    " less fewest lowest negative loser losers lost lose loses losing beaten defeated"
    " inferior worse worst weaker weakest bad wrong dislike disliked dislikes rejected"
    " reject rejects eliminated eliminate discarded discard excluded exclude removed"
    " remove avoid avoided dropped omitted unchosen unselected unpreferred nonchosen not"
    " non never against nonpreferred nonselected poorer poorest poor unpicked foil"
)
"""Words in the name of a column that say that it names what was not chosen, or less alike."""
SECOND = {"second": "first", "right": "left", "b": "a", "2": "1", "away": "home"}
"""Words for the second of two, and those for the first."""

WEIGHT = "weight"
COUNTS = ("count", "counts", "freq", "frequency", "votes", "n_votes", "n_answers")
"""Names of a column that may say how often a row was answered so; nobody knows unless told."""
RANKED = ("is_ranked", "ranked")

GROUPS = {
    "participant": _words(
        "participant participant_id participant_uid participantid subject subject_id subj sub"
        " sub_id rater rater_id worker worker_id workerid puid pid prolific_pid prolific_id"
        " annotator annotator_id observer respondent respondent_id user_id judge judge_id"
        " assessor assessor_id voter voter_id evaluator evaluator_id student student_id expert"
        " expert_id coder coder_id reviewer reviewer_id grader marker examiner user userid"
        " user_name username person person_id labeler labeller annotatorid"
        " participant_private_id participant_public_id mturk_worker_id"
    ),
    "session": ("session", "session_id", "sessionid"),
    "block": ("block", "block_id", "block_index"),
    "trial": ("trial", "trial_id", "trial_index", "trial_number", "trials_this_n"),
    "group": ("group",),
    "pool": ("pool",),  # the export of a study, and whether the participant finished
    "status": ("status",),
    "condition": ("condition",),
    "wave": ("wave",),
    "answered_by": ("answered_by",),
}
"""Usual names of columns of groups, under the name that each group gets."""

PROMPT = ("prompt", "prompt_id", "task", "task_id", "question", "question_id", "criterion")
"""Usual names of the column that says about what two items were compared."""

GROUP = "group:"
"""Begins the names of columns that are groups, whatever comes after it; Ordinate writes them so."""

LABEL = ("object", "id", "name")
"""Usual names of the column that says what the object of a row is called."""


Marks: TypeAlias = tuple[str, ...]
"""What distinguishes two columns, such as a and b of item_a and item_b."""
LEFT_RIGHT: Marks = ("left", "right")
FIRST_SECOND: Marks = ("first", "second")
SCREEN = (LEFT_RIGHT, FIRST_SECOND)
"""What items are called by where, or when, they were shown."""
IN_ORDER = (*SCREEN, ("home", "away"), ("white", "black"))
"""The same, and what else says which of two items comes first."""
PLACE_STEMS = ("position", "side")
"""What columns that hold where an item was shown are called, besides what marks the item."""
SHOWN_FIRST = _words(
    "shown_first first_shown item_shown_first presented_first first_presented first_item"
    " item_first shown_left left_shown item_shown_left left_item item_left"
)
"""Usual names of a column that holds the item shown first, or left."""
STATED = _pairs(
    "winner,loser chosen,rejected chosen,not_chosen chosen,unchosen selected,rejected"
    " selected,not_selected selected,unselected selected,nonselected preferred,rejected"
    " preferred,not_preferred preferred,other preferred,nonpreferred preferred,over better,worse"
    " won,lost winning,losing"
)
"""Words, in the names of two columns, that say which of them holds the item that won."""
MARKS = (LEFT_RIGHT, *_pairs("a,b x,y 1,2 0,1 l,r"), *IN_ORDER[1:])
"""How columns of two items are marked, and how an answer may call them."""
_WINS = _words("wins win won votes vote votes_for n count winner winner_model winner_is is_winner")
_SCORES = ("score", "scores", "points", "goals", "rating", "grade")
"""Stems of columns of figures: how often each item won, or what each scored."""
_GOALS = ("fthg", "ftag")
"""Goals of both teams in tables of football results."""
TIES = _words("winner_tie ties tie tied n_ties n_tie draws draw n_draws equal")
_OTHER = _words(
    "elo rt time response answer tokens length key rank seed age hand ht ioc entry"
    " rank_points elo_rating markdown headers lists bold words characters chars"
)
_NO_ITEMS = (*_WINS, *_SCORES, *PLACE_STEMS, *TIES, *_OTHER)
"""What is left of the names of columns that do not hold items, without what marks the item."""


_PREFIX = re.compile(r"(Spreadsheet: |Input\.|Answer\.|INPUT:|OUTPUT:|ASSIGNMENT:)(?=.)")
"""What Gorilla, Mechanical Turk and Toloka write before the columns of a design."""


@lru_cache(4096)
def normalize_heading(name: str) -> str:
    """Return a heading in small letters, with _ for points, blanks, dashes and between aWord's."""
    words = _PREFIX.sub("", name.strip())
    words = re.sub(r"(?<=[a-z\d])(?=[A-Z][a-z]|[A-Z]+(?![A-Za-z]))", "_", words)
    return re.sub(r"[\s.\-]+", "_", words.lower()).strip("_")


_NUMBERED = ("response", "decision", "vote", "judgment", "judgement", "result")
_ID = re.compile("".join(f"(?<!^{word})" for word in _NUMBERED) + "_(id|idx)$")
"""What says that a column holds the numbers of its objects, and not those of the answers."""


def without_id(name: str) -> str:
    """Return a heading without what says that a column holds the numbers of its objects."""
    return _ID.sub("", normalize_heading(name))


def is_called(name: str, words: Sequence[str]) -> bool:
    """Whether one of these words is in the name of a column."""
    return any(word in words for word in normalize_heading(name).split("_"))


is_negative = partial(is_called, words=NEGATIVE)
"""Whether a column is called after what was not chosen."""
is_plan = partial(is_called, words=_PLANS)
"""Whether a column is called after what was to be chosen, or after a place."""


def is_answer(name: str) -> bool:
    """Whether a column is called as one of answers is."""
    return is_called(name, _ANSWERS) and not is_called(name, _PLANS)


CHOOSING = _words(
    "chose chosen choose picked pick selected select preferred prefers won wins win"
    " winner closer nearer better is was"
)
"""Words in the name of a column that says whether one of two was chosen, beside that one's."""


class Headings:
    """The names of columns, to be looked up however they are spelt."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.exact = {normalize_heading(name): name for name in reversed(names)}
        # objects may be called by the name of their number: center_id, r1_idx
        self.objects = {without_id(key): name for key, name in self.exact.items()} | self.exact

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

    def named_answers(self, options: Sequence[str]) -> list[str]:
        """Return the column called after the choice of one of two, or those called as answers are.

        Such as chose_right, or else chosen_face.
        """
        marks = {*marks_of(options), *SECOND, *SECOND.values(), *map(normalize_heading, options)}
        found = []
        free = [name for name in self.names if name not in options]
        for name in free:
            words = normalize_heading(name).split("_")
            rest = [word for word in words if word not in CHOOSING]
            if rest and len(rest) < len(words) and "_".join(rest) in marks:
                found.append(name)
        if len(found) == 1:
            return found
        return [name for name in free if is_answer(name) and not is_negative(name)]

    def one(self, aliases: Sequence[str]) -> list[str] | None:
        """Return the column with the first of these names that there is."""
        return next(([self.objects[name]] for name in aliases if name in self.objects), None)

    def several(self, choices: Iterable[Sequence[str]]) -> list[str] | None:
        """Return the columns of the first list of names that are all there."""
        for wanted in choices:
            if all(name in self.objects for name in wanted):
                return [self.objects[name] for name in wanted]
        return None

    def stems_ending_in(self, words: Sequence[str]) -> list[str]:
        """Return what numbered columns are called if that ends in one of these: shown_object_1."""
        stems = dict.fromkeys(re.sub(r"_?\d+$", "", key) for key in self.objects)
        return [stem for stem in stems if stem.rpartition("_")[2] in words]

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


def marks_of(columns: Sequence[str]) -> Marks:
    """Return the part in which names of columns differ: a and b of item_a and item_b."""
    words = [normalize_heading(name).split("_") for name in columns]
    shared = set(words[0]).intersection(*words)
    return tuple("_".join(word for word in name if word not in shared) for name in words)


def stated_columns(headings: Headings) -> list[list[str]]:
    """Return all pairs of columns that differ in words that say which item won."""
    found: dict[tuple[str, str], str] = {}
    for won, lost in STATED:
        for key in headings.exact:
            stem = f"_{key}_".replace(f"_{won}_", "_").strip("_")
            other = re.sub(rf"(^|_){won}(_|$)", rf"\1{lost}\2", key, count=1)
            if other != key and other in headings.exact and stem not in _NO_ITEMS:
                found[headings.exact[key], headings.exact[other]] = stem
    plain = [pair for pair, stem in found.items() if stem in ("", "name")]
    return [list(pair) for pair in plain or found]


def item_columns(headings: Headings) -> list[list[str]]:
    """Return all pairs of columns that may hold two items: item_a and item_b, left and right."""
    exact = headings.exact
    found = []
    for first, second in MARKS:
        ends = [(f"_{first}", f"_{second}")] + [(first, second)] * first.isdigit()
        for key in exact:
            stems = [(key.removesuffix(one), "", other) for one, other in ends]
            stems.append((key.removeprefix(f"{first}_"), f"{second}_", ""))
            for stem, before, after in stems:
                other = before + stem + after
                if stem and stem != key and other in exact and stem not in _NO_ITEMS:
                    found.append((exact[key], exact[other]))
        if first in exact and second in exact and not first.isdigit():
            found.append((exact[first], exact[second]))
    if {"i", "j"} <= set(exact) and "k" not in exact:
        found.append((exact["i"], exact["j"]))
    return [list(pair) for pair in dict.fromkeys(found)]


def figure_columns(headings: Headings) -> list[str]:
    """Return the two columns of figures, wins before scores."""
    spelt = [
        [spelling.format(stem, mark) for mark in marks]
        for stem, marks in product((*_WINS, *_SCORES), MARKS)
        for spelling in ("{0}_{1}", "{0}{1}", "{1}_{0}")
    ]
    names = next((n for n in [_GOALS, *spelt] if all(one in headings.exact for one in n)), ())
    return [headings.exact[name] for name in names]


def are_scores(figures: Sequence[str]) -> bool:
    """Whether columns of figures hold what each item scored, and not how often it won."""
    marks = "|".join(chain(*MARKS))
    key = normalize_heading(figures[0]) if figures else ""
    return key in _GOALS or re.sub(rf"^({marks})_|_?({marks})$", "", key) in _SCORES
