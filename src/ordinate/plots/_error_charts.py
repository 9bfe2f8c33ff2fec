"""Draw held-out errors with their intervals: methods, dimensions, learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ordinate._notebooks import in_dimensions
from ordinate.plots._colors import COLORS, INK, MARKERS, QUIET
from ordinate.plots._figures import start_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.questions.budget import Budget
    from ordinate.selection import DimensionEstimate, LearningCurve, MethodTable


class Estimate(Protocol):
    """A share with its 90 % interval."""

    @property
    def error(self) -> float:
        """The share."""

    @property
    def low(self) -> float:
        """Lower end of its interval."""

    @property
    def high(self) -> float:
        """Upper end of its interval."""


def draw_errors(
    ax: Axes, places: ArrayLike, estimates: Sequence[Estimate], **look: Any
) -> list[float]:
    """Draw errors in per cent with their intervals, over the range in which they differ.

    The axis says where it begins, unless that is at zero, and what guessing gives.
    """
    errors = [100 * estimate.error for estimate in estimates]
    below = [100 * (estimate.error - estimate.low) for estimate in estimates]
    above = [100 * (estimate.high - estimate.error) for estimate in estimates]
    ax.errorbar(places, errors, yerr=[below, above], capsize=3, **look)
    ax.autoscale(axis="y")  # an earlier call on the same axes has fixed the limits
    low, high = ax.dataLim.intervaly
    bottom, top = _error_limits(float(low), float(high))
    ax.set_ylim(bottom, top)
    begins = f"axis from {bottom}; " if bottom else ""
    ax.set_ylabel(f"held-out error, % ({begins}guessing: 50)")
    return errors


def _error_limits(low: float, high: float) -> tuple[int, int]:
    """Return whole per cents around errors: from zero where that hides no difference."""
    room = max(0.5, 0.05 * (high - low))
    bottom, top = floor(low - room), ceil(high + room)
    return (0 if bottom <= top / 3 else bottom), top


def plot_methods(table: MethodTable, ax: Axes | None = None) -> Axes:
    """Draw the held-out error of each method in each dimension, and ring the one to use.

    Parameters
    ----------
    table : MethodTable
        What `ordinate.compare` returned.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    ordinate.compare : Makes the table.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> table = od.compare(answers, ["SOE", "TETE"], [1, 2], folds=3, random_state=0)
    >>> ax = od.plots.plot_methods(table)
    """
    ax = start_chart(ax)
    methods = list(dict.fromkeys(row.method for row in table.rows))
    dimensions = sorted({row.dimension for row in table.rows})
    # side by side, so that intervals do not hide one another
    offsets = np.linspace(-0.15, 0.15, len(methods)) if len(methods) > 1 else [0.0]
    for number, (method, offset) in enumerate(zip(methods, offsets, strict=True)):
        rows = [row for row in table.rows if row.method == method]
        places = [row.dimension + offset for row in rows]
        look = {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}
        errors = draw_errors(ax, places, rows, label=method, **look)
        if table.choice in rows:
            at = rows.index(table.choice)
            ax.plot(places[at], errors[at], "o", ms=15, mfc="none", mec=INK, mew=1.5)
    ax.set_xticks(dimensions)
    ax.set_xlabel("dimension of the map")
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    ax.set_title(f"Ringed: {table.choice}", fontsize="medium", color=INK)
    return ax


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

    See Also
    --------
    ordinate.estimate_dimension : Makes the estimate.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> estimate = od.estimate_dimension(answers, [1, 2, 3], "SOE", random_state=0)
    >>> ax = od.plots.plot_dimensions(estimate)
    """
    ax = start_chart(ax)
    rows = estimate.rows
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
    methods = {row.method for row in rows}
    made = methods.pop() if len(methods) == 1 else "the best method of each"
    ax.set_xlabel(f"dimension of the map ({made})")
    doubt = f"; {estimate.table.doubt}" if estimate.table.doubt else ""
    ax.set_title(f"{in_dimensions(estimate.dimension)}{doubt}", color=INK, fontsize="medium")
    return ax


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

    See Also
    --------
    ordinate.learning_curve : Makes the curve.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> curve = od.learning_curve(answers, "SOE", 2, folds=3, random_state=0)
    >>> ax = od.plots.plot_learning_curve(curve)
    """
    ax = start_chart(ax)
    sizes = [point.n_answers for point in curve.points]
    draw_errors(ax, sizes, curve.points, color=COLORS[0], marker="o")
    ax.set_xscale("log", base=2)
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.minorticks_off()
    ax.set_xlabel(f"answers fitted to ({curve.method} in {in_dimensions(curve.dimension)})")
    ax.set_title(curve.advice.split(":")[0], fontsize="medium", color=INK)
    return ax


def plot_budget(budget: Budget, ax: Axes | None = None) -> Axes:
    """Draw the error that a study will reach against its answers, for each rule."""
    ax = start_chart(ax)
    for number, curve in enumerate(budget.curves):
        errors = [100 * error for error in curve.error]
        marker = MARKERS[number]
        ax.plot(curve.n_answers, errors, label=curve.rule, color=COLORS[number], marker=marker)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    sizes = budget.curves[0].n_answers[::2]
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    low, high = ax.get_ylim()
    ticks = [tick for tick in (1, 2, 5, 10, 20, 30, 40, 50) if low <= tick <= high]
    ax.set_yticks(ticks, map(str, ticks))
    ax.minorticks_off()
    ax.set_xlabel(f"answers about {budget.n_objects:,} objects")
    ax.set_ylabel("error of the map, %")
    ax.legend(frameon=False, title="questions")
    wrong = f"{100 * budget.wrong:.0f} % of random answers wrong"
    title = f"{budget.n_components} dimensions, {wrong}"
    ax.set_title(title, fontsize="medium", color=INK)
    return ax
