"""Draw a diagram in the manner of Shepard: distances on the map against what was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ordinate.comparisons.record import Comparisons
from ordinate.metrics._margins import relative_distances
from ordinate.plots._figures import figure_of, start_chart
from ordinate.plots._layout import MANY
from ordinate.plots._palette import COLORS, INK, SCALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_shepard(
    comparisons: Comparisons | ArrayLike, embedding: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Draw each answer by the distance of its near and of its far pair on the map.

    Answers above the diagonal are as the map says. On a good map the few below it lie close to it.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets; of many the density is drawn.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> ax = od.plots.plot_shepard(cities.comparisons, cities.points)
    """
    near, far = relative_distances(comparisons, embedding)
    ax = start_chart(ax, 5.5, 5)
    widest = 1.03 * float(max(near.max(), far.max())) or 1.0
    if len(near) < MANY:
        wrong = far <= near
        for part, color in ((~wrong, COLORS[0]), (wrong, COLORS[1])):
            ax.scatter(near[part], far[part], s=6, color=color, alpha=0.5, linewidths=0)
    else:
        extent = (0, widest, 0, widest)
        shown = ax.hexbin(near, far, gridsize=60, bins="log", cmap=SCALE, mincnt=1, extent=extent)
        figure_of(ax).colorbar(shown, ax=ax, shrink=0.6, label="answers")
    ax.plot([0, widest], [0, widest], color=INK, linewidth=0.8)
    ax.set(xlim=(0, widest), ylim=(0, widest), aspect="equal")
    ax.set_xlabel("distance of the pair called nearer, in radii of the map")
    ax.set_ylabel("distance of the pair called farther")
    ax.set_title(f"{np.mean(far > near):.1%} of the answers are as the map says", fontsize="medium")
    return ax
