"""Usual names of the columns of paired comparisons: items, sides, figures and ties."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from ordinate.io.codings import without_shared_words
from ordinate.io.headings import Headings, normal

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
    ("chosen", "rejected"),
    ("chosen", "not_chosen"),
    ("chosen", "unchosen"),
    ("selected", "rejected"),
    ("selected", "not_selected"),
    ("selected", "unselected"),
    ("preferred", "rejected"),
    ("preferred", "not_preferred"),
    ("preferred", "other"),
    ("better", "worse"),
    ("won", "lost"),
    ("winning", "losing"),
)
"""Words, in the names of two columns, that say which of them holds the item that won."""
MARKS = (
    *(LEFT_RIGHT, ("a", "b"), ("x", "y"), ("1", "2")),
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
_OTHER_STEMS = ("elo", "rt", "time", "response", "answer", "tokens", "length", "key", *PLACE_STEMS)
TIES = (
    "winner_tie",
    "ties",
    "tie",
    "tied",
    "n_ties",
    "n_tie",
    "draws",
    "draw",
    "n_draws",
    "equal",
)


_NO_ITEMS = (*_FIGURES["wins"], *_FIGURES["scores"], *_OTHER_STEMS, *TIES)
"""What is left of the names of columns that do not hold items, without what marks the item."""


def marks_of(items: Sequence[str]) -> Marks:
    """Return where two names of columns differ, such as a and b of item_a and item_b."""
    first, second = without_shared_words([normal(item) for item in items])
    return first, second


def stated_columns(headings: Headings) -> list[list[str]]:
    """Return all pairs of columns that differ in words that say which item won."""
    found = []
    for won, lost in STATED:
        for key in headings.exact:
            stem = f"_{key}_".replace(f"_{won}_", "_").strip("_")
            other = re.sub(rf"(^|_){won}(_|$)", rf"\1{lost}\2", key, count=1)
            if other != key and other in headings.exact and stem not in _NO_ITEMS:
                found.append([headings.exact[key], headings.exact[other]])
    return found


def says_who_won(items: Sequence[str]) -> bool:
    """Whether the names of two columns say which of them holds the item that won."""
    return [*items] in stated_columns(Headings(items))


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
    return [list(pair) for pair in dict.fromkeys(map(tuple, found))]


def figure_columns(headings: Headings) -> list[str]:
    """Return the two columns of figures, wins before scores."""
    for stems in _FIGURES.values():
        for stem in stems:
            for marks in MARKS:
                for spelt in ("{stem}_{mark}", "{stem}{mark}", "{mark}_{stem}"):
                    names = [spelt.format(stem=stem, mark=mark) for mark in marks]
                    if all(name in headings.exact for name in names):
                        return [headings.exact[name] for name in names]
    return []


def are_scores(figures: Sequence[str]) -> bool:
    """Whether columns of figures hold what each item scored, and not how often it won."""
    marks = "|".join(mark for pair in MARKS for mark in pair)
    return re.sub(rf"^({marks})_|_?({marks})$", "", normal(figures[0])) in _FIGURES["scores"]
