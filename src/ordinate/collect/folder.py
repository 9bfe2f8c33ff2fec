"""The folder of a study, read into its record, or what is wrong with it in one sentence.

A folder holds ``study.toml``, a table ``items.csv`` or a folder ``items``, ``consent.md``,
``instructions.md``, ``debrief.md`` and, where wanted, ``texts.toml``, ``questions.csv``,
``participants.txt`` and ``style.css``. ``consent.de.md`` and so on are for other languages.
"""

from __future__ import annotations

import csv
import hashlib
import mimetypes
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ordinate._checks import InputError, check_choice
from ordinate.collect.entries import refuse_unknown, section_from_table
from ordinate.collect.study import (
    ARRAYS,
    FREE_AFTER_LAUNCH,
    SECTIONS,
    General,
    Item,
    Study,
    default_texts,
    entries_of,
    texts_in,
)
from ordinate.io.coordinates import FORMULA
from ordinate.tasks import Question

STYLE = "style.css"
LISTED = "participants.txt"
PAGES = ("consent", "instructions", "debrief")
KINDS = ("text", "image", "audio", "video", "html")
MEDIA = {
    **{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"},
    **{".webp": "image/webp", ".avif": "image/avif", ".svg": "image/svg+xml", ".bmp": "image/bmp"},
    **{".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".oga": "audio/ogg"},
    **{".opus": "audio/ogg", ".m4a": "audio/mp4", ".aac": "audio/aac", ".flac": "audio/flac"},
    **{".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg"},
    **{".html": "text/html", ".htm": "text/html"},
}
"""Files that browsers show or play, by their endings; the same on every machine."""
GIVEN_POOLS = ("practice", "validation", "catch")
"""Pools whose questions may be written down in questions.csv."""


def read_study(folder: Path) -> Study:
    """Read the folder of a study, or say in one sentence what is wrong with it."""
    if not (folder / "study.toml").is_file():
        raise InputError(
            f"There is no file study.toml in {folder}; begin with: ordinate collect new {folder}"
        )
    content = _read_toml(folder / "study.toml")
    arrays = {name: _read_array(content.pop(name), name) for name in ARRAYS if name in content}
    top = {key: value for key, value in content.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    refuse_unknown(tables, tuple(SECTIONS), "study.toml has a section")
    general = section_from_table(General, top, "")
    sections = _sections(tables)
    rows = _item_rows(folder)
    items = {item.item_id: item for item in _read_items(folder, rows)}
    own_texts = _own_texts(folder)
    named = [t["instructions"] for t in arrays.get("blocks", ()) if t.get("instructions")]
    stems = dict.fromkeys([*PAGES, *(Path(str(name)).stem for name in named)])
    others = _other_languages(folder, list(stems))
    page_names = [*stems, *(f"{stem}.{language}" for language in others for stem in stems)]
    own_translations = {language: _own_texts(folder, language) for language in others}
    translations = {name: {**texts_in(name), **own} for name, own in own_translations.items()}
    study = Study(
        folder=folder,
        general=general,
        **sections,
        items=items,
        texts={**texts_in(general.language), **own_texts},
        translations=translations,
        pages={name: _read_page(folder, name) for name in page_names},
        style=_read_text(folder / STYLE) if (folder / STYLE).exists() else "",
        given={},
        arrays=arrays,
        written=frozenset(),
    )
    _ = study.questionnaires  # refuse what is wrong with them, and with blocks in every language
    _ = [study.in_language(language).blocks for language in study.languages]
    given = _read_questions(study)
    written = {f"general.{name}" for name in top}
    for name, table in tables.items():
        if name not in FREE_AFTER_LAUNCH:
            written |= {f"{name}.{entry}" for entry in table}
    written |= {f"texts.{name}" for name in own_texts} | {f"pages.{name}" for name in page_names}
    written |= {f"translations.{lang}.{name}" for lang, t in own_translations.items() for name in t}
    written |= {f"arrays.{name}" for name in arrays}
    written |= {f"questions.{pool}" for pool in given} | ({"style"} if study.style else set())
    for row, item in zip(rows, items.values(), strict=True):
        entries = dict(entries_of(asdict(item)))
        guessed = {name for name in ("kind", "label") if not row.get(name, "").strip()}
        written |= {f"items.{item.item_id}.{name}" for name in entries if name not in guessed}
    whole = replace(study, given=given, written=frozenset(written))
    return whole if arrays.get("blocks") else whole.with_possible_catch()


def thaw(frozen: Mapping[str, Any], folder: Path, launched_as: str = "") -> Study:
    """Return the study as it was launched, with the sections that may change as they are now.

    What did not exist when it was launched has its default.
    """
    path = folder / "study.toml"
    current = _read_toml(path) if path.is_file() else {}
    tables = {
        name: (current if name in FREE_AFTER_LAUNCH else frozen).get(name, {}) for name in SECTIONS
    }
    given = {
        pool: tuple(Question(q["reference"], tuple(q["shown"]), tuple(q["expected"])) for q in own)
        for pool, own in frozen["questions"].items()
    }
    translations = frozen["translations"].items()
    return Study(
        folder=folder,
        general=General(**frozen["general"]),
        **_sections(tables),
        items={name: Item(**item) for name, item in frozen["items"].items()},
        texts={**texts_in(frozen["general"]["language"]), **frozen["texts"]},
        translations={language: {**texts_in(language), **own} for language, own in translations},
        pages=frozen["pages"],
        style=frozen["style"],
        given=given,
        arrays={name: tuple(tables) for name, tables in frozen["arrays"].items()},
        written=frozenset(frozen["written"]),
        launched_as=launched_as,
    )


def listed_ids(folder: Path) -> list[str]:
    """Return the ids that may take part; lines may be added while the study runs."""
    try:
        lines = (folder / LISTED).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"Only listed participants may take part, and {folder / LISTED} cannot be read: write"
            " it with one id per line, in UTF-8."
        ) from error
    return [known for line in lines if (known := normalise_id(line))]


def normalise_id(text: str) -> str:
    """Return an id such that "bob", "BOB" and "bob " are one; a gap that nobody filled is none."""
    known = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return "" if "{" in known else known


def refuse_own_files(study: Study, outputs: Iterable[Path]) -> None:
    """Refuse to write where a study has files of its own, or would look for some."""
    folder = study.folder.resolve()
    sources = {(folder / item.source).resolve() for item in study.items.values() if item.media}
    for output in outputs:
        path = output.resolve()
        theirs = path.parent == folder or path in sources
        if theirs or any(path.is_relative_to(folder / name) for name in ("items", "data")):
            raise InputError(
                f"Cannot write {output}: the study keeps its own files there; choose a place"
                f" outside, such as {folder.parent / output.name}"
            )


def _sections(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections by the names they have in a Study; what is left out has its defaults."""
    sections: dict[str, Any] = {
        name: section_from_table(cls, tables.get(name, {}), name) for name, cls in SECTIONS.items()
    }
    sections["asked"] = sections.pop("task")
    return sections


def _read_array(value: Any, name: str) -> tuple[Mapping[str, Any], ...]:
    """Return an array of tables of study.toml as it was written."""
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise InputError(f"study.toml: {name} must be written as [[{name}]], with two brackets.")
    return tuple(value)


def _other_languages(folder: Path, stems: Sequence[str]) -> list[str]:
    """Return the languages besides its own that a study has pages in: consent.de.md and so on."""
    found = sorted(path.name.split(".")[1] for path in folder.glob("consent.*.md"))
    for language in found:
        for stem in stems:
            if not (folder / f"{stem}.{language}.md").is_file():
                raise InputError(
                    f"There is consent.{language}.md, but no {stem}.{language}.md; a language needs"
                    f" all of {', '.join(f'{name}.{language}.md' for name in stems)}."
                )
    return found


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


def _own_texts(folder: Path, language: str = "") -> dict[str, str]:
    """Return the texts of the pages that the study has, in its own or another language."""
    path = folder / (f"texts.{language}.toml" if language else "texts.toml")
    own = _read_toml(path) if path.exists() else {}
    known = (*default_texts(), *(["title"] if language else []))
    refuse_unknown(own, known, f"{path.name} has the key")
    for name, text in own.items():
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{path.name}: {name} must be text that is not empty.")
    return own


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


def _item_rows(folder: Path) -> list[dict[str, str]]:
    """Read items.csv, or else take every picture, sound, film and HTML page of the folder items."""
    if (folder / "items.csv").exists():
        rows = _read_rows(folder / "items.csv")
        if rows and "item_id" not in rows[0]:
            raise InputError(f"{folder / 'items.csv'} has no column item_id; name the items there.")
    elif (folder / "items").is_dir():
        rows = [
            {"item_id": Path(name).stem, "source": name} for name in media_files(folder, "items")
        ]
    else:
        raise InputError(
            f"{folder} has neither items.csv nor a folder items; one of them is needed."
        )
    return rows


def _read_items(folder: Path, rows: Sequence[Mapping[str, str]]) -> list[Item]:
    items = [_read_item(folder, row) for row in rows]
    seen: set[str] = set()
    for item in items:
        if item.item_id in seen:
            raise InputError(f"Two items are called {item.item_id!r}; give each its own item_id.")
        seen.add(item.item_id)
    if len(items) < 2:
        raise InputError(f"{folder} has {len(items)} items; a comparison needs 2 or more.")
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
        metadata={key: row[key] for key in row if key not in rest},
    )


def media_files(folder: Path, *places: str) -> list[str]:
    """Return the pictures, sounds, films and HTML pages right in some folders of a study."""
    found = [path for place in places for path in _files(folder / place)]
    names = [path.relative_to(folder).as_posix() for path in found]
    return [name for name in names if _kind_of(name) != "text"]


def _files(place: Path) -> list[Path]:
    """Return the files of a folder that are not hidden, in order; none if it is not there."""
    paths = sorted(place.iterdir()) if place.is_dir() else []
    return [path for path in paths if path.is_file() and not path.name.startswith(".")]


def left_out(study: Study) -> dict[str, str]:
    """Return which files near the items are not shown, with the reason."""
    folder, sources = study.folder, {item.source for item in study.items.values()}
    table = "items.csv" if (folder / "items.csv").exists() else ""
    why = f"not named in {table}" if table else "not in the folder items"
    found = {name: why for name in media_files(folder, ".", "items") if name not in sources}
    for path in _files(folder / "items"):
        name = path.relative_to(folder).as_posix()
        if name not in found and name not in sources:
            found[name] = "no picture, sound, film or HTML page"
    for path in sorted((folder / "items").glob("*/")):
        if not any(source.startswith(f"items/{path.name}/") for source in sources):
            found[f"items/{path.name}/"] = "a folder inside the folder items, which is not searched"
    return found


def media_type(source: str) -> str | None:
    """Return the type of a file by its ending."""
    return MEDIA.get(Path(source).suffix.lower()) or mimetypes.guess_type(source)[0]


def _kind_of(source: str) -> str:
    guess = media_type(source) or "text/plain"
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
            block, key = study, pool
            if study.arrays.get("blocks"):
                name = check_choice("block", row.get("block", ""), tuple(study.blocks))
                block, key = study.blocks[name], f"{name}/{pool}"
            found.setdefault(key, []).append(_read_question(block, row, pool))
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
        raise InputError(f"{task.name} needs {needs}.")
    question = Question(reference, shown)
    for name in question.items:
        if name not in study.items:
            raise InputError(f"there is no item {name!r}.")
    wanted = [name.strip() for name in row.get("expected", "").split(";") if name.strip()]
    options = task.objects(task.question(question.items), range(len(task.options)))
    expected = tuple(at for at, option in enumerate(options) if set(option) <= set(wanted))
    meant = sorted(name for at in expected for name in options[at])
    if wanted and (meant != sorted(wanted) or len(expected) > task.n_select):
        raise InputError(f"expected {row['expected']!r} is not one of the choices.")
    if pool == "catch" and not wanted:
        raise InputError("a catch question needs its right answer in the column 'expected'.")
    return replace(question, expected=expected)
