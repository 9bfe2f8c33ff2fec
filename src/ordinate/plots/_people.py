"""Draw how people weigh the axes of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError
from ordinate.plots._colors import QUIET, SCALE, class_style, color_by
from ordinate.plots._figures import figure_of, start_chart
from ordinate.plots._labels import draw_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.people.weighted_spaces import WeightedSpaces

MOST_NAMED = 40
"""Of more participants than this most names would not fit; all are left out."""
_SMALLEST, _LARGEST = 12.0, 90.0
"""Areas of points, in points squared: of somebody with hardly any answers, and with the most."""


def plot_people(
    model: WeightedSpaces,
    labels: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    label_title: str = "",
) -> Axes:
    """Draw each participant at their weights of the two axes on which people differ most.

    On the dashed line both axes count as they do for the average person; above it the second one
    counts for more, below it the first. The larger a point, the more answers it stands for.

    Parameters
    ----------
    model : WeightedSpaces
        A fitted model.
    labels : array-like of shape (n_participants,), optional
        Classes or numbers that colour the participants, in the order of ``participants_``.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    label_title : str, default=""
        What the labels are called.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them. Up to 40 participants are named, where there is room.

    See Also
    --------
    ordinate.WeightedSpaces : The model that is drawn.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> points = np.random.default_rng(0).normal(size=(12, 2))
    >>> ann = od.sources.random_triplets(points * [3, 1], 200, random_state=1)
    >>> bob = od.sources.random_triplets(points * [1, 3], 200, random_state=2)
    >>> people = np.repeat(["Ann", "Bob"], 200)
    >>> answers = od.Comparisons(np.vstack([ann, bob]), groups={"participant": people})
    >>> ax = od.plots.plot_people(od.WeightedSpaces(random_state=0).fit(answers))
    """
    if not hasattr(model, "weights_") or not hasattr(model, "participants_"):
        raise InputError(
            f"plot_people draws a fitted WeightedSpaces; got {type(model).__name__}"
            + (" that is not fitted." if hasattr(model, "pooled_method") else ".")
        )
    x, y = model.weights_[:, :2].T
    coloring = color_by(labels, len(x))
    share = np.sqrt(model.n_answers_ / model.n_answers_.max())
    area = _SMALLEST + (_LARGEST - _SMALLEST) * share
    ax = start_chart(ax, 5.5, 5)
    ax.set(xscale="log", yscale="log", aspect="equal")
    low, high = _limits(np.concatenate([x, y]))
    ax.plot([low, high], [low, high], color=QUIET, linewidth=0.8, linestyle="--", zorder=0)
    if coloring.values is not None:
        shown = ax.scatter(x, y, s=area, c=coloring.values, cmap=SCALE, linewidths=0)
        figure_of(ax).colorbar(shown, ax=ax, shrink=0.6, label=label_title)
    else:
        for number, name in enumerate(coloring.classes):
            part = coloring.codes == number
            style = class_style(number)
            ax.scatter(
                x[part],
                y[part],
                s=area[part],
                color=style.color,
                marker=style.marker,
                alpha=0.8,
                linewidths=0,
                label=name,
            )
        if coloring.listed:
            ax.legend(frameon=False, title=label_title or None)
    ax.set(xlim=(low, high), ylim=(low, high))
    _plain_ticks(ax)
    ax.set_xlabel("weight of axis 1")
    ax.set_ylabel("weight of axis 2")
    if len(x) <= MOST_NAMED:
        draw_names(ax, np.asarray(model.participants_), model.weights_[:, :2], gap=5)
    return ax


def _limits(weights: np.ndarray) -> tuple[float, float]:
    """Return the same distance below and above 1, on a scale of ratios."""
    farthest = max(float(np.abs(np.log(weights)).max()) * 1.15, np.log(1.5))
    return float(np.exp(-farthest)), float(np.exp(farthest))


def _plain_ticks(ax: Axes) -> None:
    """Write 0.5 and 2 rather than powers of ten, which are too far apart here."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(base=2.0, numticks=9))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
