"""`ordinate embed`: from a file of answers to a table of coordinates and a report."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate.cli._appearance import Appearance
from ordinate.cli._fitting import Fitting
from ordinate.cli._options import AnswerFile, Json, SplitBy, group_to_hold_out
from ordinate.cli._results import Results

if TYPE_CHECKING:
    from ordinate.cli._embed_report import HeldOut
    from ordinate.comparisons.record import Comparisons


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


def embed(
    source: AnswerFile,
    fitting: Fitting,
    results: Results,
    appearance: Appearance,
    holdout: Holdout,
    json: Json = False,
) -> None:
    """Turn answers into coordinates, and say how far to trust them.

    The error is measured on answers held out from a first fit;
    the coordinates come from a second fit to all answers.

    Example: ordinate embed answers.csv --dim 2 -o map.csv --plot map.html
    """
    from ordinate.cli._embed_report import EmbedReport
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.metrics import triplet_error
    from ordinate.plots import save_map

    start = time.perf_counter()
    results.check(*source.files, *appearance.files)
    answers = source.read()
    look = appearance.look_up(answers.names or range(answers.n_objects))
    held_out = holdout.measure(answers, fitting)
    points = fitting.place(answers)
    columns = coordinate_columns(points, answers.names)
    saved = results.save(
        "coordinates", columns, lambda path: save_map(path, points, columns["object"], **vars(look))
    )
    report = EmbedReport(
        description=answers.describe(),
        method=fitting.method,
        dimension=fitting.dim,
        seed=fitting.seed,
        train_error=triplet_error(answers, points),
        held_out=held_out,
        seconds=time.perf_counter() - start,
        files=saved.files,
    )
    saved.show(report, json=json)
