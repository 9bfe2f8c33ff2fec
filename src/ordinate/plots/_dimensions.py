"""Draw held-out error against dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordinate.plots._errors import draw_errors
from ordinate.plots._figures import start_chart
from ordinate.plots._palette import COLORS, INK, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.selection import DimensionEstimate


def plot_dimensions(estimate: DimensionEstimate, ax: Axes | None = None) -> Axes:
    """Draw held-out error against dimension, with intervals and the dimension chosen.

    The p value between two dimensions is that of the test whether the higher one is better.

    Parameters
    ----------
    estimate : DimensionEstimate
        What `ordinate.estimate_dimension` returned.
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
    >>> ax = od.plots.plot_dimensions(od.estimate_dimension(answers, [1, 2, 3], folds=3))
    """
    ax = start_chart(ax)
    rows = estimate.table.rows
    errors = draw_errors(ax, estimate.dimensions, rows, color=COLORS[0], marker="o")
    chosen = estimate.dimensions.index(estimate.dimension)
    ax.plot(estimate.dimension, errors[chosen], "o", ms=14, mfc="none", mec=COLORS[1], mew=2)
    for at in range(len(rows) - 1):
        middle = tuple(np.mean([estimate.dimensions[at : at + 2], errors[at : at + 2]], axis=1))
        p = estimate.p_next[at]
        text = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
        ax.annotate(
            text, middle, xytext=(4, 6), textcoords="offset points", color=QUIET, fontsize="small"
        )
    ax.set_xticks(estimate.dimensions)
    ax.set_xlabel(f"dimension of the map ({rows[0].method})")
    ax.set_title(
        f"{estimate.dimension} is the smallest dimension not significantly worse than the best",
        color=INK,
        fontsize="medium",
    )
    return ax
