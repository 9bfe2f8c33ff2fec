"""Draw held-out error against the number of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordinate.plots._errors import draw_errors
from ordinate.plots._figures import start_chart
from ordinate.plots._palette import COLORS, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.selection import LearningCurve


def plot_learning_curve(curve: LearningCurve, ax: Axes | None = None) -> Axes:
    """Draw held-out error against the number of answers, with intervals.

    Parameters
    ----------
    curve : LearningCurve
        What `ordinate.learning_curve` returned.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> ax = od.plots.plot_learning_curve(od.learning_curve(answers, folds=3))
    """
    ax = start_chart(ax)
    sizes = [point.n_answers for point in curve.points]
    draw_errors(ax, sizes, curve.points, color=COLORS[0], marker="o")
    ax.set_xscale("log", base=2)
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.minorticks_off()
    ax.set_xlabel(f"answers fitted to ({curve.method} in {curve.dimension} dimensions)")
    ax.set_title(curve.advice.split(":")[0], fontsize="medium", color=INK)
    return ax
