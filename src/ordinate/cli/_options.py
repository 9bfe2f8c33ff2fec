"""Options that several verbs share: the file of answers, and what many of them take."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from ordinate._checks import InputError
from ordinate.cli._messages import as_typed
from ordinate.cli._typer import FITTING, READING, arg, flag, opt, option, picture_opt, reading_opt
from ordinate.io.codings import Coding
from ordinate.tasks import READ, TASKS, in_words

if TYPE_CHECKING:
    from ordinate.comparisons.choices import Answers
    from ordinate.comparisons.pairs import Pairs
    from ordinate.comparisons.record import Comparisons
    from ordinate.io.layout import Layout
    from ordinate.io.rows import Reading
    from ordinate.results.object_display import ObjectDisplay


if TYPE_CHECKING:
    AskedTask: TypeAlias = str
    ReadTask: TypeAlias = str
else:  # the names of tasks as a command writes them
    AskedTask = Literal[tuple(map(as_typed, TASKS))]
    ReadTask = Literal[("auto", *map(as_typed, READ))]


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
Dimensions = Annotated[
    str | None,
    option(
        "Dimensions to try. Default: 1 to 4, then 8, 16, 32 while the largest predicts best.",
        "N,N",
        show_default=False,
    ),
]
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


def group_to_resample(group: str | None) -> str | None:
    """Return what a bootstrap draws: the group asked for (None for answers), or what is usual."""
    return None if group == "answers" else group or "auto"


Json = Annotated[bool, flag("--json", "Print JSON for machines instead of text.")]


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
    respondent: Literal["auto", "people", "machines", "all"] = reading_opt(
        "Whose answers to read, if a column such as answered_by says it. Default: people.",
        default="auto",
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
        "File of these options, as describe saves it. Default: answers.layout.toml beside"
        " answers.csv, if it exists.",
        "FILE",
    )

    @property
    def files(self) -> list[Path]:
        """The files that hold the answers."""
        return matching_files(self.answers)

    @property
    def inputs(self) -> list[Path]:
        """All files that are read: those with the answers, and those with conditions."""
        conditions = [*(self.where or ()), *(self.exclude or ())]
        named = [text.partition("@")[2] for text in conditions if text.startswith("@")]
        named += [text.partition("=@")[2] for text in conditions if "=@" in text]
        return [*self.files, *map(Path, named), *([self.layout] if self.layout else [])]

    def arguments(self) -> list[str]:
        """Return what one types to read the same answers again."""
        given = [str(self.answers)]
        for given_as in fields(self)[1:]:
            value = getattr(self, given_as.name)
            if given_as.name == "header" and value is not None:
                given.append("--header" if value else "--no-header")
            elif isinstance(value, list):
                given += [word for entry in value for word in (f"--{given_as.name}", entry)]
            elif value != given_as.default:
                text = as_typed(value) if given_as.name == "question" else str(value)
                given += [f"--{given_as.name.replace('_', '-')}", text]
        return given

    def layout_of(self, path: Path, **others: Any) -> Layout:
        """Return what the options, or a file beside the answers, say about their layout."""
        from ordinate.io.layout import layout_for

        said = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in ("answers", "layout", "group"):
            del said[name]
        said |= {
            "columns": split_list(self.columns),
            "answer": [] if self.answer == "" else split_list(self.answer),
            "groups": named_groups(self.group),
            "where": self.where or None,
            "exclude": self.exclude or None,
        }
        return layout_for(path, self.layout, said | others)

    def read(self) -> Comparisons:
        """Read the file, or all files that match the pattern, into one validated record.

        A note says what was guessed about a log, and how many rows conditions left out.
        """
        answers, readings = self.read_with_notes()
        print_notes(readings)
        return answers

    def read_with_notes(
        self, names: Sequence[str] | None = None
    ) -> tuple[Comparisons, list[Reading]]:
        """Read the files, and say of each how."""
        answers, readings = self._read_as(self.coding, names)
        self._warn_of_doubts(answers, readings)
        return answers, readings

    def read_any(self, names: Sequence[str] | None) -> tuple[Comparisons | Pairs, list[Reading]]:
        """Read the files, whether they hold comparisons or pairs, and say of each how."""
        from ordinate.comparisons.pairs import Pairs
        from ordinate.comparisons.record import Comparisons
        from ordinate.io.read import read_log

        read = [read_log(p, self.layout_of(p, names=names), pairs=None) for p in self.files]
        parts, readings = [part for part, _ in read], [reading for _, reading in read]
        if not any(isinstance(part, Comparisons) for part in parts):
            return Pairs.concatenate(parts), readings  # type: ignore[arg-type]
        answers = Comparisons.concatenate(parts)  # type: ignore[arg-type]
        self._warn_of_doubts(answers, readings)
        return answers, readings

    def save_layouts(self) -> None:
        """Write beside each file how it is read."""
        from ordinate.io.layout import layout_beside
        from ordinate.io.tables import STDIN

        for path in self.files:
            if os.fspath(path) == STDIN:
                raise InputError("--save-layout needs a file of answers, not standard input.")
            beside = layout_beside(path)
            self.layout_of(path).save(beside)
            print(f"Wrote {beside}.", file=sys.stderr)

    def _warn_of_doubts(self, answers: Comparisons, readings: Sequence[Reading]) -> None:
        """Warn of doubtful labels, and of answers that fit better if read otherwise."""
        from ordinate.comparisons.labels import warn_of_labels
        from ordinate.selection._direction import warn_if_reversed

        warn_of_labels(answers.names)
        if not self._warn_if_coded_otherwise(answers, readings):
            warn_if_reversed(answers, [reading.opposite for reading in readings])

    def read_plainly(self) -> tuple[Comparisons, list[Reading]]:
        """Read the files, and say of each how; whether a map fits them is not asked."""
        return self._read_as(self.coding, None)

    def read_choices(self, objects: Path | None, *, published: bool) -> Answers:
        """Read answers, odd-one-out trials as wholes; those of THINGS have no header.

        A list of objects names those that the file only numbers.
        """
        from ordinate.comparisons.choices import with_whole_trials
        from ordinate.io.trial_files import is_published, read_trials

        plain = len(replace(self, question="auto").arguments()) == 1
        found: Answers
        if published and plain and is_published(self.answers):
            found = read_trials(self.answers)
        else:
            found = with_whole_trials(self.read())
        if found.names is not None or objects is None:
            return found
        names = read_names(objects)
        if len(names) < found.n_objects:
            raise InputError(
                f"{objects} names {len(names):,} objects, but the largest position in"
                f" {self.answers} is {found.n_objects - 1:,} (they count from 0); name all objects"
                " in their order."
            )
        return type(found)(found.rows, weights=found.weights, groups=found.groups, names=names)

    def _read_as(
        self, coding: str, names: Sequence[str] | None
    ) -> tuple[Comparisons, list[Reading]]:
        """Read the files, the answers of which are so coded."""
        from ordinate.comparisons.record import Comparisons
        from ordinate.io.layout_table import UnknownLayoutError
        from ordinate.io.read import read_log
        from ordinate.io.tables import STDIN

        said = {"coding": coding, "names": names}
        try:
            read = [read_log(path, self.layout_of(path, **said)) for path in self.files]
            parts, readings = zip(*read, strict=True)
        except UnknownLayoutError:
            for path in self.files:
                if os.fspath(path) != STDIN:  # which can be read only once
                    self._refuse_pairs(path)
            raise
        answers = parts[0] if len(parts) == 1 else Comparisons.concatenate(parts)
        return answers, list(readings)

    def _refuse_pairs(self, path: Path) -> None:
        """Refuse a file in which items were compared in pairs, and say what is for it."""
        from ordinate.io.layout_table import named_pair
        from ordinate.io.tables import table_of

        layout = self.layout_of(path)

        with table_of(path, self.header, self.encoding) as table:
            pair = named_pair(table.names, layout)
        if pair is not None:
            raise InputError(
                f"{path}: Expected triplets; items in {pair[0]!r} and {pair[1]!r} seem to be"
                f" compared in pairs. Rank them with `ordinate rank {path}`, or choose columns"
                " of triplets with --columns A,B,C."
            )

    def _warn_if_coded_otherwise(self, answers: Comparisons, readings: Sequence[Reading]) -> bool:
        """Say it if answers fit far better in another coding that all files allow."""
        from ordinate.selection._direction import other_coding_fits_better

        allowed = [set(reading.other_codings) for reading in readings]
        for coding in sorted(set.intersection(*allowed)):
            other, _ = self._read_as(coding, answers.names)
            if said := other_coding_fits_better(answers, other):
                warnings.warn(f"{said} Try --coding {coding}.", stacklevel=2)
                return True
        return False


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

    def arguments(self) -> list[str]:
        """Return what one types to get the same."""
        options = {"--objects": self.objects, "--color": self.color, "--images": self.images}
        return [word for name, value in options.items() if value for word in (name, str(value))]

    def look_up(self, names: Sequence[object]) -> ObjectDisplay:
        """Find what there is to show of the objects that are called so, in their order."""
        from ordinate.results.object_display import ObjectDisplay, read_display

        if self == Appearance():
            return ObjectDisplay()
        return read_display(names, self.objects, self.color, self.images)


def print_notes(readings: Sequence[Reading]) -> None:
    """Print the notes beside the results."""
    for note in notes_about(readings):
        print(note, file=sys.stderr)


def notes_about(readings: Sequence[Reading]) -> list[str]:
    """Say what was guessed about logs, and how many rows conditions left out."""
    notes = []
    for reading in readings:
        if reading.layout_file:
            notes.append(f"Read by {reading.layout_file}.")
        if reading.guessed:
            notes.append(f"Read as {in_words(reading.question)}: {reading.example}")
        if reading.left_out:
            notes.append(reading.left_out_in_words)
    return notes


def named_groups(text: str | None) -> dict[str, str] | None:
    """Return the columns of groups by the names that they get: participant=code,trial."""
    if text is None:
        return None
    pairs = [entry.partition("=") for entry in split_list(text) or []]
    return {name: column or name for name, _, column in pairs}


def matching_files(path: Path) -> list[Path]:
    """Return the files that match a pattern, in sorted order; other paths as they are."""
    if path.exists() or not set("*?[") & set(path.name):
        return [path]
    found = sorted(path.parent.glob(path.name))
    if not found:
        raise InputError(f"{path}: No file matches this pattern.")
    return found


def read_names(path: Path) -> list[str]:
    """Read names of objects: a list (.txt) with one per line, or a table with a column of them."""
    from ordinate.io.columns import encode_column
    from ordinate.io.delimited_text import as_utf8
    from ordinate.io.layout_table import find_label_column
    from ordinate.io.tables import errors_naming, open_table

    with errors_naming(path):
        if path.suffix.lower() == ".txt":
            lines = as_utf8(path.read_bytes(), None).decode("utf-8-sig").splitlines()
            return [line.strip() for line in lines if line.strip()]
        table = open_table(path)
        column = find_label_column(table.names)
        if column is None:  # a list has no header
            table = open_table(path, header=False) if len(table.names) == 1 else table
            column = table.names[0]
        words, codes = encode_column(column, table.read([column]).column(column))
    return [words[code] for code in codes]


def split_list(names: str | None) -> list[str] | None:
    """Return the entries of a list written with commas."""
    return None if names is None else [name.strip() for name in names.split(",")]


def whole_numbers(name: str, text: str | None) -> list[int] | None:
    """Return the numbers of a list written with commas, or say that one of them is none."""
    entries = split_list(text)
    if entries is None:
        return None
    for entry in entries:
        if not entry.isdecimal():
            raise typer.BadParameter(f"{entry!r} is not a whole number.", param_hint=name)
    return [int(entry) for entry in entries]


def size_of_prior(text: str) -> float | str | None:
    """Read a standard deviation of scores before any answer: a number, auto or none."""
    if text in ("auto", "none"):
        return None if text == "none" else text
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    if not 0 < size < math.inf:
        raise typer.BadParameter(
            f"{text!r} is not a number above 0, auto or none.", param_hint="--prior"
        )
    return size


def number_of_groups(text: str | None) -> int | str | None:
    """Read how many groups of people there are to be: a number, or auto."""
    if text is None or text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is neither a number nor auto.", param_hint="--groups")
    return int(text)
