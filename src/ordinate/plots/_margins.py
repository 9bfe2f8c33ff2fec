"""Draw by how much answers hold on a map, or fail to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError
from ordinate.plots._figures import start_chart
from ordinate.plots._palette import COLORS, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_margins(margins: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the distribution of margins: right of zero the map agrees, left of it it does not.

    Parameters
    ----------
    margins : array-like of float, shape (n_comparisons,)
        From `ordinate.metrics.triplet_margins`, or ``estimate_noise(...).margins`` of answers that
        were held out; NaN is left out.
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
    >>> margins = od.metrics.triplet_margins(cities.comparisons, cities.points)
    >>> ax = od.plots.plot_margins(margins)
    """
    values = np.asarray(margins, dtype=np.float64).ravel()
    values = values[np.isfinite(values)]
    if len(values) == 0:
        raise InputError("There is nothing to draw: margins holds no number.")
    ax = start_chart(ax)
    widest = float(np.abs(values).max()) or 1.0
    # zero is an edge, so that no bar holds both kinds
    n_bars = int(np.clip(np.sqrt(len(values)), 5, 40))
    edges = np.linspace(-widest, widest, 2 * n_bars + 1)
    for wrong, color, what in ((True, COLORS[1], "at odds"), (False, COLORS[0], "as the map says")):
        part = values[(values <= 0) == wrong]
        share = len(part) / len(values)
        ax.hist(part, edges.tolist(), color=color, label=f"{what}, {share:.1%}")
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_xlabel("far minus near distance, in radii of the map")
    ax.set_ylabel("answers")
    ax.legend(frameon=False)
    return ax
