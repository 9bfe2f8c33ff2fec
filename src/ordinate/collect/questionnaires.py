"""Questionnaires: what is asked before, between and after the blocks, and which answers count.

They are arrays of tables in study.toml: [[before]], [[between]] and [[after]].
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, NamedTuple

from ordinate._checks import InputError, check_choice
from ordinate.collect.entries import Section, entry, section_from_table

MOMENTS = ("before", "between", "after")
"""When questionnaires are shown; [[between]] comes after every block but the last one."""
LONGEST_TEXT = 5000
TRANSLATED = ("ask", "options", "low", "high")
"""Entries that may be given in another language, such as ask_de."""
_COMMON = ("name", "kind", "ask", "required", "show_if")
ENTRIES = {
    "number": ("minimum", "maximum", "screen_out_below", "screen_out_above"),
    "text": ("lines",),
    "choice": ("options", "screen_out"),
    "choices": ("options", "screen_out"),
    "scale": ("points", "low", "high"),
}
"""What a question may have besides the common entries, by its kind."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_IN_LANGUAGE = re.compile(rf"({'|'.join(TRANSLATED)})_([a-z]{{2,3}}(?:-[A-Za-z]+)?)")


@dataclass(frozen=True)
class Ask(Section):
    """One question of a questionnaire."""

    name: str = ""
    kind: str = ""
    ask: str = ""
    required: bool = True
    show_if: dict[str, Any] = field(default_factory=dict)
    """It is shown if each of these earlier questions has one of these answers."""
    minimum: float = -math.inf
    maximum: float = math.inf
    screen_out_below: float = -math.inf
    screen_out_above: float = math.inf
    lines: int = entry(1, minimum=1, maximum=20)
    options: tuple[str, ...] = ()
    screen_out: tuple[str, ...] = ()
    points: int = entry(7, minimum=2, maximum=11)
    low: str = ""
    high: str = ""
    translations: Mapping[str, Any] = field(default_factory=dict)
    """Entries in other languages, by names such as ask_de."""

    def accept(self, value: Any) -> Any:
        """Return an answer as it is stored, or raise ValueError with what is wrong with it."""
        if self.kind == "number":
            if type(value) not in (int, float) or not self.minimum <= value <= self.maximum:
                raise ValueError(f"{self.name} must be a number{self._range()}")
            if not math.isfinite(value):
                raise ValueError(f"{self.name} must be a finite number")
            return int(value) if value == int(value) else value
        if self.kind == "text":
            if not isinstance(value, str) or not 0 < len(value.strip()) <= LONGEST_TEXT:
                raise ValueError(f"{self.name} must be text of at most {LONGEST_TEXT} characters")
            return value.strip()
        if self.kind == "scale":
            if type(value) is not int or not 1 <= value <= self.points:
                raise ValueError(f"{self.name} must be a whole number from 1 to {self.points}")
            return value
        chosen = value if self.kind == "choices" and isinstance(value, list) else [value]
        texts = bool(chosen) and all(isinstance(entry, str) for entry in chosen)
        if not texts or not set(chosen) <= set(self.options) or len(set(chosen)) < len(chosen):
            raise ValueError(f"{self.name} must be one of its options")
        return value if self.kind == "choice" else [o for o in self.options if o in chosen]

    def _range(self) -> str:
        least = "" if self.minimum == -math.inf else f", {self.minimum:g} or more"
        return least + ("" if self.maximum == math.inf else f", {self.maximum:g} or less")

    def screens_out(self, value: Any) -> bool:
        """Whether somebody with this answer does not take part."""
        if self.kind == "number":
            return not self.screen_out_below <= value <= self.screen_out_above
        chosen = value if isinstance(value, list) else [value]
        return any(entry in self.screen_out for entry in chosen)

    def summary(self, answers: Sequence[Any]) -> str:
        """Say in a line what several people answered."""
        if self.kind == "text":
            return f"{len(answers)} texts"
        if self.kind == "number":
            middle = f"median {median(answers):g} ({min(answers):g} to {max(answers):g})"
            return f"{middle}, n = {len(answers)}"
        options: Sequence[Any] = self.options or range(1, self.points + 1)
        given = Counter(one for a in answers for one in (a if isinstance(a, list) else [a]))
        return ", ".join(f"{given[option]} × {option}" for option in options)

    def is_shown(self, answers: Mapping[str, Any]) -> bool:
        """Whether it is asked, by the answers to earlier questions."""
        return all(_matches(answers.get(name), wanted) for name, wanted in self.show_if.items())

    def on_page(self, language: str) -> dict[str, Any]:
        """Return what the page needs to ask it in a language; answers are those of the study."""
        said = {n: self.translations.get(f"{n}_{language}", getattr(self, n)) for n in TRANSLATED}
        bounds = {"minimum": self.minimum, "maximum": self.maximum}
        limits = {name: bound for name, bound in bounds.items() if math.isfinite(bound)}
        own = {"name": self.name, "kind": self.kind, "required": self.required}
        own |= {"values": list(self.options), "lines": self.lines, "points": self.points}
        return {**own, **limits, **said, "options": list(said["options"]), "show_if": self.show_if}


def _matches(answer: Any, wanted: Sequence[Any]) -> bool:
    return any(entry in wanted for entry in (answer if isinstance(answer, list) else [answer]))


def read_questionnaires(
    written: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, tuple[Ask, ...]]:
    """Return the questionnaires of a study by their moments, or say what is wrong with one."""
    earlier: dict[str, Ask] = {}
    found = {}
    for moment in MOMENTS:
        asks = []
        for number, table in enumerate(written.get(moment, ()), start=1):
            name = table.get("name")
            where = f"[[{moment}]], question {number}{f' ({name})' if name else ''}"
            try:
                ask = _read(table, earlier)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            asks.append(ask)
            earlier[ask.name] = ask
        found[moment] = tuple(asks)
    return found


def _read(table: Mapping[str, Any], earlier: Mapping[str, Ask]) -> Ask:
    """Read one question, which may depend on the answers to earlier ones."""
    for needed in ("name", "kind", "ask"):
        if not table.get(needed):
            raise InputError(f"it has no {needed}.")
    spoken = {name: found for name in table if (found := _IN_LANGUAGE.fullmatch(name))}
    own = {name: value for name, value in table.items() if name not in spoken}
    kind = check_choice("kind", table["kind"], tuple(ENTRIES))
    allowed = (*_COMMON, *ENTRIES[kind])
    for name, value in table.items():
        plain = spoken[name][1] if name in spoken else name
        if plain not in allowed:
            raise InputError(f"a {kind} has no entry {name!r}; it may have {', '.join(allowed)}.")
        if type(value) is not type(table.get(plain, value)):
            raise InputError(f"{name} must be what {plain} is; got {value!r}.")
    ask = section_from_table(Ask, own, "")
    if not _NAME.fullmatch(ask.name):
        raise InputError(
            f"its name must be lower-case letters, digits and _, such as age; got {own['name']!r}."
        )
    if ask.name in earlier:
        raise InputError("another question has this name; give each its own.")
    translations = {name: table[name] for name in spoken}
    ask = replace(ask, show_if=_condition(ask.show_if, earlier), translations=translations)
    for problem in _problems(ask):
        raise InputError(problem)
    return ask


def _condition(table: Mapping[str, Any], earlier: Mapping[str, Ask]) -> dict[str, list[Any]]:
    """Return which answers to earlier questions let a question be shown."""
    condition = {}
    for name, wanted in table.items():
        if name not in earlier:
            raise InputError(f"show_if names {name!r}, which no earlier question is called.")
        condition[name] = wanted if isinstance(wanted, list) else [wanted]
        for value in condition[name]:
            try:
                multiple = earlier[name].kind == "choices"
                earlier[name].accept([value] if multiple else value)
            except ValueError as error:
                raise InputError(
                    f"show_if waits for an answer that nobody can give: {error}; got {value!r}."
                ) from None
    return condition


def _problems(ask: Ask) -> Iterator[str]:
    """Return what is wrong with a question whose entries are of the right types."""
    if ask.kind in ("choice", "choices"):
        if len(ask.options) < 2 or len(set(ask.options)) < len(ask.options):
            yield f"options must be two or more different texts; got {list(ask.options)}."
        if strange := [entry for entry in ask.options if ";" in entry]:
            yield f"the option {strange[0]!r} holds ';', which joins answers in tables."
        if unknown := [entry for entry in ask.screen_out if entry not in ask.options]:
            yield f"screen_out names {unknown[0]!r}, which is none of the options."
        if len(set(ask.screen_out)) == len(ask.options):
            yield "screen_out names every option, so nobody could take part."
    if ask.minimum > ask.maximum:
        yield f"minimum is {ask.minimum:g}, which is above maximum, {ask.maximum:g}."
    if ask.screen_out_below > ask.screen_out_above:
        yield "screen_out_below is above screen_out_above, so nobody could take part."
    for name, said in ask.translations.items():
        if name.startswith("options") and len(said) != len(ask.options):
            yield f"{name} has {len(said)} texts; options has {len(ask.options)}."


class Response(NamedTuple):
    """What was done with one question: answered, skipped or not_shown."""

    name: str
    outcome: str
    answer: Any = None


def read_responses(
    asks: Sequence[Ask], given: Mapping[str, Any], earlier: Mapping[str, Any]
) -> tuple[list[Response], bool]:
    """Check the answers to a questionnaire; also say whether they screen the participant out.

    Raises ValueError with what is wrong with them. An answer to a question that was not to be
    shown is left out.
    """
    if unknown := set(given) - {ask.name for ask in asks}:
        raise ValueError(f"no question is called {min(unknown)!r}"[:80])
    known, responses, screened = dict(earlier), [], False
    for ask in asks:
        known.pop(ask.name, None)
        if not ask.is_shown(known):
            responses.append(Response(ask.name, "not_shown"))
        elif given.get(ask.name) is None:
            if ask.required:
                raise ValueError(f"{ask.name} needs an answer")
            responses.append(Response(ask.name, "skipped"))
        else:
            known[ask.name] = ask.accept(given[ask.name])
            screened = screened or ask.screens_out(known[ask.name])
            responses.append(Response(ask.name, "answered", known[ask.name]))
    return responses, screened
