"""`ordinate learning-curve`: whether more answers would make a better map."""

from __future__ import annotations

from typing import Annotated

from ordinate.cli._fitting import (
    CHOSEN_DIMENSION,
    CHOSEN_METHOD,
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
    fitting_option,
    group_to_hold_out,
    threads,
)
from ordinate.cli._results import Chart, Drawn


def learning_curve(
    source: AnswerFile,
    method: Annotated[str | None, method_option(CHOSEN_METHOD, is_comparable=True)] = None,
    settings: Settings = None,
    dim: Annotated[int | None, fitting_option("--dim", "-d", help=CHOSEN_DIMENSION, minimum=1)] = (
        None
    ),
    folds: Folds = 5,
    split_by: SplitBy = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    plot: Chart = None,
    json: Json = False,
) -> None:
    """Fit maps to more and more of the answers, and say whether more would help.

    All maps are judged by the same answers held out.

    Example: ordinate learning-curve answers.csv --dim 2 --plot curve.png
    """
    from ordinate.plots import plot_learning_curve, save_figure
    from ordinate.selection._learning_curve import learning_curve

    drawn = Drawn.check(plot, source.inputs)
    fitted = chosen_method(method, settings, SHARED_OPTIONS)
    answers = source.read()
    curve = learning_curve(
        answers,
        fitted,
        dim,
        folds=folds,
        by=group_to_hold_out(answers, split_by),
        random_state=seed,
        n_jobs=threads(jobs),
        verbose=True,
    )
    drawn.show(curve, lambda path: save_figure(plot_learning_curve(curve), path), json=json)
