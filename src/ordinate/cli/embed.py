"""`ordinate embed`: from a file of answers to a table of coordinates and a report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate._files import atomic_path
from ordinate.cli._options import AnswerFile, Fitting, Json, SplitBy, group_to_hold_out
from ordinate.cli._output import print_report

if TYPE_CHECKING:
    from ordinate.cli._embed_report import HeldOut
    from ordinate.comparisons import Comparisons


@dataclass(frozen=True)
class Holdout:
    """Which answers are kept from a first fit, to measure its error."""

    test_size: Annotated[
        float,
        typer.Option(
            min=0,
            max=0.9,
            metavar="SHARE",
            help="Share of answers held out to measure the error; 0 for none.",
        ),
    ] = 0.2
    split_by: SplitBy = None

    def measure(self, answers: Comparisons, fitting: Fitting) -> HeldOut | None:
        """Fit to a part of the answers and count the mistakes on the others."""
        from ordinate.cli._embed_report import HeldOut
        from ordinate.metrics import triplet_error

        if not self.test_size:
            return None
        by = group_to_hold_out(answers, self.split_by)
        train, test = answers.train_test_split(self.test_size, by=by, random_state=fitting.seed)
        embedding = fitting.place(train)
        return HeldOut(triplet_error(test, embedding), len(test), by)


@dataclass(frozen=True)
class Results:
    """Where the results go."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table of coordinates: .csv, .tsv, .parquet or .npz. Default: CSV on the screen.",
        ),
    ] = None
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Picture of the map: .png, .svg or .pdf.")
    ] = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are asked for."""
        return tuple(path for path in (self.output, self.plot) if path)

    @contextmanager
    def temporary(self) -> Iterator[tuple[Path | None, Path | None]]:
        """Refuse impossible paths now, before a fit that may be long; keep all files or none."""
        from ordinate.plots.figures import check_figure_path
        from ordinate.tables import table_writer

        if self.output:
            table_writer(self.output)
        if self.plot:
            check_figure_path(self.plot)
        with ExitStack() as stack:
            table, picture = (
                path and stack.enter_context(atomic_path(path)) for path in (self.output, self.plot)
            )
            yield table, picture


def embed(
    source: AnswerFile, fitting: Fitting, results: Results, holdout: Holdout, json: Json = False
) -> None:
    """Turn answers into coordinates, and say how far to trust them.

    The error is measured on answers held out from a first fit;
    the coordinates come from a second fit to all answers.

    Example: ordinate embed answers.csv --dim 2 -o map.csv --plot map.png
    """
    from ordinate.cli._embed_report import EmbedReport
    from ordinate.metrics import triplet_error
    from ordinate.plots import plot_map, save_figure
    from ordinate.tables import coordinate_columns, write_coordinates

    start = time.perf_counter()
    with results.temporary() as (table, picture):
        answers = source.read()
        held_out = holdout.measure(answers, fitting)
        points = fitting.place(answers)
        columns = coordinate_columns(points, answers.names)
        if table:
            write_coordinates(table, points, answers.names)
        if picture:
            save_figure(plot_map(points, names=columns["object"]), picture)
    report = EmbedReport(
        description=answers.describe(),
        method=fitting.method.value,
        dimension=fitting.dim,
        seed=fitting.seed,
        train_error=triplet_error(answers, points),
        held_out=held_out,
        seconds=time.perf_counter() - start,
        files=results.paths,
    )
    unwritten = {} if results.output else {"coordinates": columns}
    print_report(report, unwritten, json=json)
