"""From trials to comparisons: how an answer is coded, and what it states.

An answer may name the object that was chosen, or its column, or count positions from 0 or 1, or say
whether the first of two was chosen. All codings that fit every row are tried; where they disagree,
the file is refused, as it must never be read the wrong way round.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate import sources
from ordinate._checks import InputError, degenerate_rows
from ordinate.comparisons.labels import is_number
from ordinate.comparisons.record import Comparisons
from ordinate.io.layouts import normal
from ordinate.sources._trials import repeats_within

CODINGS = ("auto", "holds", "name", "from-0", "from-1", "column")
"""How an answer says what was chosen, as `coding` calls it."""

_TRUTH = {"yes": 0, "no": 1, "true": 0, "false": 1, "y": 0, "n": 1, "t": 0, "f": 1}
_SHORT = {"left": "l", "right": "r"}


@dataclass(frozen=True)
class Choice:
    """Entries of a column of answers beside what there was to choose from.

    Attributes
    ----------
    column : str
        Name of the column.
    words, codes
        Its different entries, and for each row which one it is.
    shown : ndarray of int, shape (n_rows, n_options)
        Numbers of the objects there were; -1 where there were fewer.
    labels : sequence of str
        Label of each number.
    options : sequence of str
        What the options are called: their columns.
    valid : ndarray of bool, shape (n_rows,)
        Rows that have an entry.
    stated : bool
        Whether the first option is the one that was chosen if the row holds as written.
    """

    column: str
    words: Sequence[str]
    codes: NDArray[Any]
    shown: NDArray[Any]
    labels: Sequence[str]
    options: Sequence[str]
    valid: NDArray[np.bool_]
    stated: bool = False

    def positions(self, coding: str, place: Callable[[int], str]) -> tuple[NDArray[np.intp], str]:
        """Return the position of the option that each row chose, and how the column is coded."""
        codings = self._codings() if coding == "auto" else [coding]
        possible = {name: self._reading(name) for name in codings if self._may_be(name)}
        fitting = {
            name: found for name, found in possible.items() if not (self.valid & (found < 0)).any()
        }
        if not fitting:
            raise self._unreadable({name: self._reading(name) for name in codings}, place)
        first = next(iter(fitting))
        others = [n for n in fitting if (fitting[n] != fitting[first])[self.valid].any()]
        if others:
            raise self._ambiguous(first, others[0])
        return fitting[first], first

    def _codings(self) -> Sequence[str]:
        if self.stated:
            return ("holds", "name", "column")
        if self._numbering is not None:
            return ("holds", "name", f"from-{self._numbering}", "column")
        return CODINGS[1:]

    @cached_property
    def _words_given(self) -> list[str]:
        """Entries of rows that have one; few, where rows are many."""
        given = np.bincount(self.codes[self.valid], minlength=len(self.words))
        return [word for word, times in zip(self.words, given, strict=True) if times]

    def _may_be(self, coding: str) -> bool:
        """Whether each entry has a meaning if the column is so coded, whichever row it is in."""
        known = self.labels if coding == "name" else self._table(coding)
        return {w if coding == "name" else _key(w) for w in self._words_given} <= set(known)

    def _reading(self, coding: str) -> NDArray[np.intp]:
        """Return the position that each row chose if it is so coded, -1 where it cannot be."""
        if coding == "name":
            number = {label: at for at, label in enumerate(self.labels)}
            chosen = np.array([number.get(word, -2) for word in self.words] or [-2])[self.codes]
            same = self.shown == chosen[:, None]
            return np.where(same.any(axis=1), same.argmax(axis=1), -1)
        table = self._table(coding)
        positions = np.array([table.get(_key(word), -1) for word in self.words] or [-1])
        found: NDArray[np.intp] = positions[self.codes]
        return found

    def _table(self, coding: str) -> Mapping[str, int]:
        if coding == "column":
            names = [normal(option) for option in self.options]
            short = [_SHORT.get(name, name) for name in _without_shared_words(names)]
            words = {word: at for at, word in enumerate(short) if word and not is_number(word)}
            if short == ["l", "r"]:
                words |= {"left": 0, "right": 1, "-1": 0, "1": 1}  # on a screen
            return words | {name: at for at, name in enumerate(names)}
        if coding == "holds":
            numbers = {"1": 0, "0": 1, "-1": 1}
            return _TRUTH | numbers if len(self.options) == 2 else {}
        first = int(coding.removeprefix("from-"))
        return {str(first + at): at for at in range(len(self.options))}

    @property
    def _numbering(self) -> int | None:
        """The first number in the names of the options, if they are numbered: stim_0, stim_1."""
        ends = [normal(option).removesuffix("_idx").removesuffix("_id") for option in self.options]
        digits = [end[len(end.rstrip("0123456789")) :] for end in ends]
        for first in (0, 1):
            if digits == [str(first + at) for at in range(len(digits))]:
                return first
        return None

    def _ambiguous(self, one: str, other: str) -> InputError:
        present = sorted({self.words[code] for code in np.unique(self.codes[self.valid])})
        spelt = " or ".join(
            f"{self._explained(coding, present)} (coding={coding!r})" for coding in (one, other)
        )
        listed = " and ".join(present[:3]) + (" and others" if len(present) > 3 else "")
        return InputError(
            f"Column {self.column!r} holds {listed} beside {' and '.join(map(repr, self.options))},"
            f" which can be read in two ways: {spelt}; say which with coding=."
        )

    def _explained(self, coding: str, present: Sequence[str]) -> str:
        if coding == "name":
            return "it names the object that was chosen"
        table = self._table(coding)
        known = [word for word in present if _key(word) in table]
        means = [f"{word} means {self.options[table[_key(word)]]!r}" for word in known]
        return " and ".join(means[:3])

    def _unreadable(
        self, readings: Mapping[str, NDArray[np.intp]], place: Callable[[int], str]
    ) -> InputError:
        best = min(readings.values(), key=lambda found: int((found[self.valid] < 0).sum()))
        row = int(np.flatnonzero(self.valid & (best < 0))[0])
        sides = " or ".join(map(repr, self.options[:4]))
        holds = ", true or false" if len(self.options) == 2 else ""
        objects = ", ".join(repr(self.labels[o]) for o in self.shown[row] if o >= 0)
        return InputError(
            f"{place(row)} has {self.words[self.codes[row]]!r} in column {self.column!r}; expected"
            f" the object that was chosen ({objects}), its column ({sides}), its number{holds}."
        )


def _without_shared_words(names: Sequence[str]) -> list[str]:
    """Return what tells names apart: left and right of left_img and right_img."""
    words = [name.split("_") for name in names]
    shared = set(words[0]).intersection(*words)
    return ["_".join(word for word in name if word not in shared) for name in words]


def _key(word: str) -> str:
    """Return a word in small letters, and 1.0 and +1 as 1."""
    if is_number(word) and float(word).is_integer():
        return str(int(float(word)))
    return normal(word)


@dataclass(frozen=True)
class Trials:
    """Questions and what was answered.

    Attributes
    ----------
    question : str
        What was asked, one of `QUESTIONS`.
    anchor : ndarray of int, shape (n_trials,), or None
        What the objects were compared with.
    shown : ndarray of int, shape (n_trials, n)
        The objects there were; -1 where a trial had fewer.
    chosen : ndarray of int, shape (n_trials, k)
        The objects that were chosen, -1 where a trial had fewer; of pairs, 0 or 1.
    ranked : ndarray of bool, shape (n_trials,)
        Whether the order of the chosen objects counts.
    """

    question: str
    anchor: NDArray[Any] | None
    shown: NDArray[Any]
    chosen: NDArray[Any]
    ranked: NDArray[np.bool_]

    def __getitem__(self, at: Any) -> Trials:
        """Return some of the trials."""
        anchor = None if self.anchor is None else self.anchor[at]
        return Trials(self.question, anchor, self.shown[at], self.chosen[at], self.ranked[at])

    def says_nothing(self) -> NDArray[np.bool_]:
        """Mark trials in which an object stands twice, or all objects were chosen."""
        if self.question == "pairs":
            return degenerate_rows(self.shown)
        objects = self.shown
        if self.anchor is not None:
            objects = np.column_stack([self.anchor, self.shown])
        nothing = repeats_within(objects, absent=-1)
        n_shown, n_chosen = (self.shown >= 0).sum(axis=1), (self.chosen >= 0).sum(axis=1)
        if self.question == "ranking":
            return np.asarray(nothing | (n_shown < 2))
        return np.asarray(nothing | ((n_chosen >= n_shown) & ~self.ranked))

    def comparisons(self) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        """Return what the answers state.

        Returns
        -------
        rows : ndarray of int32, shape (n_comparisons, 3) or (n_comparisons, 4)
            The comparisons, in the order of their trials.
        trial : ndarray of int, shape (n_comparisons,)
            Which trial each comes from.
        """
        n_shown, n_chosen = (self.shown >= 0).sum(axis=1), (self.chosen >= 0).sum(axis=1)
        sizes = (n_shown * (self.chosen.shape[1] + 1) + n_chosen) * 2 + self.ranked
        parts = []
        for size in np.flatnonzero(np.bincount(sizes)):
            at = np.flatnonzero(sizes == size)
            part = _STATED[self.question](self if len(at) == len(sizes) else self[at], at)
            parts.append((part.rows, part.groups["trial"].astype(np.intp, copy=False)))
        if len(parts) == 1:
            return parts[0]
        rows, trial = map(np.concatenate, zip(*parts, strict=True))
        in_order = np.argsort(trial, kind="stable")
        return rows[in_order], trial[in_order]


def lists_of(column: str, words: Sequence[str]) -> list[list[str]]:
    """Return the lists that the different entries of a column hold, in JSON."""
    lists = []
    for word in words:
        try:
            entries = json.loads(word)
        except json.JSONDecodeError:
            entries = None
        if not isinstance(entries, list):
            raise InputError(
                f'Column {column!r} holds {word!r}; expected lists such as ["a", "b"].'
            )
        lists.append([entry if isinstance(entry, str) else json.dumps(entry) for entry in entries])
    return lists


def _compact(objects: NDArray[Any]) -> NDArray[Any]:
    """Leave out -1; all rows have as many objects."""
    there = objects >= 0
    return objects if there.all() else objects[there].reshape(len(objects), -1)


def _odd(asked: Trials, trial: Any) -> Comparisons:
    return sources.from_odd_one_out(asked.shown, asked.chosen, trial=trial)


def _central(asked: Trials, trial: Any) -> Comparisons:
    return sources.from_most_central(asked.shown, asked.chosen, trial=trial)


def _choose(asked: Trials, trial: Any) -> Comparisons:
    assert asked.anchor is not None
    shown, chosen = _compact(asked.shown), _compact(asked.chosen)
    ranked = bool(asked.ranked[0])
    return sources.from_choices(asked.anchor, shown, chosen, ranked=ranked, trial=trial)


def _pairs(asked: Trials, trial: Any) -> Comparisons:
    first, second = asked.shown[:, :2], asked.shown[:, 2:]
    return sources.from_pair_choices(first, second, asked.chosen[:, 0] == 0, trial=trial)


def _ranking(asked: Trials, trial: Any) -> Comparisons:
    assert asked.anchor is not None
    return sources.from_rankings(asked.anchor, _compact(asked.shown), trial=trial)


_STATED: dict[str, Callable[[Trials, Any], Comparisons]] = {
    "triplet": _choose,
    "odd-one-out": _odd,
    "most-central": _central,
    "choose": _choose,
    "pairs": _pairs,
    "ranking": _ranking,
}
"""What the answers to each question state; all trials have as many objects and choices."""
