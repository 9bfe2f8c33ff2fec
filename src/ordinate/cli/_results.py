"""Where the results of a verb go: tables and a map into files, a report onto the screen."""

from __future__ import annotations

import json as json_format
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ordinate._checks import InputError
from ordinate.cli._messages import reason_of
from ordinate.cli._typer import RESULTS, opt
from ordinate.io.atomic import check_writable

if TYPE_CHECKING:
    from ordinate.io.coordinates import Columns
    from ordinate.results.result import Result

    Tables = Mapping[str, Columns]


class Report(Protocol):
    """What a command found: figures for machines, and as a string lines for people."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""


def plot_opt(what: str) -> Any:
    """Return the option ``--plot`` of a verb that draws a map."""
    said = f"{what}: .png, .svg or .pdf for print, .html for a page to explore."
    return opt(said, "FILE", panel=RESULTS, kind="maps")


def table_opt(what: str, otherwise: str = "print CSV, unless --plot is given") -> Any:
    """Return the option ``--output`` of a verb that writes one table."""
    said = f"Table of {what}: .csv, .tsv, .parquet or .npz; or a folder. Default: {otherwise}."
    return opt(said, "FILE", "-o", panel=RESULTS, kind="tables")


def report_opt() -> Any:
    """Return the option ``--report`` of a verb: everything that was found, on one page."""
    said = "A page to attach to a paper: findings, figures, tables, how to run it again. .html."
    return opt(said, "FILE", panel=RESULTS, kind="pages")


def chart_opt() -> Any:
    """Return the option ``--plot`` of a verb that draws a chart."""
    return opt("Picture: .png, .svg or .pdf.", "FILE", panel=RESULTS, kind="charts")


def check_outputs(
    inputs: Iterable[Path | None],
    *,
    tables: Sequence[Path | None] = (),
    maps: Sequence[Path | None] = (),
    charts: Sequence[Path | None] = (),
    pages: Sequence[Path | None] = (),
    others: Sequence[Path | None] = (),
) -> None:
    """Refuse files of a wrong kind, that cannot be written, or replace an input or each other."""
    from ordinate.io.coordinates import table_writer
    from ordinate.plots._figures import check_figure_path
    from ordinate.plots._saving import check_map_path
    from ordinate.results.page import check_page_path

    kinds = (table_writer, tables), (check_map_path, maps), (check_figure_path, charts)
    for check, paths in (*kinds, (check_page_path, pages)):
        for path in filter(None, paths):
            if check is not table_writer or path.suffix:
                check(path)
    wanted = [path for path in (*tables, *maps, *charts, *pages, *others) if path and path.suffix]
    for path in filter(None, tables):
        if not path.suffix:
            wanted += _files_in(path)
    read = [path for path in inputs if path]
    for number, path in enumerate(wanted):
        check_writable(path)
        if any(_same_file(path, source) for source in read):
            raise InputError(f"Cannot write {path}: it is read too; choose another name.")
        if any(_same_file(path, other) for other in wanted[:number]):
            raise InputError(f"Cannot write {path}: two results would go there; name two files.")


def _files_in(folder: Path) -> list[Path]:
    """Return what may be written into a folder that is there or is to be made."""
    above = folder
    try:
        while not above.exists() and not above.parent.exists():
            above = above.parent
    except OSError as error:  # such as a name that is too long
        raise InputError(f"Cannot write {folder}: {error.strerror}.") from None
    if above.exists() and not above.is_dir():
        raise InputError(f"Cannot write into {above}: it is a file, and --output names a folder.")
    return [folder / "result.json", *folder.glob("*.csv")] if folder.exists() else [above]


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


@dataclass
class Written:
    """Files of a run, tables that are in none, and why a picture is missing."""

    files: list[Path] = field(default_factory=list)
    unwritten: Tables = field(default_factory=dict)
    failure: InputError | None = None

    def write(self, path: Path | None, write: Callable[[Path], object]) -> None:
        """Write a file if it is asked for."""
        if path:
            write(path)
            self.files.append(path)

    def write_table(self, path: Path | None, columns: Columns) -> None:
        """Write a table if it is asked for."""
        from ordinate.io.coordinates import write_table

        self.write(path, lambda path: write_table(path, columns))

    def write_page(self, path: Path | None, result: Result) -> None:
        """Write the page of a result if it is asked for, with the command that was typed."""
        if path:
            command = shlex.join(["ordinate", *sys.argv[1:]])
            typed = replace(result.provenance, commands=[command])
            self.write(path, replace(result, provenance=typed).report)  # type: ignore[type-var]

    def draw(self, path: Path | None, draw: Callable[[Path], object]) -> None:
        """Draw a picture after everything else is safe; one that fails ends nothing."""
        try:
            self.write(path, draw)
        except (InputError, OSError) as error:
            self.failure = self.failure or InputError(
                f"The picture {path} was not written, all other results were: {reason_of(error)}"
            )

    def show(self, report: Report, *, json: bool) -> None:
        """Print the report, and the tables unless something is in a file; then complain."""
        tables = {} if self.files and not json else self.unwritten
        print_report(report, tables, self.files, json=json)
        if self.failure:
            raise self.failure


@dataclass(frozen=True)
class OutputFiles:
    """Files that a verb writes."""

    def check(self, *inputs: Path | None) -> None:
        """Refuse impossible files now, before a fit that may be long."""
        wanted: dict[str, list[Path | None]] = {}
        for one in fields(self):
            if kind := one.metadata.get("kind"):
                wanted.setdefault(kind, []).append(getattr(self, one.name))
        check_outputs(inputs, **wanted)


@dataclass(frozen=True)
class PageFile(OutputFiles):
    """Where the page of a verb goes that writes nothing else."""

    output: Path = opt(
        "The page, an .html file.", "FILE", "-o", default=Path("report.html"), kind="pages"
    )

    @property
    def report(self) -> Path:
        """The page."""
        return self.output

    def write_and_show(self, result: Result, others: Any = None, *, json: bool) -> None:
        """Write the page and print the result."""
        written = Written()
        written.write_page(self.output, result)
        written.show(result, json=json)


@dataclass(frozen=True)
class ResultFiles(OutputFiles):
    """Where the table, the picture and the page of a result go."""

    output: Path | None = table_opt("coordinates")
    plot: Path | None = plot_opt("Map")
    report: Path | None = report_opt()

    def write_and_show(
        self,
        result: Result,
        others: Mapping[Path | None, Callable[[Result, Path], object]] | None = None,
        *,
        json: bool,
    ) -> None:
        """Write the main table, other files, the page and the picture of a result; print it."""
        shown = self.output or (list(result.printed()) and not json)
        main = islice(result.tables().items(), result.n_main)
        written = Written(unwritten={} if shown else dict(main))
        if self.output:
            written.files += result.write_tables(self.output)
        for path, write in (others or {}).items():
            written.write(path, partial(write, result))
        written.write_page(self.report, result)
        written.draw(self.plot, result.draw)
        written.show(result, json=json)


def make_result_files(table: str, otherwise: str, plot: str) -> type[ResultFiles]:
    """Return the options of a verb that say where its table, picture and page go."""
    picture = plot_opt("Map") if plot == "maps" else chart_opt()
    files: list[Any] = [
        ("output", Path | None, table_opt(table, otherwise)), ("plot", Path | None, picture),
    ]  # fmt: skip
    return make_dataclass("Files", files, bases=(ResultFiles,), frozen=True)


def print_report(report: Report, tables: Tables, files: Sequence[Path] = (), *, json: bool) -> None:
    """Print a report with the files that were written, and tables that go to none."""
    if json:
        from ordinate.results.result import as_plain

        columns = {
            title: {name: as_plain(column) for name, column in table.items()}
            for title, table in tables.items()
        }
        print_json({"files": list(map(str, files))} | report.to_dict() | columns)
        return
    from ordinate.io.coordinates import write_csv

    for table in tables.values():
        write_csv(table, sys.stdout.buffer)
    *others, last = [*map(str, files)] or [""]
    named = f"{', '.join(others)} and {last}" if others else last
    lines = [str(report), *([f"Wrote {named}"] if named else [])]
    print("\n".join(lines), file=sys.stderr if tables else sys.stdout)


def print_json(figures: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(json_format.dumps(figures, indent=2, allow_nan=False))
