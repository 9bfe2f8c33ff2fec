"""`ordinate embed`: from a file of answers to a table of coordinates and a report."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate._checks import InputError
from ordinate.cli._appearance import Appearance
from ordinate.cli._fitting import Fitting, Settled
from ordinate.cli._options import AnswerFile, Json, SplitBy, group_to_hold_out
from ordinate.cli._results import Results
from ordinate.methods import METHODS

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.selection import HeldOutError


@dataclass(frozen=True)
class Holdout:
    """How the error is measured."""

    folds: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Parts of the answers, each held out in turn to measure the error; 0 measures"
            " none. Default: 20 for few answers, 5 for many.",
        ),
    ] = None
    split_by: SplitBy = None

    def measure(
        self, answers: Comparisons, settled: Settled, by: str | None
    ) -> HeldOutError | None:
        """Count the mistakes of maps on answers that they were not fitted to."""
        from ordinate.selection._held_out import held_out_error

        if self.folds == 0:
            return None
        method = METHODS[settled.method]
        slow = not (method.has_starts or method.is_kernel)
        return held_out_error(
            answers,
            lambda part: settled.place(part, verbose=False),
            folds=5 if slow and self.folds is None else self.folds,
            by=by,
            random_state=settled.options.seed,
            verbose=True,
        )


Uncertainty = Annotated[
    bool,
    typer.Option(
        "--uncertainty",
        help="Say how sure the map is, by 200 fits to answers drawn anew (whole groups of"
        " --split-by): columns of the table, regions on the picture, stable neighbours.",
    ),
]


def embed(
    source: AnswerFile,
    fitting: Fitting,
    results: Results,
    appearance: Appearance,
    holdout: Holdout,
    uncertainty: Uncertainty = False,
    json: Json = False,
) -> None:
    """Turn answers into coordinates, and say how far to trust them.

    Method and dimension, unless given, are chosen by cross-validation.
    The error is that of maps made in the same way, on answers held out from them;
    the coordinates come from a fit to all answers.

    Example: ordinate embed answers.csv -o map.csv --plot map.html
    """
    from ordinate.cli._embed_report import EmbedReport
    from ordinate.io.coordinates import coordinate_columns
    from ordinate.metrics import triplet_error
    from ordinate.plots import save_map

    start = time.perf_counter()
    results.check(*source.files, *appearance.files)
    answers = source.read()
    look = appearance.look_up(answers.names or range(answers.n_objects))
    by = group_to_hold_out(answers, holdout.split_by)
    settled, choice = fitting.settle(answers, by)
    if uncertainty and METHODS[settled.method].is_kernel:
        raise InputError(
            f"--uncertainty needs a method that places objects; {settled.method} gives"
            " similarities. Choose another --method."
        )
    held_out = holdout.measure(answers, settled, by)
    sure = None
    if uncertainty:
        model = settled.fit(answers)
        points = model.embedding_
        sure = settled.doubt(answers, model, by)
    else:
        points = settled.place(answers)
    columns = coordinate_columns(points, answers.names)
    columns |= sure.to_columns() if sure else {}
    saved = results.save(
        "coordinates",
        columns,
        lambda path: save_map(path, points, columns["object"], uncertainty=sure, **vars(look)),
    )
    report = EmbedReport(
        description=answers.describe(),
        method=settled.method,
        dimension=settled.dim,
        choice=choice,
        seed=fitting.seed,
        train_error=triplet_error(answers, points),
        held_out=held_out,
        uncertainty=sure,
        seconds=time.perf_counter() - start,
        files=saved.files,
    )
    saved.show(report, json=json)
