"""The record of a study: its sections, items and texts, checked, and what of it may not change."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from ordinate._checks import InputError, check_choice, check_integer
from ordinate.collect.entries import Section, entry, refuse_unknown, section_from_table
from ordinate.collect.questionnaires import MOMENTS, Ask, read_questionnaires
from ordinate.questions.lists import ZONE
from ordinate.tasks import PAIR, TASKS, Question, Task, make_task

SCHEMA = 2
"""Version of the tables that an export writes."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
RIGHT_TO_LEFT = ("ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi")


@dataclass(frozen=True)
class Item:
    """Something that is shown; `label` is its name for people, `alt` describes it unseen."""

    item_id: str
    kind: str
    source: str
    sha256: str
    label: str
    alt: str
    metadata: Mapping[str, str]

    @property
    def media(self) -> str | None:
        """Its address on the server, made of its content alone; None for text and HTML."""
        if self.kind in ("text", "html"):
            return None
        return self.sha256[:32] + Path(self.source).suffix.lower()


@dataclass(frozen=True)
class TaskSection(Section):
    """Section [task]: which question is asked."""

    section = "task"
    kind: str = entry("triplet", *TASKS)
    shown: int = entry(8, minimum=2, maximum=24)
    choose: int = 2
    ranked: bool = True
    ties: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("task.choose", self.choose, minimum=1, maximum=self.shown - 1)


@dataclass(frozen=True)
class Page(Section):
    """Section [page]: what the participant's page looks like."""

    section = "page"
    appearance: str = entry("light", "light", "dark", "system")
    ground: str = ""
    stimulus_px: int = entry(0, minimum=0, maximum=4000)
    stimulus_mm: float = entry(0.0, minimum=0, maximum=1000)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stimulus_px and self.stimulus_mm:
            raise InputError("page.stimulus_px and page.stimulus_mm are both set; choose one.")
        if self.ground and not re.fullmatch("#[0-9a-fA-F]{6}", self.ground):
            raise InputError(
                f'page.ground must be a colour such as "#808080", or empty; got {self.ground!r}.'
            )

    @property
    def ink(self) -> str:
        """Black or white, whichever is easier to read on the ground."""
        red, green, blue = (int(self.ground[start : start + 2], 16) / 255 for start in (1, 3, 5))
        luminance = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
        return "#000000" if luminance > 0.18 else "#ffffff"


@dataclass(frozen=True)
class Pools(Section):
    """Section [pools]: how many questions of each kind everyone is asked, exactly."""

    section = "pools"
    practice: int = entry(2, minimum=0, maximum=5000)
    random: int = entry(40, minimum=0, maximum=5000)
    validation: int = entry(10, minimum=0, maximum=5000)
    catch: int = entry(3, minimum=0, maximum=5000)
    repeat: int = entry(3, minimum=0, maximum=5000)
    adaptive: int = entry(0, minimum=0, maximum=5000)
    break_every: int = entry(20, minimum=0, maximum=5000)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.total == 0:
            raise InputError("[pools] asks no question; set random to 1 or more.")
        if self.repeat > min(self.random + self.validation, int(ZONE * self.total)):
            raise InputError(
                f"pools.repeat is {self.repeat}; at most two fifths of the {self.total} questions"
                " can be repeats, so that each comes well after the first time; lower it."
            )

    @property
    def total(self) -> int:
        """Questions after practice."""
        return self.random + self.validation + self.catch + self.repeat + self.adaptive


@dataclass(frozen=True)
class Answers(Section):
    """Section [answers]: what a participant may do."""

    section = "answers"
    skip: bool = False
    time_limit_s: float = entry(0.0, minimum=0, maximum=3600)
    warn_below_ms: int = entry(300, minimum=0, maximum=60_000)
    dead_time_ms: int = entry(250, minimum=0, maximum=5000)


@dataclass(frozen=True)
class Sessions(Section):
    """Section [sessions]: who may come, and come back."""

    section = "sessions"
    resume_hours: float = entry(24.0, minimum=0, maximum=24 * 60, open_minimum=True)
    time_limit_minutes: float = entry(0.0, minimum=0, maximum=24 * 60)
    again: bool = False
    waves: int = entry(1, minimum=1, maximum=100)
    days_between: float = entry(7.0, minimum=0, maximum=3650)
    ids: str = entry("optional", "optional", "required", "listed")
    catch_wrong: int = entry(0, minimum=0)


@dataclass(frozen=True)
class Finish(Section):
    """Section [finish]: what a participant takes away; may change after launch."""

    section = "finish"
    code: str = "random"
    redirect: str = ""
    redirect_declined: str = ""
    redirect_withdrawn: str = ""
    redirect_full: str = ""
    redirect_screened: str = ""
    redirect_failed: str = ""
    code_screened: str = "random"
    code_failed: str = "random"

    def __post_init__(self) -> None:
        for name, address in vars(self).items():
            if name.startswith("code") or not address:
                continue
            if not address.startswith(("https://", "http://localhost")):
                raise InputError(
                    f"finish.{name} must begin with https://; got {address!r}. Participants are"
                    " sent there."
                )

    def is_personal(self, code: str) -> bool:
        """Whether a code was drawn for one person; a fixed one is given to everyone."""
        fixed = (self.code, self.code_screened, self.code_failed)
        shared = code.upper() in (one.upper() for one in fixed)
        return not shared and _RANDOM_CODE.fullmatch(code.upper()) is not None


_RANDOM_CODE = re.compile("[0-9A-F]{8}")


def random_code() -> str:
    """Return a code that one participant is given."""
    return secrets.token_hex(4).upper()


@dataclass(frozen=True)
class Flags(Section):
    """Section [flags]: when the experimenter's page points at someone; may change after launch."""

    section = "flags"
    fast_ms: int = entry(300, minimum=0, maximum=60_000)
    fast_share: float = entry(0.2, minimum=0, maximum=1)
    one_side_share: float = entry(0.9, minimum=0, maximum=1)
    catch_wrong_share: float = entry(0.2, minimum=0, maximum=1)


@dataclass(frozen=True)
class Limits(Section):
    """Section [limits]: what the server bears; may change after launch."""

    section = "limits"
    participants: int = entry(0, minimum=0)
    quotas: dict[str, dict[str, int]] = field(default_factory=dict)
    """How many in each condition, or with each answer to a question before the study."""
    address_per_minute: int = entry(6000, minimum=1)
    session_per_minute: int = entry(240, minimum=1)
    new_sessions_per_address_per_hour: int = entry(200, minimum=1)


@dataclass(frozen=True)
class FrontEnds(Section):
    """Section [front_ends]: other programs that ask the questions; may change after launch."""

    section = "front_ends"
    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    item_ids: bool = False

    def __post_init__(self) -> None:
        _check_names("front_ends.names", self.names)
        for origin in self.origins:
            if not re.fullmatch(r"https://[^/\s*]+|http://(localhost|127\.0\.0\.1)(:\d+)?", origin):
                raise InputError(
                    "front_ends.origins holds addresses such as https://lab.example.org, without a"
                    f" path; got {origin!r}."
                )


@dataclass(frozen=True)
class Prolific(Section):
    """Section [prolific]: what is settled there, and the rule of a bonus; may change later."""

    section = "prolific"
    study: str = ""
    bonus: float = entry(0.0, minimum=0)
    bonus_catch_right: float = entry(0.0, minimum=0, maximum=1)
    bonus_repeat_same: float = entry(0.0, minimum=0, maximum=1)

    def earns_bonus(self, figures: Mapping[str, Any]) -> bool:
        """Whether a complete session earns the bonus; what it was not asked holds nothing up."""
        wanted = {"catch_right": self.bonus_catch_right, "repeat_same": self.bonus_repeat_same}
        rates = [(figures[name], least) for name, least in wanted.items()]
        return self.bonus > 0 and all(rate is None or rate >= least for rate, least in rates)


@dataclass(frozen=True)
class General(Section):
    """What stands above the sections of study.toml."""

    title: str = ""
    language: str = "en"
    direction: str = entry("auto", "auto", "ltr", "rtl")
    contact: str = ""
    dimension: int = entry(2, minimum=1, maximum=20)
    features: str = ""
    seed: int = entry(0, minimum=0)

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise InputError("study.toml has no title; participants see it, so give the study one.")
        super().__post_init__()


@dataclass(frozen=True)
class Design(Section):
    """Section [design]: groups of participants, and the order of [[blocks]]."""

    section = "design"
    conditions: tuple[str, ...] = ()
    order: str = entry("given", "given", "random", "latin-square")

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_names("design.conditions", self.conditions)


@dataclass(frozen=True)
class Device(Section):
    """Section [device]: what a study needs of a device; checked before consent."""

    section = "device"
    width: int = entry(0, minimum=0, maximum=10_000)
    height: int = entry(0, minimum=0, maximum=10_000)
    phones: bool = True
    keyboard: bool = False
    sound: bool = False
    card: bool = False

    def refusal(self, found: Mapping[str, Any]) -> str:
        """Return which of the texts says why a device is refused, or nothing if it will do."""
        if not self.phones and found.get("phone") is not False:
            return "no_phones"
        numbers = {name: value for name, value in found.items() if type(value) in (int, float)}
        if numbers.get("width", 0) < self.width or numbers.get("height", 0) < self.height:
            return "too_small"
        if self.keyboard and found.get("keyboard") is not True:
            return "keyboard_needed"
        if self.sound and found.get("sound") is not True:
            return "sound_needed"
        measured = 0.5 < numbers.get("px_per_mm", 0) < 50
        return "" if measured or not self.card else "card_check"


def _check_names(what: str, names: Sequence[str]) -> None:
    """Refuse names that tables and addresses cannot hold, or that come twice."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise InputError(f"{what}: a name is letters, digits, - and _; got {name!r}.")
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise InputError(f"{what} has {twice[0]!r} twice; give each its own name.")


SECTIONS = {one.section: one for one in Section.__subclasses__() if one.section}
"""Sections of study.toml."""
MAIN = "main"
"""The block of a study that names none."""
ARRAYS = (*MOMENTS, "blocks")
"""Arrays of tables of study.toml, such as [[before]]."""
FREE_AFTER_LAUNCH = ("finish", "flags", "limits", "front_ends", "prolific")
"""Sections that may change while a study runs: nobody's answers depend on them."""
MOST_CHANGES = 10
"""Changes since the launch that a message lists."""


@dataclass(frozen=True)
class Study:
    """A study as its folder describes it."""

    folder: Path
    general: General
    asked: TaskSection
    page: Page
    pools: Pools
    answers: Answers
    sessions: Sessions
    finish: Finish
    flags: Flags
    limits: Limits
    front_ends: FrontEnds
    design: Design
    device: Device
    prolific: Prolific
    items: Mapping[str, Item]
    texts: Mapping[str, str]
    translations: Mapping[str, Mapping[str, str]]
    """Texts in the other languages in which it can be taken; also its title."""
    pages: Mapping[str, str]
    style: str
    """The experimenter's own style sheet."""
    given: Mapping[str, tuple[Question, ...]]
    """Questions written down, by pool."""
    arrays: Mapping[str, tuple[Mapping[str, Any], ...]]
    """Arrays of tables of study.toml as they were written."""
    written: frozenset[str]
    """Entries that the experimenter wrote, such as pools.random; others have their defaults."""
    launched_as: str = ""
    """The hash that it had when it was launched, whichever version of Ordinate that was."""
    original: Study | None = None
    """The study of which this is a translation."""

    @cached_property
    def task(self) -> Task:
        """The task that the section [task] describes."""
        asked = self.asked
        return make_task(
            asked.kind, shown=asked.shown, choose=asked.choose, ranked=asked.ranked, ties=asked.ties
        )

    @property
    def dimension(self) -> int:
        """Dimension of what the answers make: of the map, or 1 for a scale."""
        return 1 if self.asked.kind == PAIR else self.general.dimension

    @cached_property
    def blocks(self) -> Mapping[str, Study]:
        """Its blocks, each a study with its own task, items, pools and instructions."""
        written = self.arrays.get("blocks", ())
        if not written:
            return {MAIN: self}
        if self.original is not None:
            own, blocks = self.general.language, self.original.blocks
            return {name: block.in_language(own) for name, block in blocks.items()}
        found = {}
        for number, table in enumerate(written, start=1):
            name = str(table.get("name", ""))
            try:
                known = {**_BLOCK, **{f"question_{other}": str for other in self.languages[1:]}}
                refuse_unknown(table, tuple(known), "it has an entry")
                for entry, value in table.items():
                    if not isinstance(value, known[entry]):
                        raise InputError(f"{entry} has the wrong type; got {value!r}.")
                if not name:
                    raise InputError("it has no name.")
                found[name] = self._block(table)
            except InputError as error:
                raise InputError(f"[[blocks]], block {number} ({name}): {error}") from None
        _check_names("[[blocks]]", [str(table["name"]) for table in written])
        for condition in self.design.conditions:
            if not self.blocks_of(condition):
                raise InputError(
                    f"The condition {condition!r} has no block; name it in conditions of one."
                )
        return found

    def _block(self, table: Mapping[str, Any]) -> Study:
        """Return a block as a study of its own."""
        asked = section_from_table(
            TaskSection, {**asdict(self.asked), **table.get("task", {})}, "task"
        )
        pools = section_from_table(Pools, {**asdict(self.pools), **table.get("pools", {})}, "pools")
        for condition in table.get("conditions", ()):
            check_choice("conditions", condition, self.conditions)
        wanted = {
            column: values if isinstance(values, list) else [values]
            for column, values in table.get("items", {}).items()
        }
        items = {
            name: item
            for name, item in self.items.items()
            if all({**item.metadata, **vars(item)}.get(c) in values for c, values in wanted.items())
        }
        if not items:
            raise InputError(f"no row of items.csv has {table['items']}.")
        page = Path(table.get("instructions", "instructions.md")).stem
        pages = {**self.pages}
        for ending in ("", *(f".{language}" for language in self.translations)):
            pages[f"instructions{ending}"] = self.pages[f"{page}{ending}"]
        own = f"{table['name']}/"
        given = {key.removeprefix(own): q for key, q in self.given.items() if key.startswith(own)}
        block = replace(
            self, asked=asked, pools=pools, items=items, pages=pages, given=given, arrays={}
        )
        return block._asking(table).with_possible_catch()

    def _asking(self, table: Mapping[str, Any]) -> Study:
        """Return a block with its own question, in every language in which it is written."""
        own, key = table.get("question"), self.question_key
        asked = {
            language: {**texts, **({key: question} if question else {})}
            for language, texts in self.translations.items()
            for question in [table.get(f"question_{language}", own)]
        }
        texts = {**self.texts, key: own} if own else self.texts
        written = self.written | ({f"texts.{key}"} if own else set())
        return replace(self, texts=texts, translations=asked, written=written)

    @cached_property  # wanted whenever a session begins
    def asks_its_own_question(self) -> bool:
        """Whether the experimenter wrote the question, so that its right answers are unknown.

        Two equal items of a pair are a tie, whatever is asked.
        """
        if self.task.name == PAIR:
            return False
        key = self.question_key
        default = texts_in(self.general.language)[key]
        return f"texts.{key}" in self.written and self.texts[key] != default

    def with_possible_catch(self) -> Study:
        """Return it with as many catch questions as have a right answer."""
        if not self.asks_its_own_question:
            return self
        listed = min(self.pools.catch, len(self.given.get("catch", ())))
        return replace(self, pools=replace(self.pools, catch=listed))

    @property
    def question_key(self) -> str:
        """Which of the texts asks its question."""
        ranked = "_ranked" if self.task.ranked else ""
        return f"question_{self.task.name}{ranked}"

    def blocks_of(self, condition: str) -> list[str]:
        """Return the names of the blocks of a condition, in the order in which they are written."""
        written = self.arrays.get("blocks", ())
        own = [t["name"] for t in written if condition in t.get("conditions", (condition,))]
        return own if written else [MAIN]

    @property
    def adaptive_blocks(self) -> Mapping[str, Study]:
        """Its blocks with adaptive questions; each has a model of its own."""
        return {name: block for name, block in self.blocks.items() if block.pools.adaptive}

    @property
    def conditions(self) -> tuple[str, ...]:
        """Its groups of participants; one without a name if nobody divides them."""
        return self.design.conditions or ("",)

    def most(self, pool: str) -> int:
        """Return the questions of a pool, or the total after practice, in the longest condition."""
        counts: list[int] = [
            sum(getattr(self.blocks[name].pools, pool) for name in self.blocks_of(condition))
            for condition in self.conditions
        ]
        return max(counts)

    @cached_property
    def questionnaires(self) -> Mapping[str, tuple[Ask, ...]]:
        """What is asked before, between and after the blocks."""
        return read_questionnaires(self.arrays)

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages in which it can be taken, its own first."""
        return (self.general.language, *self.translations)

    def in_language(self, language: str) -> Study:
        """Return the study with its pages, texts and written items in one of its languages."""
        if language == self.general.language:
            return self
        texts = dict(self.translations[language])
        title = texts.pop("title", self.general.title)
        pages = {name: self.pages[f"{name}.{language}"] for name in self.pages if "." not in name}
        items = {
            name: replace(item, source=item.metadata.get(f"source_{language}") or item.source)
            if item.kind == "text"
            else item
            for name, item in self.items.items()
        }
        general = replace(self.general, language=language, title=title)
        spoken = replace(self, general=general, texts=texts, pages=pages, items=items)
        return replace(spoken, translations={}, original=self)

    @property
    def direction(self) -> str:
        """In which direction the language is written."""
        if self.general.direction != "auto":
            return self.general.direction
        return "rtl" if self.general.language.split("-")[0] in RIGHT_TO_LEFT else "ltr"

    @property
    def consent_version(self) -> str:
        """Short hash of the text that people agree to."""
        return hashlib.sha256(self.pages["consent"].encode()).hexdigest()[:12]

    def frozen(self) -> dict[str, Any]:
        """Return all that a participant's answers depend on, as plain values."""
        called = {"asked": "task", "given": "questions"}
        left_out = ("folder", "launched_as", "original", *FREE_AFTER_LAUNCH)
        whole = asdict(replace(self, original=None)).items()
        found = {called.get(name, name): value for name, value in whole if name not in left_out}
        return {**found, "written": sorted(self.written)}

    @cached_property
    def hash(self) -> str:
        """What stands in every row: 16 hexadecimal digits of what the experimenter wrote."""
        if self.launched_as:
            return self.launched_as
        own = {name: entry for name, entry in entries_of(self.frozen()) if name in self.written}
        text = json.dumps(own, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


_BLOCK: Mapping[str, type] = {
    **dict.fromkeys(("name", "instructions", "question"), str),
    **dict.fromkeys(("items", "task", "pools"), dict),
    "conditions": list,
}
"""Entries of [[blocks]]."""


def default_texts() -> dict[str, str]:
    """Return the texts of the pages in English, by key."""
    return tomllib.loads((files("ordinate.collect") / "page" / "texts.toml").read_text("utf-8"))


def texts_in(language: str) -> dict[str, str]:
    """Return the texts of the pages in a language; those that are not translated are English."""
    path = files("ordinate.collect") / "page" / "languages" / f"{language.split('-')[0]}.toml"
    translated = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {**default_texts(), **translated}


def what_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return a phrase for each entry of a frozen study that the experimenter has changed.

    An entry that was left out before and after is no change, even if its default is another now.
    """
    old, new = dict(entries_of(before)), dict(entries_of(after))
    changed = []
    for name in sorted({*before["written"], *after["written"]}):
        if old.get(name) != new.get(name):
            was, now = (_short(entries.get(name)) for entries in (old, new))
            changed.append(f"{name} was {was}, is {now}")
    return changed


def changes_told(before: Study, after: Study) -> str:
    """Say what has changed since the launch of a study, and what to do; empty if nothing has."""
    changed = what_changed(before.frozen(), after.frozen())
    if not changed:
        return ""
    more = f"; and {len(changed) - MOST_CHANGES} more" if len(changed) > MOST_CHANGES else ""
    return (
        f"The study has changed since its launch: {'; '.join(changed[:MOST_CHANGES])}{more}. Put it"
        " back, or copy the folder without its folder data and run the new version as a study of"
        " its own."
    )


def entries_of(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Return the entries of a frozen study by names such as pools.random."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from entries_of(entry, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _short(value: Any) -> str:
    text = "not there" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
