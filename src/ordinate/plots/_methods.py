"""Draw methods and dimensions beside one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordinate.plots._errors import draw_errors
from ordinate.plots._figures import start_chart
from ordinate.plots._palette import COLORS, INK, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.selection import MethodTable


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

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> ax = od.plots.plot_methods(od.compare(answers, ["SOE", "TETE"], [1, 2], folds=3))
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
