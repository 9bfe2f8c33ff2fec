"""The folder of a study, read into its record, or what is wrong with it in one sentence.

A folder holds ``study.toml``, a table ``items.csv`` or a folder ``items``, ``consent.md``,
``instructions.md``, ``debrief.md`` and, where wanted, ``texts.toml`` and ``questions.csv``.
"""

from __future__ import annotations

import csv
import hashlib
import mimetypes
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from ordinate._checks import InputError, check_choice
from ordinate.collect.study import FREE_AFTER_LAUNCH, SECTIONS, General, Item, Study
from ordinate.collect.tasks import Question
from ordinate.io.coordinates import FORMULA

PAGES = ("consent", "instructions", "debrief")
KINDS = ("text", "image", "audio", "video", "html")
GIVEN_POOLS = ("practice", "validation", "catch")
"""Pools whose questions may be written down in questions.csv."""
_S = TypeVar("_S")


def read_study(folder: Path) -> Study:
    """Read the folder of a study, or say in one sentence what is wrong with it."""
    if not (folder / "study.toml").is_file():
        raise InputError(
            f"There is no file study.toml in {folder}; begin with: ordinate collect new {folder}"
        )
    content = _read_toml(folder / "study.toml")
    top = {key: value for key, value in content.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    _refuse_unknown(tables, tuple(SECTIONS), "study.toml has a section")
    general = _as_record(General, top, "")
    sections = _sections(tables)
    items = {item.item_id: item for item in _read_items(folder)}
    study = Study(
        folder=folder,
        general=general,
        **sections,
        items=MappingProxyType(items),
        texts=MappingProxyType(_read_texts(folder)),
        pages=MappingProxyType({name: _read_page(folder, name) for name in PAGES}),
        given=MappingProxyType({}),
    )
    return replace(study, given=MappingProxyType(_read_questions(study)))


def thaw(frozen: Mapping[str, Any], folder: Path) -> Study:
    """Return the study as it was launched, with the sections that may change as they are now."""
    path = folder / "study.toml"
    current = _read_toml(path) if path.is_file() else {}
    tables = {
        name: (current if name in FREE_AFTER_LAUNCH else frozen).get(name, {}) for name in SECTIONS
    }
    given = {
        pool: tuple(
            Question(entry["reference"], tuple(entry["shown"]), tuple(entry["expected"]))
            for entry in questions
        )
        for pool, questions in frozen["questions"].items()
    }
    return Study(
        folder=folder,
        general=General(**frozen["general"]),
        **_sections(tables),
        items=MappingProxyType({name: Item(**item) for name, item in frozen["items"].items()}),
        texts=MappingProxyType(dict(frozen["texts"])),
        pages=MappingProxyType(dict(frozen["pages"])),
        given=MappingProxyType(given),
    )


def _sections(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections by the names they have in a Study; what is left out has its defaults."""
    sections: dict[str, Any] = {
        name: _as_record(cls, tables.get(name, {}), name) for name, cls in SECTIONS.items()
    }
    sections["asked"] = sections.pop("task")
    return sections


def _as_record(cls: type[_S], table: Mapping[str, Any], section: str) -> _S:
    """Fill a dataclass from a TOML table, checking names and types."""
    known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
    where = f"The section [{section}] of study.toml has an entry" if section else "study.toml has"
    _refuse_unknown(table, tuple(known), where)
    for name, value in table.items():
        wanted = type(known[name].default)
        if wanted is float and type(value) is int:
            continue
        if type(value) is not wanted:
            words = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
            prefix = f"{section}." if section else ""
            raise InputError(f"{prefix}{name} must be {words[wanted]}; got {value!r}.")
    return cls(**table)


def _refuse_unknown(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}."
            raise InputError(f"{where} {name!r}, which does not exist; {hint}")


def default_texts() -> dict[str, str]:
    """Return the texts of the pages in English, by key."""
    return tomllib.loads((files("ordinate.collect") / "page" / "texts.toml").read_text("utf-8"))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {path} as text: {error}.") from None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not valid TOML: {error}.") from None


def _read_page(folder: Path, name: str) -> str:
    text = _read_text(folder / f"{name}.md")
    if not text.strip():
        raise InputError(f"{folder / name}.md is empty; participants read it, so write it.")
    return text


def _read_texts(folder: Path) -> dict[str, str]:
    """Return the texts of the pages: those of the study, and English for what it leaves out."""
    texts = default_texts()
    path = folder / "texts.toml"
    if path.exists():
        own = _read_toml(path)
        _refuse_unknown(own, tuple(texts), "texts.toml has the key")
        for name, text in own.items():
            if not isinstance(text, str) or not text.strip():
                raise InputError(f"texts.toml: {name} must be text that is not empty.")
            texts[name] = text
    return texts


def _read_rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, restkey="\0more", restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"Cannot read {path} as a CSV table: {error}.") from None
    for number, row in enumerate(rows, start=2):
        if "\0more" in row:
            raise InputError(f"{path}, line {number} has more entries than columns; quote commas.")
    return rows


def _read_items(folder: Path) -> list[Item]:
    """Read items.csv, or else take every file of the folder items."""
    if (folder / "items.csv").exists():
        rows = _read_rows(folder / "items.csv")
        if rows and "item_id" not in rows[0]:
            raise InputError(f"{folder / 'items.csv'} has no column item_id; name the items there.")
    elif (folder / "items").is_dir():
        paths = sorted(path for path in (folder / "items").iterdir() if path.is_file())
        shown = [path for path in paths if not path.name.startswith(".")]
        rows = [{"item_id": path.stem, "source": f"items/{path.name}"} for path in shown]
    else:
        raise InputError(
            f"{folder} has neither items.csv nor a folder items; one of them is needed."
        )
    items = [_read_item(folder, row) for row in rows]
    seen: set[str] = set()
    for item in items:
        if item.item_id in seen:
            raise InputError(f"Two items are called {item.item_id!r}; give each its own item_id.")
        seen.add(item.item_id)
    if len(items) < 3:
        raise InputError(f"{folder} has {len(items)} items; a comparison needs 3 or more.")
    return items


def _read_item(folder: Path, row: Mapping[str, str]) -> Item:
    name = row["item_id"].strip()
    if not name or name.startswith(FORMULA) or not name.isprintable() or ";" in name:
        raise InputError(
            f"The item_id {name!r} cannot be used: it must not be empty, hold ';' or control"
            " characters, or begin with one of = + - @, which spreadsheets take for formulas."
        )
    source = row.get("source", "").strip() or name
    kind = row.get("kind", "").strip() or _kind_of(source)
    check_choice(f"kind of item {name!r}", kind, KINDS)
    label = row.get("label", "").strip() or (source if kind == "text" else name)
    content = source.encode()
    if kind != "text":
        content = _file_inside(folder, source, name).read_bytes()
    rest = {"item_id", "kind", "source", "label", "alt"}
    return Item(
        item_id=name,
        kind=kind,
        source=source,
        sha256=hashlib.sha256(content).hexdigest(),
        label=label,
        alt=row.get("alt", "").strip(),
        metadata=MappingProxyType({key: row[key] for key in row if key not in rest}),
    )


def _kind_of(source: str) -> str:
    guess = mimetypes.guess_type(source)[0] or "text/plain"
    if guess == "text/html":
        return "html"
    family = guess.split("/")[0]
    return family if family in KINDS else "text"


def _file_inside(folder: Path, source: str, item: str) -> Path:
    """Return the file of an item; nothing outside the folder of the study is ever served."""
    path = (folder / source).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise InputError(f"Item {item!r} points outside the study: {source!r}; copy the file in.")
    if not path.is_file():
        raise InputError(f"Item {item!r} has no file {source!r} in {folder}.")
    return path


def _read_questions(study: Study) -> dict[str, tuple[Question, ...]]:
    """Read the questions that the experimenter wrote down, by pool."""
    path = study.folder / "questions.csv"
    found: dict[str, list[Question]] = {}
    for number, row in enumerate(_read_rows(path) if path.exists() else [], start=2):
        try:
            pool = check_choice("pool", row.get("pool", ""), GIVEN_POOLS)
            found.setdefault(pool, []).append(_read_question(study, row, pool))
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from None
    return {pool: tuple(questions) for pool, questions in found.items()}


def _read_question(study: Study, row: Mapping[str, str], pool: str) -> Question:
    task = study.task
    shown = tuple(name.strip() for name in row.get("shown", "").split(";"))
    reference = row.get("reference", "").strip() or None
    if len(shown) != task.n_shown or (reference is not None) != task.has_reference:
        needs = f"{task.n_shown} items in 'shown', separated by ';'"
        needs += f" and {'an' if task.has_reference else 'no'} item in 'reference'"
        raise InputError(f"{task.kind} needs {needs}.")
    for name in Question(reference, shown).items:
        if name not in study.items:
            raise InputError(f"there is no item {name!r}.")
    wanted = [name.strip() for name in row.get("expected", "").split(";") if name.strip()]
    if task.kind == "pair_against_pair":
        pairs = [sorted(shown[:2]), sorted(shown[2:])]
        expected = tuple(place for place, pair in enumerate(pairs) if pair == sorted(wanted))
        found = len(expected) == 1
    else:
        expected = tuple(shown.index(name) for name in wanted if name in shown)
        found = len(expected) == len(wanted) <= task.n_select
    if wanted and not found:
        raise InputError(f"expected {row['expected']!r} is not one of the choices.")
    if pool == "catch" and not wanted:
        raise InputError("a catch question needs its right answer in the column 'expected'.")
    return Question(reference, shown, expected)
