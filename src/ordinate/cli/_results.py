"""Where the results of a verb go: tables and a map into files, a report onto the screen."""

from __future__ import annotations

import json as json_format
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from ordinate._checks import InputError
from ordinate.cli._messages import reason_of
from ordinate.io.atomic import check_writable

if TYPE_CHECKING:
    from ordinate.io.coordinates import Columns

    Tables = Mapping[str, Columns]


class Report(Protocol):
    """What a command found: figures for machines, and as a string lines for people."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""


def plot_option(what: str = "Map") -> Any:
    """Return the option ``--plot``, which all verbs have that draw a map."""
    return typer.Option(
        metavar="FILE",
        help=f"{what}: .png, .svg or .pdf for print, .html for a page to explore.",
        rich_help_panel="Picture",
    )


def table_option(what: str, otherwise: str = "CSV on the screen, unless there is a picture") -> Any:
    """Return the option ``--output`` of a verb that writes one table."""
    return typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Table of {what}: .csv, .tsv, .parquet or .npz. Default: {otherwise}.",
    )


Plot = Annotated[Path | None, plot_option()]
Chart = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE", help="Chart: .png, .svg or .pdf.", rich_help_panel="Picture"
    ),
]


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse files that cannot be written, or that would replace an input or one another."""
    wanted = [path for path in outputs if path]
    read = [path for path in inputs if path]
    for number, path in enumerate(wanted):
        check_writable(path)
        if any(_same_file(path, source) for source in read):
            raise InputError(f"Cannot write {path}: it is read too; choose another name.")
        if any(_same_file(path, other) for other in wanted[:number]):
            raise InputError(f"Cannot write {path}: two results would go there; name two files.")


def _same_file(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)  # sees through links, hard ones too
    except OSError:  # one of them is not there yet
        return os.path.realpath(one) == os.path.realpath(other)


def make_folder(path: Path) -> None:
    """Make the folder that files go to, and those above it, if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make the folder {path}: {error.strerror}.") from None


def draw_last(draw: Callable[[Path], None], path: Path | None) -> InputError | None:
    """Draw a picture after everything else is safe; hand back why that failed, if it did."""
    if path is None:
        return None
    try:
        draw(path)
    except (InputError, OSError) as error:
        return InputError(
            f"The picture {path} was not written, all other results were: {reason_of(error)}"
        )
    return None


@dataclass(frozen=True)
class Saved:
    """Files that are written, tables that are to be printed, and why there is no picture."""

    files: tuple[Path, ...]
    unwritten: Tables = field(default_factory=dict)
    failure: InputError | None = None

    def show(self, report: Report, *, json: bool) -> None:
        """Print the report, and the tables unless something is in a file; then complain."""
        tables = {} if self.files and not json else self.unwritten
        print_report(report, tables, self.files, json=json)
        if self.failure:
            raise self.failure


@dataclass(frozen=True)
class Results:
    """Where the results go."""

    output: Annotated[Path | None, table_option("coordinates")] = None
    plot: Plot = None

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now, before a fit that may be long."""
        from ordinate.io.coordinates import table_writer
        from ordinate.plots._saving import check_map_path

        if self.output:
            table_writer(self.output)
        if self.plot:
            check_map_path(self.plot)
        check_outputs([self.output, self.plot], inputs)

    def save(self, title: str, columns: Columns, draw: Callable[[Path], None]) -> Saved:
        """Write the table, and after it the picture."""
        from ordinate.io.coordinates import write_table

        if self.output:
            write_table(self.output, columns)
        failure = draw_last(draw, self.plot)
        drawn = None if failure else self.plot
        files = tuple(path for path in (self.output, drawn) if path)
        return Saved(files, {} if self.output else {title: columns}, failure)


@dataclass(frozen=True)
class Drawn:
    """Where the chart of figures goes that are printed."""

    plot: Path | None

    @classmethod
    def check(cls, plot: Path | None, inputs: Iterable[Path]) -> Drawn:
        """Refuse an impossible file now, before work that may be long."""
        from ordinate.plots._figures import check_figure_path

        if plot:
            check_figure_path(plot)
            check_outputs([plot], inputs)
        return cls(plot)

    def show(self, report: Report, draw: Callable[[Path], None], *, json: bool) -> None:
        """Draw, then print the figures and which file there is; then complain, if need be."""
        failure = draw_last(draw, self.plot)
        files = [self.plot] if self.plot and not failure else []
        print_report(report, {}, files, json=json)
        if failure:
            raise failure


def print_report(report: Report, tables: Tables, files: Sequence[Path] = (), *, json: bool) -> None:
    """Print a report with the files that were written, and tables that go to none."""
    if json:
        columns = {
            title: {name: column.tolist() for name, column in table.items()}
            for title, table in tables.items()
        }
        print_json({"files": list(map(str, files))} | report.to_dict() | columns)
        return
    from ordinate.io.coordinates import write_csv

    for table in tables.values():
        write_csv(table, sys.stdout.buffer)
    named = " and ".join(map(str, files))
    lines = [str(report), *([f"Wrote {named}"] if named else [])]
    print("\n".join(lines), file=sys.stderr if tables else sys.stdout)


def print_json(figures: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(json_format.dumps(figures, indent=2, allow_nan=False))
