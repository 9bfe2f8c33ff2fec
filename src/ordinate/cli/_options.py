"""Options that several verbs share, declared once as dataclasses.

A verb takes such a dataclass as a parameter; `spread_options` shows its fields to typer.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from ordinate._checks import InputError

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.io.logs import Reading

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print results and errors only: no progress, no warnings, no notes."
    ),
]

SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put ' before text in CSV and TSV that a spreadsheet would compute: = + - @.",
    ),
]


class OnInvalid(StrEnum):
    """What to do with a row that compares an object with itself."""

    RAISE = "raise"
    DROP = "drop"


class Question(StrEnum):
    """What people were asked."""

    AUTO = "auto"
    TRIPLET = "triplet"
    ODD_ONE_OUT = "odd-one-out"
    MOST_CENTRAL = "most-central"
    CHOOSE = "choose"
    PAIRS = "pairs"
    RANKING = "ranking"


class Coding(StrEnum):
    """How an answer says what was chosen."""

    AUTO = "auto"
    NAME = "name"
    COLUMN = "column"
    FROM_0 = "from-0"
    FROM_1 = "from-1"
    HOLDS = "holds"


_READING = "Reading the answers"


def _reading(help: str, metavar: str | None = None) -> Any:
    return typer.Option(help=help, metavar=metavar, rich_help_panel=_READING)


def fitting_option(*flags: str, help: str, minimum: int | None = None) -> Any:
    """Return an option for a number that says how a method is run."""
    return typer.Option(*flags, help=help, min=minimum, metavar="N", rich_help_panel="Fitting")


def picture_option(metavar: str, help: str) -> Any:
    """Return an option that says what a picture shows."""
    return typer.Option(metavar=metavar, help=help, rich_help_panel="Picture")


Seed = Annotated[int, fitting_option(help="The same seed gives the same result.", minimum=0)]
Jobs = Annotated[
    int | None,
    fitting_option(help="Threads; the default is all cores. It never changes the result."),
]
Folds = Annotated[
    int, typer.Option(min=2, metavar="N", help="Parts of the answers, each held out in turn.")
]
SplitBy = Annotated[
    str | None,
    typer.Option(
        metavar="GROUP",
        help="Hold out whole groups of this name. Default: trial, where there are trials.",
    ),
]


def threads(jobs: int | None) -> int:
    """Return what ``--jobs`` stands for in Python: all cores, unless it was given."""
    return -1 if jobs is None else jobs


def group_to_hold_out(answers: Comparisons, split_by: str | None) -> str | None:
    """Return the group asked for, or trials where there are any: their answers belong together."""
    return "trial" if split_by is None and "trial" in answers.groups else split_by


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers, and where in it they are."""

    answers: Annotated[
        Path,
        typer.Argument(
            help="File of answers: CSV, TSV, text, JSON, Parquet or NPZ, zipped or not, or - for"
            " standard input; or a pattern in quotes: 'part-*.csv'.",
            show_default=False,
        ),
    ]
    question: Annotated[
        Question, _reading("What people were asked. Default: seen from the names of the columns.")
    ] = Question.AUTO
    columns: Annotated[
        str | None,
        _reading(
            "Columns of the objects: anchor,near,far or i,j,k,l or the objects shown."
            " Default: by name.",
            "A,B,C",
        ),
    ] = None
    answer: Annotated[
        str | None,
        _reading(
            "Column that says what was chosen, or whether the row holds: true/false or +1/-1.",
            "COLUMN",
        ),
    ] = None
    coding: Annotated[
        Coding,
        _reading(
            "The answer names the object or its column (or side), counts from 0 or 1, or says"
            " whether the first was chosen. Default: what fits; refused if two readings do."
        ),
    ] = Coding.AUTO
    weight: Annotated[str | None, _reading("Column of weights, one per row.", "COLUMN")] = None
    group: Annotated[
        str | None,
        _reading("Columns of labels, such as participant,trial or participant=code.", "COLUMNS"),
    ] = None
    where: Annotated[
        list[str] | None,
        _reading("Only rows with this entry; may be given again.", "COLUMN=ENTRY"),
    ] = None
    exclude: Annotated[
        list[str] | None,
        _reading(
            "No rows with this entry; may be given again. COLUMN=@FILE: an entry per line.",
            "COLUMN=ENTRY",
        ),
    ] = None
    encoding: Annotated[
        str | None, _reading("Encoding of a text file, such as latin-1. Default: UTF-8.", "NAME")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns. Default: unless it holds numbers.",
            rich_help_panel=_READING,
        ),
    ] = None
    on_invalid: Annotated[
        OnInvalid, _reading("A row that repeats an object: refuse it, or drop it and count.")
    ] = OnInvalid.RAISE

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
        return [*self.files, *map(Path, named)]

    def arguments(self) -> list[str]:
        """Return what one types to read the same answers again."""
        given = [str(self.answers)]
        for option in fields(self)[1:]:
            value = getattr(self, option.name)
            if option.name == "header" and value is not None:
                given.append("--header" if value else "--no-header")
            elif isinstance(value, list):
                given += [word for entry in value for word in (f"--{option.name}", entry)]
            elif value != option.default:
                given += [f"--{option.name.replace('_', '-')}", str(value)]
        return given

    def read(self) -> Comparisons:
        """Read the file, or all files that match the pattern, into one validated record.

        A note says what was guessed about a log, and how many rows conditions left out.
        """
        answers, readings = self.read_with_notes()
        for note in notes_about(readings):
            print(note, file=sys.stderr)
        return answers

    def read_with_notes(
        self, names: Sequence[str] | None = None
    ) -> tuple[Comparisons, list[Reading]]:
        """Read the files, and say of each how.

        Parameters
        ----------
        names : sequence of str, optional
            Labels of all objects, also of those that occur in no answer.

        Returns
        -------
        answers : Comparisons
            One validated record.
        readings : list of Reading
            How each file was read.
        """
        from ordinate.comparisons.record import Comparisons
        from ordinate.io.layouts import Wanted
        from ordinate.io.logs import read_log

        answer = split_list(self.answer)
        wanted = Wanted(
            split_list(self.columns),
            answer if answer and len(answer) > 1 else self.answer,
            self.weight,
            _named_groups(self.group),
            self.question.value,
        )
        parts, readings = zip(
            *(
                read_log(
                    path,
                    wanted,
                    coding=self.coding.value,
                    where=self.where or None,
                    exclude=self.exclude or None,
                    names=names,
                    header=self.header,
                    encoding=self.encoding,
                    on_invalid=self.on_invalid.value,
                )
                for path in self.files
            ),
            strict=True,
        )
        return parts[0] if len(parts) == 1 else Comparisons.concatenate(parts), list(readings)


def notes_about(readings: Sequence[Reading]) -> list[str]:
    """Say what was guessed about logs, and how many rows conditions left out."""
    notes = []
    for reading in readings:
        if reading.guessed:
            notes.append(f"Read as {reading.question}: {reading.example}")
        if reading.left_out:
            notes.append(reading.left_out_in_words)
    return notes


def _named_groups(text: str | None) -> dict[str, str] | None:
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


def split_list(names: str | None) -> list[str] | None:
    """Return the entries of a list written with commas."""
    return None if names is None else [name.strip() for name in names.split(",")]


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the numbers of a list written with commas, or say that one of them is none."""
    entries = split_list(text) or []
    for entry in entries:
        if not entry.isdecimal():
            raise typer.BadParameter(f"{entry!r} is not a whole number.", param_hint=option)
    return [int(entry) for entry in entries]


class _PlainHelp:
    """Help without the word <bool> beside options that take no value."""

    def get_params(self, ctx: Any) -> Any:
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return parameters


class Group(_PlainHelp, TyperGroup):
    """Several verbs."""


class Verb(_PlainHelp, TyperCommand):
    """One verb."""


def spread_options(command: Callable[..., None]) -> Callable[..., None]:
    """Show typer the fields of a command's dataclass parameters as options of their own.

    Parameters
    ----------
    command : callable
        A verb; some of its parameters may be annotated with a dataclass of options.

    Returns
    -------
    callable
        The same verb with flat parameters, from which the dataclasses are built; with ``--quiet``,
        which all verbs have, and ``--safe-csv``, which those have that write tables.
    """
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    flat: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in bundles:
            flat += inspect.signature(bundles[parameter.name], eval_str=True).parameters.values()
        else:
            flat.append(parameter.replace(annotation=hints[parameter.name]))
    kind = inspect.Parameter.KEYWORD_ONLY
    if any(parameter.name == "output" for parameter in flat) and command.__name__ != "report":
        flat.append(inspect.Parameter("safe_csv", kind, default=False, annotation=SafeCsv))
    flat.append(inspect.Parameter("quiet", kind, default=False, annotation=Quiet))

    @functools.wraps(command)
    def spread(quiet: bool = False, safe_csv: bool = False, **options: Any) -> None:
        for name, bundle in bundles.items():
            options[name] = bundle(**{f.name: options.pop(f.name) for f in fields(bundle)})
        run = command
        if safe_csv:
            from ordinate.io.coordinates import without_formulas

            run = without_formulas()(command)
        with _silence() if quiet else nullcontext():
            run(**options)

    keyword_only = [parameter.replace(kind=kind) for parameter in flat]
    spread.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return spread


@contextmanager
def _silence() -> Iterator[None]:
    """Keep standard error for what `main` reports after the verb has ended: errors."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        yield
