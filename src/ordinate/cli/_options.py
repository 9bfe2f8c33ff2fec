"""Options that several verbs share: the file of answers, and what many of them take."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from ordinate.cli._messages import as_typed
from ordinate.cli._typer import (
    FITTING,
    READING,
    RESULTS,
    arg,
    flag,
    opt,
    option,
    reading_opt,
)
from ordinate.io.codings import Coding
from ordinate.tasks import READ, SCALED, TASKS

if TYPE_CHECKING:
    AskedTask: TypeAlias = str
    ReadTask: TypeAlias = str
else:  # the names of tasks as a command writes them
    AskedTask = Literal[tuple(map(as_typed, TASKS))]
    ReadTask = Literal[("auto", *map(as_typed, dict.fromkeys([*READ, *SCALED])))]


def task_name(typed: str) -> str:
    """Return the name of a task as Python and files write it."""
    return typed.replace("-", "_")


def header_opt(panel: str | None = None) -> Any:
    """Return the option that says whether a table has a header."""
    said = "Whether the first line holds column names. Default: yes, unless it has numbers."
    return opt(said, None, "--header/--no-header", panel=panel)


Seed = Annotated[int, option("The same seed gives the same result.", "N", min=0, panel=FITTING)]
Json = Annotated[bool, flag("--json", "Print JSON for machines instead of text.", RESULTS)]


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers, and where in it they are."""

    answers: Path = arg(
        "File of answers: CSV, TSV, text, JSON, Parquet or NPZ, zipped or not, or - for"
        " standard input; or a pattern in quotes: 'part-*.csv'."
    )
    question: ReadTask = reading_opt(
        "What people were asked. Default: inferred from the column names.",
        default="auto",
        callback=task_name,
    )
    columns: str | None = reading_opt(
        "Columns of the objects: anchor,near,far or i,j,k,l or the objects shown."
        " Default: by name.",
        "A,B,C",
    )
    answer: str | None = reading_opt(
        "Column that says what was chosen, or whether the row holds: true/false or +1/-1;"
        " '' for none.",
        "COLUMN",
    )
    coding: Coding = reading_opt(
        "The answer names the object or its column (or side), counts from 0 or 1, or says"
        " whether the first was chosen. Default: what fits; ambiguous files are refused.",
        default="auto",
    )
    weight: str | None = reading_opt("Column of weights, one per row.", "COLUMN")
    group: str | None = reading_opt(
        "Columns of labels, such as participant,trial or participant=code.", "COLUMNS"
    )
    where: list[str] | None = reading_opt(
        "Keep only rows with this entry; may be repeated.", "COLUMN=ENTRY"
    )
    exclude: list[str] | None = reading_opt(
        "Drop rows with this entry; may be repeated. COLUMN=@FILE reads an entry per line.",
        "COLUMN=ENTRY",
    )
    codes: list[str] | None = reading_opt(
        "A code in the answer and the column it stands for; may be repeated.",
        "CODE=COLUMN",
        "--map",
    )
    respondent: Literal["auto", "people", "machine", "all"] = reading_opt(
        "Whose answers to read, if a column such as answered_by says it. Default: people.",
        default="auto",
    )
    matrix: Literal["auto", "rows-win", "columns-win"] = reading_opt(
        "Whether a square table counts wins of its rows or of its columns.", default="auto"
    )
    shown_first: str | None = reading_opt(
        "Column of the item that was shown first. Default: shown_first, left, position_a"
        " and other usual names.",
        "COLUMN",
    )
    encoding: str | None = reading_opt(
        "Encoding of a text file, such as cp1252. Default: UTF-8.", "NAME"
    )
    header: bool | None = header_opt(READING)
    on_invalid: Literal["raise", "drop"] = reading_opt(
        "If a row repeats an object: refuse the file, or drop the row and count it.",
        default="raise",
    )
    reverse: bool = reading_opt("Take every answer the other way round.", default=False)
    layout: Path | None = reading_opt(
        "How the file is read: a file of options, as describe saves it; see ordinate describe"
        " --help. Default: answers.layout.toml beside answers.csv, if it exists.",
        "FILE",
    )

    @property
    def files(self) -> list[Path]:
        """The files that hold the answers."""
        from ordinate.io.tables import matching_files

        return matching_files(self.answers)

    @property
    def inputs(self) -> list[Path]:
        """All files that are read: those with the answers, and those with conditions."""
        conditions = [*(self.where or ()), *(self.exclude or ())]
        named = [text.partition("@")[2] for text in conditions if text.startswith("@")]
        named += [text.partition("=@")[2] for text in conditions if "=@" in text]
        return [*self.files, *map(Path, named), *([self.layout] if self.layout else [])]

    def reading(self) -> dict[str, Any]:
        """Return what every function takes that reads answers: only what was typed."""
        typed = {one.name: getattr(self, one.name) for one in fields(self)[1:]}
        typed |= {
            "columns": split_list(self.columns),
            "answer": [] if self.answer == "" else split_list(self.answer),
            "groups": named_groups(typed.pop("group")),
            "where": self.where or None,
            "exclude": self.exclude or None,
            "map": dict(pair.split("=", 1) for pair in typed.pop("codes") or ()) or None,
        }
        usual = {one.name: one.default for one in fields(self)} | {"groups": None, "map": None}
        return {name: value for name, value in typed.items() if value != usual[name]}


def named_groups(text: str | None) -> dict[str, str] | None:
    """Return the columns of groups by the names that they get: participant=code,trial."""
    if text is None:
        return None
    pairs = [entry.partition("=") for entry in split_list(text) or []]
    return {name: column or name for name, _, column in pairs}


def split_list(names: str | None) -> list[str] | None:
    """Return the entries of a list written with commas."""
    return None if names is None else [name.strip() for name in names.split(",")]
