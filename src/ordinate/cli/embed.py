"""`ordinate embed`: from a file of answers to a table of coordinates and a report."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate._files import atomic_path
from ordinate.cli._options import AnswerFile, Fitting, Json
from ordinate.cli._output import print_json

if TYPE_CHECKING:
    from ordinate.cli._embed_report import HeldOut
    from ordinate.comparisons import Comparisons


def embed(
    source: AnswerFile,
    fitting: Fitting,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table of coordinates: .csv, .tsv, .parquet or .npz. Default: CSV on the screen.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Picture of the map: .png, .svg or .pdf.")
    ] = None,
    test_size: Annotated[
        float,
        typer.Option(
            min=0,
            max=0.9,
            metavar="SHARE",
            help="Share of answers held out to measure the error; 0 for none.",
        ),
    ] = 0.2,
    split_by: Annotated[
        str | None,
        typer.Option(
            metavar="GROUP",
            help="Hold out whole groups of this name. Default: trial, where there are trials.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Turn answers into coordinates, and say how far to trust them.

    The error is measured on answers held out from a first fit;
    the coordinates come from a second fit to all answers.

    Example: ordinate embed answers.csv --dim 2 -o map.csv --plot map.png
    """
    from ordinate.cli._embed_report import EmbedReport
    from ordinate.metrics import triplet_error
    from ordinate.plots import check_figure_path, plot_map, save_figure
    from ordinate.tables import coordinate_columns, table_writer, write_coordinates, write_csv

    start = time.perf_counter()
    # everything that can be refused is refused before the fit, which may be long
    if output is not None:
        table_writer(output)
    if plot is not None:
        check_figure_path(plot)
    with ExitStack() as files:
        table, picture = (
            path and files.enter_context(atomic_path(path)) for path in (output, plot)
        )
        answers = source.read()
        held_out = _held_out(answers, fitting, test_size, split_by) if test_size else None
        model = fitting.estimator().fit(answers)
        points = model.embedding_
        if table:
            write_coordinates(table, points, answers.names)
        if picture:
            save_figure(plot_map(points, names=answers.names), picture)
    report = EmbedReport(
        description=answers.describe(),
        method=fitting.method.value,
        dimension=fitting.dim,
        seed=fitting.seed,
        train_error=triplet_error(answers, points),
        held_out=held_out,
        seconds=time.perf_counter() - start,
        files=tuple(path for path in (output, plot) if path),
    )
    if json:
        figures = report.to_dict()
        if output is None:
            columns = coordinate_columns(points, answers.names)
            figures["coordinates"] = {name: column.tolist() for name, column in columns.items()}
        print_json(figures)
    elif output is None:
        write_csv(coordinate_columns(points, answers.names), sys.stdout.buffer)
        print(report, file=sys.stderr)
    else:
        print(report)


def _held_out(
    answers: Comparisons, fitting: Fitting, test_size: float, split_by: str | None
) -> HeldOut:
    """Fit to a part of the answers and count the mistakes on the others."""
    from ordinate.cli._embed_report import HeldOut
    from ordinate.metrics import triplet_error

    by = "trial" if split_by is None and "trial" in answers.groups else split_by
    train, test = answers.train_test_split(test_size, by=by, random_state=fitting.seed)
    embedding = fitting.estimator().fit(train).embedding_
    return HeldOut(triplet_error(test, embedding), len(test), by)
