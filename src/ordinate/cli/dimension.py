"""`ordinate dimension`: how many dimensions the answers support."""

from __future__ import annotations

from typing import Annotated

import typer

from ordinate.cli._fitting import (
    SHARED_OPTIONS,
    Settings,
    chosen_method,
    method_option,
)
from ordinate.cli._options import (
    AnswerFile,
    Folds,
    Jobs,
    Json,
    Seed,
    SplitBy,
    group_to_hold_out,
    threads,
    whole_numbers,
)
from ordinate.cli._results import Chart, Drawn


def dimension(
    source: AnswerFile,
    method: Annotated[
        str | None,
        method_option(
            "The method (default: the best of those that `compare` tries)", is_comparable=True
        ),
    ] = None,
    settings: Settings = None,
    dims: Annotated[
        str, typer.Option(metavar="N,N", help="Dimensions to choose from.")
    ] = "1,2,3,4",
    folds: Folds = 5,
    split_by: SplitBy = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    plot: Chart = None,
    json: Json = False,
) -> None:
    """Choose the smallest dimension that predicts held-out answers as well as the best.

    Whether maps of two dimensions are really different is said by
    `ordinate compare answers.csv --methods SOE --dims 2,3 --maps`.

    Example: ordinate dimension answers.csv --dims 1,2,3 --plot dimensions.png
    """
    from ordinate.plots import plot_dimensions, save_figure
    from ordinate.selection._dimension import estimate_dimension

    drawn = Drawn.check(plot, source.inputs)
    fitted = chosen_method(method, settings, SHARED_OPTIONS)
    answers = source.read()
    estimate = estimate_dimension(
        answers,
        whole_numbers("--dims", dims),
        fitted,
        folds=folds,
        by=group_to_hold_out(answers, split_by),
        random_state=seed,
        n_jobs=threads(jobs),
        verbose=True,
    )
    drawn.show(estimate, lambda path: save_figure(plot_dimensions(estimate), path), json=json)
