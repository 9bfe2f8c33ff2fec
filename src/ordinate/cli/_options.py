"""Options that several verbs share: the file of answers, and what many of them take."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from ordinate._checks import InputError
from ordinate.cli._messages import as_typed
from ordinate.cli._typer import (
    FITTING,
    READING,
    RESULTS,
    arg,
    flag,
    opt,
    option,
    picture_opt,
    reading_opt,
)
from ordinate.io.codings import Coding
from ordinate.tasks import READ, SCALED, TASKS

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.io.rows import Reading
    from ordinate.results.object_display import ObjectDisplay


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


MapDimension = Annotated[
    int, option("Dimension of the map.", "N", "--dim", "-d", min=1, panel=FITTING)
]
Seed = Annotated[int, option("The same seed gives the same result.", "N", min=0, panel=FITTING)]
Jobs = Annotated[
    int | None,
    option("Number of threads. Default: all cores. The result is the same.", "N", panel=FITTING),
]
Folds = Annotated[int, option("Folds of the cross-validation.", "N", min=2)]
SplitBy = Annotated[
    str | None,
    option("Hold out whole groups of this name. Default: trial, if there are trials.", "GROUP"),
]


def group_to_hold_out(answers: Comparisons, split_by: str | None) -> str | None:
    """Return the group asked for, or trials where there are any: their answers belong together."""
    return "trial" if split_by is None and "trial" in answers.groups else split_by


@dataclass(frozen=True)
class Running:
    """How fits are run."""

    seed: Seed = 0
    jobs: Jobs = None

    @property
    def running(self) -> dict[str, Any]:
        """What every fit takes; all cores, unless ``--jobs`` says otherwise."""
        n_jobs = -1 if self.jobs is None else self.jobs
        return {"random_state": self.seed, "n_jobs": n_jobs, "verbose": True}


@dataclass(frozen=True)
class HoldingOut(Running):
    """What is held out together, and how fits are run."""

    split_by: SplitBy = None

    def shared(self, answers: Comparisons) -> dict[str, Any]:
        """Return what all functions take that hold out answers."""
        return {"by": group_to_hold_out(answers, self.split_by), **self.running}


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

    def read(self) -> Comparisons:
        """Read the file, or all files that match the pattern, and note what was guessed."""
        answers: Comparisons = self.read_with_notes(verbose=True)[0]
        return answers

    def read_with_notes(
        self, names: Sequence[str] | None = None, **others: Any
    ) -> tuple[Any, list[Reading]]:
        """Read the files, and say of each how."""
        from ordinate.verbs.answers import read_answers

        given = self.reading() | ({} if names is None else {"names": names})
        return read_answers(self.answers, given.pop("layout", None), given, **others)

    def catch_scores(self) -> list[str]:
        """Say how many catch trials each person answered rightly, if there are any."""
        import warnings

        from ordinate.io.layout import layout_for
        from ordinate.io.read import read_log
        from ordinate.io.tables import STDIN

        given = self.reading() | {"exclude": [], "on_invalid": "drop"}
        layout, scores = given.pop("layout", None), []
        for path in [path for path in self.files if os.fspath(path) != STDIN]:
            with warnings.catch_warnings(action="ignore"):
                try:
                    _, reading = read_log(path, layout_for(path, layout, given), pairs=None)
                except InputError:
                    continue
            scores += [f"{who} {right} of {n}" for who, (right, n) in reading.catch.items()]
        return [f"Catch trials answered rightly: {', '.join(scores)}."] if scores else []

    def save_layouts(self) -> None:
        """Write beside each file how it is read."""
        from ordinate.io.layout import layout_beside, layout_for
        from ordinate.io.tables import STDIN

        for path in self.files:
            if os.fspath(path) == STDIN:
                raise InputError("--save-layout needs a file of answers, not standard input.")
            beside = layout_beside(path)
            given = self.reading()
            layout_for(path, given.pop("layout", None), given).save(beside)
            print(f"Wrote {beside}.", file=sys.stderr)


@dataclass(frozen=True)
class Appearance:
    """Where to read what the objects look like."""

    objects: Path | None = picture_opt(
        "Table about the objects, with their names in the column 'object' or the first one;"
        " a column 'image' holds files of pictures.",
        "FILE",
    )
    color: str | None = picture_opt("Column of --objects that colours the map.", "COLUMN")
    images: Path | None = picture_opt("Folder of pictures named after the objects.", "FOLDER")

    @property
    def files(self) -> list[Path]:
        """The files that are read, pictures included."""
        pictures = sorted(self.images.rglob("*")) if self.images and self.images.is_dir() else []
        return [*([self.objects] if self.objects else []), *pictures]

    def look_up(self, names: Sequence[object]) -> ObjectDisplay:
        """Find what there is to show of the objects that are called so, in their order."""
        from ordinate.results.object_display import ObjectDisplay, read_display

        if self == Appearance():
            return ObjectDisplay()
        return read_display(names, self.objects, self.color, self.images)


def named_groups(text: str | None) -> dict[str, str] | None:
    """Return the columns of groups by the names that they get: participant=code,trial."""
    if text is None:
        return None
    pairs = [entry.partition("=") for entry in split_list(text) or []]
    return {name: column or name for name, _, column in pairs}


def split_list(names: str | None) -> list[str] | None:
    """Return the entries of a list written with commas."""
    return None if names is None else [name.strip() for name in names.split(",")]
