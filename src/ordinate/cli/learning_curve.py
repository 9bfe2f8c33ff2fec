"""`ordinate learning-curve`: whether more answers would make a better map."""

from __future__ import annotations

from ordinate.cli._fitting import MethodOptions
from ordinate.cli._options import AnswerFile, Folds, HoldingOut, Json
from ordinate.cli._results import Chart, Written, check_outputs


def learning_curve(
    *,
    source: AnswerFile,
    judges: MethodOptions,
    folds: Folds = 5,
    holding: HoldingOut,
    plot: Chart = None,
    json: Json = False,
) -> None:
    """Fit maps to more and more of the answers, and say whether more would help.

    All maps are judged by the same held-out answers.

    Example: ordinate learning-curve answers.csv --dim 2 --plot curve.png
    """
    from ordinate.plots import plot_learning_curve
    from ordinate.selection._learning_curve import learning_curve

    check_outputs(source.inputs, charts=[plot])
    method = judges.chosen()
    answers = source.read()
    curve = learning_curve(
        answers, method, n_components=judges.dim, folds=folds, **holding.shared(answers)
    )
    written = Written()
    written.draw_chart(plot, lambda: plot_learning_curve(curve))
    written.show(curve, json=json)
